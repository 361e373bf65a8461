"""What statements would do to views: each kind of statement, paths, partitions, and what is broken already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchTableError,
    NoSuchViewError,
    SQLSyntaxError,
)
from hive_views.estate import ImpactReport, as_junit, as_sarif, check, impact
from hive_views.estate.impacts.impact_report import DeclaredPartitions, TypeChange
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.publish import publish
from hive_views.readiness.conditions import column
from hive_views.readiness.rules.requirements import requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on


def columns_of(*texts: str) -> tuple[Column, ...]:
    return tuple(Column(*text.split()) for text in texts)


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    """Views of four levels on two tables."""
    metastore = MemoryMetastore(warehouse=f"file://{tmp_path}/m")
    catalog = catalog_on(metastore, f"file://{tmp_path}/v", owner="ada")
    catalog.create_namespace("web")
    users, clicks = TableIdentifier("web", "users"), TableIdentifier("web", "clicks")
    metastore.create_row(
        Row(users, "MANAGED_TABLE", "ada", f"file:{tmp_path}/u", columns_of("id int", "iso string", "n int"))
    )
    metastore.create_row(
        Row(
            clicks,
            "EXTERNAL_TABLE",
            "ada",
            f"file:{tmp_path}/c",
            columns_of("user_id int"),
            columns_of("ds string"),
        )
    )
    create(catalog, "names", "SELECT id, iso FROM web.users", "id int", "iso string")
    create(catalog, "filtered", "SELECT id FROM web.users WHERE iso = 'x'", "id int")
    create(catalog, "ids", "SELECT id FROM sales.names", "id int")
    create(catalog, "above", "SELECT id FROM sales.ids", "id int")
    create(catalog, "everything", "SELECT * FROM web.users", "id int", "iso string", "n int")
    create(catalog, "number", "SELECT n FROM web.users", "n int")
    joined = "SELECT c.user_id, c.ds FROM web.clicks c JOIN web.users u ON c.user_id = u.n"
    create(catalog, "joined", joined, "user_id int", "ds string", partitioned_on=["ds"])
    return catalog


def create(catalog: ViewCatalog, name: str, query: str, *columns: str, **more: Any) -> None:
    schema = [(one.name, one.type) for one in columns_of(*columns)]
    catalog.create_view(f"sales.{name}", sql={"hive": query}, schema=schema, **more)


def found(report: ImpactReport) -> dict[str, str]:
    assert len({one.view for one in report.findings}) == len(report.findings)
    return {one.view.partition(".")[2]: one.code for one in report.findings}


WITHOUT_ISO = {
    "names": "column-gone",
    "filtered": "column-gone",
    "ids": "source-broken",
    "above": "source-broken",
    "everything": "column-gone",
}


@pytest.mark.parametrize(
    ("statements", "codes"),
    [
        ("ALTER TABLE web.users DROP COLUMN iso", WITHOUT_ISO),
        ("ALTER TABLE web.users RENAME COLUMN iso TO country", WITHOUT_ISO),
        ("ALTER TABLE web.users CHANGE iso country string", WITHOUT_ISO),
        ("ALTER TABLE web.users REPLACE COLUMNS (id int, n int)", WITHOUT_ISO),
        ("ALTER TABLE web.users DROP COLUMN IF EXISTS other", {}),
        (
            "ALTER TABLE web.users CHANGE n n bigint",
            {"everything": "column-type-changed", "number": "column-type-changed"},
        ),
        ("ALTER TABLE web.users ALTER COLUMN n TYPE smallint", {}),
        ("ALTER TABLE web.users ALTER COLUMN n FIRST", {}),
        ("ALTER TABLE web.users ADD COLUMNS (z int)", {"everything": "star-outdated"}),
        ("DROP TABLE web.clicks", {"joined": "source-gone"}),
        ("ALTER TABLE web.clicks RENAME TO web.visits", {"joined": "source-gone"}),
        ("DROP TABLE IF EXISTS web.nothing", {}),
        ("DROP VIEW sales.ids", {"above": "source-gone"}),
        ("ALTER VIEW sales.ids RENAME TO sales.beyond", {"above": "source-gone"}),
        ("ALTER VIEW sales.ids AS SELECT iso FROM web.users", {"above": "column-gone"}),
        ("ALTER VIEW sales.ids AS SELECT iso AS id FROM web.users", {"above": "column-type-changed"}),
        ("CREATE OR REPLACE VIEW sales.ids AS SELECT n + 1 AS id, iso FROM web.users", {}),
        ("CREATE OR REPLACE VIEW sales.ids (id) AS SELECT n FROM web.users", {}),
        (
            "CREATE OR REPLACE VIEW sales.ids DIALECT trino AS SELECT 1 AS id DIALECT hive AS SELECT id FROM web.users",
            {},
        ),
        (
            "CREATE OR REPLACE VIEW sales.ids (id BIGINT) AS SELECT own(id) FROM web.users DIALECT trino AS SELECT 1",
            {"above": "column-type-changed"},
        ),
        ("CREATE OR REPLACE VIEW sales.ids (no) AS SELECT n FROM web.users", {"above": "column-gone"}),
        ("ALTER VIEW sales.ids AS SELECT id FROM sales.above", {"ids": "cycle", "above": "cycle"}),
        # Several: what one breaks, another one mends.
        ("USE web; ALTER TABLE users RENAME TO people; CREATE VIEW users AS SELECT * FROM people", {}),
        (
            "ALTER TABLE web.users DROP COLUMN iso; ALTER VIEW sales.names AS SELECT id, 'x' AS iso FROM web.users",
            {"filtered": "column-gone", "everything": "column-gone"},
        ),
        (
            "ALTER VIEW sales.ids AS SELECT length(iso) AS id FROM web.users; ALTER TABLE web.users DROP COLUMN iso",
            {"names": "column-gone", "filtered": "column-gone", "ids": "column-gone"}
            | {"above": "source-broken", "everything": "column-gone"},
        ),
    ],
)
def test_what_each_statement_does(catalog: ViewCatalog, statements: str, codes: dict[str, str]) -> None:
    before = rows(catalog)
    report = impact(catalog, statements)
    assert found(report) == codes
    assert report.before == report.solved == ()
    assert [f"sales.{name}" for name in sorted(codes) if codes[name] != "star-outdated"] == list(report.broken)
    assert rows(catalog) == before


def rows(catalog: ViewCatalog) -> Sequence[Row]:
    metastore = catalog.metastore
    names = [
        (ns, name) for ns in ("sales", "web") for name in metastore.list_view_names(ns) + metastore.list_table_names(ns)
    ]
    return [metastore.load_row(TableIdentifier(*name)) for name in names]


def test_the_way_to_what_breaks_is_told(catalog: ViewCatalog) -> None:
    report = impact(catalog, "ALTER TABLE web.users DROP COLUMN iso")
    [finding] = [one for one in report.findings if one.view == "sales.above"]
    assert finding.details["path"] == ["sales.above", "sales.ids", "sales.names"]
    assert "users has no column 'iso'" in finding.problem


def test_types_that_fit_are_no_finding_but_are_told_through_views(catalog: ViewCatalog) -> None:
    create(catalog, "again", "SELECT n AS m FROM sales.number", "m int")
    report = impact(catalog, "ALTER TABLE web.users CHANGE n n smallint")
    assert report.findings == ()
    assert report.type_changes == (
        TypeChange("sales.again", "m", "int", "smallint", "int"),
        TypeChange("sales.everything", "n", "int", "smallint", "int"),
        TypeChange("sales.number", "n", "int", "smallint", "int"),
    )
    assert "3 columns would have another type in Hive" in report.summary()


def test_partitions_and_publications_that_hang_on_them_are_counted(catalog: ViewCatalog) -> None:
    catalog.partitions("sales.joined").add([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    publish(catalog, "sales.joined", requires("web.clicks", ds=column("ds")))
    report = impact(catalog, "ALTER TABLE web.users DROP COLUMN n")
    assert report.partitions == (DeclaredPartitions("sales.joined", 2, ("hive_views",)),)
    assert impact(catalog, "ALTER TABLE web.users DROP COLUMN n", partitions=False).partitions == ()


def test_what_is_broken_already_is_told_apart(catalog: ViewCatalog) -> None:
    text = "SELECT gone FROM web.users"
    broken = TableIdentifier("sales", "broken")
    catalog.metastore.create_row(
        Row(broken, VIRTUAL_VIEW, "ada", columns=columns_of("gone int"), original_text=text, expanded_text=text)
    )
    report = impact(catalog, "ALTER TABLE web.users DROP COLUMN iso")
    assert found(report) == WITHOUT_ISO
    assert [(one.view, one.code) for one in report.before] == [("sales.broken", "column-gone")]

    report = impact(catalog, "ALTER TABLE web.users ADD COLUMNS (gone int)")
    assert [(one.view, one.code) for one in report.solved] == [("sales.broken", "column-gone")]
    assert found(report) == {"everything": "star-outdated"}


@pytest.mark.parametrize("mode", ["", "COMPENSATION", "TYPE EVOLUTION", "EVOLUTION"])
def test_a_view_of_spark_is_judged_by_its_schema_mode(catalog: ViewCatalog, mode: str) -> None:
    """Without one, Spark casts up; a view that Spark 4.1 makes compensates: it fails where no cast exists."""
    for name, text, columns in (
        ("n", "SELECT n FROM web.users", "n int"),
        ("all", "SELECT * FROM web.users", "iso string"),
    ):
        catalog.metastore.create_row(
            Row(
                TableIdentifier("sales", f"spark_{name}"),
                VIRTUAL_VIEW,
                "ada",
                columns=columns_of(columns),
                original_text=text,
                expanded_text=text,
                parameters={"spark.sql.create.version": "4.1.4", **({"view.schemaMode": mode} if mode else {})},
            )
        )

    def broken(statement: str) -> set[str]:
        report = impact(catalog, statement)
        return {one.view.removeprefix("sales.spark_") for one in report.findings if "spark_" in one.view}

    assert broken("ALTER TABLE web.users CHANGE n n bigint") == ({"n"} if not mode else set())
    assert broken("ALTER TABLE web.users CHANGE n n date") == ({"n"} if mode in ("", "COMPENSATION") else set())
    assert broken("ALTER TABLE web.users DROP COLUMN iso") == ({"all"} if mode != "EVOLUTION" else set())


@pytest.mark.parametrize(
    ("query", "type_", "statement", "is_refused"),
    [
        # As Spark 4.1.4 and Hive 2.3.10 were asked: one of them at least refuses these.
        ("SELECT id FROM web.users WHERE n > 0", "int", "n n date", True),
        ("SELECT u.id FROM web.users u JOIN web.users v ON u.n = v.id", "int", "n n date", True),
        ("SELECT id FROM web.users WHERE id IN (SELECT n FROM web.users)", "int", "n n array<int>", True),
        ("SELECT coalesce(n, 0) AS c FROM web.users", "int", "n n date", True),
        ("SELECT CASE WHEN n > 0 THEN id ELSE 0 END AS c FROM web.users", "int", "n n date", True),
        ("SELECT n AS c FROM web.users UNION ALL SELECT id FROM web.users", "int", "n n string", True),
        ("SELECT concat(iso, 'x') AS c FROM web.users", "string", "iso iso array<string>", True),
        ("SELECT length(iso) AS c FROM web.users", "int", "iso iso int", True),
        # And these no engine.
        ("SELECT id FROM web.users WHERE n > 0", "int", "n n string", False),
        ("SELECT id FROM web.users WHERE iso = 'x'", "int", "iso iso date", False),
        ("SELECT upper(iso) AS c FROM web.users", "string", "iso iso int", False),
        ("SELECT count(*) AS c FROM web.users", "bigint", "n n date", False),
    ],
)
def test_expressions_that_engines_refuse_with_another_type_are_found(
    catalog: ViewCatalog, query: str, type_: str, statement: str, is_refused: bool
) -> None:
    create(catalog, "asked", query, f"{'c' if ' AS c' in query else 'id'} {type_}")
    name = "c" if " AS c" in query else "id"
    create(catalog, "asked_again", f"SELECT {name} FROM sales.asked", f"{name} {type_}")
    report = impact(catalog, f"ALTER TABLE web.users CHANGE {statement}")
    codes = {one.view: one.code for one in report.findings if "asked" in one.view}
    refused = {"sales.asked": "column-type-changed", "sales.asked_again": "source-broken"}
    assert codes == (refused if is_refused else {})


def test_a_column_that_is_called_like_its_table_does_not_hide_that_another_is_gone(catalog: ViewCatalog) -> None:
    """Spark and Hive fail: without n.m, Spark takes n.m for a field of the column n, which is a number."""
    table = TableIdentifier("web", "n")
    catalog.metastore.create_row(Row(table, "MANAGED_TABLE", "ada", None, columns_of("n int", "m int")))
    create(catalog, "alike", "SELECT n.n, n.m FROM web.n", "n int", "m int")
    assert found(impact(catalog, "ALTER TABLE web.n DROP COLUMN m")) == {"alike": "column-gone"}


def test_texts_of_spark_are_read_as_spark_reads_them(catalog: ViewCatalog) -> None:
    statement = """CREATE OR REPLACE VIEW ids AS SELECT * EXCEPT (iso), r"a" AS x FROM sales.names"""
    assert found(impact(catalog, statement, dialect="spark", namespace="sales")) == {}
    with pytest.raises(SQLSyntaxError):
        impact(catalog, statement, namespace="sales")


@pytest.mark.parametrize(
    ("statements", "error", "problem"),
    [
        (
            "ALTER TABLE web.users DROP COLUMN isso",
            InvalidSchemaError,
            "web.users has no column isso. Did you mean 'iso'?",
        ),
        ("ALTER TABLE web.clicks DROP COLUMN ds", InvalidSchemaError, "partition column"),
        ("ALTER TABLE web.users ADD COLUMNS (ISO int)", InvalidSchemaError, "the column iso twice"),
        ("ALTER TABLE web.clicks DROP COLUMN user_id", InvalidSchemaError, "no columns"),
        ("ALTER TABLE web.people DROP COLUMN iso", NoSuchTableError, "no table web.people"),
        ("ALTER TABLE sales.ids RENAME TO sales.x", NoSuchTableError, "a view, not a table"),
        ("DROP VIEW web.users", NoSuchViewError, "a table, not a view"),
        ("ALTER VIEW sales.x AS SELECT 1 AS a", NoSuchViewError, "no view sales.x"),
        ("ALTER TABLE web.users RENAME TO web.clicks", AlreadyExistsError, "already exists"),
        ("CREATE VIEW sales.ids AS SELECT 1 AS a", AlreadyExistsError, "already exists"),
        ("CREATE OR REPLACE VIEW sales.ids (a, b) AS SELECT 1 AS a", InvalidSchemaError, "returns 1 column"),
        ("ALTER VIEW sales.ids AS SELECT isso FROM web.users", SQLSyntaxError, "Did you mean 'iso'?"),
        ("DROP TABLE web.clicks; DROP TABLE web.clicks", NoSuchTableError, "The statement on line 1 would fail."),
        ("-- nothing", InvalidInputError, "no statement"),
    ],
)
def test_a_statement_that_would_fail_is_refused(
    catalog: ViewCatalog, statements: str, error: type[HiveViewsError], problem: str
) -> None:
    with pytest.raises(error) as caught:
        impact(catalog, statements)
    assert problem in str(caught.value)


def test_what_it_says_is_what_check_finds_afterwards(catalog: ViewCatalog) -> None:
    before = impact(catalog, "ALTER TABLE web.users REPLACE COLUMNS (id bigint)")
    catalog.metastore.drop_row(users := TableIdentifier("web", "users"))
    catalog.metastore.create_row(Row(users, "MANAGED_TABLE", "ada", None, columns_of("id bigint")))
    after = check(catalog, partitions=False)
    assert [one.fingerprint for one in after.findings] == [one.fingerprint for one in before.findings]


def test_formats_for_ci_have_the_findings(catalog: ViewCatalog) -> None:
    report = impact(catalog, "ALTER TABLE web.users DROP COLUMN iso")
    assert [one["ruleId"] for one in as_sarif(report)["runs"][0]["results"]] == [one.code for one in report.findings]
    assert as_junit(report).count("<failure") == len(report.findings)
