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
LOST = 8

pytestmark = [pytest.mark.timeout(INSTALLATION_TIMEOUT_S + 300), pytest.mark.peer("airflow")]


@pytest.fixture(scope="module")
def python_with_airflow() -> Path:
    """The Python of an environment with Airflow and what hive_views needs, also to be built; skips where that cannot be
    installed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = [*AIRFLOW, *project["project"]["dependencies"], *project["build-system"]["requires"]]
    return python_with("airflow", packages)


@pytest.fixture(scope="module")
def installed(python_with_airflow: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with this package and its metadata, which has the entry point."""
    site = tmp_path_factory.mktemp("site")
    install = [
        find_uv_bin(),
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--python",
        python_with_airflow,
        "--target",
        site,
    ]
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
        for name in ("daily", "deferred", "tried_again", "ready", "not_ready", "late", "killed"):
            make_daily_view(catalog, f"{namespace}.{name}", clicks)
        catalog.partitions(daily).add([{"ds": day} for day in DAYS[:2]])
        hours = "SELECT 1 AS n, current_date() AS ds, 0 AS hr"
        columns = [("n", "int"), ("ds", "date"), ("hr", "int")]
        catalog.create_view(f"{namespace}.waited", sql={"hive": hours}, schema=columns, partitioned_on=["ds", "hr"])
        file = str(_publications(path, namespace, clicks))
        names = {"sales.daily": daily, "web.clicks": clicks, "/opt/airflow/dags/publications.toml": file}
        unreliable.drop_request("get_table_req", times=LOST)
        environment = {
            **{name: value for name, value in os.environ.items() if not re.match("AIRFLOW|HIVE_VIEWS_", name)},
            "AIRFLOW_HOME": str(path / "home"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(_dags(path / "dags", names)),
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW_CONN_METASTORE_DEFAULT": _connection(metastore_uri, report_url=f"{REPORT}/"),
            "AIRFLOW_CONN_UNRELIABLE": _connection(unreliable.uri),
            "PYTHONPATH": str(installed),
            "NAMESPACE": namespace,
            "PUBLICATIONS": file,
        }
        _run([python_with_airflow, "-m", "airflow", "db", "migrate"], environment)
        output = _run([python_with_airflow, HERE / "ask.py", daily, *DAYS[1:]], environment)
        return json.loads(output.splitlines()[-1].replace(namespace, "sales")) | {
            "published": {name: catalog.partitions(f"{namespace}.{name}").names() for name in ("daily", "deferred")},
            "calls": unreliable.methods,
        }


def _dags(folder: Path, names: dict[str, str]) -> Path:
    """The DAGs of the README, as they are there but for the names, and those of the tests."""
    shutil.copytree(HERE / "dags", folder)
    for number, copied in enumerate(examples(README, "python", "DAGs to copy")):
        text = copied.text
        for name, own in names.items():
            assert any(name in one.text for one in examples(README, "python")), name
            text = text.replace(name, own)
        (folder / f"copied_{number}.py").write_text(text)
    return folder


def _publications(path: Path, namespace: str, clicks: str) -> Path:
    """A file of three: one is ready, one not, and of one nothing has come since 2020."""
    file = path / "publications.toml"
    late = "expected = 'daily'\nsince = 'ds=2020-01-01'\nuntil = 'ds=2020-01-02'\n"
    file.write_text(
        "".join(
            f"[[publication]]\nname = '{name.replace('_', ' ')}'\nview = '{namespace}.{name}'\n"
            f'rules = [\'requires("{table}", ds=column("ds"))\']\n{expected}'
            for name, table, expected in (
                ("ready", clicks, ""),
                ("not_ready", f"{namespace}.waited", ""),
                ("late", clicks, late),
            )
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


def event(view: str, *partitions: str) -> list[Any]:
    return [f"hive-views://metastore_default/sales/{view}", {"partitions": list(partitions)}, None]


# -- what the provider for Hive sees ---------------------------------------------------------------------------------


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
def test_the_hook_for_hive_sees_the_partitions_of_a_view(answers: dict[str, Any], question: str, answer: Any) -> None:
    assert answers["hook"][question] == answer


@pytest.mark.parametrize("sensor", ["NamedHivePartitionSensor", "HivePartitionSensor"])
def test_a_sensor_for_hive_fires_on_a_published_partition_only(answers: dict[str, Any], sensor: str) -> None:
    assert answers["sensors"][sensor] == [True, False]


# -- our own ---------------------------------------------------------------------------------------------------------


def test_the_copied_dags_publish_a_day_start_a_reader_and_wait(answers: dict[str, Any]) -> None:
    assert answers["import_errors"] == {}
    assert answers["runs"]["publish_daily"]["publish"]["return_value"] == {
        "view": "sales.daily",
        "publication": "sales.daily",
        "declared": [f"ds={DAYS[2]}"],
        "declared_count": 1,
        "retracted": [],
        "waiting": {},
        "waiting_count": 0,
        "late": {},
        "late_count": 0,
        "already_published_count": 0,
    }
    assert answers["published"]["daily"] == [f"ds={day}" for day in DAYS]
    assert event("daily", f"ds={DAYS[2]}") in answers["events"]
    assert answers["started"] == ["read_daily"]
    assert answers["runs"]["read_daily"]["read"]["return_value"] == [[f"ds={DAYS[2]}"]]
    assert {name: task["state"] for name, task in answers["runs"]["wait_for_daily"].items()} == {
        "published": "success",
        "read_day": "success",
    }


def test_a_task_for_each_publication_of_a_file_skips_if_it_waits(answers: dict[str, Any]) -> None:
    ready, waiting = (answers["runs"]["of_a_file"][name] for name in ("ready", "not ready"))
    assert (ready["state"], ready["return_value"]["declared"]) == ("success", [f"ds={DAYS[2]}"])
    assert waiting["state"] == "skipped"
    assert event("ready", f"ds={DAYS[2]}") in answers["events"]
    assert not [one for one in answers["events"] if "not_ready" in one[0]]


def test_the_copied_dag_for_a_file_fails_if_a_partition_is_late(answers: dict[str, Any]) -> None:
    found = answers["runs"]["publish_all"]
    assert {name: task["state"] for name, task in found.items()} == {
        "ready": "success",
        "not ready": "success",
        "late": "success",
        "none_is_late": "failed",
    }
    assert list(found["late"]["return_value"]["late"]) == ["ds=2020-01-01", "ds=2020-01-02"]


def test_a_deferred_task_looks_again_and_tells_of_what_it_declared_before(answers: dict[str, Any]) -> None:
    assert answers["runs"]["deferred"]["publish"]["state"] == "success"
    assert answers["published"]["deferred"] == [f"ds={DAYS[2]}", "ds=2026-09-02"]
    assert event("deferred", f"ds={DAYS[2]}", "ds=2026-09-02") in answers["events"]


def test_the_try_that_succeeds_tells_of_what_failed_ones_declared_by_partition(answers: dict[str, Any]) -> None:
    publish = answers["runs"]["tried_again"]["publish"]
    assert (publish["state"], publish["tries"]) == ("success", 2)
    both = [f"ds={DAYS[0]}", "ds=2026-09-03"]
    told = [(extra, key) for uri, extra, key in answers["events"] if uri.endswith("/sales/tried_again")]
    assert sorted(key for _, key in told) == publish["return_value"]["declared"] == both
    assert answers["started_by_partition"] == [["by_partition", name] for name in both]


def test_a_run_that_was_completed_by_a_try_that_was_killed_is_told_of(answers: dict[str, Any]) -> None:
    assert answers["runs"]["killed"]["publish"]["tries"] == 2
    assert event("killed", f"ds={DAYS[2]}") in answers["events"]


def test_a_task_that_has_nothing_new_sends_no_event(answers: dict[str, Any]) -> None:
    again = answers["runs"]["nothing_new"]["publish"]
    assert (again["state"], again["return_value"]["already_published_count"]) == ("success", 1)
    told = [extra["partitions"] for uri, extra, _ in answers["events"] if uri.endswith("/sales/ready")]
    assert told[:2] == [[f"ds={DAYS[2]}"], [f"ds={day}" for day in DAYS[:2]]]
    # By the recorded rules and bounds, in which a run of one day left no trace.
    by_record = answers["runs"]["nothing_new"]["by_record"]["return_value"]
    assert by_record["already_published_count"] == len(DAYS)
    assert told[2:] == [by_record["declared"]] == [["ds=2026-09-02", "ds=2026-09-03"]]


def test_a_deferred_task_fails_when_it_has_waited_long_enough(answers: dict[str, Any]) -> None:
    assert answers["runs"]["never_right"]["too_late"]["state"] == "failed"


def test_an_invalid_call_is_not_tried_again(answers: dict[str, Any]) -> None:
    publish = answers["runs"]["never_right"]["publish"]
    assert (publish["state"], publish["tries"]) == ("failed", 1)


def test_a_deferred_sensor_survives_an_outage_and_asks_once_for_all_partitions(answers: dict[str, Any]) -> None:
    waited = answers["runs"]["waited"]
    assert {name: task["state"] for name, task in waited.items()} == {
        "wait": "success",
        "there": "success",
        "never": "skipped",
    }
    # Cut off before the look in the worker, and several times after it.
    assert answers["calls"].count("get_table_req") == LOST + 1
    assert answers["calls"].count("get_partitions_by_names") == 1


def test_revalidating_finds_what_was_rewritten_and_skips_where_nothing_was(answers: dict[str, Any]) -> None:
    revalidated = answers["runs"]["revalidated"]
    assert revalidated["unchanged"]["state"] == "skipped"
    found = revalidated["changed"]["return_value"]
    assert found["changed"] == [f"ds={DAYS[0]}"]
    assert found["counts"] == {"changed": 1, "current by the metastore": 1}
    assert list(found["reasons"]) == [f"ds={DAYS[0]}"]


@pytest.mark.parametrize(
    ("dag", "task", "address"),
    [
        ("publish_daily", "publish", f"{REPORT}/#sales.daily"),
        ("wait_for_daily", "published", f"{REPORT}/#sales.daily"),
        ("of_a_file", "ready", f"{REPORT}/#sales.ready"),
        ("deferred", "publish", f"{REPORT}/publish.html"),
        ("waited", "wait", ""),
    ],
)
def test_a_task_leads_to_the_report_of_its_view(answers: dict[str, Any], dag: str, task: str, address: str) -> None:
    assert answers["runs"][dag][task]["_link_ReportLink"] == address


def test_airflow_knows_the_package_beside_the_provider_for_hive(answers: dict[str, Any]) -> None:
    assert "hive_views.airflow.report_link.ReportLink" in answers["links"]
    assert answers["tested"][0], answers["tested"]
