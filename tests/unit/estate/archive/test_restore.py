"""Views come back from an archive as they were, and a restore that was interrupted is finished by the next one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import (
    HiveViewsError,
    InvalidInputError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
    NoSuchViewError,
    NotFoundError,
    ViewAlreadyExistsError,
)
from hive_views.estate.archive.backup import backup
from hive_views.estate.archive.restore import read_archive, restore
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.estate.each.selection import select_rows
from hive_views.estate.transfer.snapshot import ViewSnapshot, compare, read_snapshots
from hive_views.hive.row import DDL_TIME, TABLE_TYPE, Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.creation import create_plain_view
from hive_views.views.row.released import half_released
from tests.support.failing.faulty_storage import broken, failing
from tests.support.plain_rows import LAKE, VIEWS, fill, plain_views
from tests.support.views.quick_catalog import catalog_on

QUERY = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), owner="ann")
    for name in ("daily", "hourly", "weekly"):
        texts = {"hive": QUERY, "trino": QUERY}
        catalog.create_view(
            f"sales.{name}", sql=texts, schema=COLUMNS, partitioned_on=["ds"], properties={"team": name}, comment=name
        )
    catalog.replace_view("sales.daily", sql={"hive": f"{QUERY} WHERE true", "trino": QUERY})
    catalog.tag_view("sales.daily", "release-1", version=1)
    catalog.partitions("sales.daily").add(
        [{"ds": "2026-08-21"}, {"ds": "a/b=%c"}], parameters=lambda name: {"hive-views.rows": str(len(name))}
    )
    return catalog


@pytest.fixture
def archive(catalog: ViewCatalog, tmp_path: Path) -> str:
    backup(catalog, f"{tmp_path}/v.zip")
    return f"{tmp_path}/v.zip"


def snapshots(catalog: ViewCatalog) -> list[ViewSnapshot]:
    found = list(read_snapshots(catalog, select_rows(catalog.metastore, ["sales.*"])))
    views = [one for one in found if isinstance(one, ViewSnapshot)]
    assert len(views) == len(found)
    return views


def assert_same(found: ViewCatalog, wanted: list[ViewSnapshot]) -> None:
    views = snapshots(found)
    assert [one.identifier for one in views] == [one.identifier for one in wanted]
    assert [compare(*both, uuid=True) for both in zip(wanted, views, strict=True)] == [[]] * len(wanted)


def test_views_that_were_purged_come_back_as_they_were(catalog: ViewCatalog, archive: str) -> None:
    wanted = snapshots(catalog)
    for name in catalog.list_views("sales"):
        catalog.drop_view(name, purge=True)
    outcomes = restore(catalog, archive)
    assert outcomes.summary() == "3 views: 3 restored."
    assert_same(catalog, wanted)
    daily = catalog.load_view("sales.daily")
    assert (daily.owner, daily.comment, len(daily.history)) == ("ann", "daily", 2)
    catalog.replace_view("sales.daily", sql={"hive": QUERY, "trino": QUERY})
    catalog.drop_view("sales.daily", purge=True)


def test_views_come_back_in_another_metastore(catalog: ViewCatalog, archive: str) -> None:
    other = catalog_on(MemoryMetastore())
    restore(other, archive)
    assert_same(other, snapshots(catalog))
    warehouse = str(other.warehouse)
    assert all(view.metadata.location.startswith(warehouse) for view in snapshots(other))


def test_some_views_can_be_restored(catalog: ViewCatalog, archive: str) -> None:
    other = catalog_on(MemoryMetastore())
    assert [one.view for one in restore(other, archive, "sales.[dh]*")] == ["sales.daily", "sales.hourly"]
    with pytest.raises(NoSuchViewError, match=r"sales\.dayly\. Did you mean 'sales\.daily'\?"):
        restore(other, archive, "sales.dayly")


def test_a_view_without_its_partitions(archive: str) -> None:
    other = catalog_on(MemoryMetastore())
    restore(other, archive, "sales.daily", partitions=False)
    assert other.partitions("sales.daily").names() == []
    assert [one.state for one in restore(other, archive, "sales.daily")] == [State.DONE]
    assert len(other.partitions("sales.daily").names()) == 2


def test_a_second_run_finishes_the_rest(archive: str) -> None:
    calls: list[str] = []

    def end(verb: str) -> None:
        calls.append(verb)
        if verb == "create_row" and calls.count(verb) >= 2:
            raise MetastoreUnavailableError("No answer.")

    metastore = MemoryMetastore()
    other = catalog_on(metastore)
    metastore._on_call = end
    assert [one.state for one in restore(other, archive)] == [State.DONE, State.FAILED, State.FAILED]
    metastore._on_call = None
    assert [one.state for one in restore(other, archive)] == [State.UNCHANGED, State.DONE, State.DONE]
    assert {one.state for one in restore(other, archive)} == {State.UNCHANGED}


def test_where_a_file_cannot_be_written_the_others_come_back(archive: str) -> None:
    other = catalog_on(MemoryMetastore(), "faulty://restored")
    with failing("write", broken):
        outcomes = restore(other, archive)
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE, State.DONE]
    assert [one.state for one in restore(other, archive)] == [State.DONE, State.UNCHANGED, State.UNCHANGED]


def test_a_dry_run_writes_nothing(archive: str, tmp_path: Path) -> None:
    metastore = MemoryMetastore()
    other = ViewCatalog(metastore, warehouse=f"{tmp_path}/views")
    outcomes = restore(other, archive, dry_run=True, create_namespaces=True)
    assert {one.state for one in outcomes} == {State.PLANNED}
    assert metastore.list_namespaces() == ["default"]
    assert not (tmp_path / "views").exists()


def test_missing_namespaces_are_created_if_that_is_asked_for(archive: str, tmp_path: Path) -> None:
    other = ViewCatalog(MemoryMetastore(), warehouse=f"{tmp_path}/views")
    with pytest.raises(NoSuchNamespaceError, match=r"sales.*create_namespaces=True"):
        restore(other, archive)
    restore(other, archive, create_namespaces=True)
    assert len(other.list_views("sales")) == 3


def test_a_view_that_changed_since_is_refused_skipped_or_replaced(catalog: ViewCatalog, archive: str) -> None:
    wanted = snapshots(catalog)
    catalog.alter_view("sales.daily", comment="changed")
    catalog.partitions("sales.daily").drop([{"ds": "2026-08-21"}])
    catalog.partitions("sales.daily").add([{"ds": "later"}])
    outcomes = restore(catalog, archive)
    assert [one.state for one in outcomes] == [State.FAILED, State.UNCHANGED, State.UNCHANGED]
    assert isinstance(outcomes[0].error, ViewAlreadyExistsError)
    assert restore(catalog, archive, on_conflict="skip")[0].state is State.LEFT
    assert catalog.load_view("sales.daily").comment == "changed"
    assert restore(catalog, archive, on_conflict="replace")[0].state is State.DONE
    assert_same(catalog, wanted)
    with pytest.warns(DeprecationWarning, match="now called on_conflict="):
        assert restore(catalog, archive, if_exists="skip")[0].state is State.UNCHANGED
    with pytest.raises(InvalidInputError, match="on_conflict"):
        restore(catalog, archive, on_conflict="overwrite")  # type: ignore[arg-type]


@pytest.mark.parametrize("maker", ["hive-4.0.1", "trino-476", "spark-4.1.4", "spark-3.5.8"])
def test_plain_views_come_back_as_the_rows_they_were(tmp_path: Path, maker: str) -> None:
    metastore, views = MemoryMetastore(), plain_views(maker)
    fill(metastore, views)
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")
    other = ViewCatalog(MemoryMetastore())
    outcomes = restore(other, f"{tmp_path}/v.zip", create_namespaces=True)
    assert {one.state for one in outcomes} == {State.DONE}

    def content(of: ViewCatalog | MemoryMetastore) -> list[object]:
        store = of.metastore if isinstance(of, ViewCatalog) else of
        return [
            (replace(row, create_time_s=0, parameters={**row.parameters, DDL_TIME: ""}),
             dict(row.serde_parameters), store.partition_names(row.identifier))
            for row in select_rows(store, [f"{VIEWS}.*"])
        ]  # fmt: skip

    assert content(other) == content(metastore)
    assert {one.state for one in restore(other, f"{tmp_path}/v.zip")} == {State.UNCHANGED}


def test_plain_views_come_back_in_another_database_too_or_fail_and_never_in_their_own(tmp_path: Path) -> None:
    metastore, views = MemoryMetastore(), plain_views("hive-4.0.1")
    fill(metastore, views)
    broken = replace(views[0].row, identifier=TableIdentifier(VIEWS, "broken"), expanded_text=f"SELECT FROM {LAKE}.t")
    metastore.create_row(broken)
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")
    other = ViewCatalog(MemoryMetastore())
    names = {VIEWS: "moved", LAKE: "lake"}
    outcomes = restore(other, f"{tmp_path}/v.zip", names=names, create_namespaces=True)
    assert [one.view for one in outcomes.failed] == [f"{VIEWS}.broken"]
    assert "Cannot replace the names of databases" in str(outcomes.failed[0].reason)
    assert sorted(other.list_namespaces()) == ["default", "moved"]
    found = {row.identifier.name: row for row in select_rows(other.metastore, ["moved.*"])}
    assert {one.name: found[one.name].expanded_text for one in views} == {
        one.name: one.moved("moved", "lake").row.expanded_text for one in views
    }
    done = next(one for one in outcomes if one.state is State.DONE)
    assert done.details["to"] == done.view.replace(VIEWS, "moved")
    again = restore(other, f"{tmp_path}/v.zip", names=names)
    assert {one.state for one in again} == {State.UNCHANGED, State.FAILED}


def test_a_plain_view_that_the_metastore_changes_is_told(tmp_path: Path) -> None:
    metastore, (view, *_) = MemoryMetastore(), plain_views("hive")
    fill(metastore, [view])
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")

    class Changing(MemoryMetastore):
        def create_row(self, row: Row) -> None:
            super().create_row(replace(row, expanded_text="SELECT 2"))

    (outcome,) = restore(ViewCatalog(Changing()), f"{tmp_path}/v.zip", create_namespaces=True)
    assert (outcome.state, "differs from the archive" in str(outcome.reason)) == (State.FAILED, True)


def test_a_plain_view_is_never_replaced(tmp_path: Path) -> None:
    metastore, (view, *_) = MemoryMetastore(), plain_views("hive")
    fill(metastore, [view])
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")
    name = view.row.identifier
    changed = replace(metastore.load_row(name), expanded_text="SELECT 2")
    metastore.swap_row(changed, expected=None)
    for on_conflict in ("refuse", "replace"):
        outcome = restore(ViewCatalog(metastore), f"{tmp_path}/v.zip", on_conflict=on_conflict)[0]  # type: ignore[arg-type]
        assert isinstance(outcome.error, ViewAlreadyExistsError)
    assert restore(ViewCatalog(metastore), f"{tmp_path}/v.zip", on_conflict="skip")[0].state is State.LEFT
    assert metastore.load_row(name).expanded_text == "SELECT 2"


@pytest.mark.parametrize("what", ["parameters", "too many"])
def test_a_plain_view_with_other_partitions_is_wrong_among(tmp_path: Path, what: str) -> None:
    metastore = MemoryMetastore()
    name, keys = TableIdentifier("default", "p"), (Column("ds", "string"),)
    metastore.create_row(Row(name, "VIRTUAL_VIEW", "ann", None, (Column("a", "int"),), keys, expanded_text="SELECT 1"))
    metastore.add_partitions(name, [Partition(("1",), {"x": "1"}), Partition(("2",))], if_not_exists=False)
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip")
    metastore.drop_partitions(name, ["ds=1"], if_exists=False)
    assert [one.state for one in restore(ViewCatalog(metastore), f"{tmp_path}/v.zip")] == [State.DONE]
    assert [one.state for one in restore(ViewCatalog(metastore), f"{tmp_path}/v.zip")] == [State.UNCHANGED]
    if what == "parameters":
        metastore.drop_partitions(name, ["ds=1"], if_exists=False)
    values = "1" if what == "parameters" else "9"
    metastore.add_partitions(name, [Partition((values,), {"x": "2"})], if_not_exists=False)
    (outcome,) = restore(ViewCatalog(metastore), f"{tmp_path}/v.zip")
    assert isinstance(outcome.error, ViewAlreadyExistsError)
    assert f"ds={values}" in outcome.error.message
    assert restore(ViewCatalog(metastore), f"{tmp_path}/v.zip", on_conflict="skip")[0].state is State.LEFT
    assert restore(ViewCatalog(metastore), f"{tmp_path}/v.zip", partitions=False)[0].state is State.UNCHANGED


def test_a_row_that_is_no_plain_view_is_not_created(catalog: ViewCatalog) -> None:
    """It would say that the files of another view are its own."""
    row = catalog.metastore.load_row(TableIdentifier("sales", "daily"))
    kept = {key: value for key, value in row.parameters.items() if key != TABLE_TYPE}
    for each in (row, replace(row, parameters=kept), half_released(row)):
        with pytest.raises(InvalidInputError, match="not that of a plain view"):
            create_plain_view(catalog.engine, replace(each, identifier=TableIdentifier("sales", "other")))


def test_a_view_that_is_dropped_or_changed_while_others_are_restored(catalog: ViewCatalog, archive: str) -> None:
    """What the first look said of it is not reported as what is there."""

    def change(_: Outcome, number: int, __: int) -> None:
        if number == 1:
            catalog.drop_view("sales.hourly")
            catalog.alter_view("sales.weekly", comment="changed")

    outcomes = restore(catalog, archive, on_outcome=change)
    assert [one.state for one in outcomes] == [State.UNCHANGED, State.DONE, State.FAILED]
    assert isinstance(outcomes[2].error, ViewAlreadyExistsError)
    assert len(catalog.list_views("sales")) == 3


def test_a_plain_view_that_is_dropped_while_others_are_restored_comes_back(tmp_path: Path) -> None:
    metastore, views = MemoryMetastore(), plain_views("trino-476")[:2]
    fill(metastore, views)
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")
    names = sorted(view.row.identifier for view in views)

    def drop(_: Outcome, number: int, __: int) -> None:
        if number == 1:
            metastore.drop_row(names[1])

    outcomes = restore(ViewCatalog(metastore), f"{tmp_path}/v.zip", on_conflict="skip", on_outcome=drop)
    assert [one.state for one in outcomes] == [State.UNCHANGED, State.DONE]
    assert metastore.load_row(names[1])


def test_a_plain_row_whose_answer_was_lost_is_there_once(tmp_path: Path) -> None:
    """The row is read back, as after every write of a row."""
    metastore, (view, *_) = MemoryMetastore(), plain_views("hive")
    fill(metastore, [view])
    backup(ViewCatalog(metastore), f"{tmp_path}/v.zip", f"{VIEWS}.*")
    target = MemoryMetastore()
    create = target.create_row

    def lost(row: object) -> None:
        create(row)  # type: ignore[arg-type]
        raise MetastoreUnavailableError("No answer.")

    target.create_row = lost  # type: ignore[method-assign,assignment]
    outcomes = restore(ViewCatalog(target), f"{tmp_path}/v.zip", create_namespaces=True)
    assert [one.state for one in outcomes] == [State.DONE]


def test_what_is_in_an_archive_can_be_looked_at(catalog: ViewCatalog, archive: str) -> None:
    assert [one.view for one in read_archive(catalog, archive).views] == ["sales.daily", "sales.hourly", "sales.weekly"]
    some = read_archive(catalog, archive, "sales.[dh]*")
    assert [one.view for one in some.views] == ["sales.daily", "sales.hourly"]
    with pytest.raises(NoSuchViewError, match=r"sales\.dayly\. Did you mean 'sales\.daily'\?"):
        read_archive(catalog, archive, "sales.dayly")
    assert "<p>2 views, backed up at " in some._repr_html_()
    assert "<tr><td>sales.daily</td><td>view</td><td>2</td><td></td></tr>" in some._repr_html_()


def test_views_come_back_in_another_database(catalog: ViewCatalog, archive: str) -> None:
    catalog.create_view("sales.top", sql={"hive": "SELECT a.ds FROM sales.daily a"}, schema=[("ds", "string")])
    backup(catalog, f"{archive}.2", "sales.*")
    catalog.create_namespace("test")
    outcomes = restore(catalog, f"{archive}.2", names={"sales": "test"})
    first = outcomes[0]
    assert (first.view, first.state, first.details["to"]) == ("sales.daily", State.DONE, "test.daily")
    copied = catalog.load_view("test.daily")
    assert copied.uuid != catalog.load_view("sales.daily").uuid
    assert catalog.partitions("test.daily").names() == catalog.partitions("sales.daily").names()
    assert catalog.load_view("test.top").tables() == ("test.daily",)
    assert {one.state for one in restore(catalog, f"{archive}.2", names={"sales": "test"})} == {State.UNCHANGED}


def test_two_views_do_not_get_one_name(catalog: ViewCatalog, archive: str) -> None:
    catalog.create_namespace("web")
    catalog.create_view("web.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    backup(catalog, f"{archive}.2")
    other = catalog_on(MemoryMetastore())
    with pytest.raises(InvalidInputError, match=r"sales\.daily and web\.daily would become sales\.daily"):
        restore(other, f"{archive}.2", names={"web": "sales"})
    assert other.list_views("sales") == []


# -- a chain of archives -----------------------------------------------------------------------------------------------


@pytest.fixture
def chain(catalog: ViewCatalog, tmp_path: Path) -> list[str]:
    """Three archives, each since the one before, and a view that changed before each."""
    archives = [f"{tmp_path}/{number}.zip" for number in (1, 2, 3)]
    backup(catalog, archives[0])
    catalog.alter_view("sales.hourly", comment="second")
    backup(catalog, archives[1], base=archives[0])
    catalog.partitions("sales.weekly").add([{"ds": "third"}])
    backup(catalog, archives[2], base=archives[1])
    return archives


def test_a_chain_of_three_is_restored_from_its_last(catalog: ViewCatalog, chain: list[str]) -> None:
    other = catalog_on(MemoryMetastore())
    restore(other, chain[2])
    assert_same(other, snapshots(catalog))


def test_archives_that_were_moved_are_given(catalog: ViewCatalog, chain: list[str], tmp_path: Path) -> None:
    (tmp_path / "moved").mkdir()
    moved = [shutil.move(each, tmp_path / "moved" / Path(each).name) for each in chain]
    other = catalog_on(MemoryMetastore())
    with pytest.raises(NotFoundError, match=r"which does not exist.*bases="):
        restore(other, str(moved[2]))
    with pytest.raises(NotFoundError, match=r"1\.zip"):
        restore(other, str(moved[2]), bases=[str(moved[1])])
    restore(other, str(moved[2]), "sales.weekly")
    restore(other, str(moved[2]), bases=[str(moved[1]), str(moved[0])])
    assert_same(other, snapshots(catalog))


@pytest.mark.parametrize("harm", ["missing", "another", "cut off"])
def test_what_is_whole_of_a_chain_comes_back_if_that_is_asked_for(
    catalog: ViewCatalog, chain: list[str], harm: str
) -> None:
    first = Path(chain[0])
    if harm == "missing":
        first.unlink()
    elif harm == "another":
        backup(catalog, chain[0], overwrite=True)
    else:
        first.write_bytes(first.read_bytes()[:-100])
    other = catalog_on(MemoryMetastore())
    with pytest.raises(HiveViewsError, match=r"1\.zip"):
        restore(other, chain[2])
    assert other.list_views("sales") == []
    outcomes = restore(other, chain[2], skip_damaged=True)
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE, State.DONE]
    assert "1.zip" in str(outcomes[0].reason)
    assert "Nothing was written" not in str(outcomes[0].reason)


def test_another_archive_in_the_place_of_an_earlier_one_is_not_taken_for_it(
    catalog: ViewCatalog, chain: list[str]
) -> None:
    backup(catalog, chain[0], overwrite=True)
    other = catalog_on(MemoryMetastore())
    with pytest.raises(NotFoundError, match="which has been replaced"):
        restore(other, chain[2])
    assert other.list_views("sales") == []


def test_a_view_that_was_gone_does_not_come_back_with_a_later_archive(catalog: ViewCatalog, chain: list[str]) -> None:
    catalog.drop_view("sales.daily")
    backup(catalog, f"{chain[2]}.4", base=chain[2])
    other = catalog_on(MemoryMetastore())
    restore(other, f"{chain[2]}.4")
    assert [one.name for one in other.list_views("sales")] == ["hourly", "weekly"]
    assert read_archive(other, f"{chain[2]}.4").gone == ("sales.daily",)
