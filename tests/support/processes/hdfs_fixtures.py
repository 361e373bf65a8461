"""A cluster of HDFS as a fixture, which is started when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.hdfs import Hdfs, hdfs_cluster


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "hdfs" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("Hadoop"))


@pytest.fixture(scope="session")
def hdfs(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with hdfs_cluster(java, tmp_path_factory.mktemp("hdfs")) as cluster:
        yield cluster
