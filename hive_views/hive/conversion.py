"""Hive's conversion of a constant to a primitive type, and its spelling of the result.

The judge is Hive 2.3.10's own conversion of the values in ADD PARTITION. Where that stores another value than the one
given, this one refuses: Hive wraps an int out of range, rolls 30 February over, drops the fraction of a number given
for an int, makes Infinity of what is too large, and takes the text 'false' for true. What CAST does in every engine is
done here too: a decimal is rounded to its scale, a text cut to the length of varchar and char, a timestamp to its date.
"""

from __future__ import annotations

import itertools
import math
import re
import struct
from datetime import date, datetime, time, timedelta, timezone
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

from hive_views.hive.types import HiveType

Value = bool | int | float | Decimal | str | date | datetime
"""What a constant can be, given or converted."""

_INTEGERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_MAX_DIGITS = 38
_DECIMALS = Context(prec=_MAX_DIGITS, rounding=ROUND_HALF_UP)

_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,19})")
_DECIMAL = re.compile(r" *([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?) *")
# Java trims every character up to the blank.
_MARGIN = r"[\x00-\x20]*"
_FLOAT = re.compile(
    _MARGIN + r"([+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))[fFdD]?" + _MARGIN
)
_MOMENT = re.compile(
    _MARGIN + r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,6})0*)?)?" + _MARGIN
)


def convert(value: Value, type_: HiveType) -> Value | None:
    """The value as one of ``type_``; None when it is not convertible, or not without becoming another value."""
    name = type_.name
    if name in _INTEGERS:
        return _to_integer(value, _INTEGERS[name])
    if name == "decimal":
        return _to_decimal(value, *type_.sizes)
    if name in ("float", "double"):
        return _to_float(value, single=name == "float")
    if name == "boolean":
        return _to_boolean(value)
    if name == "date":
        timestamp = _to_timestamp(value)
        return timestamp.date() if timestamp else None
    if name == "timestamp":
        return _to_timestamp(value)
    return _to_text(value, type_)


def spelled(value: Value, type_: HiveType) -> str:
    """A converted value as Hive writes it into a partition: ``2026-08-01``, ``1.5``, ``1.0E10``, ``true``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _spelled_float(value, single=type_.name == "float")
    if isinstance(value, Decimal):
        return f"{_DECIMALS.normalize(value):f}" if value else "0"
    if isinstance(value, datetime):
        return _spelled_timestamp(value) if value.microsecond else f"{_spelled_timestamp(value)}.0"
    return value.isoformat() if isinstance(value, date) else value


def spelled_or_text(value: Value, type_: HiveType) -> str:
    """The text that Hive writes for a value, or its own text if it is not of the type; a time with a zone is in UTC."""
    if isinstance(value, datetime) and value.tzinfo:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    converted = convert(value, type_)
    return str(value) if converted is None else spelled(converted, type_)


def spelled_since_1970(nanoseconds: int) -> str:
    """What Hive writes for a timestamp, which may be finer than Python's."""
    seconds, fraction = divmod(nanoseconds, 1_000_000_000)
    timestamp = datetime(1970, 1, 1) + timedelta(seconds=seconds)  # noqa: DTZ001 - no zone in Hive
    return f"{timestamp.isoformat(' ')}.{f'{fraction:09d}'.rstrip('0') or '0'}"


def describe_values(type_: HiveType) -> str:
    """What values of the type look like, for messages."""
    name = type_.name
    if name in _INTEGERS:
        bits = _INTEGERS[name]
        return f"a whole number from {-(2 ** (bits - 1))} to {2 ** (bits - 1) - 1}, without spaces"
    if name == "decimal":
        precision, scale = type_.sizes
        return f"a number with at most {precision - scale} digits before the point"
    return {
        "float": "a number",
        "double": "a number",
        "boolean": "true or false",
        "date": "a date, as in '2026-08-01'",
        "timestamp": "a time without zone, to the microsecond, as in '2026-08-01 10:00:00'",
    }.get(name, "a string, a number, or a date or time without zone")


def _to_integer(value: Value, bits: int) -> int | None:
    if isinstance(value, str):
        match = _INTEGER.fullmatch(value)
        number = int(match[1] + match[2]) if match else None
    else:
        exact = _as_decimal(value)
        # Nothing near the limits has 20 digits; int() of a Decimal with a huge exponent would take for ever.
        is_whole = exact is not None and exact.adjusted() < 20 and exact == exact.to_integral_value()
        number = int(exact) if exact is not None and is_whole else None
    return number if number is not None and -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None


def _to_decimal(value: Value, precision: int, scale: int) -> Decimal | None:
    number = _as_decimal(value)
    if number is None:
        return None
    try:
        return number.quantize(Decimal(1).scaleb(-scale), context=Context(prec=precision, rounding=ROUND_HALF_UP))
    except InvalidOperation:  # more digits than the type has
        return None


def _as_decimal(value: Value) -> Decimal | None:
    """The number that the value is, or that its text says; None for a date, another text, infinity and NaN."""
    if isinstance(value, str):
        match = _DECIMAL.fullmatch(value)
        return Decimal(match[1]) if match else None
    if not isinstance(value, (int, float, Decimal)):
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return number if number.is_finite() else None


def _to_float(value: Value, *, single: bool) -> float | None:
    if isinstance(value, str):
        match = _FLOAT.fullmatch(value)
        if not match:
            return None
        number, meant = float(match[1]), "Infinity" in value
    elif isinstance(value, (int, float, Decimal)):
        try:
            number, meant = float(value), isinstance(value, float)
        except (OverflowError, ValueError):  # too large an int, a signalling NaN
            return None
    else:
        return None
    if single and math.isfinite(number):
        number = _as_single(number)
    return None if math.isinf(number) and not meant else number


def _as_single(number: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _to_boolean(value: Value) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower())
    number = _as_decimal(value)
    return None if number is None else number != 0


def _to_timestamp(value: Value) -> datetime | None:
    if isinstance(value, datetime):
        return value if value.tzinfo is None else None
    if isinstance(value, date):
        return datetime.combine(value, time.min)
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return None
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups()[:6])
    microsecond = int((match[7] or "").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, microsecond)  # noqa: DTZ001 - no zone in Hive
    except ValueError:  # no such day or time
        return None


def _to_text(value: Value, type_: HiveType) -> str | None:
    text = _spelled_for_text(value, type_)
    if text is None or not type_.sizes:
        return text
    text = text[: type_.sizes[0]]
    return text.ljust(type_.sizes[0]) if type_.name == "char" else text


def _spelled_for_text(value: Value, type_: HiveType) -> str | None:
    if isinstance(value, bool):
        # A constant becomes a varchar through Hive's CAST and a string through Java's toString.
        return spelled(value, type_) if type_.name == "string" else spelled(value, type_).upper()
    if isinstance(value, (int, Decimal)):
        number = _as_decimal(value)
        is_in_range = number is not None and -_MAX_DIGITS <= number.adjusted() < _MAX_DIGITS
        return spelled(number, type_) if number is not None and is_in_range else None
    if isinstance(value, datetime):
        return _spelled_timestamp(value) if value.tzinfo is None else None
    return spelled(value, type_)


def _spelled_timestamp(value: datetime) -> str:
    fraction = f".{value.microsecond:06d}".rstrip("0") if value.microsecond else ""
    return value.isoformat(" ", "seconds") + fraction


def _spelled_float(value: float, *, single: bool) -> str:
    """As Java's ``Double.toString`` and ``Float.toString``: the fewest digits that say which number it is, but two."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    shortest = _shortest(abs(value), single=single)
    digits, exponent = "".join(map(str, shortest.as_tuple().digits)).rstrip("0") or "0", shortest.adjusted()
    if not -3 <= exponent < 7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    return f"{sign}{digits[: exponent + 1].ljust(exponent + 1, '0')}.{digits[exponent + 1 :] or '0'}"


def _shortest(number: float, *, single: bool) -> Decimal:
    exact = Decimal(number)
    # The nearest of so many digits may fall to the next float where one of its neighbours does not.
    roundings = itertools.product(range(2, 18), (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING))
    candidates = (Context(prec=digits, rounding=rounding).plus(exact) for digits, rounding in roundings)
    return next(c for c in candidates if (_as_single(float(c)) if single else float(c)) == number)
