"""Properties of a row that an engine reads otherwise than they are meant.

A row that has one of these may be of any engine. What Trino makes of its own views, and Spark of its own, is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from zoneinfo import available_timezones

from hive_views.estate.checks.findings import Finding, replace_query
from hive_views.hive.row import COMMENT, STORAGE_HANDLER, TABLE_TYPE, Row
from hive_views.messages.remedy import Remedy
from hive_views.spec.strict_json import read_json
from hive_views.views import remedies
from hive_views.views.row.hive_iceberg_view import is_read_from_file
from hive_views.views.row.spark_row import SCHEMA_MODE, SETTINGS_PREFIX
from hive_views.views.view import is_iceberg_view

_PRESTO = "presto_view"
_PRESTO_COMMENTS = ("presto view", "presto materialized view")
_TRINO_TEXT = re.compile(r"\s*/\* Presto (?:Materialized )?View: [A-Za-z0-9+/=\s]+\*/\s*")
_TABLE_FORMATS = ("iceberg", "delta", "paimon")

_PROVIDER = "spark.sql.sources.provider"
_SCHEMA = "spark.sql.sources.schema"
_MODES = ("BINDING", "COMPENSATION", "TYPE EVOLUTION", "EVOLUTION")
_NAMES = "view.catalogAndNamespace."
_OUT = "view.query.out."
_OFFSET = re.compile(r"(?:(?:GMT|UTC|UT)?[+-]\d{1,2}(?::?\d{2}(?::?\d{2})?)?|Z|GMT|UTC|UT)")

# What Spark writes as the columns of a view that Hive cannot read (HiveExternalCatalog.EMPTY_DATA_SCHEMA).
_NO_HIVE_COLUMNS = [("col", "array<string>")]


def misread(row: Row) -> Iterator[Finding]:
    """What engines misread in the row of a view."""
    for rule in _RULES:
        yield from rule(row)


def is_presto_view(row: Row) -> bool:
    """Whether Trino takes the row for a view of its own, and finds in it what it looks for."""
    return (
        row.parameters.get(_PRESTO) == "true"
        and row.parameters.get(COMMENT, "").lower() in _PRESTO_COMMENTS
        and _TRINO_TEXT.fullmatch(row.original_text or "") is not None
    )


def _presto(row: Row) -> Iterator[Finding]:
    if _PRESTO in row.parameters:
        if not is_presto_view(row):
            problem = (
                f"The row has {_PRESTO}={row.parameters[_PRESTO]!r} without the rest of what Trino's own views have."
            )
            yield _finding("presto-view", row, problem, _unset_property(str(row.identifier), _PRESTO), property=_PRESTO)
    elif row.parameters.get(COMMENT, "").lower() in _PRESTO_COMMENTS:
        problem = f"The comment is {row.parameters[COMMENT]!r}, by which Presto recognises views of its own."
        yield _finding("presto-view", row, problem, _unset_property(str(row.identifier), COMMENT), property=COMMENT)


def _table_type(row: Row) -> Iterator[Finding]:
    found = row.parameters.get(TABLE_TYPE, "")
    if found.lower() in _TABLE_FORMATS:
        problem = f"The view has {TABLE_TYPE}={found}, which is for tables."
        remedy = _unset_property(str(row.identifier), TABLE_TYPE)
        yield _finding("table-type", row, problem, remedy, property=TABLE_TYPE, value=found)


def _of_tables(code: str, name: str) -> Callable[[Row], Iterator[Finding]]:
    def rule(row: Row) -> Iterator[Finding]:
        value = row.parameters.get(name)
        if value is not None and (name != "EXTERNAL" or value.lower() == "true"):
            problem = f"The view has {name}={value}, which is for tables."
            yield _finding(code, row, problem, _unset_property(str(row.identifier), name), property=name, value=value)

    return rule


def _storage_handler(row: Row) -> Iterator[Finding]:
    # The handler of Hive's own Iceberg views is compared with their file (row_and_file.py).
    if not is_read_from_file(row):
        yield from _of_tables("storage-handler", STORAGE_HANDLER)(row)


def _provider(row: Row) -> Iterator[Finding]:
    value = row.parameters.get(_PROVIDER)
    if value is not None:
        problem = f"The view has {_PROVIDER}={value}, which is for tables."
        yield _by_spark("spark-provider", row, problem, _PROVIDER)


def _schema(row: Row) -> Iterator[Finding]:
    columns = [*row.columns, *row.partition_keys]
    if [(one.name, one.type) for one in columns] == _NO_HIVE_COLUMNS:
        return
    text = _in_parts(row.parameters)
    if text is None:
        return
    try:
        names = [str(field["name"]).lower() for field in read_json(text)["fields"]]
    except (ValueError, TypeError, KeyError):
        yield _by_spark("spark-schema", row, f"{_SCHEMA} is incomplete, or not a schema.", _SCHEMA)
        return
    if names != [one.name.lower() for one in columns]:
        found, wanted = ", ".join(names), ", ".join(one.name for one in columns)
        yield _by_spark("spark-schema", row, f"{_SCHEMA} has the columns ({found}), the row ({wanted}).", _SCHEMA)


def _in_parts(parameters: Mapping[str, str]) -> str | None:
    """Spark's copy of the columns, which may be in several parameters; empty where one is missing."""
    count = parameters.get(f"{_SCHEMA}.numParts")
    if count is None:
        return parameters.get(_SCHEMA)
    parts = [parameters.get(f"{_SCHEMA}.part.{number}") for number in range(_number(count) or 0)]
    return "".join(part for part in parts if part is not None) if None not in parts else ""


def _schema_mode(row: Row) -> Iterator[Finding]:
    value = row.parameters.get(SCHEMA_MODE)
    if value is not None and value.upper() not in _MODES:
        problem = f"{SCHEMA_MODE} is {value!r}, which is not one of {', '.join(_MODES)}."
        yield _by_spark("spark-schema-mode", row, problem, SCHEMA_MODE)


def _settings(row: Row) -> Iterator[Finding]:
    for name, check, expected in (
        ("spark.sql.ansi.enabled", lambda value: value.strip().lower() in ("true", "false"), "true or false"),
        ("spark.sql.session.timeZone", _is_time_zone, "a time zone"),
    ):
        parameter = SETTINGS_PREFIX + name
        value = row.parameters.get(parameter)
        if value is not None and not check(value):
            problem = f"{parameter} is {value!r}, and Spark wants {expected}."
            yield _by_spark("spark-setting", row, problem, parameter)


def _is_time_zone(value: str) -> bool:
    return _OFFSET.fullmatch(value) is not None or value in available_timezones()


def _namespace(row: Row) -> Iterator[Finding]:
    count = row.parameters.get(f"{_NAMES}numParts")
    if count is None:
        return
    parts = [row.parameters.get(f"{_NAMES}part.{number}") for number in range(_number(count) or 0)]
    if not parts or None in parts:
        yield _by_spark("spark-name-space", row, f"{_NAMES}numParts is {count}, and a part is missing.", _NAMES)
    elif len(parts) == 2 and parts[0] != "spark_catalog":
        problem = f"{_NAMES}part.0 is {parts[0]!r}, and views of the metastore are in spark_catalog."
        yield _by_spark("spark-name-space", row, problem, _NAMES)


def _query_columns(row: Row) -> Iterator[Finding]:
    count = row.parameters.get(f"{_OUT}numCols")
    columns = len(row.columns) + len(row.partition_keys)
    if count is None or [(one.name, one.type) for one in row.columns] == _NO_HIVE_COLUMNS:
        return
    named = [row.parameters.get(f"{_OUT}col.{number}") for number in range(_number(count) or 0)]
    if _number(count) != columns:
        problem = f"{_OUT}numCols is {count}, and the row has {columns} columns."
        yield _by_spark("spark-query-columns", row, problem, f"{_OUT}numCols")
    elif None in named:
        yield _by_spark("spark-query-columns", row, f"{_OUT}col.{named.index(None)} is missing.", f"{_OUT}numCols")


def _owner(row: Row) -> Iterator[Finding]:
    # Trino's views that run as their reader have none.
    if not row.owner and not is_presto_view(row):
        yield _finding("no-owner", row, "The row has no owner.", _give_owner(str(row.identifier)))


def _text(row: Row) -> Iterator[Finding]:
    if not (row.expanded_text or "").strip():
        name = str(row.identifier)
        remedy = remedies.decide_on_drift(name) if is_iceberg_view(row) else replace_query(name, is_plain=True)
        yield _finding("no-text", row, "The row has no expanded text.", remedy)


def _location(row: Row) -> Iterator[Finding]:
    # Of a view with a metadata file, the comparison with it says so.
    if row.location is not None and not is_iceberg_view(row):
        problem = f"The row has the location {row.location}, which DROP VIEW deletes."
        name = str(row.identifier)
        remedy = Remedy(
            in_python=f"Before anybody drops {name}, move what must be kept out of {row.location}.",
            in_shell=f"Move what must be kept out of {row.location} before anybody drops {name}.",
        )
        yield _finding("location-set", row, problem, remedy, location=row.location)


def _by_spark(code: str, row: Row, problem: str, name: str) -> Finding:
    """Of a property that only Spark reads; the file of a view of ours knows none of these."""
    view = str(row.identifier)
    remedy = remedies.decide_on_drift(view) if is_iceberg_view(row) else replace_query(view, is_plain=True)
    return _finding(code, row, problem, remedy, property=name)


def _finding(code: str, row: Row, problem: str, remedy: Remedy, **details: object) -> Finding:
    return Finding(code, str(row.identifier), problem, remedy, details)


def _number(text: str) -> int | None:
    # The metastore takes any text, also one of many digits.
    return int(text) if re.fullmatch(r"\d{1,5}", text) else None


_RULES: tuple[Callable[[Row], Iterator[Finding]], ...] = (
    _location,
    _text,
    _presto,
    _table_type,
    _of_tables("external", "EXTERNAL"),
    _storage_handler,
    _provider,
    _schema,
    _schema_mode,
    _settings,
    _namespace,
    _query_columns,
    _owner,
)


def _unset_property(view: str, name: str) -> Remedy:
    return Remedy(
        in_python=f"Execute ALTER VIEW {view} UNSET TBLPROPERTIES ('{name}') in Hive or Spark.",
        in_shell=f"In Hive or Spark, ALTER VIEW {view} UNSET TBLPROPERTIES removes the property {name}.",
    )


def _give_owner(view: str) -> Remedy:
    return Remedy(
        in_python=f"Any commit sets one, such as alter_view('{view}', ...); for a plain view, execute ALTER VIEW "
        f"{view} SET AUTHORIZATION in Trino.",
        in_shell=f"Any commit sets one, such as `hive-views alter {view}`; for a plain view, execute ALTER VIEW {view} "
        f"SET AUTHORIZATION in Trino.",
    )
