"""Expressions of the grammar that Hive 2.3.10 and Hive 4.0.1 share (IdentifiersParser.g of both).

What lives here: operators by Hive's precedence, where Spark's (SqlBaseParser.g4) differs, functions. What must not:
windows (_hive_windows.py), clauses of a query (_hive_grammar.py).

``||`` is below ``+`` in Hive and beside it in Spark; ``^`` is above ``*`` in Hive and below ``&`` in Spark; LIKE, IN
and BETWEEN are above ``=`` in Hive and below it in Spark. Brackets make all of them read what Hive reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from hive_views.sql._hive_windows import Windows
from hive_views.sql._hive_words import NotHiveError

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
        *("DATE", "DATETIME", "TIMESTAMP"),
    ]
)
_PLAIN_NUMBER = frozenset("0123456789.E+-")
_NUMBER_SUFFIXES = "0123456789.DLSY"

_BEHIND_QUERIES = frozenset(
    [")", "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT"]
)


class Part(NamedTuple):
    """An expression, by its outermost operator; ``is_predicate`` says that Spark takes no operator behind it."""

    level: int
    start: int
    end: int
    is_predicate: bool = False


class Expressions(Windows):
    """The reader of expressions."""

    def select_statement(self) -> None:
        """A query in brackets; that of _hive_grammar.py."""
        raise NotImplementedError

    def expression(self, floor: int = _OR) -> Part:
        """The longest expression from here on whose operators bind at least as tightly as the floor."""
        start = self.start
        if self.word in ("NOT", "!"):
            if floor > _NOT:
                raise self.unexpected("write brackets around NOT and what follows it")
            self.advance()
            operand = self.expression(_NOT)
            if operand.level == _NOT:
                # Hive's parser makes NOT of two in a row an operand of the other.
                self._enclosed(operand)
            left = Part(_NOT, start, operand.end)
        elif floor <= _SIMILAR and self.takes("EXISTS"):
            self._subquery()
            left = Part(_SIMILAR, start, self.end_before, is_predicate=True)
        else:
            left = self._unary()
        while True:
            word = self.word
            if word == "IS" and floor <= _IS <= left.level:
                left = self._is(left)
                continue
            negated = word in ("NOT", "!") and self.word_after(1) in _PREDICATES
            operator = self.word_after(1) if negated else word
            level = _SIMILAR if operator in _PREDICATES else _BINARY.get(operator, -1)
            if left.level == _IS and level > _IS >= floor:
                # Hive 2.3 goes on behind IS NULL, where Hive 4.0 and Spark do not.
                left = self._enclosed(left)
            if level < floor or level > left.level or (level == _SIMILAR == left.level):
                return left
            self.advance(1 + negated)
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
            self.expect("AND")
            self.expression(_BITS)
        elif operator == "LIKE" and self.word == "ANY":
            self.advance()
            self.bracket()
        else:
            self.expression(_BITS)
        return Part(_SIMILAR, left.start, self.end_before, is_predicate=operator not in _COMPARISONS)

    def _in(self) -> None:
        if self.is_subquery():
            self._subquery()
        else:
            self.bracket()

    def _is(self, left: Part) -> Part:
        place = self.start
        self.advance()
        negated = self.takes("NOT") or self.takes("!")
        if not self.takes("NULL"):
            return self._is_other(left, place, negated)
        if left.level in (_IS, _EQUAL, _SIMILAR, _CONCAT):
            raise NotHiveError(
                place,
                "Hive 2.3 takes IS NULL for a part of the last operand, and Hive 4 and Spark for one of all that "
                "stands before it; write brackets around what it is about.",
                "(",
            )
        if left.level < _UNARY:
            # In Hive 2.3 it would be about the last operand only, whose truth cannot be calculated with.
            self._enclosed(left)
        return Part(_IS, left.start, self.end_before)

    def _is_other(self, left: Part, place: int, negated: bool) -> Part:
        """IS TRUE, IS FALSE and IS DISTINCT FROM, which Hive 2.3 does not have, by ``<=>``."""
        if self.word in ("TRUE", "FALSE"):
            truth = self.text
            self.advance()
            self.edits.replace(place, self.end_before, f"<=> {truth}")
        elif self.word == "DISTINCT" and self.word_after(1) == "FROM":
            self.advance(2)
            self.edits.replace(place, self.end_before, "<=>")
            right = self.expression(_SIMILAR)
            if right.level < _BITS:
                self._enclosed(right)
            negated = not negated
        else:
            raise self.unexpected(expected="NULL")
        if left.level < _BITS:
            self._enclosed(left)
        if not negated:
            return Part(_EQUAL, left.start, self.end_before)
        self.edits.enclose(left.start, self.end_before, "(NOT ")
        return Part(_ATOM, left.start, self.end_before)

    def _unary(self) -> Part:
        start = self.start
        signs = []
        while self.word in ("+", "-", "~"):
            signs.append(self.start)
            self.advance()
        self._atom()
        while True:
            if self.takes("["):
                self.expression()
                self.expect("]")
            elif self.word == "." and self.is_name(1):
                self.advance(2)
            else:
                break
        # As with NOT.
        for sign in reversed(signs[1:]):
            self.edits.enclose(sign, self.end_before)
        return Part(_UNARY if signs else _ATOM, start, self.end_before)

    def _enclosed(self, part: Part) -> Part:
        self.edits.enclose(part.start, part.end)
        return Part(_ATOM, part.start, part.end)

    def _atom(self) -> None:
        word = self.word
        if self.is_subquery():
            self._subquery()
        elif word == "(":
            is_literal = self.after(1).kind in ("string", "number") and self.word_after(2) == ")"
            self.bracket()
            if is_literal and self.word in _UNITS:
                problem = (
                    f"Hive makes an interval of it, and Spark takes {self.text} for an alias; write INTERVAL or AS."
                )
                raise NotHiveError(self.start, problem)
        elif self.kind == "string":
            while self.after(1).kind == "string":
                self.advance()
            self._literal_or_interval()
        elif self.kind == "number":
            self._number()
        elif word == "." and self.after(1).kind == "number" and self.after(1).start == self.start + 1:
            # Hive wants a digit before the point.
            self.edits.replace(self.start, self.start + 1, "0.")
            self.advance()
            self._number()
        elif word in ("TRUE", "FALSE", "NULL") or (
            word in ("CURRENT_DATE", "CURRENT_TIMESTAMP") and self.word_after(1) != "("
        ):
            self.advance()
        elif word in ("DATE", "TIMESTAMP") and self.after(1).kind == "string":
            self.advance(2)
        elif word in self._special:
            self.advance()
            self._special[word](self)
        elif word.startswith("_") and self.after(1).text[:2].lower() == "0x":
            self.advance(2)
        elif self._is_function():
            self.function()
        else:
            self.name()

    def _number(self) -> None:
        text = self.text.upper()
        if text.startswith("0X") or text[-1] not in _NUMBER_SUFFIXES:
            raise self.unexpected()
        if _PLAIN_NUMBER.issuperset(text):
            self._literal_or_interval()
        else:
            self.advance()

    def _literal_or_interval(self) -> None:
        """To Hive, ``1 day`` is an interval, which Spark reads only behind the word INTERVAL; else DAY is an alias."""
        start = self.start
        self.advance()
        if self._unit():
            self.edits.enclose(start, start, "INTERVAL ", "")

    def _unit(self) -> bool:
        """YEAR and the like, which make an interval of the literal before them."""
        if self.word not in _UNITS:
            return False
        both = {"YEAR": "MONTH", "DAY": "SECOND"}.get(self.word)
        self.advance()
        if both and self.takes("TO"):
            self.expect(both)
        return True

    def bracket(self) -> None:
        """Expressions in brackets; a loop of its own, because brackets nest deepest."""
        self.expect("(")
        self.expression()
        while self.takes(","):
            self.expression()
        self.expect(")")

    def is_subquery(self) -> bool:
        """Whether the bracket here is one around a query, and not one around an expression that starts with one."""
        distance = 0
        while self.word_after(distance) == "(":
            if distance and self.word_behind(distance) not in _BEHIND_QUERIES:
                return False
            distance += 1
        return distance > 0 and self.word_after(distance) == "SELECT"

    def _subquery(self) -> None:
        self.expect("(")
        self.select_statement()
        self.expect(")")

    def _is_function(self) -> bool:
        if self.word_after(1) == "(":
            return self.is_name() or self.word in _FUNCTION_WORDS
        return self.is_name() and self.word_after(1) == "." and self.is_name(2) and self.word_after(3) == "("

    def function(self) -> None:
        if not self._is_function():
            raise self.unexpected(expected="a function")
        self.advance(4 if self.word_after(1) == "." else 2)
        if not self.takes(")"):
            if not self.takes("*"):
                more = not (self.takes("DISTINCT") or self.takes("ALL")) or self.word != ")"
                while more:
                    if self.is_star():
                        self.star()
                    else:
                        self.expression()
                    more = self.takes(",")
            self.expect(")")
        if self.takes("OVER"):
            self.window()

    def is_star(self) -> bool:
        distance = 0
        while distance < 4 and self.is_name(distance) and self.word_after(distance + 1) == ".":
            distance += 2
        return self.word_after(distance) == "*"

    def star(self) -> None:
        while not self.takes("*"):
            self.advance()

    def _cast(self) -> None:
        self.expect("(")
        self.expression()
        self.expect("AS")
        self._type()
        self.expect(")")

    def _type(self) -> None:
        if self.takes("DOUBLE"):
            self.takes("PRECISION")
        elif self.word in ("CHAR", "VARCHAR"):
            self.advance()
            self.expect("(")
            self.literal_number()
            self.expect(")")
        elif self.takes("DECIMAL"):
            if self.takes("("):
                self.separated(self.literal_number)
                self.expect(")")
        elif self.word in _TYPES:
            self.advance()
        else:
            raise self.unexpected(expected="a type")

    def _case(self) -> None:
        if self.word != "WHEN":
            self.expression()
        self.expect("WHEN")
        while True:
            self.expression()
            self.expect("THEN")
            self.expression()
            if not self.takes("WHEN"):
                break
        if self.takes("ELSE"):
            self.expression()
        self.expect("END")

    def _extract(self) -> None:
        self.expect("(")
        if self.word not in (*_FLOORS, "DAYOFWEEK"):
            raise self.unexpected(expected="YEAR")
        self.advance()
        self.expect("FROM")
        self.expression()
        self.expect(")")

    def _floor(self) -> None:
        self.expect("(")
        self.expression()
        if self.takes("TO"):
            if self.word not in _FLOORS:
                raise self.unexpected(expected="YEAR")
            self.advance()
        self.expect(")")

    def _interval(self) -> None:
        if self.word == "(":
            self.advance()
            self.expression()
            self.expect(")")
        elif self.kind == "string":
            self.advance()
        else:
            self.literal_number()
        if not self._unit():
            raise self.unexpected(expected="YEAR")

    _special: ClassVar[dict[str, Callable[[Expressions], None]]] = {
        "CAST": _cast,
        "CASE": _case,
        "EXTRACT": _extract,
        "FLOOR": _floor,
        "INTERVAL": _interval,
    }
