"""Every statement of Spark on our rows, with Hive 4's client on a Hive 4 metastore."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hive_views import View
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import NAMES
from tests.interop.engines.conftest import Engines, SparkProcess
from tests.support.compatibility import PROPERTY
from tests.support.containers.engines import EngineError
from tests.support.java.spark_on_hive_4 import HIVE_4_JARS, METASTORE_URI

_ROOT = Path(__file__).parents[3]
SERVER = "4.0.1 on PostgreSQL (Hive 4's client)"
proves = partial(pytest.mark.matrix, engine="Spark 4.1.4", server=SERVER)

_FILES = ("test_spark_on_our_rows.py", "test_spark_changes_our_rows.py")


# What it proves is recorded while it runs.
@proves(operation="SELECT", result="the rows")
def test_every_statement_does_there_what_it_does_on_hive_2(
    java: Path, engines: Engines, tmp_path: Path, record_property: Callable[[str, Any], None]
) -> None:
    proofs = tmp_path / "proofs.json"
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"),
            # The metastore's container sees the directories of this run.
            *(f"--basetemp={tmp_path / 'run'}", f"--proofs={proofs}"),
            *(str(Path("tests", "interop", name)) for name in _FILES),
        ],
        cwd=_ROOT,
        env={
            **os.environ,
            "PYTEST_ADDOPTS": "",
            "REQUIRE_PEERS": "1",
            METASTORE_URI: engines.metastore.uri,
            HIVE_4_JARS: str(engines.hive_jars),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-20_000:]
    proved = json.loads(proofs.read_text())
    assert proved
    for proof in proved:
        record_property(PROPERTY, {**proof, "server": SERVER})


@proves(operation="ALTER VIEW AS with declared partitions", result="the metastore fails, the row untouched")
def test_the_metastore_fails_where_a_new_text_changes_the_columns_of_a_view_with_partitions(
    view: View, spark_4: SparkProcess, hms: HiveMetastore, web: str
) -> None:
    """It looks into the descriptor of each partition, and these have none."""
    before = hms.load_row(view.identifier)
    with pytest.raises(EngineError, match="NullPointerException"):
        spark_4.rows(f"ALTER VIEW {view.identifier} AS SELECT user_id, 7L AS clicks, ds FROM {web}.clicks")
    assert hms.load_row(view.identifier) == before
    assert hms.partition_names(view.identifier) == NAMES
