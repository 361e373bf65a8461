"""Airflow's own Hive hook, partition sensors and DAG runner on a view: they see its partitions as those of a table.

Airflow is installed into an environment of its own, since its packages do not go together with everybody's. The
environment is kept (own_environments.py).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hive_views.config import tomllib
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.processes.own_environments import INSTALLATION_TIMEOUT_S, python_with
from tests.support.tables.daily_views import DAYS, make_clicks, make_daily_view

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).with_name("airflow")
AIRFLOW = ("apache-airflow==3.3.2", "apache-airflow-providers-apache-hive==9.7.1")

pytestmark = pytest.mark.timeout(INSTALLATION_TIMEOUT_S + 300)


@pytest.fixture(scope="module")
def python_with_airflow() -> Path:
    """The Python of an environment with Airflow and what hive_views needs; skips where that cannot be installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = [*AIRFLOW, *project["dependencies"]]
    return python_with("airflow", packages)


@pytest.fixture(scope="module")
def airflow_answers(
    python_with_airflow: Path, metastore_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What Airflow saw of a view with two of three days published, and after its DAG had published the third."""
    path = tmp_path_factory.mktemp("airflow")
    with ViewCatalog(HiveMetastore(metastore_uri)) as catalog:
        namespace = f"airflow_{os.getpid()}"
        catalog.metastore.create_namespace(namespace, location=f"file:{path}")
        clicks, view = make_clicks(catalog.metastore, namespace, path), f"{namespace}.daily"
        make_daily_view(catalog, view, clicks)
        catalog.partitions(view).add([{"ds": day} for day in DAYS[:2]])
        environment = {
            **{name: value for name, value in os.environ.items() if not re.match("AIRFLOW|HIVE_VIEWS_", name)},
            "AIRFLOW_HOME": str(path / "home"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(HERE / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW_CONN_METASTORE_DEFAULT": metastore_uri.replace("thrift://", "hive-metastore://")
            + "/default?authMechanism=NOSASL&auth_mechanism=NOSASL",
            "PYTHONPATH": str(ROOT),
            "HIVE_VIEWS_URI": metastore_uri,
            "DAILY_VIEW": view,
            "CLICKS_TABLE": clicks,
        }
        _run([python_with_airflow, "-m", "airflow", "db", "migrate"], environment)
        output = _run([python_with_airflow, HERE / "ask.py", view, *DAYS[1:]], environment)
        answers: dict[str, Any] = json.loads(output.splitlines()[-1])
        return answers | {"view": catalog.partitions(view).names()}


def _run(command: list[Any], environment: dict[str, str]) -> str:
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return ended.stdout


@pytest.mark.peer("airflow")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("check_for_partition", [True, False]),
        ("check_for_named_partition", [True, False]),
        ("max_partition", DAYS[1]),
        ("get_partitions", [{"ds": DAYS[0]}, {"ds": DAYS[1]}]),
        ("filtered", [{"ds": DAYS[0]}]),
    ],
)
def test_the_hook_sees_the_partitions_of_a_view(airflow_answers: dict[str, Any], question: str, answer: Any) -> None:
    assert airflow_answers["hook"][question] == answer


@pytest.mark.peer("airflow")
@pytest.mark.parametrize("sensor", ["NamedHivePartitionSensor", "HivePartitionSensor"])
def test_a_sensor_fires_on_a_published_partition_only(airflow_answers: dict[str, Any], sensor: str) -> None:
    assert airflow_answers["sensors"][sensor] == [True, False]


@pytest.mark.peer("airflow")
def test_the_documented_dags_publish_a_day_and_wait_for_it(airflow_answers: dict[str, Any]) -> None:
    assert airflow_answers["import_errors"] == {}
    assert airflow_answers["publish_daily"] == {"publish_day": "success"}
    assert airflow_answers["wait_for_daily"] == {"published": "success", "read_day": "success"}
    assert airflow_answers["view"] == [f"ds={day}" for day in DAYS]
