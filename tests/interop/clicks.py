"""The base table and the view that tests with a real Spark share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement in Spark and returns its rows, sorted by their last and then their first column, as ROWS are."""
