"""A directory in HDFS for each test of this folder."""

from __future__ import annotations

import pytest

from hive_views.storage.files import Files
from tests.support.processes.hdfs import Hdfs


@pytest.fixture
def directory(hdfs: Hdfs) -> str:
    """A directory of the test's own, which is not there yet."""
    return hdfs.new_directory()


@pytest.fixture
def files(hdfs: Hdfs) -> Files:
    return Files(hdfs.options)
