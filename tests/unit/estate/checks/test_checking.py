"""A check finds what others did to views: each kind of finding, made to happen, and nothing where all is well."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import (
    Answer,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    MetastoreUnavailableError,
    NoSuchTableError,
    NoSuchViewError,
    NotAdoptableError,
    SQLSyntaxError,
)
from hive_views.estate.adopting import hand_back
from hive_views.estate.archive.backup import backup
from hive_views.estate.archive.restore import restore
from hive_views.estate.checks import checking
from hive_views.estate.checks.checking import check
from hive_views.estate.checks.codes import CODES, FIXABLE
from hive_views.estate.checks.findings import CheckReport, restore_file
from hive_views.estate.checks.fixes import fix
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.each.outcomes import State
from hive_views.estate.html_report.page import report as html_report
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIRTUAL_VIEW, Column, Partition, Row
from hive_views.hive.up_casts import fits_into
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import OWNS
from hive_views.publishing.publish import publish
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.row.projection import without_keys
from tests.support.plain_rows import LAKE, VIEWS, fill, plain_views
from tests.support.views import foreign_writers
from tests.support.views.quick_catalog import NAME, catalog_on

TEXT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "string")]
CLICKS = (Column("user_id", "bigint"), Column("page", "string"))


def table(name: str, columns: tuple[Column, ...] = CLICKS, keys: tuple[Column, ...] = (Column("ds", "string"),)) -> Row:
    return Row(TableIdentifier.of(name), "MANAGED_TABLE", "ada", f"file:/w/{name}", columns, keys)


def plain(name: str, text: str, columns: tuple[Column, ...], **parameters: str) -> Row:
    return Row(
        TableIdentifier.of(name),
        VIRTUAL_VIEW,
        "ada",
        columns=columns,
        original_text=text,
        expanded_text=text,
        parameters=parameters,
    )


@pytest.fixture
def calls() -> Counter[str]:
    return Counter()


@pytest.fixture
def catalog(tmp_path: Path, calls: Counter[str]) -> ViewCatalog:
    metastore = MemoryMetastore(warehouse=f"file://{tmp_path}/m", on_call=lambda verb: calls.update([verb]))
    catalog = catalog_on(metastore, f"file://{tmp_path}/v", owner="ada")
    catalog.create_namespace("web")
    metastore.create_row(table("web.clicks"))
    catalog.create_view(NAME, sql={"hive": TEXT, "trino": TEXT}, schema=COLUMNS, partitioned_on=["ds"])
    return catalog


def swap(catalog: ViewCatalog, change: Callable[[Row], Row], name: TableIdentifier = NAME) -> None:
    row = catalog.metastore.load_row(name)
    changed = change(row)
    # Who takes the pointer away does not compare it.
    catalog.metastore.drop_row(name)
    catalog.metastore.create_row(changed)


def with_parameters(**parameters: str) -> Callable[[Row], Row]:
    return lambda row: replace(row, parameters={**row.parameters, **parameters})


def codes(report: CheckReport) -> list[str]:
    return [one.code for one in report.findings]


def test_a_view_that_is_as_it_should_be_has_no_findings(catalog: ViewCatalog) -> None:
    report = check(catalog)
    assert report.findings == ()
    assert report.not_known == ()
    assert report.summary() == "1 view: nothing found."


def test_a_metastore_without_views_has_no_findings() -> None:
    assert check(catalog_on(MemoryMetastore())).views == ()


def test_a_pattern_that_matches_nothing_is_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchViewError):
        check(catalog, "sales.dayly")


def test_a_table_that_is_named_is_no_view_to_check(catalog: ViewCatalog) -> None:
    report = check(catalog, "web.clicks")
    assert report.views == ()
    assert [one.about for one in report.not_known] == ["view"]


@pytest.mark.parametrize("unread", ["f(TABLE(web.gone))", "IDENTIFIER('web.gone')"])
def test_a_table_that_is_not_found_in_the_text_is_not_known_and_the_others_are(
    catalog: ViewCatalog, unread: str
) -> None:
    text = f"SELECT a.x FROM {unread} a JOIN web.lost b JOIN web.clicks c"
    view = catalog.create_view("web.reading", sql={"spark": text}, schema=[("x", "int")])
    report = check(catalog, "web.reading")
    assert "source-gone" in codes(report)
    assert any(one.about == "text" and "may" in one.reason for one in report.not_known)
    with pytest.raises(SQLSyntaxError, match="may"):
        view.tables()


SPARK_ZONE = "view.sqlConfig.spark.sql.session.timeZone"
ROWS: dict[str, tuple[Callable[[Row], Row], set[str]]] = {
    "another text": (lambda row: foreign_writers.hive_create_or_replace(row, TEXT + " LIMIT 1"), {"drifted"}),
    "keys twice": (lambda row: replace(row, columns=(*row.columns, *row.partition_keys)), {"needs-repair"}),
    "between two swaps": (lambda row: without_keys(row, row.parameters[POINTER]), {"unfinished-change"}),
    "location": (lambda row: replace(row, location="file:///nowhere"), {"location-set"}),
    "no pointer": (lambda row: foreign_writers.hive_unset_property(row, POINTER), {"lost-pointer"}),
    "no table type": (lambda row: foreign_writers.hive_unset_property(row, "table_type"), {"lost-pointer"}),
    "replaced by Spark": (lambda row: foreign_writers.spark_create_or_replace(row, "SELECT 1 AS a"), {"replaced-row"}),
    "another uuid": (with_parameters(uuid="aa6506c3-7681-40c8-86dc-e36561f83385"), {"file-of-another-view"}),
    "no text": (lambda row: replace(row, expanded_text=None), {"no-text", "drifted"}),
    "presto": (with_parameters(presto_view="true"), {"presto-view"}),
    "presto's comment": (with_parameters(comment="Presto View"), {"presto-view", "drifted"}),
    "external": (with_parameters(EXTERNAL="TRUE"), {"external"}),
    "handler": (with_parameters(storage_handler="org.acme.Handler"), {"storage-handler"}),
    "provider": (with_parameters(**{"spark.sql.sources.provider": "parquet"}), {"spark-provider", "drifted"}),
    "Spark's schema": (with_parameters(**{"spark.sql.sources.schema": "{}"}), {"spark-schema", "drifted"}),
    "schema mode": (with_parameters(**{"view.schemaMode": "UNSUPPORTED"}), {"spark-schema-mode", "drifted"}),
    "time zone": (with_parameters(**{SPARK_ZONE: "Mars/Olympus"}), {"spark-setting", "drifted"}),
    "namespace": (with_parameters(**{"view.catalogAndNamespace.part.0": "hive"}), {"spark-name-space", "drifted"}),
    "query columns": (with_parameters(**{"view.query.out.numCols": "9"}), {"spark-query-columns", "drifted"}),
    "query columns²": (with_parameters(**{"view.query.out.numCols": "²"}), {"spark-query-columns", "drifted"}),
    "no owner": (lambda row: replace(row, owner=None), {"no-owner"}),
}


@pytest.mark.parametrize("case", ROWS)
def test_what_somebody_did_to_a_row_is_found(catalog: ViewCatalog, case: str) -> None:
    change, expected = ROWS[case]
    swap(catalog, change)
    found = set(codes(check(catalog)))
    assert expected <= found
    # What is beside them are consequences, and never more than that the text and the columns differ.
    assert found - expected <= {"needs-repair", "columns-disagree", "drifted"}


def test_a_time_zone_by_its_offset_is_one(catalog: ViewCatalog) -> None:
    swap(catalog, with_parameters(**{SPARK_ZONE: "+02:00"}))
    assert "spark-setting" not in codes(check(catalog))


def test_a_table_type_of_tables_misleads(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.v", "SELECT 1 AS `a`", (Column("a", "int"),), table_type="ICEBERG"))
    assert codes(check(catalog, "web.v")) == ["table-type"]


@pytest.mark.parametrize("maker", ["hive-4.0.1", "spark-3.5.8", "spark-4.1.4", "trino-476", "by-hand"])
def test_views_as_engines_made_them_have_no_findings_plain_or_adopted(catalog: ViewCatalog, maker: str) -> None:
    fill(catalog.metastore, plain_views(maker))
    report = check(catalog, f"{VIEWS}.*")
    assert report.findings == ()
    adopted = 0
    for view in report.views:
        with suppress(NotAdoptableError):
            catalog.adopt_view(view)
            adopted += 1
    assert adopted
    assert check(catalog, f"{VIEWS}.*").findings == ()


def test_a_table_that_only_trino_reads_and_is_gone_is_found(catalog: ViewCatalog) -> None:
    fill(catalog.metastore, plain_views("trino-476"))
    for table in catalog.metastore.load_rows(LAKE, ["clicks", "users"]):
        catalog.metastore.drop_row(table.identifier)
    report = check(catalog, f"{VIEWS}.*")
    assert report.counts.keys() == {"source-gone", "source-broken"}
    assert [one.details["path"] for one in report.of("source-broken")] == [[f"{VIEWS}.of_a_view", f"{VIEWS}.simple"]]


TRINO = {"originalSql": "SELECT 1 AS a", "columns": [{"name": "a", "type": "integer"}]}
ENCODED = b64encode(json.dumps(TRINO).encode()).decode()


@pytest.mark.parametrize(
    ("definition", "found"),
    [
        (ENCODED, []),
        (ENCODED[:-7], ["text-unreadable"]),
        (b64encode(b'{"originalSql": ').decode(), ["text-unreadable"]),
        (b64encode(b'{"a":1}').decode(), ["text-unreadable"]),
    ],
)
def test_a_definition_of_trino_that_is_damaged_is_found(
    catalog: ViewCatalog, definition: str, found: list[str]
) -> None:
    row = plain("web.v", "", (Column("dummy", "string"),), presto_view="true", comment="Presto View")
    text = f"/* Presto View: {definition} */"
    catalog.metastore.create_row(replace(row, owner=None, original_text=text, expanded_text="/* Presto View */"))
    assert codes(check(catalog, "web.v")) == found
    swap(catalog, lambda row: replace(row, original_text=text[:-3]), TableIdentifier("web", "v"))
    cut_off = check(catalog, "web.v").of("text-unreadable")
    assert "its original text is cut off" in cut_off[0].problem.lower()


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "gone": (lambda file: file.unlink(), "file-missing"),
    "half": (lambda file: file.write_bytes(file.read_bytes()[:40]), "file-damaged"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_is_found(catalog: ViewCatalog, case: str) -> None:
    change, code = FILES[case]
    change(Path(catalog.load_view(NAME).metadata_location.removeprefix("file://")))
    assert codes(check(catalog)) == [code]


def commit(catalog: ViewCatalog, times: int = 1) -> list[Path]:
    """Changes of the view; returns its files, the current one last."""
    for number in range(times):
        catalog.alter_view(NAME, set_properties={"n": str(number)})
    directory = Path(catalog.load_view(NAME).metadata_location.removeprefix("file://")).parent
    return sorted(directory.iterdir())


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("previous", ["there", "gone", "not named"])
def test_the_command_for_a_file_that_cannot_be_read_names_one_that_brings_the_view_back(
    catalog: ViewCatalog, case: str, previous: str
) -> None:
    files = commit(catalog, 2)
    FILES[case][0](files[-1])
    last = files[-2]
    if previous == "gone":
        files[-2].unlink()
        last = files[-3]
    elif previous == "not named":
        swap(catalog, lambda row: foreign_writers.hive_unset_property(row, PREVIOUS_POINTER))
    fresh = catalog_on(catalog.metastore, catalog.warehouse)
    (finding,) = check(fresh).findings
    assert finding.remedy == remedies.register(str(NAME), f"file://{last}")
    assert finding.details["last_file"] == f"file://{last}"
    fresh.register_view(NAME, f"file://{last}", overwrite=True)
    assert check(fresh).findings == ()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_without_another_file_nothing_is_promised(catalog: ViewCatalog, tmp_path: Path, elsewhere: bool) -> None:
    if elsewhere:
        catalog.alter_view(NAME, set_properties={"write.metadata.path": f"file://{tmp_path}/elsewhere"})
    location = catalog.load_view(NAME).metadata_location
    backup(catalog, archive := f"{tmp_path}/views.zip")
    for file in tmp_path.rglob("*.metadata.json"):
        file.unlink()
    fresh = catalog_on(catalog.metastore, catalog.warehouse)
    (finding,) = check(fresh).findings
    assert finding.remedy == restore_file(str(NAME), location)
    assert finding.remedy.in_shell.startswith(f"`hive-views restore ARCHIVE {NAME} --on-conflict replace` ")
    assert [one.state for one in restore(fresh, archive, str(NAME), dry_run=True)] == [State.FAILED]
    assert [one.state for one in restore(fresh, archive, str(NAME), on_conflict="replace")] == [State.DONE]
    assert check(fresh).findings == ()
    for file in tmp_path.rglob("*.metadata.json"):
        file.unlink()
    # As it says, that is what is left to do.
    assert [one.state for one in hand_back(fresh, str(NAME))] == [State.DONE]
    assert check(fresh).findings == ()


def test_a_row_that_lost_its_pointer_names_the_last_file_where_the_view_is_at_a_place_of_its_own(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    catalog.drop_view(NAME, purge=True)
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], location=f"file://{tmp_path}/own")
    last = commit(catalog)[-1]
    swap(catalog, ROWS["no pointer"][0])
    (finding,) = check(catalog).findings
    found = find_by_name(catalog.engine, NAME)
    assert found
    assert found.metadata_location == f"file://{last}"
    assert finding.remedy == remedies.undrop(str(NAME))
    assert [one.state for one in undrop(catalog, str(NAME))] == [State.DONE]
    assert check(catalog).findings == ()


def test_a_row_that_lost_its_type_gets_it_back_where_the_view_is_at_a_place_of_its_own(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    catalog.drop_view(NAME, purge=True)
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], location=f"file://{tmp_path}/own")
    swap(catalog, ROWS["no table type"][0])
    assert [one.state for one in fix(catalog, check(catalog), "lost-pointer")] == [State.DONE]
    assert check(catalog).findings == ()


def test_a_view_that_was_renamed_into_another_namespace_is_not_replaced_by_what_has_its_name_now(
    catalog: ViewCatalog,
) -> None:
    catalog.create_namespace("archive")
    catalog.rename_view(NAME, f"archive.{NAME.name}")
    catalog.metastore.create_row(plain(str(NAME), "SELECT 7 AS a", (Column("a", "int"),)))
    assert check(catalog, partitions=False).findings == ()


class Failing(MemoryMetastore):
    """Answers with an error about some names, as a server does whose listener or database fails on them."""

    fails_on: frozenset[str] = frozenset()
    error: HiveViewsError = MetastoreUnavailableError("The metastore failed: Oops.", answer=Answer.FAILED)

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        if namespace in self.fails_on:
            raise self.error
        return super().load_rows(namespace, names)

    def list_namespaces(self) -> list[str]:
        if "*" in self.fails_on:
            raise self.error
        return super().list_namespaces()

    def partition_names(self, identifier: TableIdentifier) -> list[str]:
        if str(identifier) in self.fails_on:
            raise self.error
        return super().partition_names(identifier)


@pytest.fixture
def failing(tmp_path: Path) -> tuple[Failing, ViewCatalog]:
    metastore = Failing(warehouse=f"file://{tmp_path}/m")
    catalog = catalog_on(metastore, f"file://{tmp_path}/v", owner="ada")
    for namespace in ("web", "secret"):
        catalog.create_namespace(namespace)
        metastore.create_row(table(f"{namespace}.clicks"))
    for name, source in {"first": "secret", "second": "web"}.items():
        text = TEXT.replace("web.", f"{source}.")
        catalog.create_view(f"sales.{name}", sql={"hive": text}, schema=COLUMNS, partitioned_on=["ds"])
    catalog.create_view("sales.third", sql={"hive": "SELECT 1 AS a FROM web.gone"}, schema=[("a", "int")])
    return metastore, catalog


@pytest.mark.parametrize(("name", "about"), [("sales.first", "partitions"), ("secret", "sources")])
def test_what_the_metastore_fails_on_is_not_known_of_that_view_and_the_others_are_checked(
    failing: tuple[Failing, ViewCatalog], name: str, about: str
) -> None:
    metastore, catalog = failing
    metastore.fails_on = frozenset([name])
    report = check(catalog, "sales.*")
    assert codes(report) == ["source-gone"]
    assert {(one.view, one.about) for one in report.not_known} == {("sales.first", about)}


def test_where_the_metastore_is_gone_a_check_ends(failing: tuple[Failing, ViewCatalog]) -> None:
    metastore, catalog = failing
    metastore.fails_on = frozenset(["sales.first", "*"])
    metastore.error = MetastoreUnavailableError("The connection broke.")
    with pytest.raises(MetastoreUnavailableError):
        check(catalog, "sales.*")


def test_what_a_view_s_properties_do_not_say_is_not_known(catalog: ViewCatalog) -> None:
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    file = Path(catalog.load_view(NAME).metadata_location.removeprefix("file://"))
    content = json.loads(gzip.decompress(file.read_bytes()))
    content["properties"]["hive-views.published-with.x"] = "{"
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    report = check(catalog_on(catalog.metastore, catalog.warehouse))
    assert [one.view for one in report.not_known] == [str(NAME)]


def test_views_are_reported_while_others_are_still_to_be_read(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "_TOGETHER", 2)
    for number in range(5):
        catalog.create_view(f"sales.v{number}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    read: list[str] = []
    read_bytes = MetadataStorage.read_bytes

    def reading(self: MetadataStorage, location: str) -> bytes:
        read.append(location)
        return read_bytes(self, location)

    monkeypatch.setattr(MetadataStorage, "read_bytes", reading)
    seen: list[tuple[int, int, int]] = []
    check(catalog, on_outcome=lambda _, number, of: seen.append((number, of, len(read))))
    assert seen == [(1, 6, 2), (2, 6, 2), (3, 6, 4), (4, 6, 4), (5, 6, 6), (6, 6, 6)]


def test_what_several_views_share_is_found_however_many_are_looked_at_together(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "SELECT a FROM sales.{}"
    for name, other in {"a": "c", "b": "a", "c": "b"}.items():
        catalog.metastore.create_row(plain(f"sales.{name}", text.format(other), (Column("a", "int"),)))
    row = catalog.metastore.load_row(NAME)
    catalog.metastore.create_row(replace(row, identifier=TableIdentifier.of("sales.z")))
    expected = check(catalog)
    assert set(codes(expected)) == {"cycle", "shared-file", "shared-ownership"}
    monkeypatch.setattr(checking, "_TOGETHER", 1)
    assert check(catalog) == expected


def test_a_file_of_a_later_format_is_found(catalog: ViewCatalog, tmp_path: Path) -> None:
    later = tmp_path / "00001-x.metadata.json"
    later.write_text('{"format-version": 2}')
    swap(catalog, with_parameters(metadata_location=f"file://{later}"))
    assert codes(check(catalog)) == ["file-too-new"]


class Racing(MemoryMetastore):
    """Something happens right after rows were read for the first time."""

    meanwhile: Callable[[], object] | None = None

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        rows = super().load_rows(namespace, names)
        happening, self.meanwhile = self.meanwhile, None
        if happening:
            happening()
        return rows


@pytest.fixture
def racing(tmp_path: Path) -> tuple[Racing, ViewCatalog]:
    metastore = Racing(warehouse=f"file://{tmp_path}/m")
    catalog = catalog_on(metastore, f"file://{tmp_path}/v", owner="ada")
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    return metastore, catalog


def test_a_view_that_is_purged_meanwhile_has_lost_no_file(racing: tuple[Racing, ViewCatalog]) -> None:
    metastore, catalog = racing
    metastore.meanwhile = lambda: catalog.drop_view(NAME, purge=True)
    assert check(catalog).findings == ()


def test_a_row_that_is_repaired_meanwhile_is_no_finding(racing: tuple[Racing, ViewCatalog]) -> None:
    metastore, catalog = racing
    swap(catalog, lambda row: replace(row, location="file:///nowhere"))
    metastore.meanwhile = lambda: catalog.repair_view(NAME)
    assert check(catalog).findings == ()


def test_a_released_view_is_a_plain_one_and_has_lost_nothing(catalog: ViewCatalog) -> None:
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    catalog.release_view(NAME)
    assert check(catalog).findings == ()


def test_two_rows_of_one_file_share_it_and_the_proof_that_it_is_theirs(catalog: ViewCatalog) -> None:
    row = catalog.metastore.load_row(NAME)
    assert OWNS in row.parameters
    catalog.metastore.create_row(replace(row, identifier=TableIdentifier("sales", "copy")))
    report = check(catalog)
    found = {(one.view, one.code) for one in report.findings if one.code.startswith("shared")}
    assert found == {
        (view, code) for view in ("sales.daily", "sales.copy") for code in ("shared-file", "shared-ownership")
    }
    assert check(catalog, "sales.copy").of("shared-file") == ()


# -- texts ------------------------------------------------------------------------------------------------------------


def test_a_table_that_is_gone_is_found_in_every_text(catalog: ViewCatalog) -> None:
    catalog.metastore.drop_row(TableIdentifier("web", "clicks"))
    report = check(catalog)
    assert codes(report) == ["source-gone", "source-gone"]
    assert [one.details["dialect"] for one in report.findings] == ["hive", "trino"]
    assert "web.clicks" in report.findings[0].problem


def test_a_database_that_is_gone_has_no_tables(catalog: ViewCatalog) -> None:
    catalog.create_view("sales.v", sql={"hive": "SELECT a FROM nowhere.t"}, schema=[("a", "int")])
    assert codes(check(catalog, "sales.v")) == ["source-gone"]


def test_a_column_that_is_gone_is_found(catalog: ViewCatalog) -> None:
    swap(catalog, lambda row: replace(row, columns=(Column("page", "string"),)), TableIdentifier("web", "clicks"))
    report = check(catalog)
    assert codes(report) == ["column-gone"]
    assert report.findings[0].details["column"] == "user_id"


BY_SPARK = {"spark.sql.create.version": "3.5.9"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT gone FROM web.clicks",
        "SELECT gone AS gone FROM web.clicks",
        "SELECT `gone` AS `gone` FROM `web`.`clicks`",
        "SELECT max(gone) AS gone FROM web.clicks",
        "SELECT gone AS a, page AS gone FROM web.clicks",
        "SELECT page AS a FROM web.clicks WHERE page IN (SELECT gone FROM web.clicks)",
        "SELECT page AS a FROM web.clicks c WHERE EXISTS (SELECT 1 FROM web.clicks d WHERE d.gone = c.page)",
        "SELECT (SELECT max(gone) FROM web.clicks) AS a",
        "SELECT a FROM web.clicks LATERAL VIEW explode(split(gone, ',')) x AS a",
        "SELECT c.page AS a FROM web.clicks c JOIN web.clicks d USING (gone)",
        "SELECT max(page) OVER w AS a FROM web.clicks WINDOW w AS (PARTITION BY gone)",
        "SELECT array_join(filter(array(page), x -> x > gone), ',') AS a FROM web.clicks",
    ],
)
def test_a_column_that_is_gone_is_found_in_the_text_of_spark(catalog: ViewCatalog, text: str) -> None:
    catalog.metastore.create_row(plain("web.v", text, (Column("a", "string"),), **BY_SPARK))
    report = check(catalog, "web.v")
    assert [one.details["column"] for one in report.of("column-gone")] == ["gone"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT page AS b, concat(b, 'x') AS a FROM web.clicks",
        "SELECT page AS a FROM web.clicks c WHERE EXISTS (SELECT 1 FROM web.clicks d WHERE d.ds = c.page AND ds = 'x')",
        "WITH q AS (SELECT page AS z FROM web.clicks) SELECT page AS a FROM web.clicks WHERE page IN (SELECT z FROM q)",
    ],
)
def test_an_alias_before_and_a_column_of_the_query_around_are_there(catalog: ViewCatalog, text: str) -> None:
    catalog.metastore.create_row(plain("web.v", text, (Column("a", "string"),), **BY_SPARK))
    assert check(catalog, "web.v").of("column-gone", "text-unreadable") == ()


@pytest.fixture
def chain(catalog: ViewCatalog) -> ViewCatalog:
    """``web.v3`` reads ``web.v2``, which reads ``web.v1``, whose column is gone; ``web.other`` reads none of them."""
    for name, read, one in (
        ("v1", "clicks", "gone"),
        ("v2", "v1", "a"),
        ("v3", "v2", "a"),
        ("other", "clicks", "page"),
    ):
        text = f"SELECT `{read}`.`{one}` AS `a` FROM `web`.`{read}`"
        catalog.metastore.create_row(plain(f"web.{name}", text, (Column("a", "string"),)))
    return catalog


@pytest.mark.parametrize("asked", [("web.*",), ("web.v3", "web.v2", "web.other"), ("web.v3",)])
def test_views_that_read_a_broken_one_are_named_with_the_way_to_it(chain: ViewCatalog, asked: tuple[str, ...]) -> None:
    report = check(chain, *asked)
    assert "web.v1" not in report.views or [one.view for one in report.of("column-gone")] == ["web.v1"]
    ways = {one.view: one.details["path"] for one in report.of("source-broken")}
    wanted = {"web.v2": ["web.v2", "web.v1"], "web.v3": ["web.v3", "web.v2", "web.v1"]}
    assert ways == {view: way for view, way in wanted.items() if view in report.views}
    finding = report.of("source-broken")[-1]
    assert finding.problem.startswith("It reads web.v2, which reads web.v1, which is broken: ")
    assert "web.v1" in str(finding.remedy)


def test_what_is_wrong_with_a_text_of_another_dialect_breaks_no_reader_of_the_row(catalog: ViewCatalog) -> None:
    catalog.create_view(
        "web.v1",
        sql={"hive": "SELECT page AS a FROM web.clicks", "trino": "SELECT a FROM web.gone"},
        schema=[("a", "string")],
    )
    catalog.create_view("web.v2", sql={"hive": "SELECT a FROM web.v1"}, schema=[("a", "string")])
    assert check(catalog, "web.*").counts == {"source-gone": 1}


def test_a_reader_of_a_circle_is_broken_through_it_and_its_members_are_not(catalog: ViewCatalog) -> None:
    for name, read in (("a", "b"), ("b", "a"), ("top", "a")):
        catalog.metastore.create_row(plain(f"web.{name}", f"SELECT x FROM web.{read}", (Column("x", "int"),)))
    report = check(catalog, "web.*")
    assert [(one.view, one.details["path"]) for one in report.of("source-broken")] == [
        ("web.top", ["web.top", "web.a"])
    ]


def test_a_report_names_views_that_are_broken_through_others(chain: ViewCatalog) -> None:
    assert "It reads web.v2, which reads web.v1, which is broken: " in html_report(chain, "web.*").html


@pytest.mark.parametrize("of_engine", [True, False])
def test_one_column_of_an_odd_type_leaves_the_others_to_be_checked(catalog: ViewCatalog, of_engine: bool) -> None:
    """An engine that refuses such a query, as schema_of does, says nothing of the others."""
    text, columns = "SELECT page, user_id, i FROM web.clicks", (Column("page", "int"), Column("user_id", "bigint"))
    odd = Column("i", "interval_day_time")
    name = TableIdentifier("web", "clicks")
    swap(catalog, lambda row: replace(row, columns=(*CLICKS, odd)), name)
    catalog.metastore.create_row(plain("web.v", text, (*columns, odd)))
    catalog.metastore.create_row(plain("web.w", text.replace("user_id", "gone"), (*columns, odd)))

    def engine(*_: str) -> list[tuple[str, str, str | None]]:
        if not of_engine:
            raise InvalidSchemaError("Column i is, or contains, a Spark interval.", columns=["i"], type="interval")
        return [("page", "string", None), ("user_id", "bigint", None), ("i", "variant", None)]

    report = check(catalog, "web.v", columns_of=engine)
    assert [(one.code, one.details["column"]) for one in report.findings] == [("column-type-changed", "page")]
    assert of_engine is ("i is" in " ".join(one.reason for one in report.not_known))
    if not of_engine:
        assert check(catalog, "web.w", columns_of=engine).counts == {"column-gone": 1}


def test_one_column_of_a_file_with_a_type_that_hive_does_not_have_leaves_the_others_to_be_checked(
    catalog: ViewCatalog,
) -> None:
    view = catalog.create_view(
        "web.v", sql={"hive": "SELECT user_id, page FROM web.clicks"}, schema=[("user_id", "int"), ("page", "string")]
    )
    file = Path(view.metadata_location.removeprefix("file://"))
    document = json.loads(gzip.decompress(file.read_bytes()))
    document["schemas"][0]["fields"][1]["type"] = "variant"
    file.write_bytes(gzip.compress(json.dumps(document).encode()))
    assert [one.details["column"] for one in check(catalog, "web.v").of("column-type-changed")] == ["user_id"]


@pytest.mark.parametrize(("type_", "found"), [("string", ["column-type-changed"]), ("int", [])])
def test_a_column_that_no_longer_fits_is_found(catalog: ViewCatalog, type_: str, found: list[str]) -> None:
    swap(catalog, lambda row: replace(row, columns=(Column("user_id", type_),)), TableIdentifier("web", "clicks"))
    assert codes(check(catalog)) == found


@pytest.mark.parametrize(
    ("found", "declared", "fits"),
    [
        ("int", "bigint", True),
        ("bigint", "int", False),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("decimal(12,2)", "decimal(10,2)", False),
        ("int", "decimal(10,0)", True),
        ("date", "timestamp", True),
        ("timestamp", "date", False),
        ("int", "string", True),
        ("string", "varchar(3)", True),
        ("string", "int", False),
        ("array<int>", "array<bigint>", True),
        ("array<int>", "string", False),
        ("struct<a:int>", "struct<a:int,b:int>", False),
    ],
)
def test_what_spark_up_casts_fits(found: str, declared: str, fits: bool) -> None:
    assert fits_into(found, declared) is fits


@pytest.mark.parametrize(
    ("names", "added"),
    [(["user_id", "page", "ds"], ["agent"]), (["ds", "user_id", "page"], ["agent"]), (["x", "y", "agent"], [])],
)
def test_a_star_that_would_give_more_today_is_found(catalog: ViewCatalog, names: list[str], added: list[str]) -> None:
    types = ("bigint", "string", "string")
    schema = list(zip(names, types, strict=True))
    catalog.create_view("sales.all", sql={"hive": "SELECT * FROM web.clicks"}, schema=schema)
    assert codes(check(catalog, "sales.all")) == []
    more = (*CLICKS, Column("agent", "string"))
    swap(catalog, lambda row: replace(row, columns=more), TableIdentifier("web", "clicks"))
    report = check(catalog, "sales.all")
    assert codes(report) == ["star-outdated"]
    # Where the view has names of its own, nobody can tell which columns are new.
    assert report.findings[0].details["added"] == added


def test_a_plain_view_by_spark_whose_star_grew_is_found(catalog: ViewCatalog) -> None:
    out = {"view.query.out.numCols": "1", "view.query.out.col.0": "user_id", "spark.sql.create.version": "3.5.9"}
    text = "SELECT * FROM web.clicks"
    catalog.metastore.create_row(plain("web.v", text, (Column("user_id", "bigint"),), **out))
    assert codes(check(catalog, "web.v")) == ["star-outdated"]


def test_a_text_that_gives_other_columns_is_found(catalog: ViewCatalog) -> None:
    text = "SELECT `clicks`.`user_id` AS `a` FROM `web`.`clicks`"
    catalog.metastore.create_row(plain("web.v", text, (Column("a", "bigint"), Column("b", "bigint"))))
    assert codes(check(catalog, "web.v")) == ["columns-disagree"]


def test_a_text_that_is_no_query_is_found(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.v", "SELECT a FROM", (Column("a", "int"),)))
    assert codes(check(catalog, "web.v")) == ["text-unreadable"]


def test_what_needs_an_engine_is_not_known(catalog: ViewCatalog) -> None:
    text = "SELECT own(user_id) AS `a` FROM web.clicks"
    catalog.metastore.create_row(plain("web.v", text, (Column("a", "bigint"),)))
    report = check(catalog, "web.v")
    assert codes(report) == []
    assert [(one.view, one.about) for one in report.not_known] == [("web.v", "types")]


def test_columns_of_a_table_that_decides_itself_are_not_known_whatever_the_query_gives(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(replace(table("web.own"), serde_library="com.example.OwnSerde"))
    text = "SELECT count(*) AS a FROM web.own WHERE gone = 1"
    catalog.metastore.create_row(plain("web.v", text, (Column("a", "bigint"),)))
    report = check(catalog, "web.v")
    assert codes(report) == []
    [unknown] = report.not_known
    assert unknown.about == "columns"
    assert "read by OwnSerde" in unknown.reason


def test_names_in_other_catalogs_are_not_known(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.v", "SELECT a FROM ice.db.t", (Column("a", "int"),)))
    report = check(catalog, "web.v")
    assert codes(report) == []
    assert [one.about for one in report.not_known] == ["sources"]


def test_an_engine_says_what_the_metastore_does_not(catalog: ViewCatalog) -> None:
    asked: list[tuple[str, str]] = []

    def columns_of(query: str, dialect: str, namespace: str) -> list[tuple[str, str, str | None]]:
        asked.append((dialect, namespace))
        return [("user_id", "string", None), ("clicks", "bigint", None), ("ds", "string", None)]

    assert codes(check(catalog, columns_of=columns_of)) == ["column-type-changed"]
    assert asked == [("hive", "sales")]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NoSuchTableError("no such table"), "source-gone"),
        (SQLSyntaxError("no such column", condition="UNRESOLVED_COLUMN.WITH_SUGGESTION"), "column-gone"),
        (SQLSyntaxError("no such function", condition="UNRESOLVED_ROUTINE"), "text-unreadable"),
    ],
)
def test_what_an_engine_refuses_is_found(catalog: ViewCatalog, error: Exception, code: str) -> None:
    def columns_of(query: str, dialect: str, namespace: str) -> list[tuple[str, str, str | None]]:
        raise error

    assert codes(check(catalog, columns_of=columns_of)) == [code]


def test_views_that_read_each_other_are_found_also_through_views_that_were_not_asked_for(catalog: ViewCatalog) -> None:
    for name, read in (("a", "web.b"), ("b", "web.c"), ("c", "web.a"), ("d", "web.a")):
        catalog.metastore.create_row(plain(f"web.{name}", f"SELECT x FROM {read}", (Column("x", "int"),)))
    report = check(catalog, "web.*")
    assert [one.view for one in report.of("cycle")] == ["web.a", "web.b", "web.c"]
    assert report.of("cycle")[1].details["cycle"] == ["web.b", "web.c", "web.a", "web.b"]
    assert [one.view for one in check(catalog, "web.c").of("cycle")] == ["web.c"]


# -- partitions -------------------------------------------------------------------------------------------------------


def test_partitions_that_an_alter_left_behind_are_found(catalog: ViewCatalog) -> None:
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    row = catalog.metastore.load_row(NAME)
    keys = (Column("day", "string"),)
    catalog.metastore.swap_row(replace(row, partition_keys=keys), expected=None)
    assert "partitions-of-other-keys" in codes(check(catalog))
    assert "partitions-of-other-keys" not in codes(check(catalog, partitions=False))


def test_the_partitions_of_an_unfinished_change_are_no_finding_and_it_is_left_as_it_is(catalog: ViewCatalog) -> None:
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}])
    row = catalog.metastore.load_row(NAME)
    catalog.metastore.swap_row(without_keys(row, row.parameters[POINTER]), expected=None)
    assert codes(check(catalog)) == ["unfinished-change"]
    assert catalog.metastore.load_row(NAME).partition_keys == ()


def test_partitions_with_values_of_no_such_type_are_found(catalog: ViewCatalog) -> None:
    text = "SELECT 1 AS a, 2 AS hr"
    catalog.create_view("sales.hourly", sql={"hive": text}, schema=[("a", "int"), ("hr", "int")], partitioned_on=["hr"])
    name = TableIdentifier("sales", "hourly")
    catalog.metastore.add_partitions(
        name, [Partition(("7",)), Partition(("07",)), Partition(("x",))], if_not_exists=False
    )
    (found,) = check(catalog, "sales.hourly").findings
    assert found.code == "partition-values"
    assert sorted(found.details["partitions"]) == ["hr=07", "hr=x"]


def test_published_partitions_whose_base_partitions_are_gone_are_found(catalog: ViewCatalog) -> None:
    base = TableIdentifier("web", "clicks")
    days = [Partition((day,), has_descriptor=True, location=f"file:/w/{day}") for day in ("2026-08-20", "2026-08-21")]
    catalog.metastore.add_partitions(base, days, if_not_exists=False)
    publish(catalog, NAME, requires("web.clicks", ds=column("ds")))
    assert codes(check(catalog)) == []
    catalog.metastore.drop_partitions(base, ["ds=2026-08-20"], if_exists=False)
    (found,) = check(catalog).findings
    assert found.code == "partitions-without-ground"
    assert found.details["partitions"] == ["ds=2026-08-20"]


# -- mending ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["keys twice", "between two swaps", "location", "no pointer", "no table type"])
def test_what_can_be_repaired_without_loss_is_repaired(catalog: ViewCatalog, case: str) -> None:
    before = catalog.load_view(NAME)
    swap(catalog, ROWS[case][0])
    report = check(catalog)
    assert {one.code for one in report.findings} <= set(FIXABLE)
    planned = fix(catalog, report, *FIXABLE, dry_run=True)
    assert [one.state for one in planned] == [State.PLANNED]
    assert codes(check(catalog)) == codes(report)
    assert [one.state for one in fix(catalog, report, *FIXABLE)] == [State.DONE]
    assert check(catalog).findings == ()
    assert catalog.load_view(NAME).versions == before.versions


def test_a_lost_pointer_does_not_come_back_over_what_somebody_wrote(catalog: ViewCatalog) -> None:
    def changed(row: Row) -> Row:
        return foreign_writers.hive_unset_property(replace(row, expanded_text="SELECT 1"), POINTER)

    swap(catalog, changed)
    row = catalog.metastore.load_row(NAME)
    (outcome,) = fix(catalog, check(catalog), "lost-pointer")
    assert outcome.state is State.LEFT
    assert "differs from its last file" in str(outcome.reason)
    assert catalog.metastore.load_row(NAME) == row


def test_a_row_that_was_changed_as_well_is_left(catalog: ViewCatalog) -> None:
    swap(catalog, lambda row: replace(row, location="file:///nowhere", expanded_text="SELECT 1"))
    row = catalog.metastore.load_row(NAME)
    (outcome,) = fix(catalog, check(catalog), "location-set")
    assert outcome.state is State.LEFT
    assert catalog.metastore.load_row(NAME) == row


@pytest.mark.parametrize(("code", "said"), [("drifted", "--on-drift"), ("needs-repare", "needs-repair")])
def test_what_cannot_be_repaired_without_loss_is_refused_with_the_command(
    catalog: ViewCatalog, code: str, said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        fix(catalog, check(catalog), code)


# -- cost, report, table ----------------------------------------------------------------------------------------------


def test_rows_and_tables_are_read_a_hundred_in_a_call_and_each_once(catalog: ViewCatalog, calls: Counter[str]) -> None:
    for number in range(249):
        text = f"SELECT user_id AS `u{number}` FROM web.clicks"
        catalog.metastore.create_row(plain(f"sales.v{number}", text, (Column(f"u{number}", "bigint"),)))
    calls.clear()
    assert check(catalog, "sales.*").findings == ()
    # Of 250 views three calls, and one for the table that they read. One says where plain views would have had files,
    # and one names the partitions of the view that has keys.
    assert calls == {"list_view_names": 1, "load_rows": 3 + 1, "load_namespace": 1, "partition_names": 1}


def test_a_report_shows_itself_as_a_table_and_as_a_document(catalog: ViewCatalog) -> None:
    swap(catalog, ROWS["location"][0])
    report = check(catalog)
    assert "location-set" in report._repr_html_()
    (shown,) = report.document()["findings"]
    assert shown["fixable"]
    assert shown["remedy"] == "repair_view('sales.daily') rewrites the row from its metadata file."
    assert report.document()["counts"] == {"location-set": 1}


def test_the_table_of_codes_in_the_readme_is_that_of_the_code() -> None:
    readme = (Path(__file__).parents[4] / "hive_views/estate/README.md").read_text("utf-8")
    for code in CODES.values():
        mended = f"{code.repair}{' (`--fix`)' if code.fixable else ''}"
        assert f"| `{code.name}` | {code.severity} | {code.means} | {code.engines} | {mended} |" in readme
