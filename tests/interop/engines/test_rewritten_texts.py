"""Texts that are written otherwise in the row: the rows of the view are those of Hive for the text, in both."""

from __future__ import annotations

import pytest

from hive_views import ViewCatalog
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import Hive

TEXTS = {
    "a comma before an outer join": (
        "SELECT s.a AS x, w.a AS y FROM (SELECT 1 AS a UNION ALL SELECT 2 AS a) s, (SELECT 5 AS a) u "
        "RIGHT JOIN (SELECT 9 AS a) w ON u.a = w.a"
    ),
    "a condition on what stands before a comma": (
        "SELECT s.a AS x, w.a AS y FROM (SELECT 1 AS a UNION ALL SELECT 2 AS a) s, (SELECT 5 AS a) u "
        "JOIN (SELECT 2 AS a) w ON s.a = w.a"
    ),
    "commas in brackets": "SELECT s.page AS x, u.user_id AS y FROM ({web}.clicks s, {web}.clicks u)",
    "a limit with a comma": "SELECT page AS x, user_id AS y FROM {web}.clicks ORDER BY x, y LIMIT 1, 2",
    "other names than those of a condition": (
        "SELECT page, max(user_id) FROM {web}.clicks GROUP BY page HAVING max(user_id) > 1 AND page > ''"
    ),
    "a definition in a subquery that hides another": (
        "WITH q AS (SELECT 1 AS a) SELECT p.a AS x, q.a AS y FROM (WITH q AS (SELECT 2 AS a) SELECT a FROM q) p "
        "JOIN q ON p.a > q.a"
    ),
}


@pytest.mark.parametrize("what", TEXTS)
def test_the_rows_of_a_view_are_those_that_hive_has_for_the_text_as_typed(
    catalog: ViewCatalog, namespace: str, web: str, hive: Hive, spark_4: SparkProcess, what: str
) -> None:
    text = TEXTS[what].format(web=web)
    typed = sorted(map(repr, hive.rows(text)))
    hive.rows(f"CREATE VIEW {namespace}.own AS {text}")
    types = [type_ for _, type_, _ in hive.rows(f"DESCRIBE {namespace}.own")]
    columns = [(name, str(type_)) for name, type_ in zip(("user_id", "page"), types, strict=True)]
    view = catalog.create_view(f"{namespace}.v", sql={"hive": text}, schema=columns)
    select = f"SELECT * FROM {view.identifier}"
    assert typed
    assert sorted(map(repr, hive.rows(select))) == typed
    assert sorted(map(repr, spark_4.rows(select))) == typed
