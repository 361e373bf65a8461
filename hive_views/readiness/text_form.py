"""Requirements and partitions as one line of text, for the command and for files of publications.

What lives here: reading them. What must not: any rule about what a value means; that is found out when tables are read.

    web.clicks ds=ds hr=00..23 region=[eu,us] city='New York'
    web.clicks day=ds.formatted(yyyyMMdd) region=values_of(web.regions,region)
    web.clicks year=dt.parsed(yyyyMMdd).year
    web.clicks ts_hour=timestamp(ds,hour=hr).formatted(yyyy-MM-dd-HH) format=iceberg
    web.clicks ds=ds hr=0..23 known_empty=[ds=2013-01-01,hr=0; ds=2013-02-21,hr=0]
    web.files `format`=[csv]
    ds=2026-08-21,hr=7
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hive_views.errors import InvalidInputError
from hive_views.hive.partition_names import unescape
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.readiness.conditions import Timestamp, ViewColumn
from hive_views.readiness.matching.patterns import PARTS
from hive_views.readiness.rules import Rule, column, requires, timestamp, values_of

MAX_RANGE = 10_000

_IN_PARENTHESES = r"\((?:[^()]|\([^()]*\))*\)"
_CONDITION = re.compile(rf"\s*(`[^`]+`|\w+)=(\[(?:'[^']*'|[^\]'])*\]|'[^']*'|(?:{_IN_PARENTHESES}|\([^)]*\)|\S)+)")
_VALUE = re.compile(r"\s*('[^']*')\s*(?:,|$)|([^,]+)(?:,|$)")
_COLUMN = re.compile(r"([A-Za-z_]\w*)((?:\.[a-z]+(?:\([^)]*\))?)*)")
_MOMENT = re.compile(rf"timestamp({_IN_PARENTHESES})((?:\.[a-z]+(?:\([^)]*\))?)*)")
_BETWEEN_ARGUMENTS = re.compile(r",(?![^\[(]*[\])])")
_PART = re.compile(r"\s*(?:(\w+)=)?([^\s=][^=]*?)\s*")
_FUNCTION = re.compile(r"(\w+)\(.*", re.DOTALL)
_WORD = re.compile(r"\.([a-z]+)(?:\(([^)]*)\))?")
_PATTERNS = ("parsed", "formatted")
_PARTS = ("year", "month", "day", "hour", "date")
_VALUES_OF = re.compile(r"values_of\(\s*([^\s,]+)\s*,\s*(\w+)\s*\)")
_RANGE = re.compile(r"(\d{1,19})\.\.(\d{1,19})", re.ASCII)


@dataclass(frozen=True)
class Described:
    """A table as a requirement describes it.

    Attributes:
        columns: its partition columns, with what ``requires`` takes for them.
        options: other arguments of ``requires``, by name.
    """

    table: str
    columns: dict[str, object] = field(default_factory=dict)
    options: dict[str, object] = field(default_factory=dict)


def read_requirement(text: str) -> Rule:
    """The rule for a table and, for its partition columns, a partition column of the view, a range, or values.

    A column of the view may be followed by the words of ``column()``, such as ``.formatted(yyyyMMdd)`` or ``.year``;
    ``timestamp(...)``, ``values_of(...)``, ``known_empty=`` and ``format=`` are those of Python.

    Raises:
        InvalidInputError: it is not written so.
    """
    described = read_described(text)
    return requires(described.table, described.columns, **described.options)  # type: ignore[arg-type]  # as their readers say


def read_described(text: str) -> Described:
    """The table, and what is asked of it.

    Raises:
        InvalidInputError: it is not written so.
    """
    table, _, rest = text.strip().partition(" ")
    described = Described(table)
    position = 0
    while rest[position:].strip():
        found = _CONDITION.match(rest, position)
        if not found:
            raise InvalidInputError(
                f"cannot read {rest[position:].strip()!r} in {text.strip()!r}; a requirement is a table and its "
                f"partition columns, as in 'web.clicks ds=ds hr=00..23 region=[eu,us]'."
            )
        name, value = found[1].strip("`"), found[2]
        is_option = found[1] in _OPTIONS
        given = described.options if is_option else described.columns
        if name in given:
            way_out = "say it once" if is_option else "write [a,b] for two values"
            raise InvalidInputError(f"{text.strip()!r} has two conditions for {name!r}; {way_out}.")
        given[name] = _OPTIONS[name](value) if is_option else _condition(value)
        position = found.end()
    return described


def read_partition(text: str) -> dict[str, str]:
    """The values of ``ds=2026-08-21,hr=7``, or of a partition's name as Hive writes it (``ds=2026-08-21/hr=7``).

    In values, a comma, slash or percent sign is written %2C, %2F, %25.

    Raises:
        InvalidInputError: a part is not written so, or names a column for the second time.
    """
    values: dict[str, str] = {}
    for part in re.split("[,/]", text):
        key, separator, value = part.strip().partition("=")
        if not separator or not key:
            raise InvalidInputError(f"{part.strip()!r} is not COLUMN=VALUE[,COLUMN=VALUE...].")
        name = unescape(key)
        if name in values:
            raise InvalidInputError(f"{text!r} has two values for {name!r}.")
        values[name] = unescape(value)
    return values


def _condition(text: str) -> object:
    if text[0] in "['":
        inside = text if text[0] == "'" else text[1:-1]
        return [quoted[1:-1] if quoted else plain.strip() for quoted, plain in _VALUE.findall(inside)]
    numbers = _RANGE.fullmatch(text)
    if numbers:
        return _range(text, *numbers.groups())
    table = _VALUES_OF.fullmatch(text)
    if table:
        return values_of(table[1], table[2])
    together = _MOMENT.fullmatch(text)
    if together:
        return _with_words(_timestamp(together[1][1:-1], text), together[2], text)
    name = _COLUMN.fullmatch(text)
    if name:
        return _with_words(column(name[1]), name[2], text)
    function = _FUNCTION.fullmatch(text)
    if function and function[1] not in _FUNCTIONS:
        raise InvalidInputError(
            f"there is no {function[1]}() in a requirement. {did_you_mean(function[1], _FUNCTIONS)}"
        )
    raise InvalidInputError(f"{text!r} is no column of the view; write a value as [{text}].")


def _timestamp(inside: str, text: str) -> Timestamp:
    date: list[object] = []
    parts: dict[str, object] = {}
    for argument in _BETWEEN_ARGUMENTS.split(inside):
        found = _PART.fullmatch(argument)
        if not found:
            raise InvalidInputError(
                f"cannot read {argument.strip()!r} in {text!r}; write it as in timestamp(ds,hour=hr)."
            )
        part, told = found[1], _condition(found[2])
        if part is not None and part not in PARTS:
            raise InvalidInputError(f"there is no part {part!r} of a timestamp ({text!r}). {did_you_mean(part, PARTS)}")
        if part in parts or (part is None and date):
            raise InvalidInputError(f"{text!r} has {part or 'a date'} twice; say it once.")
        if part is None:
            date.append(told)
        else:
            parts[part] = _numbers(told, text) if isinstance(told, list) else told
    return timestamp(*date, **parts)  # type: ignore[arg-type]  # timestamp() refuses what is no column


def _numbers(texts: Iterable[str], text: str) -> list[int]:
    try:
        return [int(one) for one in texts]
    except ValueError as error:
        raise InvalidInputError(
            f"the parts of a timestamp are columns and numbers, as in hour=0..23; not {text!r}."
        ) from error


def _with_words(said: ViewColumn | Timestamp, words: str, text: str) -> ViewColumn | Timestamp:
    for word, pattern in _WORD.findall(words):
        said = _read_as(said, word, pattern, text)
    return said


def _known_empty(text: str) -> list[dict[str, str]]:
    inside = text[1:-1] if text[0] in "['" else text
    return [read_partition(one) for one in inside.split(";") if one.strip()]


def _format(text: str) -> str:
    if not text.isalpha():
        raise InvalidInputError(
            f"format={text} names no format of the table, as format=delta does; a partition column that is called so "
            f"is written `format`={text}."
        )
    return text


_FUNCTIONS = ("timestamp", "values_of")
_OPTIONS: dict[str, Callable[[str], object]] = {"known_empty": _known_empty, "format": _format}


def _read_as(said: ViewColumn | Timestamp, word: str, pattern: str, text: str) -> ViewColumn | Timestamp:
    known = (*_PATTERNS, *_PARTS)
    makes_sense = hasattr(said, word) and bool(pattern) == (word in _PATTERNS)
    if word not in known:
        raise InvalidInputError(f"cannot read .{word} in {text!r}. {did_you_mean(word, known)}")
    if not makes_sense:
        raise InvalidInputError(
            f"cannot read .{word} in {text!r}; a column of the view is followed by .parsed(PATTERN) where it "
            f"is written otherwise, and by .formatted(PATTERN), .{', .'.join(_PARTS)} for what the table has of it; "
            f"a timestamp(...) by .formatted(PATTERN)."
        )
    told: ViewColumn | Timestamp = getattr(said, word)(pattern.strip().strip('"')) if pattern else getattr(said, word)
    return told


def _range(text: str, first: str, last: str) -> list[str]:
    if not int(first) <= int(last) < int(first) + MAX_RANGE:
        raise InvalidInputError(
            f"{text!r} is no range: the first number is not above the last, and there are {MAX_RANGE:,} at most."
        )
    return [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
