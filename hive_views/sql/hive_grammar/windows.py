"""Windows and keys to sort by, of the grammar that Hive 2.3.10 and Hive 4.0.1 share (SelectClauseParser.g)."""

from __future__ import annotations

from collections.abc import Callable

from hive_views.sql.hive_grammar.words import Words


class Windows:
    """The reader of windows and sort keys.

    Args:
        words: the position of all readers of the text.
        expression, bracket: read an expression, or several in brackets.
        is_subquery: whether a query in brackets starts here.
    """

    def __init__(
        self,
        words: Words,
        *,
        expression: Callable[[], object],
        bracket: Callable[[], None],
        is_subquery: Callable[[], bool],
    ) -> None:
        self._words = words
        self._expression = expression
        self._bracket = bracket
        self._is_subquery = is_subquery

    def window(self) -> None:
        """What follows OVER, or AS in a WINDOW clause."""
        if not self._words.accept("("):
            self._words.name()
            return
        if self._words.is_alias():
            if self._words.word_after(1) != ")":
                self._words.edits.unread_by_spark(self._words.start, "a window that extends a named one")
            self._words.name()
        self._partitioning()
        if self._words.word in ("ROWS", "RANGE"):
            self._words.advance()
            if self._words.accept("BETWEEN"):
                self._boundary()
                self._words.expect("AND")
                self._boundary()
            else:
                self._boundary(start_only=True)
        self._words.expect(")")

    def _partitioning(self) -> None:
        if self._words.is_by("PARTITION"):
            self._words.advance(2)
            self.expressions_or_bracket()
            if not self._words.is_by("ORDER"):
                return
        if self._words.is_by("ORDER"):
            self._words.advance(2)
            self._words.separated(self.sort_key)
        elif self._words.is_by("CLUSTER"):
            self._words.advance(2)
            self.expressions_or_bracket()
        else:
            if self._words.is_by("DISTRIBUTE"):
                self._words.advance(2)
                self.expressions_or_bracket()
            if self._words.is_by("SORT"):
                self._words.advance(2)
                self.sort_keys_or_bracket()

    def _boundary(self, start_only: bool = False) -> None:
        if self._words.accept("CURRENT"):
            self._words.expect("ROW")
            return
        if not self._words.accept("UNBOUNDED"):
            self._words.literal_number()
        if start_only or self._words.word != "FOLLOWING":
            self._words.expect("PRECEDING")
        else:
            self._words.advance()

    def sort_key(self) -> None:
        self._expression()
        self._words.accept_any("ASC", "DESC")
        if self._words.accept("NULLS"):
            self._words.expect("FIRST", "LAST")

    def expressions_or_bracket(self) -> None:
        """What Hive accepts after PARTITION, CLUSTER and DISTRIBUTE BY: one bracket, or a list without one."""
        if self._words.word == "(" and not self._is_subquery():
            self._bracket()
        else:
            self._words.separated(self._expression)

    def sort_keys_or_bracket(self) -> None:
        if self._words.accept("("):
            # To Spark they make a struct, in which DESC is the name of a field.
            self._words.drop_bracket()
            self._words.separated(self.sort_key)
            self._words.expect(")")
            self._words.drop_bracket()
        else:
            self._words.separated(self.sort_key)
