"""Rows that share a metadata file, or the proof that its files are theirs.

No two rows of this library do: a row that is registered gets a copy of the file. An engine that registers one of our
files, and a restored copy of a database or a row, make such rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from hive_views.estate.checks.findings import Finding
from hive_views.hive.row import POINTER, Row
from hive_views.persisted import OWNS
from hive_views.views import remedies
from hive_views.views.view import is_iceberg_view


def sharing(rows: Iterable[Row]) -> Iterator[Finding]:
    """One finding for each row that shares a file, or its incarnation, with another one."""
    by_file: dict[str, list[Row]] = defaultdict(list)
    by_owner: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if is_iceberg_view(row) and (file := row.parameters.get(POINTER)):
            # Hadoop writes local URIs with one slash.
            by_file[file.replace("file:///", "file:/")].append(row)
            if owned := row.parameters.get(OWNS):
                by_owner[owned].append(row)
    for one in by_file.values():
        yield from _each_of("shared-file", one, "points to the same metadata file as")
    for one in by_owner.values():
        yield from _each_of("shared-ownership", one, "proves to own the same files as")


def _each_of(code: str, rows: Sequence[Row], relation: str) -> Iterator[Finding]:
    for row in rows if len(rows) > 1 else ():
        name, file = str(row.identifier), row.parameters[POINTER]
        others = [str(other.identifier) for other in rows if other is not row]
        problem = f"The row {relation} that of {', '.join(others)}."
        remedy = remedies.register(name, file)
        yield Finding(code, name, problem, remedy, {"location": file, "others": others})
