"""Names of SQL dialects: which are known, which a metastore row can carry."""

from __future__ import annotations

import re

from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.messages.did_you_mean import did_you_mean

ROW_DIALECTS = ("hive", "spark")
"""The dialects whose text a metastore row can carry; plain Hive, Spark, Impala and Trino parse it as HiveQL."""

PARSED_DIALECTS = frozenset(
    [
        *("athena", "bigquery", "clickhouse", "databricks", "dax", "doris", "dremio", "drill", "druid", "duckdb"),
        *("dune", "exasol", "fabric", "hive", "materialize", "mysql", "oracle", "postgres", "presto", "prql"),
        *("redshift", "risingwave", "snowflake", "solr", "spark", "spark2", "sqlite", "starrocks", "tableau"),
        *("teradata", "trino", "tsql"),
    ]
)
"""The dialects that sqlglot parses; listed here because importing it takes longer than most calls."""

_UNPARSED_DIALECTS = ("dremiosql", "flink", "impala")
"""Dialects that other engines write to metadata files."""

METASTORE_CATALOGS = ("spark_catalog", "hive")
"""What Spark and Trino call the catalog that is the metastore, in a name of three parts."""

_OTHER = "other:"
_DIALECT = re.compile(r"[a-z][a-z0-9_-]*")


class Dialect(str):
    """The canonical name of a dialect, already checked."""

    __slots__ = ()


def check_dialect(dialect: str) -> Dialect:
    """The canonical name of the dialect that a user writes: ``"Hive"`` is ``"hive"``, ``"other:acme"`` is ``"acme"``.

    Known are the dialects that are parsed here, and a few that other engines write. Any other name is taken for a
    mistake unless it is prefixed with ``other:``; texts in such a dialect are stored without being parsed.

    Raises:
        InvalidInputError: the name is unknown, or is not a letter followed by letters, digits, ``_`` and ``-``.
    """
    if isinstance(dialect, Dialect):
        return dialect
    written = dialect.strip().lower()
    name = canonical_dialect(written.removeprefix(_OTHER))
    if not written.startswith(_OTHER) and not _is_known(name):
        raise InvalidInputError(
            f"{name!r} is not a known SQL dialect. {did_you_mean(name, (*PARSED_DIALECTS, *_UNPARSED_DIALECTS))} To "
            f"store SQL in it without parsing, write {_OTHER}{name}.",
            dialect=dialect,
        )
    return name


def canonical_dialect(dialect: str) -> Dialect:
    """The canonical spelling of a dialect that a file names, known or not.

    Raises:
        InvalidInputError: it is not a letter followed by letters, digits, ``_`` and ``-``.
    """
    name = dialect.strip().lower()
    if not _DIALECT.fullmatch(name):
        raise InvalidInputError(
            f"Cannot use {dialect!r} as a SQL dialect: its name starts with a letter and has only letters, digits, '_' "
            f"and '-'.",
            dialect=dialect,
        )
    return Dialect(name)


def written_dialect(dialect: str) -> str:
    """The dialect in the form that ``check_dialect`` accepts."""
    return dialect if _is_known(dialect) else _OTHER + dialect


def _is_known(name: str) -> bool:
    return name in PARSED_DIALECTS or name in _UNPARSED_DIALECTS


def require_row_dialect(dialect: str) -> Dialect:
    """The dialect in its canonical spelling, if a metastore row can carry a text in it.

    Raises:
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    name = canonical_dialect(dialect)
    if name not in ROW_DIALECTS:
        raise UnsupportedFeatureError(
            f"A metastore row cannot hold {name} SQL, because its readers parse it as HiveQL: add "
            f"SQL in dialect {' or '.join(ROW_DIALECTS)} to the view.",
        )
    return name
