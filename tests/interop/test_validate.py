"""The texts of a project, analyzed by Spark before and after the project is applied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hive_views import ViewCatalog
from hive_views.project.engines.validating import validate
from hive_views.project.engines.validation import Validation, Verdict
from tests.support.views.written_project import write_project


def _verdicts(found: Validation) -> dict[str, Verdict]:
    return {f"{one.view.name} {one.dialect}": one.verdict for one in found.texts}


def test_spark_analyzes_views_that_read_each_other_before_any_is_applied(
    spark: Any, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path
) -> None:
    project = write_project(
        tmp_path,
        namespace,
        daily=f"(who, clicks, ds) AS SELECT user_id, count(*), ds FROM {web}.clicks GROUP BY user_id, ds",
        # Names with and without the database, an alias, a star, and a comment at the end.
        busy=f"AS SELECT {namespace}.daily.*, d.clicks AS again FROM daily JOIN {namespace}.daily d "
        f"ON daily.who = d.who -- all of it\nDIALECT trino AS SELECT 1 AS a",
        wrong="AS SELECT again,\n  clickz FROM busy",
        reader="AS SELECT 1 AS a FROM wrong",
        own="AS SELECT 1 AS a DIALECT spark AS SELECT clicks FROM busy ORDER BY 1",
        parses="AS SELECT count(*) AS n FROM wrong WHERE a = 'x'\nDIALECT spark AS SELECT nothing_like_it(ds) FROM busy",
    )


    found = validate(catalog, project, spark)

    assert _verdicts(found) == {
        "daily hive": Verdict.VALID,
        "busy hive": Verdict.VALID,
        "wrong hive": Verdict.INVALID,
        "reader hive": Verdict.NOT_VALIDATED,
        "own hive": Verdict.VALID,
        "own spark": Verdict.VALID,
        "parses hive": Verdict.NOT_VALIDATED,
        "parses spark": Verdict.INVALID,
    }
    for one in found.texts:
        print(one)
    assert 0
