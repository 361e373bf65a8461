"""Names of SQL dialects: which are known, which a metastore row can carry."""

from __future__ import annotations

import re

from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.messages.did_you_mean import did_you_mean

ROW_DIALECTS = ("hive", "spark")
"""The dialects whose text a metastore row can carry: plain Hive, Spark, Impala and Trino read it as HiveQL."""

PARSED_DIALECTS = frozenset(
    [
        *("athena", "bigquery", "clickhouse", "databricks", "dax", "doris", "dremio", "drill", "druid", "duckdb"),
        *("dune", "exasol", "fabric", "hive", "materialize", "mysql", "oracle", "postgres", "presto", "prql"),
        *("redshift", "risingwave", "snowflake", "solr", "spark", "spark2", "sqlite", "starrocks", "tableau"),
        *("teradata", "trino", "tsql"),
    ]
)
"""The dialects that sqlglot parses; spelt out, because importing it takes longer than most calls."""

_UNPARSED_DIALECTS = ("dremiosql", "flink", "impala")
"""What other engines call theirs in the files of views."""

METASTORE_CATALOGS = ("spark_catalog", "hive")
"""What Spark and Trino call the catalog that is the metastore, in a name of three parts."""

_OTHER = "other:"
_DIALECT = re.compile(r"[a-z][a-z0-9_-]*")


class Dialect(str):
    """The canonical name of a dialect that was checked, and need not be checked again."""

    __slots__ = ()


def check_dialect(dialect: str) -> Dialect:
    """The canonical name of the dialect that a user writes: ``"Hive"`` is ``"hive"``, ``"other:acme"`` is ``"acme"``.

    Known are the dialects that are parsed here, and a few that other engines write. Any other name is taken for a
    mistake unless ``other:`` before it says that it is meant; its texts are kept unread then.

    Raises:
        InvalidInputError: the name is unknown, or not of letters, digits, ``_`` and ``-`` after a first letter.
    """
    if isinstance(dialect, Dialect):
        return dialect
    written = dialect.strip().lower()
    name = canonical_dialect(written.removeprefix(_OTHER))
    if not written.startswith(_OTHER) and not _is_known(name):
        raise InvalidInputError(
            f"No SQL dialect {name!r} is known here; if it is meant, write {_OTHER}{name}. "
            f"{did_you_mean(name, (*PARSED_DIALECTS, *_UNPARSED_DIALECTS))}",
            dialect=dialect,
        )
    return name


def canonical_dialect(dialect: str) -> Dialect:
    """The canonical spelling of a dialect that a file holds, known or not.

    Raises:
        InvalidInputError: not a name of letters, digits, ``_`` and ``-`` that starts with a letter.
    """
    name = dialect.strip().lower()
    if not _DIALECT.fullmatch(name):
        raise InvalidInputError(
            f"Cannot use {dialect!r} as a SQL dialect: write a name of letters, digits, '_' and '-', as in 'hive'.",
            dialect=dialect,
        )
    return Dialect(name)


def written_dialect(dialect: str) -> str:
    """The dialect as ``check_dialect`` reads it back."""
    return dialect if _is_known(dialect) else _OTHER + dialect


def _is_known(name: str) -> bool:
    return name in PARSED_DIALECTS or name in _UNPARSED_DIALECTS


def row_dialect(dialect: str) -> Dialect:
    """The dialect in its canonical spelling, if a metastore row can carry a text in it.

    Raises:
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    name = canonical_dialect(dialect)
    if name not in ROW_DIALECTS:
        raise UnsupportedFeatureError(
            f"A metastore row cannot carry a {name} text, because its readers take it as HiveQL: "
            f"give the view a text in one of {', '.join(ROW_DIALECTS)}.",
        )
    return name
