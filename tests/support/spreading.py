"""How tests are spread over several processes (pytest-xdist): ``pytest -n 2 --no-loadscope-reorder``."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Hundreds of files that share nothing, the quickest last.
_FILLING = ("tests/stateful/", "tests/stores/", "tests/unit/")
_BESIDE_SPARK = "tests/integration/test_spark_"
_ON_SERVERS = "tests/contract/test_server_"
# Each of these starts a Spark, engines, servers, a Java with Iceberg or a cluster that all of its files use.
_TOGETHER = (
    *("tests/interop/engines/", "tests/interop/iceberg_kit/", "tests/interop/", _BESIDE_SPARK),
    *("tests/stores/hdfs/", "tests/contract/test_hdfs_", _ON_SERVERS),
)
_SAME = {
    "tests/contract/test_hdfs_": "tests/stores/hdfs/",
    # Others that ask the Spark of the tests.
    "tests/integration/test_check_on_a_metastore.py": _BESIDE_SPARK,
    "tests/integration/test_declared_columns.py": _BESIDE_SPARK,
    "tests/integration/test_delta_by_spark.py": _BESIDE_SPARK,
    "tests/integration/test_impact_on_spark.py": _BESIDE_SPARK,
    # Others that ask most of the metastores in containers that a process starts once.
    **dict.fromkeys(
        (
            f"tests/servers/test_{name}.py"
            for name in ("capabilities", "columns", "copying", "limits", "many_writers", "rows_read_together", "text")
        ),
        _ON_SERVERS,
    ),
}


class SharedStarts(LoadScopeScheduling):
    """The tests of a file share a process, and so do the files that share what takes long to start."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        group = next((prefix for prefix in _TOGETHER if file.startswith(prefix)), file)
        return _SAME.get(group, group)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # What starts engines takes one process many minutes: begun last, it would be alone in the end.
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.nodeid.startswith(_FILLING))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharedStarts:
    return SharedStarts(config, log)
