"""Faults on the wire to a real metastore for the verbs that move no pointer: rename, drop, register, partitions."""

from __future__ import annotations

import pytest

from hive_views.errors import CommitStateUnknownError, HiveViewsError, NoSuchViewError
from hive_views.spec.identifiers import TableIdentifier
from tests.faults.conftest import Site
from tests.support.views.catalog_setup import content_of

ALTER = "alter_table_with_environment_context"
DAYS = [{"ds": f"2026-08-{day}"} for day in (21, 22)]
LANDED = ["drop_answer", "cut_answer"]
LOST = ["drop_request", "cut_request"]


def renamed(site: Site) -> TableIdentifier:
    return TableIdentifier(TableIdentifier.of(site.name).namespace, "renamed")


@pytest.mark.parametrize("fault", LANDED)
def test_a_rename_whose_answer_is_missing_is_found_under_the_new_name(site: Site, fault: str) -> None:
    catalog = site.catalog(site.proxy.uri)
    catalog.alter_view(site.name, comment="proved")
    getattr(site.proxy, fault)(ALTER)
    assert catalog.rename_view(site.name, renamed(site)).identifier == renamed(site)
    assert site.second.load_view(renamed(site)).differences == ()
    with pytest.raises(NoSuchViewError):
        site.current()
    assert len(site.files()) == 2


@pytest.mark.parametrize("fault", LOST)
def test_a_rename_that_may_still_land_is_unknown(site: Site, fault: str) -> None:
    catalog = site.catalog(site.proxy.uri)
    catalog.alter_view(site.name, comment="proved")
    getattr(site.proxy, fault)(ALTER)
    with pytest.raises(CommitStateUnknownError):
        catalog.rename_view(site.name, renamed(site))
    assert site.current().differences == ()
    assert not site.second.view_exists(renamed(site))
    assert len(site.files()) == 2


def test_a_second_writer_before_the_rename_wins_and_the_rename_is_run_again(site: Site) -> None:
    catalog = site.catalog(site.proxy.uri)
    catalog.alter_view(site.name, comment="proved")
    site.proxy.before(ALTER, lambda: site.second.alter_view(site.name, comment="theirs"))
    assert catalog.rename_view(site.name, renamed(site)).comment == "theirs"
    loaded = site.second.load_view(renamed(site))
    assert loaded.comment == "theirs"
    assert loaded.differences == ()


@pytest.mark.parametrize("fault", LANDED)
def test_a_drop_whose_answer_is_missing_is_done_when_the_row_is_gone(site: Site, fault: str) -> None:
    getattr(site.proxy, fault)("drop_table")
    site.catalog(site.proxy.uri).drop_view(site.name)
    with pytest.raises(NoSuchViewError):
        site.current()
    assert len(site.files()) == 1


@pytest.mark.parametrize("fault", LOST)
def test_a_drop_that_may_still_land_is_unknown_and_purges_nothing(site: Site, fault: str) -> None:
    view = site.current()
    getattr(site.proxy, fault)("drop_table")
    with pytest.raises(CommitStateUnknownError) as unknown:
        site.catalog(site.proxy.uri).drop_view(site.name, purge=True)
    assert len(site.files()) == 1
    assert site.second.rename_view(unknown.value.identifier, site.name).metadata == view.metadata


@pytest.mark.parametrize("fault", LANDED)
def test_a_purge_whose_last_answer_is_missing_is_done_when_the_name_that_it_gave_the_view_is_free(
    site: Site, fault: str
) -> None:
    getattr(site.proxy, fault)("drop_table")
    site.catalog(site.proxy.uri).drop_view(site.name, purge=True)
    assert site.files() == []


@pytest.mark.parametrize("fault", [*LANDED, *LOST])
def test_a_view_that_is_renamed_away_while_an_answer_is_missing_keeps_its_files(site: Site, fault: str) -> None:
    """A free name is no proof that the view was dropped."""
    view = site.current()
    away = f"{view.identifier.namespace}.{view.identifier.name}_away"
    catalog = site.catalog(site.proxy.uri)
    catalog.metastore.enforces_swap(view.identifier)
    site.proxy.before(ALTER, lambda: site.second.rename_view(site.name, away))
    getattr(site.proxy, fault)(ALTER)
    with pytest.raises(HiveViewsError):
        catalog.drop_view(site.name, purge=True)
    assert site.second.load_view(away).metadata == view.metadata
    assert len(site.files()) == 1


@pytest.mark.parametrize("fault", LANDED)
def test_a_registration_whose_answer_is_missing_is_found_to_have_landed(site: Site, fault: str) -> None:
    view = site.current()
    site.second.drop_view(site.name)
    getattr(site.proxy, fault)("create_table")
    registered = site.catalog(site.proxy.uri).register_view(site.name, view.metadata_location)
    assert registered.metadata == site.current().metadata
    assert content_of(registered) == content_of(view)
    assert len(site.files()) == 2


@pytest.mark.parametrize("fault", LOST)
def test_a_registration_that_may_still_land_is_unknown_and_keeps_the_file(site: Site, fault: str) -> None:
    view = site.current()
    site.second.drop_view(site.name)
    getattr(site.proxy, fault)("create_table")
    with pytest.raises(CommitStateUnknownError):
        site.catalog(site.proxy.uri).register_view(site.name, view.metadata_location)
    assert len(site.files()) == 2
    assert content_of(site.second.register_view(site.name, view.metadata_location)) == content_of(view)


def test_going_back_by_registering_is_not_taken_for_done_because_the_row_names_the_file_as_previous(
    site: Site,
) -> None:
    """The file that is registered over a view may be the one before the current one."""
    first = site.current()
    second = site.second.alter_view(site.name, comment="second")
    catalog = site.catalog(site.proxy.uri)
    catalog.load_view(site.name)
    catalog.metastore.enforces_swap(first.identifier)
    site.proxy.drop_request(ALTER)
    with pytest.raises(CommitStateUnknownError):
        catalog.register_view(site.name, first.metadata_location, overwrite=True)
    assert site.current().metadata == second.metadata


@pytest.mark.parametrize("fault", LANDED)
def test_partitions_whose_answer_is_missing_are_added_when_they_are_there(site: Site, fault: str) -> None:
    partitions = site.catalog(site.proxy.uri).partitions(site.name)
    getattr(site.proxy, fault)("add_partitions_req")
    assert partitions.add(DAYS) == ["ds=2026-08-21", "ds=2026-08-22"]
    assert site.second.partitions(site.name).values() == DAYS


@pytest.mark.parametrize("fault", LOST)
def test_partitions_that_may_still_be_added_are_unknown_and_added_again_without_harm(site: Site, fault: str) -> None:
    partitions = site.catalog(site.proxy.uri).partitions(site.name)
    getattr(site.proxy, fault)("add_partitions_req")
    with pytest.raises(CommitStateUnknownError) as failure:
        partitions.add(DAYS)
    assert failure.value.uncertain == ["ds=2026-08-21", "ds=2026-08-22"]
    assert partitions.add(DAYS, if_not_exists=True) == ["ds=2026-08-21", "ds=2026-08-22"]
    assert site.second.partitions(site.name).values() == DAYS


@pytest.mark.parametrize("fault", LANDED)
def test_partitions_whose_answer_is_missing_are_dropped_when_they_are_gone(site: Site, fault: str) -> None:
    site.second.partitions(site.name).add(DAYS)
    getattr(site.proxy, fault)("drop_partitions_req")
    dropped = site.catalog(site.proxy.uri).partitions(site.name).drop(DAYS)
    assert dropped == ["ds=2026-08-21", "ds=2026-08-22"]
    assert site.second.partitions(site.name).names() == []


@pytest.mark.parametrize("fault", LOST)
def test_partitions_that_may_still_be_dropped_are_unknown_and_dropped_again_without_harm(
    site: Site, fault: str
) -> None:
    site.second.partitions(site.name).add(DAYS)
    partitions = site.catalog(site.proxy.uri).partitions(site.name)
    getattr(site.proxy, fault)("drop_partitions_req")
    with pytest.raises(CommitStateUnknownError):
        partitions.drop(DAYS)
    partitions.drop(DAYS, if_exists=True)
    assert site.second.partitions(site.name).names() == []
    assert site.second.partitions(site.name).restore().added == []
