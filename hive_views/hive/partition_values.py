"""Values of partitions: which a partition column can have, and the spelling that the metastore keeps.

The metastore checks nothing: ``hr=1``, ``hr=01`` and ``hr=abc`` all coexist in an int column, and filters on it fail
from then on. So values are brought into the spelling in which Hive's ADD PARTITION stores them
(``hive.typecheck.on.insert``) before they leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from hive_views.errors import InvalidPartitionError, InvalidSchemaError
from hive_views.hive.conversion import Value, convert, describe_values, spelled
from hive_views.hive.limits import MAX_PARTITION_VALUE, stored_length
from hive_views.hive.partition_names import DEFAULT_PARTITION, partition_name
from hive_views.hive.row import Column
from hive_views.hive.types import HiveType, parse_hive_type

# Hive error 10111.
_RESERVED = (
    DEFAULT_PARTITION,
    "__HIVE_DEFAULT_ZOOKEEPER_PARTITION__",
    "_INTERMEDIATE_ORIGINAL",
    "_INTERMEDIATE_ARCHIVED",
    "_INTERMEDIATE_EXTRACTED",
)
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_KEY_TYPES = frozenset((*_NUMBERS, "boolean", "string", "char", "varchar", "date", "timestamp"))


def check_key_type(type_: str, column: str) -> None:
    """Refuse the type of a column that cannot be a partition column.

    Raises:
        InvalidSchemaError: a nested type, binary (Hive writes a Java object's address as its value), or a time with
            zone (its value depends on the session).
    """
    if parse_hive_type(type_).name not in _KEY_TYPES:
        raise InvalidSchemaError(
            f"Column {column} of type {type_} cannot be a partition column: its values have no string form. "
            f"Cast it in the query, to string for example.",
            columns=[column],
            type=type_,
        )


def normalise_value(value: object, hive_type: str, *, key: str) -> str:
    """The text in which Hive stores ``value`` in a partition column ``key`` of this type.

    Python's str, int, bool, float, Decimal, date and datetime stand for Hive's literals: for an int column 7, '7' and
    '07' are all ``7``; ``'2026-8-1'`` in a date column is ``2026-08-01``; a decimal has no trailing zeros; a timestamp
    has a fraction, as Hive 2.3 writes it (``2026-08-01 10:00:00.0``). A char is padded with blanks to its length.

    Raises:
        InvalidPartitionError: NULL, empty, not of the type (Hive error 10248), reserved by Hive (10111), ending in a
            blank, or longer than the metastore holds.
        InvalidSchemaError: ``hive_type`` is not a type of Hive.
    """
    type_ = parse_hive_type(hive_type)
    problem, text = _text_of(value, type_)
    problem = problem or _problem_of(text, type_)
    if problem:
        raise InvalidPartitionError(
            f"Cannot use {_shortened(value)} as a value of partition column {key} ({type_}): {problem}",
            key=key,
        )
    return text


def normalise_spec(spec: Mapping[str, object], keys: Sequence[Column]) -> tuple[str, ...]:
    """The values of one partition in the order of the partition columns, as Hive stores them.

    Raises:
        InvalidPartitionError: a column is missing or unknown, a value breaks a rule of ``normalise_value``, or the
            values together make too long a name.
    """
    values = normalise_partial_spec(spec, keys)
    missing = [key.name for key in keys if key.name.lower() not in values]
    if missing:
        raise InvalidPartitionError(
            f"The partition {_shortened(dict(spec))} has no value for {', '.join(missing)}: give one for each of the "
            f"partition columns {_named(keys)}.",
        )
    partition_name(list(values), list(values.values()))
    return tuple(values.values())


def normalise_partial_spec(spec: Mapping[str, object], keys: Sequence[Column]) -> dict[str, str]:
    """The values of some partition columns, by name in lower case and in the columns' order, as Hive stores them.

    Raises:
        InvalidPartitionError: a name that is no partition column, or given twice, or a value that breaks a rule.
    """
    if not isinstance(spec, Mapping) or not all(isinstance(name, str) for name in spec):
        raise InvalidPartitionError(
            f"Cannot read {_shortened(spec)} as the values of a partition: give values by column, as in "
            f"{{'ds': '2026-08-21'}}."
        )
    given = {name.lower(): value for name, value in spec.items()}
    types = {key.name.lower(): key.type for key in keys}
    unknown = [name for name in given if name not in types]
    if unknown:
        raise InvalidPartitionError(
            f"{', '.join(map(_shortened, unknown))} in {_shortened(dict(spec))} is not a partition column; "
            f"those of the view are {_named(keys)}.",
        )
    if len(given) < len(spec):
        raise InvalidPartitionError(
            f"A partition column is given twice in {_shortened(dict(spec))}; case does not matter: give each once."
        )
    return {name: normalise_value(given[name], type_, key=name) for name, type_ in types.items() if name in given}


def typed_value(text: str, hive_type: str) -> Value | None:
    """The value of a partition as Python's value of the column's type, ordered and compared as the type is.

    None where Hive reads NULL: for ``__HIVE_DEFAULT_PARTITION__``, and for a text that a foreign writer declared
    although it is no value of the type (``abc`` in an int column). A char comes without its padding.

    Raises:
        InvalidSchemaError: not a type of Hive.
    """
    type_ = parse_hive_type(hive_type)
    if text == DEFAULT_PARTITION or type_.name not in _KEY_TYPES:
        return None
    value = convert(text, type_)
    return value.rstrip(" ") if isinstance(value, str) and type_.name == "char" else value


def _text_of(value: object, type_: HiveType) -> tuple[str | None, str]:
    """Why the value is not of the type, or its text."""
    if type_.name not in _KEY_TYPES:
        return "no partition has a value of this type.", ""
    if value is None or (isinstance(value, (float, date)) and value != value):  # noqa: PLR0124 - NaN, pandas' NaT
        return "it is NULL, which Hive reserves for rows without a value.", ""
    if not isinstance(value, (str, int, float, Decimal, date)):
        return f"values are not of type {type(value).__name__}: give str, int, bool, Decimal, date or datetime.", ""
    converted = convert(value, type_)
    if converted is None:
        return f"its type takes {describe_values(type_)}. (Hive error 10248)", ""
    return None, spelled(converted, type_)


def _problem_of(text: str, type_: HiveType) -> str | None:
    """Why a converted value cannot be stored."""
    # Padding is a part of every char, so that no two of them differ in trailing blanks.
    unpadded = text.rstrip(" ") if type_.name == "char" else text
    if not unpadded:
        return "it is empty, which the metastore cannot distinguish from NULL."
    if reserved := next((word for word in _RESERVED if word in text), None):
        return f"it contains {reserved}, which Hive reserves. (Hive error 10111)"
    if unpadded.endswith(" "):
        return "it ends with a space, which MySQL and MariaDB ignore when they compare values."
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        return "it contains a character that no UTF-8 text column holds (U+0000, or an unpaired surrogate)."
    if stored_length(text) > MAX_PARTITION_VALUE:
        return f"it has {stored_length(text)} characters, and a metastore may hold only {MAX_PARTITION_VALUE}."
    return None


def _named(keys: Sequence[Column]) -> str:
    return f"({', '.join(f'{key.name} {key.type}' for key in keys)})"


def _shortened(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python spells no int of more than 4,300 digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:100]}..."
