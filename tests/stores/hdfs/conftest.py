"""A cluster for the tests of this folder, and a directory in it for each."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_views.storage.files import Files
from tests.support.processes.hdfs import Hdfs, hdfs_cluster


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "hdfs" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("Hadoop"))


@pytest.fixture(scope="session")
def hdfs(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with hdfs_cluster(java, tmp_path_factory.mktemp("hdfs")) as cluster:
        yield cluster


@pytest.fixture
def directory(hdfs: Hdfs) -> str:
    """A directory of the test's own, which is not there yet."""
    return f"hdfs://{hdfs.name}/{uuid.uuid4().hex[:12]}"


@pytest.fixture
def files(hdfs: Hdfs) -> Files:
    return Files(hdfs.options)
