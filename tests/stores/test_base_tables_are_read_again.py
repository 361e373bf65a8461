"""Base tables on an object store of which this process has listed everything: what is written since is seen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.opening import open_base_table
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from tests.stores.tables_of_each_format import delta, iceberg, paimon
from tests.support.processes.s3_server import S3Server
from tests.support.tables.writable import WritableTableWithHistory


# The writer of Paimon tables does not go together with the newest clients of object stores.
@pytest.mark.parametrize("written", [delta, iceberg, pytest.param(paimon, marks=pytest.mark.pinned)])
def test_a_commit_by_another_process_is_seen_whatever_was_listed_before(
    s3: S3Server,
    lake: str,
    user_fs: Any,
    tmp_path: Path,
    written: Callable[[Path], tuple[WritableTableWithHistory, Path]],
) -> None:
    table, directory = written(tmp_path)
    location = f"{lake}/{written.__name__}"

    def publish() -> None:
        program = f"import s3fs; s3fs.S3FileSystem(**{s3.options!r}).put('{directory}/', '{location}/', recursive=True)"
        subprocess.run([sys.executable, "-c", program], check=True, timeout=120)

    def days(reader: Any) -> set[tuple[str | None, ...]]:
        return set(reader.list_partitions().values)

    table.append(("2026-08-21",))
    publish()
    listed = {path: user_fs.ls(path) for path in {one.rpartition("/")[0] for one in user_fs.find(location)}}
    # A user may want listings kept for other purposes.
    files = Files({**s3.options, "use_listings_cache": True, "skip_instance_cache": False})
    reader = open_base_table(MemoryMetastore(), location, files=files)
    assert days(reader) == {("2026-08-21",)}
    table.append(("2026-08-22",))
    publish()
    assert {path: user_fs.ls(path) for path in listed} == listed, "the user's own listings are old"
    both = {("2026-08-21",), ("2026-08-22",)}
    assert days(reader) == days(open_base_table(MemoryMetastore(), location, files=files)) == both
