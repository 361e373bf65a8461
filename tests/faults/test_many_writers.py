"""Eight processes that write as fast as they can: every acknowledged commit is in the history exactly once."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.commit.locking import LockMode
from tests.support.failing.many_writers import write_at_once


@pytest.mark.parametrize("lock", ["auto", "never"])
def test_every_acknowledged_commit_is_in_the_history_exactly_once(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path, lock: LockMode
) -> None:
    write_at_once(hms, metastore_uri, f"{namespace}.counted", tmp_path / "views", lock=lock, steps=6)
