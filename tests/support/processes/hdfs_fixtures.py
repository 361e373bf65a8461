"""A cluster of HDFS as a fixture, which is started when it is first asked for, and what another one runs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.hdfs import Hdfs, hadoop_jars, hdfs_cluster


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "jars_of_hadoop" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("Hadoop"))


@pytest.fixture(scope="session")
def jars_of_hadoop(java: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return hadoop_jars(java, tmp_path_factory.mktemp("jars"))


@pytest.fixture(scope="session")
def hdfs(java: Path, jars_of_hadoop: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with hdfs_cluster(java, jars_of_hadoop, tmp_path_factory.mktemp("hdfs")) as cluster:
        yield cluster
