"""Hive's types as text, and their counterparts in Iceberg.

Iceberg has no counterpart for tinyint, smallint, char and varchar: they become int and string, and who needs the row to
say ``varchar(7)`` again keeps that string beside the schema (``survives_round_trip``, ``columns.schema_from``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from hive_views.errors import InvalidSchemaError
from hive_views.spec.schema import IcebergType, ListType, MapType, NestedField, StructType

FieldIds = Callable[[tuple[str, ...]], int]
"""The id of a nested field, given its path: struct field names, ``element``, ``key`` and ``value``."""

_ZONED = "timestamp with local time zone"
_SPELLINGS = {
    "integer": "int",
    "double precision": "double",
    "numeric": "decimal",
    "timestamptz": _ZONED,
    "interval year to month": "interval_year_month",
    "interval day to second": "interval_day_time",
}
_TO_ICEBERG = {
    "boolean": "boolean",
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "char": "string",
    "varchar": "string",
    "date": "date",
    "timestamp": "timestamp",
    _ZONED: "timestamptz",
    "binary": "binary",
}
# A row says ``timestamp`` for Iceberg's timestamptz, as Iceberg Java does with a Hive 2.3 client: no Hive 2.3 reader
# and no Spark 4.1 can parse ``timestamp with local time zone``, although the metastore would store it.
_TO_HIVE = {
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "date": "date",
    "time": "string",
    "timestamp": "timestamp",
    "timestamptz": "timestamp",
    "string": "string",
    "uuid": "string",
    "binary": "binary",
}
_NARROWER_THAN_ICEBERG = frozenset(("tinyint", "smallint", "char", "varchar"))
_WITHOUT_COUNTERPART = frozenset(("void", "interval_year_month", "interval_day_time"))
_LONGEST = {"char": 255, "varchar": 65535}
_MAX_PRECISION = 38
_MAX_DEPTH = 100

_TOKEN = re.compile(r"\s*(?:(?P<word>\w+(?:[ \t]+\w+)*)|(?P<quoted>`(?:[^`]|``)+`)|(?P<mark>[<>(),:]))\s*")
_BARE_FIELD_NAME = re.compile(r"\s*([^`<>,:]*[^`<>,:\s])\s*:")
_ICEBERG_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")

_ONE_TYPE = {"char": "string", "varchar": "string", "timestamp with local time zone": "timestamp"}


@dataclass(frozen=True)
class HiveType:
    """A type of Hive; ``str()`` gives the spelling that every Hive version and Spark read (lower case, no blanks).

    ``sizes`` are the numbers of decimal, char and varchar, ``parts`` the types that a nested type is made of, and
    ``field_names`` the names of a struct's parts.
    """

    name: str
    sizes: tuple[int, ...] = ()
    parts: tuple[HiveType, ...] = ()
    field_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.name == "struct":
            named = zip(self.field_names, self.parts, strict=True)
            return f"struct<{','.join(f'{name}:{part}' for name, part in named)}>"
        if self.parts:
            return f"{self.name}<{','.join(map(str, self.parts))}>"
        return f"{self.name}({','.join(map(str, self.sizes))})" if self.sizes else self.name

    def everything(self) -> Iterator[HiveType]:
        """This type and all types inside it."""
        yield self
        for part in self.parts:
            yield from part.everything()


@lru_cache(maxsize=1024)
def parse_hive_type(text: str) -> HiveType:
    """Read a type as the metastore, HiveQL or DESCRIBE writes it, in any case and with blanks.

    ``decimal`` is ``decimal(10,0)``, as in Hive. (Hive 2.3 reads ``decimal(5)`` in a row as ``decimal(10,0)`` too; here
    it is the ``decimal(5,0)`` that it is in SQL.)

    Raises:
        InvalidSchemaError: it is no type of Hive, or its numbers are out of Hive's range.
    """
    return _Reader(text).whole()


def spelled_type(type_: HiveType) -> str:
    """A type that another format declares, as text, which ``parse_hive_type`` refuses where Hive has no such type."""
    try:
        for part in type_.everything():
            _check_field_names(part.field_names, "")
    except InvalidSchemaError:
        return f"{type_} with names of fields that Hive cannot read"
    return str(type_)


def iceberg_type(hive_type: str, field_ids: FieldIds, *, column: str) -> IcebergType:
    """The Iceberg type that holds every value of a Hive type: wider than it for tinyint, smallint, char and varchar.

    ``field_ids`` is asked for the ids of nested fields, all fields of one level before those below them, as Iceberg
    numbers them. ``column`` is named in errors.

    Raises:
        InvalidSchemaError: not a type of Hive, or one that Iceberg has no counterpart for (uniontype, void, intervals).
    """
    try:
        type_ = parse_hive_type(hive_type)
    except InvalidSchemaError as e:
        raise InvalidSchemaError(f"Column {column}: {e}", columns=[column], type=hive_type) from e
    return _to_iceberg(type_, field_ids, (), column)


def survives_round_trip(hive_type: str) -> bool:
    """Whether Iceberg's type is equivalent to this Hive type; if not, a column's Hive type must be kept beside it.

    ``timestamp with local time zone`` survives as timestamptz, although a row spells that ``timestamp``.

    Raises:
        InvalidSchemaError: not a type of Hive.
    """
    return all(part.name not in _NARROWER_THAN_ICEBERG for part in parse_hive_type(hive_type).everything())


def kind_of(type_: str) -> str:
    """A type without its sizes, in which releases differ, and by one name where Hive and Spark differ for one text."""
    name = parse_hive_type(type_).name
    return _ONE_TYPE.get(name, name)


def hive_type(type_: IcebergType, *, column: str) -> str:
    """The Hive type string of an Iceberg type; ``column`` is named in errors.

    Spellings are those of Iceberg's Java HiveSchemaUtil: time and uuid are ``string``, fixed is ``binary``, timestamptz
    is ``timestamp``.

    Raises:
        InvalidSchemaError: Hive has no such type (timestamp_ns, timestamptz_ns, variant, unknown, geometry, geography),
            or cannot read the name of a struct field in a type string.
    """
    return str(_to_hive(type_, column))


def _to_iceberg(type_: HiveType, field_ids: FieldIds, path: tuple[str, ...], column: str) -> IcebergType:
    def below(part: HiveType, name: str) -> IcebergType:
        return _to_iceberg(part, field_ids, (*path, name), column)

    if type_.name == "struct":
        _check_field_names(type_.field_names, column)
        ids = [field_ids((*path, name)) for name in type_.field_names]
        named = zip(ids, type_.field_names, type_.parts, strict=True)
        return StructType(fields=tuple(NestedField(id=i, name=name, type=below(part, name)) for i, name, part in named))
    if type_.name == "array":
        element_id = field_ids((*path, "element"))
        return ListType(element_id=element_id, element=below(type_.parts[0], "element"))
    if type_.name == "map":
        key_id, value_id = field_ids((*path, "key")), field_ids((*path, "value"))
        key, value = type_.parts
        return MapType(key_id=key_id, key=below(key, "key"), value_id=value_id, value=below(value, "value"))
    if type_.name == "decimal":
        precision, scale = type_.sizes
        return f"decimal({precision}, {scale})"
    if type_.name in _TO_ICEBERG:
        return _TO_ICEBERG[type_.name]
    raise InvalidSchemaError(
        f"Column {column} has a part of Hive's type {type_}, which Iceberg has no counterpart for. "
        f"Cast it to another type in the query.",
        columns=[column],
        type=str(type_),
    )


def _to_hive(type_: IcebergType, column: str) -> HiveType:
    if isinstance(type_, StructType):
        names = tuple(field.name for field in type_.fields)
        _check_field_names(names, column)
        return HiveType("struct", parts=tuple(_to_hive(f.type, column) for f in type_.fields), field_names=names)
    if isinstance(type_, ListType):
        return HiveType("array", parts=(_to_hive(type_.element, column),))
    if isinstance(type_, MapType):
        return HiveType("map", parts=(_to_hive(type_.key, column), _to_hive(type_.value, column)))
    if match := _ICEBERG_DECIMAL.fullmatch(type_):
        sizes = int(match[1]), int(match[2])
        if problem := _decimal_problem(*sizes):
            raise InvalidSchemaError(f"Column {column} is of type {type_}: {problem}.", columns=[column], type=type_)
        return HiveType("decimal", sizes)
    if type_.startswith("fixed["):
        return HiveType("binary")
    if type_ in _TO_HIVE:
        return HiveType(_TO_HIVE[type_])
    raise InvalidSchemaError(
        f"Column {column} has a part of Iceberg's type {type_}, which Hive has no counterpart for. "
        f"Cast it to another type in the query.",
        columns=[column],
        type=type_,
    )


def _check_field_names(names: tuple[str, ...], column: str) -> None:
    seen: set[str] = set()
    for name in names:
        if not name or not all(map(_is_read_in_type_strings, name)):
            raise InvalidSchemaError(
                f"Column {column} has a struct field named {name!r}: Hive reads only letters, digits, spaces and "
                f"any of '_.$' in the names of struct fields. Rename the field in the query.",
                columns=[column],
            )
        if name.lower() in seen:
            raise InvalidSchemaError(
                f"Column {column} has two struct fields named {name!r} when case is ignored, as Hive does. "
                f"Rename one of them in the query.",
                columns=[column],
            )
        seen.add(name.lower())


def _is_read_in_type_strings(character: str) -> bool:
    # What the tokenizer of Hive 2.3's TypeInfoUtils takes for a part of a name, one UTF-16 unit at a time.
    if character in "_.$ ":
        return True
    category = unicodedata.category(character)
    return character <= "\uffff" and (category[0] == "L" or category == "Nd")


def _decimal_problem(precision: int, scale: int) -> str | None:
    if not 1 <= precision <= _MAX_PRECISION:
        return f"the precision of Hive's decimal is between 1 and {_MAX_PRECISION}"
    return None if scale <= precision else "the scale of a decimal is at most its precision"


class _Reader:
    """Reads one type string from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._depth = 0

    def whole(self) -> HiveType:
        type_ = self._type()
        if self._position < len(self._text):
            raise self._error("there is text after the type")
        return type_

    def _type(self) -> HiveType:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"types are nested more than {_MAX_DEPTH} deep")
        start = self._position
        word = self._take("word")
        name = " ".join(word.lower().split()) if word else ""
        name = _SPELLINGS.get(name, name)
        if name == "struct":
            type_ = self._struct()
        elif name in ("array", "map", "uniontype"):
            type_ = self._nested(name)
        elif name in ("decimal", "char", "varchar"):
            type_ = self._sized(name)
        elif name in _TO_ICEBERG or name in _WITHOUT_COUNTERPART:
            type_ = HiveType(name)
        else:
            self._position = start
            raise self._error("Hive has no such type" if name else "a type is expected")
        self._depth -= 1
        return type_

    def _struct(self) -> HiveType:
        self._expect("<")
        names: list[str] = []
        parts: list[HiveType] = []
        while not self._next_is(">"):
            if names:
                self._expect(",")
            names.append(self._field_name())
            parts.append(self._type())
        self._expect(">")
        return HiveType("struct", parts=tuple(parts), field_names=tuple(names))

    def _field_name(self) -> str:
        quoted = self._take("quoted")
        if quoted:
            self._expect(":")
            return quoted[1:-1].replace("``", "`")
        match = _BARE_FIELD_NAME.match(self._text, self._position)
        if not match:
            raise self._error("the name of a struct field and ':' are expected")
        self._position = match.end()
        return match[1]

    def _nested(self, name: str) -> HiveType:
        self._expect("<")
        parts = [self._type()]
        while self._next_is(","):
            self._expect(",")
            parts.append(self._type())
        self._expect(">")
        wanted = {"array": 1, "map": 2}.get(name, len(parts))
        if len(parts) != wanted:
            raise self._error(f"{name} is made of {wanted} type{'s' if wanted > 1 else ''}, not of {len(parts)}")
        return HiveType(name, parts=tuple(parts))

    def _sized(self, name: str) -> HiveType:
        sizes: list[int] = []
        if self._next_is("("):
            self._expect("(")
            sizes.append(self._number())
            if name == "decimal" and self._next_is(","):
                self._expect(",")
                sizes.append(self._number())
            self._expect(")")
        if name == "decimal":
            precision, scale = (*sizes, 0)[:2] if sizes else (10, 0)
            problem = _decimal_problem(precision, scale)
            sizes = [precision, scale]
        elif sizes and 1 <= sizes[0] <= _LONGEST[name]:
            problem = None
        else:
            problem = f"{name} needs a length between 1 and {_LONGEST[name]}, as in {name}(20)"
        if problem:
            raise self._error(problem)
        return HiveType(name, tuple(sizes))

    def _number(self) -> int:
        word = self._take("word")
        if not word or not re.fullmatch(r"[0-9]{1,9}", word):
            raise self._error("a number is expected")
        return int(word)

    def _take(self, kind: str) -> str | None:
        match = _TOKEN.match(self._text, self._position)
        if not match or match[kind] is None:
            return None
        self._position = match.end()
        return match[kind]

    def _next_is(self, mark: str) -> bool:
        match = _TOKEN.match(self._text, self._position)
        return match is not None and match["mark"] == mark

    def _expect(self, mark: str) -> None:
        if not self._next_is(mark):
            raise self._error(f"{mark!r} is expected")
        self._take("mark")

    def _error(self, problem: str) -> InvalidSchemaError:
        return InvalidSchemaError(
            f"Cannot read {_shortened(self._text)!r} as a Hive type: {problem}, at character {self._position + 1}. "
            f"Types look like bigint, decimal(10,2), array<string>, struct<a:int,b:date>.",
            type=self._text,
        )


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
