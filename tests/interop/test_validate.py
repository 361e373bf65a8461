"""The texts of a project, analyzed by Spark before and after it is applied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hive_views import ViewCatalog
from hive_views.project.validating.validate_project import validate
from hive_views.project.validating.validation import Validation, Verdict
from tests.support.views.projects import write_views

VALID, INVALID, NOT_VALIDATED = Verdict.VALID, Verdict.INVALID, Verdict.NOT_VALIDATED


def _verdicts(found: Validation) -> dict[tuple[str, str], Verdict]:
    return {(one.view.name, one.dialect): one.verdict for one in found.texts}


def test_views_that_read_each_other_are_analyzed_before_any_of_them_is_applied(
    spark: Any, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path
) -> None:
    project = write_views(
        tmp_path,
        namespace,
        # Its own names; one type that Spark finds otherwise.
        daily=f"(who, clicks INT, ds) AS SELECT user_id, count(*), ds FROM {web}.clicks GROUP BY user_id, ds",
        # With the database and without, a star, an alias, and a comment at the end, behind which nothing may stand.
        busy=f"AS SELECT {namespace}.daily.*, d.clicks AS again FROM daily JOIN {namespace}.daily d "
        "ON daily.who = d.who -- all of it\nDIALECT trino AS SELECT 1 AS a",
        wrong="AS SELECT again,\n  clickz FROM busy",
        reader="AS SELECT 1 AS a FROM wrong",
        # Two texts: Spark reads both, each as views of its dialect.
        mixed="AS SELECT 1 AS a DIALECT spark AS SELECT nothing_like_it(ds) AS a FROM busy",
        circle="AS SELECT a FROM round",
        round="AS SELECT a FROM circle",
        sampled="AS SELECT * FROM busy TABLESAMPLE (10 PERCENT)",
    )
    found = validate(catalog, project, spark)

    assert _verdicts(found) == {
        ("daily", "hive"): VALID,
        ("busy", "hive"): VALID,
        ("wrong", "hive"): INVALID,
        ("reader", "hive"): NOT_VALIDATED,
        ("mixed", "hive"): VALID,
        ("mixed", "spark"): INVALID,
        ("sampled", "hive"): NOT_VALIDATED,
        ("circle", "hive"): NOT_VALIDATED,
        ("round", "hive"): NOT_VALIDATED,
    }
    texts = {(one.view.name, one.dialect): one for one in found.texts}
    wrong = texts["wrong", "hive"]
    assert wrong.place == f"{namespace}/wrong.sql:2:3"
    assert "`clickz` cannot be resolved" in str(wrong.message)
    assert wrong.excerpt == "  clickz FROM busy\n  ^"
    assert texts["daily", "hive"].differences == ("Column clicks is bigint by Spark, and int in the plan.",)
    assert texts["reader", "hive"].message == f"It reads {namespace}.wrong, which is invalid."
    assert not catalog.list_views(namespace)


def test_a_view_that_is_as_its_file_says_is_read_from_the_metastore_unless_what_it_reads_changes(
    spark: Any, catalog: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    views = {"base": "AS SELECT 1 AS a", "middle": "AS SELECT a FROM base", "top": "AS SELECT a FROM middle"}
    project = write_views(tmp_path, namespace, **views)
    catalog.create_view(f"{namespace}.base", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    catalog.create_view(f"{namespace}.middle", sql={"hive": "SELECT a FROM base"}, schema=[("a", "int")])
    assert {*_verdicts(validate(catalog, project, spark)).values()} == {VALID}
    # The metastore's own ``middle`` reads the ``base`` that there is, which has no such column.
    changed = write_views(
        tmp_path,
        namespace,
        base="AS SELECT 'x' AS a, 2 AS b",
        middle=views["middle"],
        top="AS SELECT a || 'y' AS c FROM middle",
    )
    found = {one.view.name: one for one in validate(catalog, changed, spark).texts}
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(("base", "middle", "top"), VALID)
    assert found["middle"].differences == ()
