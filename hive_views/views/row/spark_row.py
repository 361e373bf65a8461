"""What Spark stores about a view in the parameters of its row.

Spark trusts ``spark.sql.sources.schema`` more than the columns of the row, which are a dummy if Hive has no such type;
``view.query.out`` names the columns of the query; ``view.sqlConfig`` holds the settings of the session that the text
was written in (HiveExternalCatalog, SessionCatalog.fromCatalogTable).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hive_views.errors import InvalidSchemaError
from hive_views.hive.row import Column, Row
from hive_views.messages.counted import counted
from hive_views.spec.strict_json import read_json
from hive_views.sql.query import QueryText
from hive_views.views.row.plain_view_checks import check_types, names_in

SETTINGS_PREFIX = "view.sqlConfig."
SCHEMA_MODE = "view.schemaMode"
"""What Spark 4 does where the query gives other columns than the view has; by default it casts up, or fails."""

_SCHEMA = "spark.sql.sources.schema"
_CREATE_VERSION = "spark.sql.create.version"
_BY_OTHERS = "2.2 or prior"
"""What Spark takes a view's version for that it did not make, and writes when it alters one."""
_OUTPUT = "view.query.out"
_CATALOG_AND_NAMESPACE = "view.catalogAndNamespace"
_OWN_CATALOG = "spark_catalog"
_EXACT_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
_TO_HIVE = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "timestamp_ntz": "timestamp",
    "timestamp_ltz": "timestamp",
    "null": "void",
}


def is_by_spark(row: Row) -> bool:
    """Whether the text was written in Spark; properties that Spark has set do not make it so."""
    version = row.parameters.get(_CREATE_VERSION)
    if version is None:
        # Before Spark 2.2, which says its version when it alters a view too.
        return any(key.startswith((_SCHEMA, SETTINGS_PREFIX, f"{_OUTPUT}.")) for key in row.parameters)
    return version != _BY_OTHERS or any(key.startswith((SETTINGS_PREFIX, f"{_OUTPUT}.")) for key in row.parameters)


def settings(row: Row) -> dict[str, str]:
    """The settings of the session that the text was written in, by name."""
    return {
        key.removeprefix(SETTINGS_PREFIX): value
        for key, value in row.parameters.items()
        if key.startswith(SETTINGS_PREFIX)
    }


def is_readable(row: Row) -> bool:
    """Whether the parser here reads the text as Spark does: it has no pipes, and double quotes do not enclose names."""
    quotes = settings(row).get("spark.sql.ansi.doubleQuotedIdentifiers", "false").lower()
    return quotes != "true" and "|>" not in (row.expanded_text or "")


def catalog_and_namespace(parameters: Mapping[str, str], default: str) -> tuple[str | None, tuple[str, ...]]:
    """Where names in the text of a row with these parameters resolve, by default in the namespace ``default``.

    Returns:
        The catalog, None for the metastore's own, and the namespace in it.

    Raises:
        ValueError: a part is missing.
    """
    parts = _numbered(parameters, f"{_CATALOG_AND_NAMESPACE}.numParts", f"{_CATALOG_AND_NAMESPACE}.part")
    if not parts:
        # Before Spark 3.
        return None, (parameters.get("view.default.database") or default,)
    catalog, *namespace = parts
    return (None if catalog == _OWN_CATALOG else catalog), tuple(namespace) or (default,)


def columns(row: Row) -> tuple[Column, ...]:
    """The columns as Spark takes them, partition columns last.

    Raises:
        ValueError: the schema in the parameters cannot be read.
        InvalidSchemaError: a type has no counterpart in Hive.
    """
    text = row.parameters.get(_SCHEMA)
    if text is None:
        text = "".join(_numbered(row.parameters, f"{_SCHEMA}.numParts", f"{_SCHEMA}.part"))
    if not text:
        return (*row.columns, *row.partition_keys)
    try:
        fields = read_json(text)["fields"]
        found = tuple(_column(field) for field in fields)
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise ValueError(f"its parameter {_SCHEMA} cannot be read ({e})") from e
    keys = {key.name.lower() for key in row.partition_keys}
    return (*(c for c in found if c.name.lower() not in keys), *(c for c in found if c.name.lower() in keys))


def query_columns(row: Row) -> list[str]:
    """The names of the query's columns by position; empty if the row does not have them.

    Raises:
        ValueError: the parameters that say it cannot be read.
    """
    return _numbered(row.parameters, f"{_OUTPUT}.numCols", f"{_OUTPUT}.col")


def check_output(row: Row, query: QueryText, output: Sequence[str], columns: Sequence[Column]) -> None:
    """Make sure that the query has what the view's columns are taken from, as Spark takes them: by name.

    Args:
        row: the row.
        query: its text.
        output: the columns of the query that the view's are, as the row names them.
        columns: those of the view.

    Raises:
        InvalidSchemaError: it certainly has not.
    """
    if row.parameters.get(SCHEMA_MODE, "").upper() == "EVOLUTION":
        return  # the columns are those that the query has when it is read
    found = names_in(query) if is_readable(row) else None
    if output and len(output) != len(columns):
        raise InvalidSchemaError(
            f"its parameters name {counted(len(output), 'column')} of the query ({', '.join(output)}) for "
            f"{counted(len(columns), 'column')} "
            f"of the view ({', '.join(column.name for column in columns)})."
        )
    if found is None:
        return
    if len(found) < len(columns):
        raise InvalidSchemaError(
            f"its SQL returns {counted(len(found), 'column')} ({', '.join(name or '(no name)' for name in found)}), "
            f"the row has {len(columns)} ({', '.join(column.name for column in columns)})."
        )
    wanted = output or [column.name for column in columns]
    missing = [name for name in wanted if name.lower() not in {(one or "").lower() for one in found}]
    is_by_position = not output and any(column.name.lower().startswith("_c") for column in columns)
    if missing and None not in found and not is_by_position:
        raise InvalidSchemaError(
            f"its SQL has no column {', '.join(missing)}; it gives {', '.join(map(str, found))}.", columns=missing
        )
    if [(name or "").lower() for name in found] == [name.lower() for name in wanted]:
        check_types(query, columns, row.identifier.namespace)


def _column(field: Mapping[str, Any]) -> Column:
    about = field.get("metadata") or {}
    type_ = about.get(_EXACT_TYPE) or _hive_type(field["type"])
    comment = about.get("comment")
    return Column(str(field["name"]), str(type_), str(comment) if comment else None)


def _hive_type(type_: Any) -> str:
    if isinstance(type_, str):
        name = type_.lower()
        return "string" if name.startswith("string ") else _TO_HIVE.get(name, name)
    kind = type_["type"]
    if kind == "array":
        return f"array<{_hive_type(type_['elementType'])}>"
    if kind == "map":
        return f"map<{_hive_type(type_['keyType'])},{_hive_type(type_['valueType'])}>"
    if kind == "struct":
        fields = [f"{_quoted(one['name'])}:{_hive_type(one['type'])}" for one in type_["fields"]]
        return f"struct<{','.join(fields)}>"
    if kind == "udt":
        return _hive_type(type_["sqlType"])
    raise KeyError(kind)


def _quoted(name: str) -> str:
    doubled = name.replace("`", "``")
    return name if re.fullmatch(r"\w+", name) else f"`{doubled}`"


def _numbered(parameters: Mapping[str, str], count: str, prefix: str) -> list[str]:
    """The values of ``prefix.0`` and so on, as many as another parameter says.

    Raises:
        ValueError: one is missing.
    """
    number = parameters.get(count)
    if number is None:
        return []
    try:
        return [parameters[f"{prefix}.{place}"] for place in range(int(number))]
    except (KeyError, ValueError) as e:
        raise ValueError(f"its parameter {prefix} has not the parts that {count} = {number} says") from e
