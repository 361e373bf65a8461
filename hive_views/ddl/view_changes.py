"""The statements that change a view without creating a version: properties, names, partitions, DROP VIEW."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hive_views.ddl.grammar.statements import (
    AddPartitions,
    Comparison,
    DropPartitions,
    DropView,
    PublishView,
    RenameView,
    SetProperties,
    UnsetProperties,
)
from hive_views.ddl.refusals import NO_SUCH_PROPERTY, not_ours, numbered, own_view
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import (
    InvalidInputError,
    InvalidPartitionError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
)
from hive_views.hive.partition_names import DEFAULT_PARTITION
from hive_views.hive.partition_values import normalise_value, typed_value
from hive_views.hive.row import Column
from hive_views.publishing.publish import publish
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.view import View

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Values = Mapping[str, Any]
"""The values of a partition by column, typed as the columns are."""


def set_properties(catalog: ViewCatalog, statement: SetProperties, session: Session) -> StatementResult:
    """ALTER VIEW SET TBLPROPERTIES."""
    view = own_view(catalog, statement.name, session)
    return _alter(catalog, view, session, set_properties=dict(statement.properties))


def unset_properties(catalog: ViewCatalog, statement: UnsetProperties, session: Session) -> StatementResult:
    """ALTER VIEW UNSET TBLPROPERTIES; without IF EXISTS, the view must have all of them."""
    view = own_view(catalog, statement.name, session)
    missing = [key for key in statement.keys if key not in view.properties]
    if missing and not statement.if_exists:
        message = (
            f"View {view.identifier} has no property {', '.join(missing)}; UNSET TBLPROPERTIES IF EXISTS ignores it."
        )
        raise InvalidInputError(numbered(message, NO_SUCH_PROPERTY))
    return _alter(catalog, view, session, remove_properties=statement.keys)


def _alter(catalog: ViewCatalog, before: View, session: Session, **changes: Any) -> StatementResult:
    after = catalog.alter_view(before.identifier, **changes)
    changed = before.metadata_location != after.metadata_location
    done = f"Altered the properties of {after.identifier}." if changed else f"{after.identifier} is unchanged."
    return StatementResult(done, session.namespace, str(after.identifier), changed)


def rename_view(catalog: ViewCatalog, statement: RenameView, session: Session) -> StatementResult:
    """ALTER VIEW RENAME TO; a new name without a database is in the current one, as in Hive."""
    before = own_view(catalog, statement.name, session)
    after = catalog.rename_view(before.identifier, statement.to.resolve(session.namespace))
    return StatementResult(
        f"Renamed {before.identifier} to {after.identifier}.", session.namespace, str(after.identifier), changed=True
    )


def drop_view(catalog: ViewCatalog, statement: DropView, session: Session) -> StatementResult:
    """DROP VIEW; the metadata files stay. With IF EXISTS, a table is left unchanged, as in Hive."""
    name = statement.name.resolve(session.namespace)
    try:
        # Its metadata file need not be readable.
        catalog.drop_view(name)
    except NoSuchIcebergViewError as error:
        row = catalog.metastore.load_row(name)
        if statement.if_exists and not row.is_view:
            return StatementResult(f"{name} is a table, not a view: nothing was dropped.", session.namespace, str(name))
        raise not_ours(row, "DROP VIEW", None) from error
    except (NoSuchViewError, NoSuchNamespaceError):
        return StatementResult(f"There is no view {name} to drop.", session.namespace, str(name))
    return StatementResult(f"Dropped {name}.", session.namespace, str(name), changed=True)


def add_partitions(catalog: ViewCatalog, statement: AddPartitions, session: Session) -> StatementResult:
    """ALTER VIEW ADD PARTITION."""
    view = own_view(catalog, statement.name, session)
    specs = [partition.as_dict() for partition in statement.partitions]
    names = catalog.partitions(view.identifier).add(specs, if_not_exists=statement.if_not_exists)
    return _partitions_changed("Added", names, view.identifier, session)


def drop_partitions(catalog: ViewCatalog, statement: DropPartitions, session: Session) -> StatementResult:
    """ALTER VIEW DROP PARTITION: those that satisfy all comparisons of a spec, compared by type as in Hive."""
    view = own_view(catalog, statement.name, session)
    partitions = catalog.partitions(view.identifier)
    specs = [_as_values(matching) for matching in statement.matching]
    if all(spec is not None for spec in specs):
        names = partitions.drop([spec for spec in specs if spec is not None], if_exists=True)
    else:
        conditions = [_conditions(matching, partitions) for matching in statement.matching]
        names = partitions.drop(
            where=lambda values: any(all(holds(values) for holds in condition) for condition in conditions)
        )
    return _partitions_changed("Dropped", names, view.identifier, session)


def publish_view(catalog: ViewCatalog, statement: PublishView, session: Session) -> StatementResult:
    """PUBLISH VIEW."""
    view = own_view(catalog, statement.name, session, statement="PUBLISH VIEW")
    report = publish(
        catalog,
        view.identifier,
        *([statement.rule] if statement.rule else []),
        candidates=[partition.as_dict() for partition in statement.candidates] or None,
        since=statement.since.as_dict() if statement.since else None,
        until=statement.until.as_dict() if statement.until else None,
    )
    return StatementResult(
        f"Published {report.view}: {len(report.added)} declared, {len(report.already_published)} already published, "
        f"{len(report.waiting)} waiting.",
        session.namespace,
        report.view,
        bool(report.added),
        report.added,
        ("partition", "state", "waiting_for"),
        (
            *((name, "added", None) for name in report.added),
            *((name, "already published", None) for name in report.already_published),
            *((name, "waiting", "; ".join(reasons)) for name, reasons in report.waiting.items()),
        ),
    )


def _partitions_changed(done: str, names: Sequence[str], view: object, session: Session) -> StatementResult:
    if not names:
        sentence = f"No partition of {view} was {done.lower()}."
    elif len(names) == 1:
        sentence = f"{done} the partition {names[0]} of {view}."
    else:
        sentence = f"{done} {len(names)} partitions of {view}."
    return StatementResult(sentence, session.namespace, str(view), bool(names), tuple(names))


def _as_values(matching: Sequence[Comparison]) -> dict[str, object] | None:
    """The values that the comparisons ask for; None if they ask for more than equality."""
    values: dict[str, object] = {one.column.lower(): one.value for one in matching}
    is_plain = len(values) == len(matching) and all(one.operator == "=" and not _is_default(one) for one in matching)
    return values if is_plain else None


def _conditions(matching: Sequence[Comparison], partitions: ViewPartitions) -> list[Callable[[Values], bool]]:
    keys = {key.name.lower(): key for key in partitions.keys}
    unknown = [one.column for one in matching if one.column.lower() not in keys]
    if unknown:
        raise InvalidPartitionError(
            f"{', '.join(unknown)} is not a partition column of {partitions.view.identifier}; it has "
            f"{', '.join(keys)}.",
        )
    return [_condition(one, keys[one.column.lower()]) for one in matching]


def _condition(comparison: Comparison, key: Column) -> Callable[[Values], bool]:
    name, compare = key.name, _OPERATORS[comparison.operator]
    if _is_default(comparison):
        if comparison.operator not in ("=", "!="):
            raise InvalidPartitionError(
                f"Cannot use {comparison.operator} with {DEFAULT_PARTITION}, which stands for NULL: use = or !=.",
                key=name,
            )
        return lambda values: compare(values[name] is None, True)
    wanted = typed_value(normalise_value(comparison.value, key.type, key=name), key.type)
    # NULL satisfies no comparison.
    return lambda values: values[name] is not None and compare(values[name], wanted)


def _is_default(comparison: Comparison) -> bool:
    return isinstance(comparison.value, str) and comparison.value.lower() == DEFAULT_PARTITION.lower()
