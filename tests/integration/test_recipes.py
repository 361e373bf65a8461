"""The recipes of publishing, run as they are written: only names of files, hosts and databases are the test's own."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.processes.starting import address_of, ended
from tests.support.readmes import examples
from tests.support.views.catalog_setup import create

RECIPES = "hive_views/publishing/recipes.md"
TOKEN = "s3cr3t"
COMMAND = Path(sys.executable).with_name("hive-views")
DAYS = ["2026-08-20", "2026-08-21"]


def recipe(language: str, heading: str, number: int = 0) -> str:
    return examples(RECIPES, language, heading)[number].text


@dataclass
class House:
    """A machine as the recipes have it, in a directory."""

    root: Path
    view: str
    receiver: str
    received: Path

    def there(self, text: str) -> str:
        """A recipe with this machine's names."""
        text = re.sub(r"(?<![\w.])/(etc|var|run)/", rf"{self.root}/\1/", text)
        return text.replace("/opt/hive-views/bin/hive-views", str(COMMAND)).replace(
            "https://ops.example", self.receiver
        )

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}", **environment}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HIVE_VIEWS_")}
        done = subprocess.run(
            ["sh", "-c", script], env={**kept, **given}, cwd=self.root, capture_output=True, text=True, check=False
        )
        assert TOKEN not in done.stdout + done.stderr
        return done

    def told(self) -> list[str]:
        """What the receiver has printed of this machine's view."""
        return [
            line.replace(f"{self.view} ", "") for line in self.received.read_text().splitlines() if self.view in line
        ]


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The receiver of the recipes, and what it prints."""
    directory = tmp_path_factory.mktemp("receiver")
    (directory / "receiver.py").write_text(recipe("python", "A receiver of events"))
    log = directory / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "receiver.py", "0"],
            cwd=directory,
            env={**os.environ, "HIVE_VIEWS_NOTIFY_TOKEN": TOKEN},
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
    with ended(process):
        yield address_of(process, log, re.compile(r"^(http://\S+)$", re.MULTILINE), lambda _: True), log


@pytest.fixture
def house(metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path, receiver: tuple[str, Path]) -> House:
    """A machine with a publication of two days that are expected, one of which is ready."""
    for directory in ("etc/hive-views", "var/log/hive-views", "var/lib/node_exporter", "run/lock"):
        (tmp_path / directory).mkdir(parents=True)
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    base = create(catalog, f"{namespace}.clicks", partitioned_on=["ds"])
    view = create(catalog, f"{namespace}.daily", partitioned_on=["ds"])
    catalog.partitions(base.identifier).add([{"ds": DAYS[0]}])
    (tmp_path / "etc/hive-views/hive-views.toml").write_text(
        f"""
        default = "lake"
        [catalogs.lake]
        uri = "{metastore_uri}"
        notify-token = "{TOKEN}"
        """
    )
    (tmp_path / "etc/hive-views/publications.toml").write_text(
        f"""
        [[publication]]
        view = "{view.identifier}"
        rules = ['requires("{base.identifier}", ds=column("ds"))']
        since = {{ ds = "{DAYS[0]}" }}
        until = {{ ds = "{DAYS[1]}" }}
        expected = "daily"
        late_after = "1h"
        """
    )
    return House(tmp_path, str(view.identifier), *receiver)


DECLARED, LATE = f"declared ds={DAYS[0]}", f"late ds={DAYS[1]}"


def test_cron_and_systemd_publish_and_tell_and_metrics_say_what_is_late(house: House) -> None:
    variables, commands = {}, []
    for line in house.there(recipe("cron", "cron")).splitlines():
        if found := re.fullmatch(r"(\w+)=(.*)", line):
            variables[found[1]] = found[2]
        elif job := re.fullmatch(r"\*/10 \* \* \* \* etl (.*)", line):
            commands.append(job[1])
    [command] = commands
    done = house.run(command, **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = [json.loads(one) for one in (house.root / "var/log/hive-views/events.jsonl").read_text().splitlines()]
    assert [f"{one['data']['kind']} {one['subject']}" for one in events] == [DECLARED, LATE]

    service = configparser.ConfigParser(interpolation=None)
    service.optionxform = str  # type: ignore[assignment, method-assign]
    service.read_string(house.there(recipe("ini", "systemd")))
    key, _, value = service["Service"]["Environment"].partition("=")
    done = house.run(service["Service"]["ExecStart"], **{key: value})
    assert (done.returncode, done.stderr) == (0, "")
    assert house.told() == [LATE]

    command = house.there(recipe("shell", "Alerts in Prometheus").replace("--all", house.view))
    assert house.run(command, **variables).returncode == 0
    metrics = (house.root / "var/lib/node_exporter/hive_views.prom").read_text()
    values = dict(re.findall(rf'^(\w+){{publication="hive_views",view="{house.view}"}} (\S+)$', metrics, re.MULTILINE))
    numbers = {"published": 1, "ready": 0, "waiting": 1, "due": 0, "late": 1}
    assert values.pop("hive_views_failed") == "0.0"
    assert {name: values.pop(f"hive_views_{name}_partitions") for name in numbers} == {
        name: f"{number:.1f}" for name, number in numbers.items()
    }
    assert sorted(values) == ["hive_views_last_published_timestamp_seconds", "hive_views_late_since_timestamp_seconds"]
    assert float(values["hive_views_late_since_timestamp_seconds"]) == events[1]["data"]["late_since_s"]
    assert set(re.findall(r"hive_views_\w+", recipe("yaml", "Alerts in Prometheus"))) <= {
        "hive_views",
        *re.findall(r"^hive_views_\w+", metrics, re.MULTILINE),
    }


def test_a_pod_of_the_cron_job_tells_what_an_earlier_one_could_not(house: House) -> None:
    job = yaml.safe_load(house.there(recipe("yaml", "Kubernetes")))
    assert (job["kind"], job["spec"]["concurrencyPolicy"]) == ("CronJob", "Forbid")
    [container] = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    environment = {one["name"]: one.get("value", TOKEN) for one in container["env"]}
    command = shlex.join([*container["command"], *container["args"]])
    done = house.run(command, **{**environment, "HIVE_VIEWS_NOTIFY_TOKEN": "of-another"})
    assert done.returncode == 0, "the failure of a receiver is no failure of the run"
    assert f"2 of 2 events were not taken by {house.receiver}: it answered 401" in done.stderr
    assert house.told() == []
    for _ in range(2):
        done = house.run(command, **environment)
        assert (done.returncode, done.stderr) == (0, "")
        assert house.told() == [DECLARED, LATE], "it knows repeats by their ids"


@pytest.mark.peer("systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    units = []
    for number in range(2):
        text = recipe("ini", "systemd", number)
        units.append(tmp_path / text.splitlines()[0].rpartition("/")[2])
        units[-1].write_text(text.replace("/opt/hive-views/bin/hive-views", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.peer("promtool")
def test_prometheus_alerts_of_what_is_late_fails_or_has_stopped(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("needs promtool, of Prometheus")
    of = {"view": "sales.daily", "publication": "nightly"}
    labels = ",".join(f'{key}="{value}"' for key, value in of.items())

    def alert(name: str, minute: int, *summary: str, **labels: str) -> dict[str, Any]:
        fires = [{"exp_labels": labels, "exp_annotations": {"summary": one}} for one in summary]
        return {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": fires}

    test = {
        "interval": "1m",
        "input_series": [
            {"series": f"hive_views_late_partitions{{{labels}}}", "values": "0 0 3x99"},
            {"series": f"hive_views_failed{{{labels}}}", "values": "0 1x99"},
            {"series": "hive_views_status_timestamp_seconds", "values": "0x99"},
        ],
        "alert_rule_test": [
            alert("PartitionsLate", 1),
            alert("PartitionsLate", 2, "3 partitions of sales.daily (nightly) are late", severity="page", **of),
            alert("PublicationFails", 30),
            alert("PublicationFails", 31, "The state of sales.daily cannot be determined", severity="ticket", **of),
            alert("StatusIsOld", 60),
            alert("StatusIsOld", 61, "The state of publications is more than an hour old", severity="ticket"),
        ],
    }
    (tmp_path / "rules.yml").write_text(recipe("yaml", "Alerts in Prometheus"))
    (tmp_path / "test.yml").write_text(yaml.safe_dump({"rule_files": ["rules.yml"], "tests": [test]}))
    done = subprocess.run(
        ["promtool", "test", "rules", "test.yml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
