"""Expressions of the grammar that Hive 2.3.10 and Hive 4.0.1 share (IdentifiersParser.g of both).

Operators by Hive's precedence, and where Spark's (SqlBaseParser.g4) differs.

``||`` is below ``+`` in Hive and beside it in Spark; ``^`` is above ``*`` in Hive and below ``&`` in Spark; LIKE, IN
and BETWEEN are above ``=`` in Hive and below it in Spark. Parentheses make all of them read what Hive reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from hive_views.sql.hive_grammar.windows import Windows
from hive_views.sql.hive_grammar.words import PLAIN_NUMBER, NotHiveError, Words

_OR, _AND, _NOT, _IS, _EQUAL, _SIMILAR, _BITS, _AMPERSAND, _CONCAT, _PLUS, _STAR, _XOR, _UNARY, _ATOM = range(14)
_BINARY = {
    **dict.fromkeys(("=", "==", "<=>", "<>", "!="), _EQUAL),
    **dict.fromkeys(("<", "<=", ">", ">=", "LIKE", "RLIKE", "REGEXP"), _SIMILAR),
    **dict.fromkeys(("+", "-"), _PLUS),
    **dict.fromkeys(("*", "/", "%", "DIV"), _STAR),
    "OR": _OR,
    "AND": _AND,
    "|": _BITS,
    "&": _AMPERSAND,
    "||": _CONCAT,
    "^": _XOR,
}
_COMPARISONS = ("<", "<=", ">", ">=")
_PREDICATES = ("IN", "BETWEEN", "LIKE", "RLIKE", "REGEXP")
_UNITS = frozenset(
    [f"{unit}{plural}" for unit in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND") for plural in ("", "S")]
)
_FLOORS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_FUNCTION_WORDS = frozenset(
    [
        *("ARRAY", "BIGINT", "BINARY", "BOOLEAN", "DATE", "DOUBLE", "FLOAT", "GROUPING", "IF", "INT", "INTEGER", "MAP"),
        *("REAL", "SMALLINT", "TIMESTAMP", "CURRENT_DATE", "CURRENT_TIMESTAMP"),
    ]
)
_TYPES = frozenset(
    [
        *("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "BOOLEAN", "FLOAT", "STRING", "BINARY"),
        *("DATE", "TIMESTAMP"),
    ]
)
_NUMBER_SUFFIXES = "0123456789.DLSY"

_AFTER_QUERIES = frozenset(
    [")", "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT"]
)


class Part(NamedTuple):
    """An expression, by its outermost operator; ``is_predicate``: Spark allows no operator after it."""

    level: int
    start: int
    end: int
    is_predicate: bool = False


class Expressions:
    """The reader of expressions.

    Args:
        words: the position of all readers of the text.
        query_in_brackets: reads the query of a subquery, between its brackets.
    """

    def __init__(self, words: Words, query_in_brackets: Callable[[], None]) -> None:
        self._words = words
        self._query_in_brackets = query_in_brackets
        self.windows = Windows(words, expression=self.expression, bracket=self.bracket, is_subquery=self.is_subquery)

    def expression(self, floor: int = _OR) -> Part:
        """The longest expression from here on whose operators bind at least as tightly as the floor."""
        start = self._words.start
        if self._words.word in ("NOT", "!"):
            if floor > _NOT:
                raise self._words.unexpected("put parentheses around NOT and its operand")
            self._words.advance()
            operand = self.expression(_NOT)
            if operand.level == _NOT:
                # Hive's parser makes NOT of two in a row an operand of the other.
                self._enclosed(operand)
            left = Part(_NOT, start, operand.end)
        elif floor <= _SIMILAR and self._words.accept("EXISTS"):
            self._subquery()
            left = Part(_SIMILAR, start, self._words.end_before, is_predicate=True)
        else:
            left = self._unary()
        while True:
            word = self._words.word
            if word == "IS" and floor <= _IS <= left.level:
                left = self._is(left)
                continue
            negated = word in ("NOT", "!") and self._words.word_after(1) in _PREDICATES
            operator = self._words.word_after(1) if negated else word
            level = _SIMILAR if operator in _PREDICATES else _BINARY.get(operator, -1)
            if left.level == _IS and level > _IS >= floor:
                # Hive 2.3 continues after IS NULL, where Hive 4.0 and Spark do not.
                left = self._enclosed(left)
            if level < floor or level > left.level or (level == _SIMILAR == left.level):
                return left
            self._words.advance(1 + negated)
            left = self._predicate(operator, left) if level == _SIMILAR else self._binary(level, left)

    def _binary(self, level: int, left: Part) -> Part:
        right = self.expression(level + 1)
        for part in (left, right):
            if (
                (level == _CONCAT and part.level == _PLUS)
                or (_AMPERSAND <= level <= _STAR and part.level == _XOR)
                or (level == _EQUAL and part.level == _SIMILAR and (part is right or part.is_predicate))
            ):
                self._enclosed(part)
        return Part(level, left.start, right.end)

    def _predicate(self, operator: str, left: Part) -> Part:
        if operator == "IN":
            self._in()
        elif operator == "BETWEEN":
            self.expression(_BITS)
            self._words.expect("AND")
            self.expression(_BITS)
        elif operator == "LIKE" and self._words.accept("ANY"):
            self._words.edits.unread_by_hive(self._words.end_before - 3, "Hive 2.3 has no LIKE ANY; use LIKE and OR.")
            self.bracket()
        else:
            self.expression(_BITS)
        return Part(_SIMILAR, left.start, self._words.end_before, is_predicate=operator not in _COMPARISONS)

    def _in(self) -> None:
        if self.is_subquery():
            self._subquery()
        else:
            self.bracket()

    def _is(self, left: Part) -> Part:
        place = self._words.start
        self._words.advance()
        negated = self._words.accept("NOT") or self._words.accept("!")
        if not self._words.accept("NULL"):
            return self._is_other(left, place, negated)
        if left.level in (_IS, _EQUAL, _SIMILAR, _CONCAT):
            raise NotHiveError(
                place,
                "Hive 2.3 applies IS NULL to the last operand only, and Hive 4 and Spark apply it to everything before "
                "it; put parentheses around what it applies to.",
                "(",
            )
        if left.level < _UNARY:
            # In Hive 2.3 it would be about the last operand only, whose truth cannot be calculated with.
            self._enclosed(left)
        return Part(_IS, left.start, self._words.end_before)

    def _is_other(self, left: Part, place: int, negated: bool) -> Part:
        """IS TRUE, IS FALSE and IS DISTINCT FROM, which Hive 2.3 does not have, by ``<=>``."""
        if self._words.word in ("TRUE", "FALSE"):
            truth = self._words.text
            self._words.advance()
            self._words.edits.replace(place, self._words.end_before, f"<=> {truth}")
        elif self._words.word == "DISTINCT" and self._words.word_after(1) == "FROM":
            self._words.advance(2)
            self._words.edits.replace(place, self._words.end_before, "<=>")
            right = self.expression(_SIMILAR)
            if right.level < _BITS:
                self._enclosed(right)
            negated = not negated
        else:
            raise self._words.unexpected(expected="NULL")
        if left.level < _BITS:
            self._enclosed(left)
        if not negated:
            return Part(_EQUAL, left.start, self._words.end_before)
        self._words.edits.enclose(left.start, self._words.end_before, "(NOT ")
        return Part(_ATOM, left.start, self._words.end_before)

    def _unary(self) -> Part:
        start = self._words.start
        signs = []
        while self._words.word in ("+", "-", "~"):
            signs.append(self._words.start)
            self._words.advance()
        self._atom()
        while True:
            if self._words.accept("["):
                if (index := self.expression()).level <= _IS or index.is_predicate:
                    self._enclosed(index)
                self._words.expect("]")
            elif self._words.word == "." and self._words.is_name(1):
                self._words.advance(2)
            else:
                break
        # As with NOT.
        for sign in reversed(signs[1:]):
            self._words.edits.enclose(sign, self._words.end_before)
        return Part(_UNARY if signs else _ATOM, start, self._words.end_before)

    def _enclosed(self, part: Part) -> Part:
        self._words.edits.enclose(part.start, part.end)
        return Part(_ATOM, part.start, part.end)

    def _atom(self) -> None:
        word = self._words.word
        if self.is_subquery():
            self._subquery()
        elif word == "(":
            opening, is_value = self._words.start, self._words.is_value_in_brackets()
            self.bracket()
            closing = self._words.end_before - 1
            if is_value and self._unit():
                # ``(1) day`` is an interval to Hive, and to Spark a number with the alias DAY.
                self._words.edits.replace(opening, opening + 1, "INTERVAL ")
                self._words.edits.replace(closing, closing + 1, "")
        elif self._words.kind == "string":
            while self._words.after(1).kind == "string":
                self._words.advance()
            self._literal_or_interval()
        elif self._words.kind == "number":
            self._number()
        elif (
            word == "."
            and self._words.after(1).kind == "number"
            and self._words.after(1).start == self._words.start + 1
        ):
            # Hive wants a digit before the point.
            self._words.edits.replace(self._words.start, self._words.start + 1, "0.")
            self._words.advance()
            self._number()
        elif word in ("TRUE", "FALSE", "NULL") or (
            word in ("CURRENT_DATE", "CURRENT_TIMESTAMP") and self._words.word_after(1) != "("
        ):
            self._words.advance()
        elif word in ("DATE", "TIMESTAMP") and self._words.after(1).kind == "string":
            self._words.advance(2)
        elif word in self._special:
            self._words.advance()
            self._special[word](self)
        elif word.startswith("_") and self._words.after(1).text[:2].lower() == "0x":
            self._words.edits.unread_by_spark(self._words.start, "a literal with a character set")
            self._words.advance(2)
        elif self._is_function():
            self.function()
        else:
            self._words.name()

    def _number(self) -> None:
        text = self._words.text.upper()
        if text.startswith("0X") or text[-1] not in _NUMBER_SUFFIXES:
            raise self._words.unexpected()
        if PLAIN_NUMBER.issuperset(text):
            self._literal_or_interval()
        else:
            self._words.advance()

    def _literal_or_interval(self) -> None:
        """``1 day`` is an interval in Hive; in Spark, DAY would be an alias without the word INTERVAL."""
        start = self._words.start
        self._words.advance()
        if self._unit():
            self._words.edits.enclose(start, start, "INTERVAL ", "")

    def _unit(self) -> bool:
        """YEAR and the like, which make an interval of the literal before them."""
        if self._words.word not in _UNITS:
            return False
        both = {"YEAR": "MONTH", "DAY": "SECOND"}.get(self._words.word)
        self._words.advance()
        if both and self._words.accept("TO"):
            self._words.expect(both)
        return True

    def bracket(self) -> None:
        """Expressions in brackets; a loop of its own, because brackets nest deepest."""
        self._words.expect("(")
        self.expression()
        while self._words.accept(","):
            self.expression()
        self._words.expect(")")

    def is_subquery(self) -> bool:
        """Whether the bracket here encloses a query, rather than an expression that starts with one."""
        distance = 0
        while self._words.word_after(distance) == "(":
            if distance and self._words.word_after_bracket(distance) not in _AFTER_QUERIES:
                return False
            distance += 1
        return distance > 0 and self._words.word_after(distance) == "SELECT"

    def _subquery(self) -> None:
        self._words.expect("(")
        self._query_in_brackets()
        self._words.expect(")")

    def _is_function(self) -> bool:
        if self._words.word_after(1) == "(":
            return self._words.is_name() or self._words.word in _FUNCTION_WORDS
        return (
            self._words.is_name()
            and self._words.word_after(1) == "."
            and self._words.is_name(2)
            and self._words.word_after(3) == "("
        )

    def function(self) -> None:
        if not self._is_function():
            raise self._words.unexpected(expected="a function")
        self._words.advance(4 if self._words.word_after(1) == "." else 2)
        if not self._words.accept(")"):
            if not self._words.accept("*"):
                more = not (self._words.accept("DISTINCT") or self._words.accept("ALL")) or self._words.word != ")"
                while more:
                    if self.is_star():
                        self.star()
                    else:
                        self.expression()
                    more = self._words.accept(",")
            self._words.expect(")")
        if self._words.accept("OVER"):
            self.windows.window()

    def is_star(self) -> bool:
        distance = 0
        while distance < 4 and self._words.is_name(distance) and self._words.word_after(distance + 1) == ".":
            distance += 2
        return self._words.word_after(distance) == "*"

    def star(self) -> None:
        while not self._words.accept("*"):
            self._words.advance()

    def _cast(self) -> None:
        self._words.expect("(")
        self.expression()
        self._words.expect("AS")
        self._type()
        self._words.expect(")")

    def _type(self) -> None:
        if self._words.accept("DOUBLE"):
            end = self._words.end_before
            if self._words.accept("PRECISION"):
                self._words.edits.replace(end, self._words.end_before, "")
        elif self._words.word in ("CHAR", "VARCHAR"):
            self._words.advance()
            self._words.expect("(")
            self._words.literal_number()
            self._words.expect(")")
        elif self._words.accept("DECIMAL"):
            if self._words.accept("("):
                self._words.separated(self._words.literal_number)
                self._words.expect(")")
        elif self._words.word in _TYPES:
            self._words.advance()
        else:
            raise self._words.unexpected(expected="a type")

    def _case(self) -> None:
        if self._words.word != "WHEN":
            self.expression()
        self._words.expect("WHEN")
        while True:
            self.expression()
            self._words.expect("THEN")
            self.expression()
            if not self._words.accept("WHEN"):
                break
        if self._words.accept("ELSE"):
            self.expression()
        self._words.expect("END")

    def _extract(self) -> None:
        self._words.expect("(")
        if self._words.word not in (*_FLOORS, "DAYOFWEEK"):
            raise self._words.unexpected(expected="YEAR")
        self._words.advance()
        self._words.expect("FROM")
        self.expression()
        self._words.expect(")")

    def _floor(self) -> None:
        self._words.expect("(")
        self.expression()
        if self._words.accept("TO"):
            if self._words.word not in _FLOORS:
                raise self._words.unexpected(expected="YEAR")
            self._words.edits.unread_by_spark(self._words.start, "FLOOR with a unit")
            self._words.advance()
        self._words.expect(")")

    def _interval(self) -> None:
        if self._words.word == "(":
            opening, is_value = self._words.start, self._words.is_value_in_brackets()
            self._words.advance()
            self.expression()
            self._words.expect(")")
            if is_value:
                self._words.drop_bracket(opening)
                self._words.drop_bracket()
            else:
                self._words.edits.unread_by_spark(opening, "INTERVAL with an expression")
        elif self._words.kind == "string":
            self._words.advance()
        else:
            self._words.literal_number()
        if not self._unit():
            raise self._words.unexpected(expected="YEAR")

    _special: ClassVar[dict[str, Callable[[Expressions], None]]] = {
        "CAST": _cast,
        "CASE": _case,
        "EXTRACT": _extract,
        "FLOOR": _floor,
        "INTERVAL": _interval,
    }
