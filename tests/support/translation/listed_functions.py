"""What engines call functions, and what of it is none: for the command that writes the lists, and for tests of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hive_views.translation.engine_functions import KINDS

Kinds = dict[str, set[str]]
"""Names of functions by their kind."""

_SYMBOLS = ("!", "!=", "%", "&", "*", "+", "-", "/", "<", "<=", "<=>", "<>", "=", "==", ">", ">=", "^", "|", "~")
_WORDS = ("and", "between", "case", "in", "not", "or", "when")
SPARK_OPERATORS = frozenset({*_SYMBOLS, *_WORDS, "||", "<<", ">>", ">>>"})
"""In Spark's list; 3.5 lacks a few of the last."""
HIVE_OPERATORS = frozenset({*_SYMBOLS, *_WORDS, "div", "like", "regexp", "rlike"})
"""In the list of each Hive."""
HIVE_INTERNAL = frozenset({"$sum0"})
"""What no query can call, since Hive's parser takes it for something else; an optimizer does."""
HIVE_CONVERSIONS = {
    **dict.fromkeys(("bigint", "double", "float", "int", "smallint", "tinyint"), "1"),
    **dict.fromkeys(("binary", "boolean", "string"), "'a'"),
    "date": "'2020-01-01'",
    "timestamp": "'2020-01-01 00:00:00'",
    "interval_day_time": "'1 00:00:00'",
    "interval_year_month": "'1-1'",
}
"""Functions that are called like types, which Hive has and does not show, with an argument of each."""

_FROM = "FROM (SELECT 1 AS a) t"
_SCALARS = {
    "cast": "CAST(a AS INT)",
    "coalesce": "COALESCE(a, a)",
    "current_catalog": "CURRENT_CATALOG",
    "current_date": "CURRENT_DATE",
    "current_path": "CURRENT_PATH",
    "current_schema": "CURRENT_SCHEMA",
    "current_time": "CURRENT_TIME",
    "current_timestamp": "CURRENT_TIMESTAMP",
    "current_user": "CURRENT_USER",
    "dateadd": "DATEADD(DAY, 1, DATE '2020-01-01')",
    "datediff": "DATEDIFF(DAY, DATE '2020-01-01', DATE '2020-01-01')",
    "extract": "EXTRACT(YEAR FROM DATE '2020-01-01')",
    "format": "FORMAT('%s', a)",
    "if": "IF(a = 1, a, a)",
    "json_array": "JSON_ARRAY(a)",
    "json_exists": "JSON_EXISTS('{}', 'lax $')",
    "json_object": "JSON_OBJECT('a' : a)",
    "json_query": "JSON_QUERY('{}', 'lax $')",
    "json_value": "JSON_VALUE('{}', 'lax $')",
    "localtime": "LOCALTIME",
    "localtimestamp": "LOCALTIMESTAMP",
    "normalize": "NORMALIZE('a', NFC)",
    "nullif": "NULLIF(a, a)",
    "overlay": "OVERLAY('abc' PLACING 'x' FROM 2)",
    "position": "POSITION('a' IN 'a')",
    "row": "ROW(a, a)",
    "session_user": "SESSION_USER",
    "struct": "STRUCT(a)",
    "substring": "SUBSTRING('abc' FROM 2)",
    "timestampadd": "TIMESTAMPADD(DAY, 1, TIMESTAMP '2020-01-01 00:00:00')",
    "timestampdiff": "TIMESTAMPDIFF(DAY, TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 00:00:00')",
    "trim": "TRIM(BOTH 'a' FROM 'a')",
    "try": "TRY(a)",
    "try_cast": "TRY_CAST(a AS INT)",
    "user": "USER",
}
_AGGREGATES = {
    "any_value": "ANY_VALUE(a)",
    "first": "FIRST(a)",
    "last": "LAST(a)",
    "listagg": "LISTAGG('a', ',') WITHIN GROUP (ORDER BY 'a')",
    "percentile_cont": "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a)",
    "percentile_disc": "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY a)",
}
FORMS: dict[str, dict[str, str]] = {
    "scalars": {
        **{name: f"SELECT {call} {_FROM}" for name, call in _SCALARS.items()},
        "grouping": f"SELECT GROUPING(a) {_FROM} GROUP BY a",
    },
    "aggregates": {name: f"SELECT {call} {_FROM}" for name, call in _AGGREGATES.items()},
    "tables": {
        "json_table": "SELECT * FROM JSON_TABLE('[]', 'lax $' COLUMNS (a FOR ORDINALITY))",
        "unnest": "SELECT * FROM UNNEST(ARRAY[1])",
    },
}
"""By kind and name, queries with functions that have a rule of their own in the grammar of Hive, Spark or Trino."""


def all_scalars(names: Iterable[str]) -> str:
    """One query with several of these functions, of which ``grouping`` is none."""
    return f"SELECT {', '.join(_SCALARS[name] for name in sorted(names))} {_FROM}"


HIVE_FORMS = ("cast", "extract", "overlay", "position", "substring", "try_cast")
"""Those that differ from a call of any function, so that a parser alone knows them."""


def no_functions() -> Kinds:
    """Names by kind, to be filled."""
    return {kind: set() for kind in KINDS}


def all_of(kinds: Kinds) -> set[str]:
    """The names of all kinds."""
    return set().union(*kinds.values())


def trino_functions(ask: Callable[[str], Iterable[Sequence[Any]]]) -> Kinds:
    """What Trino lists; of the functions in FROM, which connectors have too, its own."""
    found = no_functions()
    for name, _, _, kind, *_ in ask("SHOW FUNCTIONS"):
        if kind != "table":
            found[f"{kind}s"].add(name)
    found["tables"] = {name for name, _, _, kind, *_ in ask("SHOW FUNCTIONS FROM system.builtin") if kind == "table"}
    return found


def spark_functions(kinds: Kinds) -> Kinds:
    """What Spark listed, without operators."""
    return {kind: {name for name in names if name not in SPARK_OPERATORS} for kind, names in kinds.items()}


def forms_taken(listed: Iterable[str], takes: Callable[[str], bool]) -> Kinds:
    """The functions of the grammar that an engine does not list.

    Args:
        listed: what it lists.
        takes: whether the engine can read a query.
    """
    known = set(listed)
    found = no_functions()
    for kind, queries in FORMS.items():
        found[kind] = {name for name, query in queries.items() if name not in known and takes(query)}
    return found
