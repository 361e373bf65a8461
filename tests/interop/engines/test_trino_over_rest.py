"""Trino 476 over REST: what its statements make of views, beside our API and plain readers of the same rows."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hive_views import View, ViewCatalog
from hive_views.errors import NoSuchViewError
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import DROP_DIALECT_ALLOWED
from tests.interop.clicks import BASE_ROWS, COLUMNS, DAYS, NAMES, PAGES, ROWS, by_day, sound
from tests.interop.engines.conftest import Engines, SparkProcess
from tests.support.containers.engines import EngineError, Hive, Trino
from tests.support.views.catalog_setup import table_row

proves = partial(pytest.mark.matrix, engine="Trino 476 over REST", server="4.0.1 on PostgreSQL")

BY_ALL = "read by Trino over REST and by its other connectors; Hive and Spark fail"
KEPT = "Hive, Spark and Trino read on; partitions stay"
NOTHING_CHANGED = "refused; nothing is changed"
IN_TRINO = ("views", "hive", "iceberg")
"""Trino's catalogs: over REST, and its connectors on the metastore."""


def refused(engine: Hive | SparkProcess | Trino, statement: str, reason: str) -> None:
    with pytest.raises(EngineError, match=reason):
        engine.rows(statement)


@pytest.fixture(scope="module")
def lake(engines: Engines, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A namespace with the Iceberg table ``clicks``, which no test changes."""
    name = f"lake_{uuid.uuid4().hex[:12]}"
    engines.metastore.client.create_namespace(name, location=f"file:{tmp_path_factory.mktemp('lake')}")
    columns = "user_id BIGINT, page VARCHAR, ds VARCHAR"
    engines.trino.rows(f"CREATE TABLE iceberg.{name}.clicks ({columns}) WITH (partitioning = ARRAY['ds'])")
    engines.trino.rows(f"INSERT INTO iceberg.{name}.clicks VALUES {BASE_ROWS}")
    return name


@pytest.fixture
def select(lake: str) -> str:
    """A text with names that resolve in the catalog that it is written in."""
    return f"SELECT user_id, count(*) AS clicks, ds FROM {lake}.clicks GROUP BY user_id, ds"


@pytest.fixture
def session(trino: Trino, namespace: str) -> Iterator[Trino]:
    """``USE views.NAMESPACE``."""
    with closing(trino.within("views", namespace)) as session:
        yield session


@pytest.fixture
def daily(session: Trino, namespace: str, select: str) -> str:
    """A view that Trino made over REST."""
    session.rows(f"CREATE VIEW daily COMMENT 'by day' AS {select}")
    return f"{namespace}.daily"


@pytest.fixture
def partitioned(catalog: ViewCatalog, namespace: str, web: str) -> View:
    """A view of ours on a table of Hive, with two partitions."""
    text = "SELECT user_id, count(*) AS clicks, ds FROM {}.clicks GROUP BY user_id, ds"
    sql = {"hive": text.format(web), "trino": text.format(f"hive.{web}")}
    view = catalog.create_view(f"{namespace}.days", sql=sql, schema=COLUMNS, partitioned_on=["ds"], comment="by day")
    catalog.partitions(view.identifier).add(DAYS)
    return view


class TestViewsOfTrino:
    """Views that have a text for Trino alone."""

    @proves(operation="CREATE VIEW", result=BY_ALL)
    def test_a_created_view_is_read_by_each_connector_and_refused_by_hive_and_spark(
        self, daily: str, select: str, catalog: ViewCatalog, trino: Trino, hive: Hive, spark_4: SparkProcess
    ) -> None:
        for one in IN_TRINO:
            assert by_day(trino.rows(f"SELECT * FROM {one}.{daily}")) == ROWS
        refused(hive, f"SELECT * FROM {daily}", "(?i)ParseException|cannot recognize|Error while compiling")
        refused(spark_4, f"SELECT * FROM {daily}", "(?i)PARSE|cannot")
        view = sound(catalog, daily)
        (text,) = view.current_version.sql_representations
        assert (text.dialect, " ".join(text.sql.replace("\n,", ",").split())) == (
            "trino",
            select.replace("AS clicks", "clicks"),
        )
        assert (view.schema.names, view.comment) == (("user_id", "clicks", "ds"), "by day")
        assert (view.current_version.default_catalog, len(view.versions)) == (None, 1)

    @proves(operation="CREATE OR REPLACE VIEW", result=f"a version; {BY_ALL}")
    def test_a_replaced_view_is_the_same_view_in_the_same_place(
        self, daily: str, lake: str, session: Trino, catalog: ViewCatalog, trino: Trino
    ) -> None:
        before = sound(catalog, daily)
        session.rows(f"CREATE OR REPLACE VIEW daily AS SELECT user_id, page, ds FROM {lake}.clicks")
        for one in IN_TRINO:
            assert sorted(trino.rows(f"SELECT * FROM {one}.{daily}")) == sorted(PAGES)
        after = sound(catalog, daily)
        assert (after.uuid, after.metadata.location, len(after.versions)) == (before.uuid, before.metadata.location, 2)
        assert after.schema.names == ("user_id", "page", "ds")
        catalog.roll_back_view(daily, to_version=1)
        for one in IN_TRINO:
            assert by_day(trino.rows(f"SELECT * FROM {one}.{daily}")) == ROWS

    @proves(operation="COMMENT ON VIEW, COMMENT ON COLUMN", result="seen by each connector and by us")
    def test_comments_are_seen_by_each_connector(
        self, daily: str, session: Trino, catalog: ViewCatalog, trino: Trino
    ) -> None:
        session.rows("COMMENT ON VIEW daily IS 'Ω of a day'")
        session.rows("COMMENT ON COLUMN daily.ds IS 'the day'")
        for one in IN_TRINO:
            ((shown,),) = trino.rows(f"SHOW CREATE VIEW {one}.{daily}")
            assert "COMMENT 'Ω of a day'" in shown
            assert [row[3] for row in trino.rows(f"DESCRIBE {one}.{daily}")] == ["", "", "the day"]
        view = sound(catalog, daily)
        assert (view.comment, view.schema.fields[2].doc) == ("Ω of a day", "the day")
        assert view.current_version.sql_representations == view.versions[0].sql_representations

    @proves(operation="ALTER VIEW ... RENAME TO", result="the same view, also in another schema")
    def test_a_renamed_view_is_the_same_view(
        self, daily: str, session: Trino, lake: str, catalog: ViewCatalog, trino: Trino
    ) -> None:
        before = catalog.load_view(daily)
        moved = f"{lake}.moved_{uuid.uuid4().hex[:8]}"
        session.rows("ALTER VIEW daily RENAME TO weekly")
        session.rows(f"ALTER VIEW weekly RENAME TO {moved}")
        for one in IN_TRINO:
            assert by_day(trino.rows(f"SELECT * FROM {one}.{moved}")) == ROWS
        assert sound(catalog, moved).uuid == before.uuid
        assert session.rows("SHOW TABLES") == []
        catalog.drop_view(moved)

    @proves(operation="DROP VIEW", result="the row goes, the files stay; register_view brings it back")
    def test_a_dropped_view_leaves_its_files_and_comes_back(
        self, daily: str, session: Trino, catalog: ViewCatalog, trino: Trino
    ) -> None:
        location = catalog.load_view(daily).metadata_location
        session.rows("DROP VIEW daily")
        with pytest.raises(NoSuchViewError):
            catalog.load_view(daily)
        catalog.register_view(daily, location)
        assert by_day(trino.rows(f"SELECT * FROM views.{daily}")) == ROWS

    @proves(operation="SHOW TABLES, DESCRIBE, SHOW CREATE VIEW, information_schema", result="the view, its columns")
    def test_a_view_is_in_all_that_trino_lists(self, daily: str, namespace: str, session: Trino, trino: Trino) -> None:
        assert session.rows("SHOW TABLES") == [("daily",)]
        columns = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "varchar")]
        assert [row[:2] for row in session.rows("DESCRIBE daily")] == columns
        ((shown,),) = session.rows("SHOW CREATE VIEW daily")
        assert by_day(session.rows(shown[shown.index("AS\n") + 3 :])) == ROWS
        where = f"WHERE table_schema = '{namespace}'"
        assert trino.rows(f"SELECT table_name FROM views.information_schema.views {where}") == [("daily",)]
        listed = trino.rows(f"SELECT column_name, data_type FROM views.information_schema.columns {where}")
        assert sorted(listed) == sorted(columns)

    def test_names_are_in_lower_case_however_they_are_written(
        self, namespace: str, session: Trino, catalog: ViewCatalog, trino: Trino
    ) -> None:
        session.rows('CREATE VIEW "BIG" AS SELECT 1 AS "Aa", 2 AS "bB"')
        for one in IN_TRINO:
            assert trino.rows(f'SELECT "AA", bb FROM {one}."{namespace.upper()}".Big') == [(1, 2)]
        assert sound(catalog, f"{namespace}.big").identifier.name == "big"

    @proves(operation="SECURITY DEFINER, SECURITY INVOKER", result="as said over REST; INVOKER in other connectors")
    def test_other_connectors_never_read_a_view_with_more_rights_than_the_reader_has(
        self, namespace: str, session: Trino, catalog: ViewCatalog, trino: Trino
    ) -> None:
        """The Hive connector gives a definer's view the rights of the row's owner, whom the client did not name."""
        for mode in ("DEFINER", "INVOKER"):
            session.rows(f"CREATE VIEW as_{mode} SECURITY {mode} AS SELECT 1 AS a")
            name = f"{namespace}.as_{mode.lower()}"
            ((over_rest,),) = trino.rows(f"SHOW CREATE VIEW views.{name}")
            ((shown,),) = trino.rows(f"SHOW CREATE VIEW hive.{name}")
            assert f"SECURITY {mode}" in over_rest
            assert "SECURITY INVOKER" in shown
            owner = sound(catalog, name).properties.get("trino.run-as-owner")
            assert owner == ("tests" if mode == "DEFINER" else None)

    @proves(operation="SELECT by others from a view with SECURITY DEFINER", result="with the rights of who made it")
    def test_a_view_runs_as_the_user_of_the_session_that_made_it(
        self, namespace: str, catalog: ViewCatalog, trino: Trino
    ) -> None:
        trino.rows(f"CREATE TABLE iceberg.{namespace}.salaries AS SELECT 7 AS a")
        with (
            closing(trino.within("views_guarded", namespace, "ann")) as ann,
            closing(trino.within("views_guarded", namespace, "bob")) as bob,
        ):
            for mode in ("DEFINER", "INVOKER"):
                ann.rows(f"CREATE VIEW open_as_{mode} SECURITY {mode} AS SELECT a FROM salaries")
            assert sound(catalog, f"{namespace}.open_as_definer").properties["trino.run-as-owner"] == "ann"
            assert bob.rows("SELECT a FROM open_as_definer") == [(7,)]
            for name in ("open_as_invoker", "salaries"):
                refused(bob, f"SELECT a FROM {name}", "Access Denied")
            # The server does not let Trino name him, who is shown why.
            refused(bob, "CREATE VIEW open_of_bob AS SELECT 1 AS a", "'bob'.*acts for ann, tests only")
            bob.rows("CREATE VIEW open_of_bob SECURITY INVOKER AS SELECT 1 AS a")
            refused(bob, "CREATE OR REPLACE VIEW open_as_definer AS SELECT 2 AS a", "'bob'")
            assert bob.rows("SELECT a FROM open_as_definer") == [(7,)]
            # Trino names nobody then, and takes no name away.
            bob.rows("CREATE OR REPLACE VIEW open_as_definer SECURITY INVOKER AS SELECT 2 AS a")
            assert "SECURITY INVOKER" in str(bob.rows("SHOW CREATE VIEW open_as_definer"))
        assert "trino.run-as-owner" not in sound(catalog, f"{namespace}.open_as_definer").properties

    @proves(
        operation="CREATE OR REPLACE VIEW of one that runs as somebody whom --run-as does not name",
        result=NOTHING_CHANGED,
    )
    def test_a_view_that_runs_as_somebody_else_gets_no_other_text(
        self, namespace: str, catalog: ViewCatalog, trino: Trino, session: Trino
    ) -> None:
        owned = {"trino.run-as-owner": "admin"}
        name, columns = f"{namespace}.of_admin", [("a", "int")]
        sql = dict.fromkeys(("hive", "trino"), "SELECT 1 AS a")
        catalog.create_view(name, sql=sql, schema=columns, properties={**owned, DROP_DIALECT_ALLOWED: "true"})
        before = catalog.load_view(name)
        for mode in ("DEFINER", "INVOKER"):
            refused(session, f"CREATE OR REPLACE VIEW of_admin SECURITY {mode} AS SELECT 2 AS a", "'admin'")
        assert catalog.load_view(name) == before

    @proves(operation="CREATE VIEW by a token with an owner", result="as that user, or SECURITY INVOKER; else refused")
    def test_a_token_with_an_owner_makes_views_of_that_user_alone(
        self, namespace: str, catalog: ViewCatalog, trino: Trino
    ) -> None:
        with (
            closing(trino.within("views_of_ann", namespace, "ann")) as ann,
            closing(trino.within("views_of_ann", namespace)) as other,
        ):
            ann.rows("CREATE VIEW v AS SELECT 1 AS a")
            refused(other, "CREATE VIEW w AS SELECT 1 AS a", "'tests'.*acts for ann only")
            other.rows("CREATE VIEW w SECURITY INVOKER AS SELECT 1 AS a")
            ann.rows("CREATE OR REPLACE VIEW v AS SELECT 2 AS a")
            refused(other, "CREATE OR REPLACE VIEW v AS SELECT 3 AS a", "'tests'")
        for name, run_as in (("v", "ann"), ("w", None)):
            view = sound(catalog, f"{namespace}.{name}")
            assert (view.row.owner, view.properties.get("trino.run-as-owner")) == ("ann", run_as)

    @proves(operation="CREATE VIEW in a session of another catalog", result="names resolve there, for each connector")
    def test_names_resolve_in_the_catalog_of_the_session(
        self, namespace: str, catalog: ViewCatalog, trino: Trino
    ) -> None:
        """A view for Hive alone, which Trino cannot read over REST, stands for the tables of Hive."""
        catalog.create_view(f"{namespace}.of_hive", sql={"hive": "SELECT 7 AS a"}, schema=[("a", "int")])
        with closing(trino.within("hive", namespace)) as in_hive:
            in_hive.rows(f"CREATE VIEW views.{namespace}.above AS SELECT a FROM of_hive")
        for one in IN_TRINO:
            assert trino.rows(f"SELECT a FROM {one}.{namespace}.above") == [(7,)]
        assert sound(catalog, f"{namespace}.above").current_version.default_catalog == "hive"


class TestOurViews:
    """Views that we made, with a text for Trino beside others."""

    @proves(operation="SELECT from a view of ours on an Iceberg table", result="the rows, by the text for Trino")
    @pytest.mark.parametrize("by", ["Python", "the command"])
    def test_trino_reads_the_text_that_we_wrote_for_it(
        self,
        by: str,
        select: str,
        lake: str,
        namespace: str,
        tmp_path: Path,
        engines: Engines,
        catalog: ViewCatalog,
        trino: Trino,
    ) -> None:
        name, in_hive = f"{namespace}.ours", f"SELECT user_id, page AS clicks, ds FROM {lake}.clicks"
        if by == "Python":
            catalog.create_view(name, sql={"hive": in_hive, "trino": select}, schema=COLUMNS, partitioned_on=["ds"])
        else:
            columns = ("--column", "user_id bigint", "--column", "clicks bigint", "--column", "ds string")
            for dialect, text in (("hive", in_hive), ("trino", select)):
                (tmp_path / f"{dialect}.sql").write_text(text)
            texts = ("--sql", f"hive={tmp_path}/hive.sql", "--sql", f"trino={tmp_path}/trino.sql")
            command = (sys.executable, "-c", "from hive_views.cli import main; main()", "--uri", engines.metastore.uri)
            subprocess.run([*command, "create", name, *texts, *columns, "--partitioned-on", "ds"], check=True)
        assert by_day(trino.rows(f"SELECT * FROM views.{name}")) == ROWS
        assert trino.rows(f"SELECT clicks FROM views.{name} WHERE ds = '2026-08-22'") == [(1,)]

    @proves(operation="SELECT from a view of ours on a table of Hive", result="the rows, with hive@ its Hive connector")
    def test_names_resolve_in_the_catalog_that_the_client_says(
        self, namespace: str, web: str, catalog: ViewCatalog, trino: Trino
    ) -> None:
        text = f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"
        catalog.create_view(f"{namespace}.of_hive", sql={"hive": text, "trino": text}, schema=COLUMNS)
        assert by_day(trino.rows(f"SELECT * FROM views_in_hive.{namespace}.of_hive")) == ROWS
        refused(trino, f"SELECT * FROM views.{namespace}.of_hive", "Table 'views.* does not exist")

    @proves(operation="SELECT after our replace and roll back", result="the new rows, and the old again")
    def test_a_replaced_view_is_seen_at_once(
        self, partitioned: View, catalog: ViewCatalog, web: str, trino: Trino
    ) -> None:
        sevens = "SELECT user_id, CAST(7 AS BIGINT) AS clicks, ds FROM {}.clicks"
        sql = {"hive": sevens.format(web), "trino": sevens.format(f"hive.{web}")}
        catalog.replace_view(partitioned.identifier, sql=sql)
        assert {row[1] for row in trino.rows(f"SELECT * FROM views.{partitioned.identifier}")} == {7}
        catalog.roll_back_view(partitioned.identifier, to_version=1)
        assert by_day(trino.rows(f"SELECT * FROM views.{partitioned.identifier}")) == ROWS

    @proves(operation="COMMENT ON, ALTER VIEW ... RENAME TO of a partitioned view", result=KEPT)
    def test_what_trino_changes_of_a_partitioned_view_leaves_texts_keys_and_partitions(
        self, partitioned: View, session: Trino, catalog: ViewCatalog, trino: Trino, hive: Hive, spark_4: SparkProcess
    ) -> None:
        session.rows("COMMENT ON VIEW days IS 'per day'")
        session.rows("COMMENT ON COLUMN days.clicks IS 'how many'")
        session.rows("ALTER VIEW days RENAME TO each_day")
        name = f"{partitioned.identifier.namespace}.each_day"
        view = sound(catalog, name)
        assert (view.row.original_text, view.row.expanded_text) == (
            partitioned.row.original_text,
            partitioned.row.expanded_text,
        )
        assert view.row.partition_keys == partitioned.row.partition_keys
        assert (view.comment, view.row.columns[1].comment) == ("per day", "how many")
        assert catalog.partitions(name).names() == NAMES
        for engine in (hive, spark_4, trino):
            assert by_day(engine.rows(f"SELECT * FROM {name}")) == ROWS
        assert by_day(trino.rows(f"SELECT * FROM views.{name}")) == ROWS
        assert hive.rows(f"SHOW PARTITIONS {name}") == [(one,) for one in NAMES]

    @proves(operation="CREATE OR REPLACE VIEW that would drop other texts", result=NOTHING_CHANGED)
    def test_texts_of_others_are_not_dropped(
        self, partitioned: View, session: Trino, catalog: ViewCatalog, hms: HiveMetastore
    ) -> None:
        before = hms.load_row(partitioned.identifier)
        refused(session, "CREATE OR REPLACE VIEW days AS SELECT 1 AS user_id, '' AS ds", "loss of view dialects")
        assert hms.load_row(partitioned.identifier) == before
        assert catalog.partitions(partitioned.identifier).names() == NAMES

    @proves(
        operation="CREATE OR REPLACE VIEW of a partitioned view with replace.drop-dialect.allowed",
        result="partitions stay; Hive and Spark fail and say why, until they get a text",
    )
    def test_a_partitioned_view_without_a_text_for_plain_readers_keeps_its_partitions_and_tells_them_why(
        self,
        partitioned: View,
        session: Trino,
        catalog: ViewCatalog,
        web: str,
        trino: Trino,
        hive: Hive,
        spark_4: SparkProcess,
    ) -> None:
        name = str(partitioned.identifier)
        catalog.alter_view(name, set_properties={DROP_DIALECT_ALLOWED: "true"})
        session.rows(f"CREATE OR REPLACE VIEW days AS SELECT user_id, page, ds FROM hive.{web}.clicks")
        assert sorted(session.rows("SELECT * FROM days")) == sorted(PAGES)
        for engine in (hive, spark_4, trino):
            refused(engine, f"SELECT * FROM {name}", "plain readers of the metastore cannot read this view")
        view = sound(catalog, name)
        assert [(key.name, key.type) for key in view.row.partition_keys] == [("ds", "string")]
        assert catalog.partitions(name).names() == NAMES
        catalog.alter_view(name, sql={"hive": f"SELECT user_id, page, ds FROM {web}.clicks"})
        for engine in (hive, spark_4, trino):
            assert sorted(engine.rows(f"SELECT * FROM {name}")) == sorted(PAGES)

    @proves(operation="CREATE OR REPLACE VIEW without the partition columns at its end", result=NOTHING_CHANGED)
    def test_partitions_are_not_orphaned(
        self, partitioned: View, session: Trino, catalog: ViewCatalog, hms: HiveMetastore
    ) -> None:
        catalog.alter_view(partitioned.identifier, set_properties={DROP_DIALECT_ALLOWED: "true"})
        before = hms.load_row(partitioned.identifier)
        refused(session, "CREATE OR REPLACE VIEW days AS SELECT '' AS ds, 1 AS user_id", "do not end in these")
        assert hms.load_row(partitioned.identifier) == before
        assert catalog.partitions(partitioned.identifier).names() == NAMES

    @proves(operation="any change of a view whose row another engine has changed", result=NOTHING_CHANGED)
    def test_a_row_that_was_changed_behind_its_file_is_not_overwritten(
        self, partitioned: View, session: Trino, hms: HiveMetastore
    ) -> None:
        changed = replace(hms.load_row(partitioned.identifier), expanded_text="SELECT 1", original_text="SELECT 1")
        hms.swap_row(changed, expected=None)
        before = hms.load_row(partitioned.identifier)
        refused(session, "COMMENT ON VIEW days IS 'x'", "changed by another writer")
        assert hms.load_row(partitioned.identifier) == before


class TestWhatElseIsThere:
    @proves(operation="information_schema beside views that it cannot read", result="the others")
    def test_a_view_that_cannot_be_read_hides_no_other(
        self, namespace: str, lake: str, catalog: ViewCatalog, hms: HiveMetastore, trino: Trino, hive: Hive
    ) -> None:
        def ours(name: str, *dialects: str) -> View:
            sql = dict.fromkeys(dialects, "SELECT 1 AS a")
            return catalog.create_view(f"{namespace}.{name}", sql=sql, schema=[("a", "int")])

        ours("good", "hive", "trino")
        ours("without_a_text_for_trino", "hive", "spark")
        lost, garbled = ours("lost", "hive", "trino"), ours("garbled", "hive", "trino")
        row = lost.row
        gone = {**row.parameters, POINTER: f"{row.parameters[POINTER]}.gone"}
        hms.swap_row(replace(row, parameters=gone), expected=None)
        Path(garbled.metadata_location.removeprefix("file:")).write_bytes(b"no metadata")
        hive.rows(f"CREATE VIEW {namespace}.plain AS SELECT 1 AS a")
        trino.rows(f"CREATE VIEW hive.{namespace}.of_trino AS SELECT 1 AS a")
        trino.rows(f"CREATE TABLE iceberg.{namespace}.a_table (b INTEGER)")
        shown = {name for (name,) in trino.rows(f"SHOW TABLES FROM views.{namespace}")}
        assert shown == {"good", "without_a_text_for_trino", "lost", "garbled", "a_table"}
        where = f"WHERE table_schema = '{namespace}'"
        assert trino.rows(f"SELECT table_name FROM views.information_schema.views {where}") == [("good",)]
        columns = trino.rows(f"SELECT table_name, column_name FROM views.information_schema.columns {where}")
        assert sorted(columns) == [("a_table", "b"), ("good", "a")]
        for name in ("lost", "garbled"):
            refused(trino, f"CREATE OR REPLACE VIEW views.{namespace}.{name} AS SELECT 2 AS a", "already exists")
        refused(trino, f"SELECT * FROM views.{namespace}.without_a_text_for_trino", "unsupported dialect")
        for name in ("plain", "of_trino"):
            refused(trino, f"SELECT * FROM views.{namespace}.{name}", "does not exist")
            refused(trino, f"CREATE OR REPLACE VIEW views.{namespace}.{name} AS SELECT 2 AS a", "already exists")

    @proves(operation="SELECT from Iceberg tables of the metastore", result="the rows, and Trino's metadata tables")
    def test_tables_of_iceberg_are_read(self, lake: str, trino: Trino) -> None:
        assert sorted(trino.rows(f"SELECT * FROM views.{lake}.clicks")) == sorted(PAGES)
        assert sorted(trino.rows(f'SELECT partition.ds, record_count FROM views.{lake}."clicks$partitions"')) == [
            ("2026-08-21", 3),
            ("2026-08-22", 1),
        ]

    @proves(operation="any change of a table", result=NOTHING_CHANGED)
    def test_tables_are_not_written(
        self, namespace: str, tmp_path: Path, session: Trino, trino: Trino, hms: HiveMetastore
    ) -> None:
        trino.rows(f"CREATE TABLE iceberg.{namespace}.t AS SELECT 1 AS a")
        table, before = TableIdentifier(namespace, "t"), tables_of(hms, namespace)
        directories = {path.name for path in tmp_path.iterdir()}
        for statement in (
            "CREATE TABLE new (a INTEGER)",
            "CREATE TABLE new AS SELECT 1 AS a",
            "CREATE OR REPLACE TABLE new AS SELECT 1 AS a",
            "CREATE OR REPLACE TABLE t AS SELECT 2 AS a",
            "INSERT INTO t VALUES 2",
            "UPDATE t SET a = 2",
            "DELETE FROM t",
            "TRUNCATE TABLE t",
            "MERGE INTO t USING (VALUES 1) AS s (b) ON a = b WHEN MATCHED THEN DELETE",
            "ALTER TABLE t ADD COLUMN b INTEGER",
            "ALTER TABLE t RENAME TO new",
            "COMMENT ON TABLE t IS 'x'",
            "COMMENT ON COLUMN t.a IS 'x'",
            "ANALYZE t",
            "DROP TABLE t",
        ):
            refused(session, statement, "does not support endpoint")
            assert tables_of(hms, namespace) == before, statement
        assert {path.name for path in tmp_path.iterdir()} == directories
        assert trino.rows(f"SELECT * FROM iceberg.{table}") == [(1,)]

    @proves(operation="CREATE SCHEMA, DROP SCHEMA", result="a database of the metastore, dropped when empty")
    def test_schemas_are_databases(self, tmp_path: Path, trino: Trino, hms: HiveMetastore) -> None:
        name = f"made_{uuid.uuid4().hex[:12]}"
        trino.rows(f"CREATE SCHEMA views.{name} WITH (location = 'file:{tmp_path / 'made'}')")
        assert hms.load_namespace(name).location == f"file:{tmp_path / 'made'}"
        refused(trino, f"CREATE SCHEMA views.{name}", "already exists")
        trino.rows(f"CREATE VIEW views.{name}.v AS SELECT 1 AS a")
        refused(trino, f"DROP SCHEMA views.{name}", "non-empty")
        trino.rows(f"DROP VIEW views.{name}.v")
        hms.create_row(table_row(name, "t"))
        refused(trino, f"DROP SCHEMA views.{name}", "(?i)not empty")
        hms.drop_row(TableIdentifier(name, "t"))
        trino.rows(f"DROP SCHEMA views.{name}")
        assert name not in hms.list_namespaces()
        refused(trino, f"CREATE VIEW views.{name}.v AS SELECT 1 AS a", "Namespace does not exist|Schema .* not found")

    @proves(operation="any change with a read-only token", result=NOTHING_CHANGED)
    def test_a_token_that_may_only_read_changes_nothing(
        self, daily: str, namespace: str, trino: Trino, hms: HiveMetastore
    ) -> None:
        assert by_day(trino.rows(f"SELECT * FROM views_read_only.{daily}")) == ROWS
        before, namespaces = tables_of(hms, namespace), hms.list_namespaces()
        for statement, reason in (
            (f"CREATE VIEW views_read_only.{namespace}.other AS SELECT 1 AS a", "Failed to create view"),
            (f"CREATE OR REPLACE VIEW views_read_only.{daily} AS SELECT 1 AS a", "is read-only|Failed to create"),
            (f"COMMENT ON VIEW views_read_only.{daily} IS 'x'", "is read-only"),
            (f"ALTER VIEW views_read_only.{daily} RENAME TO views_read_only.{namespace}.other", "Failed to rename"),
            (f"DROP VIEW views_read_only.{daily}", "Failed to drop view"),
            (f"CREATE SCHEMA views_read_only.x{namespace}", "Failed to create namespace"),
            (f"DROP SCHEMA views_read_only.{namespace} CASCADE", "Failed to drop"),
        ):
            refused(trino, statement, reason)
        assert (tables_of(hms, namespace), hms.list_namespaces()) == (before, namespaces)


def tables_of(hms: HiveMetastore, namespace: str) -> list[Row]:
    """All rows of a namespace."""
    return hms.load_rows(namespace, [*hms.list_table_names(namespace), *hms.list_view_names(namespace)])
