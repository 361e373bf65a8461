"""The README's examples, run as they are typed: only the directory is the test's own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hive_views.config import resolve

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = "/tmp/hive-views-tour"


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
    bases = (
        "from hive_views.hive.row import Column, Partition, Row\n"
        "from hive_views import TableIdentifier\n"
        'catalog.create_namespace("web", if_not_exists=True)\n'
        'for name, keys in {"web.clicks": ("ds", "hr"), "sales.customers_by_day": ("ds",)}.items():\n'
        "    table = TableIdentifier.of(name)\n"
        '    keys = tuple(Column(key, "string") for key in keys)\n'
        '    catalog.metastore.create_row(Row(table, "EXTERNAL_TABLE", "me", columns=(Column("page", "string"),),\n'
        '                                     partition_keys=keys, location="file:/nowhere"))\n'
        'day, hours = "2026-08-22", [f"{hour:02d}" for hour in range(24)]\n'
        'catalog.metastore.add_partitions(TableIdentifier.of("web.clicks"), [Partition((day, hour), has_descriptor=True)\n'
        "                                 for hour in hours], if_not_exists=False)\n"
        'catalog.metastore.add_partitions(TableIdentifier.of("sales.customers_by_day"),\n'
        "                                 [Partition((day,), has_descriptor=True)], if_not_exists=False)\n"
    )
    shown = "\nprint(report.added, report.waiting)\ncatalog.close()\n"
    script = (first + bases + example("Publishing", "python") + shown).replace(TOUR, tour)
    out = run([sys.executable, "-c", script], tour, tmp_path)
    assert "FROM `web`.`clicks`" in out
    assert "[1, 2, 1]" in out
    assert "('ds=2026-08-22',) {}" in out


def test_the_shell_example_works_as_typed(tour: str, tmp_path: Path) -> None:
    out = run(["bash", "-euo", "pipefail", "-c", example("In the shell", "shell").replace(TOUR, tour)], tour, tmp_path)
    assert "-SELECT user_id, count(*)" in out
    assert "+SELECT user_id, count(DISTINCT page)" in out
    assert "2026-08-21" in out


def test_the_configuration_example_is_one_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "hive-views.toml").write_text(example("Configuration", "toml"), encoding="utf-8")
    resolved = resolve(config=tmp_path / "hive-views.toml", environment={})
    assert (resolved.catalog, resolved.settings.warehouse) == ("prod", "s3://lake/views")
