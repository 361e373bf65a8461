"""The README's examples, run as they are typed: only the directory is the test's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from hive_views.config import resolve
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = "/tmp/hive-views-tour"

# What the publishing example takes for granted: one whole day of both base tables.
BASE_TABLES = """
from hive_views import TableIdentifier
from hive_views.hive.row import Column, Partition, Row

catalog.create_namespace("web", if_not_exists=True)
day = "2026-08-22"
loaded = {
    "web.clicks": (("ds", "hr"), [(day, f"{hour:02d}") for hour in range(24)]),
    "sales.customers_by_day": (("ds",), [(day,)]),
}
for name, (keys, values) in loaded.items():
    table, keys = TableIdentifier.of(name), tuple(Column(key, "string") for key in keys)
    page = (Column("page", "string"),)
    row = Row(table, "EXTERNAL_TABLE", "me", columns=page, partition_keys=keys, location="file:/nowhere")
    catalog.metastore.create_row(row)
    partitions = [Partition(value, has_descriptor=True) for value in values]
    catalog.metastore.add_partitions(table, partitions, if_not_exists=False)
"""


def example(heading: str, language: str) -> str:
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found, f"section {heading!r} has no {language} example"
    return found[1]


@pytest.fixture(scope="module")
def tour(java: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("tour"))


def run(arguments: list[str], tour: str, cwd: Path, text: str | None = None) -> str:
    # The scripts of this environment, as an activated one has them.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        arguments, input=text, cwd=cwd, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_example_works_as_typed_and_the_publishing_one_after_it(tour: str, tmp_path: Path) -> None:
    first = example("In Python", "python")
    assert len(first.strip().splitlines()) <= 12
    shown = "\nprint(report.added, report.waiting)\ncatalog.close()\n"
    script = (first + BASE_TABLES + example("Publishing", "python") + shown).replace(TOUR, tour)
    out = run([sys.executable, "-c", script], tour, tmp_path)
    assert "FROM `web`.`clicks`" in out
    assert "[1, 2, 1]" in out
    assert "('ds=2026-08-22',) {}" in out


def test_the_shell_example_works_as_typed(tour: str, tmp_path: Path) -> None:
    out = run(["bash", "-euo", "pipefail", "-c", example("In the shell", "shell").replace(TOUR, tour)], tour, tmp_path)
    assert "-SELECT user_id, count(*)" in out
    assert "+SELECT user_id, count(DISTINCT page)" in out
    assert "2026-08-21" in out


def test_the_sql_example_is_the_life_of_a_view_from_create_to_drop(
    hms: HiveMetastore, metastore_uri: str, tmp_path: Path
) -> None:
    sales, web = (f"{name}_{uuid.uuid4().hex[:12]}" for name in ("sales", "web"))
    for name in (sales, web):
        hms.create_namespace(name, f"file:{tmp_path}/{name}")
    columns = (Column("user_id", "bigint"), Column("page", "string"))
    keys = (Column("ds", "string"), Column("hr", "string"))
    clicks = TableIdentifier(web, "clicks")
    hms.create_row(Row(clicks, "EXTERNAL_TABLE", columns=columns, partition_keys=keys, location="file:/nowhere"))
    hours = [Partition(("2026-08-22", f"{hour:02d}"), has_descriptor=True) for hour in range(24)]
    hms.add_partitions(clicks, hours, if_not_exists=False)
    text = example("In SQL", "sql").replace("USE sales", f"USE {sales}").replace("web.", f"{web}.")
    (tmp_path / "views.sql").write_text(text, encoding="utf-8")
    command = ["hive-views", "--uri", metastore_uri, "execute", "-f", "views.sql", "--output", "json"]
    results = json.loads(run(command, metastore_uri, tmp_path))["statements"]
    done = {result["done"].partition(f" {sales}")[0] for result in results}
    assert {"Created", "Altered", "Rolled back", "Dropped"} <= done
    published, shown = (result["rows"] for result in results[6:8])
    assert published == [["ds=2026-08-22", "added", None]]
    assert shown == [["ds=2026-08-20"], ["ds=2026-08-21"], ["ds=2026-08-22"]]
    assert results[-2]["partitions"] == ["ds=2026-08-20", "ds=2026-08-21"]
    assert not hms.list_view_names(sales)


def test_the_configuration_example_is_one_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "hive-views.toml").write_text(example("Configuration", "toml"), encoding="utf-8")
    resolved = resolve(config=tmp_path / "hive-views.toml", environment={})
    assert (resolved.catalog, resolved.settings.warehouse) == ("prod", "s3://lake/views")
