"""The types of columns, in the spellings of Hive and of Spark."""

from __future__ import annotations

from hive_views.ddl.grammar.reader import Reader
from hive_views.errors import InvalidSchemaError
from hive_views.hive.types import parse_hive_type

# What Spark calls types of Hive; where it has no counterpart in Hive, the nearest one.
_SPARK_TYPES = {"byte": "tinyint", "short": "smallint", "long": "bigint", "real": "float", "dec": "decimal"}
_TIMESTAMPS = {"timestamp_ntz": "timestamp", "timestamp_ltz": "timestamp"}


def column_type(reader: Reader) -> str:
    """A type, in the spelling of ``hive_views.hive.types``.

    Raises:
        SQLSyntaxError: Hive has no such type.
    """
    first = reader.token
    try:
        return str(parse_hive_type(_spelled(reader)))
    except InvalidSchemaError as error:
        if first.kind not in ("word", "quoted"):
            raise reader.unexpected("a type", token=first) from error
        raise reader.unexpected("a type", hint=error.message, token=first) from error


def _spelled(reader: Reader) -> str:
    """The words and brackets of one type, with Spark's names by those of Hive, and without comments of fields."""
    token = reader.take()
    if token.keyword == "TIMESTAMP" and reader.accept("WITH"):
        reader.expect("LOCAL", "TIME", "ZONE")
        return "timestamp with local time zone"
    if token.keyword == "DOUBLE":
        reader.accept("PRECISION")
    name = token.text.lower()
    name = _SPARK_TYPES.get(name, _TIMESTAMPS.get(name, name))
    if reader.at("("):
        return f"{name}({','.join(reader.list_of(lambda: reader.take().text))})"
    if not reader.at("<"):
        return name
    reader.take()
    parts: list[str] = []
    while True:
        parts.append(_field(reader) if name == "struct" else _spelled(reader))
        if not reader.accept(","):
            break
    reader.expect(">")
    return f"{name}<{','.join(parts)}>"


def _field(reader: Reader) -> str:
    name = reader.take().text
    if reader.token.text == ":":
        reader.take()
    type_ = _spelled(reader)
    if reader.accept("NOT"):
        reader.expect("NULL")
    if reader.accept("COMMENT"):
        reader.string("a comment")
    return f"{name}:{type_}"
