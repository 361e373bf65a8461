"""What Spark's EXPLAIN FORMATTED says of the tables it reads."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SCAN = re.compile(r"^\(\d+\) Scan \S+ spark_catalog\.(?P<table>\S+)\s*$(?P<details>(?:\n\S.*)*)", re.MULTILINE)
_LOCATION = re.compile(r"^Location: \S*Index\s*\[(?P<first>[^,\]]+)(?:, \.\.\. (?P<more>\d+) entries)?", re.MULTILINE)
_FILTERS = re.compile(r"^PartitionFilters: \[(.*)\]$", re.MULTILINE)


@dataclass(frozen=True)
class Scan:
    """One table in a plan: how many of its partitions are read, and the predicates that chose them."""

    table: str
    partitions: int
    filters: str

    def filter_on(self, column: str) -> str:
        """The predicate that compares this column with a value; "" where there is none."""
        found = re.search(rf"\({column}#\d+ = ([^)]*)\)", self.filters)
        return f"{column} = {found[1]}" if found else ""


def scans_of(plan: str) -> list[Scan]:
    """The scans of files in a plan, without those that only compute what another scan filters by."""
    scans = []
    for scan in _SCAN.finditer(plan.partition("===== Subqueries =====")[0]):
        location, filters = _LOCATION.search(scan["details"]), _FILTERS.search(scan["details"])
        partitions = 1 + int(location["more"] or 0) if location else 0
        scans.append(Scan(scan["table"], partitions, filters[1] if filters else ""))
    return scans
