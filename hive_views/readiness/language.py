"""Rules as texts: the language that Python, the command, files of publications and SQL share.

It is a part of Python: calls of the names below, values, and ``&``, ``|``, ``~``. A text is read as a syntax tree, and
nothing is evaluated. ``repr`` of a rule is its text.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from hive_views.errors import InvalidInputError, RuleSyntaxError
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.messages.excerpt import excerpt_at, place_of
from hive_views.readiness.conditions import (
    MAX_IN_RANGES,
    MAX_VALUES,
    Timestamp,
    ValuesOf,
    ViewColumn,
    column,
    timestamp,
    values_of,
)
from hive_views.readiness.rule_expressions import MAX_BITS, flaw_of, shown, without_comments
from hive_views.readiness.rules.amounts import has_at_least, quiet_for
from hive_views.readiness.rules.commits import committed_with, watermark_passed
from hive_views.readiness.rules.composition import Rule, all_of, any_of, negate, when
from hive_views.readiness.rules.marks import marked_done
from hive_views.readiness.rules.requirements import requires

_Made = TypeVar("_Made")

# As Python's parser ends lines.
_LINE_END = re.compile(r"\r\n?|\n")

_EXAMPLE = 'requires("web.clicks", ds=column("ds"), hr=range(24))'


def read_rule(text: str, *, imports: bool = True) -> Rule:
    """The rule that a Python expression makes, as in ``requires("web.clicks", ds=column("ds"), hr=range(24))``.

    Nothing is evaluated: the expression consists of the functions that make rules and their conditions, values (texts,
    numbers, ``True``, ``date(2026, 8, 1)``, ``datetime(...)``, ``Decimal("1.5")``), lists, ``range``, and ``&``, ``|``,
    ``~`` between rules. It may have several lines and comments.

    Args:
        text: the expression.
        imports: whether ``when("package.module:function")`` may import the function. False for texts of others.

    Raises:
        RuleSyntaxError: it cannot be read, has an unknown name (the nearest known one is named), or asks for what a
            rule does not take. The message shows the place; ``line``, ``column`` (from 1) and ``offset`` are fields.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"Cannot read {shown(text)} as a rule: give a string such as {_EXAMPLE}.")
    flaw = flaw_of(text)
    if flaw:
        raise _error(text, flaw.offset, flaw.problem)
    reader = _Reader(text, imports)
    try:
        return reader.rule_of(reader.tree())
    except (RecursionError, MemoryError):
        raise _error(text, 0, "it is nested too deeply; write several rules.") from None


def rule_text(rule: Rule) -> str:
    """The expression that ``read_rule`` reads as an equal rule. Nothing is imported to write it.

    Raises:
        InvalidInputError: there is none, because a function in ``when`` cannot be imported by its name, or it is too
            long.
    """
    if not isinstance(rule, Rule):
        raise InvalidInputError(f"Cannot write {shown(rule)} as a rule: it is not one.")
    text = repr(rule)
    try:
        # A function is written with a name only if it is found by it, so that its module is not imported again.
        is_exact = read_rule(text) == rule
    except RuleSyntaxError as error:
        raise InvalidInputError(f"This rule has no string form that can be read back. {error}") from error
    if not is_exact:
        raise InvalidInputError(f"This rule has no string form that makes an equal one: {text}")
    return text


def _range(*numbers: int) -> range:
    return _made(range, *numbers)


def _date(year: int, month: int, day: int) -> date:
    return _made(date, year, month, day)


def _datetime(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, microsecond: int = 0
) -> datetime:
    return _made(datetime, year, month, day, hour, minute, second, microsecond)


def _decimal(text: str) -> Decimal:
    return _made(Decimal, text)


def _made(type_: Callable[..., _Made], *arguments: object) -> _Made:
    try:
        return type_(*arguments)
    except (TypeError, ValueError, OverflowError, InvalidOperation) as error:
        given = ", ".join(map(shown, arguments))
        raise InvalidInputError(f"There is no {getattr(type_, '__name__', '')}({given}): {error}.") from error


_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    **{
        make.__name__: make
        for make in (
            *(requires, has_at_least, quiet_for, marked_done, committed_with, watermark_passed, when),
            *(all_of, any_of, negate, column, timestamp, values_of),
        )
    },
    "range": _range,
    "date": _date,
    "datetime": _datetime,
    "Decimal": _decimal,
}
_PARTS = ("date", "year", "month", "day", "hour")
# What may follow a value after a dot: without brackets, and with a pattern in them.
_PROPERTIES: Mapping[type, tuple[str, ...]] = {ViewColumn: _PARTS, Timestamp: ()}
_METHODS: Mapping[type, tuple[str, ...]] = {ViewColumn: ("parsed", "formatted"), Timestamp: ("formatted",)}
_KINDS: Mapping[type, str] = {
    ViewColumn: "a column of the view",
    Timestamp: "a date or time of the view",
    ValuesOf: "the values of a table",
    range: "a range",
    list: "a list",
    tuple: "a list",
    set: "a list",
    dict: "values by column",
    str: "a text",
}


class _Reader:
    """One text, and how each form of its syntax tree is read."""

    def __init__(self, text: str, imports: bool) -> None:
        self._text = text
        self._line_starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._imports = imports
        self._in_ranges = 0

    def tree(self) -> ast.expr:
        try:
            # In brackets, a line may end anywhere.
            return ast.parse(f"({self._text}\n)", mode="eval").body
        except SyntaxError as error:
            offset = self._offset(error.lineno or 1, (error.offset or 1) - 1)
            problem = f"{error.msg.rstrip('.?')}. A rule is a Python expression, as in {_EXAMPLE}."
            raise _error(self._text, offset, problem) from None
        except ValueError as error:  # a number with too many digits
            raise _error(self._text, 0, f"{error}.") from None

    def rule_of(self, node: ast.expr) -> Rule:
        """A part of the text that must be a rule."""
        value = self.value_of(node)
        if not isinstance(value, Rule):
            kind = _KINDS.get(type(value), "a value")
            raise self._refusal(node, f"this is {kind}, not a rule. A rule is made with a function, as in {_EXAMPLE}.")
        return value

    def value_of(self, node: ast.expr) -> object:
        """Any part of the text."""
        match node:
            case ast.Constant(value=int() as number) if number.bit_length() >= MAX_BITS:
                raise self._refusal(node, "this number has too many digits.")
            case ast.Constant(value=str() | bool() | int() | float() | None as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if (
                type(number) is not bool
            ):
                self.value_of(node.operand)  # refuses what has too many digits
                return -number
            case ast.UnaryOp(op=ast.Invert()):
                return negate(self.rule_of(node.operand))
            case ast.BinOp(op=ast.BitAnd()):
                return all_of(self.rule_of(node.left), self.rule_of(node.right))
            case ast.BinOp(op=ast.BitOr()):
                return any_of(self.rule_of(node.left), self.rule_of(node.right))
            case ast.List():
                return [self.value_of(one) for one in node.elts]
            case ast.Tuple():
                return tuple([self.value_of(one) for one in node.elts])
            case ast.Set():
                return self._set(node)
            case ast.Dict():
                return self._dict(node)
            case ast.Call(func=ast.Name() as named):
                return self._call(node, named)
            case ast.Call(func=ast.Attribute() as named):
                return self._method(node, named)
            case ast.Attribute():
                return self._property(node)
            case ast.BoolOp():
                raise self._refusal(self._operator(node), _problem_of(node))
            case _:
                raise self._refusal(node, _problem_of(node))

    def _set(self, node: ast.Set) -> object:
        values = [self.value_of(one) for one in node.elts]
        with self._at(node):
            return _made(set, values)

    def _dict(self, node: ast.Dict) -> dict[str, object]:
        values: dict[str, object] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            key = self.value_of(key_node) if key_node else None
            if not isinstance(key, str) or key in values:
                raise self._refusal(key_node or value_node, "a key must be a string, and occur once.")
            values[key] = self.value_of(value_node)
        return values

    def _call(self, node: ast.Call, named: ast.Name) -> object:
        name = named.id
        make = _FUNCTIONS.get(name)
        if make is None:
            raise self._refusal(named, f"there is no {name}(). {did_you_mean(name, _FUNCTIONS)}")
        if make is when and not self._imports:
            raise self._refusal(named, "when() imports a function, which is not allowed here.")
        positional, keywords = self._arguments(node)
        signature = inspect.signature(make)
        takes_columns = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
        known = [
            one.name
            for one in signature.parameters.values()
            if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ]
        for keyword in node.keywords:
            if keyword.arg not in known and not takes_columns:
                raise self._refusal(
                    keyword, f"{name}() takes no {keyword.arg}=. {did_you_mean(str(keyword.arg), known)}"
                )
        try:
            # A column may have the name of a positional parameter, which bind() of older Pythons refuses.
            signature.bind(*positional, **{one: keywords[one] for one in keywords if not takes_columns or one in known})
        except TypeError as error:
            raise self._misspelt(node, name, known) or self._refusal(node, f"{name}(): {error}.") from None
        with self._at(node):
            value = make(*positional, **keywords)
        if isinstance(value, range):
            self._count(node, value)
        return value

    def _count(self, node: ast.Call, values: range) -> None:
        """A range is short to write, and each of its values takes memory."""
        self._in_ranges += len(values[:MAX_VALUES])
        if self._in_ranges > MAX_IN_RANGES:
            raise self._refusal(node, f"the ranges of a rule have {MAX_IN_RANGES:,} values together at most.")

    def _misspelt(self, node: ast.Call, name: str, known: Sequence[str]) -> RuleSyntaxError | None:
        """What to say where a keyword was taken for a column, and another one is wanting."""
        given = [one.arg for one in node.keywords]
        for keyword in node.keywords:
            near = difflib.get_close_matches(keyword.arg or "", [one for one in known if one not in given], n=1)
            if keyword.arg not in known and near:
                return self._refusal(keyword, f"{name}() takes no {keyword.arg}=. Did you mean {near[0]!r}?")
        return None

    def _method(self, node: ast.Call, named: ast.Attribute) -> object:
        value = self.value_of(named.value)
        self._check_word(named, value, _METHODS)
        positional, keywords = self._arguments(node)
        if len(positional) != 1 or keywords:
            raise self._refusal(
                self._word(named), f".{named.attr}() takes one pattern, as in .{named.attr}('yyyyMMdd')."
            )
        with self._at(node.args[0]):
            return getattr(value, named.attr)(*positional)

    def _property(self, node: ast.Attribute) -> object:
        value = self.value_of(node.value)
        self._check_word(node, value, _PROPERTIES)
        return getattr(value, node.attr)

    def _check_word(self, node: ast.Attribute, value: object, words: Mapping[type, tuple[str, ...]]) -> None:
        if node.attr in words.get(type(value), ()):
            return
        known = (*_PROPERTIES.get(type(value), ()), *_METHODS.get(type(value), ()))
        at = self._word(node)
        if node.attr in known:
            form = f".{node.attr}('yyyyMMdd')" if node.attr not in _PARTS else f".{node.attr}, without brackets"
            raise self._refusal(at, f"it is written {form}.")
        if not known:
            kind = _KINDS.get(type(value), "a rule" if isinstance(value, Rule) else "a value")
            raise self._refusal(
                at, f".{node.attr} follows a column of the view, as in column('ds').year; this is {kind}."
            )
        raise self._refusal(at, f"there is no .{node.attr}. {did_you_mean(node.attr, known)}")

    def _arguments(self, node: ast.Call) -> tuple[list[object], dict[str, object]]:
        keywords: dict[str, object] = {}
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in keywords:
                problem = "is given twice" if keyword.arg else "is not read from **; write each argument out"
                raise self._refusal(keyword, f"{keyword.arg or 'it'} {problem}.")
            keywords[keyword.arg] = self.value_of(keyword.value)
        return [self.value_of(one) for one in node.args], keywords

    @contextmanager
    def _at(self, node: ast.expr) -> Iterator[None]:
        """What a function refuses is refused at its call, or at the keyword that it is about."""
        try:
            yield
        except InvalidInputError as error:
            about = {name.lower() for name in error.columns}
            keywords = node.keywords if isinstance(node, ast.Call) else []
            place = next((one for one in keywords if one.arg and one.arg.lower() in about), node)
            raise _error(self._text, self._offset_of(place), str(error)) from error
        except (ValueError, ArithmeticError) as error:  # Python's own, of a number that it cannot compute with
            raise self._refusal(node, f"{error}.") from error

    def _refusal(self, node: ast.expr | ast.keyword | int, problem: str) -> RuleSyntaxError:
        return _error(self._text, node if isinstance(node, int) else self._offset_of(node), problem)

    def _word(self, node: ast.Attribute) -> int:
        """The offset of the word after the last dot, which Python's parser may spell differently (NFKC)."""
        end = self._offset_in_utf8(node.end_lineno or node.lineno, node.end_col_offset or 0)
        word = re.search(r"\w+\Z", self._text[:end])
        return word.start() if word else end

    def _operator(self, node: ast.BoolOp) -> int:
        """The offset of the first ``and`` or ``or`` between the values."""
        left = node.values[0]
        end = self._offset_in_utf8(left.end_lineno or left.lineno, left.end_col_offset or 0)
        between = without_comments(self._text[end : self._offset_of(node.values[1])])
        word = re.search(r"\b(?:and|or)\b", between)
        return end + (word.start() if word else 0)

    def _offset_of(self, node: ast.expr | ast.keyword) -> int:
        return self._offset_in_utf8(node.lineno, node.col_offset)

    def _offset_in_utf8(self, line: int, column: int) -> int:
        """The offset of a place as Python counts it, in bytes of UTF-8, our own bracket in the first line included."""
        start = self._line_starts[min(line, len(self._line_starts)) - 1]
        # No character takes more bytes than there are.
        before = (("(" if line == 1 else "") + self._text[start : start + column]).encode()[:column]
        return self._offset(line, len(before.decode(errors="ignore")))

    def _offset(self, line: int, column: int) -> int:
        """The offset of a place, both counted as in the text with our own bracket: lines from 1, columns from 0."""
        start = self._line_starts[line - 1] if line <= len(self._line_starts) else len(self._text)
        return min(max(start + column - (line == 1), 0), len(self._text))


def _problem_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) if name in _FUNCTIONS:
            return f"{name} is a function; write {name}(...)."
        case ast.Name(id=name):
            return (
                f"{name} stands alone. Write column({name!r}) for a column of the view, and quote a string: {name!r}."
            )
        case ast.BoolOp(op=ast.And()):
            return "rules are joined by &, or by all_of(...)."
        case ast.BoolOp(op=ast.Or()):
            return "rules are joined by |, or by any_of(...)."
        case ast.UnaryOp(op=ast.Not()):
            return "the negation of a rule is ~, or negate(...)."
        case ast.Lambda():
            return "a function is given by its name, as in when('package.module:function')."
        case _:
            return f"this cannot be part of a rule. A rule is made with functions and values, as in {_EXAMPLE}."


def _error(text: str, offset: int, problem: str) -> RuleSyntaxError:
    line, column_ = place_of(text, offset)
    return RuleSyntaxError(
        f"Cannot read the rule at line {line}, column {column_}: {problem}\n{excerpt_at(text, line, column_)}",
        line=line,
        column=column_,
        offset=offset,
        problem=problem,
    )
