"""The metadata of a view whose row has lost its file, when the file is put back.

The row may be the view's own, without its pointer, or a plain view in its place: Spark's CREATE OR REPLACE VIEW drops
the row and creates another. The content of that row is in no file yet, so it is overwritten only on request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import replace

from hive_views.errors import InvalidInputError, ViewDriftedError
from hive_views.hive.row import COMMENT, DDL_TIME, POINTER, TABLE_TYPE, VIEW_UUID, Row
from hive_views.persisted import OWN_PREFIX
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import HISTORY_SIZE
from hive_views.views import remedies
from hive_views.views.changes.adopted_row import adopted
from hive_views.views.changes.on_drift import Drift, check_on_drift
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.row.content import TRINO_VIEW, RowContent
from hive_views.views.row.drift import RowDifference, differences
from hive_views.views.row.file_references import OF_FILES
from hive_views.views.row.projection import ICEBERG_VIEW, partitioned_on, user_properties, with_keys
from hive_views.views.row.reserved_properties import row_properties
from hive_views.views.row.version import row_dialect

# What engines write for themselves, and what says that a row is a view of ours.
_NOT_KEPT_PREFIXES = ("spark.sql.", "view.", "presto", "trino", OWN_PREFIX)
_NOT_KEPT = frozenset((COMMENT, DDL_TIME, VIEW_UUID))


def changes_in(row: Row, location: str, metadata: ViewMetadata) -> tuple[RowDifference, ...]:
    """The content of the row that the last file of its view does not have; () if nothing would be lost with the row."""
    found = differences(_pointing(row, location, metadata, _own_properties(metadata)), metadata)
    # Spark's copies of the columns, which are compared themselves.
    return tuple(one for one in found if one.kind == "drifted" and not one.what.startswith("parameter spark.sql."))


def recovered_metadata(
    row: Row,
    location: str,
    metadata: ViewMetadata,
    on_drift: Drift,
    now_ms: int,
    claims: Claims | None = None,
) -> ViewMetadata:
    """The metadata that the view has when its last file comes back.

    Args:
        row: the row that has its name now.
        location: of the last file.
        metadata: in that file.
        on_drift: what to do if the row has other content: ``adopt`` makes it the newest version, ``overwrite`` drops
            it.
        now_ms: the current time.
        claims: with which texts are translated again.

    Raises:
        ViewDriftedError: the row has other content, and ``on_drift`` does not say what to do.
        InvalidInputError: the row cannot become the newest version, as Trino's own views cannot.
    """
    check_on_drift(on_drift)
    changes = changes_in(row, location, metadata)
    if not changes or on_drift == "overwrite":
        return metadata
    if on_drift == "adopt":
        if TRINO_VIEW in row.parameters and row_dialect(metadata.current_version) != "trino":
            raise InvalidInputError(
                f"Cannot make the current row of {row.identifier} the newest version of the view: it is in "
                f"Trino's own format, which other readers of this view cannot read. Save its SQL, and bring "
                f"the view back as it was.",
                identifier=str(row.identifier),
            )
        changed = _pointing(row, location, metadata, _kept_properties(row, location, metadata))
        return adopted(metadata, changed, now_ms, claims or Claims())
    name = str(row.identifier)
    listed = "; ".join(f"{one.what}: found {one.found}, expected {one.expected}" for one in changes)
    raise ViewDriftedError(
        f"The current row of {name} differs from the last file of the view, {location}: {listed}.",
        remedy=remedies.undrop_replaced(name),
        identifier=name,
        changes=changes,
    )


def foreign_parameters(row: Row) -> Mapping[str, str]:
    """The parameters that users set on the row; they stay."""
    return {
        key: value
        for key, value in row.parameters.items()
        if key not in _NOT_KEPT and key.lower() not in OF_FILES and not key.startswith(_NOT_KEPT_PREFIXES)
    }


def is_own(row: Row) -> bool:
    """Whether the row is the view's own and has only lost its pointer."""
    return VIEW_UUID in row.parameters


def _kept_properties(row: Row, location: str, metadata: ViewMetadata) -> Collection[str]:
    """The properties that the view keeps regardless of the row: all of them, if the view was recreated.

    A statement that recreates a view names the properties it wants, and does not mean the others. Only in a released
    row of the view itself was a missing property removed on purpose; and even then no versions may expire in the commit
    that restores them.
    """
    if _is_released(row, location, metadata):
        return _own_properties(metadata) | (metadata.properties.keys() & {HISTORY_SIZE})
    return metadata.properties.keys()


def _is_released(row: Row, location: str, metadata: ViewMetadata) -> bool:
    """Whether the row is a released one of this library in which only properties were changed.

    Hive does not write where names resolve, and Spark writes more than that, so neither can create the row of a view
    that was defined here. The row of an adopted view, or one in Trino's form, can be created again by an engine.
    """
    definition_is_ours = RowContent.kept_by(metadata.current_version) is None
    says_where = "view.catalogAndNamespace.numParts" in row.parameters
    changed = [one.what for one in changes_in(row, location, metadata)]
    of_properties = all(what.startswith("parameter ") and not what.startswith("parameter view.") for what in changed)
    return definition_is_ours and says_where and of_properties


def _own_properties(metadata: ViewMetadata) -> Set[str]:
    return metadata.properties.keys() - user_properties(metadata).keys()


def _pointing(row: Row, location: str, metadata: ViewMetadata, kept: Collection[str]) -> Row:
    """The row as if it still pointed to the file and had these properties of the view."""
    pointing = {POINTER: location, TABLE_TYPE: ICEBERG_VIEW, VIEW_UUID: metadata.view_uuid}
    if is_own(row):
        return replace(row, parameters={**row.parameters, **pointing})
    properties = {key: value for key, value in row_properties(metadata).items() if key in kept}
    row = replace(row, parameters={**properties, **row.parameters, **pointing})
    keys = partitioned_on(metadata)
    # No CREATE OR REPLACE VIEW of Spark's can declare partition columns.
    trailing = row.columns[len(row.columns) - len(keys) :]
    is_same = bool(keys) and not row.partition_keys and tuple(column.name for column in trailing) == keys
    return with_keys(row, trailing) if is_same and len(row.columns) > len(keys) else row
