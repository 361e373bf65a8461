"""A nightly backup keeps the newest archives, and deletes only what it may: nothing that somebody still needs."""

from __future__ import annotations

import hashlib
import shutil
import uuid
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from hive_views.errors import AlreadyExistsError, InvalidInputError, NoSuchViewError
from hive_views.estate import BackupOutcomes, backup, restore
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.faulty_storage import FaultyFileSystem
from tests.support.views.quick_catalog import catalog_on

QUERY = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]

Night = Callable[..., BackupOutcomes]


def broken(_: Callable[[], object]) -> object:
    raise OSError(5, "Input/output error")


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    for name in ("daily", "weekly"):
        catalog.create_view(f"sales.{name}", sql={"hive": QUERY}, schema=COLUMNS)
    return catalog


@pytest.fixture
def night(catalog: ViewCatalog, tmp_path: Path) -> Night:
    """A backup of a night of August, in UTC, whatever the clock of this machine says."""
    return nights_of(catalog, f"{tmp_path}/views-%Y-%m-%d.zip")


def nights_of(catalog: ViewCatalog, pattern: str) -> Night:
    def back_up(day: int, *patterns: str, keep: int = 2, hour: int = 3, **options: object) -> BackupOutcomes:
        at = datetime(2026, 8, day, hour, tzinfo=timezone.utc)
        catalog.settings = replace(catalog.settings, clock_ms=lambda: int(at.timestamp() * 1000))
        return backup(catalog, pattern, *patterns, keep=keep, **options)  # type: ignore[arg-type]

    return back_up


def days(directory: Path) -> list[int]:
    return sorted(int(one.name[-6:-4]) for one in directory.glob("views-*.zip"))


def names(locations: object) -> list[str]:
    return [str(one).rpartition("/")[2] for one in locations]  # type: ignore[attr-defined]


def lose_file(catalog: ViewCatalog, name: str = "sales.weekly") -> Callable[[], None]:
    """The metadata file of a view is gone until what this returns is called."""
    location = catalog.load_view(name).metadata_location
    content = catalog.storage.read_bytes(location)
    catalog.storage.delete(location)
    return lambda: catalog.storage.write_bytes(location, content)


@pytest.mark.parametrize("place", ["local", "memory"])
def test_the_newest_archives_are_kept_and_older_ones_deleted(catalog: ViewCatalog, tmp_path: Path, place: str) -> None:
    directory = {"local": f"file://{tmp_path}", "memory": f"memory://{uuid.uuid4().hex}"}[place]
    night = nights_of(catalog, f"{directory}/views-%Y-%m-%d.zip")
    assert [names(night(day).rotation.deleted) for day in (1, 2)] == [[], []]  # type: ignore[union-attr]
    planned = night(3, dry_run=True)
    assert planned.summary() == (
        f"2 views: 2 would be backed up. 2 archives kept, 1 would be deleted ({directory}/views-2026-08-01.zip)."
    )
    assert planned.rotation is not None
    assert len(Files().list(directory)) == 2
    done = night(3)
    assert done.document()["rotation"] == {
        "kept": [f"{directory}/views-2026-08-0{day}.zip" for day in (3, 2)],
        "deleted": [f"{directory}/views-2026-08-01.zip"],
        "reasons": {},
        "problems": {},
    }
    assert (planned.rotation.kept, planned.rotation.deleted) == (done.rotation.kept, done.rotation.deleted)  # type: ignore[union-attr]
    assert names(Files().list(directory)) == ["views-2026-08-02.zip", "views-2026-08-03.zip"]


def test_nights_in_which_a_view_failed_delete_nothing_and_push_nothing_out(
    catalog: ViewCatalog, night: Night, tmp_path: Path
) -> None:
    for day in (1, 2):
        night(day)
    repair = lose_file(catalog)
    for day in (3, 4, 5):
        failed = night(day)
        assert failed.failed
        assert failed.rotation is None
    assert days(tmp_path) == [1, 2, 3, 4, 5]
    repair()
    done = night(6).rotation
    assert done is not None
    # The last whole one counts, and those without all views between them do not; what is older goes.
    assert days(tmp_path) == [2, 3, 4, 5, 6]
    assert "1 view failed in it" in done.reasons[f"file://{tmp_path}/views-2026-08-04.zip"]
    night(7)
    assert days(tmp_path) == [6, 7]


def test_nothing_is_deleted_if_there_is_nothing_to_back_up(catalog: ViewCatalog, night: Night, tmp_path: Path) -> None:
    for day in (1, 2):
        night(day)
    for name in ("daily", "weekly"):
        catalog.drop_view(f"sales.{name}")
    with pytest.raises(NoSuchViewError):
        night(3, keep=1)
    assert days(tmp_path) == [1, 2]


def test_what_a_kept_archive_is_based_on_is_kept_directly_or_not(
    catalog: ViewCatalog, night: Night, tmp_path: Path
) -> None:
    def archive(day: int) -> str:
        return f"{tmp_path}/views-2026-08-0{day}.zip"

    night(1)
    night(2)
    catalog.replace_view("sales.daily", sql={"hive": f"{QUERY} WHERE true"})
    night(3, base=archive(1), keep=9)
    night(4, base=archive(3), keep=9)
    done = night(5, base=archive(4), keep=1).rotation
    assert done is not None
    assert names(done.deleted) == ["views-2026-08-04.zip", "views-2026-08-02.zip"]
    assert done.reasons[f"file://{archive(1)}"] == "a later one is based on it"
    assert days(tmp_path) == [1, 3, 5]
    catalog.drop_view("sales.weekly")
    assert not restore(catalog, archive(5)).failed
    with pytest.raises(InvalidInputError, match=r"Cannot overwrite .*-01\.zip: .*-05\.zip, .*-03\.zip refer"):
        night(1, overwrite=True)


def test_what_is_no_whole_archive_neither_counts_nor_is_deleted(night: Night, tmp_path: Path) -> None:
    for day in (1, 2, 3, 4):
        night(day, keep=9)
    (tmp_path / "views-2026-08-05.zip").write_bytes(b"PK\x03\x04 somebody's")
    cut_off = tmp_path / "views-2026-08-04.zip"
    cut_off.write_bytes(cut_off.read_bytes()[:-30])
    damaged = tmp_path / "views-2026-08-01.zip"
    content = damaged.read_bytes()
    at = content.index(b"views/sales/daily/row.json") + 40
    damaged.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    # Names that the pattern does not write.
    for name in ("views-2026-8-02.zip", "views-2026-13-01.zip", "views-2026-08-02.zip.old", "xviews-2026-08-02.zip"):
        shutil.copy(tmp_path / "views-2026-08-02.zip", tmp_path / name)
    (tmp_path / "views-2026-08-09.zip").mkdir()
    before = set(tmp_path.iterdir())
    done = night(6, keep=2).rotation
    assert done is not None
    assert sorted(names(done.problems)) == [f"views-2026-08-0{day}.zip" for day in (1, 4, 5)]
    assert (names(done.kept), names(done.deleted)) == (
        ["views-2026-08-06.zip", "views-2026-08-03.zip"],
        ["views-2026-08-02.zip"],
    )
    assert before - set(tmp_path.iterdir()) == {tmp_path / "views-2026-08-02.zip"}


def test_what_has_lost_the_archive_that_it_is_based_on_does_not_count(
    catalog: ViewCatalog, night: Night, tmp_path: Path
) -> None:
    full = f"{tmp_path}/full.zip"
    backup(catalog, full)
    night(1)
    for day in (2, 3):
        night(day, base=full)
    assert days(tmp_path) == [2, 3]
    night(4)
    Path(full).unlink()
    done = night(5, keep=2).rotation
    assert done is not None
    assert names(done.problems) == ["views-2026-08-03.zip"]
    assert (names(done.kept), names(done.deleted)) == (["views-2026-08-05.zip", "views-2026-08-04.zip"], [])


def test_archives_of_other_views_neither_count_nor_are_deleted(night: Night, tmp_path: Path) -> None:
    night(1)
    night(2, "sales.daily")
    night(3, "sales.daily")
    done = night(4).rotation
    assert done is not None
    assert days(tmp_path) == [1, 2, 3, 4]
    assert done.reasons[f"file://{tmp_path}/views-2026-08-03.zip"] == "it is a backup of other views: sales.daily"


def test_a_clock_that_was_set_back_deletes_nothing_that_is_newer(night: Night, tmp_path: Path) -> None:
    for day in (20, 21, 1):
        night(day)
    assert days(tmp_path) == [1, 20, 21]
    done = night(2).rotation
    assert done is not None
    assert done.reasons[f"file://{tmp_path}/views-2026-08-21.zip"] == "it is dated later than this backup"
    night(22)
    assert days(tmp_path) == [21, 22]


def test_a_second_backup_in_one_night_is_refused_or_replaces_the_first(
    catalog: ViewCatalog, night: Night, tmp_path: Path
) -> None:
    for day in (1, 2, 3):
        night(day)
    with pytest.raises(AlreadyExistsError):
        night(3, keep=1, hour=4)
    assert days(tmp_path) == [2, 3]
    night(3, keep=2, hour=4, overwrite=True)
    assert days(tmp_path) == [2, 3]
    # Copies of one archive are one.
    shutil.copy(tmp_path / "views-2026-08-03.zip", tmp_path / "views-2026-08-04.zip")
    night(5, keep=3)
    assert days(tmp_path) == [2, 3, 4, 5]
    by_time = nights_of(catalog, f"{tmp_path}/%Y%m%dT%H%M%S.zip")
    assert [names(by_time(6, hour=hour).rotation.kept) for hour in (3, 4)] == [  # type: ignore[union-attr]
        ["20260806T030000.zip"],
        ["20260806T040000.zip", "20260806T030000.zip"],
    ]


# The first deletion is that of a temporary file of the new archive.
@pytest.mark.parametrize(("operation", "after"), [("list", 0), ("delete", 1)])
def test_where_the_storage_fails_nothing_more_is_deleted(catalog: ViewCatalog, operation: str, after: int) -> None:
    directory = f"faulty://{uuid.uuid4().hex}"
    night = nights_of(catalog, f"{directory}/views-%Y-%m-%d.zip")
    for day in (1, 2, 3):
        night(day, keep=9)
    FaultyFileSystem.on(operation, broken, after=after)
    done = night(4, keep=1)
    assert done.archive == f"{directory}/views-2026-08-04.zip"
    assert done.rotation is not None
    assert [("Input/output error" in why) for why in done.rotation.problems.values()] == [True]
    assert done.rotation.deleted == ()
    assert len(Files().list(directory)) == 4


def test_an_archive_of_a_later_release_may_be_based_on_any_other(night: Night, tmp_path: Path) -> None:
    for day in (1, 2):
        night(day)
    manifest = b'{"format-version": 2}'
    with zipfile.ZipFile(tmp_path / "views-2026-08-03.zip", "w") as file:
        file.writestr("manifest.json", manifest)
        file.writestr("manifest.json.sha256", f"{hashlib.sha256(manifest).hexdigest()}  manifest.json")
    done = night(4, keep=1).rotation
    assert done is not None
    assert days(tmp_path) == [1, 2, 3, 4]
    assert done.reasons[f"file://{tmp_path}/views-2026-08-01.zip"] == "it may be needed by one that cannot be read now"


@pytest.mark.parametrize(
    "name",
    ["views.zip", "views-%Y.zip", "views-%Y-%m-%d-%A.zip", "%Y-%m-%d-%d.zip", "%Y/%m/views-%Y-%m-%d.zip", "%Y%m%d%"],
)
def test_a_name_that_does_not_tell_nights_apart_is_refused(catalog: ViewCatalog, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInputError, match="views-%Y-%m-%d"):
        backup(catalog, f"{tmp_path}/{name}", keep=2)
    with pytest.raises(InvalidInputError, match="1 or more"):
        backup(catalog, f"{tmp_path}/%Y%m%d.zip", keep=0)
    assert list(tmp_path.iterdir()) == []
