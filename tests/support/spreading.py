"""How tests are spread over several processes (pytest-xdist): ``pytest -n 2 --no-loadscope-reorder``."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Each of these starts a Spark, engines, servers, a Java with Iceberg or a cluster that all of its files use.
_TOGETHER = (
    *("tests/interop/engines/", "tests/interop/iceberg_kit/", "tests/interop/", "tests/integration/test_spark_"),
    *("tests/stores/hdfs/", "tests/contract/test_hdfs_", "tests/contract/test_server_"),
)
_SAME = {"tests/contract/test_hdfs_": "tests/stores/hdfs/"}


class SharedStarts(LoadScopeScheduling):
    """The tests of a file share a process, and so do the files that share what takes long to start."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        group = next((prefix for prefix in _TOGETHER if file.startswith(prefix)), file)
        return _SAME.get(group, group)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharedStarts:
    return SharedStarts(config, log)
