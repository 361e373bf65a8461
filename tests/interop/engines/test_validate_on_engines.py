"""The texts of a project, analyzed by Trino and by Hive before the project is applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.errors import UnavailableError
from hive_views.project.engines.validating import validate
from hive_views.project.engines.validation import Validation, Verdict
from tests.support.containers.engines import Hive, Trino
from tests.support.views.written_project import write_project


def _verdicts(found: Validation) -> dict[str, Verdict]:
    return {one.view.name: one.verdict for one in found.texts}


def test_hive(hive: Hive, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path) -> None:
    project = write_project(
        tmp_path,
        namespace,
        daily=f"(who, clicks, ds) AS WITH c AS (SELECT * FROM {web}.clicks) "
        "SELECT user_id, count(*), ds FROM c GROUP BY user_id, ds",
        busy=f"AS WITH d AS (SELECT * FROM daily) SELECT d.*, d.clicks * 1.5 AS more FROM d "
        f"JOIN {namespace}.daily ON daily.who = d.who -- all of it",
        third="AS SELECT more FROM busy ORDER BY more LIMIT 3",
        wrong="AS SELECT ds,\n  clickz FROM busy",
        reader="AS SELECT 1 AS a FROM wrong",
        mistyped="(a BIGINT) AS SELECT 1 FROM daily",
        only_spark="AS SELECT 1 AS a DIALECT spark AS SELECT 2 AS a",
    )
    found = validate(catalog, project, hive.address)
    print(*found.texts, sep="\n")
    assert 0


def test_trino(trino: Trino, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path) -> None:
    project = write_project(
        tmp_path,
        namespace,
        daily=f"(who, clicks, ds) AS SELECT user_id, count(*), ds FROM {web}.clicks GROUP BY user_id, ds "
        f"DIALECT trino AS WITH c AS (SELECT * FROM hive.{web}.clicks) SELECT user_id, count(*), ds FROM c GROUP BY 1, 3;",
        busy=f'AS SELECT daily.*, clicks AS again FROM daily DIALECT trino AS (SELECT "daily".*, d.clicks AS again FROM daily JOIN {namespace}.daily AS d (who, clicks, b) ON d.who = daily.who ORDER BY 1 -- all\n)',
        wrong="AS SELECT ds FROM busy DIALECT trino AS SELECT ds,\n  clickz FROM busy",
        reader="AS SELECT 1 AS a FROM wrong DIALECT trino AS SELECT 1 AS a FROM wrong",
        only_hive="AS SELECT 1 AS a",
        of_hive="AS SELECT a FROM only_hive DIALECT trino AS SELECT a FROM only_hive",
        sampled="AS SELECT ds FROM busy DIALECT trino AS SELECT ds FROM busy TABLESAMPLE BERNOULLI (10)",
    )
    found = validate(catalog, project, f"{trino.address}/hive")
    print(*found.texts, sep="\n")
    assert 0
