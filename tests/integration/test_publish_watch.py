"""``hive-views publish --watch`` as a process, on the embedded metastore."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hive_views.hive.row import Partition
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.watch import watch
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.integration.conftest import Run
from tests.support.failing.wire import WireProxy
from tests.support.tables.daily_views import DAYS, make_clicks, make_daily_view

FIRST, SECOND = (f"ds={day}" for day in DAYS[:2])


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str, tmp_path: Path) -> str:
    """A view of a table with one day."""
    make_daily_view(catalog, f"{namespace}.daily", make_clicks(catalog.metastore, namespace, tmp_path, DAYS[:1]))
    return f"{namespace}.daily"


@contextmanager
def watching(environment: dict[str, str], here: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = subprocess.Popen(
        [sys.executable, "-c", "from hive_views.cli import main; main()", "publish", *arguments, "--watch", "1s"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield command
    finally:
        command.kill()
        command.communicate()


def test_it_tells_a_change_in_a_line_of_json_and_ends_by_a_signal(
    configured: dict[str, str], here: Path, catalog: ViewCatalog, namespace: str, view: str
) -> None:
    rule = f"requires('{namespace}.clicks', ds=column('ds'))"
    with watching(configured, here, view, "--require", rule, "--output", "json") as command:
        assert command.stdout is not None
        first = json.loads(command.stdout.readline())
        assert (first["change"], first["identifier"], list(first["partitions"])) == ("declared", view, [FIRST])
        day = [Partition((DAYS[1],), has_descriptor=True)]
        catalog.metastore.add_partitions(TableIdentifier(namespace, "clicks"), day, if_not_exists=False)
        assert list(json.loads(command.stdout.readline())["partitions"]) == [SECOND]
        command.send_signal(signal.SIGTERM)
        out, err = command.communicate()
    assert (command.returncode, out) == (0, "")
    assert "Watching 1 publication every 1s.\n" in err
    assert "Traceback" not in err


def test_by_the_record_it_ends_once_all_that_is_expected_is_published(
    run: Run, here: Path, namespace: str, view: str, tmp_path: Path
) -> None:
    file = tmp_path / "publications.toml"
    file.write_text(
        f"""
[[publication]]
view = "{view}"
rules = ["requires('{namespace}.clicks', ds=column('ds'))"]
until = "ds={DAYS[0]}"
expected = ["{DAYS[0]}"]
app_id = "nightly"
"""
    )
    by_file = run("publish", "--file", str(file), "--watch", "1h")
    assert by_file.code == 0, by_file.err
    [line] = by_file.out.splitlines()
    assert line.endswith(f"UTC  {view}: declared {FIRST}")
    again = run("publish", view, "--watch", "1h", "--output", "json")
    assert (again.code, again.out) == (0, "")
    for wrong, said in (
        (("--run-version", "1"), "cannot be combined with --run-version"),
        (("--expected", "daily"), "--expected requires --require"),
    ):
        refused = run("publish", view, "--watch", "1h", *wrong)
        assert (refused.code, said in refused.err) == (2, True)
    assert "must be at least 1s" in run("publish", view, "--watch", "10ms").err


def test_a_metastore_that_gives_no_answers_is_told_once_and_asked_again(
    metastore_uri: str, catalog: ViewCatalog, namespace: str, view: str
) -> None:
    pauses: list[float] = []
    with WireProxy.before_uri(metastore_uri) as proxy, ViewCatalog(HiveMetastore(proxy.uri)) as behind:

        def ended(seconds: float) -> bool:
            if not seconds:
                return False
            pauses.append(seconds)
            if len(pauses) == 1:
                proxy.drop_request("get_table_objects_by_name_req", times=1_000)
            if len(pauses) == 4:
                proxy.clear()
                day = [Partition((DAYS[1],), has_descriptor=True)]
                catalog.metastore.add_partitions(TableIdentifier(namespace, "clicks"), day, if_not_exists=False)
            return len(pauses) == 5

        one = Publication(view, [requires(f"{namespace}.clicks", ds=column("ds"))])
        told = list(watch(behind, [one], every_s=1, ended=ended))
    assert [(one.kind, list(one.partitions)) for one in told] == [
        ("declared", [FIRST]),
        ("unavailable", []),
        ("declared", [SECOND]),
        ("available", []),
    ]
    assert pauses == [1, 1, 2, 4, 1]
