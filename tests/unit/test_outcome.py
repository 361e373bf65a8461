"""Every row of the outcome table, for every verb that writes a row: exception, metadata, files, row.

On the in-memory metastore, where each failure happens at the exact call; tests/faults makes them on a real wire.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.catalog import ViewCatalog
from hive_views.commit import CommitSettings
from hive_views.errors import (
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    MetastoreUnavailableError,
    NoSuchViewError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.hive.projection import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage import MetadataStorage
from hive_views.view import View
from tests.contract.catalog_setup import create, files_of, row_of, table_row
from tests.faulty_metastore import (
    Fault,
    FaultyMetastore,
    lost_after,
    lost_before,
    meanwhile,
    never_sent,
    refused,
    repeated,
    then,
)

NAME = TableIdentifier("sales", "daily")


@pytest.fixture
def server() -> MemoryMetastore:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    return metastore


@pytest.fixture
def metastore(server: MemoryMetastore) -> FaultyMetastore:
    return FaultyMetastore(server)


@pytest.fixture
def catalog(metastore: FaultyMetastore) -> ViewCatalog:
    settings = CommitSettings(retry_timeout_s=5.0, settle_timeout_s=0.05)
    return ViewCatalog(metastore, MetadataStorage(), warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)


@pytest.fixture
def rival(server: MemoryMetastore, catalog: ViewCatalog) -> ViewCatalog:
    """Another program on the same metastore and storage; it takes no locks, as one in another mode does."""
    return ViewCatalog(server, warehouse=catalog.warehouse, settings=CommitSettings(lock="never"))


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    return create(catalog, str(NAME), properties={"n": "0"})


def commits_of(rival: ViewCatalog, count: int) -> Callable[[], None]:
    """Another program's commits: it adds ``count`` to the property ``theirs``, one by one."""

    def act() -> None:
        for _ in range(count):
            theirs = int(rival.load_view(NAME).properties.get("theirs", "0"))
            rival.alter_view(NAME, set_properties={"theirs": str(theirs + 1)})

    return act


def alter(catalog: ViewCatalog) -> View:
    return catalog.alter_view(NAME, set_properties={"n": "1"})


# -- replacing a row ---------------------------------------------------------------------------------------------------

COMMITTED: dict[str, tuple[Callable[[ViewCatalog], Fault], int]] = {
    "the call was repeated, the row is ours": (lambda rival: repeated, 0),
    "the call was repeated, ours is the previous": (lambda rival: then(commits_of(rival, 1), lambda run: run()), 1),
    "the call was repeated, ours is in the list": (lambda rival: then(commits_of(rival, 3), lambda run: run()), 3),
    "no answer, the row is ours": (lambda rival: lost_after, 0),
    "no answer, ours is the previous": (lambda rival: then(commits_of(rival, 1), lost_before), 1),
    "no answer, ours is in the list": (lambda rival: then(commits_of(rival, 3), lost_before), 3),
}


@pytest.mark.parametrize("case", COMMITTED)
def test_a_commit_that_landed_is_committed_whatever_was_answered(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, case: str
) -> None:
    fault, theirs = COMMITTED[case]
    metastore.on("swap_row", fault(rival))
    altered = alter(catalog)
    assert altered.properties["n"] == "1"
    loaded = rival.load_view(NAME)
    assert loaded.properties["n"] == "1"
    assert loaded.properties.get("theirs", "0") == str(theirs)
    assert loaded.differences == ()
    assert len(files_of(catalog)) == 2 + theirs
    assert catalog.storage.read(altered.metadata_location) == altered.metadata
    assert not metastore.pending()


def test_a_request_that_never_left_is_not_applied(catalog: ViewCatalog, metastore: FaultyMetastore, view: View) -> None:
    metastore.on("swap_row", never_sent)
    with pytest.raises(MetastoreUnavailableError) as failure:
        alter(catalog)
    assert not failure.value.sent
    assert catalog.load_view(NAME).metadata_location == view.metadata_location
    assert len(files_of(catalog)) == 1


@pytest.mark.parametrize("theirs", [1, 3])
def test_a_lost_race_is_run_again_on_the_new_base(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, theirs: int
) -> None:
    metastore.on("swap_row", meanwhile(commits_of(rival, theirs)))
    altered = alter(catalog)
    assert altered.properties["n"] == "1"
    assert altered.properties["theirs"] == str(theirs)
    assert len(files_of(catalog)) == 2 + theirs


def test_a_race_that_is_lost_for_too_long_is_given_up(
    metastore: FaultyMetastore, catalog: ViewCatalog, view: View
) -> None:
    hurried = ViewCatalog(
        metastore,
        catalog.storage,
        warehouse=catalog.warehouse,
        settings=replace(catalog.settings, retry_timeout_s=0.0),
    )
    metastore.on("swap_row", refused)
    with pytest.raises(CommitFailedError):
        alter(hurried)
    assert catalog.load_view(NAME).metadata == view.metadata
    assert len(files_of(catalog)) == 1


UNKNOWN: dict[str, Callable[[ViewCatalog, FaultyMetastore], None]] = {
    "no answer, the base": lambda rival, metastore: metastore.on("swap_row", lost_before),
    "no answer, another's": lambda rival, metastore: metastore.on(
        "swap_row", lambda run: (commits_of(rival, 1)(), lost_before(run))
    ),
    "no answer, the row is gone": lambda rival, metastore: metastore.on(
        "swap_row", lambda run: (rival.drop_view(NAME), lost_before(run))
    ),
    "no answer, the row cannot be read": lambda rival, metastore: (
        metastore.on("swap_row", lost_after),
        metastore.on("load_row", lost_before, after=1, times=1000),
    ),
    "refused, the row cannot be read": lambda rival, metastore: (
        metastore.on("swap_row", refused),
        metastore.on("load_row", never_sent, after=1, times=1000),
    ),
    "refused, the row is gone": lambda rival, metastore: metastore.on(
        "swap_row", lambda run: (rival.drop_view(NAME), refused(run))
    ),
    "refused, its file cannot be read": lambda rival, metastore: metastore.on(
        "swap_row", lambda run: (point_nowhere(rival), run())
    ),
    "no answer, its file cannot be read": lambda rival, metastore: metastore.on(
        "swap_row", lambda run: (run(), point_nowhere(rival), lost_before(run))
    ),
}


def point_nowhere(rival: ViewCatalog) -> None:
    row = rival.metastore.load_row(NAME)
    nowhere = f"{rival.warehouse}/nowhere.metadata.json"
    parameters = {**row.parameters, POINTER: nowhere, "previous_metadata_location": nowhere}
    rival.metastore.swap_row(replace(row, parameters=parameters), expected=None)


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_commit_of_which_nothing_is_certain_is_unknown_and_keeps_its_file(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, case: str
) -> None:
    UNKNOWN[case](rival, metastore)
    with pytest.raises(CommitStateUnknownError) as failure:
        alter(catalog)
    metastore.clear()
    assert failure.value.identifier == str(NAME)
    assert catalog.storage.read(failure.value.metadata_location).properties["n"] == "1"
    assert str(failure.value.metadata_location) in str(failure.value)


def test_a_metastore_that_comes_back_in_time_is_asked_for_the_outcome(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    patient = ViewCatalog(
        metastore,
        catalog.storage,
        warehouse=catalog.warehouse,
        settings=replace(catalog.settings, settle_timeout_s=10.0),
    )
    metastore.on("swap_row", lost_after)
    metastore.on("load_row", never_sent, after=1, times=2)
    assert alter(patient).properties["n"] == "1"
    assert not metastore.pending()


def test_a_view_that_is_dropped_meanwhile_is_missing(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("swap_row", meanwhile(lambda: rival.drop_view(NAME)))
    with pytest.raises(NoSuchViewError):
        alter(catalog)
    assert row_of(catalog, NAME) is None
    # The row may have been renamed with our file, by a call that was repeated on its way.
    assert len(files_of(catalog)) == 2


# -- creating a row ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theirs", [0, 1, 3])
@pytest.mark.parametrize("last", [lost_before, lambda run: run()], ids=["no answer", "repeated"])
def test_a_view_whose_creation_landed_is_created_whatever_was_answered(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, last: Fault, theirs: int
) -> None:
    metastore.on("create_row", then(commits_of(rival, theirs), last))
    created = create(catalog, str(NAME))
    assert rival.load_view(NAME).uuid == created.uuid
    assert len(files_of(catalog)) == 1 + theirs


def test_a_creation_that_never_left_leaves_no_file(catalog: ViewCatalog, metastore: FaultyMetastore) -> None:
    metastore.on("create_row", never_sent)
    with pytest.raises(MetastoreUnavailableError):
        create(catalog, str(NAME))
    assert files_of(catalog) == []


def test_a_creation_without_an_answer_and_a_row_is_unknown(catalog: ViewCatalog, metastore: FaultyMetastore) -> None:
    metastore.on("create_row", lost_before)
    with pytest.raises(CommitStateUnknownError) as failure:
        create(catalog, str(NAME))
    assert len(files_of(catalog)) == 1
    assert catalog.register_view(NAME, failure.value.metadata_location).current_version.version_id == 1


def test_a_view_that_somebody_else_creates_first_is_theirs(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog
) -> None:
    metastore.on("create_row", meanwhile(lambda: create(rival, str(NAME), comment="theirs")))
    with pytest.raises(ViewAlreadyExistsError):
        create(catalog, str(NAME), comment="ours")
    assert catalog.load_view(NAME).comment == "theirs"
    assert len(files_of(catalog)) == 1


def test_if_not_exists_gives_the_view_that_somebody_else_creates_first(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog
) -> None:
    metastore.on("create_row", meanwhile(lambda: create(rival, str(NAME), comment="theirs")))
    assert create(catalog, str(NAME), comment="ours", if_not_exists=True).comment == "theirs"
    assert len(files_of(catalog)) == 1


@pytest.mark.parametrize("parameters", [{}, {"table_type": "ICEBERG", POINTER: "memory://lake/t/v1.metadata.json"}])
def test_a_table_that_somebody_else_creates_first_is_a_table(
    catalog: ViewCatalog, metastore: FaultyMetastore, server: MemoryMetastore, parameters: dict[str, str]
) -> None:
    table = table_row(NAME.namespace, NAME.name, **parameters)
    metastore.on("create_row", meanwhile(lambda: server.create_row(table)))
    with pytest.raises(TableAlreadyExistsError):
        create(catalog, str(NAME))
    assert files_of(catalog) == []


# -- registering, renaming, dropping -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (never_sent, MetastoreUnavailableError),
        (lost_before, CommitStateUnknownError),
        (lost_after, None),
        (repeated, None),
    ],
)
def test_a_registered_file_is_never_deleted(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, fault: Fault, error: type[HiveViewsError] | None
) -> None:
    catalog.drop_view(NAME)
    metastore.on("create_row", fault)
    if error:
        with pytest.raises(error):
            catalog.register_view(NAME, view.metadata_location)
    else:
        assert catalog.register_view(NAME, view.metadata_location).metadata == view.metadata
    assert len(files_of(catalog)) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (never_sent, MetastoreUnavailableError),
        (lost_before, CommitStateUnknownError),
        (refused, CommitFailedError),
        (lost_after, None),
        (repeated, None),
    ],
)
def test_a_file_registered_over_a_view_is_never_deleted(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, fault: Fault, error: type[HiveViewsError] | None
) -> None:
    altered = alter(catalog)
    metastore.on("swap_row", fault)
    if error:
        with pytest.raises(error):
            catalog.register_view(NAME, view.metadata_location, overwrite=True)
        assert catalog.load_view(NAME).metadata == altered.metadata
    else:
        catalog.register_view(NAME, view.metadata_location, overwrite=True)
        assert catalog.load_view(NAME).metadata == view.metadata
    assert len(files_of(catalog)) == 2


RENAMED = TableIdentifier("sales", "renamed")


def commit_to_renamed(rival: ViewCatalog) -> None:
    rival.alter_view(RENAMED, set_properties={"theirs": "1"})


@pytest.mark.parametrize(
    "fault",
    [
        lambda rival: lost_after,
        lambda rival: repeated,
        lambda rival: then(lambda: commit_to_renamed(rival), lost_before),
        lambda rival: then(lambda: commit_to_renamed(rival), lambda run: run()),
    ],
    ids=["no answer", "repeated", "no answer, and another commit", "repeated after another commit"],
)
def test_a_rename_that_landed_is_done_whatever_was_answered(
    catalog: ViewCatalog,
    metastore: FaultyMetastore,
    rival: ViewCatalog,
    view: View,
    fault: Callable[[ViewCatalog], Fault],
) -> None:
    metastore.on("rename_row", fault(rival))
    catalog.rename_view(NAME, RENAMED)
    assert catalog.load_view(RENAMED).history == view.history
    assert row_of(catalog, NAME) is None


def test_a_rename_without_an_answer_is_unknown_while_the_old_name_is_there(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    metastore.on("rename_row", lost_before)
    with pytest.raises(CommitStateUnknownError):
        catalog.rename_view(NAME, RENAMED)
    assert catalog.load_view(NAME).metadata == view.metadata
    assert len(files_of(catalog)) == 1


def test_a_rename_that_lost_a_race_is_run_again(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("rename_row", meanwhile(commits_of(rival, 1)))
    renamed = catalog.rename_view(NAME, RENAMED)
    assert renamed.properties["theirs"] == "1"
    assert catalog.load_view(RENAMED).differences == ()


def test_a_rename_of_a_view_that_is_dropped_meanwhile_is_refused(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("rename_row", meanwhile(lambda: rival.drop_view(NAME)))
    with pytest.raises(NoSuchViewError):
        catalog.rename_view(NAME, RENAMED)


def test_a_name_that_is_taken_meanwhile_is_not_renamed_onto(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("rename_row", meanwhile(lambda: create(rival, str(RENAMED))))
    with pytest.raises(ViewAlreadyExistsError):
        catalog.rename_view(NAME, RENAMED)
    assert catalog.load_view(NAME).metadata == view.metadata
    assert catalog.load_view(RENAMED).uuid != view.uuid


def test_a_drop_that_landed_is_done_although_the_answer_was_lost(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    metastore.on("drop_row", lost_after)
    catalog.drop_view(NAME)
    assert row_of(catalog, NAME) is None


def test_a_drop_without_an_answer_is_unknown_while_the_row_is_there(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    metastore.on("drop_row", lost_before)
    with pytest.raises(CommitStateUnknownError):
        catalog.drop_view(NAME, purge=True)
    assert catalog.load_view(NAME).metadata == view.metadata
    metastore.on("drop_row", never_sent)
    with pytest.raises(MetastoreUnavailableError):
        catalog.drop_view(NAME, purge=True)
    assert len(files_of(catalog)) == 1


def test_a_view_that_somebody_else_drops_first_is_missing(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("drop_row", meanwhile(lambda: rival.drop_view(NAME)))
    with pytest.raises(NoSuchViewError):
        catalog.drop_view(NAME)


# -- partitions --------------------------------------------------------------------------------------------------------


def test_partitions_added_without_an_answer_are_unknown_and_in_the_journal(
    catalog: ViewCatalog, metastore: FaultyMetastore
) -> None:
    create(catalog, str(NAME), partitioned_on=["ds"])
    partitions = catalog.partitions(NAME)
    metastore.on("add_partitions", lost_after, after=1)
    specs = [{"ds": str(number)} for number in range(700)]
    with pytest.raises(CommitStateUnknownError, match="if_not_exists=True") as failure:
        partitions.add(specs)
    assert len(failure.value.added) == 500
    assert len(failure.value.uncertain) == 200
    assert partitions.add(specs, if_not_exists=True) == []
    location = partitions.view.metadata_location
    catalog.drop_view(NAME)
    catalog.register_view(NAME, location)
    assert len(catalog.partitions(NAME).restore()) == 700


def test_partitions_dropped_without_an_answer_are_unknown_and_in_the_journal(
    catalog: ViewCatalog, metastore: FaultyMetastore
) -> None:
    create(catalog, str(NAME), partitioned_on=["ds"])
    partitions = catalog.partitions(NAME)
    specs = [{"ds": str(number)} for number in range(700)]
    partitions.add(specs)
    metastore.on("drop_partitions", lost_after, after=1)
    with pytest.raises(CommitStateUnknownError, match="if_exists=True") as failure:
        partitions.drop(specs)
    assert len(failure.value.dropped) == 500
    assert partitions.drop(specs, if_exists=True) == []
    assert partitions.restore() == []


def test_parameters_set_without_an_answer_are_unknown(catalog: ViewCatalog, metastore: FaultyMetastore) -> None:
    create(catalog, str(NAME), partitioned_on=["ds"])
    partitions = catalog.partitions(NAME)
    partitions.add([{"ds": "a"}])
    metastore.on("alter_partitions", lost_after)
    with pytest.raises(CommitStateUnknownError):
        partitions.set_parameters(["ds=a"], {"k": "v"})


@pytest.mark.parametrize("verb", ["add_partitions", "drop_partitions"])
def test_partitions_of_a_request_that_never_left_are_as_before(
    catalog: ViewCatalog, metastore: FaultyMetastore, verb: str
) -> None:
    create(catalog, str(NAME), partitioned_on=["ds"])
    partitions = catalog.partitions(NAME)
    partitions.add([{"ds": "a"}])
    metastore.on(verb, never_sent)
    with pytest.raises(MetastoreUnavailableError):
        partitions.add([{"ds": "b"}]) if verb == "add_partitions" else partitions.drop([{"ds": "a"}])
    assert partitions.names() == ["ds=a"]
    partitions.drop([{"ds": "a"}])
    assert partitions.restore() == []
