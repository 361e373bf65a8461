"""Eight processes that write as fast as they can: every acknowledged commit is in the history exactly once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive_views.catalog import ViewCatalog
from hive_views.commit import CommitSettings
from hive_views.metastore.hms import HiveMetastore
from hive_views.storage import MetadataStorage
from tests.contract.catalog_setup import create
from tests.faults import writer

WRITERS, STEPS = 8, 50
_NUMBER = re.compile(r"/(\d+)-[^/]*$")


@pytest.mark.parametrize("lock", ["auto", "never"])
def test_every_acknowledged_commit_is_in_the_history_exactly_once(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path, lock: str
) -> None:
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="never"))
    names = [f"writer-{number}" for number in range(WRITERS)]
    view = create(catalog, f"{namespace}.counted", properties=dict.fromkeys(names, "0"))
    processes = [
        writer.start("increments", metastore_uri, f"{namespace}.counted", lock, name, str(STEPS)) for name in names
    ]
    acknowledged = [process.communicate(timeout=200)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * WRITERS
    assert acknowledged == [[str(step) for step in range(1, STEPS + 1)]] * WRITERS

    storage = MetadataStorage()
    files = storage.list_metadata_files(view.metadata_location.rsplit("/", 1)[0])
    # A file is numbered one above its base: a number that is there twice was written over a commit.
    numbers = [int(match[1]) for match in map(_NUMBER.search, files) if match]
    assert numbers == list(range(WRITERS * STEPS + 1))
    before = storage.read(files[0]).properties
    for file in files[1:]:
        after = storage.read(file).properties
        (changed,) = (name for name in names if after[name] != before[name])
        assert int(after[changed]) == int(before[changed]) + 1
        before = after
    current = catalog.load_view(view.identifier)
    assert current.metadata_location == files[-1]
    assert {name: current.properties[name] for name in names} == dict.fromkeys(names, str(STEPS))
    assert current.differences == ()
