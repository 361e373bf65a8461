"""The columns of a view go with those of its query by position, also where a star hides what the query calls them."""

from __future__ import annotations

import pytest

from hive_views import TableIdentifier, ViewCatalog
from hive_views.errors import InvalidSchemaError
from hive_views.hive.columns import schema_from
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import STAR_COLUMNS
from hive_views.spec.metadata import SQLViewRepresentation, ViewVersion
from hive_views.spec.updates import AddSchema, AddViewVersion, SetCurrentViewVersion
from hive_views.views.client_catalog import ClientCatalog
from hive_views.views.query_columns import columns_with_star
from tests.star_queries import CASES, QUERIES, create_tables
from tests.unit.statements.conftest import Run

VIEW = TableIdentifier("sales", "v")


@pytest.fixture(autouse=True)
def _tables(catalog: ViewCatalog) -> None:
    create_tables(catalog, "sales")


def _text(catalog: ViewCatalog) -> str:
    return catalog.metastore.load_row(VIEW).expanded_text or ""


def _listed(own: list[str], names: list[str]) -> str:
    pairs = zip(own, names, strict=True)
    return f"SELECT {', '.join(f'`{one}` AS `{name}`' for one, name in pairs)} FROM ("


def _version(query: str, dialect: str) -> ViewVersion:
    text = SQLViewRepresentation(sql=query, dialect=dialect)
    return ViewVersion(
        version_id=1,
        timestamp_ms=1,
        schema_id=0,
        summary={"engine-name": "client"},
        default_namespace=("sales",),
        representations=(text,),
    )


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_the_first_name_is_that_of_the_first_column(catalog: ViewCatalog, dialect: str) -> None:
    for place, (query, names) in enumerate(CASES):
        found = columns_with_star(catalog.metastore, query, dialect, "sales")
        assert found is not None, query
        schema = [(name, one.type or "int") for name, one in zip(names, found, strict=True)]
        view = catalog.create_view(f"sales.v{place}", sql={dialect: query}, schema=schema)
        assert _listed(QUERIES[query].split(), names) in (view.row.expanded_text or ""), query


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize("names", [["b", "a"], ["x", "y"]])
def test_whoever_makes_or_changes_a_view_gets_the_same_columns(
    run: Run, catalog: ViewCatalog, names: list[str], dialect: str
) -> None:
    query, listed = "SELECT * FROM (SELECT a, CAST(b AS int) AS b FROM t) q", _listed(["a", "b"], names)
    schema = [(name, "int") for name in names]
    of_client, _ = schema_from(schema)
    literals = f"SELECT 1 AS {names[0]}, 2 AS {names[1]}"
    clients, version = ClientCatalog(catalog), _version(query, dialect)

    def state_it() -> None:
        run(f"CREATE OR REPLACE VIEW v ({', '.join(names)}) AS {query}", dialect=dialect)

    def send_it() -> None:
        updates = [AddSchema(of_client), AddViewVersion(version), SetCurrentViewVersion(-1)]
        clients.commit(VIEW, updates, view_uuid=None, key=None)

    state_it()
    assert listed in _text(catalog)
    changes = (
        state_it,
        send_it,
        lambda: catalog.replace_view(VIEW, sql={dialect: query}, schema=schema),
        lambda: catalog.replace_view(VIEW, sql={dialect: query}),
        lambda: catalog.alter_view(VIEW, sql={dialect: query}),
    )
    for change in changes:
        catalog.replace_view(VIEW, sql={dialect: literals}, schema=schema)
        change()
        assert listed in _text(catalog)
    # What is written anew from the file reads the same columns.
    catalog.alter_view(VIEW, sql={"trino": query})
    assert listed in _text(catalog)
    catalog.drop_view(VIEW)
    clients.create(VIEW, version, of_client, properties={}, location=None, key=None)
    assert listed in _text(catalog)


def test_names_of_the_query_alone_need_no_note(run: Run, catalog: ViewCatalog) -> None:
    run("CREATE VIEW v AS SELECT * FROM t", dialect="spark")
    assert STAR_COLUMNS not in catalog.load_view("sales.v").current_version.summary


def test_where_the_metastore_does_not_know_the_columns_they_are_named_as_the_caller_says(
    run: Run, catalog: ViewCatalog, metastore: MemoryMetastore
) -> None:
    lake = Row(TableIdentifier("web", "lake"), "EXTERNAL_TABLE", columns=(Column("col", "array<string>"),),
               parameters={"spark.sql.sources.provider": "delta"}, location="file:/nowhere")  # fmt: skip
    metastore.create_row(lake)
    own = [("a", "int"), ("b", "int")]
    run("CREATE VIEW v (b, a) AS SELECT * FROM web.lake", schema=own)
    assert _listed(["a", "b"], ["b", "a"]) in _text(catalog)
    renamed = [("x", "int"), ("y", "int")]
    catalog.replace_view("sales.v", sql={"hive": "SELECT * FROM web.lake"}, schema=renamed, query_columns=["a", "b"])
    assert _listed(["a", "b"], ["x", "y"]) in _text(catalog)


def test_a_column_beside_a_star_can_have_the_name_of_one_behind_it(run: Run, catalog: ViewCatalog) -> None:
    run("CREATE VIEW v (x, y, b, a) AS SELECT t.*, u.c, CAST(u.d AS int) FROM t JOIN u ON true")
    assert _text(catalog).startswith("SELECT `a` AS `x`, `b` AS `y`, `c` AS `b`, `_c3` AS `a` FROM (SELECT t.*, u.c, ")


def test_a_schema_with_another_number_of_columns_than_the_star_is_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidSchemaError, match=r"gives 2 columns \(a, b\), the schema has 1 \(a\)"):
        catalog.create_view("sales.v", sql={"hive": "SELECT * FROM t"}, schema=[("a", "int")])
    assert not catalog.view_exists("sales.v")


def test_a_schema_whose_types_fit_by_name_alone_is_refused_with_the_order_of_the_query(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidSchemaError, match=r"b string stands where .* gives a int.*\(a, b\)"):
        catalog.create_view("sales.v", sql={"hive": "SELECT * FROM t"}, schema=[("b", "string"), ("a", "int")])


def test_a_replacement_has_the_columns_that_a_star_gives_more(catalog: ViewCatalog) -> None:
    catalog.create_view("sales.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    view = catalog.replace_view("sales.v", sql={"hive": "SELECT * FROM t"})
    assert [column.name for column in view.columns] == ["a", "b"]
