"""Tags: which version they name, what keeps them, and what they keep from expiring."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NoSuchVersionError,
    ViewDriftedError,
)
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import TAG
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.tags import tags_of
from hive_views.spec.updates import HISTORY_SIZE
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import current_version_only
from hive_views.views.view import View
from tests.support.views.foreign_writers import java_commit, spark_set_properties
from tests.support.views.quick_catalog import NAME, catalog_on


@pytest.fixture
def metastore() -> MemoryMetastore:
    return MemoryMetastore()


@pytest.fixture
def catalog(metastore: MemoryMetastore, tmp_path: Path) -> ViewCatalog:
    catalog = catalog_on(metastore, warehouse=str(tmp_path))
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], properties={HISTORY_SIZE: "2"})
    return catalog


def replaced(catalog: ViewCatalog, *numbers: int) -> View:
    for number in numbers:
        view = catalog.replace_view(NAME, sql={"hive": f"SELECT {number} AS a"})
    return view


def held(view: View) -> list[int]:
    return [version.version_id for version in view.versions]


def test_a_version_with_a_tag_does_not_expire_and_does_not_count(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "release-1")
    view = replaced(catalog, 2, 3, 4, 5)
    assert held(view) == [1, 4, 5]
    assert view.tags == {"release-1": 1}
    back = catalog.roll_back_view(NAME, to_tag="release-1")
    assert back.sql_for("hive").sql == "SELECT 1 AS a"
    assert held(back) == [1, 4, 5]


def test_a_version_expires_when_its_last_tag_is_taken_away(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "a")
    catalog.tag_view(NAME, "b")
    replaced(catalog, 2, 3)
    assert held(catalog.untag_view(NAME, "a")) == [1, 2, 3]
    assert held(catalog.untag_view(NAME, "b")) == [2, 3]
    assert catalog.load_view(NAME).row.parameters.keys().isdisjoint({"hive-views.tag.a", "hive-views.tag.b"})


def test_a_tag_names_the_version_that_is_current_or_the_one_that_is_given(catalog: ViewCatalog) -> None:
    replaced(catalog, 2)
    before = catalog.load_view(NAME)
    catalog.tag_view(NAME, "now")
    view = catalog.tag_view(NAME, "then", version=1)
    assert view.tags == {"now": 2, "then": 1}
    assert view.tagged("then").version_id == 1
    assert view.history == before.history, "a tag makes no version"
    assert view.properties == before.properties, "nor is it a property of the user's"


def test_a_tag_that_is_there_moves_only_where_that_is_asked_for(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "stable")
    again = catalog.tag_view(NAME, "stable")
    replaced(catalog, 2)
    with pytest.raises(AlreadyExistsError, match=r"already names version 1\. Move it with move=True"):
        catalog.tag_view(NAME, "stable")
    assert catalog.load_view(NAME).tags == again.tags == {"stable": 1}
    assert catalog.tag_view(NAME, "stable", move=True).tags == {"stable": 2}


@pytest.mark.parametrize("tag", ["", "-x", ".x", "a b", "a=b", "ä", "x" * 242, 12, None], ids=repr)
def test_what_cannot_be_a_tag_is_refused(catalog: ViewCatalog, tag: str) -> None:
    for call in (catalog.tag_view, catalog.untag_view):
        with pytest.raises(InvalidInputError, match="as a tag"):
            call(NAME, tag)
    with pytest.raises(InvalidInputError):
        catalog.roll_back_view(NAME, to_tag=tag)


def test_the_longest_tag_fits_the_metastore(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "x" * 241)
    assert max(map(len, catalog.load_view(NAME).row.parameters)) == 256


def test_tags_that_differ_in_case_alone_are_refused(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "Release-1")
    with pytest.raises(InvalidInputError, match="'Release-1'"):
        catalog.tag_view(NAME, "release-1", move=True)


def test_an_unknown_tag_or_version_is_refused_with_what_there_is(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "release-1")
    with pytest.raises(NoSuchVersionError, match=r"no tag 'relase-1'. Did you mean 'release-1'\?"):
        catalog.roll_back_view(NAME, to_tag="relase-1")
    with pytest.raises(NoSuchVersionError, match="'release-1'"):
        catalog.untag_view(NAME, "release-2")
    with pytest.raises(NoSuchVersionError, match=r"no version 7; it holds 1\."):
        catalog.tag_view(NAME, "x", version=7)


def test_a_tag_goes_with_the_view_through_renaming_dropping_and_registering(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "release-1")
    replaced(catalog, 2)
    catalog.rename_view(NAME, "sales.by_day")
    file = catalog.load_view("sales.by_day").metadata_location
    catalog.drop_view("sales.by_day")
    catalog.register_view("sales.again", file)
    assert catalog.load_view("sales.again").tagged("release-1").version_id == 1


def test_a_tag_that_somebody_writes_into_the_row_is_drift_and_tags_nothing(
    catalog: ViewCatalog, metastore: MemoryMetastore
) -> None:
    catalog.tag_view(NAME, "release-1")
    view = replaced(catalog, 2)
    metastore.swap_row(spark_set_properties(view.row, **{"hive-views.tag.release-1": "2@1"}), expected=None)
    with pytest.raises(ViewDriftedError):
        catalog.roll_back_view(NAME, to_tag="release-1")
    assert catalog.repair_view(NAME, on_drift="adopt").tags == {"release-1": 1}


def test_a_tag_whose_value_is_none_of_ours_is_passed_over(catalog: ViewCatalog) -> None:
    metadata = catalog.load_view(NAME).metadata
    with_others = {f"hive-views.tag.{n}": value for n, value in enumerate(["x", "1", "1@", "@1", "99999999999999@1"])}
    assert tags_of(metadata.model_copy(update={"properties": with_others})) == {}


def java_expires(catalog: ViewCatalog, *ids: int) -> None:
    """Iceberg Java lets versions expire that have a tag."""

    def without(metadata: ViewMetadata) -> ViewMetadata:
        kept = tuple(version for version in metadata.versions if version.version_id not in ids)
        log = tuple(entry for entry in metadata.version_log if entry.version_id not in ids)
        return metadata.model_copy(update={"versions": kept, "version_log": log})

    java_commit(catalog.metastore, catalog.storage, NAME, without)


def test_a_tag_whose_version_another_engine_let_expire_says_so(catalog: ViewCatalog) -> None:
    catalog.tag_view(NAME, "release-1")
    replaced(catalog, 2)
    java_expires(catalog, 1)
    with pytest.raises(NoSuchVersionError, match="names version 1, which has expired"):
        catalog.roll_back_view(NAME, to_tag="release-1")
    assert catalog.load_view(NAME).tags == {}
    with pytest.raises(AlreadyExistsError, match=r"'release-1' .* already names a version that has expired"):
        catalog.tag_view(NAME, "release-1")
    assert catalog.tag_view(NAME, "release-1", move=True).tags == {"release-1": 2}
    assert catalog.untag_view(NAME, "release-1").tags == {}


def test_no_new_version_gets_the_id_that_a_tag_names(catalog: ViewCatalog) -> None:
    """The spec gives ids of expired versions again; the tag would name another version then."""
    replaced(catalog, 2)
    catalog.tag_view(NAME, "release-2")
    catalog.roll_back_view(NAME, to_version=1)
    java_expires(catalog, 2)
    assert held(replaced(catalog, 3)) == [1, 3]


def test_a_tag_does_not_name_a_later_version_that_got_the_id_again(catalog: ViewCatalog) -> None:
    replaced(catalog, 2)
    catalog.tag_view(NAME, "release-2")
    catalog.roll_back_view(NAME, to_version=1)
    java_expires(catalog, 2)

    def another_second(metadata: ViewMetadata) -> ViewMetadata:
        latest: ViewVersion = metadata.versions[0]
        again = latest.model_copy(update={"version_id": 2, "timestamp_ms": latest.timestamp_ms + 5_000})
        return metadata.model_copy(update={"versions": (*metadata.versions, again)})

    java_commit(catalog.metastore, catalog.storage, NAME, another_second)
    with pytest.raises(NoSuchVersionError, match="has expired"):
        catalog.roll_back_view(NAME, to_tag="release-2")
    view = catalog.load_view(NAME)
    assert view.version(2)
    assert view.tags == {}
    assert "release-2" not in view.history._repr_html_()
    assert TAG + "release-2" not in current_version_only(view.metadata).properties
    assert TAG + "release-2" not in catalog.untag_view(NAME, "release-2").metadata.properties


def test_a_tag_and_a_change_at_once_are_both_there(catalog: ViewCatalog, metastore: MemoryMetastore) -> None:
    """A commit that loses its race is run again on what the other made, the tag where it was asked for."""
    other = ViewCatalog(metastore, warehouse=catalog.warehouse, settings=catalog.settings)
    clock = [False]

    def clock_ms() -> int:
        if not clock[0]:
            clock[0] = True
            other.replace_view(NAME, sql={"hive": "SELECT 2 AS a"})
        return catalog.settings.clock_ms()

    racing = ViewCatalog(
        metastore,
        warehouse=catalog.warehouse,
        settings=replace(catalog.settings, clock_ms=clock_ms, lock="never", new_uuid=lambda: str(uuid.uuid4())),
    )
    view = racing.tag_view(NAME, "first", version=1)
    assert view.tags == {"first": 1}
    assert view.metadata.current_version_id == 2
