"""Processes that write one view as fast as they can, and the history that must come of it."""

from __future__ import annotations

import re
from pathlib import Path

from hive_views.metastore.port import Metastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from tests.support.failing import writer
from tests.support.views.catalog_setup import create

WRITERS = 8
_NUMBER = re.compile(r"/(\d+)-[^/]*$")


def write_at_once(metastore: Metastore, uri: str, name: str, warehouse: Path, *, lock: LockMode, steps: int) -> None:
    """Eight processes count, each in a property of its own; every acknowledged step is in the history exactly once.

    Raises:
        AssertionError: a step is missing, or there twice, or a writer failed.
    """
    catalog = ViewCatalog(metastore, warehouse=str(warehouse), settings=CommitSettings(lock=lock))
    names = [f"writer-{number}" for number in range(WRITERS)]
    view = create(catalog, name, properties=dict.fromkeys(names, "0"))
    processes = [writer.start("increments", uri, name, lock, each, str(steps)) for each in names]
    acknowledged = [process.communicate(timeout=560)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * WRITERS
    assert acknowledged == [[str(step) for step in range(1, steps + 1)]] * WRITERS

    storage = MetadataStorage()
    files = storage.list_metadata_files(view.metadata_location.rsplit("/", 1)[0])
    # A file is numbered one above its base: a number that is there twice was written over a commit.
    numbers = [int(match[1]) for match in map(_NUMBER.search, files) if match]
    assert numbers == list(range(WRITERS * steps + 1))
    before = storage.read(files[0]).properties
    for file in files[1:]:
        after = storage.read(file).properties
        (changed,) = (each for each in names if after[each] != before[each])
        assert int(after[changed]) == int(before[changed]) + 1
        before = after
    current = catalog.load_view(view.identifier)
    assert current.metadata_location == files[-1]
    assert {each: current.properties[each] for each in names} == dict.fromkeys(names, str(steps))
    assert current.differences == ()
