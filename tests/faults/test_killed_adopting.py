"""Adopting many views is killed with ``kill -9`` at each of its steps, and the next run ends as if nothing had been."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing import writer
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.plain_rows.broken import sound_row
from tests.support.plain_rows.compared import assert_adopted

NAMES = ("a", "b", "c")

# By the step, of the second view, at which it is killed: whether the request that is on its way arrives all the same,
# which views are adopted then, and how many files there are when the next run has ended.
STEPS: dict[str, tuple[str, bool, set[str], int]] = {
    "it has written the file, and its swap is lost": ("before", False, {"a"}, 4),
    "it has written the file, and its swap arrives": ("before", True, {"a", "b"}, 3),
    "it has swapped and not heard of it": ("after", True, {"a", "b"}, 3),
}
LOCKS = {
    "it has written the file, and its swap is lost": ("auto", "always", "never"),
    "it has written the file, and its swap arrives": ("auto",),
    "it has swapped and not heard of it": ("always",),
}


@pytest.fixture
def before(catalog: ViewCatalog, namespace: str) -> dict[str, Row]:
    """The rows of three plain views."""
    for name in NAMES:
        catalog.metastore.create_row(sound_row(TableIdentifier(namespace, name)))
    return {name: catalog.metastore.load_row(TableIdentifier(namespace, name)) for name in NAMES}


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    """The next one, who takes no locks, so that it does not wait for the lock of a dead one."""
    return ViewCatalog(hms, warehouse=f"halving://{tmp_path}/views", settings=CommitSettings(lock="never"))


@pytest.mark.parametrize(("step", "lock"), [(step, lock) for step, locks in LOCKS.items() for lock in locks])
def test_the_next_run_finishes_what_a_killed_one_began(
    metastore_uri: str,
    catalog: ViewCatalog,
    namespace: str,
    tmp_path: Path,
    before: dict[str, Row],
    step: str,
    lock: str,
) -> None:
    point, arrives, adopted, files = STEPS[step]
    assert catalog.warehouse
    with (
        WireProxy.before_uri(metastore_uri) as proxy,
        killed_at(
            proxy,
            point,
            SWAP,
            f"{namespace}.*",
            arrives=arrives,
            change="adopts",
            lock=lock,
            name=catalog.warehouse,
            # That of the first view, and before it the proof that the server checks a swap.
            calls_before=1 if lock == "always" else 2,
        ),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived
    assert_finished(catalog, namespace, before, adopted)
    assert len(files_below(tmp_path)) == files


def test_a_run_killed_while_it_writes_leaves_half_a_file_that_nobody_reads(
    metastore_uri: str, catalog: ViewCatalog, namespace: str, tmp_path: Path, before: dict[str, Row]
) -> None:
    assert catalog.warehouse
    process = writer.start("adopts-half", metastore_uri, f"{namespace}.*", "auto", catalog.warehouse, "1")
    assert process.stdout
    assert process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    process.stdout.close()
    (half,) = files_below(tmp_path)
    assert_finished(catalog, namespace, before, set())
    assert half in files_below(tmp_path)
    assert len(files_below(tmp_path)) == len(NAMES) + 1


def assert_finished(catalog: ViewCatalog, namespace: str, before: dict[str, Row], adopted: set[str]) -> None:
    """The next run adopts what was not, and all are as if no run had been killed."""
    outcomes = {one.view.partition(".")[2]: one.state for one in adopt(catalog, f"{namespace}.*")}
    assert outcomes == {name: State.UNCHANGED if name in adopted else State.DONE for name in NAMES}
    for name in NAMES:
        view = catalog.load_view(f"{namespace}.{name}")
        assert view.differences == ()
        assert len(view.history) == 1
        assert_adopted(before[name], view.row)


def files_below(directory: Path) -> list[Path]:
    return [path for path in (directory / "views").rglob("*") if path.is_file()]
