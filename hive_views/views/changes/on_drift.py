"""What to do if another program has changed a row, so that it differs from its metadata file."""

from __future__ import annotations

from typing import Literal, NoReturn, get_args

from hive_views.errors import InvalidInputError, ViewDriftedError
from hive_views.spec.metadata import ViewMetadata
from hive_views.views import remedies
from hive_views.views.changes.adopted_row import adopted
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.row.drift import changed_by
from hive_views.views.view import View

Drift = Literal["fail", "adopt", "overwrite"]


def refuse_drift(view: View) -> NoReturn:
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


def base_after_drift(view: View, on_drift: Drift, now_ms: int, claims: Claims) -> ViewMetadata:
    """The metadata that a change of a drifted view is built on.

    ``adopt`` makes the content of the row the newest version; ``overwrite`` writes the row again from its file.

    Raises:
        ViewDriftedError: neither is chosen.
    """
    if on_drift == "adopt":
        return adopted(view.metadata, view.row, now_ms, claims)
    if on_drift == "overwrite":
        return view.metadata
    refuse_drift(view)


def check_on_drift(on_drift: Drift) -> Drift:
    """
    Raises:
        InvalidInputError: it is not one of the three values.
    """
    if on_drift not in get_args(Drift):
        raise InvalidInputError(f"Cannot use on_drift={on_drift!r}: it is one of {', '.join(get_args(Drift))}.")
    return on_drift
