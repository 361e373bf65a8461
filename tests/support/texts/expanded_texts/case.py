"""What a case is, and the tables that all cases read."""

from __future__ import annotations

from typing import NamedTuple

NAMESPACE = "web"
"""The namespace of tables that are named without one."""

VIEW = "daily"

TABLES = {
    # Every row differs in every column, so that a mix-up of columns or tables shows.
    "web.clicks": """SELECT * FROM VALUES
        (1L, '/a', 3, array('x', 'y'), map('k', 'v', 'l', 'w'), named_struct('day', 'mon', 'hour', 7), '2026-08-21'),
        (2L, '/b', 5, array('z'), map('m', 'u'), named_struct('day', 'tue', 'hour', 8), '2026-08-21'),
        (1L, '/c', 8, array('q'), map('n', 't'), named_struct('day', 'wed', 'hour', 9), '2026-08-22')
        AS t(user_id, page, amount, tags, props, visit, ds)""",
    "web.users": "SELECT * FROM VALUES (1L, 'Ann'), (2L, 'Zoë') AS t(user_id, name)",
    "shop.clicks": "SELECT * FROM VALUES (9L, '/shop', 99) AS t(user_id, page, amount)",
}


class Case(NamedTuple):
    """``judges`` have the expanded text in their grammar; ``answered`` says that Spark can run the text as typed."""

    rule: str
    sql: str
    columns: str
    expanded: str
    dialect: str = "hive"
    judges: tuple[str, ...] = ("hive", "spark")
    answered: bool = True


HIVE_ONLY, SPARK_ONLY = ("hive",), ("spark",)
