"""Spark with Iceberg over REST, beside our API and a plain Spark on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, ViewCatalog
from hive_views.estate import undrop
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.updates import DROP_DIALECT_ALLOWED
from tests.interop.clicks import DAYS, NAMES, PAGES, ROWS, Ask, by_day, sound
from tests.support.java.connectors import ICEBERG_VERSION
from tests.support.java.iceberg_java import Iceberg
from tests.support.processes.rest_server import rest_server

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

# The first is what the README says, the second gives what is in the files.
WAREHOUSES = {"views": "hive@spark_catalog", "true": "hive", "called": "hive@called"}
PLAIN_READERS_FAIL = "plain readers of the metastore cannot read this view"


def proves(operation: str, result: str) -> pytest.MarkDecorator:
    """The mark of a test that proves a line of the table of what engines do."""
    return pytest.mark.matrix(
        engine=f"Iceberg {ICEBERG_VERSION} on Spark 4.1.4 over REST",
        operation=operation,
        result=result,
        server="2.3.10 on Derby",
    )


@pytest.fixture(scope="module")
def server(metastore_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the embedded metastore's views."""
    with rest_server(metastore_uri, tmp_path_factory.mktemp("serve")) as server:
        yield server.address


@pytest.fixture(scope="module")
def rest(iceberg: Iceberg, server: str) -> Iceberg:
    """Spark with a catalog for each of these warehouses, all on this server."""
    for name, warehouse in WAREHOUSES.items():
        iceberg.add_catalog(name, type="rest", uri=server, warehouse=warehouse)
    return iceberg


@pytest.fixture
def current(rest: Iceberg) -> Iterator[None]:
    """Spark's current catalog and database are as before after the test."""
    yield
    rest.sql("USE spark_catalog.default")


@pytest.fixture
def clicks(namespace: str) -> str:
    return f"{namespace}.clicks"


def everybody_reads(rest: Iceberg, ask: Ask, name: str) -> list[tuple[Any, ...]]:
    """The rows of a view, the same over REST and for a plain Spark."""
    rows = by_day(rest.sql(f"SELECT * FROM views.{name}"))
    assert ask(f"SELECT * FROM {name}") == rows
    return rows


def refused(rest: Iceberg, statement: str, reason: str) -> None:
    with pytest.raises(rest.error, match=reason):
        rest.sql(statement)


class TestStatements:
    @pytest.fixture
    def made(self, rest: Iceberg, clicks: str, web: str) -> str:
        rest.sql(
            f"CREATE VIEW views.{clicks} (who COMMENT 'it''s Ω 😀', page, ds) COMMENT 'by Spark' "
            f"TBLPROPERTIES ('team' = 'search') AS SELECT user_id, page, ds FROM {web}.clicks"
        )
        return clicks

    @proves("CREATE VIEW with names, comments and properties", "a view of ours; plain Spark reads the same rows")
    def test_a_view_is_created_and_read_and_described_by_everybody(
        self, made: str, rest: Iceberg, catalog: ViewCatalog, ask: Ask
    ) -> None:
        view = sound(catalog, made)
        assert [(c.name, c.type, c.comment) for c in view.columns] == [
            ("who", "bigint", "it's Ω 😀"),
            ("page", "string", None),
            ("ds", "string", None),
        ]
        assert (view.comment, view.properties["team"]) == ("by Spark", "search")
        assert everybody_reads(rest, ask, made) == by_day(PAGES)
        assert rest.sql(f"SELECT count(*) FROM views.{made} WHERE ds = '2026-08-22'") == [(1,)]
        described = {row[0]: row[1:] for row in rest.sql(f"DESCRIBE EXTENDED views.{made}")}
        assert described["who"] == ("bigint", "it's Ω 😀")
        assert described["Comment"] == ("by Spark", "")
        ((shown,),) = rest.sql(f"SHOW CREATE TABLE views.{made}")
        assert f"CREATE VIEW views.{made} (" in shown
        assert dict(rest.sql(f"SHOW TBLPROPERTIES views.{made}"))["team"] == "search"
        namespace, _, name = made.partition(".")
        assert rest.sql(f"SHOW VIEWS IN views.{namespace} LIKE 'cl*'") == [(namespace, name, False)]

    @proves("CREATE VIEW of a name that is taken", "refused, or nothing happens where it says IF NOT EXISTS")
    def test_a_name_that_is_taken_is_refused(
        self, made: str, rest: Iceberg, catalog: ViewCatalog, web: str, spark: Any, ask: Ask
    ) -> None:
        namespace = made.partition(".")[0]
        spark.sql(f"CREATE VIEW {namespace}.plain AS SELECT 1 AS one")
        before = catalog.load_view(made).metadata_location
        rest.sql(f"CREATE VIEW IF NOT EXISTS views.{made} AS SELECT 2 AS one")
        for name in (made, f"{namespace}.plain", f"{web}.clicks"):
            refused(rest, f"CREATE VIEW views.{name} AS SELECT 2 AS one", "ALREADY_EXISTS")
        for name, what in ((f"{namespace}.plain", "View already exists"), (f"{web}.clicks", "Table with same name")):
            refused(rest, f"CREATE OR REPLACE VIEW views.{name} AS SELECT 2 AS one", what)
        assert catalog.load_view(made).metadata_location == before
        assert ask(f"SELECT * FROM {namespace}.plain") == [(1,)]
        assert len(ask(f"SELECT * FROM {web}.clicks")) == len(PAGES)

    @proves("CREATE OR REPLACE VIEW", "another version, with the properties of before; plain Spark reads the new rows")
    def test_a_replaced_view_has_a_version_more_and_can_be_rolled_back(
        self, made: str, rest: Iceberg, catalog: ViewCatalog, web: str, ask: Ask
    ) -> None:
        before = everybody_reads(rest, ask, made)
        rest.sql(
            f"CREATE OR REPLACE VIEW views.{made} TBLPROPERTIES ('more' = 'yes') AS "
            f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"
        )
        view = sound(catalog, made)
        assert [entry.version_id for entry in view.history] == [1, 2]
        assert (view.properties["team"], view.properties["more"], view.comment) == ("search", "yes", "by Spark")
        assert everybody_reads(rest, ask, made) == ROWS
        catalog.roll_back_view(made, to_version=1)
        assert everybody_reads(rest, ask, made) == before
        sound(catalog, made)

    @proves("ALTER VIEW ... AS", "refused by Iceberg: replace the view")
    def test_alter_view_as_is_not_in_iceberg(self, made: str, rest: Iceberg, catalog: ViewCatalog) -> None:
        refused(rest, f"ALTER VIEW views.{made} AS SELECT 1 AS one", "Use CREATE OR REPLACE VIEW instead")
        assert len(sound(catalog, made).versions) == 1

    @proves(
        "ALTER VIEW SET and UNSET TBLPROPERTIES",
        "properties of the view; those with a meaning of their own are refused",
    )
    def test_properties_are_set_and_removed(self, made: str, rest: Iceberg, catalog: ViewCatalog, ask: Ask) -> None:
        rows = everybody_reads(rest, ask, made)
        rest.sql(f"ALTER VIEW views.{made} SET TBLPROPERTIES ('comment' = 'again\\n\\t\"é\"', 'a' = 'b')")
        rest.sql(f"ALTER VIEW views.{made} UNSET TBLPROPERTIES ('team')")
        for name in ("hive-views.commits", "spark.sql.create.version", "metadata_location"):
            refused(rest, f"ALTER VIEW views.{made} SET TBLPROPERTIES ('{name}' = 'x')", "Cannot set property")
        view = sound(catalog, made)
        assert (view.comment, view.properties["a"], "team" in view.properties) == ('again\n\t"é"', "b", False)
        assert len(view.versions) == 1
        assert everybody_reads(rest, ask, made) == rows

    @proves("ALTER VIEW RENAME TO", "the view under its new name; a name that is taken is refused")
    def test_a_view_is_renamed(self, made: str, rest: Iceberg, catalog: ViewCatalog, web: str, ask: Ask) -> None:
        rows, uuid = everybody_reads(rest, ask, made), catalog.load_view(made).uuid
        renamed = f"{made}_2"
        refused(rest, f"ALTER VIEW views.{made} RENAME TO views.{web}.clicks", "VIEW_ALREADY_EXISTS")
        refused(
            rest, f"ALTER VIEW views.{made} RENAME TO views.none_such.clicks", "Namespace does not exist: none_such"
        )
        rest.sql(f"ALTER VIEW views.{made} RENAME TO views.{renamed}")
        assert sound(catalog, renamed).uuid == uuid
        assert not catalog.view_exists(made)
        assert everybody_reads(rest, ask, renamed) == rows

    @proves("DROP VIEW", "the row goes, the files stay, and the view can be brought back; tables and plain views stay")
    def test_a_view_is_dropped_and_brought_back(
        self, made: str, rest: Iceberg, catalog: ViewCatalog, web: str, spark: Any, ask: Ask
    ) -> None:
        plain = f"{made}_plain"
        spark.sql(f"CREATE VIEW {plain} AS SELECT 1 AS one")
        rows = everybody_reads(rest, ask, made)
        rest.sql(f"DROP VIEW views.{made}")
        rest.sql(f"DROP VIEW IF EXISTS views.{made}")
        for name in (made, plain, f"{web}.clicks"):
            refused(rest, f"DROP VIEW views.{name}", "VIEW_NOT_FOUND")
        assert ask(f"SELECT * FROM {plain}") == [(1,)]
        assert undrop(catalog, made).failed == ()
        assert everybody_reads(rest, ask, made) == rows


class TestTexts:
    @proves("CREATE VIEW, any query that Spark and a row know", "plain Spark reads the same rows and columns")
    @pytest.mark.parametrize(
        ("columns", "text"),
        [
            ("(b, a)", "SELECT * FROM VALUES ('A', 'B') AS t(a, b)"),
            ("(b, a, c)", "SELECT t.*, 1 FROM (SELECT 'A' AS a, 'B' AS b) t"),
            ("(b, a)", "SELECT 'A' AS a, 'B' AS b"),
            ("", "SELECT user_id AS `a b`, page AS `x``y`, ds AS `select` FROM {web}.clicks"),
            ("", "SELECT 'it''s' AS a, \"b\" AS b, r'\\n' AS c, '\\n' AS d, 'é😀\\u0041' AS e, ';' AS f -- ' end;"),
            ("", "SELECT CAST('abc' AS CHAR(5)) AS c, CAST('abc' AS VARCHAR(5)) AS v, X'00FF' AS b, 1.50BD AS d"),
            ("", "SELECT named_struct('a', 1, 'b', array(map('x', 1.5D))) AS s, array(1, 2) AS l, map('k', 1) AS m"),
            ("", "WITH c AS (SELECT user_id FROM {web}.clicks) SELECT a.user_id FROM c a JOIN c b USING (user_id)"),
            ("", "SELECT user_id, x FROM spark_catalog.{web}.clicks LATERAL VIEW explode(array(1, 2)) e AS x"),
            ("", "SELECT page FROM {web}.clicks MINUS SELECT page FROM {web}.clicks WHERE user_id = 2"),
            ("", "SELECT user_id, count(*), max(page) FROM {web}.clicks GROUP BY ALL"),
            ("", "SELECT * FROM IDENTIFIER('{web}.clicks')"),
            ("", "SELECT transform(array(1, 2), x -> x + 1) AS a, 5 DIV 2 AS d, 'a' <=> NULL AS n, -7 % 3 AS m"),
        ],
    )
    def test_mean_the_same_to_plain_readers(
        self, rest: Iceberg, catalog: ViewCatalog, clicks: str, web: str, spark: Any, columns: str, text: str
    ) -> None:
        rest.sql(f"CREATE VIEW views.{clicks} {columns} AS {text.format(web=web)}")
        sound(catalog, clicks)
        over_rest = sorted(rest.json(f"SELECT * FROM views.{clicks}"))
        assert sorted(spark.sql(f"SELECT * FROM {clicks}").toJSON().collect()) == over_rest

    @proves(
        "CREATE VIEW, names of its own catalog, pipes and the like", "read over REST; plain readers fail, and say why"
    )
    @pytest.mark.parametrize(
        "text",
        [
            "SELECT * FROM views.{namespace}.other",
            "SELECT * FROM {namespace}.other |> SELECT one",
            "VALUES (1)",
            "TABLE {namespace}.other",
        ],
    )
    def test_that_a_row_cannot_hold_fail_in_plain_readers(
        self, rest: Iceberg, catalog: ViewCatalog, namespace: str, clicks: str, ask: Ask, text: str
    ) -> None:
        from pyspark.errors import AnalysisException

        catalog.create_view(f"{namespace}.other", sql={"hive": "SELECT 1 AS one"}, schema=[("one", "int")])
        rest.sql(f"CREATE VIEW views.{clicks} AS {text.format(namespace=namespace)}")
        assert catalog.load_view(clicks).differences == ()
        assert rest.sql(f"SELECT * FROM views.{clicks}") == [(1,)]
        with pytest.raises(AnalysisException, match=PLAIN_READERS_FAIL):
            ask(f"SELECT * FROM {clicks}")

    @proves("CREATE VIEW with names in a third catalog", "read over REST; plain readers fail, and read no namesakes")
    def test_whose_names_are_of_another_catalog_are_not_read_in_the_metastore(
        self, rest: Iceberg, clicks: str, web: str, ask: Ask, current: None, tmp_path: Path
    ) -> None:
        from pyspark.errors import AnalysisException

        rest.add_catalog("third", type="hadoop", warehouse=f"file:{tmp_path}/third")
        rest.sql(f"CREATE NAMESPACE third.{web}")
        rest.sql(f"CREATE TABLE third.{web}.clicks (user_id BIGINT, page STRING, ds STRING)")
        rest.sql(f"USE third.{web}")
        for number, source in enumerate(("clicks", "IDENTIFIER('clicks')")):
            name = f"{clicks}_{number}"
            rest.sql(f"CREATE VIEW views.{name} AS SELECT * FROM {source}")
            assert rest.sql(f"SELECT * FROM views.{name}") == []
            with pytest.raises(AnalysisException, match=PLAIN_READERS_FAIL):
                ask(f"SELECT * FROM {name}")

    @proves("CREATE VIEW with a column of no type", "refused: cast it")
    def test_with_a_column_that_hive_has_no_type_for_are_refused(
        self, rest: Iceberg, catalog: ViewCatalog, clicks: str
    ) -> None:
        refused(rest, f"CREATE VIEW views.{clicks} AS SELECT NULL AS nothing", "Column nothing .* Cast it")
        assert not catalog.view_exists(clicks)


class TestPartitionedViews:
    @pytest.fixture
    def daily(self, catalog: ViewCatalog, namespace: str, web: str) -> str:
        view = catalog.create_view(
            f"{namespace}.daily",
            sql={
                "spark": f"SELECT user_id, count(*) AS clicks, 'x' AS code, ds FROM {web}.clicks GROUP BY user_id, ds"
            },
            schema=[("user_id", "bigint"), ("clicks", "bigint"), ("code", "varchar(7)"), ("ds", "string", "day")],
            partitioned_on=["ds"],
        )
        catalog.partitions(view.identifier).add(DAYS)
        return str(view.identifier)

    @proves("CREATE OR REPLACE VIEW of a partitioned view", "keys, their types, and partitions stay; plain Spark reads")
    def test_stay_partitioned_when_they_are_replaced_altered_and_renamed(
        self, daily: str, rest: Iceberg, catalog: ViewCatalog, web: str, ask: Ask, hms: HiveMetastore
    ) -> None:
        rest.sql(
            f"CREATE OR REPLACE VIEW views.{daily} (user_id, code, more, ds) AS "
            f"SELECT user_id, page, 1, ds FROM {web}.clicks WHERE user_id = 2"
        )
        assert everybody_reads(rest, ask, daily) == [(2, "/", 1, "2026-08-21")]
        rest.sql(f"ALTER VIEW views.{daily} SET TBLPROPERTIES ('comment' = 'by Spark')")
        rest.sql(f"ALTER VIEW views.{daily} RENAME TO views.{daily}_2")
        view = sound(catalog, f"{daily}_2")
        row = hms.load_row(view.identifier)
        assert [(c.name, c.type) for c in row.columns] == [
            ("user_id", "bigint"),
            ("code", "varchar(7)"),
            ("more", "int"),
        ]
        assert [(key.name, key.type) for key in row.partition_keys] == [("ds", "string")]
        assert catalog.partitions(view.identifier).names() == NAMES
        assert everybody_reads(rest, ask, f"{daily}_2") == [(2, "/", 1, "2026-08-21")]

    @proves("CREATE OR REPLACE VIEW that would orphan partitions", "refused, with the reason; nothing is changed")
    @pytest.mark.parametrize(
        ("columns", "reason"),
        [
            ("ds, user_id", r"partitioned on \(ds\), but its columns \(ds, user_id\) do not end in these"),
            ("user_id", r"partitioned on \(ds\), but its columns \(user_id\)"),
            ("user_id, CAST(ds AS DATE) AS ds", r"has 2 partitions, .*: they are \(ds string 'day'\), .* \(ds date\)"),
        ],
    )
    def test_are_not_replaced_by_what_would_orphan_their_partitions(
        self, daily: str, rest: Iceberg, catalog: ViewCatalog, web: str, columns: str, reason: str
    ) -> None:
        before = catalog.load_view(daily).metadata_location
        refused(rest, f"CREATE OR REPLACE VIEW views.{daily} AS SELECT {columns} FROM {web}.clicks", reason)
        assert sound(catalog, daily).metadata_location == before
        assert catalog.partitions(daily).names() == NAMES

    @proves(
        "CREATE OR REPLACE VIEW with other texts in it", "refused by Iceberg until replace.drop-dialect.allowed is set"
    )
    def test_their_other_dialects_are_not_dropped_without_leave(
        self, spark_view: View, rest: Iceberg, catalog: ViewCatalog, web: str, ask: Ask
    ) -> None:
        name = str(spark_view.identifier)
        replace = f"CREATE OR REPLACE VIEW views.{name} AS SELECT user_id, 7L AS clicks, ds FROM {web}.clicks"
        refused(rest, replace, "loss of view dialects")
        assert sound(catalog, name).dialects == ("spark", "hive", "trino")
        rest.sql(f"ALTER VIEW views.{name} SET TBLPROPERTIES ('{DROP_DIALECT_ALLOWED}' = 'true')")
        rest.sql(replace)
        assert sound(catalog, name).dialects == ("spark",)
        assert {row[1] for row in everybody_reads(rest, ask, name)} == {7}
        assert catalog.partitions(name).names() == NAMES


class TestNames:
    """Where names resolve: the warehouse says it, by what the client calls the catalog (behind the @)."""

    @proves("SELECT of a view of ours whose names are short", "read, where the warehouse ends in @spark_catalog")
    def test_views_of_our_api_are_read_where_the_client_is_told_spark_catalog(
        self, view: View, rest: Iceberg, ask: Ask
    ) -> None:
        name = str(view.identifier)
        assert everybody_reads(rest, ask, name) == ROWS
        for catalog, sought in (("true", "true"), ("called", "called")):
            # Over REST there are no tables of Hive.
            refused(rest, f"SELECT * FROM {catalog}.{name}", f"TABLE_OR_VIEW_NOT_FOUND.*`{sought}`.*`clicks`")

    @proves("SELECT of tables over REST", "Iceberg tables of the metastore are read; tables of Hive are not there")
    def test_iceberg_tables_are_read_and_not_written(
        self, rest: Iceberg, catalog: ViewCatalog, namespace: str, web: str, current: None
    ) -> None:
        rest.sql(f"CREATE TABLE ice.{namespace}.events (id BIGINT, ds STRING)")
        rest.sql(f"INSERT INTO ice.{namespace}.events VALUES (1, 'a'), (2, 'b')")
        assert sorted(rest.sql(f"SELECT * FROM views.{namespace}.events")) == [(1, "a"), (2, "b")]
        assert rest.sql(f"SHOW TABLES IN views.{namespace}") == [(namespace, "events", False)]
        refused(rest, f"SELECT * FROM views.{web}.clicks", "TABLE_OR_VIEW_NOT_FOUND")
        for statement in (
            f"INSERT INTO views.{namespace}.events VALUES (3, 'c')",
            f"CREATE TABLE views.{namespace}.more (id BIGINT) USING iceberg",
            f"DROP TABLE views.{namespace}.events",
        ):
            refused(rest, statement, "Server does not support endpoint")
        # A view on it is read where names are those of the catalog that it is in; a Spark without Iceberg fails.
        rest.sql(f"USE true.{namespace}")
        rest.sql("CREATE VIEW below AS SELECT count(*) AS n FROM events")
        rest.sql("CREATE VIEW above AS SELECT n FROM below")
        assert rest.sql("SELECT * FROM above") == [(2,)]
        assert sound(catalog, f"{namespace}.above").row.expanded_text == f"SELECT n AS `n` FROM `{namespace}`.`below`"
        refused(rest, "SELECT * FROM events.files", "SCHEMA_NOT_FOUND|TABLE_OR_VIEW_NOT_FOUND|Namespace does not exist")

    @proves(
        "SparkSessionCatalog of type rest as spark_catalog", "views work; no table can be dropped, not even of Hive"
    )
    def test_the_session_catalog_over_rest(
        self, rest: Iceberg, server: str, catalog: ViewCatalog, clicks: str, web: str, ask: Ask
    ) -> None:
        other = rest.another_session()
        other.add_catalog(
            "spark_catalog", kind="SparkSessionCatalog", type="rest", uri=server, warehouse="hive@spark_catalog"
        )
        other.sql(f"CREATE VIEW {clicks} (who) AS SELECT user_id FROM {web}.clicks")
        other.sql(f"CREATE OR REPLACE VIEW {clicks} (who, day) AS SELECT user_id, ds FROM {web}.clicks")
        other.sql(f"ALTER VIEW {clicks} SET TBLPROPERTIES ('a' = 'b')")
        rows = everybody_reads(rest, ask, clicks)
        assert sorted(other.sql(f"SELECT * FROM {clicks}")) == sorted(rows)
        assert [entry.version_id for entry in sound(catalog, clicks).history] == [1, 2]
        other.sql(f"CREATE TABLE {clicks}_hive (a INT) USING parquet")
        refused(other, f"DROP TABLE {clicks}_hive", "Server does not support endpoint: DELETE")
        other.sql(f"DROP VIEW {clicks}")
        assert not catalog.view_exists(clicks)


class TestOthersAtTheSameTime:
    @proves(
        "CREATE OR REPLACE VIEW in two sessions at the same time",
        "all are versions of the history, the last one is current",
    )
    def test_what_two_sessions_replace_at_once_is_all_in_the_history(
        self, rest: Iceberg, server: str, catalog: ViewCatalog, clicks: str
    ) -> None:
        rest.sql(f"CREATE VIEW views.{clicks} AS SELECT 0 AS n")
        sessions = [rest.another_session() for _ in range(2)]
        for session in sessions:
            session.add_catalog("views", type="rest", uri=server)

        def replace(number: int) -> None:
            sessions[number % 2].sql(f"CREATE OR REPLACE VIEW views.{clicks} AS SELECT {number} AS n")

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(replace, range(1, 9)))
        view = sound(catalog, clicks)
        texts = {version.sql_in("spark").sql for version in view.versions}  # type: ignore[union-attr]
        assert texts == {f"SELECT {number} AS n" for number in range(9)}
        assert len(view.history) == 9
