"""The READMEs' examples that need a metastore, a shell or Spark, run as they are typed: only the directory is the
test's own. The others run in ``tests/unit/test_readme_examples.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.readmes import examples, printed_lines, says

README, VIEWS, PUBLISHING = "README.md", "hive_views/views/README.md", "hive_views/publishing/README.md"
MANY_VIEWS = "hive_views/estate/README.md"
TOUR, SHELL = "/tmp/hive-views-tour", "/tmp/hive-views-shell"

# What the examples of publishing in the shell take for granted.
BASE_TABLES = """
import sys

from arro3.core import Array, DataType, Table
from deltalake import write_deltalake

from hive_views import TableIdentifier, ViewCatalog
from hive_views.hive.row import Column, Partition, Row

directory = sys.argv[1]
catalog = ViewCatalog.connect(f"local://{directory}")
for namespace in ("web", "sales"):
    catalog.create_namespace(namespace)
hours = [("2026-08-21", f"{hour:02d}") for hour in range(24)] + [("2026-08-22", "00")]
clicks = TableIdentifier("web", "clicks")
keys = (Column("ds", "string"), Column("hr", "string"))
page = (Column("page", "string"),)
catalog.metastore.create_row(
    Row(clicks, "EXTERNAL_TABLE", "me", columns=page, partition_keys=keys, location="file:/nowhere")
)
partitions = [Partition(value, has_descriptor=True) for value in hours]
catalog.metastore.add_partitions(clicks, partitions, if_not_exists=False)
customers = {"id": Array([1], DataType.int64()), "ds": Array(["2026-08-21"], DataType.string())}
write_deltalake(f"{directory}/customers", Table.from_pydict(customers), partition_by=["ds"])
for view, base in (("sales.daily", "web.clicks"), ("sales.daily_by_customer", "sales.daily")):
    catalog.create_view(
        view,
        sql={"hive": f"SELECT 1 AS one, ds FROM {base}"},
        schema=[("one", "int"), ("ds", "string")],
        partitioned_on=["ds"],
    )
catalog.close()
"""

# The views that the day of an administrator begins with, and the table that they read.
PLAIN_VIEWS = """
import sys

from hive_views import TableIdentifier, ViewCatalog
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row

catalog = ViewCatalog.connect(f"local://{sys.argv[1]}")
for namespace in ("web", "sales"):
    catalog.create_namespace(namespace)
columns = (Column("user_id", "bigint"), Column("ds", "string"))
clicks = Row(TableIdentifier("web", "clicks"), "EXTERNAL_TABLE", "me", columns=columns, location="file:/nowhere")
catalog.metastore.create_row(clicks)
text = "SELECT `clicks`.`user_id`, `clicks`.`ds` FROM `web`.`clicks`"
for name in ("daily", "weekly"):
    columns_and_texts = {"columns": columns, "original_text": text, "expanded_text": text}
    view = Row(TableIdentifier("sales", name), VIRTUAL_VIEW, "me", **columns_and_texts)
    catalog.metastore.create_row(view)
catalog.close()
"""


def example(file: str, language: str, heading: str) -> str:
    return examples(file, language, heading)[0].text


@pytest.fixture
def tour(java: Path, tmp_path: Path) -> str:
    return str(tmp_path / "tour")


def run(arguments: list[str], cwd: Path, **environment: str) -> str:
    # The scripts of this environment, as an activated one has them.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        arguments,
        cwd=cwd,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def served(tour: str, tmp_path: Path) -> Iterator[str]:
    """The directory of a metastore that runs already: otherwise each command would start one and end it."""
    run(["hive-views", "metastore", "start", tour], tmp_path)
    yield tour
    run(["hive-views", "metastore", "stop", tour], tmp_path)


@pytest.mark.spark
@pytest.mark.pinned
def test_the_python_example_prints_what_it_says(tour: str, tmp_path: Path) -> None:
    text = example(README, "python", "In Python")
    out = run([sys.executable, "-W", "error::UserWarning", "-c", text.replace(TOUR, tour)], tmp_path).splitlines()
    assert len(printed_lines(text)) == 3
    for expected in printed_lines(text):
        assert any(says(expected, line) for line in out), (expected, out)
    assert any(line.endswith("|2026-08-21|") for line in out)


def test_the_shell_example_works_as_typed(tour: str, tmp_path: Path) -> None:
    out = run(
        ["bash", "-euo", "pipefail", "-c", example(README, "shell", "In the shell").replace(SHELL, tour)], tmp_path
    )
    assert "count(DISTINCT page)" in out
    assert "1 declared" in out
    assert "hr 7..23 of ds=2026-08-22 are missing" in out


def test_the_shell_example_of_views_works_as_typed(tour: str, tmp_path: Path) -> None:
    out = run(["bash", "-euo", "pipefail", "-c", example(VIEWS, "shell", "Verbs").replace(SHELL, tour)], tmp_path)
    assert "count(DISTINCT page)" in out
    assert "2026-08-21" in out


def test_a_day_in_the_shell_works_as_typed(served: str, tmp_path: Path) -> None:
    run([sys.executable, "-c", PLAIN_VIEWS, served], tmp_path)
    day = example(MANY_VIEWS, "shell", "A day in the shell")
    out = run(["bash", "-euo", "pipefail", "-c", day], tmp_path, HIVE_VIEWS_URI=f"local://{served}")
    assert "sales.daily  (plain)" in out
    for summary in ("2 adopted", "2 views: nothing found", "2 backed up", "2 copied", "1 view: 1 brought back"):
        assert f"{summary}." in out
    assert (tmp_path / "all.zip").is_file()
    assert (tmp_path / "views.html").is_file()


def test_the_sql_examples_are_the_life_of_a_view_from_create_to_drop_and_publish_it(
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

    publish = example(PUBLISHING, "sql", "Publishing from SQL").replace("sales.daily", "by_user")
    life = example(VIEWS, "sql", "Statements in SQL").replace("SHOW PARTITIONS", f"{publish}SHOW PARTITIONS")
    text = life.replace("USE sales", f"USE {sales}").replace("web.", f"{web}.")
    (tmp_path / "views.sql").write_text(text, encoding="utf-8")
    command = ["hive-views", "--uri", metastore_uri, "execute", "-f", "views.sql", "--output", "json"]
    results = json.loads(run(command, tmp_path))["statements"]

    done = {result["done"].partition(f" {sales}")[0] for result in results}
    assert {"Created", "Altered", "Rolled back", "Dropped"} <= done
    published, shown = (result["rows"] for result in results[9:11])
    assert published == [["ds=2026-08-22", "added", None]]
    assert shown == [["ds=2026-08-20"], ["ds=2026-08-21"], ["ds=2026-08-22"]]
    assert results[-2]["partitions"] == ["ds=2026-08-20", "ds=2026-08-21"]
    assert not hms.list_view_names(sales)


def test_the_examples_of_publishing_in_the_shell_and_by_a_file_work_as_typed(served: str, tmp_path: Path) -> None:
    run([sys.executable, "-c", BASE_TABLES, served], tmp_path)
    uri = {"HIVE_VIEWS_URI": f"local://{served}"}
    shell = example(PUBLISHING, "shell", "Publishing from the shell")
    out = run(["bash", "-euo", "pipefail", "-c", shell], tmp_path, **uri)
    assert "1 declared" in out
    assert "1 current" in out
    watch = example(PUBLISHING, "shell", "Watching: publishing as data arrives")
    assert run(["bash", "-euo", "pipefail", "-c", watch], tmp_path, **uri) == "", "the day is published already"

    publications = example(PUBLISHING, "toml", "Publishing many views from a file").replace("s3://lake", served)
    (tmp_path / "publications.toml").write_text(publications, encoding="utf-8")
    command = ["hive-views", "publish", "--file", "publications.toml", "--output", "json"]
    outcomes = json.loads(run(command, tmp_path, **uri))["publications"]
    assert {one["identifier"]: one["added"] for one in outcomes} == {
        "sales.daily": [],
        "sales.daily_by_customer": ["ds=2026-08-21"],
    }
