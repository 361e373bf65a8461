"""Thousands of plain views on a real metastore, some of them broken: adopted, named, counted, killed in between.

What lives here: how many calls adopting costs, and what a run leaves that is killed among them. What must not: each
step at which it can be killed (tests/faults), times (tests/benchmarks), engines (interop/).
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hive_views import ViewCatalog, adopt
from hive_views.estate.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.faults.killing import SWAP, killed_at
from tests.faults.wire import WireProxy
from tests.integration.conftest import Run
from tests.plain_rows.broken import BROKEN, sound_row
from tests.plain_rows.compared import assert_adopted

EACH_BROKEN = 20
SOUND = 3_000 - EACH_BROKEN * len(BROKEN)
KILLED_AFTER = 100


@pytest.fixture(scope="module")
def calls() -> list[str]:
    return []


@pytest.fixture(scope="module")
def counted(metastore_uri: str, calls: list[str]) -> Iterator[HiveMetastore]:
    metastore = HiveMetastore(metastore_uri, on_call=calls.append)
    yield metastore
    metastore.close()


@pytest.fixture
def catalog(counted: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(counted, warehouse=f"{tmp_path}/views")


@pytest.fixture
def space(catalog: ViewCatalog, tmp_path: Path) -> str:
    name = f"many_{uuid.uuid4().hex[:12]}"
    catalog.create_namespace(name, location=f"file:{tmp_path}")
    return name


def test_3000_views_are_adopted_or_named_with_three_calls_a_view_though_the_first_run_was_killed(
    catalog: ViewCatalog, space: str, calls: list[str], metastore_uri: str
) -> None:
    broken = {f"{space}.{kind}_{number}": kind for kind in BROKEN for number in range(EACH_BROKEN)}
    sound = {f"{space}.sound_{number:04d}": number for number in range(SOUND)}
    rows = [BROKEN[kind](TableIdentifier.of(name)) for name, kind in broken.items()]
    rows += [sound_row(TableIdentifier.of(name), number) for name, number in sound.items()]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(catalog.metastore.create_row, rows))
    before = {str(row.identifier): row for row in all_rows(catalog, space)}
    assert len(before) == len(broken) + len(sound) == 3_000
    assert catalog.warehouse

    with (
        WireProxy.before_uri(metastore_uri) as proxy,
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


def test_the_commands_adopt_and_release_and_end_with_1_where_a_view_is_broken(
    catalog: ViewCatalog, space: str, run: Run
) -> None:
    for name in ("a", "b"):
        catalog.metastore.create_row(sound_row(TableIdentifier(space, name)))
    catalog.metastore.create_row(BROKEN["text_does_not_parse"](TableIdentifier(space, "broken")))

    planned = run("adopt", "--namespace", space, "--dry-run", "--output", "json")
    assert planned.code == 1
    assert json.loads(planned.out)["counts"] == {"planned": 2, "failed": 1}

    ended = run("adopt", f"{space}.*")
    assert ended.code == 1
    assert "3 views: 2 adopted, 1 failed." in ended.out
    assert f"{space}.broken" in ended.out
    assert run("list", "--managed", f"{space}.*").out.split() == [f"{space}.a", f"{space}.b"]

    assert run("adopt", f"{space}.a", f"{space}.b", "--output", "json").document["counts"] == {"unchanged": 2}
    released = run("release", f"{space}.a", "--output", "json").document
    assert released["counts"] == {"done": 1}
    file = released["views"][0]["metadata_location"]
    assert catalog.storage.read(file).view_uuid
    shown = run("show", f"{space}.a")
    assert shown.code == 3
    assert "hive-views " in shown.err
    assert run("register", f"{space}.a", file, "--overwrite").code == 0
    assert catalog.load_view(f"{space}.a").differences == ()
