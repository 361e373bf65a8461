"""create_view and replace_view without columns: they are those that CREATE VIEW derives from the same text."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views import TableIdentifier, ViewCatalog
from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.session import Session
from hive_views.errors import InvalidSchemaError, NoSuchTableError, SQLSyntaxError, UncertainColumnsError
from tests.unit.ddl.statements.conftest import Run

QUERIES = [
    "SELECT user_id, page AS p, hr FROM web.clicks",
    "SELECT * FROM web.clicks",
    "SELECT count(*), CAST(price AS double), ds FROM web.clicks GROUP BY price, ds",
    "SELECT CAST(page AS varchar(3)) AS code, price FROM web.clicks",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_a_created_view_has_the_columns_that_create_view_gives_it(
    run: Run, catalog: ViewCatalog, query: str, dialect: str
) -> None:
    try:
        run(f"CREATE VIEW stated AS {query}", dialect=dialect)
    except InvalidSchemaError:
        with pytest.raises(InvalidSchemaError):
            catalog.create_view("sales.called", sql={dialect: query})
        return
    called = catalog.create_view("sales.called", sql={dialect: query})
    assert called.columns == catalog.load_view("sales.stated").columns


def test_the_text_for_hive_decides_and_names_resolve_where_the_call_says(catalog: ViewCatalog) -> None:
    texts = {"trino": "SELECT 1 AS a, 2 AS b", "spark": "SELECT ds AS x, hr AS y FROM clicks",
             "hive": "SELECT page AS a, hr AS b FROM clicks"}  # fmt: skip
    view = catalog.create_view("sales.v", sql=texts, default_namespace="web", partitioned_on=["b"])
    assert [(column.name, column.type) for column in view.columns] == [("a", "string"), ("b", "int")]
    assert view.partitioned_on == ("b",)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ({"hive": "SELECT own(price) AS own_price, page FROM web.clicks"}, "own_price"),
        ({"trino": "SELECT 1 AS a"}, "trino"),
        ({"spark": "SELECT a FROM lake.web.clicks"}, "lake.web.clicks is in another catalog"),
    ],
)
def test_columns_that_are_not_certain_are_named(catalog: ViewCatalog, sql: dict[str, str], problem: str) -> None:
    with pytest.raises(UncertainColumnsError, match=problem):
        catalog.create_view("sales.v", sql=sql)
    assert not catalog.view_exists("sales.v")


def test_a_table_that_does_not_exist_is_named(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchTableError, match=r"web\.nothing"):
        catalog.create_view("sales.v", sql={"hive": "SELECT a FROM web.nothing"})


def test_a_column_that_does_not_exist_is_named_with_the_nearest_and_in_statements_with_hives_number(
    run: Run, catalog: ViewCatalog
) -> None:
    with pytest.raises(SQLSyntaxError, match=r"column 8: clicks has no column 'pagee'\. Did you mean 'page'\?$"):
        catalog.create_view("sales.v", sql={"hive": "SELECT pagee FROM web.clicks"})
    with pytest.raises(SQLSyntaxError, match=r"Did you mean 'page'\? \(Hive error 10004\)$"):
        run("CREATE VIEW v AS SELECT pagee FROM web.clicks")


@pytest.mark.parametrize(
    ("item", "sparks_type", "expected"),
    [
        ("cast(page AS varchar(20))", "string", "varchar(20)"),
        ("(CAST(page AS\n CHAR ( 3 ) )) AS `x`", "string", "char(3)"),
        ("cast(cast(page AS char(3)) AS string)", "string", "string"),
        ("concat(cast(page AS char(3)), 'as varchar(5))')", "string", "string"),
        ("add_months(ds, 1) x", "date", "string"),
        ("trunc(ds, 'MM')", "date", "string"),
        ("date_add(ds, 1)", "date", "date"),
        ("add_months(ds, 1) = ds", "boolean", "boolean"),
        ("coalesce(cast(price AS decimal(10,1)), 1.5)", "decimal(10,1)", "decimal(10,1)"),
        ("1.50", "decimal(3,2)", "decimal(2,1)"),
        ("cast(price * 1.50 AS decimal(5,1))", "decimal(5,1)", "decimal(5,1)"),
        ("own(price)", "decimal(7,3)", "decimal(7,3)"),
        ("price", "double", "double"),
    ],
)
def test_of_columns_that_spark_has_found_a_text_for_hive_gets_hives_types(
    catalog: ViewCatalog, item: str, sparks_type: str, expected: str
) -> None:
    statement = parse_statement(f"CREATE VIEW v (a, b) AS SELECT ds, {item} FROM web.clicks", "hive")
    found: list[tuple[str, str, str | None]] = [("ds", "string", None), ("b", sparks_type, None)]
    execute_statement(catalog, statement, Session("sales", columns_of=lambda *_: found))
    row = catalog.metastore.load_row(TableIdentifier("sales", "v"))
    assert [column.type for column in row.columns] == ["string", expected]


def test_an_existing_view_is_left_alone_whatever_the_query_reads(catalog: ViewCatalog, daily: str) -> None:
    before = catalog.load_view(daily)
    assert catalog.create_view(daily, sql={"hive": "SELECT a FROM web.nothing"}, if_not_exists=True) == before


class TestReplacing:
    """Columns stay unless the query has another number of them."""

    def test_a_column_more_is_derived_and_the_others_keep_their_comments(
        self, catalog: ViewCatalog, daily: str
    ) -> None:
        query = "SELECT user_id AS u, page, count(*) AS n, ds, hr FROM web.clicks GROUP BY user_id, page, ds, hr"
        after = catalog.replace_view(daily, sql={"hive": query})
        assert [(one.name, one.type, one.comment) for one in after.columns] == [
            ("u", "bigint", "user"),
            ("page", "string", None),
            ("n", "bigint", "how often"),
            ("ds", "string", "day"),
            ("hr", "int", None),
        ]
        assert after.partitioned_on == ("ds", "hr")

    @pytest.mark.parametrize("query", ["SELECT 1, 2, ds, hr FROM web.clicks", "SELECT a, b, c, d FROM web.nothing"])
    def test_the_same_number_keeps_names_and_types(self, catalog: ViewCatalog, daily: str, query: str) -> None:
        before: Any = catalog.load_view(daily)
        assert catalog.replace_view(daily, sql={"hive": query}).columns == before.columns

    def test_a_column_less_that_is_a_partition_column_is_refused(self, catalog: ViewCatalog, daily: str) -> None:
        with pytest.raises(InvalidSchemaError, match="partition"):
            catalog.replace_view(daily, sql={"hive": "SELECT user_id, ds FROM web.clicks"})
