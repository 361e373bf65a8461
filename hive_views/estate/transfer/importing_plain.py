"""Putting plain views that were read elsewhere into a metastore: as they were, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hive_views.errors import CommitFailedError
from hive_views.estate.each.outcomes import Outcome, State, in_sentences
from hive_views.estate.transfer.importing import IfExists, name_taken
from hive_views.estate.transfer.snapshot import fitting_partitions, plain_partition
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.row import DDL_TIME, Partition, Row
from hive_views.messages.enumerated import first_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.creation import create_plain_view
from hive_views.views.row.file_references import left_out, without_files
from hive_views.views.row.projection import fingerprint


def place_plain(
    catalog: ViewCatalog,
    row: Row,
    partitions: Mapping[str, Partition] | None,
    current: Row | None,
    if_exists: IfExists,
    *,
    dry_run: bool,
) -> Outcome:
    """Have a plain view as it was, but for what points to files; one that differs is never replaced.

    Nothing would bring that one back. What points to files is not proved by an archive, and would go with the view.

    Args:
        catalog: where it is to be.
        row: its row.
        partitions: those that it should have, by name; None where they are not looked at.
        current: the row that has the name; None where none has.
        if_exists: whether one that differs is left or refused.
        dry_run: only say what would be done.
    """
    name, done = str(row.identifier), State.PLANNED if dry_run else State.DONE
    missing, besides = dict(partitions or {}), None
    if current is None or not _is_same_plain(current, row):
        besides, row = left_out(row, is_ours=False, dry_run=dry_run), without_files(row)
    if current is not None:
        differing, missing = _compare_plain(catalog, current, row, partitions)
        if differing:
            error = name_taken(current, differing)
            if if_exists == "skip":
                return Outcome(name, State.LEFT, error.message)
            raise error
        if not missing:
            return Outcome(name, State.UNCHANGED, "It is there already.")
    if not dry_run:
        if current is None:
            create_plain_view(catalog.engine, row)
        _declare_plain(catalog, row.identifier, list(missing.values()))
        differing, missing = _compare_plain(catalog, catalog.metastore.load_row(row.identifier), row, partitions)
        if differing or missing:
            how = differing or "not all of its partitions are there"
            raise CommitFailedError(f"{name} was restored, and is not as it was: {how}.", identifier=name)
    return Outcome(name, done, in_sentences("It is a plain view.", besides if current is None else None))


def _compare_plain(
    catalog: ViewCatalog, current: Row, row: Row, partitions: Mapping[str, Partition] | None
) -> tuple[str | None, dict[str, Partition]]:
    """In what a plain view is not what it should be, and which partitions are only missing."""
    if not _is_same_plain(current, row):
        return "it is not the plain view that the archive has", {}
    if partitions is None:
        return None, {}
    there = _partitions_of(catalog, current)
    others = [
        name for name, one in there.items() if name not in partitions or partitions[name].parameters != one.parameters
    ]
    if others:
        return f"the archive does not have its partition {first_of(others, 1)}, or with other parameters", {}
    return None, {name: one for name, one in partitions.items() if name not in there}


def _partitions_of(catalog: ViewCatalog, row: Row) -> dict[str, Partition]:
    """The partitions that fit a plain view, as an archive has them; those of other columns are in none."""
    if not row.partition_keys:
        return {}
    return {name: plain_partition(one) for name, one in fitting_partitions(catalog.metastore, row, [])}


def _is_same_plain(found: Row, wanted: Row) -> bool:
    """Whether readers take the same from both; servers may add parameters of their own."""
    should = {key: value for key, value in wanted.parameters.items() if key != DDL_TIME}
    return fingerprint(found) == fingerprint(wanted) and should.items() <= dict(found.parameters).items()


def _declare_plain(catalog: ViewCatalog, name: TableIdentifier, partitions: Sequence[Partition]) -> None:
    for start in range(0, len(partitions), PARTITIONS_IN_A_CALL):
        batch = partitions[start : start + PARTITIONS_IN_A_CALL]
        if catalog.metastore.add_partitions(name, batch, if_not_exists=True).needs_descriptors:
            batch = [replace(one, has_descriptor=True) for one in batch]
            catalog.metastore.add_partitions(name, batch, if_not_exists=True)
