"""Whether a query is in the grammar that Hive 2.3.10 and Hive 4.0.1 share: its clauses, from WITH to LIMIT.

The rules are those of HiveParser.g, FromClauseParser.g and SelectClauseParser.g. sqlglot has accepted the texts before,
so their meaning does not matter here; the reader is as strict as both parsers of Hive, which
tests/interop/engines/test_texts_against_hive.py verifies.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hive_views.sql.hive_grammar.expressions import Expressions
from hive_views.sql.hive_grammar.words import Edits, NotHiveError, Words

_HINTS = re.compile(r"/\*\+(\s*,?\s*\w+(\s*\(\s*\w+(\s*,\s*\w+)*\s*\))?)+\s*\*/")
_SET_OPERATORS = ("UNION", "INTERSECT", "EXCEPT", "MINUS")
_AFTER_BRANCH = frozenset([*_SET_OPERATORS, "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT"])


# A verb checks a text before it knows the columns, and a statement before it calls the verb: read it once for both.
@lru_cache(maxsize=4)
def read_query(sql: str) -> Edits:
    """The edits that make Hive and Spark read the text alike, usually none; they are not to be changed.

    Raises:
        NotHiveError: not every version of Hive accepts the text; with the offset.
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
        self._in_definition = False

    def query(self) -> None:
        place = self._words.start
        if self._words.accept("WITH"):
            if self._in_definition:
                self._words.edits.unread_by_hive(
                    place,
                    "Hive 2.3 allows no WITH clause inside a definition of another WITH clause; move its definitions "
                    "before that one, each under its own name.",
                )
            defined: set[str] = set()
            self._words.separated(lambda: self._common_table(defined))
        if self._words.accept("FROM"):
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
                    "Hive evaluates set operations from left to right, and Spark INTERSECT first; put parentheses "
                    "around the two queries that belong together.",
                )
            last = self._words.word
            self._words.advance()
            self._words.accept_any("ALL", "DISTINCT")
            self._branch()
        self._sorting()

    def _common_table(self, defined: set[str]) -> None:
        name = self._words.text.strip("`").lower()
        if name in defined:
            self._words.edits.unread_by_hive(
                self._words.start,
                f"neither Hive nor Spark allows two definitions of {name} in one WITH clause; rename one.",
            )
        defined.add(name)
        self._words.name()
        self._words.expect("AS")
        self._words.expect("(")
        around, self._in_definition = self._in_definition, True
        self.query()
        self._in_definition = around
        self._words.expect(")")

    def _branch(self) -> None:
        if self._words.accept("("):
            self.select_statement()
            self._words.expect(")")
        else:
            self._select()

    def _select(self, from_first: bool = False) -> None:
        self._words.expect("SELECT")
        if self._words.text.startswith("/*+"):
            if not _HINTS.fullmatch(self._words.text):
                self._words.edits.unread_by_spark(self._words.start, "this hint")
            self._words.advance()
        self._words.accept_any("ALL", "DISTINCT")
        self._words.separated(self._item)
        if not from_first and self._words.accept("FROM"):
            self._from()
        if self._words.accept("WHERE"):
            self._expressions.expression()
        if self._words.accept("GROUP"):
            self._words.expect("BY")
            self._groups()
        if self._words.accept("HAVING"):
            self._expressions.expression()
        if self._words.accept("WINDOW"):
            self._words.separated(self._window)

    def _item(self) -> None:
        if self._expressions.is_star():
            self._expressions.star()
            return
        self._expressions.expression()
        if self._words.accept("AS"):
            if self._words.accept("("):
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
            self._words.edits.unread_by_spark(self._words.start, "GROUP BY ()")
            self._words.advance(2)
            return
        self._words.separated(self._expressions.expression)
        if self._words.accept("WITH"):
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
        sorted_by = []
        if self._words.accept("ORDER"):
            self._words.expect("BY")
            self._words.separated(self._expressions.windows.sort_key)
            sorted_by.append("ORDER")
        for word in ("CLUSTER", "DISTRIBUTE"):
            if self._words.is_by(word):
                self._one_sorting(sorted_by, word)
                self._words.advance(2)
                self._expressions.windows.expressions_or_bracket()
        if self._words.is_by("SORT"):
            self._one_sorting([word for word in sorted_by if word != "DISTRIBUTE"], "SORT")
            self._words.advance(2)
            self._expressions.windows.sort_keys_or_bracket()
        if self._words.accept("LIMIT"):
            self._limit()

    def _one_sorting(self, before: list[str], word: str) -> None:
        if before:
            self._words.edits.unread_by_hive(
                self._words.start, f"neither Hive nor Spark allows {word} BY after {before[-1]} BY; keep one of them."
            )
        before.append(word)

    def _limit(self) -> None:
        skipped = self._words.after(0)
        self._words.literal_number()
        if self._words.accept("OFFSET"):
            self._words.literal_number()
        elif self._words.accept(","):
            comma, wanted = self._words.end_before - 1, self._words.after(0)
            self._words.literal_number()
            self._words.edits.replace(skipped.start, skipped.end, wanted.text)
            self._words.edits.replace(comma, comma + 1, " OFFSET " if wanted.start == comma + 1 else " OFFSET")
            self._words.edits.replace(wanted.start, wanted.end, skipped.text)

    def _from(self, in_brackets: bool = False) -> None:
        viewed = self._first_source()
        commas: list[int] = []
        while joined_by := self._join():
            if joined_by == ",":
                commas.append(self._words.end_before - 1)
            if in_brackets or joined_by != ",":
                # Hive joins from left to right, and Spark, under spark.sql.ansi.relationPrecedence, commas last.
                for comma in commas:
                    self._words.edits.replace(comma, comma + 1, " CROSS JOIN")
                commas = []
            place = self._words.start
            viewed = self._source() or viewed
            if viewed:
                self._words.edits.unread_by_hive(
                    place,
                    "Hive allows no join next to a LATERAL VIEW; put the table with its LATERAL VIEW into a subquery. "
                    "If only Spark reads the view, write the SQL in dialect spark.",
                )
            # A comma is a join without a condition.
            if self._words.accept("ON") and joined_by != ",":
                self._expressions.expression()
            elif self._words.accept("USING"):
                self._words.expect("(")
                self._words.separated(self._words.name)
                self._words.expect(")")
        if viewed and in_brackets:
            self._words.edits.unread_by_spark(self._words.start, "parentheses around a table with a LATERAL VIEW")

    def _join(self) -> str:
        """The word that starts a join; empty if there is none."""
        joined_by = self._words.word
        if self._words.accept(",") or self._words.accept("JOIN"):
            return joined_by
        if self._words.word in ("INNER", "CROSS"):
            self._words.advance()
        elif self._words.word in ("LEFT", "RIGHT", "FULL"):
            side = self._words.word
            self._words.advance()
            self._words.accept_any("OUTER", *(["SEMI"] if side == "LEFT" else []))
        else:
            return ""
        self._words.expect("JOIN")
        return joined_by

    def _first_source(self) -> bool:
        """Read a source, and return whether it has a LATERAL VIEW."""
        if self._words.word == "(" and not self._is_derived_table():
            self._words.advance()
            self._from(in_brackets=True)
            self._words.expect(")")
            return False
        return self._source()

    def _source(self) -> bool:
        """As ``_first_source``, without brackets around joins."""
        if self._words.word == "(":
            self._derived_table()
        else:
            self._table()
        viewed = False
        while self._words.accept("LATERAL"):
            viewed = True
            self._words.expect("VIEW")
            self._words.accept("OUTER")
            self._expressions.function()
            self._words.name()
            if self._words.accept("AS"):
                self._words.separated(self._words.name)
        return viewed

    def _is_derived_table(self) -> bool:
        """Whether the bracket here encloses a query, rather than tables and joins."""
        if self._words.word_after(1) == "(":
            # Hive 2.3 looks ahead no further than over one SELECT in the inner brackets.
            return self._words.word_after_bracket(1) in _SET_OPERATORS and _AFTER_BRANCH.isdisjoint(
                self._words.words_inside(1)
            )
        return self._words.word_after(1) in ("SELECT", "WITH", "FROM")

    def _derived_table(self) -> None:
        self._words.expect("(")
        self.query()
        self._words.expect(")")
        self._words.accept("AS")
        if not self._words.is_name():
            raise self._words.unexpected(
                "a subquery in FROM needs exactly one pair of parentheses and an alias, and Hive 2.3 allows a first "
                "branch in parentheses only if it is one SELECT without a sort clause or LIMIT"
            )
        self._words.name()

    def _table(self) -> None:
        self._words.name()
        if self._words.accept("."):
            self._words.name()
        if self._words.accept("TABLESAMPLE"):
            self._words.expect("(")
            self._sample()
            self._words.expect(")")
        if self._words.accept("AS") or self._words.is_alias():
            if self._words.word in ("NATURAL", "ANTI", "SEMI") and self._words.word_after(1) == "JOIN":
                raise NotHiveError(
                    self._words.start,
                    f"Hive treats {self._words.text} as the alias of the table, and Spark as a kind of join; give the "
                    f"table an alias.",
                )
            self._words.name()

    def _sample(self) -> None:
        place = self._words.start
        if self._words.accept("BUCKET"):
            # Without ON, Spark samples any rows, and Hive those of a bucket.
            self._words.edits.unread_by_spark(place, "TABLESAMPLE by buckets")
            self._words.literal_number()
            self._words.expect("OUT")
            self._words.expect("OF")
            self._words.literal_number()
            if self._words.accept("ON"):
                self._words.separated(self._expressions.expression)
        elif self._words.text[-1:].upper() in ("B", "K", "M", "G") and self._words.text[:-1].isdigit():
            self._words.edits.unread_by_spark(place, "TABLESAMPLE by bytes")
            self._words.advance()
        else:
            self._words.literal_number()
            self._words.expect("PERCENT", "ROWS")
