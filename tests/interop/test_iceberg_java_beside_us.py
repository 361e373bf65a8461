"""Iceberg Java and this library write one view at once, as fast as they can: no acknowledged commit is lost."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.commit.engine import CommitSettings
from tests.interop.racing_writers import LOCKS, VERSION_EVERY, Write, java, ours, raced_view
from tests.support.java.iceberg_java import SWAP_ONLY, Iceberg, proves

pytestmark = pytest.mark.peer("iceberg-spark")

STEPS = 40
# Whoever is ahead by so many steps waits, since a commit by Iceberg fails again and again beside one that never rests.
LEAD = 4
_NUMBER = re.compile(r"/(\d+)-[^/]*$")
_STEP = re.compile(r"'(java|ours) (\d+)'")


class _Race:
    """Two writers that stay close to each other."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._done = {"java": 0, "ours": 0}
        self._failure: BaseException | None = None

    def run(self, me: str, write: Write) -> list[int]:
        """Write all steps; the acknowledged ones."""
        other = "ours" if me == "java" else "java"
        try:
            for step in range(1, STEPS + 1):
                with self._moved:
                    free = self._moved.wait_for(
                        lambda: self._failure or self._done[me] - self._done[other] < LEAD, timeout=60
                    )
                    assert free, f"no step by {other} for a minute"
                    if self._failure:
                        raise AssertionError(f"{other} failed: {self._failure!r}") from self._failure
                write(step)
                with self._moved:
                    self._done[me] = step
                    self._moved.notify_all()
        except BaseException as failure:
            with self._moved:
                self._failure = self._failure or failure
                self._moved.notify_all()
            raise
        return list(range(1, self._done[me] + 1))


def _steps(metadata: ViewMetadata) -> dict[str, int]:
    """The steps that were taken last, as a file records them: properties, and the texts of its versions."""
    reported = {name: int(metadata.properties[name]) for name in ("java", "ours")}
    for version in metadata.versions:
        found = _STEP.search(version.representations[0].model_dump()["sql"])
        if found:
            reported[f"version by {found[1]}"] = max(reported.get(f"version by {found[1]}", 0), int(found[2]))
    return reported


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(LOCKS, id="locks", marks=proves("40 commits beside 40 of ours, by its locks", "none lost")),
        pytest.param(
            SWAP_ONLY, id="swaps", marks=proves("40 commits beside 40 of ours, with its locks off", "none lost")
        ),
    ],
)
def test_every_acknowledged_commit_of_both_is_in_the_history_exactly_once(
    metastore_uri: str, namespace: str, tmp_path: Path, iceberg: Iceberg, settings: Mapping[str, str]
) -> None:
    metastore = HiveMetastore(metastore_uri, lock_timeout_s=120.0)
    with ViewCatalog(
        metastore, warehouse=str(tmp_path / "views"), settings=CommitSettings(retry_timeout_s=120.0)
    ) as catalog:
        view = raced_view(catalog, namespace, {"java": "0", "ours": "0"})
        race = _Race()
        with ThreadPoolExecutor(2) as pool:
            theirs = pool.submit(race.run, "java", java(iceberg, view, settings))
            own = pool.submit(race.run, "ours", ours(catalog, view))
            assert theirs.result() == own.result() == list(range(1, STEPS + 1))

        storage = MetadataStorage()
        files = storage.list_metadata_files(view.metadata_location.rsplit("/", 1)[0])
        # A file is numbered one above its base: a number that is there twice was written over a commit.
        assert [int(match[1]) for match in map(_NUMBER.search, files) if match] == list(range(2 * STEPS + 1))
        taken = [_steps(storage.read(file)) for file in files]
        changed = [
            {name: step for name, step in after.items() if step != before.get(name)}
            for before, after in pairwise(taken)
        ]
        for writer in ("java", "ours"):
            names = (writer, f"version by {writer}")
            assert [step for one in changed for name, step in one.items() if name in names] == list(range(1, STEPS + 1))
        assert {len(one) for one in changed} == {1}

        current = catalog.load_view(view.identifier)
        assert current.metadata_location.rsplit("/", 1)[1] == files[-1].rsplit("/", 1)[1]
        versions = {found[0] for version in current.versions if (found := _STEP.search(str(version)))}
        assert len(versions) == len(current.versions) - 1 == 2 * STEPS // VERSION_EVERY
        assert len(current.history) == len(current.versions)
