"""The row of a view that is released, so that it becomes a plain view."""

from __future__ import annotations

from dataclasses import replace

from hive_views.hive.row import POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, Row
from hive_views.persisted import OWN_PREFIX
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.row.hive_iceberg_view import read_from_row
from hive_views.views.row.reserved_properties import row_properties

_RELEASED = "released:"
_OURS = frozenset((TABLE_TYPE, VIEW_UUID, PREVIOUS_POINTER, "current-schema"))


def half_released(row: Row) -> Row:
    """The row that no writer takes for a view of this library any longer, with a pointer unlike any other."""
    kept = read_from_row(row).parameters
    parameters = {key: value for key, value in kept.items() if key not in _OURS and not key.startswith(OWN_PREFIX)}
    # A location would have DROP VIEW delete the files.
    return replace(row, location=None, parameters={**parameters, POINTER: _RELEASED + row.parameters.get(POINTER, "")})


def is_half_released(row: Row) -> bool:
    """Whether releasing a view was interrupted."""
    return TABLE_TYPE not in row.parameters and row.parameters.get(POINTER, "").startswith(_RELEASED)


def file_of_half_released(row: Row) -> str:
    """The metadata file that such a row pointed to."""
    return row.parameters[POINTER].removeprefix(_RELEASED)


def before_release(row: Row, metadata: ViewMetadata) -> Row:
    """A half-released row as it was before, for comparison with its file."""
    own = {key: value for key, value in row_properties(metadata).items() if key.startswith(OWN_PREFIX)}
    pointing = {POINTER: file_of_half_released(row), VIEW_UUID: metadata.view_uuid}
    return replace(row, parameters={**own, **row.parameters, **pointing})


def released(row: Row) -> Row:
    """The plain view."""
    return replace(row, parameters={key: value for key, value in row.parameters.items() if key != POINTER})
