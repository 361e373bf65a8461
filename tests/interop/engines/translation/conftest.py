"""The bench on the engines of the session: one query, asked of Hive 2.3, Hive 4.0, two sessions of Spark, and Trino."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.containers.session import Session
from tests.support.java.hive_2 import Hive2
from tests.support.translation.asking import Bench
from tests.support.translation.engines import SparkWorker, all_engines, asking_hive_2


@pytest.fixture(scope="session")
def bench_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the tables are, once ``bench`` is there."""
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="session")
def bench(java: Path, container_session: Session, engines: Any, hive_2: Hive2, bench_files: Path) -> Iterator[Bench]:
    """Engines with the tables of the database ``bench``, which no test changes."""
    files = bench_files
    with ExitStack() as stack:
        spark = stack.enter_context(closing(SparkWorker(files)))
        hive, trino = engines.hive, engines.trino
        spark.wait()
        ask_hive_2 = asking_hive_2(hive_2, files)
        yield Bench.of(*all_engines(stack, files, spark, ask_hive_2, hive.address, trino.address))
