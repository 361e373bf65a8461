"""Reading what rules judge by: each table opened once, and asked only for what a rule needs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import cast

from hive_views.base_tables.detect import check_format, open_base_table, table_name
from hive_views.base_tables.hive import TableReader
from hive_views.base_tables.port import (
    BaseTable,
    Commit,
    ListedTable,
    PartitionListing,
    PartitionValues,
    TableWithFingerprints,
    TableWithHistory,
    TableWithMarkers,
)
from hive_views.errors import CorruptMetadataError, InvalidInputError, UnsupportedFeatureError
from hive_views.messages.remedy import Remedy
from hive_views.readiness.evidence import Asked, Details, LateChanges, Mark, Need
from hive_views.readiness.rules import Rule
from hive_views.storage.files import Files

Listings = Mapping[str, PartitionListing]

# What is written every few seconds takes longer to ask about a day than to wait for.
_MOST_COMMITS = 1_000


def open_tables(
    metastore: TableReader,
    rule: Rule,
    given: Mapping[str, BaseTable] | None = None,
    *,
    files: Files | None = None,
) -> dict[str, BaseTable]:
    """Each table that the rule is about, by its name in the rule.

    Args:
        metastore: where tables are looked up.
        rule: what is about them.
        given: readers to be used for tables of these names.
        files: the storage of the others.

    Raises:
        InvalidInputError: a table has another format than the rule says, or does not report what the rule asks for.
        NoSuchTableError, UnsupportedFeatureError: as ``open_base_table``.
    """
    readers = {table_name(name): table for name, table in (given or {}).items()}
    tables: dict[str, BaseTable] = {}
    for named in (table for required in rule.requirements() for table in required.tables()):
        if named.name not in tables:
            tables[named.name] = readers.get(named.name) or open_base_table(
                metastore, named.name, named.format, files=files
            )
        table = tables[named.name]
        check_format(named.name, table.format, named.format)
        if named.needs and not _reports(table, named.needs):
            raise _does_not_report(named.name, table, named.needs)
    return tables


def read_details(tables: Mapping[str, BaseTable], listings: Listings, asked: Asked) -> Details:
    """Read what rules ask for beyond the listings of the tables.

    Args:
        tables: by the names that the rules call them.
        listings: their partitions, by the same names; what is read is as of them.
        asked: what is read, and nothing else.

    Raises:
        UnavailableError: it cannot be read.
    """
    return Details(
        statistics={
            name: cast("TableWithFingerprints", tables[name]).load_statistics(list(values)) if values else {}
            for name, values in asked.statistics.items()
        },
        marked={
            (name, mark): _marked(tables[name], mark, list(values)) if values else frozenset()
            for (name, mark), values in asked.marks.items()
        },
        commits={name: _commits(tables[name], listings[name]) for name in asked.commits},
        changes={
            (name, after_ms): _changes_after(tables[name], listings[name], after_ms) for name, after_ms in asked.changes
        },
    )


_UNKNOWN: Mapping[Need, str] = {
    "statistics": "does not report how much data its partitions have",
    "parameters": "has no partitions with parameters in the metastore",
    "marks": "has no marks of its writer that are known here",
    "commits": "has no commits",
    "snapshot": "has no snapshots and so no watermark",
}


def _reports(table: BaseTable, need: Need) -> bool:
    if need == "statistics":
        return isinstance(table, (TableWithFingerprints, TableWithHistory))
    if need == "parameters":
        return isinstance(table, TableWithFingerprints)
    if need == "marks":
        return isinstance(table, TableWithMarkers)
    return isinstance(table, TableWithHistory)


def _does_not_report(name: str, table: BaseTable, need: Need) -> InvalidInputError:
    reason = f"{name} is a {table.format} table, which {_UNKNOWN[need]}"
    if isinstance(table, ListedTable) and need in ("statistics", "parameters", "marks"):
        remedy = Remedy(
            in_python="Leave it out of base_tables= to have it read directly, or use another rule.",
            in_shell="Leave the rule out, or use another.",
        )
        return InvalidInputError(f"{reason}, as it is read through {table.read_through}.", remedy=remedy, table=name)
    return InvalidInputError(f"{reason}. Leave the rule out, or use another.", table=name)


def _marked(table: BaseTable, mark: Mark, values: list[PartitionValues]) -> frozenset[PartitionValues]:
    if mark.by == "parameter":
        parameters = cast("TableWithFingerprints", table).load_parameters(values)
        return frozenset(one for one in values if parameters.get(one, {}).get(mark.name, "").lower() == mark.value)
    with_marks = cast("TableWithMarkers", table)
    if mark.by == "event":
        return frozenset(with_marks.done_events(values))
    if mark.by == "success-file":
        return frozenset(with_marks.done_files(values, mark.name))
    return frozenset(with_marks.done_partitions(values))


def _commits(table: BaseTable, listing: PartitionListing) -> list[Commit]:
    # A table without any commit has no snapshot.
    return list(cast("TableWithHistory", table).commits(listing.snapshot)) if listing.snapshot else []


def _changes_after(table: BaseTable, listing: PartitionListing, after_ms: int) -> LateChanges:
    """What the commits after a timestamp did up to the listing; all of them, if the one before them is known too."""
    until = listing.snapshot
    if until is None or not isinstance(table, TableWithHistory):
        return LateChanges()
    first, is_all = until, False
    with suppress(CorruptMetadataError, UnsupportedFeatureError):
        for commit in islice(table.commits(until), _MOST_COMMITS):
            first = commit.snapshot
            is_all = first.committed_at_ms is not None and first.committed_at_ms <= after_ms
            if is_all:
                break
    changes = table.changes(first, until)
    return LateChanges(changes.partitions, is_all) if changes.unknown is None else LateChanges()
