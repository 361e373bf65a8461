"""The base table and the view that tests with a real engine share, and what is expected of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hive_views import View, ViewCatalog
from hive_views.estate import check

COLUMNS = [("user_id", "bigint", "who"), ("clicks", "bigint"), ("ds", "string", "day")]
BASE_COLUMNS = [("user_id", "bigint"), ("page", "string"), ("ds", "string")]
PAGES = [
    (1, "/", "2026-08-21"),
    (1, "Ω / é 😀", "2026-08-21"),
    (2, "/", "2026-08-21"),
    (1, "/", "2026-08-22"),
]
BASE_ROWS = ", ".join(map(str, PAGES))
DAYS = [{"ds": "2026-08-21"}, {"ds": "2026-08-22"}]
NAMES = ["ds=2026-08-21", "ds=2026-08-22"]
ROWS = [(1, 2, "2026-08-21"), (2, 1, "2026-08-21"), (1, 1, "2026-08-22")]
SEVENS = [(user_id, 7, ds) for user_id, _, ds in PAGES]
"""What is read where each row of the base table has 7 clicks."""

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement in Spark and returns its rows, sorted by their last and then their first column, as ROWS are."""


def by_day(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows sorted as ROWS are."""
    return sorted(rows, key=lambda row: (row[-1], row[0]))


def sound(catalog: ViewCatalog, name: str) -> View:
    """The view as our API has it, with nothing wrong."""
    view = catalog.load_view(name)
    assert view.differences == ()
    assert check(catalog, name).findings == ()
    return view
