"""Every row of the table of outcomes (hive_views/views/commit/verdict.py), made on the wire to a real metastore.

Each test looks at four things: what was reported to the writer, the current version, the number of files, the row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_views.errors import CommitFailedError, CommitStateUnknownError, HiveViewsError, MetastoreUnavailableError
from hive_views.views.view import View
from tests.faults.conftest import Site, a_text
from tests.support.failing.wire import WireProxy

SWAP = "alter_table_with_environment_context"

LANDED: dict[str, Callable[[WireProxy], object]] = {
    "the answer is lost": lambda proxy: proxy.drop_answer(SWAP),
    "the answer is cut in the middle": lambda proxy: proxy.cut_answer(SWAP),
}
MAY_STILL_LAND: dict[str, Callable[[WireProxy], object]] = {
    "the request is lost": lambda proxy: proxy.drop_request(SWAP),
    "the request is cut in the middle": lambda proxy: proxy.cut_request(SWAP),
}


def writer(site: Site) -> Callable[[int], View]:
    """A writer behind the proxy that has proved its server already."""
    catalog = site.catalog(site.proxy.uri)
    catalog.alter_view(site.name, comment="proved")

    def write(number: int) -> View:
        return catalog.replace_view(site.name, sql={"hive": a_text(number)})

    return write


def check(site: Site, *, version: int, files: int) -> View:
    view = site.current()
    assert view.current_version.version_id == version
    assert len(site.files()) == files
    assert view.differences == ()
    return view


def test_an_answered_commit_is_committed(site: Site) -> None:
    write = writer(site)
    assert write(1).current_version.version_id == 2
    check(site, version=2, files=3)


@pytest.mark.parametrize("fault", LANDED)
def test_a_commit_whose_answer_is_missing_is_found_to_have_landed(site: Site, fault: str) -> None:
    write = writer(site)
    LANDED[fault](site.proxy)
    assert write(1).current_version.version_id == 2
    check(site, version=2, files=3)


@pytest.mark.parametrize("fault", LANDED)
def test_a_landed_commit_is_recognised_under_later_ones(site: Site, fault: str) -> None:
    write = writer(site)

    def others() -> None:
        for number in (8, 9):
            site.second.replace_view(site.name, sql={"hive": a_text(number)})

    site.proxy.after(SWAP, others)
    LANDED[fault](site.proxy)
    assert write(1).current_version.version_id == 2
    view = check(site, version=4, files=5)
    assert [entry.version_id for entry in view.history] == [1, 2, 3, 4]


@pytest.mark.parametrize("fault", MAY_STILL_LAND)
def test_a_commit_without_an_answer_is_unknown_while_the_base_is_current(site: Site, fault: str) -> None:
    write = writer(site)
    MAY_STILL_LAND[fault](site.proxy)
    with pytest.raises(CommitStateUnknownError) as unknown:
        write(1)
    assert Path(unknown.value.metadata_location.removeprefix("file://")).exists()
    check(site, version=1, files=3)


def test_a_commit_without_an_answer_is_unknown_while_another_is_current(site: Site) -> None:
    write = writer(site)
    site.proxy.before(SWAP, lambda: site.second.replace_view(site.name, sql={"hive": a_text(9)}))
    site.proxy.drop_request(SWAP)
    with pytest.raises(CommitStateUnknownError):
        write(1)
    assert a_text(9) in check(site, version=2, files=4).original_sql("hive")


def test_an_answer_that_comes_too_late_is_none_and_the_commit_is_found(site: Site) -> None:
    catalog = site.catalog(site.proxy.uri, read_timeout_s=0.5)
    catalog.alter_view(site.name, comment="proved")
    delay = site.proxy.delay_answer(SWAP)
    view = catalog.replace_view(site.name, sql={"hive": a_text(1)})
    delay.release()
    assert view.current_version.version_id == 2
    check(site, version=2, files=3)


def test_an_outcome_that_cannot_be_read_back_is_unknown_and_keeps_the_file(site: Site) -> None:
    write = writer(site)
    site.proxy.drop_answer(SWAP)
    site.proxy.after(SWAP, lambda: site.proxy.drop_request("get_table_req", times=1_000))
    with pytest.raises(CommitStateUnknownError):
        write(1)
    check(site, version=2, files=3)


def test_a_second_writer_between_reading_and_writing_wins_and_the_change_is_run_again(site: Site) -> None:
    write = writer(site)
    site.proxy.after("get_table_req", lambda: site.second.replace_view(site.name, sql={"hive": a_text(9)}))
    view = write(1)
    assert view.current_version.version_id == 3
    view = check(site, version=3, files=4)
    assert [entry.version_id for entry in view.history] == [1, 2, 3]


def test_a_second_writer_between_writing_and_swapping_wins_and_the_change_is_run_again(site: Site) -> None:
    write = writer(site)
    site.proxy.before(SWAP, lambda: site.second.replace_view(site.name, sql={"hive": a_text(9)}))
    assert write(1).current_version.version_id == 3
    check(site, version=3, files=4)


def test_a_refused_swap_that_met_its_own_first_attempt_is_committed(site: Site) -> None:
    """A call that is repeated on its way (apache/iceberg 17074) is refused by what it did itself."""
    write = writer(site)

    def first_attempt() -> None:
        # What the proxy is about to forward has arrived once already.
        row = site.second.metastore.load_row(site.current().identifier)
        pointer = row.parameters["metadata_location"]
        ours = f"{pointer.rsplit('/', 1)[0]}/{site.files()[-1]}"
        parameters = {**row.parameters, "metadata_location": ours, "previous_metadata_location": pointer}
        site.second.metastore.swap_row(dataclasses.replace(row, parameters=parameters), expected=pointer)

    site.proxy.before(SWAP, first_attempt)
    assert write(1).current_version.version_id == 2
    assert site.current().current_version.version_id == 2
    assert len(site.files()) == 3


def test_a_metastore_that_is_away_is_unavailable_and_leaves_no_file(site: Site) -> None:
    write = writer(site)
    site.proxy.drop_request("get_table_req", times=10)
    with pytest.raises(MetastoreUnavailableError):
        write(1)
    check(site, version=1, files=2)


@pytest.mark.parametrize("fault", ["drop_answer", "cut_answer"])
def test_a_creation_whose_answer_is_missing_is_found_to_have_landed(site: Site, namespace: str, fault: str) -> None:
    getattr(site.proxy, fault)("create_table")
    catalog = site.catalog(site.proxy.uri)
    view = catalog.create_view(f"{namespace}.other", sql={"hive": a_text(1)}, schema=site.current().schema)
    assert site.second.load_view(view.identifier).metadata_location == view.metadata_location


def test_a_creation_that_may_still_land_is_unknown_and_keeps_its_file(site: Site, namespace: str) -> None:
    site.proxy.drop_request("create_table")
    catalog = site.catalog(site.proxy.uri)
    with pytest.raises(CommitStateUnknownError):
        catalog.create_view(f"{namespace}.other", sql={"hive": a_text(1)}, schema=site.current().schema)
    assert len(site.files()) == 2


@pytest.mark.parametrize("method", ["lock", "get_table_req", SWAP, "unlock"])
@pytest.mark.parametrize("fault", ["drop_request", "cut_request", "drop_answer", "cut_answer"])
def test_under_the_lock_a_fault_ends_in_old_or_new_and_the_lock_is_free(site: Site, method: str, fault: str) -> None:
    catalog = site.catalog(site.proxy.uri, lock="auto")
    getattr(site.proxy, fault)(method)
    reported: HiveViewsError | None = None
    try:
        catalog.replace_view(site.name, sql={"hive": a_text(1)})
    except HiveViewsError as error:
        reported = error
    current = site.current().current_version.version_id
    if reported is None:
        assert current == 2
    elif isinstance(reported, CommitStateUnknownError):
        assert len(site.files()) == 2
    else:
        assert (current, len(site.files())) == (1, 1)
    after = site.catalog(site.proxy.uri, lock="always").alter_view(site.name, comment="after")
    assert after.comment == "after"


def test_a_lock_that_stays_is_waited_for_in_bounds_and_its_holder_is_named(site: Site) -> None:
    # Unlocking twice does no harm, so it is tried again once.
    site.proxy.drop_request("unlock", times=2)
    site.catalog(site.proxy.uri, lock="auto").alter_view(site.name, comment="left")
    with pytest.raises(CommitFailedError, match="is locked by") as refused:
        site.catalog(site.proxy.uri, lock="auto").alter_view(site.name, comment="after")
    assert "hive-views-" in refused.value.holder
    assert site.current().comment == "left"


def test_registering_over_a_row_without_a_pointer_does_not_overwrite_who_came_first(site: Site) -> None:
    """There is no pointer to compare; the metastore compares the row's DDL time."""
    catalog = site.catalog(site.proxy.uri)
    location = catalog.alter_view(site.name, comment="proved").metadata_location
    row = site.second.metastore.load_row(site.current().identifier)
    lost = {key: value for key, value in row.parameters.items() if key != "metadata_location"}
    site.second.metastore.swap_row(dataclasses.replace(row, parameters=lost), expected=None)

    def come_first() -> None:
        site.second.register_view(site.name, location, overwrite=True)
        site.second.alter_view(site.name, comment="first")

    site.proxy.before(SWAP, come_first)
    with pytest.raises(CommitFailedError):
        catalog.register_view(site.name, location, overwrite=True)
    assert site.current().comment == "first"


def test_registering_over_a_row_without_a_pointer_is_done_where_nobody_came_first(site: Site) -> None:
    location = site.second.alter_view(site.name, comment="kept").metadata_location
    row = site.second.metastore.load_row(site.current().identifier)
    lost = {key: value for key, value in row.parameters.items() if key != "metadata_location"}
    site.second.metastore.swap_row(dataclasses.replace(row, parameters=lost), expected=None)
    site.catalog(site.proxy.uri).register_view(site.name, location, overwrite=True)
    assert site.current().comment == "kept"
