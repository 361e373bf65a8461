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

from hive_views import read_publications
from hive_views.config import resolve
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = "/tmp/hive-views-tour"

# What the publishing examples take for granted: base tables, and views beside that of the first example.
BASE_TABLES = """
from arro3.core import Array, DataType, Table
from deltalake import write_deltalake

from hive_views import TableIdentifier
from hive_views.hive.row import Column, Partition, Row

catalog.create_namespace("web", if_not_exists=True)
hours = [("2026-08-21", f"{hour:02d}") for hour in range(24) if hour != 3]
hours += [("2026-08-22", f"{hour:02d}") for hour in range(24)]
clicks = TableIdentifier("web", "clicks")
keys = (Column("ds", "string"), Column("hr", "string"))
page = (Column("page", "string"),)
catalog.metastore.create_row(
    Row(clicks, "EXTERNAL_TABLE", "me", columns=page, partition_keys=keys, location="file:/nowhere")
)
partitions = [Partition(value, has_descriptor=True) for value in hours]
catalog.metastore.add_partitions(clicks, partitions, if_not_exists=False)
customers = {"id": Array([1], DataType.int64()), "ds": Array(["2026-08-22"], DataType.string())}
write_deltalake("/tmp/hive-views-tour/customers", Table.from_pydict(customers), partition_by=["ds"])
catalog.create_view(
    "sales.clicks",
    sql={"hive": "SELECT page AS url, ds, hr FROM web.clicks"},
    schema=[("url", "string"), ("ds", "string"), ("hr", "string")],
    partitioned_on=["ds", "hr"],
)
catalog.create_view(
    "sales.daily_by_customer",
    sql={"hive": "SELECT clicks, ds FROM sales.daily"},
    schema=[("clicks", "bigint"), ("ds", "string")],
    partitioned_on=["ds"],
)
"""


def examples(heading: str, language: str) -> list[str]:
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def example(heading: str, language: str) -> str:
    return examples(heading, language)[0]


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


def test_the_python_example_works_as_typed_and_each_use_of_partitioned_views_after_it(
    tour: str, tmp_path: Path
) -> None:
    first = example("In Python", "python")
    assert len(first.strip().splitlines()) <= 12
    renamed, daily, joined = examples("Publishing", "python")[:3]
    report = "\nprint(report.added, report.already_published, report.waiting)\n"
    count = "\nprint(len(catalog.partitions('sales.clicks').names()), 'hours')\n"
    script = first + BASE_TABLES + renamed + count + daily + report + joined + report + "catalog.close()\n"
    out = run([sys.executable, "-c", script.replace(TOUR, tour)], tour, tmp_path).splitlines()
    assert any("FROM `web`.`clicks`" in line for line in out)
    assert out[-4:] == [
        "[1, 2, 1]",
        "47 hours",
        "('ds=2026-08-22',) ('ds=2026-08-21',) {}",
        f"('ds=2026-08-22',) () {{'ds=2026-08-21': ('{tour}/customers at snapshot 0: ds=2026-08-21 is missing',)}}",
    ]


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


def test_the_publications_example_is_one_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "publications.toml"
    file.write_text(example("Publishing", "toml"), encoding="utf-8")
    first, second = read_publications(file)
    assert (first.view, second.view) == ("sales.daily", "sales.daily_by_customer")
    assert second.since == {"ds": "2026-08-01"}
    assert len(second.rules) == 2
