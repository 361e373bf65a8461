"""A text goes through a change as one value, and is split into tokens once, however many questions are asked of it."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlglot import Dialect

from hive_views.ddl.execute import execute
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.sql.hive_grammar import queries
from hive_views.sql.hive_grammar.words import Words
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import catalog_on

SQL = "SELECT a, b FROM t"
EXPANDED = "SELECT a AS `a`, b AS `b` FROM `sales`.`t`"
SCHEMA = [("a", "int"), ("b", "string")]


@pytest.fixture
def tokenized(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was split into tokens by sqlglot."""
    counts: Counter[str] = Counter()
    tokenize = Dialect.tokenize

    def counted(dialect: Dialect, sql: str) -> object:
        counts[sql] += 1
        return tokenize(dialect, sql)

    monkeypatch.setattr(Dialect, "tokenize", counted)
    return counts


@pytest.fixture
def read_as_hive(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was split into tokens by Hive's lexer."""
    counts: Counter[str] = Counter()

    class Counted(Words):
        def __init__(self, sql: str) -> None:
            counts[sql] += 1
            super().__init__(sql)

    monkeypatch.setattr(queries, "Words", Counted)
    queries.read_query.cache_clear()
    return counts


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    table = table_row("sales", "t")
    catalog.metastore.create_row(replace(table, columns=tuple(Column(name, type_) for name, type_ in SCHEMA)))
    catalog.create_view("sales.v", sql={"hive": "SELECT 0 AS a, 'y' AS b"}, schema=SCHEMA)
    return catalog


CHANGES: dict[str, Callable[[ViewCatalog], object]] = {
    "create_view": lambda catalog: catalog.create_view("sales.w", sql={"hive": SQL}, schema=SCHEMA),
    "create_view, columns derived": lambda catalog: catalog.create_view("sales.w", sql={"hive": SQL}),
    "replace_view": lambda catalog: catalog.replace_view("sales.v", sql={"hive": SQL}),
    "replace_view, columns given": lambda catalog: catalog.replace_view("sales.v", sql={"hive": SQL}, schema=SCHEMA),
    "alter_view": lambda catalog: catalog.alter_view("sales.v", sql={"hive": SQL}),
    "CREATE VIEW": lambda catalog: execute(catalog, f"CREATE VIEW w AS {SQL}", namespace="sales"),
    "CREATE OR REPLACE VIEW": lambda catalog: execute(catalog, f"CREATE OR REPLACE VIEW v AS {SQL}", namespace="sales"),
    "ALTER VIEW AS": lambda catalog: execute(catalog, f"ALTER VIEW v AS {SQL}", namespace="sales"),
    "ADD DIALECT": lambda catalog: execute(catalog, f"ALTER VIEW v ADD DIALECT trino AS {SQL}", namespace="sales"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_each_verb_reads_a_text_once(
    change: Callable[[ViewCatalog], object],
    catalog: ViewCatalog,
    tokenized: Counter[str],
    read_as_hive: Counter[str],
) -> None:
    change(catalog)
    assert tokenized[SQL] == 1
    assert tokenized[EXPANDED] <= 1
    assert set(read_as_hive.values()) <= {1}


def test_a_query_is_its_text_and_keeps_what_was_read() -> None:
    query = QueryText(SQL, "Hive")
    assert query == SQL
    assert query.dialect == "hive"
    assert query.statement is query.statement
    assert QueryText(query, "hive") is query
    assert QueryText(query, "spark") is not query
    assert type(str(query)) is str


def test_a_copy_is_the_query_without_what_was_read(tokenized: Counter[str]) -> None:
    query = QueryText(SQL, "hive")
    assert query.output_names == ("a", "b")
    for one in (copy.deepcopy(query), pickle.loads(pickle.dumps(query))):
        assert (one, one.dialect) == (SQL, "hive")
        assert one.output_names == ("a", "b")
    assert tokenized[SQL] == 3


def test_a_dialect_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="as a SQL dialect"):
        QueryText(SQL, "not a name")
