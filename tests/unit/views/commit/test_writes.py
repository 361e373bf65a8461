"""Every row of the outcome table, for every verb that writes a row: exception, metadata, files, row.

On the in-memory metastore, where each failure happens at the exact call; tests/faults makes them on a real wire.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import pytest

from hive_views import errors
from hive_views.errors import (
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    InvalidSchemaError,
    MetastoreUnavailableError,
    NoSuchTableError,
    NoSuchViewError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
    ViewDriftedError,
)
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Lock
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.row.projection import partitioned_on
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import (
    Fault,
    FaultyMetastore,
    failing_after,
    failing_before,
    lost_after,
    lost_before,
    meanwhile,
    never_sent,
    refused,
    repeated,
    then,
)
from tests.support.views.catalog_setup import SELECT, content_of, create, files_of, row_of, table_row

NAME = TableIdentifier("sales", "daily")


@pytest.fixture
def catalog(metastore: FaultyMetastore) -> ViewCatalog:
    # Calls are counted; whether a row is looked at again must not depend on the speed of a machine.
    settings = CommitSettings(retry_timeout_s=5.0, settle_timeout_s=0.05, look_again_after_s=3600.0)
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
def test_a_lost_race_is_retried_on_the_new_base(
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
def test_a_commit_with_an_uncertain_outcome_is_unknown_and_keeps_its_file(
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


# -- listeners that fail after the change was committed ----------------------------------------------------------------

ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HiveViewsError) and kind is not CommitStateUnknownError
]
every_error = pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)


@every_error
def test_a_commit_that_landed_is_committed_whatever_a_listener_threw(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("swap_row", failing_after(kind("A listener failed.")))
    altered = alter(catalog)
    assert rival.load_view(NAME).metadata == altered.metadata
    assert len(files_of(catalog)) == 2


@every_error
def test_a_creation_that_landed_is_done_whatever_a_listener_threw(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, kind: type[HiveViewsError]
) -> None:
    metastore.on("create_row", failing_after(kind("A listener failed.")))
    created = create(catalog, str(NAME))
    assert rival.load_view(NAME).metadata == created.metadata
    assert len(files_of(catalog)) == 1


@every_error
def test_a_rename_that_landed_is_done_whatever_a_listener_threw(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("rename_row", failing_after(kind("A listener failed.")))
    catalog.rename_view(NAME, RENAMED)
    assert catalog.load_view(RENAMED).metadata == view.metadata
    assert row_of(catalog, NAME) is None


@every_error
def test_after_a_drop_that_landed_the_view_is_gone_whatever_a_listener_threw(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("drop_row", failing_after(kind("A listener failed.")))
    with pytest.raises(NoSuchViewError) if issubclass(kind, NoSuchTableError) else nullcontext():
        catalog.drop_view(NAME)
    assert row_of(catalog, NAME) is None


@every_error
def test_a_commit_that_did_not_land_is_refused_with_what_the_server_said_and_leaves_no_file(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("swap_row", failing_before(kind("The database is full.")), times=1000)
    hurried = replace(catalog.settings, retry_timeout_s=0.0)
    with pytest.raises(kind, match="The database is full"):
        alter(ViewCatalog(metastore, catalog.storage, warehouse=catalog.warehouse, settings=hurried))
    assert catalog.load_view(NAME).metadata == view.metadata
    assert len(files_of(catalog)) == 1


@pytest.mark.parametrize(
    "kind", [kind for kind in ERRORS if kind is not NoSuchTableError], ids=lambda kind: kind.__name__
)
def test_a_landed_commit_is_found_although_reading_it_back_fails_once(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("swap_row", failing_after(HiveViewsError("A listener failed.")))
    metastore.on("load_row", failing_before(kind("The reading failed.")), after=1)
    altered = alter(catalog)
    assert rival.load_view(NAME).metadata == altered.metadata
    assert not metastore.pending()


@every_error
def test_a_landed_commit_that_cannot_be_read_back_is_unknown_for_what_the_server_had_said(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View, kind: type[HiveViewsError]
) -> None:
    metastore.on("swap_row", failing_after(kind("A listener failed.")))
    metastore.on("load_row", failing_before(MetastoreUnavailableError("Nobody there.")), after=1, times=1000)
    with pytest.raises(CommitStateUnknownError, match="A listener failed") as failure:
        alter(catalog)
    metastore.clear()
    assert isinstance(failure.value.__cause__, kind)
    assert rival.load_view(NAME).metadata_location == failure.value.metadata_location
    assert len(files_of(catalog)) == 2


# -- locks after an unknown outcome ------------------------------------------------------------------------------------


def unchecked() -> FaultyMetastore:
    """Hive 3.1: it ignores what a swap expects."""
    metastore = FaultyMetastore(MemoryMetastore(enforces_swap=False, lock_timeout_s=0.05))
    metastore.create_namespace("sales")
    return metastore


@pytest.mark.parametrize("verb", ["swap_row", "rename_row", "drop_row"])
def test_a_late_write_that_nothing_checks_meets_nobody_because_its_lock_stays(verb: str) -> None:
    metastore = unchecked()
    catalog = ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}", settings=CommitSettings())
    create(catalog, str(NAME), properties={"n": "0"})
    late: list[Callable[[], object]] = []

    def delayed(run: Callable[[], object]) -> object:
        late.append(run)
        raise MetastoreUnavailableError("The connection broke.")

    metastore.on(verb, delayed)
    calls = {
        "swap_row": lambda: alter(catalog),
        "rename_row": lambda: catalog.rename_view(NAME, RENAMED),
        "drop_row": lambda: catalog.drop_view(NAME),
    }
    with pytest.raises(CommitStateUnknownError, match=r"hive\.txn\.timeout") as unknown:
        calls[verb]()
    assert unknown.value.lock_left
    for change in (lambda: catalog.alter_view(NAME, comment="next"), lambda: catalog.drop_view(NAME)):
        with pytest.raises(CommitFailedError, match="is locked by"):
            change()
    late.pop()()
    metastore.expire_locks()
    if verb == "drop_row":
        assert not catalog.view_exists(NAME)
    else:
        landed = catalog.alter_view(RENAMED if verb == "rename_row" else NAME, comment="next")
        assert landed.properties["n"] == ("1" if verb == "swap_row" else "0")


def test_a_late_swap_that_the_server_checks_needs_no_lock_to_stay(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    metastore.on("swap_row", lost_before)
    with pytest.raises(CommitStateUnknownError) as unknown:
        alter(catalog)
    assert not unknown.value.lock_left
    assert catalog.alter_view(NAME, comment="next").comment == "next"


def test_every_verb_that_writes_a_row_holds_the_lock_of_every_name_it_touches() -> None:
    held: set[TableIdentifier] = set()
    seen: list[tuple[str, set[TableIdentifier]]] = []
    metastore = FaultyMetastore(MemoryMetastore())
    metastore.create_namespace("sales")

    def tracked(identifier: TableIdentifier) -> Fault:
        def fault(run: Callable[[], Lock]) -> Lock:
            lock = run()
            held.add(identifier)
            return replace(lock, release=lambda: (held.discard(identifier), lock.release())[1])

        return fault

    def noting(verb: str) -> Fault:
        def fault(run: Callable[[], object]) -> object:
            seen.append((verb, set(held)))
            return run()

        return fault

    def made(call: Callable[[], object], verb: str, *names: TableIdentifier) -> None:
        for name in sorted(names):
            metastore.on("lock", tracked(name))
        metastore.on(verb, noting(verb))
        call()
        assert seen.pop() == (verb, set(names))
        assert not held
        assert not metastore.pending()

    catalog = ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}")
    made(lambda: create(catalog, str(NAME)), "create_row", NAME)
    made(lambda: alter(catalog), "swap_row", NAME)
    made(lambda: catalog.rename_view(NAME, RENAMED), "rename_row", NAME, RENAMED)
    location = catalog.load_view(RENAMED).metadata_location
    made(lambda: catalog.register_view(NAME, location), "create_row", NAME)
    made(lambda: catalog.register_view(NAME, location, overwrite=True), "swap_row", NAME)
    made(lambda: catalog.drop_view(NAME), "drop_row", NAME)


# -- the view that a change was for ------------------------------------------------------------------------------------


def test_a_change_is_not_made_to_another_view_that_got_the_name_after_a_lost_race(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    def recreated() -> None:
        rival.drop_view(NAME)
        create(rival, str(NAME), comment="another")

    for verb in ("swap_row", "rename_row"):
        metastore.on(verb, meanwhile(recreated))
        with pytest.raises(NoSuchViewError, match="dropped or renamed"):
            alter(catalog) if verb == "swap_row" else catalog.rename_view(NAME, RENAMED)
        assert "n" not in catalog.load_view(NAME).properties
        assert catalog.load_view(NAME).comment == "another"


def test_a_row_that_an_engine_alters_while_a_slow_storage_is_written_is_not_overwritten(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    """Spark's ALTER VIEW leaves the pointer alone, so that no swap sees it."""
    theirs = "SELECT 1 AS `user_id`, 2 AS `clicks`, 'x' AS `ds`"

    def alter_view_as() -> None:
        row = metastore.load_row(NAME)
        metastore.swap_row(replace(row, original_text=theirs, expanded_text=theirs), expected=None)

    slow = replace(catalog.settings, look_again_after_s=0.0)
    behind = ViewCatalog(metastore, catalog.storage, warehouse=catalog.warehouse, settings=slow)
    metastore.on("load_row", meanwhile(alter_view_as), after=1)
    with pytest.raises(ViewDriftedError):
        alter(behind)
    assert metastore.load_row(NAME).expanded_text == theirs
    assert len(files_of(catalog)) == 1


def test_a_partition_that_comes_between_the_look_for_partitions_and_the_swap_is_kept_and_the_keys_are_too(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog
) -> None:
    view = create(catalog, str(NAME), partitioned_on=["ds"])
    metastore.on("swap_row", meanwhile(lambda: rival.partitions(NAME).add([{"ds": "2026-08-21"}])))
    with pytest.raises(InvalidSchemaError, match="10217"):
        catalog.replace_view(NAME, sql=dict.fromkeys(view.dialects, SELECT), partitioned_on=["clicks", "ds"])
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21"]
    loaded = catalog.load_view(NAME)
    assert (loaded.partitioned_on, loaded.differences) == (("ds",), ())
    catalog.drop_view(NAME)


@pytest.fixture
def orphaning(catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog) -> Callable[[], View]:
    """A change of the partition columns, before the swap of which somebody adds a partition."""
    view = create(catalog, str(NAME), partitioned_on=["ds"])
    metastore.on("swap_row", meanwhile(lambda: rival.partitions(NAME).add([{"ds": "2026-08-21"}])))
    return lambda: catalog.replace_view(NAME, sql=dict.fromkeys(view.dialects, SELECT), partitioned_on=["clicks", "ds"])


def test_a_change_of_keys_is_taken_back_beneath_the_property_that_an_engine_set_after_it(
    catalog: ViewCatalog, metastore: FaultyMetastore, orphaning: Callable[[], View]
) -> None:
    def set_property() -> None:
        row = metastore.load_row(NAME)
        metastore.swap_row(replace(row, parameters={**row.parameters, "theirs": "1"}), expected=None)

    metastore.on("partition_names", meanwhile(set_property), after=1)
    with pytest.raises(InvalidSchemaError, match="10217"):
        orphaning()
    assert not metastore.pending()
    loaded = catalog.load_view(NAME)
    assert (loaded.partitioned_on, loaded.differences) == (("ds",), ())
    assert loaded.row.parameters["theirs"] == "1"
    assert catalog.partitions(NAME).orphans() == []


def alters_the_text(metastore: FaultyMetastore, rival: ViewCatalog) -> None:
    theirs = "SELECT 1 AS `user_id`, 2 AS `clicks`, 'x' AS `ds`"
    metastore.swap_row(replace(metastore.load_row(NAME), expanded_text=theirs), expected=None)


def alters_a_property_of_the_view(metastore: FaultyMetastore, rival: ViewCatalog) -> None:
    row = metastore.load_row(NAME)
    metastore.swap_row(replace(row, parameters={**row.parameters, "comment": "theirs"}), expected=None)


def commits(metastore: FaultyMetastore, rival: ViewCatalog) -> None:
    commits_of(rival, 1)()


@pytest.mark.parametrize("act", [alters_the_text, alters_a_property_of_the_view, commits])
def test_a_change_of_keys_that_cannot_be_taken_back_names_the_partitions_and_is_not_run_again(
    catalog: ViewCatalog,
    metastore: FaultyMetastore,
    rival: ViewCatalog,
    orphaning: Callable[[], View],
    act: Callable[[FaultyMetastore, ViewCatalog], None],
) -> None:
    rows: list[Row] = []

    def meddle() -> None:
        act(metastore, rival)
        rows.append(metastore.load_row(NAME))

    metastore.on("partition_names", meanwhile(meddle), after=1)
    with pytest.raises(CommitStateUnknownError, match=r"10217.* not be reverted: Another writer") as failure:
        orphaning()
    assert not metastore.pending()
    assert failure.value.uncertain == ["ds=2026-08-21"]
    assert rows == [metastore.load_row(NAME)]
    assert partitioned_on(catalog.storage.read(str(failure.value.metadata_location))) == ("clicks", "ds")
    assert catalog.partitions(NAME).orphans() == ["ds=2026-08-21"]


@pytest.mark.parametrize("unreachable", ["swap_row", "load_row"])
def test_a_change_of_keys_that_is_not_taken_back_since_a_call_fails_names_the_partitions(
    catalog: ViewCatalog, metastore: FaultyMetastore, orphaning: Callable[[], View], unreachable: str
) -> None:
    metastore.on(unreachable, never_sent, after=0 if unreachable == "swap_row" else 1)
    with pytest.raises(CommitStateUnknownError, match="10217") as failure:
        orphaning()
    assert not metastore.pending()
    assert failure.value.uncertain == ["ds=2026-08-21"]
    files = [file for file in files_of(catalog) if file.endswith(".metadata.json")]
    assert len(files) == 2, "the first, and that of the change"


def test_a_commit_after_the_last_look_is_not_taken_for_a_change_to_run_again(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, orphaning: Callable[[], View]
) -> None:
    metastore.on("swap_row", meanwhile(commits_of(rival, 1)))
    with pytest.raises(CommitStateUnknownError) as failure:
        orphaning()
    assert failure.value.uncertain == ["ds=2026-08-21"]
    assert rival.load_view(NAME).properties["theirs"] == "1"


def test_a_change_of_keys_is_committed_where_nobody_knows_whether_a_partition_came_meanwhile(
    catalog: ViewCatalog, metastore: FaultyMetastore
) -> None:
    """An error would say that it was not."""
    view = create(catalog, str(NAME), partitioned_on=["ds"])
    metastore.on("partition_names", never_sent, after=1)
    catalog.replace_view(NAME, sql=dict.fromkeys(view.dialects, SELECT), partitioned_on=["clicks", "ds"])
    assert not metastore.pending()
    assert catalog.load_view(NAME).partitioned_on == ("clicks", "ds")


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
def test_a_registered_file_is_never_deleted_and_its_copy_where_nothing_can_point_to_it(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View, fault: Fault, error: type[HiveViewsError] | None
) -> None:
    catalog.drop_view(NAME)
    metastore.on("create_row", fault)
    if error:
        with pytest.raises(error):
            catalog.register_view(NAME, view.metadata_location)
    else:
        assert content_of(catalog.register_view(NAME, view.metadata_location)) == content_of(view)
    assert len(files_of(catalog)) == (1 if fault is never_sent else 2)
    assert catalog.storage.read(view.metadata_location, cached=False) == view.metadata


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
def test_a_file_registered_over_a_view_is_never_deleted_and_its_copy_where_nothing_can_point_to_it(
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
        assert content_of(catalog.load_view(NAME)) == content_of(view)
    assert len(files_of(catalog)) == (2 if fault in (never_sent, refused) else 3)
    assert catalog.storage.read(view.metadata_location, cached=False) == view.metadata


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
        catalog.drop_view(NAME)
    assert catalog.load_view(NAME).metadata == view.metadata


def test_a_purge_of_which_nothing_is_known_names_the_view_that_it_may_have_left(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    late: list[Callable[[], object]] = []

    def delayed(run: Callable[[], object]) -> object:
        late.append(run)
        raise MetastoreUnavailableError("The connection broke.")

    metastore.on("rename_row", delayed)
    with pytest.raises(CommitStateUnknownError) as failure:
        catalog.drop_view(NAME, purge=True)
    late.pop()()
    assert failure.value.renamed_to in str(failure.value)
    assert catalog.load_view(failure.value.renamed_to).metadata == view.metadata


def test_a_drop_that_never_left_has_dropped_nothing(
    catalog: ViewCatalog, metastore: FaultyMetastore, view: View
) -> None:
    metastore.on("drop_row", never_sent)
    with pytest.raises(MetastoreUnavailableError):
        catalog.drop_view(NAME)
    assert catalog.load_view(NAME).metadata == view.metadata


def test_a_view_that_somebody_else_drops_first_is_missing(
    catalog: ViewCatalog, metastore: FaultyMetastore, rival: ViewCatalog, view: View
) -> None:
    metastore.on("drop_row", meanwhile(lambda: rival.drop_view(NAME)))
    with pytest.raises(NoSuchViewError):
        catalog.drop_view(NAME)
