"""Changing the columns of a view with 10,000 partitions, where one alter fails inside the metastore (Hive 3 and 4)."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import HiveViewsError, UnsupportedFeatureError, ViewDriftedError
from hive_views.metastore.thrift._bindings.hms.ttypes import UnlockRequest
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.view import View
from tests.servers.conftest import checks_swaps, new_namespace
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.wire import WireProxy

PARTITIONS = 3_000
KEY = ("ds", "string", "day")
START = [("user_id", "bigint"), ("clicks", "bigint", "how often"), ("page", "string"), KEY]

CHANGES: dict[str, list[tuple[str, ...]]] = {
    "type": [("user_id", "bigint"), ("clicks", "decimal(20,2)", "how often"), ("page", "string"), KEY],
    "comment": [("user_id", "bigint", "who"), ("clicks", "bigint", "how often"), ("page", "string"), KEY],
    "order": [("page", "string"), ("clicks", "bigint", "how often"), ("user_id", "bigint"), KEY],
    "new first column": [("country", "string"), *START],
    "dropped column": [("user_id", "bigint"), ("page", "string"), KEY],
    "new last column": [*START[:-1], ("country", "string"), KEY],
}


def texts(columns: list[tuple[str, ...]], where: str = "") -> dict[str, str]:
    names = ", ".join(name for name, *_ in columns)
    return {"hive": f"SELECT {names} FROM web.clicks{where}", "trino": f"SELECT {names} FROM web.clicks{where}"}


@dataclass
class Large:
    """A view with many partitions, and what its partitions were when they were added."""

    server: MetastoreServer
    identifier: TableIdentifier
    directory: Path
    partitions: dict[tuple[str, ...], tuple[Any, int]]

    @property
    def lock(self) -> LockMode:
        """The weakest protection that this server allows."""
        return "never" if checks_swaps(self.server) else "auto"

    @contextmanager
    def catalog(
        self, uri: str | None = None, lock: LockMode | None = None, calls: list[str] | None = None
    ) -> Iterator[ViewCatalog]:
        """A catalog with connections of its own, that knows no file yet, and what the server can do.

        ``calls`` are those that come after.
        """
        calls = [] if calls is None else calls
        with closing(HiveMetastore(uri or self.server.uri, on_call=calls.append)) as metastore:
            if self.partitions:
                metastore.enforces_swap(self.identifier)
            calls.clear()
            settings = CommitSettings(lock=lock or self.lock, mend_lock_timeout_s=0.5)
            yield ViewCatalog(metastore, MetadataStorage(), warehouse=str(self.directory), settings=settings)

    def columns_of(self, view: View) -> list[tuple[str, str, str | None]]:
        return [(column.name, column.type, column.comment) for column in view.columns]

    def found(self) -> dict[tuple[str, ...], tuple[Any, int]]:
        """Values -> parameters, times of creation."""
        client = self.server.client
        names = client.partition_names(self.identifier)
        batches = [names[start : start + 1000] for start in range(0, len(names), 1000)]
        loaded = [found for batch in batches for found in client.load_partitions(self.identifier, batch)]
        return {found.values: (dict(found.parameters), found.create_time_s) for found in loaded}


@pytest.fixture(scope="module", params=["3.1.3", "4.2.1"])
def large(
    request: pytest.FixtureRequest, metastore_servers: MetastoreServers, tmp_path_factory: pytest.TempPathFactory
) -> Large:
    server = metastore_servers.shared(request.param, "postgres")
    directory = tmp_path_factory.mktemp("views")
    identifier = TableIdentifier(new_namespace(server), "large")
    made = Large(server, identifier, directory, {})
    with made.catalog() as catalog:
        catalog.create_view(str(identifier), sql=texts(START), schema=START, partitioned_on=["ds"])
        specs = ({"ds": f"day {number:05d}"} for number in range(PARTITIONS))
        catalog.partitions(identifier).add(specs, parameters=lambda name: {"note": name})
    made.partitions = made.found()
    assert len(made.partitions) == PARTITIONS
    return made


@pytest.fixture
def view(large: Large) -> Iterator[View]:
    """The view as it was made; whatever a test leaves, its partitions are the same."""
    with large.catalog() as catalog:
        yield catalog.replace_view(large.identifier, sql=texts(START, " WHERE start"), schema=START)


class Reader:
    """Somebody who loads the view again and again while it is changed."""

    def __init__(self, large: Large) -> None:
        self._large = large
        self._end = threading.Event()
        self._failures: list[BaseException] = []
        self.views: list[View] = []

    def __enter__(self) -> Reader:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        assert not self._failures, self._failures

    def wait(self) -> None:
        """Return when it has read once more."""
        views = len(self.views)
        deadline = time.monotonic() + 30
        while len(self.views) == views and not self._failures:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def _run(self) -> None:
        try:
            with self._large.catalog() as catalog:
                while not self._end.wait(0.005):
                    self.views.append(catalog.load_view(self._large.identifier))
        except BaseException as error:  # noqa: BLE001 - raised by __exit__
            self._failures.append(error)


@pytest.mark.parametrize("change", CHANGES)
def test_columns_change_in_one_or_two_swaps_partitions_stay_and_no_reader_sees_a_wrong_view(
    large: Large, view: View, change: str
) -> None:
    columns, calls = CHANGES[change], list[str]()
    with Reader(large) as reader, large.catalog(calls=calls) as catalog:
        written = catalog.replace_view(large.identifier, sql=texts(columns), schema=columns)
        reader.wait()
    expected = [tuple(column) if len(column) == 3 else (*column, None) for column in columns]
    assert large.columns_of(written) == expected
    assert written.differences == ()
    swaps = calls.count(SWAP)
    in_one_call = change == "new last column" and large.server.version != "3.1.3"
    assert swaps == 1 if in_one_call else swaps >= 3, "one, or one that fails and two that do it"
    with large.catalog() as newcomer:
        loaded = newcomer.load_view(large.identifier)
        assert (loaded.metadata, loaded.differences) == (written.metadata, ())
        assert PENDING_KEYS not in loaded.row.parameters
        assert [key.name for key in loaded.row.partition_keys] == ["ds"]
    assert large.found() == large.partitions

    before = large.columns_of(view)
    for seen in reader.views:
        assert large.columns_of(seen) in (before, expected)
        assert seen.partitioned_on == ("ds",)
        assert seen.current_version in (view.current_version, written.current_version)


def test_what_a_writer_killed_between_the_two_swaps_began_is_undone_by_the_next_load(large: Large, view: View) -> None:
    with (
        WireProxy.before_uri(large.server.uri) as proxy,
        killed_at(
            proxy,
            "before",
            SWAP,
            view,
            arrives=False,
            change="widens",
            lock=large.lock,
            calls_before=2 if large.lock == "auto" else 3,
        ),
    ):
        pass
    row = large.server.client.load_row(large.identifier)
    assert row.partition_keys == ()
    assert PENDING_KEYS in row.parameters
    with large.catalog() as catalog:
        if large.lock == "auto":
            # The dead one's lock is in the way until the server takes it back; a reader does not wait for it.
            loaded = catalog.load_view(large.identifier)
            assert [(found.kind, found.what) for found in loaded.differences] == [("needs repair", "partition keys")]
            assert large.columns_of(loaded) == large.columns_of(view)
            take_back_locks(large)
        loaded = catalog.load_view(large.identifier)
        assert loaded.differences == ()
        assert loaded.current_version == view.current_version
        row = large.server.client.load_row(large.identifier)
        assert [key.name for key in row.partition_keys] == ["ds"]
        assert PENDING_KEYS not in row.parameters
        written = catalog.replace_view(large.identifier, sql=texts(CHANGES["order"]), schema=CHANGES["order"])
        assert catalog.load_view(large.identifier).metadata == written.metadata
    assert large.found() == large.partitions


def take_back_locks(large: Large) -> None:
    """What the server does itself after its time-out."""
    client = large.server.client
    for lock in client._locks._show(large.identifier):
        client._pool.call(Call("unlock", str(large.identifier)), UnlockRequest(lockid=lock.lockid))


@contextmanager
def meanwhile(large: Large, act: Callable[[], object], lock: LockMode) -> Iterator[ViewCatalog]:
    """A catalog; after the first of the two swaps of its next change of columns somebody acts."""
    with WireProxy.before_uri(large.server.uri) as proxy, large.catalog(proxy.uri, lock) as catalog:
        proxy.after(SWAP, lambda: None)  # the one that fails
        proxy.after(SWAP, act)
        yield catalog


def check_both_are_in(large: Large, written: View, comment: str) -> None:
    with large.catalog() as newcomer:
        loaded = newcomer.load_view(large.identifier)
    assert loaded.differences == ()
    assert loaded.comment == comment
    assert loaded.current_version.version_id >= written.current_version.version_id
    assert [name for name, *_ in large.columns_of(loaded)] == [name for name, *_ in CHANGES["new first column"]]
    assert PENDING_KEYS not in loaded.row.parameters
    assert large.found() == large.partitions


def widen(catalog: ViewCatalog, large: Large) -> View:
    columns = CHANGES["new first column"]
    return catalog.replace_view(large.identifier, sql=texts(columns), schema=columns)


def test_a_third_writer_that_only_swaps_between_the_two_loses_nothing_or_is_refused(large: Large, view: View) -> None:
    refusals: list[HiveViewsError] = []
    with large.catalog(lock="never") as third:

        def write() -> None:
            try:
                third.alter_view(large.identifier, comment="swapped between")
            except UnsupportedFeatureError as refusal:
                refusals.append(refusal)

        with meanwhile(large, write, large.lock) as catalog:
            written = widen(catalog, large)
        if not checks_swaps(large.server):
            assert ["Use lock='auto'" in str(refusal) for refusal in refusals] == [True]
            with large.catalog(lock="auto") as locking:
                locking.alter_view(large.identifier, comment="swapped between")
        else:
            assert refusals == []
    check_both_are_in(large, written, "swapped between")


def test_a_third_writer_that_locks_waits_until_both_swaps_are_done(large: Large, view: View) -> None:
    waiting: list[threading.Thread] = []
    with large.catalog(lock="auto") as third:

        def write() -> None:
            thread = threading.Thread(
                target=third.alter_view, args=(large.identifier,), kwargs={"comment": "locked between"}
            )
            thread.start()
            waiting.append(thread)

        with meanwhile(large, write, "auto") as catalog:
            written = widen(catalog, large)
        waiting[0].join(60)
    check_both_are_in(large, written, "locked between")


def test_a_property_that_an_engine_sets_between_the_two_swaps_is_kept(large: Large, view: View) -> None:
    """Spark's ALTER VIEW SET TBLPROPERTIES neither locks nor swaps, and leaves the pointer alone."""
    client, mark = large.server.client, uuid.uuid4().hex

    def alter() -> None:
        row = client.load_row(large.identifier)
        client.swap_row(replace(row, parameters={**row.parameters, "set-by-engine": mark}), expected=None)

    with meanwhile(large, alter, large.lock) as catalog:
        written = widen(catalog, large)
    assert client.load_row(large.identifier).parameters["set-by-engine"] == mark
    check_both_are_in(large, written, written.comment or "")


def test_a_text_that_an_engine_sets_between_the_two_swaps_is_a_clear_error_and_kept(large: Large, view: View) -> None:
    client = large.server.client
    theirs = "SELECT `c`.`user_id`, `c`.`clicks`, `c`.`page`, `c`.`ds` FROM `web`.`theirs` `c`"

    def alter() -> None:
        row = client.load_row(large.identifier)
        client.swap_row(replace(row, original_text=theirs, expanded_text=theirs), expected=None)

    with meanwhile(large, alter, large.lock) as catalog:
        with pytest.raises(ViewDriftedError):
            widen(catalog, large)
        loaded = catalog.load_view(large.identifier)
        assert {found.kind for found in loaded.differences} == {"drifted"}
        row = client.load_row(large.identifier)
        assert row.expanded_text == theirs
        assert [key.name for key in row.partition_keys] == ["ds"]
        assert PENDING_KEYS not in row.parameters
        catalog.replace_view(large.identifier, sql=texts(START, " WHERE after"), schema=START, on_drift="overwrite")
        assert catalog.load_view(large.identifier).differences == ()
    assert large.found() == large.partitions
