"""Whether a query is in the grammar that Hive 2.3.10 and Hive 4.0.1 share: its clauses, from WITH to LIMIT.

What lives here: the clauses of a query (HiveParser.g, FromClauseParser.g, SelectClauseParser.g). What must not:
expressions (expressions.py), words (words.py). It reads what sqlglot has taken before, so it need not know what a text
means; it is as strict as both of Hive's parsers, which tests/interop/engines/test_texts_against_hive.py judges.
"""

from __future__ import annotations

from hive_views.sql.hive_grammar.expressions import Expressions
from hive_views.sql.hive_grammar.words import Edits, NotHiveError, Words

_SET_OPERATORS = ("UNION", "INTERSECT", "EXCEPT", "MINUS")
_BEHIND_BRANCH = frozenset([*_SET_OPERATORS, "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT"])


def read_query(sql: str) -> Edits:
    """What has to be changed in the text so that Hive and Spark read it alike: brackets, mostly none.

    Raises:
        NotHiveError: no version of Hive takes the text, or not each does; with the offset.
        SQLSyntaxError: a literal, name or comment is not closed.
    """
    words = Words(sql)
    _Queries(words).query()
    if words.kind != "end":
        raise words.unexpected()
    return words.edits


class _Queries:
    """The reader of queries. Each method reads one rule from the current token on."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._expressions = Expressions(words, self.select_statement)

    def query(self) -> None:
        if self._words.takes("WITH"):
            self._words.separated(self._common_table)
        if self._words.takes("FROM"):
            self._from()
            self._select(from_first=True)
            self._sorting()
        else:
            self.select_statement()

    def select_statement(self) -> None:
        self._branch()
        last = ""
        while self._words.word in _SET_OPERATORS:
            if self._words.word == "INTERSECT" and last not in ("", "INTERSECT"):
                raise NotHiveError(
                    self._words.start,
                    "Hive reads set operations from left to right, and Spark INTERSECT first; write brackets around "
                    "the two queries that belong together.",
                )
            last = self._words.word
            self._words.advance()
            self._words.may_take("ALL", "DISTINCT")
            self._branch()
        self._sorting()

    def _common_table(self) -> None:
        self._words.name()
        self._words.expect("AS")
        self._words.expect("(")
        self.query()
        self._words.expect(")")

    def _branch(self) -> None:
        if self._words.takes("("):
            self.select_statement()
            self._words.expect(")")
        else:
            self._select()

    def _select(self, from_first: bool = False) -> None:
        self._words.expect("SELECT")
        if self._words.text.startswith("/*+"):
            self._words.advance()
        self._words.may_take("ALL", "DISTINCT")
        self._words.separated(self._item)
        if not from_first and self._words.takes("FROM"):
            self._from()
        if self._words.takes("WHERE"):
            self._expressions.expression()
        if self._words.takes("GROUP"):
            self._words.expect("BY")
            self._groups()
        if self._words.takes("HAVING"):
            self._expressions.expression()
        if self._words.takes("WINDOW"):
            self._words.separated(self._window)

    def _item(self) -> None:
        if self._expressions.is_star():
            self._expressions.star()
            return
        self._expressions.expression()
        if self._words.takes("AS"):
            if self._words.takes("("):
                self._words.separated(self._words.name)
                self._words.expect(")")
            else:
                self._words.name()
        elif self._words.is_alias():
            self._words.name()

    def _window(self) -> None:
        self._words.name()
        self._words.expect("AS")
        self._expressions.windows.window()

    def _groups(self) -> None:
        if self._words.word in ("ROLLUP", "CUBE"):
            self._words.advance()
            self._words.expect("(")
            self._words.separated(self._expressions.expression)
            self._words.expect(")")
            return
        if self._words.word == "(" and self._words.word_after(1) == ")":
            self._words.advance(2)
            return
        self._words.separated(self._expressions.expression)
        if self._words.takes("WITH"):
            self._words.expect("ROLLUP", "CUBE")
        if self._words.word == "GROUPING" and self._words.word_after(1) == "SETS":
            self._words.advance(2)
            self._words.expect("(")
            self._words.separated(self._grouping_set)
            self._words.expect(")")

    def _grouping_set(self) -> None:
        if self._words.word == "(" and self._words.word_after(1) == ")":
            self._words.advance(2)
        else:
            self._expressions.expression()

    def _sorting(self) -> None:
        if self._words.takes("ORDER"):
            self._words.expect("BY")
            self._words.separated(self._expressions.windows.sort_key)
        for word in ("CLUSTER", "DISTRIBUTE"):
            if self._words.is_by(word):
                self._words.advance(2)
                self._expressions.windows.expressions_or_bracket()
        if self._words.is_by("SORT"):
            self._words.advance(2)
            self._expressions.windows.sort_keys_or_bracket()
        if self._words.takes("LIMIT"):
            self._words.literal_number()
            if self._words.takes("OFFSET") or self._words.takes(","):
                self._words.literal_number()

    def _from(self) -> None:
        self._first_source()
        while self._join():
            self._source()
            # A comma is a join without a condition.
            if self._words.takes("ON") and self._joined_by != ",":
                self._expressions.expression()
            elif self._words.takes("USING"):
                self._words.expect("(")
                self._words.separated(self._words.name)
                self._words.expect(")")

    _joined_by = ""

    def _join(self) -> bool:
        self._joined_by = self._words.word
        if self._words.takes(",") or self._words.takes("JOIN"):
            return True
        if self._words.word in ("INNER", "CROSS"):
            self._words.advance()
        elif self._words.word in ("LEFT", "RIGHT", "FULL"):
            side = self._words.word
            self._words.advance()
            self._words.may_take("OUTER", *(["SEMI"] if side == "LEFT" else []))
        else:
            return False
        self._words.expect("JOIN")
        return True

    def _first_source(self) -> None:
        if self._words.word == "(" and not self._is_derived_table():
            self._words.advance()
            self._from()
            self._words.expect(")")
        else:
            self._source()

    def _source(self) -> None:
        if self._words.word == "(":
            self._derived_table()
        else:
            self._table()
        while self._words.takes("LATERAL"):
            self._words.expect("VIEW")
            self._words.takes("OUTER")
            self._expressions.function()
            self._words.name()
            if self._words.takes("AS"):
                self._words.separated(self._words.name)

    def _is_derived_table(self) -> bool:
        """Whether the bracket here is one around a query, and not one around tables and joins."""
        if self._words.word_after(1) == "(":
            # Hive 2.3 looks ahead no further than over one SELECT in the inner brackets.
            return self._words.word_behind(1) in _SET_OPERATORS and _BEHIND_BRANCH.isdisjoint(
                self._words.words_inside(1)
            )
        return self._words.word_after(1) in ("SELECT", "WITH", "FROM")

    def _derived_table(self) -> None:
        self._words.expect("(")
        self.query()
        self._words.expect(")")
        self._words.takes("AS")
        if not self._words.is_name():
            raise self._words.unexpected(
                "a query in FROM stands in brackets once and has a name behind it, and of branches in brackets Hive "
                "2.3 takes the first only if it is one SELECT without a sorting or limit"
            )
        self._words.name()

    def _table(self) -> None:
        self._words.name()
        if self._words.takes("."):
            self._words.name()
        if self._words.takes("TABLESAMPLE"):
            self._words.expect("(")
            self._sample()
            self._words.expect(")")
        if self._words.takes("AS") or self._words.is_alias():
            if self._words.word in ("NATURAL", "ANTI", "SEMI") and self._words.word_after(1) == "JOIN":
                raise NotHiveError(
                    self._words.start,
                    f"Hive takes {self._words.text} for the table's alias, and Spark for a kind of join.",
                )
            self._words.name()

    def _sample(self) -> None:
        if self._words.takes("BUCKET"):
            self._words.literal_number()
            self._words.expect("OUT")
            self._words.expect("OF")
            self._words.literal_number()
            if self._words.takes("ON"):
                self._words.separated(self._expressions.expression)
        elif self._words.text[-1:].upper() in ("B", "K", "M", "G") and self._words.text[:-1].isdigit():
            self._words.advance()
        else:
            self._words.literal_number()
            self._words.expect("PERCENT", "ROWS")
