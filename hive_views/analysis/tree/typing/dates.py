"""Types of functions of dates and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hive_views.analysis.query_analysis import DerivedType, beside, both
from hive_views.analysis.tree.typing.context import Context, Rule
from hive_views.analysis.tree.typing.results import by_engine, fixed, of_first
from hive_views.hive.types import HiveType

_PARTS = frozenset(["year", "month", "day", "dayofweek", "hour", "minute", "quarter", "week"])

_WITH_UNIT = 3
"""How many arguments a call has whose first one is a unit, where the tree has it as it is written."""


def _extract(node: Any, _context: Context) -> DerivedType:
    unit = node.this.name.lower()
    # The parts of a second are a decimal in Spark.
    if unit == "second":
        return beside("int", "decimal(8,6)")
    return both("int" if unit in _PARTS else None, f"Hive has no {unit} in EXTRACT")


def _datediff(node: Any, _context: Context) -> DerivedType:
    # With a unit it is Spark's own.
    is_of_units = node.args.get("unit") or len(node.expressions) == _WITH_UNIT
    return DerivedType(None, "bigint", "Hive has no units there") if is_of_units else both("int")


def _dateadd(node: Any, _context: Context) -> DerivedType:
    # With a unit, a date becomes a timestamp.
    return DerivedType(
        None, "timestamp" if len(node.expressions) == _WITH_UNIT else "date", "not every Hive has dateadd"
    )


def _of_time(given: Sequence[HiveType], result: str) -> str | None:
    """Of a number, trunc is another function, which Spark has not."""
    return result if given[0].name in ("string", "char", "varchar", "date", "timestamp") else None


NAMED: dict[str, Rule] = {
    **fixed(
        {
            "int": "year month day dayofmonth dayofweek weekofyear quarter hour minute second",
            "bigint": "unix_timestamp to_unix_timestamp",
            "double": "months_between",
            "date": "to_date date date_add date_sub current_date currentdate",
            "timestamp": "from_utc_timestamp to_utc_timestamp current_timestamp currenttimestamp",
            "string": "date_format from_unixtime",
        }
    ),
    **by_engine("string", "date", "add_months last_day next_day"),
    **of_first(lambda given: _of_time(given, "string"), lambda given: _of_time(given, "date"), "trunc"),
    "dateadd": _dateadd,
    "datediff": _datediff,
    "extract": _extract,
}
