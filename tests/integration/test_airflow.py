"""Airflow and a view: our operators, sensor and assets in runs of DAGs, and the hook, sensors and connection of the
provider for Hive, which see its partitions as those of a table.

Airflow is installed into an environment of its own, since its packages do not go together with everybody's. The
environment is kept (own_environments.py). hive_views is installed beside it as users install it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from uv import find_uv_bin

from hive_views.config import tomllib
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.wire import WireProxy
from tests.support.processes.own_environments import INSTALLATION_TIMEOUT_S, python_with
from tests.support.readmes import examples
from tests.support.tables.daily_views import DAYS, make_clicks, make_daily_view

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).with_name("airflow")
AIRFLOW = ("apache-airflow==3.3.2", "apache-airflow-providers-apache-hive==9.7.1")
README = "hive_views/airflow/README.md"
REPORT = "https://reports.example.com"

pytestmark = [pytest.mark.timeout(INSTALLATION_TIMEOUT_S + 300), pytest.mark.peer("airflow")]


@pytest.fixture(scope="module")
def python_with_airflow() -> Path:
    """The Python of an environment with Airflow and what hive_views needs; skips where that cannot be installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = [*AIRFLOW, *project["dependencies"]]
    return python_with("airflow", packages)


@pytest.fixture(scope="module")
def installed(python_with_airflow: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with this package and its metadata, which has the entry point."""
    site = tmp_path_factory.mktemp("site")
    install = [find_uv_bin(), "pip", "install", "-q", "--no-deps", "--python", python_with_airflow, "--target", site]
    _run([*install, ROOT], dict(os.environ))
    return site


@pytest.fixture(scope="module")
def answers(
    python_with_airflow: Path, installed: Path, metastore_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What Airflow saw of a view with two of three days published, and what its runs of DAGs have done."""
    path = tmp_path_factory.mktemp("airflow")
    with ViewCatalog(HiveMetastore(metastore_uri)) as catalog, WireProxy.before_uri(metastore_uri) as unreliable:
        namespace = f"airflow_{os.getpid()}"
        catalog.metastore.create_namespace(namespace, location=f"file:{path}")
        clicks, daily = make_clicks(catalog.metastore, namespace, path), f"{namespace}.daily"
        for name in ("daily", "deferred", "tried_again", "ready", "not_ready"):
            make_daily_view(catalog, f"{namespace}.{name}", clicks)
        catalog.partitions(daily).add([{"ds": day} for day in DAYS[:2]])
        hours = "SELECT 1 AS n, current_date() AS ds, 0 AS hr"
        columns = [("n", "int"), ("ds", "date"), ("hr", "int")]
        catalog.create_view(f"{namespace}.waited", sql={"hive": hours}, schema=columns, partitioned_on=["ds", "hr"])
        unreliable.drop_request("get_table", times=5)
        environment = {
            **{name: value for name, value in os.environ.items() if not re.match("AIRFLOW|HIVE_VIEWS_", name)},
            "AIRFLOW_HOME": str(path / "home"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(_dags(path / "dags", clicks, daily)),
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW_CONN_METASTORE_DEFAULT": _connection(metastore_uri, report_url=f"{REPORT}/"),
            "AIRFLOW_CONN_UNRELIABLE": _connection(unreliable.uri),
            "PYTHONPATH": str(installed),
            "NAMESPACE": namespace,
            "PUBLICATIONS": str(_publications(path, namespace, clicks)),
        }
        _run([python_with_airflow, "-m", "airflow", "db", "migrate"], environment)
        output = _run([python_with_airflow, HERE / "ask.py", daily, *DAYS[1:]], environment)
        return json.loads(output.splitlines()[-1].replace(namespace, "sales")) | {
            "published": {name: catalog.partitions(f"{namespace}.{name}").names() for name in ("daily", "deferred")},
            "calls": unreliable.methods,
        }


def _dags(folder: Path, clicks: str, daily: str) -> Path:
    """The DAGs of the README, as they are there but for the names, and those of the tests."""
    shutil.copytree(HERE / "dags", folder)
    (copied,) = examples(README, "python", "DAGs to copy")
    text = copied.text.replace("sales.daily", daily).replace("web.clicks", clicks)
    (folder / "copied.py").write_text(text)
    return folder


def _publications(path: Path, namespace: str, clicks: str) -> Path:
    file = path / "publications.toml"
    rules = {"ready": clicks, "not ready": f"{namespace}.waited"}
    file.write_text(
        "".join(
            f"[[publication]]\nname = '{name}'\nview = '{namespace}.{name.replace(' ', '_')}'\n"
            f"rules = ['requires(\"{table}\", ds=column(\"ds\"))']\n"
            for name, table in rules.items()
        )
    )
    return file


def _connection(uri: str, **extra: str) -> str:
    split = urlsplit(uri)
    extra |= {"auth_mechanism": "NOSASL"}
    return json.dumps({"conn_type": "hive_metastore", "host": split.hostname, "port": split.port, "extra": extra})


def _run(command: list[Any], environment: dict[str, str]) -> str:
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return ended.stdout


def test_dump(answers):
    Path("/tmp/af/answers.json").write_text(json.dumps(answers, indent=1))
