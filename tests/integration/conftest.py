"""The command, inside the process of the tests or as one of its own, and tables for Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.integration.lake import SparkLake, make_lake
from tests.support.java.connectors import SPARK
from tests.support.java.metastores import embedded_or_named


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        assert self.code in (0, 6), self.err
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture(scope="module")
def small_metastore_uri(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URI of a metastore for one module, for commands that read everything in a metastore: the one of the session
    also holds what all tests before have left. If one is named in the environment, it is used here too.
    """
    with embedded_or_named(tmp_path_factory.mktemp("small_metastore")) as uri:
        yield uri


@pytest.fixture(scope="module")
def small_hms(small_metastore_uri: str) -> Iterator[HiveMetastore]:
    """The same metastore over Thrift."""
    metastore = HiveMetastore(small_metastore_uri)
    yield metastore
    metastore.close()


@pytest.fixture
def catalog(hms: HiveMetastore) -> ViewCatalog:
    """What a command has done is looked at through the library."""
    return ViewCatalog(hms)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """An empty directory to call the command in."""
    here = tmp_path / "here"
    here.mkdir()
    return here


@pytest.fixture
def configured(metastore_uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a command's environment says beside this process's: nothing is configured but the metastore."""
    for name in [name for name in os.environ if name.startswith("HIVE_VIEWS_")]:
        monkeypatch.delenv(name)
    return {
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
        "XDG_CACHE_HOME": str(tmp_path / "xdg"),
        "HIVE_CONF_DIR": str(tmp_path / "conf"),
        "HIVE_VIEWS_URI": metastore_uri,
    }


@pytest.fixture
def run(here: Path, configured: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the command without a process of its own, which would take longer to start than it runs."""
    monkeypatch.chdir(here)

    def call(*arguments: str, stdin: str = "", **environment: str) -> Ended:
        ended = CliRunner().invoke(
            cli, arguments, stdin, {**configured, **environment}, catch_exceptions=False, prog_name="hive-views"
        )
        return Ended(ended.exit_code, ended.stdout, ended.stderr)

    return call


@pytest.fixture
def run_process(here: Path, configured: Mapping[str, str]) -> Run:
    """Call the command as a user does."""
    path = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}

    def call(*arguments: str, stdin: str = "", **environment: str) -> Ended:
        answer = subprocess.run(
            [sys.executable, "-c", "from hive_views.cli import main; main()", *arguments],
            cwd=here,
            env={**os.environ, **path, **configured, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(answer.returncode, answer.stdout, answer.stderr)

    return call


@pytest.fixture(scope="session")
def made_lake(
    lake_spark: Any, connectors: list[Path], hms: HiveMetastore, tmp_path_factory: pytest.TempPathFactory
) -> SparkLake:
    path = tmp_path_factory.mktemp("lake")
    catalog = ViewCatalog(hms, warehouse=str(path / "views"))
    return make_lake(lake_spark, catalog, path, has_connectors=bool(connectors))


@pytest.fixture
def lake(made_lake: SparkLake, connectors: list[Path], request: pytest.FixtureRequest) -> SparkLake:
    """Tables of three formats and a view over each, which no test changes; tests make more views.

    Where Spark has no connectors, the tables are Hive's only, and the tests that are marked with them skip.
    """
    if request.node.get_closest_marker("connectors") and not connectors:
        pytest.skip(f"The connectors for Spark {SPARK} cannot be fetched, or this is another Spark.")
    return made_lake
