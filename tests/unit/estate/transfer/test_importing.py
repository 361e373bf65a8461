"""A view is read as plain values, put into another catalog, and compared there."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace

import pytest

from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidSchemaError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.estate.each.selection import select_rows
from hive_views.estate.transfer.importing import Importer, OnConflict
from hive_views.estate.transfer.snapshot import ViewSnapshot, compare, read_snapshots
from hive_views.hive.row import POINTER, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import METADATA_PATH
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import directories, owned_incarnation
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.locking import LockMode
from hive_views.views.commit.rows_in_bulk import rows_of_names
from hive_views.views.conversions import import_over
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.views.quick_catalog import NAME, catalog_on

HIVE = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
BETTER = HIVE.replace("count(*)", "count(DISTINCT page)")
LATER = HIVE.replace("count(*)", "max(page)")
COLUMNS = [("user_id", "bigint"), ("clicks", "varchar(7)", "how often"), ("ds", "string")]


@pytest.fixture
def source() -> ViewCatalog:
    source = catalog_on(MemoryMetastore(), owner="ann")
    source.create_view(
        NAME, sql={"hive": HIVE, "trino": HIVE}, schema=COLUMNS, partitioned_on=["ds"], properties={"team": "search"}
    )
    source.replace_view(NAME, sql={"hive": BETTER, "trino": BETTER}, comment="Clicks")
    source.partitions(NAME).add([{"ds": "2026-08-21"}, {"ds": "a/b"}], parameters=lambda name: {"hive-views.rows": "7"})
    return source


@pytest.fixture
def target() -> ViewCatalog:
    return catalog_on(MemoryMetastore(), owner="bob")


def read(catalog: ViewCatalog, name: TableIdentifier = NAME) -> ViewSnapshot:
    (found,) = read_snapshots(catalog, select_rows(catalog.metastore, [str(name)]))
    assert isinstance(found, ViewSnapshot), found
    return found


def put(
    catalog: ViewCatalog,
    wanted: ViewSnapshot,
    on_conflict: OnConflict = "refuse",
    *,
    keep_uuid: bool = False,
    dry_run: bool = False,
) -> Outcome:
    name = wanted.identifier
    current = rows_of_names(catalog.metastore, [name]).get(name)
    location = catalog.engine.lookup.location_of_new(name)
    importer = Importer(catalog, on_conflict, with_partitions=True, dry_run=dry_run)
    return importer.put(wanted, current, location=location, keep_uuid=keep_uuid)


def verify(
    catalog: ViewCatalog, wanted: list[ViewSnapshot], *, keep_uuid: bool = False
) -> dict[TableIdentifier, list[str] | HiveViewsError]:
    """In what the views are not as wanted, as the catalog says now."""
    return Importer(catalog, "refuse", with_partitions=True, dry_run=False).verify(wanted, keep_uuid=keep_uuid)


def test_a_view_is_put_into_another_metastore_with_all_that_it_is(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    assert put(target, wanted).state is State.DONE
    assert verify(target, [wanted]) == {NAME: []}
    before, view = source.load_view(NAME), target.load_view(NAME)
    assert view.history == before.history
    assert [one.representations for one in view.versions] == [one.representations for one in before.versions]
    assert view.columns == before.columns
    assert (view.comment, view.properties["team"], view.owner) == ("Clicks", "search", "ann")
    assert target.partitions(NAME).names() == source.partitions(NAME).names()
    loaded = dict(target.partitions(NAME).load())
    assert loaded["ds=2026-08-21"].parameters["hive-views.rows"] == "7"
    assert view.differences == ()


def test_nothing_of_a_copy_is_in_a_directory_of_the_other(source: ViewCatalog, target: ViewCatalog) -> None:
    source.alter_view(NAME, location=f"memory://{uuid.uuid4().hex}/elsewhere")
    source.alter_view(NAME, set_properties={METADATA_PATH: f"memory://{uuid.uuid4().hex}/files"})
    before = source.load_view(NAME)
    put(target, read(source))
    view = target.load_view(NAME)
    theirs = [*directories(before.metadata), before.location, before.metadata_location]
    said = json.dumps([view.metadata.model_dump(mode="json"), dict(view.row.parameters)])
    assert not [one for one in theirs if one in said]
    assert view.metadata.properties["hive-views.incarnation"] != before.metadata.properties["hive-views.incarnation"]
    assert owned_incarnation(view.row, view.metadata)
    assert set(view.metadata.properties["hive-views.commits"].split(",")).isdisjoint(
        before.metadata.properties["hive-views.commits"].split(",")
    )
    # Each can be purged whatever becomes of the other.
    target.drop_view(NAME, purge=True)
    assert source.storage.read(before.metadata_location, cached=False)


def test_a_copy_has_a_uuid_of_its_own_and_what_takes_the_place_of_another_has_that_ones(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    put(target, read(source))
    assert target.load_view(NAME).uuid != source.load_view(NAME).uuid
    moved = replace(read(source), identifier=TableIdentifier("sales", "moved"))
    put(target, moved, keep_uuid=True)
    assert target.load_view("sales.moved").uuid == source.load_view(NAME).uuid


def test_parameters_that_foreign_writers_set_are_taken_over(source: ViewCatalog, target: ViewCatalog) -> None:
    row = source.metastore.load_row(NAME)
    changed = replace(row, parameters={**row.parameters, "theirs": "kept"})
    source.metastore.swap_row(changed, expected=row.parameters[POINTER])
    put(target, read(source))
    assert target.metastore.load_row(NAME).parameters["theirs"] == "kept"


def test_descriptors_of_partitions_are_as_the_metastore_wants_them_where_the_copy_is(source: ViewCatalog) -> None:
    target = catalog_on(MemoryMetastore(listener=True))
    put(target, read(source))
    assert verify(target, [read(source)]) == {NAME: []}
    # And back: what one metastore needs is not said of the other.
    back = catalog_on(MemoryMetastore())
    put(back, read(target))
    assert "hive-views.partition-descriptor" not in back.load_view(NAME).metadata.properties
    assert not any(partition.has_descriptor for _, partition in back.partitions(NAME).load())


def test_a_file_is_numbered_above_those_of_an_earlier_life(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    put(target, wanted, keep_uuid=True)
    target.alter_view(NAME, comment="later")
    target.drop_view(NAME)
    put(target, wanted, keep_uuid=True)
    last = target.load_view(NAME).metadata_location
    target.drop_view(NAME)
    found = find_by_name(target.engine, NAME)
    assert found
    assert found.metadata_location == last


def test_what_is_there_already_is_left_as_it_is(source: ViewCatalog, target: ViewCatalog) -> None:
    put(target, read(source))
    before = target.metastore.load_row(NAME)
    for on_conflict in ("refuse", "skip", "replace"):
        assert put(target, read(source), on_conflict).state is State.UNCHANGED
    assert target.metastore.load_row(NAME) == before


def test_partitions_that_an_interrupted_run_left_out_are_declared_by_the_next(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    wanted = read(source)
    put(target, replace(wanted, partitions=wanted.partitions[:1]))
    assert put(target, wanted, dry_run=True).state is State.PLANNED
    done = put(target, wanted)
    assert (done.state, done.reason) == (State.DONE, "Its partitions were completed.")
    assert verify(target, [wanted]) == {NAME: []}


def test_a_name_that_another_view_has_is_refused_skipped_or_replaced(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    target.create_view(NAME, sql={"hive": HIVE}, schema=COLUMNS, partitioned_on=["ds"])
    target.partitions(NAME).add([{"ds": "2020-01-01"}, {"ds": "2026-08-21"}])
    before = target.load_view(NAME)
    with pytest.raises(ViewAlreadyExistsError, match=r"another view, which differs: .*version 2 is missing"):
        put(target, wanted)
    skipped = put(target, wanted, "skip")
    assert skipped.state is State.LEFT
    assert skipped.reason
    assert skipped.reason.startswith("The name sales.daily is taken by another view")
    planned = put(target, wanted, "replace", dry_run=True)
    assert planned.state is State.PLANNED
    assert planned.reason == f"It would replace version 1, which is still in {before.metadata_location}."
    assert target.load_view(NAME) == before
    replaced = put(target, wanted, "replace")
    assert (replaced.state, replaced.reason) == (
        State.DONE,
        f"It replaced version 1, which is still in {before.metadata_location}.",
    )
    assert verify(target, [wanted]) == {NAME: []}
    after = target.load_view(NAME)
    assert (after.uuid, after.location) == (before.uuid, before.location)
    assert target.storage.read(before.metadata_location, cached=False) == before.metadata


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_version_that_has_a_tag_and_would_go_is_not_replaced(
    source: ViewCatalog, target: ViewCatalog, dry_run: bool
) -> None:
    wanted = read(source)
    put(target, wanted, keep_uuid=True)
    target.replace_view(NAME, sql={"hive": LATER, "trino": LATER})
    target.tag_view(NAME, "release-12")
    target.tag_view(NAME, "first", version=1)
    before = target.load_view(NAME)
    with pytest.raises(ViewAlreadyExistsError, match="tag release-12 names version 3, which the other") as failure:
        put(target, wanted, "replace", keep_uuid=True, dry_run=dry_run)
    assert "untag_view('sales.daily', 'release-12') removes the tag" in str(failure.value)
    assert target.load_view(NAME) == before
    target.untag_view(NAME, "release-12")
    before = target.load_view(NAME)
    replaced = put(target, wanted, "replace", keep_uuid=True, dry_run=dry_run)
    verbs = ("would replace", "would no longer name") if dry_run else ("replaced", "no longer names")
    assert replaced.reason == (
        f"It {verbs[0]} version 3, which is still in {before.metadata_location}. Tag first {verbs[1]} version 1."
    )


def test_a_tag_that_is_given_after_the_view_was_judged_is_not_lost(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    put(target, wanted)
    target.replace_view(NAME, sql={"hive": LATER, "trino": LATER})
    judged = target.metastore.load_row(NAME)
    target.tag_view(NAME, "release-12")
    before = target.load_view(NAME)
    with pytest.raises(ViewAlreadyExistsError, match="release-12"):
        import_over(target.engine, judged, wanted.metadata, location="memory://elsewhere/daily")
    assert target.load_view(NAME) == before


def test_a_version_that_is_made_after_the_view_was_judged_is_not_replaced(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    wanted = read(source)
    put(target, wanted)
    judged = target.load_view(NAME)
    target.replace_view(NAME, sql={"hive": LATER, "trino": LATER})
    before = target.load_view(NAME)
    with pytest.raises(ViewAlreadyExistsError, match="new version"):
        import_over(
            target.engine, judged.row, wanted.metadata, location="memory://elsewhere/daily", judged=judged.metadata
        )
    assert target.load_view(NAME) == before


def test_the_same_view_that_has_changed_since_is_not_called_another_one(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    wanted = read(source)
    put(target, wanted, keep_uuid=True)
    target.replace_view(NAME, sql={"hive": LATER, "trino": LATER})
    with pytest.raises(ViewAlreadyExistsError) as failure:
        put(target, wanted, keep_uuid=True)
    assert failure.value.message == "sales.daily already exists, and has changed since: it also has version 3."
    target.replace_view(NAME, sql={"hive": LATER, "trino": HIVE})
    target.alter_view(NAME, set_properties={"team": "web"})
    with pytest.raises(ViewAlreadyExistsError) as failure:
        put(target, wanted, keep_uuid=True)
    assert failure.value.message == (
        "sales.daily already exists, and has changed since: it also has versions 3 and 4; property team."
    )
    before = target.load_view(NAME)
    assert put(target, wanted, "replace", keep_uuid=True).reason == (
        f"It replaced versions 3 and 4, which are still in {before.metadata_location}."
    )
    target.alter_view(NAME, comment="newer")
    with pytest.raises(ViewAlreadyExistsError, match="already exists, and differs: comment"):
        put(target, wanted, keep_uuid=True)
    assert put(target, wanted, "replace", keep_uuid=True, dry_run=True).reason == ("It would replace what was there.")


def test_a_view_that_takes_the_place_of_another_one_keeps_its_uuid(source: ViewCatalog, target: ViewCatalog) -> None:
    target.create_view(NAME, sql={"hive": HIVE}, schema=COLUMNS, partitioned_on=["ds"])
    put(target, read(source), "replace", keep_uuid=True)
    assert verify(target, [read(source)], keep_uuid=True) == {NAME: []}


def test_a_replacement_orphans_no_partitions(source: ViewCatalog, target: ViewCatalog) -> None:
    target.create_view(
        NAME, sql={"hive": "SELECT 1 AS a, 'x' AS hr"}, schema=[("a", "int"), ("hr", "string")], partitioned_on=["hr"]
    )
    target.partitions(NAME).add([{"hr": "1"}])
    before = target.load_view(NAME)
    with pytest.raises(InvalidSchemaError, match="10217"):
        put(target, read(source), "replace")
    assert target.load_view(NAME) == before
    assert target.partitions(NAME).names() == ["hr=1"]


@pytest.mark.parametrize("on_conflict", ["refuse", "replace"])
def test_tables_and_plain_views_are_never_replaced(
    source: ViewCatalog, target: ViewCatalog, on_conflict: OnConflict
) -> None:
    target.metastore.create_row(Row(NAME, "MANAGED_TABLE", location="memory://x/sales.db/daily"))
    with pytest.raises(TableAlreadyExistsError, match="MANAGED_TABLE"):
        put(target, read(source), on_conflict)
    assert put(target, read(source), "skip").state is State.LEFT
    plain = replace(read(source), identifier=TableIdentifier("sales", "plain"))
    target.metastore.create_row(Row(plain.identifier, "VIRTUAL_VIEW", original_text=HIVE, expanded_text=HIVE))
    with pytest.raises(ViewAlreadyExistsError, match="plain view"):
        put(target, plain, on_conflict)


def test_a_view_whose_file_is_lost_is_replaced_and_else_refused(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    put(target, wanted)
    target.partitions(NAME).add([{"ds": "2020-01-01"}])
    lost = target.load_view(NAME).metadata_location
    target.storage.delete(lost)
    with pytest.raises(ViewAlreadyExistsError, match="cannot be read"):
        put(target, wanted)
    assert put(target, wanted, "skip").state is State.LEFT
    assert put(target, wanted, "replace").state is State.DONE
    assert verify(target, [wanted]) == {NAME: []}


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_view_whose_file_is_lost_and_whose_row_was_changed_is_not_replaced(
    source: ViewCatalog, target: ViewCatalog, dry_run: bool
) -> None:
    wanted = read(source)
    put(target, wanted)
    row = target.metastore.load_row(NAME)
    target.storage.delete(row.parameters[POINTER])
    changed = replace(row, expanded_text="SELECT 77, 2, 3", original_text="SELECT 77, 2, 3")
    target.metastore.swap_row(changed, expected=row.parameters[POINTER])
    before = target.metastore.load_row(NAME)
    with pytest.raises(CorruptMetadataError, match="was changed without updating that file, and the change"):
        put(target, wanted, "replace", dry_run=dry_run)
    assert target.metastore.load_row(NAME) == before
    with pytest.raises(CorruptMetadataError):
        import_over(target.engine, before, wanted.metadata, location="memory://elsewhere/daily")
    assert target.metastore.load_row(NAME) == before


def test_a_view_that_was_made_meanwhile_is_not_replaced(source: ViewCatalog, target: ViewCatalog) -> None:
    target.create_view(NAME, sql={"hive": "SELECT 1 AS a"})
    judged = target.metastore.load_row(NAME)
    target.drop_view(NAME, purge=True)
    theirs = target.create_view(NAME, sql={"hive": "SELECT 99 AS z"})
    wanted = read(source)
    location = target.engine.lookup.location_of_new(NAME)
    replacing = Importer(target, "replace", with_partitions=True, dry_run=False)
    with pytest.raises(ViewAlreadyExistsError, match="a different view"):
        replacing.put(wanted, judged, location=location)
    assert target.load_view(NAME).metadata == theirs.metadata


@pytest.mark.parametrize("lock", ["auto", "never"])
def test_a_view_that_is_made_while_the_file_of_the_former_one_is_read_is_not_replaced(
    source: ViewCatalog, lock: LockMode
) -> None:
    class Slow(MetadataStorage):
        """Meanwhile, somebody purges the view and makes another one, for which no lock is waited for."""

        def read(self, location: str, *, cached: bool = True) -> ViewMetadata:
            if location == judged.parameters[POINTER] and not theirs:
                rival.drop_view(NAME, purge=True)
                theirs.append(rival.create_view(NAME, sql={"hive": "SELECT 99 AS z"}))
            return super().read(location, cached=False)

    theirs: list[View] = []
    metastore = MemoryMetastore()
    rival = catalog_on(metastore, lock="never")
    rival.create_view(NAME, sql={"hive": "SELECT 1 AS a"})
    judged = metastore.load_row(NAME)
    target = ViewCatalog(metastore, Slow(), warehouse=rival.warehouse, settings=replace(rival.settings, lock=lock))
    wanted = read(source)
    with pytest.raises(HiveViewsError):
        import_over(target.engine, judged, wanted.metadata, location="memory://elsewhere/daily")
    assert rival.load_view(NAME).metadata == theirs[0].metadata


def test_a_view_that_somebody_changed_behind_its_file_is_neither_read_nor_replaced(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    wanted = read(source)
    put(target, wanted)
    for catalog in (source, target):
        row = catalog.metastore.load_row(NAME)
        changed = replace(row, expanded_text="SELECT 1, 2, 3", original_text="SELECT 1, 2, 3")
        catalog.metastore.swap_row(changed, expected=row.parameters[POINTER])
    (found,) = read_snapshots(source, select_rows(source.metastore, [str(NAME)]))
    assert isinstance(found, HiveViewsError)
    assert "--on-drift" not in str(found)
    assert "expanded text" in str(found)
    with pytest.raises(HiveViewsError, match="expanded text"):
        put(target, wanted, "replace")
    (difference,) = verify(target, [wanted]).values()
    assert "expanded text" in str(difference)


def test_the_reason_is_told_of_a_view_that_cannot_be_read_and_the_others_are(source: ViewCatalog) -> None:
    for name in ("sales.a", "sales.b"):
        source.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    source.storage.delete(source.load_view("sales.a").metadata_location)
    source.metastore.create_row(Row(TableIdentifier("sales", "c"), "VIRTUAL_VIEW", original_text=HIVE))
    found = list(read_snapshots(source, select_rows(source.metastore, ["sales.*"])))
    assert [type(one).__name__ for one in found] == [
        "CorruptMetadataError",
        "ViewSnapshot",
        "NoSuchIcebergViewError",
        "ViewSnapshot",
    ]


def test_files_are_read_again_to_verify(source: ViewCatalog, target: ViewCatalog) -> None:
    wanted = read(source)
    put(target, wanted)
    target.storage.files.delete(target.load_view(NAME).metadata_location)
    (found,) = verify(target, [wanted]).values()
    assert isinstance(found, HiveViewsError)
    target.metastore.drop_row(NAME)
    (found,) = verify(target, [wanted]).values()
    assert "no longer exists" in str(found)


def test_every_difference_is_told(source: ViewCatalog) -> None:
    view = read(source)
    metadata = view.metadata
    first, second = metadata.versions
    other_text = first.representations[0].model_copy(update={"sql": "SELECT 1"})
    changes: dict[str, ViewSnapshot] = {
        "hive SQL of version 1": replace(
            view,
            metadata=metadata.model_copy(
                update={
                    "versions": (
                        first.model_copy(update={"representations": (other_text, *first.representations[1:])}),
                        second,
                    )
                }
            ),
        ),
        "trino SQL of version 1": replace(
            view,
            metadata=metadata.model_copy(
                update={"versions": (first.model_copy(update={"representations": first.representations[:1]}), second)}
            ),
        ),
        "version 1 is missing": replace(view, metadata=metadata.model_copy(update={"versions": (second,)})),
        "history": replace(view, metadata=metadata.model_copy(update={"version_log": metadata.version_log[1:]})),
        "property team": replace(
            view, metadata=metadata.model_copy(update={"properties": {**metadata.properties, "team": "x"}})
        ),
        "partition ds=2026-08-21 is missing": replace(view, partitions=view.partitions[1:]),
        "parameters of partition ds=2026-08-21": replace(
            view, partitions=(replace(view.partitions[0], parameters={}), *view.partitions[1:])
        ),
    }
    for said, found in changes.items():
        assert said in compare(view, found), said
    more = replace(view, partitions=(*view.partitions, Partition(("x",))))
    assert compare(view, more) == ["partition ds=x is unexpected"]
    assert compare(view, more, partitions=False) == []
    other = replace(view, metadata=metadata.model_copy(update={"view_uuid": str(uuid.uuid4())}))
    assert any(said.startswith("uuid") for said in compare(view, other, uuid=True))
