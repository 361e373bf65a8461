"""Adopting many views is killed with ``kill -9`` at each of its steps, and the next run ends as if nothing had been.

What lives here: the steps, and what must be left. What must not: the kill (killing.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views import ViewCatalog, adopt
from hive_views.estate.outcomes import State
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.commit import CommitSettings
from tests.faults.killing import SWAP, killed_at
from tests.faults.wire import WireProxy
from tests.plain_rows.broken import sound_row
from tests.plain_rows.compared import assert_adopted

NAMES = ("a", "b", "c")

# By the step, of the second view, at which it is killed: whether the request that is on its way arrives all the same,
# which views are adopted then, and how many files there are when the next run has ended.
STEPS: dict[str, tuple[str, bool, set[str], int]] = {
    "it has written the file, and its swap is lost": ("before", False, {"a"}, 4),
    "it has written the file, and its swap arrives": ("before", True, {"a", "b"}, 3),
    "it has swapped and not heard of it": ("after", True, {"a", "b"}, 3),
}


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="never"))


@pytest.mark.parametrize("step", STEPS)
def test_the_next_run_finishes_what_a_killed_one_began(
    metastore_uri: str, catalog: ViewCatalog, namespace: str, tmp_path: Path, step: str
) -> None:
    point, arrives, adopted, files = STEPS[step]
    before = {}
    for name in NAMES:
        catalog.metastore.create_row(sound_row(TableIdentifier(namespace, name)))
        before[name] = catalog.metastore.load_row(TableIdentifier(namespace, name))
    with (
        WireProxy.before_uri(metastore_uri) as proxy,
        killed_at(
            proxy,
            point,
            SWAP,
            f"{namespace}.*",
            arrives=arrives,
            change="adopts",
            lock="never",
            name=str(tmp_path / "views"),
            # The first is the proof that the server checks a swap, the second that of the first view.
            calls_before=2,
        ),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived

    outcomes = {one.view.partition(".")[2]: one.state for one in adopt(catalog, f"{namespace}.*")}
    assert outcomes == {name: State.UNCHANGED if name in adopted else State.DONE for name in NAMES}
    for name in NAMES:
        view = catalog.load_view(f"{namespace}.{name}")
        assert view.differences == ()
        assert len(view.history) == 1
        assert_adopted(before[name], view.row)
    assert len([path for path in (tmp_path / "views").rglob("*") if path.is_file()]) == files
