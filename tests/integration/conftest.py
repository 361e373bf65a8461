"""The command as a process, and tables for Spark. What lives here: how they are made. What must not: tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.hms import HiveMetastore
from tests.integration.lake import Lake, make_lake


@dataclass(frozen=True)
class Ended:
    """A process that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        assert self.code in (0, 6), self.err
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def run(metastore_uri: str, tmp_path: Path) -> Run:
    """Call the command in an empty directory, with nothing configured but the metastore."""
    here = tmp_path / "here"
    here.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HIVE_VIEWS_")}

    def call(*arguments: str, stdin: str = "", **environment: str) -> Ended:
        answer = subprocess.run(
            [sys.executable, "-c", "from hive_views.cli import main; main()", *arguments],
            cwd=here,
            env={
                **clean,
                "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
                "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
                "HIVE_CONF_DIR": str(tmp_path / "conf"),
                "HIVE_VIEWS_URI": metastore_uri,
                **environment,
            },
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(answer.returncode, answer.stdout, answer.stderr)

    return call


@pytest.fixture(scope="session")
def lake(lake_spark: Any, hms: HiveMetastore, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Tables of three formats and a view over each, which no test changes; tests make more views."""
    path = tmp_path_factory.mktemp("lake")
    return make_lake(lake_spark, ViewCatalog(hms, warehouse=str(path / "views")), path)
