"""A small estate: two tables, managed and plain views in several dialects, three levels deep."""

from __future__ import annotations

from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on

CLICKS = TableIdentifier("web", "clicks")
USERS = TableIdentifier("web", "users")
DAILY = """SELECT page AS p, count(*) AS n, ds
FROM web.clicks
WHERE user_id > 1 AND page <> ''
GROUP BY page, ds"""


def table(name: TableIdentifier, *columns: tuple[str, str]) -> Row:
    typed = tuple(Column(*column) for column in columns)
    return Row(name, "MANAGED_TABLE", "ada", f"file:/tables/{name}", typed, (Column("ds", "string"),))


def plain(name: str, text: str, *columns: tuple[str, str]) -> Row:
    """A view as Hive makes it."""
    typed = tuple(Column(*column) for column in columns)
    return Row(TableIdentifier.of(name), "VIRTUAL_VIEW", "ada", None, typed, original_text=text, expanded_text=text)


def clicks_estate(warehouse: str | None = None, metastore: MemoryMetastore | None = None) -> ViewCatalog:
    """``weekly`` reads ``daily``, ``monthly`` (plain) reads ``weekly``; ``everything`` is a star, ``joined`` a join."""
    catalog = catalog_on(metastore or MemoryMetastore(), warehouse)
    catalog.create_namespace("web")
    rows = catalog.metastore
    rows.create_row(table(CLICKS, ("user_id", "bigint"), ("page", "string")))
    rows.create_row(table(USERS, ("user_id", "bigint"), ("country", "string")))
    trino = "SELECT page AS p, count(*) AS n, ds FROM web.clicks GROUP BY page, ds"
    columns = [("p", "string"), ("n", "bigint"), ("ds", "string")]
    catalog.create_view("sales.daily", sql={"hive": DAILY, "trino": trino}, schema=columns)
    catalog.create_view(
        "sales.weekly",
        sql={"spark": "SELECT p AS top, n FROM sales.daily"},
        schema=[("top", "string"), ("n", "bigint")],
    )
    text = "SELECT `weekly`.`n` AS `m` FROM `sales`.`weekly`"
    rows.create_row(plain("sales.monthly", text, ("total", "bigint")))
    everything = [("user_id", "bigint"), ("page", "string"), ("ds", "string")]
    catalog.create_view("sales.everything", sql={"spark": "SELECT * FROM web.clicks"}, schema=everything)
    joined = "SELECT country, page FROM web.clicks c JOIN web.users u ON c.user_id = u.user_id"
    catalog.create_view("sales.joined", sql={"hive": joined}, schema=[("country", "string"), ("page", "string")])
    return catalog
