"""A view row that has lost its metadata file: what it says besides, and what the view becomes when the file comes back.

The row may be the view's own, without its pointer, or a plain view that somebody put in its place: Spark's CREATE OR
REPLACE VIEW drops the row and makes another. What that one says is in no file yet, so nothing may overwrite it that was
not asked to.
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
from hive_views.views.changes.definition import adopted
from hive_views.views.changes.on_drift import Drift, reaction_to
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
    """What the row says that the last file of its view does not know; () where nothing is lost with it."""
    found = differences(_pointing(row, location, metadata, _own_properties(metadata)), metadata)
    # Spark's copies of the columns, which are compared themselves.
    return tuple(one for one in found if one.kind == "drifted" and not one.what.startswith("parameter spark.sql."))


def recovered_metadata(row: Row, location: str, metadata: ViewMetadata, on_drift: Drift, now_ms: int) -> ViewMetadata:
    """The metadata that the view has when its last file comes back.

    Args:
        row: what has its name now.
        location: of the last file.
        metadata: in it.
        on_drift: about what the row says besides: ``adopt`` makes it the newest version, ``overwrite`` drops it.
        now_ms: when that is.

    Raises:
        ViewDriftedError: it says something besides, and nobody has decided about it.
        InvalidInputError: it was to be the newest version, and cannot be one, as Trino's own views.
    """
    reaction_to(on_drift)
    changes = changes_in(row, location, metadata)
    if not changes or on_drift == "overwrite":
        return metadata
    if on_drift == "adopt":
        if TRINO_VIEW in row.parameters and row_dialect(metadata.current_version) != "trino":
            raise InvalidInputError(
                f"Cannot make the row that has the name {row.identifier} now the newest version of the view: it is in "
                f"the form of Trino's own views, which other readers of this view cannot read. Save its text, and "
                f"bring the view back as it was.",
                identifier=str(row.identifier),
            )
        return adopted(metadata, _pointing(row, location, metadata, _kept_properties(row, location, metadata)), now_ms)
    name = str(row.identifier)
    listed = "; ".join(f"{one.what}: found {one.found}, expected {one.expected}" for one in changes)
    raise ViewDriftedError(
        f"The row that has the name {name} now differs from the last file of the view, {location}: {listed}.",
        remedy=remedies.undrop_replaced(name),
        identifier=name,
        changes=changes,
    )


def foreign_parameters(row: Row) -> Mapping[str, str]:
    """The parameters that users gave the row; they stay."""
    return {
        key: value
        for key, value in row.parameters.items()
        if key not in _NOT_KEPT and key.lower() not in OF_FILES and not key.startswith(_NOT_KEPT_PREFIXES)
    }


def is_own(row: Row) -> bool:
    """Whether the row is the view's own, which has only lost its pointer."""
    return VIEW_UUID in row.parameters


def _kept_properties(row: Row, location: str, metadata: ViewMetadata) -> Collection[str]:
    """The properties that the view keeps whatever the row says: of one that was recreated, all.

    A statement that makes a view anew names the properties that it wants, and says nothing of the others. Only from a
    row that is certainly the view's own, released, has somebody taken away what is not there; and not even then are
    versions to expire in the very commit that brings them back.
    """
    if _is_released(row, location, metadata):
        return _own_properties(metadata) | (metadata.properties.keys() & {HISTORY_SIZE})
    return metadata.properties.keys()


def _is_released(row: Row, location: str, metadata: ViewMetadata) -> bool:
    """Whether the row is a released one of ours, of which properties alone were changed.

    Hive does not write where names resolve, and Spark writes more than that, so that no statement of theirs makes the
    row of a view that was defined here. That of an adopted view, and one in Trino's form, an engine can make again.
    """
    definition_is_ours = RowContent.kept_by(metadata.current_version) is None
    says_where = "view.catalogAndNamespace.numParts" in row.parameters
    changed = [one.what for one in changes_in(row, location, metadata)]
    of_properties = all(what.startswith("parameter ") and not what.startswith("parameter view.") for what in changed)
    return definition_is_ours and says_where and of_properties


def _own_properties(metadata: ViewMetadata) -> Set[str]:
    return metadata.properties.keys() - user_properties(metadata).keys()


def _pointing(row: Row, location: str, metadata: ViewMetadata, kept: Collection[str]) -> Row:
    """The row as if it still pointed to the file, and had these properties of the view."""
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
