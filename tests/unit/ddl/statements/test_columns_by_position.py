"""The columns of a view go with those of its query by position, also where a star hides what the query calls them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from hive_views import TableIdentifier, ViewCatalog
from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.session import Session
from hive_views.errors import InvalidSchemaError
from hive_views.hive.columns import schema_from
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import STAR_COLUMNS
from hive_views.spec.metadata import SQLViewRepresentation, ViewVersion
from hive_views.spec.updates import AddSchema, AddViewVersion, SetCurrentViewVersion
from hive_views.sql.query import QueryText
from hive_views.storage.files import Files
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.changes.query_columns import columns_with_star
from hive_views.views.client_catalog import ClientCatalog
from tests.support.texts.star_queries import CASES, QUERIES, create_tables, row_texts
from tests.support.views.foreign_writers import spark_create_or_replace
from tests.unit.ddl.statements.conftest import Run

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


@dataclass(frozen=True)
class Asked:
    """A view that somebody makes or changes, and what the columns of its query are."""

    catalog: ViewCatalog
    name: TableIdentifier
    query: str
    columns: list[tuple[str, str]]
    own: list[str]
    dialect: str

    @property
    def sql(self) -> dict[str, str]:
        return {self.dialect: self.query}

    def make_another(self) -> None:
        """A view of the name with the same columns, and another text."""
        literals = ", ".join(f"CAST(NULL AS {type_}) AS {name}" for name, type_ in self.columns)
        self.catalog.create_view(self.name, sql={self.dialect: f"SELECT {literals}"}, schema=self.columns)

    def by_spark_sql(self) -> None:
        names = ", ".join(name for name, _ in self.columns)
        found = [(own, type_, None) for own, (_, type_) in zip(self.own, self.columns, strict=True)]
        statement = parse_statement(f"CREATE VIEW {self.name.name} ({names}) AS {self.query}", self.dialect)
        execute_statement(self.catalog, statement, Session("sales", columns_of=lambda *_: found))

    def by_create_view(self) -> None:
        self.catalog.create_view(self.name, sql=self.sql, schema=self.columns)

    def by_replace_view(self) -> None:
        self.make_another()
        self.catalog.replace_view(self.name, sql=self.sql, schema=self.columns)

    def by_replace_view_that_keeps_columns(self) -> None:
        self.make_another()
        self.catalog.replace_view(self.name, sql=self.sql)

    def by_alter_view(self) -> None:
        self.make_another()
        self.catalog.alter_view(self.name, sql=self.sql)
        # What is written anew from the file reads the same columns.
        self.catalog.alter_view(self.name, sql={"trino": self.query})

    def by_rest(self) -> None:
        schema, _ = schema_from(self.columns)
        version = _version(self.query, self.dialect)
        ClientCatalog(self.catalog.engine).create(self.name, version, schema, properties={}, location=None, key=None)

    def by_rest_that_replaces(self) -> None:
        self.make_another()
        schema, _ = schema_from(self.columns)
        updates = [AddSchema(schema), AddViewVersion(_version(self.query, self.dialect)), SetCurrentViewVersion(-1)]
        ClientCatalog(self.catalog.engine).commit(self.name, updates, view_uuid=None, key=None)

    def by_adopting(self) -> None:
        """The row of Spark's own view stays; what is made of it says the same."""
        columns = tuple(Column(name, type_) for name, type_ in self.columns)
        row = spark_create_or_replace(
            Row(self.name, "VIRTUAL_VIEW", columns=columns), self.query, session_database="sales"
        )
        said = {f"view.query.out.col.{place}": name for place, name in enumerate(self.own)}
        said["view.query.out.numCols"] = str(len(self.own))
        self.catalog.metastore.create_row(replace(row, parameters={**row.parameters, **said}))
        self.catalog.adopt_view(self.name)
        self.catalog.alter_view(self.name, sql=self.sql)


WAYS = {name.removeprefix("by_"): way for name, way in vars(Asked).items() if name.startswith("by_")}


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_makes_the_row_that_create_view_makes(catalog: ViewCatalog, way: str, dialect: str) -> None:
    stated = row_texts(catalog, "sales", dialect, CASES)
    for place, ((query, names), text) in enumerate(zip(CASES, stated, strict=True)):
        assert _listed(QUERIES[query].split(), names) in text
        found = columns_with_star(Tables(catalog.metastore, Files()), QueryText(query, dialect), "sales")
        assert found is not None, query
        columns = [(name, one.type or "string") for name, one in zip(names, found, strict=True)]
        name = TableIdentifier("sales", f"w{place}")
        WAYS[way](Asked(catalog, name, query, columns, QUERIES[query].split(), dialect))
        made = catalog.metastore.load_row(name).expanded_text or ""
        assert made.replace("`w", "`v") == text, (query, names)


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
    with pytest.raises(InvalidSchemaError, match=r"returns 2 columns \(a, b\), the schema has 1 \(a\)"):
        catalog.create_view("sales.v", sql={"hive": "SELECT * FROM t"}, schema=[("a", "int")])
    assert not catalog.view_exists("sales.v")


def test_a_schema_whose_types_fit_by_name_alone_is_refused_with_the_order_of_the_query(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidSchemaError, match=r"b string stands where .* returns a int.*\(a, b\)"):
        catalog.create_view("sales.v", sql={"hive": "SELECT * FROM t"}, schema=[("b", "string"), ("a", "int")])


def test_a_replacement_has_the_columns_that_a_star_gives_more(catalog: ViewCatalog) -> None:
    catalog.create_view("sales.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    view = catalog.replace_view("sales.v", sql={"hive": "SELECT * FROM t"})
    assert [column.name for column in view.columns] == ["a", "b"]
