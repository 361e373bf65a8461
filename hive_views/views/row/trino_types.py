"""Types as Trino and Presto write them into their views, and their counterparts in Hive and Iceberg."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from hive_views.errors import InvalidSchemaError
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.spec.schema import IcebergType, ListType, MapType, StructType

_Read = TypeVar("_Read")

_TOKEN = re.compile(r'\s*(?:(?P<word>\w+)|"(?P<quoted>(?:[^"]|"")*)"|(?P<mark>[(),]))\s*')
_ZONE = ("with", "time", "zone")
_TO_HIVE = {
    "boolean": "boolean",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "integer": "int",
    "int": "int",
    "bigint": "bigint",
    "real": "float",
    "double": "double",
    "varbinary": "binary",
    "date": "date",
    # No engine but Trino has these in a view, and a text says the same value.
    "time": "string",
    "uuid": "string",
}
_FROM_HIVE = {
    "int": "integer",
    "float": "real",
    "binary": "varbinary",
    "string": "varchar",
    "timestamp": "timestamp(6)",
    "timestamp with local time zone": "timestamp(6) with time zone",
}
_FROM_ICEBERG = {
    "int": "integer",
    "long": "bigint",
    "float": "real",
    "string": "varchar",
    "time": "time(6)",
    "timestamp": "timestamp(6)",
    "timestamptz": "timestamp(6) with time zone",
    "binary": "varbinary",
}
_LONGEST = {"char": 255, "varchar": 65535}


def hive_of_trino(type_: str, *, column: str) -> str:
    """The Hive type that holds every value of a type of Trino.

    Args:
        type_: as Trino writes it: ``varchar(7)``, ``timestamp(3) with time zone``, ``row("x" bigint)``.
        column: named in errors.

    Raises:
        InvalidSchemaError: it is no type of Trino, or neither Hive nor Iceberg has a counterpart.
    """
    try:
        reader = _Reader(type_)
        found = reader.type()
        if reader.next() is None:
            return found
    except (LookupError, ValueError):
        pass
    raise InvalidSchemaError(
        f"Column {column} is of type {type_}, which Hive and Iceberg have no counterpart for. Cast it to another type "
        f"in the query.",
        columns=[column],
        type=type_,
    )


def trino_of_hive(type_: str) -> str:
    """How Trino writes a Hive type."""
    return _of_hive(parse_hive_type(type_))


def trino_of_iceberg(type_: IcebergType) -> str:
    """How Trino writes an Iceberg type."""
    if isinstance(type_, StructType):
        return f"row({','.join(f'{_quoted(one.name)} {trino_of_iceberg(one.type)}' for one in type_.fields)})"
    if isinstance(type_, ListType):
        return f"array({trino_of_iceberg(type_.element)})"
    if isinstance(type_, MapType):
        return f"map({trino_of_iceberg(type_.key)},{trino_of_iceberg(type_.value)})"
    name = type_.replace(" ", "")
    return "varbinary" if name.startswith("fixed[") else _FROM_ICEBERG.get(name, name)


def _of_hive(type_: HiveType) -> str:
    if type_.name == "struct":
        named = zip(type_.field_names, type_.parts, strict=True)
        return f"row({','.join(f'{_quoted(name)} {_of_hive(part)}' for name, part in named)})"
    if type_.parts:
        return f"{type_.name}({','.join(map(_of_hive, type_.parts))})"
    return _FROM_HIVE.get(type_.name, str(type_))


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class _Reader:
    """Reads one type, from left to right; raises ValueError or LookupError for anything else."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise ValueError(text)
            kind = match.lastgroup or ""
            self._tokens.append((kind, match[kind]))
            place = match.end()
        self._at = 0

    def next(self, ahead: int = 0) -> tuple[str, str] | None:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else None

    def type(self) -> str:
        kind, word = self._take()
        type_ = word.lower()
        if kind != "word":
            raise ValueError(word)
        if type_ == "row":
            fields = [
                f"{name or f'field{place}'}:{part}" for place, (name, part) in enumerate(self._listed(self._field))
            ]
            return f"struct<{','.join(fields)}>"
        if type_ in ("array", "map"):
            return f"{type_}<{','.join(self._listed(self.type))}>"
        sizes = self._listed(self._number) if self.next() == ("mark", "(") else []
        if type_ in ("time", "timestamp") and self._has_zone():
            return "string" if type_ == "time" else "timestamp with local time zone"
        if type_ == "timestamp":
            return "timestamp"
        if type_ == "decimal":
            return f"decimal({','.join(sizes)})"
        if type_ in _LONGEST:
            return f"{type_}({sizes[0]})" if sizes and int(sizes[0]) <= _LONGEST[type_] else "string"
        return _TO_HIVE[type_]

    def _has_zone(self) -> bool:
        if tuple((self.next(ahead) or ("", ""))[1].lower() for ahead in range(len(_ZONE))) != _ZONE:
            return False
        self._at += len(_ZONE)
        return True

    def _field(self) -> tuple[str | None, str]:
        """``"x" bigint``, ``x bigint`` or, without a name, ``bigint``, which is called by its place."""
        kind, (follows, word) = (self.next() or ("", ""))[0], self.next(1) or ("", "")
        is_named = kind == "quoted" or (follows == "word" and word.lower() != _ZONE[0])
        name = _hive_name(self._take()[1]) if is_named else None
        return name, self.type()

    def _number(self) -> str:
        return str(int(self._take()[1]))

    def _listed(self, read: Callable[[], _Read]) -> list[_Read]:
        self._expect("(")
        found = [read()]
        while self.next() == ("mark", ","):
            self._at += 1
            found.append(read())
        self._expect(")")
        return found

    def _take(self) -> tuple[str, str]:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _expect(self, mark: str) -> None:
        if self._take() != ("mark", mark):
            raise ValueError(mark)


def _hive_name(name: str) -> str:
    doubled = name.replace("`", "``")
    return name if re.fullmatch(r"\w+", name) else f"`{doubled}`"
