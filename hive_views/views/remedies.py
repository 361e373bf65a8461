"""Ways out that several errors about one view share."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.messages.remedy import Remedy
from hive_views.sql.dialects import written_dialect


def decide_on_drift(view: str) -> Remedy:
    """The row was changed behind the metadata file."""
    return Remedy.of_view(
        view,
        in_python="Add the change to the history with on_drift='adopt', or undo it with on_drift='overwrite'.",
        in_shell="`hive-views repair {views} --on-drift adopt` adds the change to the history, --on-drift overwrite "
        "undoes it.",
    )


def take_over_from_hive(view: str) -> Remedy:
    """The row has Hive's handler for Iceberg views."""
    return Remedy.of_view(
        view,
        in_python=f"repair_view('{view}', on_drift='adopt'), or a change with it, removes the handler: Hive reads the "
        f"row itself then, as Spark does.",
        in_shell="`hive-views repair {views} --on-drift adopt`, or a change with it, removes the handler: Hive reads "
        "the row itself then, as Spark does.",
    )


def renew(view: str, dialect: str) -> Remedy:
    """A text did not change when those in other dialects did."""
    written = written_dialect(dialect)
    return Remedy(
        in_python=f"alter_view('{view}', sql={{'{written}': ...}}) changes it; if it is still true, "
        f"alter_view('{view}', still_true=['{written}']) says so.",
        in_shell=f"`hive-views alter {view} --sql {written}=FILE` changes it; if it is still true, `hive-views alter "
        f"{view} --still-true {written}` says so.",
    )


def translate_again(view: str, dialect: str, source: str, allow: Sequence[str]) -> Remedy:
    """A text was translated from that in ``source`` with these codes allowed, and would become another one now."""
    allowed = f", allow={list(allow)!r}" if allow else ""
    options = "".join(f" --allow {one}" for one in allow)
    does = "translates it again, or says why not."
    return Remedy(
        in_python=f"alter_view('{view}', translate={{'{dialect}': '{source}'}}{allowed}) {does}",
        in_shell=f"`hive-views alter {view} --translate {dialect}={source}{options}` {does}",
    )


def adopt(view: str) -> Remedy:
    """The row is a plain view."""
    return Remedy.of_view(
        view,
        in_python=f"hive_views.estate.adopt(catalog, '{view}') converts it into a managed view, in place.",
        in_shell="`hive-views adopt {views}` converts it into a managed view, in place.",
    )


def finish_release(view: str) -> Remedy:
    """The release of a view, perhaps that of a move, ended between its two steps."""
    return Remedy.of_view(
        view,
        in_python=f"hive_views.estate.hand_back(catalog, '{view}') finishes it, or hive_views.estate.move_views again "
        f"if it was being moved; hive_views.estate.undrop(catalog, '{view}') undoes it.",
        in_shell="`hive-views hand-back {views}` finishes it, or `hive-views move` again if it was being moved; "
        "`hive-views undrop {views}` undoes it.",
    )


def register(view: str, metadata_location: str) -> Remedy:
    """The row has lost the file that is the view."""
    return Remedy(
        in_python=f"register_view('{view}', '{metadata_location}', overwrite=True) brings the view back.",
        in_shell=f"`hive-views register {view} {metadata_location} --overwrite` brings the view back.",
    )


def undrop(view: str) -> Remedy:
    """The row of a view was dropped or has lost its file, which is still there."""
    return Remedy.of_view(
        view,
        in_python=f"hive_views.estate.undrop(catalog, '{view}') brings the view back, with its history and partitions.",
        in_shell="`hive-views undrop {views}` brings the view back, with its history and partitions.",
    )


def undrop_replaced(view: str) -> Remedy:
    """The same where a plain view with another content has the name of the view."""
    return Remedy.of_view(
        view,
        in_python=f"hive_views.estate.undrop(catalog, '{view}', on_drift='adopt') brings the view back, with the "
        f"current content of the row as its newest version; on_drift='overwrite' brings it back as it was.",
        in_shell="`hive-views undrop {views} --on-drift adopt` brings the view back, with the current content of the "
        "row as its newest version; --on-drift overwrite brings it back as it was.",
    )
