"""What engines answer, each value in the one form of its type, or that they refuse.

===============  ======================================================
boolean, ints    ``bool``, ``int``
float, double    ``float``; of a float the nearest of 32 bits
decimal          ``Decimal``, without zeros at its end
texts            ``str``; ``char`` with its blanks
date             ``YYYY-MM-DD``
timestamp        ``YYYY-MM-DD hh:mm:ss.`` and nine digits; zones follow
binary           hexadecimal digits
array            ``list``
map              ``dict``
struct           ``tuple``
===============  ======================================================
"""

from __future__ import annotations

import base64
import re
import struct
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from tests.support.translation.value_types import Type, read_type

_WIDE = Context(prec=100)


class Refused(Exception):  # noqa: N818 - it is the engine that has an error
    """An engine does not answer; the message is its own.

    Attributes:
        message: the engine's.
        at_run: it took the text, and failed when it ran it.
    """

    def __init__(self, message: str, at_run: bool = False) -> None:
        super().__init__(message, at_run)
        self.message = message
        self.at_run = at_run

    def __str__(self) -> str:
        return ("at run: " if self.at_run else "") + self.message


class NotRead(Refused):
    """An engine answers with what the bench does not read; this is the same as nothing."""


@dataclass(frozen=True)
class Answer:
    """The rows of a query.

    Attributes:
        columns: names, and types as the engine writes them.
        rows: a tuple of values each.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(read_type(type_) for _, type_ in self.columns)


def float_32(value: float) -> float:
    """The nearest number that a ``float`` holds."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def plain_decimal(value: Any) -> Decimal:
    """A decimal number without zeros at its end."""
    number = Decimal(str(value))
    return number if not number.is_finite() else Decimal(0) if not number else number.normalize(_WIDE)


def plain_timestamp(text: str) -> str:
    """A timestamp with nine digits of its second."""
    found = re.fullmatch(r"(\S+ \d+:\d+:\d+)(?:\.(\d+))?( .*)?", text)
    return f"{found[1]}.{(found[2] or '').ljust(9, '0')}{found[3] or ''}" if found else text


def plain_interval(text: str) -> str:
    """An interval of days and seconds, with nine digits of the last."""
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(9, '0')}"


def plain(type_: Type, value: Any) -> Any:
    """A value as the protocols of Hive and Trino say it, in its one form."""
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray)) and type_.name != "binary":
        value = value.decode()
    if type_.parts and isinstance(value, str):
        value = _Nested(value).read(type_)
    if type_.name == "array":
        return [plain(type_.parts[0], one) for one in value]
    if type_.name == "map":
        pairs = value.items() if isinstance(value, dict) else value
        return {plain(type_.parts[0], key): plain(type_.parts[1], one) for key, one in pairs}
    if type_.name == "struct":
        return tuple(plain(part, one) for part, one in zip(type_.parts, value, strict=True))
    return _scalar(type_, value)


def _scalar(type_: Type, value: Any) -> Any:
    match type_.name:
        case "boolean":
            return value if isinstance(value, bool) else {"true": True, "false": False}[str(value).lower()]
        case "tinyint" | "smallint" | "int" | "bigint":
            return int(value)
        case "float":
            return float_32(float(value))
        case "double":
            return float(value)
        case "decimal":
            return plain_decimal(value)
        case "char":
            return str(value).ljust(type_.parameters[0])
        case "timestamp" | "timestamp with time zone":
            return plain_timestamp(str(value))
        case "binary":
            return bytes(value).hex() if isinstance(value, (bytes, bytearray)) else base64.b64decode(value).hex()
        case "interval_day_time":
            return plain_interval(str(value))
        case _:
            return str(value)


class _Nested:
    """Hive's text of an array, a map or a struct: as JSON, with keys of any type."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self, type_: Type) -> Any:
        if self._text.startswith("null", self._at):
            self._at += 4
            return None
        if type_.name == "array":
            return self._items("[]", lambda: self.read(type_.parts[0]))
        if type_.name == "map":
            return self._items("{}", lambda: (self.read(type_.parts[0]), self._after(type_.parts[1])))
        if type_.name == "struct":
            parts = iter(type_.parts)
            return self._items("{}", lambda: (self._token(), self._after(next(parts)))[1])
        token = self._token()
        # Hive writes them as if they were texts.
        return token.encode() if type_.name == "binary" else token

    def _after(self, type_: Type) -> Any:
        assert self._text[self._at] == ":", self._text
        self._at += 1
        return self.read(type_)

    def _items(self, ends: str, read: Any) -> list[Any]:
        assert self._text[self._at] == ends[0], self._text
        self._at += 1
        found: list[Any] = []
        while self._text[self._at] != ends[1]:
            if found:
                assert self._text[self._at] == ",", self._text
                self._at += 1
            found.append(read())
        self._at += 1
        return found

    def _token(self) -> str:
        found = re.compile(r'"((?:[^"\\]|\\.)*)"|[^,:\]}]+', re.DOTALL).match(self._text, self._at)
        assert found, self._text
        self._at = found.end()
        return found[0] if found[1] is None else re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _unescaped, found[1], flags=re.DOTALL)


def _unescaped(found: re.Match[str]) -> str:
    text = found[1]
    if len(text) == 5:
        return chr(int(text[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(text, text)
