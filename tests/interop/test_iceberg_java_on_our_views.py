"""Iceberg Java on views of ours: what it reads, what its changes do to the row, and how that is mended."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, ViewCatalog
from hive_views.errors import CorruptMetadataError, NoSuchVersionError
from hive_views.estate import undrop
from hive_views.hive.row import OWNER
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.serde import parse_metadata
from tests.interop.clicks import COLUMNS, NAMES, ROWS, Ask, by_day
from tests.support.java.iceberg_java import SWAP_ONLY, Iceberg, proves

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

COLUMNS_OF_EVERY_TYPE = [
    ("a", "boolean"),
    ("b", "int", "a comment: Ω"),
    ("c", "bigint"),
    ("d", "float"),
    ("e", "double"),
    ("f", "decimal(38,2)"),
    ("g", "date"),
    ("h", "timestamp"),
    ("i", "string"),
    ("j", "binary"),
    ("k", "array<struct<x:int,y:array<string>>>"),
    ("l", "map<string,map<int,double>>"),
    ("m", "struct<p:decimal(10,0),q:struct<r:date>>"),
    ("n", "tinyint"),
    ("o", "varchar(7)"),
    ("day", "string"),
]


def _of_every_type(catalog: ViewCatalog, name: str, web: str) -> View:
    select = ", ".join(f"NULL AS {column[0]}" for column in COLUMNS_OF_EVERY_TYPE)
    return catalog.create_view(
        name, sql={"hive": f"SELECT {select}"}, schema=COLUMNS_OF_EVERY_TYPE, partitioned_on=["day"]
    )


def _with_history(catalog: ViewCatalog, name: str, web: str) -> View:
    text = f"SELECT user_id, page FROM {web}.clicks WHERE page <> 'Ω / é 😀 {{}}'"
    columns = [("user_id", "bigint"), ("page", "string")]
    catalog.create_view(name, sql={"hive": text.format(0), "spark": text.format(0)}, schema=columns)
    for number in range(1, 13):
        catalog.replace_view(name, sql={"hive": text.format(number), "spark": text.format(number)})
    wider = [*columns, ("one", "int", "since then")]
    for_both = text.replace("page FROM", "page, 1 AS one FROM")
    catalog.replace_view(name, sql={"hive": for_both, "spark": for_both}, schema=wider)
    return catalog.roll_back_view(name, to_version=10)


def _with_properties(catalog: ViewCatalog, name: str, web: str) -> View:
    return catalog.create_view(
        name,
        sql={"spark": "SELECT 1 AS one", "trino": "SELECT 1 one", "hive": "SELECT 1 AS one"},
        schema=[("one", "int")],
        comment="Ω 日本 😀 \"quoted\" 'and' \\ more\n\ttext",
        properties={
            "write.metadata.compression-codec": "none",
            "version.history.num-entries": "3",
            OWNER: "somebody",
            "team": "",
        },
    )


SHAPES = {"every type": _of_every_type, "a history": _with_history, "properties": _with_properties}


class TestReading:
    @proves("SELECT, with a predicate on the partition column", "the rows, by the text for Spark")
    def test_select_returns_the_rows_of_the_text_for_spark(self, spark_view: View, iceberg: Iceberg) -> None:
        assert by_day(iceberg.sql(f"SELECT * FROM ice.{spark_view.identifier}")) == ROWS
        assert iceberg.sql(f"SELECT * FROM ice.{spark_view.identifier} WHERE ds = '2026-08-22'") == ROWS[2:]

    def test_plain_rows_are_read_from_its_session_whatever_its_current_catalog_is(
        self, spark_view: View, iceberg: Iceberg
    ) -> None:
        iceberg.sql(f"USE ice.{spark_view.identifier.namespace}")
        try:
            assert by_day(iceberg.sql(f"SELECT * FROM spark_catalog.{spark_view.identifier}")) == ROWS
        finally:
            iceberg.sql("USE spark_catalog.default")

    @proves("DESCRIBE, SHOW VIEWS, SHOW CREATE TABLE", "all columns, no mark of partitions; Iceberg's views only")
    def test_describe_and_show_describe_the_view(
        self, spark_view: View, iceberg: Iceberg, spark: Any, namespace: str
    ) -> None:
        spark.sql(f"CREATE VIEW {namespace}.plain AS SELECT 1 AS one")
        name = f"ice.{spark_view.identifier}"
        assert iceberg.sql(f"DESCRIBE {name}") == [
            ("user_id", "bigint", "who"),
            ("clicks", "bigint", ""),
            ("ds", "string", "day"),
        ]
        assert [row[1] for row in iceberg.sql(f"SHOW VIEWS IN ice.{namespace}")] == ["shared"]
        assert iceberg.sql(f"SHOW TABLES IN ice.{namespace}") == []
        ((created,),) = iceberg.sql(f"SHOW CREATE TABLE {name}")
        assert spark_view.sql_for("spark").sql in created
        assert dict(iceberg.sql(f"SHOW TBLPROPERTIES {name}"))["hive-views.partitioned-on"] == '["ds"]'

    @proves("SELECT where there is no text for Spark", "refused: names of the first text are sought in its own catalog")
    def test_without_a_text_for_spark_the_names_of_another_are_sought_in_its_own_catalog(
        self, view: View, iceberg: Iceberg
    ) -> None:
        with pytest.raises(iceberg.error, match=r"TABLE_OR_VIEW_NOT_FOUND.*clicks"):
            iceberg.sql(f"SELECT * FROM ice.{view.identifier}")

    def test_a_dialect_that_a_view_has_not_is_answered_with_its_first_text_the_one_for_spark(
        self, spark_view: View, iceberg: Iceberg
    ) -> None:
        loaded = iceberg.catalog().loadView(iceberg.identifier(spark_view.identifier))
        for dialect in ("spark", "hive", "trino"):
            assert loaded.sqlFor(dialect).sql() == spark_view.sql_for(dialect).sql
        assert loaded.sqlFor("presto").dialect() == "spark"

    @proves("loading a view of any shape", "every version, schema, property and log entry, as in the file")
    @pytest.mark.parametrize("shape", SHAPES)
    def test_everything_in_our_files_is_read_and_written_as_it_is_and_read_by_us_again(
        self, catalog: ViewCatalog, namespace: str, web: str, iceberg: Iceberg, shape: str
    ) -> None:
        view = SHAPES[shape](catalog, f"{namespace}.shaped", web)
        theirs = iceberg.metadata(view.identifier)
        assert parse_metadata(theirs.encode(), "theirs.metadata.json") == view.metadata
        assert json.loads(theirs) == view.metadata.model_dump(mode="json", exclude_none=True)

    @proves("SELECT after our replace and roll back", "the text of the moment")
    def test_a_replaced_view_is_seen_at_once_and_a_roll_back_too(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, web: str
    ) -> None:
        texts = {dialect: spark_view.original_sql(dialect).replace("count(*)", "7") for dialect in spark_view.dialects}
        without = {dialect: text.replace(" GROUP BY user_id, ds", "") for dialect, text in texts.items()}
        catalog.replace_view(spark_view.identifier, sql=without)
        assert {row[1] for row in iceberg.sql(f"SELECT * FROM ice.{spark_view.identifier}")} == {7}
        catalog.roll_back_view(spark_view.identifier, to_version=1)
        assert by_day(iceberg.sql(f"SELECT * FROM ice.{spark_view.identifier}")) == ROWS


class TestItsCommits:
    @pytest.fixture
    def commented(self, spark_view: View, iceberg: Iceberg) -> View:
        iceberg.sql(f"ALTER VIEW ice.{spark_view.identifier} SET TBLPROPERTIES ('comment' = 'by Iceberg', 'k' = 'v')")
        return spark_view

    @proves("ALTER VIEW SET and UNSET TBLPROPERTIES", "kept, with everything of ours; the row needs repair")
    def test_properties_that_it_sets_are_the_views_and_nothing_else_of_the_view_changes(
        self, commented: View, catalog: ViewCatalog, iceberg: Iceberg
    ) -> None:
        loaded = catalog.load_view(commented.identifier)
        assert loaded.properties == {"comment": "by Iceberg", "k": "v"}
        assert (loaded.versions, loaded.history, loaded.uuid) == (commented.versions, commented.history, commented.uuid)
        assert loaded.partitioned_on == ("ds",)
        assert loaded.original_sql("hive") == commented.original_sql("hive")
        assert loaded.owner == commented.owner
        iceberg.sql(f"ALTER VIEW ice.{commented.identifier} UNSET TBLPROPERTIES ('comment', 'k')")
        assert catalog.load_view(commented.identifier).properties == {}
        assert catalog.repair_view(commented.identifier).comment is None

    @proves("any commit on a partitioned view", "warned of and mended; partitions intact; plain Spark reads again")
    def test_its_commit_on_a_partitioned_view_is_warned_of_and_repaired(
        self, commented: View, catalog: ViewCatalog, spark: Any, ask: Ask, caplog: pytest.LogCaptureFixture
    ) -> None:
        from pyspark.errors import AnalysisException

        with pytest.raises(AnalysisException, match="INCOMPATIBLE_VIEW_SCHEMA_CHANGE"):
            ask(f"SELECT * FROM {commented.identifier}")
        with caplog.at_level(logging.WARNING, "hive_views"):
            loaded = catalog.load_view(commented.identifier)
        assert {difference.kind for difference in loaded.differences} == {"needs repair"}
        assert "DROP VIEW would delete the directory" in caplog.text
        assert catalog.partitions(commented.identifier).names() == NAMES
        mended = catalog.repair_view(commented.identifier)
        assert mended.comment == "by Iceberg"
        assert catalog.load_view(commented.identifier).differences == ()
        assert catalog.partitions(commented.identifier).names() == NAMES
        assert ask(f"SELECT * FROM {commented.identifier}") == ROWS

    def test_the_warning_is_true_a_plain_drop_deletes_the_history_of_a_view_that_was_not_repaired(
        self, commented: View, spark: Any
    ) -> None:
        file = _path(commented)
        assert file.is_file()
        spark.sql(f"DROP VIEW {commented.identifier}")
        assert not file.parent.exists()

    @proves("any commit, then our repair, then a plain DROP VIEW", "all files stay, and the view comes back")
    def test_a_plain_drop_after_mending_leaves_the_files(
        self, commented: View, catalog: ViewCatalog, spark: Any, ask: Ask
    ) -> None:
        mended = catalog.repair_view(commented.identifier)
        spark.sql(f"DROP VIEW {commented.identifier}")
        assert _path(commented).is_file()
        assert undrop(catalog, str(commented.identifier)).failed == ()
        assert catalog.load_view(commented.identifier).history == mended.history
        assert catalog.partitions(commented.identifier).names() == NAMES
        assert ask(f"SELECT * FROM {commented.identifier}") == ROWS

    def test_partitions_are_declared_after_its_commit(
        self, commented: View, catalog: ViewCatalog, ask: Ask, hms: HiveMetastore
    ) -> None:
        catalog.partitions(commented.identifier).add([{"ds": "2026-08-23"}])
        assert catalog.partitions(commented.identifier).names() == [*NAMES, "ds=2026-08-23"]
        assert hms.load_row(commented.identifier).location is None
        assert ask(f"SELECT * FROM {commented.identifier}") == ROWS

    @proves("CREATE OR REPLACE VIEW", "refused while it would lose the texts of other dialects")
    def test_its_replace_is_refused_while_it_would_lose_texts(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, web: str
    ) -> None:
        with pytest.raises(iceberg.error, match="loss of view dialects"):
            iceberg.sql(_replace(spark_view, web))
        assert catalog.load_view(spark_view.identifier).metadata == spark_view.metadata

    @proves("CREATE OR REPLACE VIEW with replace.drop-dialect.allowed", "a version, which we can roll back")
    def test_its_replace_with_leave_to_lose_texts_is_a_version_and_a_roll_back_brings_them_again(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, web: str, ask: Ask
    ) -> None:
        name = spark_view.identifier
        iceberg.sql(f"ALTER VIEW ice.{name} SET TBLPROPERTIES ('replace.drop-dialect.allowed' = 'true')")
        iceberg.sql(_replace(spark_view, web))
        loaded = catalog.load_view(name)
        assert loaded.dialects == ("spark",)
        assert [entry.version_id for entry in loaded.history] == [1, 2]
        assert loaded.partitioned_on == ("ds",)
        assert catalog.partitions(name).names() == NAMES
        catalog.repair_view(name)
        assert {row[1] for row in ask(f"SELECT * FROM {name}")} == {7}
        back = catalog.roll_back_view(name, to_version=1)
        assert back.dialects == spark_view.dialects
        assert back.current_version == spark_view.current_version
        assert catalog.load_view(name).differences == ()
        assert ask(f"SELECT * FROM {name}") == ROWS
        assert by_day(iceberg.sql(f"SELECT * FROM ice.{name}")) == ROWS

    def test_it_keeps_tags_and_lets_their_versions_expire_which_is_said(
        self, catalog: ViewCatalog, namespace: str, iceberg: Iceberg, web: str
    ) -> None:
        text = f"SELECT user_id, count(*) AS clicks, ds FROM spark_catalog.{web}.clicks GROUP BY user_id, ds"
        limit = {"version.history.num-entries": "1"}
        view = catalog.create_view(f"{namespace}.tagged", sql={"spark": text}, schema=COLUMNS, properties=limit)
        catalog.tag_view(view.identifier, "release-1")
        ours = catalog.replace_view(view.identifier, sql={"spark": text.replace("count(*)", "8L")})
        assert [version.version_id for version in ours.versions] == [1, 2]
        iceberg.sql(_replace(view, web))
        theirs = catalog.load_view(view.identifier)
        assert [version.version_id for version in theirs.versions] == [3]
        assert theirs.tags == {}
        with pytest.raises(NoSuchVersionError, match="names version 1, which has expired"):
            catalog.roll_back_view(view.identifier, to_tag="release-1")
        assert catalog.tag_view(view.identifier, "release-1", move=True).tags == {"release-1": 3}

    def test_its_replace_of_a_view_with_one_text_is_a_version_that_plain_readers_get_after_our_next_commit(
        self, catalog: ViewCatalog, namespace: str, iceberg: Iceberg, web: str, ask: Ask
    ) -> None:
        text = f"SELECT user_id, count(*) AS clicks, ds FROM spark_catalog.{web}.clicks GROUP BY user_id, ds"
        view = catalog.create_view(f"{namespace}.one_text", sql={"spark": text}, schema=COLUMNS)
        iceberg.sql(_replace(view, web))
        altered = catalog.alter_view(view.identifier, comment="ours")
        assert [entry.version_id for entry in altered.history] == [1, 2]
        assert catalog.load_view(view.identifier).differences == ()
        assert {row[1] for row in ask(f"SELECT * FROM {view.identifier}")} == {7}
        assert {row[1] for row in iceberg.sql(f"SELECT * FROM ice.{view.identifier}")} == {7}

    def test_its_new_version_with_all_texts_is_a_version_of_ours(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, web: str, ask: Ask
    ) -> None:
        better = f"SELECT user_id, 8L AS clicks, ds FROM {web}.clicks"
        replaced = iceberg.catalog().loadView(iceberg.identifier(spark_view.identifier)).replaceVersion()
        for dialect in ("spark", "hive", "trino"):
            replaced = replaced.withQuery(dialect, better)
        columns = [("user_id", "long"), ("clicks", "long"), ("ds", "string")]
        replaced = replaced.withDefaultNamespace(iceberg.namespace(web)).withSchema(iceberg.schema(columns))
        replaced.commit()
        loaded = catalog.load_view(spark_view.identifier)
        assert [entry.version_id for entry in loaded.history] == [1, 2]
        assert loaded.original_sql("hive") == better
        mended = catalog.repair_view(spark_view.identifier)
        assert catalog.load_view(spark_view.identifier).differences == ()
        assert {row[1] for row in ask(f"SELECT * FROM {mended.identifier}")} == {8}

    def test_what_it_read_before_our_commit_it_commits_on_top_of_ours(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg
    ) -> None:
        for settings in ({}, SWAP_ONLY):
            loaded = iceberg.catalog(**settings).loadView(iceberg.identifier(spark_view.identifier))
            change = loaded.updateProperties().set("theirs", str(settings))
            catalog.alter_view(spark_view.identifier, set_properties={"ours": str(settings)})
            change.commit()
            found = catalog.load_view(spark_view.identifier).properties
            assert (found["ours"], found["theirs"]) == (str(settings), str(settings))


class TestNames:
    @proves("ALTER VIEW RENAME", "history, partitions and files stay")
    def test_its_rename_keeps_history_partitions_and_files(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, namespace: str, ask: Ask
    ) -> None:
        iceberg.sql(f"ALTER VIEW ice.{spark_view.identifier} RENAME TO ice.{namespace}.renamed")
        assert not catalog.view_exists(spark_view.identifier)
        loaded = catalog.load_view(f"{namespace}.renamed")
        assert (loaded.metadata, loaded.metadata_location) == (spark_view.metadata, spark_view.metadata_location)
        assert loaded.differences == ()
        assert catalog.partitions(loaded.identifier).names() == NAMES
        assert ask(f"SELECT * FROM {loaded.identifier}") == ROWS
        catalog.alter_view(loaded.identifier, comment="renamed")
        assert catalog.load_view(loaded.identifier).differences == ()

    @proves("DROP VIEW", "the row and the newest file are gone; the file before it can be registered")
    def test_its_drop_deletes_the_newest_file_and_the_one_before_can_be_registered(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg, ask: Ask
    ) -> None:
        newest = catalog.alter_view(spark_view.identifier, comment="newer")
        iceberg.sql(f"DROP VIEW ice.{spark_view.identifier}")
        assert not _path(newest).exists()
        with pytest.raises(CorruptMetadataError):
            catalog.register_view(spark_view.identifier, newest.metadata_location)
        back = catalog.register_view(spark_view.identifier, spark_view.metadata_location)
        assert back.comment == "by day"
        assert catalog.partitions(back.identifier).restore().added == NAMES
        assert ask(f"SELECT * FROM {back.identifier}") == ROWS

    @proves("CREATE TABLE or CREATE VIEW IF NOT EXISTS of its name", "refused, or nothing happens")
    def test_nothing_else_is_created_under_its_name(
        self, spark_view: View, catalog: ViewCatalog, iceberg: Iceberg
    ) -> None:
        iceberg.sql(f"CREATE VIEW IF NOT EXISTS ice.{spark_view.identifier} AS SELECT 1 AS one")
        for statement in (
            f"CREATE TABLE ice.{spark_view.identifier} (a INT) USING iceberg",
            f"CREATE VIEW ice.{spark_view.identifier} AS SELECT 1 AS one",
        ):
            with pytest.raises(iceberg.error, match="ALREADY_EXISTS"):
                iceberg.sql(statement)
        found = catalog.load_view(spark_view.identifier)
        assert (found.metadata_location, found.differences) == (spark_view.metadata_location, ())


def _replace(view: View, web: str) -> str:
    select = f"SELECT user_id, 7L AS clicks, ds FROM spark_catalog.{web}.clicks"
    return f"CREATE OR REPLACE VIEW ice.{view.identifier} AS {select}"


def _path(view: View) -> Path:
    return Path(view.metadata_location.removeprefix("file://"))
