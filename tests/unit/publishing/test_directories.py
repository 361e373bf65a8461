"""What lies in the directories of Hive partitions: recorded at publishing, compared by revalidate, never guessed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

import pytest

from hive_views.base_tables.port import PartitionValues, Statistics
from hive_views.errors import InvalidInputError, StorageUnavailableError
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INPUTS
from hive_views.publishing.directory_contents import Directory, list_directories
from hive_views.publishing.ledger.inputs import read_inputs
from hive_views.publishing.publish import publish
from hive_views.publishing.revalidation import revalidate
from hive_views.readiness.rules import column, has_at_least, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.support.failing.faulty_storage import FaultyFileSystem
from tests.support.tables.publishing_lake import (
    CLICKS,
    DAY,
    DS,
    FIRST,
    HOURS,
    HR,
    SECOND,
    Fingerprinted,
    Lake,
    make_lake,
)
from tests.support.views.catalog_setup import BETTER, COLUMNS, create

BY_THE_METASTORE: Literal["current by the metastore"] = "current by the metastore"
VALUES = [(day, hour) for day in ("2026-08-20", "2026-08-21") for hour in ("00", "01")]


class Listings:
    """Lists directories, and notes which."""

    def __init__(self) -> None:
        self.listed: list[str] = []

    def __call__(self, files: Files, locations: Sequence[str]) -> Iterator[Directory]:
        self.listed += [location.rpartition("clicks/")[2] for location in locations]
        return list_directories(files, locations)


@pytest.fixture
def hive(lake: Lake, tmp_path: Path) -> Fingerprinted:
    table = Fingerprinted(CLICKS, (DS, HR), VALUES, root=f"file://{tmp_path}/clicks")
    lake.tables[CLICKS] = table
    return table


def file_of(tmp_path: Path, name: str = "part-0.parquet") -> Path:
    return tmp_path / "clicks" / "2026-08-20" / "01" / name


def rewrite_with_the_same_size(file: Path) -> None:
    before = file.stat()
    file.write_bytes(b"x" * before.st_size)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 5_000_000))


def nest(file: Path) -> None:
    """As Hive does for a UNION."""
    inside = file.parent / "HIVE_UNION_SUBDIR_1" / "000000_0"
    inside.parent.mkdir()
    inside.write_bytes(b"late")


def link(file: Path) -> None:
    elsewhere = file.parent.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "000000_0").write_bytes(b"late")
    (file.parent / "linked").symlink_to(elsewhere, target_is_directory=True)


@pytest.mark.parametrize(
    "happens",
    [
        lambda file: file.with_name("part-1.parquet").write_bytes(b"late"),
        lambda file: file.write_bytes(b"more than there was"),
        rewrite_with_the_same_size,
        lambda file: file.unlink(),
        lambda file: file.rename(file.with_name("part-9.parquet")),
        nest,
        link,
    ],
    ids=["added", "grown", "rewritten", "deleted", "renamed", "nested", "linked"],
)
def test_what_is_written_behind_the_metastores_back_is_a_change(
    lake: Lake, hive: Fingerprinted, tmp_path: Path, happens: Callable[[Path], object]
) -> None:
    del hive
    lake.publish(HOURS)
    assert lake.states(HOURS) == {FIRST: "current", SECOND: "current"}
    happens(file_of(tmp_path))
    report = lake.revalidate(HOURS)
    assert {name: one.state for name, one in report.partitions.items()} == {FIRST: "changed", SECOND: "current"}
    assert "the contents of its partition directories" in report.partitions[FIRST].reasons[0]
    assert lake.states(HOURS, metastore_only=True) == {FIRST: BY_THE_METASTORE, SECOND: BY_THE_METASTORE}


@pytest.mark.parametrize("name", ["_SUCCESS", "_temporary/0/part-1", ".hive-staging_1/-ext/000000_0", ".part-0.crc"])
def test_what_engines_do_not_read_is_no_change(lake: Lake, hive: Fingerprinted, tmp_path: Path, name: str) -> None:
    del hive
    lake.publish(HOURS)
    file_of(tmp_path, name).parent.mkdir(parents=True, exist_ok=True)
    file_of(tmp_path, name).write_bytes(b"")
    assert lake.states(HOURS) == {FIRST: "current", SECOND: "current"}


def test_a_directory_that_is_gone_is_unknown_and_never_current(lake: Lake, hive: Fingerprinted, tmp_path: Path) -> None:
    lake.publish(HOURS)
    file_of(tmp_path).parent.rename(tmp_path / "elsewhere")
    found = lake.revalidate(HOURS).partitions[FIRST]
    assert (found.state, found.reasons) == (
        "unknown",
        (f"{CLICKS}: the directory {hive.directory(('2026-08-20', '01'))} is gone",),
    )


def test_a_directory_that_cannot_be_read_is_unknown_and_never_current(lake: Lake) -> None:
    lake.tables[CLICKS] = Fingerprinted(CLICKS, (DS, HR), VALUES, root="faulty://lake/clicks")
    lake.publish(HOURS)
    FaultyFileSystem.on("list", refuse)
    states = lake.states(HOURS)
    assert sorted(states.values()) == ["current", "unknown"]


def refuse(really: Callable[[], object]) -> object:
    raise PermissionError("not for you")


def test_publishing_does_not_need_the_storage_and_nothing_is_taken_for_looked_at(
    lake: Lake, hive: Fingerprinted
) -> None:
    hive.root = "nosuchprotocol://lake"
    assert lake.publish(HOURS).added == (FIRST, SECOND)
    assert lake.states(HOURS) == {FIRST: BY_THE_METASTORE, SECOND: BY_THE_METASTORE}
    assert "not recorded" in lake.revalidate(HOURS).partitions[FIRST].reasons[0]


def test_a_partition_that_an_earlier_version_published_is_current_by_the_metastore(
    lake: Lake, hive: Fingerprinted
) -> None:
    del hive
    lake.publish(HOURS)
    earlier = json.loads(lake.inputs(FIRST))
    assert earlier[CLICKS].pop("directories")
    lake.catalog.partitions(lake.view).set_parameters([FIRST], {INPUTS: json.dumps(earlier)})
    report = lake.revalidate(HOURS)
    assert (report.in_state(BY_THE_METASTORE), report.in_state("current")) == ((FIRST,), (SECOND,))
    assert not report.all_unchanged


def test_published_by_the_metastore_only_it_is_current_by_the_metastore_at_best(
    lake: Lake, hive: Fingerprinted
) -> None:
    del hive
    lake.publish(HOURS, metastore_only=True)
    assert lake.states(HOURS) == {FIRST: BY_THE_METASTORE, SECOND: BY_THE_METASTORE}


def test_each_directory_under_what_is_new_is_listed_once(lake: Lake, hive: Fingerprinted, tmp_path: Path) -> None:
    listings = Listings()
    lake.publish(HOURS, dry_run=True, list_directories=listings)
    lake.publish(HOURS, metastore_only=True, list_directories=listings, candidates=[{"ds": "2026-08-20"}])
    assert listings.listed == []
    lake.publish(HOURS, requires(CLICKS, ds=column("ds"), hr="00"), list_directories=listings)
    assert listings.listed == ["2026-08-21/00", "2026-08-21/01"]
    listings.listed.clear()
    lake.publish(HOURS, list_directories=listings)
    assert listings.listed == []
    lake.revalidate(HOURS, list_directories=listings, metastore_only=True)
    assert listings.listed == []
    hive.load_again("2026-08-20", "00")
    lake.revalidate(HOURS, list_directories=listings)
    assert listings.listed == ["2026-08-21/00", "2026-08-21/01"], "of the other it is known without that it has changed"
    del tmp_path


def test_what_is_written_after_a_day_was_judged_is_not_what_it_was_published_on(lake: Lake, tmp_path: Path) -> None:
    """The rows that made the day ready may be gone by the time that it is declared."""

    class WrittenWhenJudged(Fingerprinted):
        def load_statistics(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Statistics]:
            statistics = dict.fromkeys(values, Statistics(1, 10, 10))
            file_of(tmp_path).write_bytes(b"fewer rows")
            return statistics

    lake.tables[CLICKS] = WrittenWhenJudged(CLICKS, (DS, HR), VALUES, root=f"file://{tmp_path}/clicks")
    rule = HOURS & has_at_least(CLICKS, ds=column("ds"), records=20)
    assert lake.publish(rule).added == (FIRST, SECOND)
    assert lake.states(HOURS) == {FIRST: "changed", SECOND: "current"}


def test_a_day_that_cannot_be_ready_costs_nothing(lake: Lake, hive: Fingerprinted) -> None:
    listings = Listings()
    hive.drop(("2026-08-20", "01"))
    lake.publish(HOURS & has_at_least(CLICKS, ds=column("ds"), records=1), list_directories=listings)
    assert listings.listed == ["2026-08-21/00", "2026-08-21/01"]
    assert hive.asked == [VALUES[2:]]


def test_beyond_the_limit_the_newest_days_are_known_and_the_others_unknown(
    lake: Lake, hive: Fingerprinted, caplog: pytest.LogCaptureFixture
) -> None:
    lake.publish(HOURS, max_fingerprints=3)
    assert f"for partitions up to {FIRST}: a run reads at most 3 (max_fingerprints)" in caplog.text
    assert hive.asked == [VALUES[2:]]
    assert lake.states(HOURS) == {FIRST: "unknown", SECOND: "current"}


@pytest.mark.parametrize("number", [-1, True, 1.5, "7"])
def test_a_limit_that_is_no_number_is_refused(lake: Lake, hive: Fingerprinted, number: object) -> None:
    del hive
    with pytest.raises(InvalidInputError, match="a whole number, 0 or more"):
        lake.publish(HOURS, max_fingerprints=number)
    assert lake.declared() == []


def test_a_storage_that_refuses_everything_is_not_asked_for_everything() -> None:
    asked: list[str] = []

    class Refusing(Files):
        def list_tree(self, directory: str, is_left_out: Callable[[str], bool]) -> list[object]:  # type: ignore[override]
            asked.append(directory)
            raise StorageUnavailableError("no credentials", location=directory)

    found = list(list_directories(Refusing(), [f"s3://lake/{number}" for number in range(1000)]))
    assert [one.unknown for one in found] == ["no credentials"] * 1000
    assert len(asked) < 100


def test_of_an_object_store_one_listing_says_everything_and_an_empty_prefix_needs_its_bucket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    root, tag = "lake/clicks/ds=1", '"f00d"'

    def find(fs: FaultyFileSystem, path: str, **options: object) -> dict[str, dict[str, object]]:
        made.append(f"find {path}")
        names = ("part-0", "HIVE_UNION_SUBDIR_1/part-0", "_temporary/0/part-0", "nested/")
        written = datetime(2026, 8, 21, tzinfo=timezone.utc)
        entries = {"type": "file", "size": 7, "LastModified": written, "ETag": tag}
        return {f"{root}/{name}": {"name": f"{root}/{name}", **entries} for name in names if "empty" not in path}

    monkeypatch.setattr(FaultyFileSystem, "protocol", "s3")
    monkeypatch.setattr(FaultyFileSystem, "find", find, raising=False)
    monkeypatch.setattr(FaultyFileSystem, "on_call", lambda call: made.append(str(call)))
    location = f"faulty://{root}"
    [before] = list_directories(Files(), [location])
    assert [
        one.location.removeprefix(location) for one in Files().list_tree(location, lambda name: name[0] == "_")
    ] == [
        "/HIVE_UNION_SUBDIR_1/part-0",
        "/part-0",
    ]
    assert [call for call in made if not call.startswith("connect")] == [f"find /{root}"] * 2
    tag = '"beef"'
    [after] = list_directories(Files(), [location])
    assert None not in (before.text, after.text)
    assert before.text != after.text, "another content of the same size, written in the same second"
    [gone] = list_directories(Files(), ["faulty://no-such-bucket/empty"])
    assert (gone.text, gone.unknown) == (None, "the directory faulty://no-such-bucket/empty is gone")


class TestTablesOfTheMetastore:
    """Rows of a metastore: partitions with locations of their own, without one, and tables without partitions."""

    def lake_of(self, tmp_path: Path, row: Row) -> Lake:
        metastore = MemoryMetastore(warehouse=f"file://{tmp_path}")
        metastore.create_namespace("web")
        metastore.create_row(row)
        return make_lake(metastore)

    @pytest.mark.parametrize(
        ("location", "serde"),
        [("file:{}", {}), ("file:{}-__PLACEHOLDER__", {"path": "file:{}"})],
        ids=["hive", "spark"],
    )
    def test_a_table_without_partitions_is_one_directory(
        self, tmp_path: Path, location: str, serde: Mapping[str, str]
    ) -> None:
        directory = tmp_path / "users"
        directory.mkdir()
        (directory / "part-0").write_bytes(b"one")
        path = str(directory)
        row = Row(
            TableIdentifier("web", "users"),
            "EXTERNAL_TABLE",
            location=location.format(path),
            serde_parameters={key: text.format(path) for key, text in serde.items()},
        )
        lake = self.lake_of(tmp_path, row)
        publish(lake.catalog, lake.view, requires("web.users"), candidates=[{"ds": "2026-08-20"}])
        assert self.states(lake) == ["current"]
        (directory / "part-1").write_bytes(b"late")
        assert self.states(lake) == ["changed"]

    def test_a_row_without_a_location_is_current_by_the_metastore(self, tmp_path: Path) -> None:
        lake = self.lake_of(tmp_path, Row(TableIdentifier("web", "users"), "EXTERNAL_TABLE"))
        publish(lake.catalog, lake.view, requires("web.users"), candidates=[{"ds": "2026-08-20"}])
        assert self.states(lake) == [BY_THE_METASTORE]

    @pytest.mark.parametrize("keys", [(), ("ds",)])
    def test_a_view_whose_query_was_replaced_is_a_change(self, keys: tuple[str, ...]) -> None:
        lake = make_lake()
        create(lake.catalog, "default.base", partitioned_on=keys)
        if keys:
            lake.catalog.partitions("default.base").add([{"ds": "2026-08-20"}])
        rule = requires("default.base", dict.fromkeys(keys, column("ds")))
        assert lake.publish(rule, candidates=[{"ds": "2026-08-20"}]).added == (FIRST,)
        lake.catalog.alter_view("default.base", set_properties={"k": "v"})
        assert lake.states(rule) == {FIRST: BY_THE_METASTORE}
        lake.catalog.replace_view("default.base", sql={"hive": BETTER, "trino": BETTER}, schema=COLUMNS)
        for metastore_only in (False, True):
            found = lake.revalidate(rule, metastore_only=metastore_only).partitions[FIRST]
            assert (found.state, found.reasons) == ("changed", ("default.base: its query has changed",))

    @staticmethod
    def states(lake: Lake) -> list[str]:
        found = revalidate(lake.catalog, lake.view, requires("web.users"), candidates=[{"ds": "2026-08-20"}])
        return [one.state for one in found.partitions.values()]


def test_what_is_recorded_fits_a_metastore(lake: Lake, hive: Fingerprinted) -> None:
    del hive
    lake.publish(HOURS, DAY)
    found = read_inputs(lake.inputs(FIRST))
    assert found
    assert len(found[CLICKS].directories or "") == 16
