"""What to do if another program has changed a row, so that it differs from its metadata file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NoReturn

from hive_views.errors import InvalidInputError, ViewDriftedError
from hive_views.spec.metadata import ViewMetadata
from hive_views.views import remedies
from hive_views.views.changes.definition import adopted
from hive_views.views.row.drift import changed_by
from hive_views.views.view import View

Drift = Literal["fail", "adopt", "overwrite"]
OnDrift = Callable[[View, int], ViewMetadata]
"""From the drifted view and the time in ms to the metadata that a change is built on."""


def refuse_drift(view: View, _: int) -> NoReturn:
    """The default for drift: nobody's change is overwritten silently.

    Raises:
        ViewDriftedError: always.
    """
    changes = [difference for difference in view.differences if difference.kind == "drifted"]
    listed = "; ".join(f"{change.what}: found {change.found}, expected {change.expected}" for change in changes)
    raise ViewDriftedError(
        f"The row of {view.identifier} was changed by {changed_by(changes)} without updating its metadata file: "
        f"{listed}.",
        remedy=remedies.decide_on_drift(str(view.identifier)),
        identifier=str(view.identifier),
        changes=changes,
    )


def adopt_drift(view: View, now_ms: int) -> ViewMetadata:
    """The content of the row becomes the newest version."""
    return adopted(view.metadata, view.row, now_ms)


def overwrite_drift(view: View, _: int) -> ViewMetadata:
    """The row is written again from the metadata file."""
    return view.metadata


_REACTIONS: Mapping[str, OnDrift] = {"fail": refuse_drift, "adopt": adopt_drift, "overwrite": overwrite_drift}


def reaction_to(on_drift: Drift) -> OnDrift:
    """
    Raises:
        InvalidInputError: it is not one of the three values.
    """
    if on_drift not in _REACTIONS:
        raise InvalidInputError(f"Cannot use on_drift={on_drift!r}: it is one of {', '.join(_REACTIONS)}.")
    return _REACTIONS[on_drift]
