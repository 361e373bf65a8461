"""Thousands of plain views, some of them broken, that a run adopts in part before it is killed and another ends."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hive_views.estate.adopting import adopt
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.wire import WireProxy
from tests.support.plain_rows.broken import BROKEN, sound_row
from tests.support.plain_rows.compared import assert_adopted

KILLED_AFTER = 100


def adopt_all_though_killed(
    catalog: ViewCatalog, calls: list[str], uri: str, space: str, *, views: int, each_broken: int
) -> None:
    """All sound views are adopted, all broken ones named, at three calls a view, and a third run changes nothing.

    Args:
        catalog: on the metastore at ``uri``; it counts its calls in ``calls``.
        calls: of the catalog's client.
        uri: of the metastore, for the run that is killed.
        space: an empty namespace.
        views: how many there are.
        each_broken: how many of these are broken in each way.
    """
    broken = {f"{space}.{kind}_{number}": kind for kind in BROKEN for number in range(each_broken)}
    sound = {f"{space}.sound_{number:04d}": number for number in range(views - each_broken * len(BROKEN))}
    rows = [BROKEN[kind](TableIdentifier.of(name)) for name, kind in broken.items()]
    rows += [sound_row(TableIdentifier.of(name), number) for name, number in sound.items()]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(catalog.metastore.create_row, rows))
    before = {str(row.identifier): row for row in all_rows(catalog, space)}
    assert len(before) == len(broken) + len(sound) == views
    assert catalog.warehouse

    with (
        WireProxy.before_uri(uri) as proxy,
        killed_at(
            proxy,
            "after",
            SWAP,
            f"{space}.*",
            arrives=True,
            change="adopts",
            name=catalog.warehouse,
            # One of them is the proof that the server checks a swap.
            calls_before=KILLED_AFTER,
        ),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived
    calls.clear()
    outcomes = adopt(catalog, f"{space}.*")
    made = Counter(calls)

    assert {one.view for one in outcomes.of(State.FAILED)} == broken.keys()
    assert all("broken" in one.reason for one in outcomes.of(State.FAILED))
    assert len(outcomes.of(State.UNCHANGED)) == KILLED_AFTER
    assert {one.view for one in outcomes if one.state in (State.DONE, State.UNCHANGED)} == sound.keys()
    assert made.total() <= 3 * len(outcomes.of(State.DONE)), made
    assert len(files_below(catalog)) == len(sound)
    for row in all_rows(catalog, space):
        if str(row.identifier) in sound:
            assert_adopted(before[str(row.identifier)], row)
        else:
            assert row == before[str(row.identifier)]

    again = adopt(catalog, f"{space}.*")
    assert {one.view for one in again.of(State.UNCHANGED)} == sound.keys()
    assert {one.view for one in again.of(State.FAILED)} == broken.keys()


def all_rows(catalog: ViewCatalog, space: str) -> list[Row]:
    names = catalog.metastore.list_view_names(space)
    batches = (names[start : start + 100] for start in range(0, len(names), 100))
    return [row for batch in batches for row in catalog.metastore.load_rows(space, batch)]


def files_below(catalog: ViewCatalog) -> list[Path]:
    assert catalog.warehouse
    return [path for path in Path(catalog.warehouse.removeprefix("file://")).rglob("*") if path.is_file()]
