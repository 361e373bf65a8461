"""Windows and keys to sort by, of the grammar that Hive 2.3.10 and Hive 4.0.1 share (SelectClauseParser.g).

What lives here: what follows OVER, and the lists behind BY. What must not: expressions (_hive_expressions.py).
"""

from __future__ import annotations

from hive_views.sql._hive_words import Words


class Windows(Words):
    """The reader of windows."""

    def expression(self) -> object:
        """An expression; that of _hive_expressions.py."""
        raise NotImplementedError

    def bracket(self) -> None:
        """Expressions in brackets; as above."""
        raise NotImplementedError

    def is_subquery(self) -> bool:
        """Whether a query in brackets stands here; as above."""
        raise NotImplementedError

    def window(self) -> None:
        """What follows OVER, or AS in a WINDOW clause."""
        if not self.takes("("):
            self.name()
            return
        if self.is_alias():
            self.name()
        self._partitioning()
        if self.word in ("ROWS", "RANGE"):
            self.advance()
            if self.takes("BETWEEN"):
                self._boundary()
                self.expect("AND")
                self._boundary()
            else:
                self._boundary(start_only=True)
        self.expect(")")

    def _partitioning(self) -> None:
        if self.is_by("PARTITION"):
            self.advance(2)
            self.expressions_or_bracket()
            if not self.is_by("ORDER"):
                return
        if self.is_by("ORDER"):
            self.advance(2)
            self.separated(self.sort_key)
        elif self.is_by("CLUSTER"):
            self.advance(2)
            self.expressions_or_bracket()
        else:
            if self.is_by("DISTRIBUTE"):
                self.advance(2)
                self.expressions_or_bracket()
            if self.is_by("SORT"):
                self.advance(2)
                self.sort_keys_or_bracket()

    def _boundary(self, start_only: bool = False) -> None:
        if self.takes("CURRENT"):
            self.expect("ROW")
            return
        if not self.takes("UNBOUNDED"):
            self.literal_number()
        if start_only or self.word != "FOLLOWING":
            self.expect("PRECEDING")
        else:
            self.advance()

    def sort_key(self) -> None:
        self.expression()
        self.may_take("ASC", "DESC")
        if self.takes("NULLS"):
            self.expect("FIRST", "LAST")

    def expressions_or_bracket(self) -> None:
        """What Hive takes behind PARTITION, CLUSTER and DISTRIBUTE BY: where a bracket opens, that and no more."""
        if self.word == "(" and not self.is_subquery():
            self.bracket()
        else:
            self.separated(self.expression)

    def sort_keys_or_bracket(self) -> None:
        if self.takes("("):
            self.separated(self.sort_key)
            self.expect(")")
        else:
            self.separated(self.sort_key)
