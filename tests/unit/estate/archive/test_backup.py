"""Views are put into one archive: whole, as they are, and never in the place of an archive that has more."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    Answer,
    CorruptArchiveError,
    InvalidInputError,
    MetastoreUnavailableError,
    NoSuchViewError,
    NotFoundError,
    StorageUnavailableError,
)
from hive_views.estate.archive.backup import backup
from hive_views.estate.archive.manifest import Manifest
from hive_views.estate.archive.restore import restore
from hive_views.estate.archive.verified_archive import open_archive
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER, TABLE_TYPE, Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.released import half_released, released
from tests.support.failing.faulty_storage import broken, failing
from tests.support.plain_rows import VIEWS, fill, plain_views
from tests.support.views.foreign_writers import spark_alter_view_as
from tests.support.views.quick_catalog import catalog_on

ROOT = Path(__file__).parents[4]
QUERY = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]


class Hooked(MemoryMetastore):
    """A metastore in which something happens before a call."""

    hook: Callable[[str], None] | None = None

    def __init__(self) -> None:
        super().__init__(on_call=lambda verb: self.hook(verb) if self.hook else None)


@pytest.fixture
def metastore() -> Hooked:
    return Hooked()


@pytest.fixture
def catalog(metastore: Hooked) -> ViewCatalog:
    catalog = catalog_on(metastore)
    for name in ("daily", "hourly", "weekly"):
        catalog.create_view(f"sales.{name}", sql={"hive": QUERY}, schema=COLUMNS, partitioned_on=["ds"])
    catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}], parameters={"k": "v"})
    return catalog


@pytest.fixture(params=["path", "file", "memory"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An archive on each kind of storage."""
    (tmp_path / "a b").mkdir()
    places = {"path": f"{tmp_path}/a b/v.zip", "file": f"file://{tmp_path}/a b/v.zip"}
    return places.get(request.param, f"memory://{uuid.uuid4().hex}/v.zip")


def manifest_of(archive: str | Path) -> Manifest:
    with open_archive(str(archive), Files()) as opened:
        assert opened.damaged(opened.manifest.members.values()) == {}
        return opened.manifest


def test_an_archive_has_rows_files_and_partitions(catalog: ViewCatalog, archive: str) -> None:
    outcomes = backup(catalog, archive, "sales.*")
    assert outcomes.summary() == "3 views: 3 backed up."
    assert outcomes.archive is not None
    with open_archive(archive, Files()) as opened:
        assert opened.id == outcomes.archive_id
        daily, hourly, _ = opened.manifest.views
        view = catalog.load_view("sales.daily")
        assert (daily.view, daily.uuid, daily.metadata_location) == ("sales.daily", view.uuid, view.metadata_location)
        assert opened.metadata(daily) == catalog.storage.read_bytes(view.metadata_location)
        assert opened.row(daily) == replace(view.row, native=None)
        found = {name: (one.values, one.parameters["k"]) for name, one in opened.partitions(daily)}
        assert found == {f"ds={ds}": ((ds,), "v") for ds in ("2026-08-21", "2026-08-22")}
        assert (hourly.number_of_partitions, hourly.partitions) == (0, None)


def test_an_archive_is_a_zip_file_that_others_can_check(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/v.zip")
    with zipfile.ZipFile(tmp_path / "v.zip") as file:
        manifest = json.loads(file.read("manifest.json"))
        assert manifest["format-version"] == 1
        assert (
            file.read("manifest.json.sha256").split()[0].decode()
            == hashlib.sha256(file.read("manifest.json")).hexdigest()
        )
        for view in manifest["views"]:
            for part in ("row", "metadata", "partitions"):
                if member := view.get(part):
                    assert hashlib.sha256(file.read(member["name"])).hexdigest() == member["sha256"]
        metadata = json.loads(gzip.decompress(file.read("views/sales/daily/metadata.json.gz")))
        assert metadata["view-uuid"] == catalog.load_view("sales.daily").uuid


def test_views_that_have_not_changed_give_the_same_bytes(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.settings = replace(catalog.settings, clock_ms=lambda: 7)
    first, second = (backup(catalog, f"{tmp_path}/{name}.zip") for name in "ab")
    assert first.archive_id == second.archive_id
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_what_is_not_there_cannot_be_backed_up(catalog: ViewCatalog, tmp_path: Path) -> None:
    with pytest.raises(NoSuchViewError, match=r"sales\.dayly"):
        backup(catalog, f"{tmp_path}/v.zip", "sales.dayly")
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_left_and_a_plain_view_is_a_row(catalog: ViewCatalog, metastore: Hooked, tmp_path: Path) -> None:
    daily = metastore.load_row(TableIdentifier("sales", "daily"))
    metastore.create_row(replace(daily, identifier=TableIdentifier("sales", "t"), table_type="EXTERNAL_TABLE"))
    fill(metastore, plain_views("hive"))
    outcomes = backup(catalog, f"{tmp_path}/v.zip", "sales.t", f"{VIEWS}.*")
    assert [one.reason for one in outcomes.of(State.LEFT)] == ["It is a table (EXTERNAL_TABLE)."]
    assert len(outcomes.of(State.DONE)) == len(plain_views("hive"))
    found = {one.view: one for one in manifest_of(tmp_path / "v.zip").views}
    assert all((one.uuid, one.metadata) == (None, None) for one in found.values())
    with open_archive(f"{tmp_path}/v.zip", Files()) as opened:
        for view in plain_views("hive"):
            archived = found[str(view.row.identifier)]
            assert opened.row(archived) == metastore.load_row(view.row.identifier)
            assert [one.values for _, one in opened.partitions(archived)] == sorted(p.values for p in view.declared)


# -- what fails --------------------------------------------------------------------------------------------------------


def test_a_view_that_cannot_be_read_is_named_and_the_others_are_put_in(catalog: ViewCatalog, tmp_path: Path) -> None:
    hourly = catalog.load_view("sales.hourly")
    catalog.storage.delete(hourly.metadata_location)
    other = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse)
    outcomes = backup(other, f"{tmp_path}/v.zip")
    assert [one.view for one in outcomes.failed] == ["sales.hourly"]
    assert hourly.metadata_location in str(outcomes.failed[0].reason)
    manifest = manifest_of(tmp_path / "v.zip")
    assert [one.view for one in manifest.views] == ["sales.daily", "sales.weekly"]
    assert list(manifest.failed) == ["sales.hourly"]


def test_a_damaged_metadata_file_is_no_backup(catalog: ViewCatalog, tmp_path: Path) -> None:
    location = catalog.load_view("sales.hourly").metadata_location
    catalog.storage.delete(location)
    catalog.storage.write_bytes(location, gzip.compress(b"{}"))
    assert [one.view for one in backup(catalog, f"{tmp_path}/v.zip").failed] == ["sales.hourly"]


def test_an_archive_is_not_replaced_by_one_with_failures(catalog: ViewCatalog, tmp_path: Path) -> None:
    """It may be the only one that has the view which cannot be read any more."""
    backup(catalog, f"{tmp_path}/v.zip")
    before = (tmp_path / "v.zip").read_bytes()
    catalog.storage.delete(catalog.load_view("sales.hourly").metadata_location)
    outcomes = backup(catalog, f"{tmp_path}/v.zip", overwrite=True)
    assert len(outcomes.failed) == 1
    assert outcomes.archive is None
    assert "was left unchanged" in str(outcomes.left_as_it_was)
    assert (tmp_path / "v.zip").read_bytes() == before


@pytest.mark.parametrize("lost", [POINTER, TABLE_TYPE, "released"])
def test_a_view_that_has_lost_what_says_so_is_no_plain_view(
    catalog: ViewCatalog, metastore: Hooked, tmp_path: Path, lost: str
) -> None:
    """Without its history it would take the place of the only archive that has it."""
    catalog.create_view("sales.top", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    backup(catalog, f"{tmp_path}/v.zip")
    before = (tmp_path / "v.zip").read_bytes()
    for name in ("daily", "top"):
        row = metastore.load_row(TableIdentifier("sales", name))
        kept = {key: value for key, value in row.parameters.items() if key != lost}
        metastore.swap_row(half_released(row) if lost == "released" else replace(row, parameters=kept), expected=None)
    outcomes = backup(catalog, f"{tmp_path}/v.zip", overwrite=True)
    assert [one.view for one in outcomes.failed] == ["sales.daily", "sales.top"]
    said = "Handing back sales.top was interrupted" if lost == "released" else f"lost its parameter {lost}"
    assert said in str(outcomes.failed[1].reason)
    assert (tmp_path / "v.zip").read_bytes() == before
    since = backup(catalog, f"{tmp_path}/w.zip", base=f"{tmp_path}/v.zip")
    assert [one.view for one in since.failed] == ["sales.daily", "sales.top"]


def test_a_view_that_is_being_released_is_looked_at_again(
    catalog: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    row = half_released(metastore.load_row(TableIdentifier("sales", "daily")))
    metastore.swap_row(row, expected=None)
    metastore.hook = once("load_row", lambda: metastore.swap_row(released(row), expected=None))
    (outcome,) = backup(catalog, f"{tmp_path}/v.zip", "sales.daily")
    assert (outcome.state, outcome.reason) == (State.DONE, "It is a plain view.")


def test_a_view_of_which_the_server_answers_with_an_error_fails_alone(
    catalog: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    calls: list[str] = []

    def fail_first(verb: str) -> None:
        calls.append(verb)
        if verb == "partition_names" and calls.count(verb) == 1:
            raise MetastoreUnavailableError("MetaException.", answer=Answer.FAILED)

    metastore.hook = fail_first
    outcomes = backup(catalog, f"{tmp_path}/v.zip")
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE, State.DONE]


def test_without_the_metastore_no_archive_is_written(catalog: ViewCatalog, metastore: Hooked, tmp_path: Path) -> None:
    calls: list[str] = []

    def go_away(verb: str) -> None:
        calls.append(verb)
        if "partition_names" in calls:
            raise MetastoreUnavailableError("No answer.")

    metastore.hook = go_away
    outcomes = backup(catalog, f"{tmp_path}/v.zip")
    assert [one.state for one in outcomes] == [State.FAILED, State.NOT_TRIED, State.NOT_TRIED]
    assert outcomes.archive is None
    assert list(tmp_path.iterdir()) == []


def test_an_archive_that_is_there_is_replaced_only_if_that_is_asked_for(catalog: ViewCatalog, archive: str) -> None:
    backup(catalog, archive, "sales.daily")
    with pytest.raises(AlreadyExistsError, match=r"v\.zip already exists\. overwrite=True replaces it\."):
        backup(catalog, archive)
    assert len(manifest_of(archive).views) == 1
    backup(catalog, archive, overwrite=True)
    assert len(manifest_of(archive).views) == 3


def test_a_file_that_came_meanwhile_is_not_replaced(catalog: ViewCatalog, metastore: Hooked, tmp_path: Path) -> None:
    metastore.hook = lambda _: (tmp_path / "v.zip").write_text("somebody's") and None
    with pytest.raises(AlreadyExistsError):
        backup(catalog, f"{tmp_path}/v.zip")
    assert (tmp_path / "v.zip").read_text() == "somebody's"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_dry_run_reads_everything_and_writes_nothing(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.storage.delete(catalog.load_view("sales.hourly").metadata_location)
    other = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse)
    outcomes = backup(other, f"{tmp_path}/v.zip", dry_run=True)
    assert [one.state for one in outcomes] == [State.PLANNED, State.FAILED, State.PLANNED]
    assert list(tmp_path.iterdir()) == []


def test_where_the_archive_cannot_be_written_nothing_is_left(catalog: ViewCatalog, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "absent"):
        with pytest.raises(InvalidInputError, match=rf"there is no directory .*/{place}"):
            backup(catalog, f"{tmp_path}/{place}/v.zip")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    with failing("write", broken), pytest.raises(StorageUnavailableError):
        backup(catalog, f"faulty://{uuid.uuid4().hex}/v.zip")


def test_an_interrupted_backup_leaves_the_earlier_archive_whole(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whichever step of copying the archive to its place it ends."""
    target = tmp_path / "v.zip"
    backup(catalog, str(target), "sales.daily")
    before = target.read_bytes()
    for step in ("fsync", "replace"):
        with monkeypatch.context() as context:

            def end(*_: object, **__: object) -> None:
                raise KeyboardInterrupt

            context.setattr(os, step, end)
            context.setattr(Path, "replace", end)
            with pytest.raises(KeyboardInterrupt):
                backup(catalog, str(target), overwrite=True)
        assert target.read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["v.zip"]


# -- while others write ------------------------------------------------------------------------------------------------


def once(verb: str, do: Callable[[], object]) -> Callable[[str], None]:
    """Does something before the first call of a verb."""
    done: list[str] = []

    def hook(called: str) -> None:
        if called == verb and not done:
            done.append(called)
            do()

    return hook


def test_a_view_that_is_dropped_meanwhile_is_left(catalog: ViewCatalog, metastore: Hooked, tmp_path: Path) -> None:
    metastore.hook = once("partition_names", lambda: catalog.drop_view("sales.daily", purge=True))
    outcomes = backup(ViewCatalog(metastore), f"{tmp_path}/v.zip")
    assert [one.state for one in outcomes] == [State.LEFT, State.DONE, State.DONE]
    assert "in the meantime" in str(outcomes[0].reason)


def test_a_view_whose_file_is_gone_since_its_row_was_read_is_read_again(
    catalog: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    old = catalog.load_view("sales.daily").metadata_location

    def change() -> None:
        catalog.alter_view("sales.daily", comment="changed")
        catalog.storage.delete(old)

    stale = ViewCatalog(metastore)
    rows = metastore.load_rows("sales", ["daily"])
    metastore.load_rows = lambda *_: (change(), rows)[1]  # type: ignore[method-assign,assignment,func-returns-value]
    assert [one.state for one in backup(stale, f"{tmp_path}/v.zip", "sales.daily")] == [State.DONE]
    assert manifest_of(tmp_path / "v.zip").views[0].metadata_location != old


def with_other_keys(catalog: ViewCatalog, name: str, declared: str = "7") -> None:
    """The view has its partition columns in another order, and another partition."""
    catalog.partitions(name).drop([{"ds": "1", "hr": "2"}])
    columns = [("x", "int"), ("hr", "string"), ("ds", "string")]
    catalog.replace_view(name, sql={"hive": "SELECT x, hr, ds FROM web.t"}, schema=columns, partitioned_on=["hr", "ds"])
    catalog.partitions(name).add([{"hr": declared, "ds": "8"}])


@pytest.fixture
def partitioned(catalog: ViewCatalog) -> ViewCatalog:
    catalog.create_namespace("web")
    for name in ("a", "b", "c"):
        columns = [("x", "int"), ("ds", "string"), ("hr", "string")]
        query = "SELECT x, ds, hr FROM web.t"
        catalog.create_view(f"web.{name}", sql={"hive": query}, schema=columns, partitioned_on=["ds", "hr"])
        catalog.partitions(f"web.{name}").add([{"ds": "1", "hr": "2"}])
    return catalog


@pytest.mark.parametrize("verb", ["partition_names", "load_partitions"])
def test_a_view_that_is_changed_while_its_partitions_are_read_is_read_again(
    partitioned: ViewCatalog, metastore: Hooked, tmp_path: Path, verb: str
) -> None:
    """The row that was listed and the partitions that are there would be no view that ever was."""
    metastore.hook = once(verb, lambda: with_other_keys(partitioned, "web.b"))
    outcomes = backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", "web.*")
    assert [(one.state, one.reason) for one in outcomes] == 3 * [(State.DONE, None)]
    with open_archive(f"{tmp_path}/v.zip", Files()) as opened:
        view = opened.manifest.views[1]
        assert [key.name for key in opened.row(view).partition_keys] == ["hr", "ds"]
        assert [name for name, _ in opened.partitions(view)] == ["hr=7/ds=8"]


def test_a_view_that_is_changed_each_time_it_is_read_fails(
    partitioned: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    changes: list[str] = []

    def change(verb: str) -> None:
        if verb == "partition_names":
            metastore.hook = None
            changes.append(verb)
            partitioned.alter_view("web.b", comment=f"{len(changes)}")
            metastore.hook = change

    metastore.hook = change
    outcomes = backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", "web.*")
    assert [one.state for one in outcomes] == [State.DONE, State.FAILED, State.DONE]
    assert "changed" in str(outcomes[1].reason)


def test_partitions_that_do_not_fit_the_view_are_named(
    partitioned: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    """Nothing could declare them again."""
    row = metastore.load_row(TableIdentifier("web", "b"))
    metastore.swap_row(replace(row, partition_keys=tuple(reversed(row.partition_keys))), expected=None)
    outcomes = backup(partitioned, f"{tmp_path}/v.zip", "web.*")
    assert "ds=1/hr=2" in str(outcomes[1].reason)
    assert manifest_of(tmp_path / "v.zip").views[1].number_of_partitions == 0


def test_a_manifest_names_no_password(catalog: ViewCatalog) -> None:
    """An archive goes to people who may not read where it came from; a file of it is as it was."""
    place = f"memory://ada:s3cret@{uuid.uuid4().hex}"
    location = f"{place}/top"
    view = catalog.create_view("sales.top", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], location=location)
    catalog.create_view("sales.low", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], location=f"{place}/low")
    catalog.storage.delete(catalog.load_view("sales.low").metadata_location)
    outcomes = backup(ViewCatalog(catalog.metastore), f"{place}/v.zip", "sales.top", "sales.low")
    assert "s3cret" not in json.dumps(outcomes.document())
    catalog.drop_view("sales.low")
    since = backup(catalog, f"{place}/w.zip", "sales.top", base=f"{place}/v.zip")
    for archive in (outcomes.archive, since.archive):
        assert archive is not None
        manifest = manifest_of(archive)
        assert "s3cret" not in manifest.model_dump_json() + manifest._repr_html_()
        assert manifest.views[0].metadata_location == view.metadata_location.replace("ada:s3cret@", "***@")
    catalog.drop_view("sales.top", purge=True)
    with pytest.raises(NotFoundError, match=r"whose password is not stored.*bases=") as missing:
        restore(catalog, f"{place}/w.zip")
    assert "s3cret" not in str(missing.value)
    restore(catalog, f"{place}/w.zip", bases=[f"{place}/v.zip"])
    assert catalog.load_view("sales.top").uuid == view.uuid


def test_what_only_the_row_says_is_kept_and_told(catalog: ViewCatalog, metastore: Hooked, tmp_path: Path) -> None:
    row = metastore.load_row(TableIdentifier("sales", "daily"))
    columns = (Column("user_id", "bigint"), Column("ds", "string"))
    metastore.swap_row(spark_alter_view_as(row, "SELECT 1 AS user_id, '' AS ds", columns), expected=None)
    outcomes = backup(catalog, f"{tmp_path}/v.zip", "sales.daily")
    assert "a restore follows the file" in str(outcomes[0].reason)
    with open_archive(f"{tmp_path}/v.zip", Files()) as opened:
        assert opened.row(opened.manifest.views[0]) == metastore.load_row(row.identifier)


# -- since an earlier archive ------------------------------------------------------------------------------------------


def test_what_has_not_changed_since_is_only_named(catalog: ViewCatalog, tmp_path: Path) -> None:
    first = backup(catalog, f"{tmp_path}/1.zip")
    catalog.alter_view("sales.weekly", comment="changed")
    catalog.partitions("sales.daily").add([{"ds": "2026-08-23"}])
    outcomes = backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    assert [one.state for one in outcomes] == [State.DONE, State.UNCHANGED, State.DONE]
    second = manifest_of(tmp_path / "2.zip")
    assert [one.held_by for one in second.views] == [None, first.archive_id, None]
    assert [(one.id, one.location) for one in second.earlier] == [(first.archive_id, f"file://{tmp_path}/1.zip")]

    catalog.drop_view("sales.weekly")
    outcomes = backup(catalog, f"{tmp_path}/3.zip", base=f"{tmp_path}/2.zip")
    third = manifest_of(tmp_path / "3.zip")
    assert outcomes.gone == third.gone == ("sales.weekly",)
    assert [one.id for one in third.earlier] == [manifest_id(tmp_path / "2.zip"), first.archive_id]
    assert third.members == {}


def test_an_unchanged_row_that_says_something_else_than_its_file_is_told_each_time(
    catalog: ViewCatalog, metastore: Hooked, tmp_path: Path
) -> None:
    row = metastore.load_row(TableIdentifier("sales", "daily"))
    metastore.swap_row(replace(row, original_text="SELECT 2", expanded_text="SELECT 2"), expected=None)
    backup(catalog, f"{tmp_path}/1.zip")
    outcomes = backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    assert [one.state for one in outcomes] == 3 * [State.UNCHANGED]
    assert ["restore follows the file" in str(one.reason) for one in outcomes] == [True, False, False]
    catalog.storage.delete(row.parameters[POINTER])
    again = backup(ViewCatalog(metastore), f"{tmp_path}/3.zip", base=f"{tmp_path}/2.zip")
    assert (again[0].state, again[0].reason) == (State.UNCHANGED, "The earlier archive has it.")


def manifest_id(archive: Path) -> str:
    with open_archive(str(archive), Files()) as opened:
        return opened.id


def test_parameters_of_a_partition_are_a_change(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    catalog.partitions("sales.daily").set_parameters({"ds=2026-08-21": {"k": "other"}}.keys(), {"k": "other"})
    outcomes = backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    assert [one.state for one in outcomes] == [State.DONE, State.UNCHANGED, State.UNCHANGED]


def test_the_files_of_unchanged_views_are_not_read(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    for name in ("daily", "hourly", "weekly"):
        catalog.storage.delete(catalog.load_view(f"sales.{name}").metadata_location)
    outcomes = backup(ViewCatalog(catalog.metastore), f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    assert {one.state for one in outcomes} == {State.UNCHANGED}


def test_an_archive_does_not_take_the_place_of_one_that_it_needs(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    catalog.alter_view("sales.daily", comment="changed")
    backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    (tmp_path / "link.zip").symlink_to(tmp_path / "1.zip")
    for target in ("1", "2", "link"):
        with pytest.raises(InvalidInputError, match="needs the one there"):
            backup(catalog, f"{tmp_path}/{target}.zip", base=f"{tmp_path}/2.zip", overwrite=True)


@pytest.mark.parametrize(
    "spelling", ["file:{0}/1.zip", "file://{0}/./1.zip", "file://{0}/a/../1.zip", "file://{0}//1.zip"]
)
@pytest.mark.parametrize("since", ["1", "2"])
def test_an_archive_that_is_needed_is_known_however_its_place_is_spelt(
    catalog: ViewCatalog, tmp_path: Path, spelling: str, since: str
) -> None:
    """Storages have many spellings of one place, with a password or without; the archive's id is one."""
    (tmp_path / "a").mkdir()
    backup(catalog, f"{tmp_path}/1.zip")
    backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    before = (tmp_path / "1.zip").read_bytes()
    with pytest.raises(InvalidInputError, match="needs the one there"):
        backup(catalog, spelling.format(tmp_path), base=f"{tmp_path}/{since}.zip", overwrite=True)
    assert (tmp_path / "1.zip").read_bytes() == before


def test_the_former_name_of_the_base_still_works_and_warns(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    with pytest.warns(DeprecationWarning, match="now called base="):
        outcomes = backup(catalog, f"{tmp_path}/2.zip", since=f"{tmp_path}/1.zip")
    assert outcomes.of(State.UNCHANGED)


def test_what_is_no_archive_can_be_replaced_by_one_with_a_base(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    (tmp_path / "2.zip").write_text("half of something")
    backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip", overwrite=True)
    assert len(manifest_of(tmp_path / "2.zip").views) == 3


@pytest.mark.parametrize("harm", ["missing", "another", "no archive", "one member"])
def test_what_an_archive_before_the_earlier_one_has_no_more_is_put_in_again(
    catalog: ViewCatalog, tmp_path: Path, harm: str
) -> None:
    """An archive that names another one for a view is worth nothing without that one."""
    first, second, third = (tmp_path / f"{number}.zip" for number in (1, 2, 3))
    backup(catalog, str(first))
    catalog.alter_view("sales.weekly", comment="changed")
    backup(catalog, str(second), base=str(first))
    if harm == "missing":
        first.unlink()
    elif harm == "another":
        backup(catalog, str(first), "sales.daily", overwrite=True)
    elif harm == "no archive":
        first.write_bytes(first.read_bytes()[:-100])
    else:
        with zipfile.ZipFile(first) as file:
            members = {name: file.read(name) for name in file.namelist()}
        with zipfile.ZipFile(first, "w") as file:
            for name, content in members.items():
                file.writestr(name, b"?" + content[1:] if "hourly/row" in name else content)
    outcomes = backup(catalog, str(third), base=str(second))
    is_lost = [True, True, False] if harm != "one member" else [False, True, False]
    assert [one.state is State.DONE for one in outcomes] == is_lost
    for one in outcomes.of(State.DONE):
        assert "1.zip" in str(one.reason)
        assert "included again" in str(one.reason)
    other = catalog_on(MemoryMetastore())
    assert {one.state for one in restore(other, str(third))} == {State.DONE}
    assert len(other.list_views("sales")) == 3


def test_archives_that_no_selected_view_needs_are_not_opened(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/1.zip")
    catalog.alter_view("sales.weekly", comment="changed")
    backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    (tmp_path / "1.zip").unlink()
    (outcome,) = backup(catalog, f"{tmp_path}/3.zip", "sales.weekly", base=f"{tmp_path}/2.zip")
    assert (outcome.state, outcome.reason) == (State.UNCHANGED, "The earlier archive has it.")


def test_a_damaged_or_missing_earlier_archive_is_refused(catalog: ViewCatalog, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"0\.zip"):
        backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/0.zip")
    backup(catalog, f"{tmp_path}/1.zip")
    content = bytearray((tmp_path / "1.zip").read_bytes())
    content[200] ^= 1
    (tmp_path / "1.zip").write_bytes(content)
    with pytest.raises(CorruptArchiveError):
        backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    assert not (tmp_path / "2.zip").exists()


# -- calls -------------------------------------------------------------------------------------------------------------


def test_rows_are_read_a_hundred_in_a_call_and_only_partitioned_views_cost_more(tmp_path: Path) -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append))
    for number in range(150):
        keys = ["ds"] if number % 50 == 0 else []
        catalog.create_view(f"sales.v{number}", sql={"hive": QUERY}, schema=COLUMNS, partitioned_on=keys)
    catalog.partitions("sales.v0").add([{"ds": f"{day}"} for day in range(600)])
    calls.clear()
    backup(catalog, f"{tmp_path}/v.zip", "sales.*")
    assert sorted(calls) == sorted(
        ["list_view_names"] + 3 * ["load_rows"] + 3 * ["partition_names"] + 2 * ["load_partitions"]
    )


def test_a_location_of_a_view_is_found_by_its_pointer(catalog: ViewCatalog, tmp_path: Path) -> None:
    backup(catalog, f"{tmp_path}/v.zip", "sales.daily")
    row = catalog.metastore.load_row(TableIdentifier("sales", "daily"))
    assert manifest_of(tmp_path / "v.zip").views[0].metadata_location == row.parameters[POINTER]


_KILLED = """
import sys, time
from pathlib import Path
from hive_views.estate.archive.backup import backup
from hive_views.metastore.memory import MemoryMetastore
from tests.support.views.quick_catalog import catalog_on

catalog = catalog_on(MemoryMetastore())
for number in range(5):
    catalog.create_view(f"sales.v{number}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])

def halt(*_):
    print("there", flush=True)
    time.sleep(60)

if sys.argv[2] == "rename":
    Path.replace = halt
    backup(catalog, sys.argv[1], overwrite=True)
else:
    backup(catalog, sys.argv[1], overwrite=True, on_outcome=lambda _, number, __: halt() if number == 3 else None)
"""


@pytest.mark.parametrize("step", ["rename", "view"])
def test_a_backup_that_is_killed_leaves_the_earlier_archive_whole(
    catalog: ViewCatalog, tmp_path: Path, step: str
) -> None:
    target = tmp_path / "v.zip"
    backup(catalog, str(target))
    before = target.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(target), step], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "there\n"
        process.kill()
    assert target.read_bytes() == before
    backup(catalog, str(target), overwrite=True)
    assert len(manifest_of(target).views) == 3
