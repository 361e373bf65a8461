"""The declared partitions of a view: whether their names fit its columns, and whether they still have their ground.

A partition has lost its ground where ``revalidate`` calls it missing, by the rules that are recorded with the view:
base partitions that they need are gone, or a base table is. What was merely changed since is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from hive_views.errors import HiveViewsError, InvalidPartitionError, NoSuchTableError
from hive_views.estate.checks.findings import Finding, NotKnown
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.hive.partition_names import parse_partition_name, partition_name
from hive_views.hive.partition_values import normalise_spec
from hive_views.hive.row import Column, Row
from hive_views.messages.counted import counted
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PENDING_KEYS
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.publishing.revalidation import revalidate
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.partition_orphans import orphans_among
from hive_views.views.row.projection import partitioned_on
from hive_views.views.view import View

_SHOWN = 20


def may_have_partitions(row: Row, view: View | None) -> bool:
    """Whether the names of partitions are to be listed: a row may have lost its keys, and still have partitions.

    Between the two steps of a change of columns the keys are away for a moment.
    """
    if PENDING_KEYS in row.parameters:
        return False
    return bool(row.partition_keys) or (view is not None and bool(partitioned_on(view.metadata)))


def is_published(view: View) -> bool:
    """Whether rules are recorded that partitions were published by."""
    return bool(recorded_rules(view.metadata.properties))


def check_names(row: Row, view: View | None, names: Sequence[str]) -> Iterator[Finding]:
    """Whether partitions have the keys of the view, and values of their types.

    Args:
        row: of the view.
        view: None for a plain one.
        names: of its partitions.
    """
    name, keys = str(row.identifier), row.partition_keys
    orphans = orphans_among(names, keys)
    if orphans:
        drifted = view is not None and any(one.kind == "drifted" for one in view.differences)
        remedy = remedies.decide_on_drift(name) if drifted else _drop_partitions(name)
        of_view = ", ".join(key.name for key in keys)
        problem = f"{counted(len(orphans), 'partition')} with other keys than ({of_view}), such as {orphans[0]}."
        yield Finding("partitions-of-other-keys", name, problem, remedy, _details(orphans))
    others = set(orphans)
    wrong = [one for one in names if one not in others and not _is_spelled(one, keys)]
    if wrong:
        problem = f"{counted(len(wrong), 'partition')} with values that their columns cannot have, such as {wrong[0]}."
        yield Finding("partition-values", name, problem, _drop_partitions(name), _details(wrong))


def check_ground(catalog: ViewCatalog, view: View) -> Iterator[Finding | NotKnown]:
    """Which published partitions have lost base partitions that their rules need."""
    name = str(view.identifier)
    try:
        # What is gone, the metastore knows; what was written in directories is no fault.
        report = revalidate(catalog, view.identifier, metastore_only=True)
    except NoSuchTableError as error:
        problem = f"Its partitions were published on a table that no longer exists. {error}"
        yield Finding("partitions-without-ground", name, problem, _retract_partitions(name))
        return
    except HiveViewsError as error:
        if is_unreachable(error, catalog):
            raise
        yield NotKnown(name, "partitions", str(error))
        return
    missing = report.in_state("missing")
    if missing:
        why = "; ".join(report.partitions[missing[0]].reasons)
        problem = f"{len(missing):,} published partitions lost base partitions they need, such as {missing[0]}: {why}."
        yield Finding("partitions-without-ground", name, problem, _retract_partitions(name), _details(missing))
    unknown = report.in_state("unknown")
    if unknown:
        why = "; ".join(report.partitions[unknown[0]].reasons)
        yield NotKnown(name, "partitions", f"Of {len(unknown):,} published partitions, such as {unknown[0]}: {why}.")


def _is_spelled(name: str, keys: Sequence[Column]) -> bool:
    with suppress(InvalidPartitionError):
        values = normalise_spec(parse_partition_name(name), keys)
        return partition_name([key.name for key in keys], values) == name
    return False


def _details(names: Sequence[str]) -> dict[str, object]:
    return {"partitions": list(names[:_SHOWN]), "count": len(names)}


def _drop_partitions(view: str) -> Remedy:
    return Remedy(
        in_python=f"partitions('{view}').drop([...]) drops them.",
        in_shell=f"`hive-views partitions drop {view}` drops them.",
    )


def _retract_partitions(view: str) -> Remedy:
    return Remedy(
        in_python=f"revalidate(catalog, '{view}') says what is missing; load it again, or publish with retract=True, "
        f"which drops these partitions.",
        in_shell=f"`hive-views revalidate {view}` says what is missing; load it again, or drop these partitions with "
        f"`hive-views publish {view} --retract`.",
    )
