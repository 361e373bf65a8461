"""Requirements and partitions as one line of text, for the command and for files of publications.

What lives here: reading them. What must not: any rule about what a value means; that is found out when tables are read.

    web.clicks ds=ds hr=00..23 region=[eu,us] city='New York'
    web.clicks day=ds.formatted(yyyyMMdd) region=values_of(web.regions,region)
    web.clicks year=dt.parsed(yyyyMMdd).year
    ds=2026-08-21,hr=7
"""

from __future__ import annotations

import re

from hive_views.errors import InvalidInputError
from hive_views.hive.partition_names import unescape
from hive_views.publishing.conditions import Moment, ViewColumn
from hive_views.publishing.rules import Rule, column, requires, values_of
from hive_views.sql.statements.publish import MAX_RANGE

_CONDITION = re.compile(r"\s*(\w+)=(\[(?:'[^']*'|[^\]'])*\]|'[^']*'|(?:\([^)]*\)|\S)+)")
_VALUE = re.compile(r"\s*('[^']*')\s*(?:,|$)|([^,]+)(?:,|$)")
_COLUMN = re.compile(r"([A-Za-z_]\w*)((?:\.[a-z]+(?:\([^)]*\))?)*)")
_WORD = re.compile(r"\.([a-z]+)(?:\(([^)]*)\))?")
_PATTERNS = ("parsed", "formatted")
_PARTS = ("year", "month", "day", "hour", "date")
_VALUES_OF = re.compile(r"values_of\(\s*([^\s,]+)\s*,\s*(\w+)\s*\)")
_RANGE = re.compile(r"(\d{1,19})\.\.(\d{1,19})", re.ASCII)


def read_requirement(text: str) -> Rule:
    """The rule for a table and, for its partition columns, a partition column of the view, a range, or values.

    A column of the view may be followed by the words of ``column()``, such as ``.formatted(yyyyMMdd)`` or ``.year``.

    Raises:
        InvalidInputError: it is not written so.
    """
    table, conditions = read_conditions(text)
    return requires(table, conditions)


def read_conditions(text: str) -> tuple[str, dict[str, object]]:
    """The table, and its partition columns with what ``requires`` takes for them.

    Raises:
        InvalidInputError: it is not written so.
    """
    table, _, rest = text.strip().partition(" ")
    conditions: dict[str, object] = {}
    position = 0
    while rest[position:].strip():
        found = _CONDITION.match(rest, position)
        if not found:
            raise InvalidInputError(
                f"cannot read {rest[position:].strip()!r} in {text.strip()!r}; a requirement is a table and its "
                f"partition columns, as in 'web.clicks ds=ds hr=00..23 region=[eu,us]'."
            )
        name, value = found[1], found[2]
        if name in conditions:
            raise InvalidInputError(f"{text.strip()!r} has two conditions for {name!r}; write [a,b] for two values.")
        conditions[name] = _condition(value)
        position = found.end()
    return table, conditions


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
    name = _COLUMN.fullmatch(text)
    if not name:
        raise InvalidInputError(f"{text!r} is no column of the view; write a value as [{text}].")
    said: ViewColumn | Moment = column(name[1])
    for word, pattern in _WORD.findall(name[2]):
        said = _read_as(said, word, pattern, text)
    return said


def _read_as(said: ViewColumn | Moment, word: str, pattern: str, text: str) -> ViewColumn | Moment:
    makes_sense = hasattr(said, word) and bool(pattern) == (word in _PATTERNS)
    if word not in (*_PATTERNS, *_PARTS) or not makes_sense:
        raise InvalidInputError(
            f"cannot read .{word} in {text!r}; a column of the view is followed by .parsed(PATTERN) where it "
            f"is written otherwise, and by .formatted(PATTERN), .{', .'.join(_PARTS)} for what the table has of it."
        )
    told: ViewColumn | Moment = getattr(said, word)(pattern.strip().strip('"')) if pattern else getattr(said, word)
    return told


def _range(text: str, first: str, last: str) -> list[str]:
    if not int(first) <= int(last) < int(first) + MAX_RANGE:
        raise InvalidInputError(
            f"{text!r} is no range: the first number is not above the last, and there are {MAX_RANGE:,} at most."
        )
    return [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
