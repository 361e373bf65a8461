"""A catalog in which there is one of everything: histories, publications with gaps, plain, drifted and broken views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.base_tables.port import BaseTable
from hive_views.hive.row import POINTER, VIRTUAL_VIEW, Column, Row
from hive_views.publishing.publish import publish
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

HOSTILE = "</pre></details><script>alert('x')</script>\"'><img src=x onerror=alert(1)>&amp;\x1b[31m\u202e{{ 7 * 7 }}"
"""What somebody wrote who wants to be more than text."""

DAYS = [str(date(2026, 5, 4) + timedelta(number)) for number in range(110)]
NEVER_LOADED = {"2026-05-20", "2026-06-13", "2026-06-14", "2026-06-15", "2026-07-31"}
HALF_LOADED = DAYS[-2:]

_DS = Column("ds", "string")
_HR = Column("hr", "string")
_TYPES = {"user_id": "bigint", "country": "string"}
_CLICKS = "SELECT user_id, page, ds, hr FROM web.clicks"


def fill(catalog: ViewCatalog) -> Mapping[str, BaseTable]:
    """Make the views in an empty catalog.

    Returns:
        The base tables that they are published on, by name.
    """
    for namespace in ("sales", "staging", "web"):
        catalog.create_namespace(namespace)
    _tables(catalog)
    _staging(catalog)
    _sales(catalog)
    tables = {
        "web.clicks": MemoryBaseTable(
            "web.clicks",
            [_DS, _HR],
            [
                (day, f"{hour:02}")
                for day in DAYS
                if day not in NEVER_LOADED
                for hour in range(24 if day not in HALF_LOADED else 7)
            ],
        )
    }
    all_hours = requires("web.clicks", ds=column("ds"), hr=range(24))
    publish(catalog, "sales.daily", all_hours, base_tables=tables, app_id="nightly", run_version=7)
    catalog.partitions("sales.daily").drop([{"ds": DAYS[-3]}])
    _broken(catalog)
    return tables


def _tables(catalog: ViewCatalog) -> None:
    for name, columns in {
        "clicks": {"user_id": "bigint", "page": "string", "ds": "string", "hr": "string"},
        "users": {"user_id": "bigint", "country": "string", "segment": "string"},
        "orders": {"order_id": "bigint", "user_id": "bigint", "amount": "decimal(12,2)", "ds": "string"},
    }.items():
        listed = tuple(Column(column, type_) for column, type_ in columns.items())
        row = Row(TableIdentifier("web", name), "MANAGED_TABLE", "loader", columns=listed)
        catalog.metastore.create_row(row)


def _staging(catalog: ViewCatalog) -> None:
    catalog.create_view(
        "staging.clicks",
        sql={"hive": _CLICKS, "trino": _CLICKS},
        schema=[("user_id", "bigint"), ("page", "string"), ("ds", "string"), ("hr", "string")],
        comment="Clicks as they come",
    )
    catalog.create_view(
        "staging.users",
        sql={"hive": "SELECT user_id, upper(country) AS country, segment FROM web.users"},
        schema=[("user_id", "bigint"), ("country", "string"), ("segment", "string")],
    )
    plain = Row(
        TableIdentifier("staging", "orders"),
        VIRTUAL_VIEW,
        "hive",
        columns=(Column("order_id", "bigint"), Column("user_id", "bigint"), Column("amount", "decimal(12,2)"), _DS),
        original_text="select o.* from web.orders o",
        expanded_text="SELECT `o`.`order_id`, `o`.`user_id`, `o`.`amount`, `o`.`ds` FROM `web`.`orders` `o`",
        parameters={"transient_lastDdlTime": "1755000000", "comment": "Made in Hive, years ago"},
    )
    catalog.metastore.create_row(plain)


def _sales(catalog: ViewCatalog) -> None:
    daily = (
        "SELECT c.user_id,\n       {count} AS clicks,\n       u.country,\n       c.ds\nFROM staging.clicks c\n"
        "JOIN staging.users u ON c.user_id = u.user_id\nGROUP BY c.user_id, u.country, c.ds"
    )
    first = daily.format(count="count(*)")
    catalog.create_view(
        "sales.daily",
        sql={"hive": first, "spark": first, "trino": first},
        schema=[("user_id", "bigint"), ("clicks", "bigint", "how often"), ("country", "string"), ("ds", "string")],
        partitioned_on=["ds"],
        comment="Clicks by user and day, as the search team counts them since the move to the new tracker",
        properties={"team": "search", "contact": "search@example.org"},
    )
    second = daily.format(count="count(DISTINCT c.page)")
    catalog.replace_view("sales.daily", sql={"hive": second, "spark": second, "trino": second})
    catalog.roll_back_view("sales.daily", to_version=1)
    third = second.replace("u.country,\n       c.ds\nFROM", "coalesce(u.country, '??') AS country,\n       c.ds\nFROM")
    catalog.replace_view("sales.daily", sql={"hive": third, "spark": third, "trino": third})
    catalog.create_view(
        "sales.weekly",
        sql={"hive": "SELECT user_id, sum(clicks) AS clicks FROM sales.daily GROUP BY user_id"},
        schema=[("user_id", "bigint"), ("clicks", "bigint")],
    )
    catalog.create_view(
        "sales.revenue",
        sql={
            "hive": "SELECT o.user_id, o.amount, d.clicks FROM staging.orders o JOIN sales.daily d "
            "ON o.user_id = d.user_id AND o.ds = d.ds"
        },
        schema=[("user_id", "bigint"), ("amount", "decimal(12,2)"), ("clicks", "bigint")],
    )
    catalog.create_view(
        "sales.hostile",
        sql={"hive": f"SELECT '{HOSTILE.replace(chr(39), '')}' AS a FROM sales.weekly"},
        schema=[("a", "string", HOSTILE)],
        comment=HOSTILE,
        properties={"note": HOSTILE},
    )


def _broken(catalog: ViewCatalog) -> None:
    for name, text in {
        "drifted": "SELECT user_id FROM sales.daily",
        "without_file": "SELECT user_id, country FROM staging.users",
        "pointer_lost": "SELECT user_id FROM sales.weekly",
    }.items():
        columns = [
            (one.strip(), _TYPES[one.strip()]) for one in text.removeprefix("SELECT ").partition(" FROM")[0].split(",")
        ]
        catalog.create_view(f"sales.{name}", sql={"hive": text}, schema=columns)
    metastore = catalog.metastore
    drifted = metastore.load_row(TableIdentifier("sales", "drifted"))
    other = "SELECT user_id FROM web.clicks"
    metastore.swap_row(replace(drifted, original_text=other, expanded_text=other), expected=None)
    without_file = catalog.load_view("sales.without_file")
    catalog.storage.delete(without_file.metadata_location)
    lost = metastore.load_row(TableIdentifier("sales", "pointer_lost"))
    without_pointer = {key: value for key, value in lost.parameters.items() if key != POINTER}
    metastore.swap_row(replace(lost, parameters=without_pointer), expected=None)
