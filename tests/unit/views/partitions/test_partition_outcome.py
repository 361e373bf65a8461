"""What is reported, declared and journalled after any answer to a batch of partitions; the second of two batches fails.

On the in-memory metastore, where each failure happens at the exact call; tests/faults makes them on a real wire.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NoReturn

import pytest

from hive_views.errors import (
    Answer,
    CommitStateUnknownError,
    HiveViewsError,
    InvalidPartitionError,
    MetastoreUnavailableError,
    PartitionAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Column, Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import AddedPartitions
from hive_views.persisted import INCARNATION, OWNS, PARTITION_DESCRIPTOR
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.verdict import Verdict
from hive_views.views.journal.partition_journal import Known, State
from hive_views.views.partitions.partition_outcome import outcome_of
from hive_views.views.partitions.view_partitions import ViewPartitions
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    Killed,
    killed_after,
    killed_before,
    meanwhile,
    never_sent,
    repeated,
)
from tests.support.views.catalog_setup import create

NAME = TableIdentifier("sales", "daily")
FOUR = [{"ds": day} for day in "abcd"]
ALL, FIRST, SECOND = ["ds=a", "ds=b", "ds=c", "ds=d"], ["ds=a", "ds=b"], ["ds=c", "ds=d"]

NONE = Answer.NONE
FAILED = Answer.FAILED


def answering(answer: Answer, *, landed: bool, kind: type[HiveViewsError] = UnsupportedFeatureError) -> Fault:
    """The call is done or not, and ends in an error that proves what ``answer`` says."""

    def fault(run: Callable[[], object]) -> object:
        if landed:
            run()
        raise kind("MetaException: a listener threw.", answer=answer)

    return fault


LANDED = {answer: answering(answer, landed=True) for answer in (NONE, FAILED)}
LOST = {answer: answering(answer, landed=False) for answer in (NONE, FAILED)}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 2)


@pytest.fixture
def catalog(metastore: FaultyMetastore) -> ViewCatalog:
    settings = CommitSettings(retry_timeout_s=5.0, settle_timeout_s=0.05)
    return ViewCatalog(metastore, MetadataStorage(), warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)


@pytest.fixture
def partitions(catalog: ViewCatalog) -> ViewPartitions:
    create(catalog, str(NAME), partitioned_on=["ds"])
    return catalog.partitions(NAME)


def journaled(partitions: ViewPartitions) -> dict[str, State]:
    """What a newcomer reads in the journal."""
    journal = ViewPartitions(partitions._batches._engine, partitions.view)._batches.journal
    known: dict[str, Known] = journal.read()
    return {name: one.state for name, one in sorted(known.items())}


def states(**names: list[str]) -> dict[str, State]:
    return {name: State(state) for state, all_of_it in names.items() for name in all_of_it}


# -- add ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", LANDED)
@pytest.mark.parametrize("if_not_exists", [False, True])
def test_a_batch_that_landed_is_added_whatever_the_answer(
    metastore: FaultyMetastore, partitions: ViewPartitions, answer: Answer, if_not_exists: bool
) -> None:
    metastore.on("add_partitions", LANDED[answer], after=1)
    assert partitions.add(FOUR, if_not_exists=if_not_exists) == ALL
    assert partitions.names() == ALL
    assert journaled(partitions) == states(declared=ALL)


def test_a_batch_that_failed_and_is_not_there_is_refused_with_the_server_s_error(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    metastore.on("add_partitions", LOST[FAILED], after=1)
    with pytest.raises(UnsupportedFeatureError, match="a listener threw") as failure:
        partitions.add(FOUR)
    assert failure.value.added == FIRST
    assert partitions.names() == FIRST
    assert journaled(partitions) == states(declared=FIRST, dropped=SECOND)


def test_a_batch_without_an_answer_that_is_not_there_is_uncertain(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    metastore.on("add_partitions", LOST[NONE], after=1)
    with pytest.raises(CommitStateUnknownError, match="if_not_exists=True") as failure:
        partitions.add(FOUR)
    assert (failure.value.added, failure.value.uncertain) == (FIRST, SECOND)
    assert journaled(partitions) == states(declared=FIRST, adding=SECOND)
    assert partitions.add(FOUR, if_not_exists=True) == SECOND
    assert journaled(partitions) == states(declared=ALL)


@pytest.mark.parametrize("fault", [LANDED[FAILED], LOST[FAILED], LANDED[NONE], LOST[NONE]])
def test_a_batch_that_cannot_be_read_back_is_uncertain_and_the_error_is_that_of_the_write(
    metastore: FaultyMetastore, partitions: ViewPartitions, fault: Fault
) -> None:
    metastore.on("add_partitions", fault, after=1)
    metastore.on("load_partitions", never_sent, times=100)
    with pytest.raises(CommitStateUnknownError, match="a listener threw") as failure:
        partitions.add(FOUR)
    assert isinstance(failure.value.__cause__, UnsupportedFeatureError)
    assert failure.value.uncertain == SECOND
    assert journaled(partitions) == states(declared=FIRST, adding=SECOND)


@pytest.mark.parametrize(
    ("verb", "fault"), [("add_partitions", never_sent), ("load_row", never_sent)], ids=["the call", "the look before"]
)
def test_a_batch_that_was_never_sent_leaves_no_trace(
    metastore: FaultyMetastore, partitions: ViewPartitions, verb: str, fault: Fault
) -> None:
    metastore.on(verb, fault, after=1)
    with pytest.raises(MetastoreUnavailableError) as failure:
        partitions.add(FOUR)
    assert failure.value.added == FIRST
    assert journaled(partitions) == states(declared=FIRST)


def test_a_batch_that_something_on_the_way_sends_twice_is_reported_as_existing_and_noted(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    metastore.on("add_partitions", repeated, after=1)
    with pytest.raises(PartitionAlreadyExistsError) as failure:
        partitions.add(FOUR)
    assert (failure.value.added, failure.value.partitions) == (FIRST, SECOND)
    assert journaled(partitions) == states(declared=ALL)


def test_a_null_pointer_of_a_listener_after_the_commit_is_no_reason_to_add_again_with_descriptors(
    metastore: FaultyMetastore, partitions: ViewPartitions, catalog: ViewCatalog
) -> None:
    def listener(run: Callable[[], object]) -> object:
        run()
        return AddedPartitions(needs_descriptors=True)

    metastore.on("add_partitions", listener)
    assert partitions.add(FOUR) == ALL
    assert PARTITION_DESCRIPTOR not in catalog.load_view(NAME).metadata.properties


# -- drop --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", LANDED)
def test_a_batch_that_is_gone_is_dropped_whatever_the_answer(
    metastore: FaultyMetastore, partitions: ViewPartitions, answer: Answer
) -> None:
    partitions.add(FOUR)
    metastore.on("drop_partitions", LANDED[answer], after=1)
    assert partitions.drop(FOUR) == ALL
    assert journaled(partitions) == states(dropped=ALL)


def test_a_batch_that_is_still_there_after_an_error_is_not_dropped(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    partitions.add(FOUR)
    metastore.on("drop_partitions", LOST[FAILED], after=1)
    with pytest.raises(UnsupportedFeatureError) as failure:
        partitions.drop(FOUR)
    assert failure.value.dropped == FIRST
    assert journaled(partitions) == states(dropped=FIRST, declared=SECOND)


def test_a_batch_that_is_still_there_without_an_answer_may_be_dropped_yet(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    partitions.add(FOUR)
    metastore.on("drop_partitions", LOST[NONE], after=1)
    with pytest.raises(CommitStateUnknownError, match="if_exists=True") as failure:
        partitions.drop(FOUR)
    assert (failure.value.dropped, failure.value.uncertain) == (FIRST, SECOND)
    assert journaled(partitions) == states(dropped=FIRST, dropping=SECOND)
    assert partitions.drop(FOUR, if_exists=True) == SECOND
    assert journaled(partitions) == states(dropped=ALL)


def test_a_drop_that_was_never_sent_leaves_no_trace(metastore: FaultyMetastore, partitions: ViewPartitions) -> None:
    partitions.add(FOUR)
    metastore.on("drop_partitions", never_sent)
    with pytest.raises(MetastoreUnavailableError):
        partitions.drop(FOUR)
    assert journaled(partitions) == states(declared=ALL)


def renamed(catalog: ViewCatalog) -> None:
    catalog.rename_view(NAME, "sales.away")


def renamed_and_another_made(catalog: ViewCatalog) -> None:
    renamed(catalog)
    create(catalog, str(NAME), partitioned_on=["ds"])
    catalog.partitions(NAME).add(FOUR)


@pytest.mark.parametrize("away", [renamed, renamed_and_another_made])
def test_of_a_view_that_was_renamed_away_meanwhile_no_partition_is_noted_as_dropped(
    server: MemoryMetastore, metastore: FaultyMetastore, partitions: ViewPartitions, away: Callable[..., None]
) -> None:
    """A drop is by name, and what was dropped is another view's, or nothing."""
    partitions.add(FOUR)
    before = partitions.view
    other = ViewCatalog(server, MetadataStorage(), warehouse=before.location.rpartition("/sales.db")[0])
    metastore.on("drop_partitions", meanwhile(partial(away, other)))
    with pytest.raises(CommitStateUnknownError, match="is unknown"):
        partitions.drop(FOUR[:2])
    assert State.DROPPED not in journaled(partitions).values()
    assert other.partitions("sales.away").names() == ALL
    other.partitions("sales.away").note_others(ALL)
    assert journaled(other.partitions("sales.away"))["ds=c"] is State.DECLARED


@pytest.mark.parametrize("lost", [(OWNS, INCARNATION), (OWNS,)], ids=["no token", "a token without proof"])
def test_a_drop_is_noted_where_a_row_is_given_its_token_meanwhile(
    server: MemoryMetastore,
    metastore: FaultyMetastore,
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    lost: tuple[str, ...],
) -> None:
    """A view that another engine has made or registered gets one by our first commit."""
    partitions.add(FOUR)
    row = server.load_row(NAME)
    parameters = {key: value for key, value in row.parameters.items() if key not in lost}
    # A drifted row gets none before its partitions are dropped.
    drifted = replace(row, expanded_text="SELECT 1 AS `user_id`, 2 AS `clicks`, 'x' AS `ds`", parameters=parameters)
    server.swap_row(drifted, expected=None)
    before = row.parameters[INCARNATION]

    rival = ViewCatalog(server, MetadataStorage(), warehouse=catalog.warehouse)
    metastore.on("drop_partitions", meanwhile(lambda: rival.repair_view(NAME, on_drift="adopt")))
    assert catalog.partitions(NAME).drop(FOUR[:2]) == FIRST
    assert not metastore.pending()
    assert server.load_row(NAME).parameters[INCARNATION] != before
    assert server.partition_names(NAME) == SECOND


# -- a writer that is gone ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [killed_before, killed_after])
def test_what_a_killed_writer_added_is_restored_and_what_it_may_have_is_reported(
    metastore: FaultyMetastore, partitions: ViewPartitions, catalog: ViewCatalog, fault: Fault
) -> None:
    metastore.on("add_partitions", fault, after=1)
    with pytest.raises(Killed):
        partitions.add(FOUR)
    registered_again(catalog)
    restored = catalog.partitions(NAME).restore()
    assert (restored.added, restored.uncertain) == (ALL, SECOND)


@pytest.mark.parametrize("fault", [killed_before, killed_after])
def test_a_run_after_a_kill_has_all_in_the_journal(
    metastore: FaultyMetastore, partitions: ViewPartitions, catalog: ViewCatalog, fault: Fault
) -> None:
    metastore.on("add_partitions", fault, after=1)
    with pytest.raises(Killed):
        partitions.add(FOUR)
    catalog.partitions(NAME).add(FOUR, if_not_exists=True)
    assert journaled(partitions) == states(declared=ALL)
    registered_again(catalog)
    restored = catalog.partitions(NAME).restore()
    assert (restored.added, restored.uncertain) == (ALL, [])


@pytest.mark.parametrize("fault", [killed_before, killed_after])
def test_what_a_killed_writer_may_have_dropped_is_left_out_and_reported(
    metastore: FaultyMetastore, partitions: ViewPartitions, catalog: ViewCatalog, fault: Fault
) -> None:
    partitions.add(FOUR)
    metastore.on("drop_partitions", fault, after=1)
    with pytest.raises(Killed):
        partitions.drop(FOUR)
    registered_again(catalog)
    restored = catalog.partitions(NAME).restore()
    assert restored.added == []
    assert sorted(restored.left_out) == SECOND


def registered_again(catalog: ViewCatalog) -> None:
    location = catalog.load_view(NAME).metadata_location
    catalog.metastore.drop_row(NAME)
    catalog.register_view(NAME, location)


# -- parameters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", LANDED)
def test_parameters_that_are_there_are_set_whatever_the_answer(
    metastore: FaultyMetastore, partitions: ViewPartitions, answer: Answer
) -> None:
    partitions.add(FOUR)
    metastore.on("alter_partitions", LANDED[answer])
    partitions.set_parameters(ALL, {"k": "v"})
    assert {one.parameters["k"] for _, one in partitions.load()} == {"v"}


def test_parameters_that_are_not_there_after_an_error_are_not_set(
    metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    partitions.add(FOUR)
    metastore.on("alter_partitions", LOST[FAILED])
    with pytest.raises(UnsupportedFeatureError):
        partitions.set_parameters(ALL, {"k": "v"})


def test_parameters_without_an_answer_leave_the_lock_until_they_cannot_land_any_more(
    metastore: FaultyMetastore, partitions: ViewPartitions, server: MemoryMetastore
) -> None:
    partitions.add(FOUR)
    metastore.on("alter_partitions", LOST[NONE])
    with pytest.raises(CommitStateUnknownError):
        partitions.set_parameters(ALL, {"k": "v"})
    assert server._locks
    server.expire_locks()
    partitions.set_parameters(ALL, {"k": "v"})
    assert not server._locks


def test_parameters_are_set_on_a_row_that_has_a_location_without_waiting_for_our_own_lock(
    server: MemoryMetastore, partitions: ViewPartitions, catalog: ViewCatalog
) -> None:
    """Iceberg Java sets one, which the next commit mends, under the lock that setting parameters takes as well."""
    partitions.add(FOUR)
    catalog.alter_view(NAME, comment="the partitions' view is behind")
    row = server.load_row(NAME)
    server.swap_row(replace(row, location="memory://elsewhere"), expected=row.parameters["metadata_location"])
    partitions.set_parameters(ALL, {"k": "v"})
    assert {one.parameters["k"] for _, one in partitions.load()} == {"v"}
    assert not server._locks


def test_two_writers_of_parameters_lose_nothing_of_each_other(
    server: MemoryMetastore, metastore: FaultyMetastore, partitions: ViewPartitions, catalog: ViewCatalog
) -> None:
    """The other one comes between the reading and the writing of the first."""
    partitions.add(FOUR)
    theirs, waits = FaultyMetastore(server), threading.Event()
    theirs.on("lock", meanwhile(waits.set), times=2)
    rival = ViewCatalog(theirs, catalog.storage, settings=catalog.settings).partitions(NAME)
    other = threading.Thread(target=partial(rival.set_parameters, ALL, {"theirs": "1"}))

    def between(run: Callable[[], object]) -> object:
        other.start()
        assert waits.wait(30), "the other one does not ask for the lock"
        return run()

    metastore.on("alter_partitions", between)
    partitions.set_parameters(ALL, {"ours": "1"})
    other.join(30)
    reported = [(one.parameters.get("ours"), one.parameters.get("theirs")) for _, one in partitions.load()]
    assert reported == [("1", "1")] * 4


# -- the view around them ----------------------------------------------------------------------------------------------


def test_keys_that_change_between_two_batches_stop_the_adding(
    server: MemoryMetastore, metastore: FaultyMetastore, partitions: ViewPartitions
) -> None:
    """By an engine that asks nobody: ours refuse to change the keys of a view with partitions."""

    def alter(run: Callable[[], object]) -> object:
        added = run()
        row = server.load_row(NAME)
        server.swap_row(replace(row, partition_keys=(Column("region", "string"),)), expected=None)
        return added

    metastore.on("add_partitions", alter)
    with pytest.raises(InvalidPartitionError, match=r"repair_view.* first") as failure:
        partitions.add(FOUR)
    assert failure.value.added == FIRST
    assert server.partition_names(NAME) == FIRST


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (InvalidPartitionError("cannot be held", answer=Answer.FAILED), Verdict.NOT_APPLIED),
        (HiveViewsError("a listener threw this", answer=Answer.FAILED), Verdict.UNKNOWN),
    ],
)
def test_values_that_cannot_be_looked_for_are_absent_only_if_they_were_refused(
    failure: HiveViewsError, verdict: Verdict
) -> None:
    def read() -> NoReturn:
        raise InvalidPartitionError("cannot be looked for", answer=Answer.FAILED)

    assert outcome_of(failure, read, lambda _: True, 0).verdict is verdict


def test_partitions_that_others_add_while_a_journal_is_compared_are_not_taken_for_dropped(
    server: MemoryMetastore, partitions: ViewPartitions, catalog: ViewCatalog, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    partitions.add(FOUR[:2])
    seen = partitions.names()
    catalog.partitions(NAME).add(FOUR[2:])
    server.add_partitions(NAME, [Partition(("e",))], if_not_exists=False)
    partitions.note_others(seen)
    assert journaled(partitions) == states(declared=[*ALL, "ds=e"])
    assert caplog.text == ""
