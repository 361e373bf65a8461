"""Whether a query is in the grammar that Hive 2.3.10 and Hive 4.0.1 share: its clauses, from WITH to LIMIT.

What lives here: the clauses of a query (HiveParser.g, FromClauseParser.g, SelectClauseParser.g). What must not:
expressions (_hive_expressions.py), words (_hive_words.py). It reads what sqlglot has taken before, so it need not tell
what a text means; it is as strict as both of Hive's parsers
(tests/interop/engines/test_texts_against_hive.py).
"""

from __future__ import annotations

from hive_views.sql._hive_expressions import Expressions
from hive_views.sql._hive_words import Edits, NotHiveError

_SET_OPERATORS = ("UNION", "INTERSECT", "EXCEPT", "MINUS")
_BEHIND_BRANCH = frozenset([*_SET_OPERATORS, "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT"])


def read(sql: str) -> Edits:
    """What has to be changed in the text so that Hive and Spark read it alike: brackets, mostly none.

    Raises:
        NotHiveError: no version of Hive takes the text, or not each does; with the offset.
        SQLSyntaxError: a literal, name or comment is not closed.
    """
    reader = _Queries(sql)
    reader.query()
    if reader.kind != "end":
        raise reader.unexpected()
    return reader.edits


class _Queries(Expressions):
    """The reader of queries. Each method reads one rule from the current token on."""

    def query(self) -> None:
        if self.takes("WITH"):
            self.separated(self._common_table)
        if self.takes("FROM"):
            self._from()
            self._select(from_first=True)
            self._sorting()
        else:
            self.select_statement()

    def select_statement(self) -> None:
        self._branch()
        last = ""
        while self.word in _SET_OPERATORS:
            if self.word == "INTERSECT" and last not in ("", "INTERSECT"):
                raise NotHiveError(
                    self.start,
                    "Hive reads set operations from left to right, and Spark INTERSECT first; write brackets around "
                    "the two queries that belong together.",
                )
            last = self.word
            self.advance()
            self.may_take("ALL", "DISTINCT")
            self._branch()
        self._sorting()

    def _common_table(self) -> None:
        self.name()
        self.expect("AS")
        self.expect("(")
        self.query()
        self.expect(")")

    def _branch(self) -> None:
        if self.takes("("):
            self.select_statement()
            self.expect(")")
        else:
            self._select()

    def _select(self, from_first: bool = False) -> None:
        self.expect("SELECT")
        if self.text.startswith("/*+"):
            self.advance()
        self.may_take("ALL", "DISTINCT")
        self.separated(self._item)
        if not from_first and self.takes("FROM"):
            self._from()
        if self.takes("WHERE"):
            self.expression()
        if self.takes("GROUP"):
            self.expect("BY")
            self._groups()
        if self.takes("HAVING"):
            self.expression()
        if self.takes("WINDOW"):
            self.separated(self._window)

    def _item(self) -> None:
        if self.is_star():
            self.star()
            return
        self.expression()
        if self.takes("AS"):
            if self.takes("("):
                self.separated(self.name)
                self.expect(")")
            else:
                self.name()
        elif self.is_alias():
            self.name()

    def _window(self) -> None:
        self.name()
        self.expect("AS")
        self.window()

    def _groups(self) -> None:
        if self.word in ("ROLLUP", "CUBE"):
            self.advance()
            self.expect("(")
            self.separated(self.expression)
            self.expect(")")
            return
        if self.word == "(" and self.word_after(1) == ")":
            self.advance(2)
            return
        self.separated(self.expression)
        if self.takes("WITH"):
            self.expect("ROLLUP", "CUBE")
        if self.word == "GROUPING" and self.word_after(1) == "SETS":
            self.advance(2)
            self.expect("(")
            self.separated(self._grouping_set)
            self.expect(")")

    def _grouping_set(self) -> None:
        if self.word == "(" and self.word_after(1) == ")":
            self.advance(2)
        else:
            self.expression()

    def _sorting(self) -> None:
        if self.takes("ORDER"):
            self.expect("BY")
            self.separated(self.sort_key)
        for word in ("CLUSTER", "DISTRIBUTE"):
            if self.is_by(word):
                self.advance(2)
                self.expressions_or_bracket()
        if self.is_by("SORT"):
            self.advance(2)
            self.sort_keys_or_bracket()
        if self.takes("LIMIT"):
            self.literal_number()
            if self.takes("OFFSET") or self.takes(","):
                self.literal_number()

    def _from(self) -> None:
        self._first_source()
        while self._join():
            self._source()
            # A comma is a join without a condition.
            if self.takes("ON") and self._joined_by != ",":
                self.expression()
            elif self.takes("USING"):
                self.expect("(")
                self.separated(self.name)
                self.expect(")")

    _joined_by = ""

    def _join(self) -> bool:
        self._joined_by = self.word
        if self.takes(",") or self.takes("JOIN"):
            return True
        if self.word in ("INNER", "CROSS"):
            self.advance()
        elif self.word in ("LEFT", "RIGHT", "FULL"):
            side = self.word
            self.advance()
            self.may_take("OUTER", *(["SEMI"] if side == "LEFT" else []))
        else:
            return False
        self.expect("JOIN")
        return True

    def _first_source(self) -> None:
        if self.word == "(" and not self._is_derived_table():
            self.advance()
            self._from()
            self.expect(")")
        else:
            self._source()

    def _source(self) -> None:
        if self.word == "(":
            self._derived_table()
        else:
            self._table()
        while self.takes("LATERAL"):
            self.expect("VIEW")
            self.takes("OUTER")
            self.function()
            self.name()
            if self.takes("AS"):
                self.separated(self.name)

    def _is_derived_table(self) -> bool:
        """Whether the bracket here is one around a query, and not one around tables and joins."""
        if self.word_after(1) == "(":
            # Hive 2.3 looks ahead no further than over one SELECT in the inner brackets.
            return self.word_behind(1) in _SET_OPERATORS and _BEHIND_BRANCH.isdisjoint(self.words_inside(1))
        return self.word_after(1) in ("SELECT", "WITH", "FROM")

    def _derived_table(self) -> None:
        self.expect("(")
        self.query()
        self.expect(")")
        self.takes("AS")
        if not self.is_name():
            raise self.unexpected(
                "a query in FROM stands in brackets once and has a name behind it, and of branches in brackets Hive "
                "2.3 takes the first only if it is one SELECT without a sorting or limit"
            )
        self.name()

    def _table(self) -> None:
        self.name()
        if self.takes("."):
            self.name()
        if self.takes("TABLESAMPLE"):
            self.expect("(")
            self._sample()
            self.expect(")")
        if self.takes("AS") or self.is_alias():
            if self.word in ("NATURAL", "ANTI", "SEMI") and self.word_after(1) == "JOIN":
                raise NotHiveError(
                    self.start, f"Hive takes {self.text} for the table's alias, and Spark for a kind of join."
                )
            self.name()

    def _sample(self) -> None:
        if self.takes("BUCKET"):
            self.literal_number()
            self.expect("OUT")
            self.expect("OF")
            self.literal_number()
            if self.takes("ON"):
                self.separated(self.expression)
        elif self.text[-1:].upper() in ("B", "K", "M", "G") and self.text[:-1].isdigit():
            self.advance()
        else:
            self.literal_number()
            self.expect("PERCENT", "ROWS")
