"""Whether a row and its metadata file say the same, and whether both are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_views.errors import CorruptMetadataError, HiveViewsError, StorageUnavailableError, UnsupportedFeatureError
from hive_views.estate.checks.findings import Finding, NotKnown, restore_file
from hive_views.hive.row import POINTER, TABLE_TYPE, VIEW_UUID, Row
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PENDING_KEYS, TRANSLATED
from hive_views.spec.metadata import ViewMetadata
from hive_views.views import remedies
from hive_views.views.recovery.recoverable import Recoverable
from hive_views.views.row.drift import RowDifference, changed_by
from hive_views.views.row.hive_iceberg_view import is_read_from_file, misread_by_hive
from hive_views.views.row.projection import ICEBERG_VIEW
from hive_views.views.row.released import file_of_half_released, is_half_released
from hive_views.views.view import View, view_at

_USE_NEWER_RELEASE = Remedy(
    in_python="Use a newer release of hive_views.", in_shell="Install a newer release of hive_views."
)


def read_view(row: Row, found: ViewMetadata | HiveViewsError) -> View | Finding | NotKnown:
    """The view of a row and what was read of its file; or why there is none.

    Args:
        row: one that points to a file.
        found: what is in the file, or the error of reading it.
    """
    name = str(row.identifier)
    if isinstance(found, StorageUnavailableError):
        return NotKnown(name, "file", str(found))
    older = restore_file(name, row.parameters[POINTER])
    details = {"location": row.parameters[POINTER]}
    if isinstance(found, UnsupportedFeatureError):
        return Finding("file-too-new", name, str(found), _USE_NEWER_RELEASE, details)
    if isinstance(found, CorruptMetadataError) and isinstance(found.__cause__, FileNotFoundError):
        return Finding("file-missing", name, f"The file {details['location']} does not exist.", older, details)
    if isinstance(found, HiveViewsError):
        return Finding("file-damaged", name, str(found), older, details)
    uuid = row.parameters.get(VIEW_UUID, found.view_uuid)
    if uuid.lower() != found.view_uuid.lower():
        problem = f"The row is of view {uuid}, but its file is of view {found.view_uuid}."
        return Finding("file-of-another-view", name, problem, older, {**details, "uuid": found.view_uuid})
    try:
        # What the file names as current may not be in it.
        _ = found.current_schema
        return view_at(row, found)
    except HiveViewsError as error:
        return Finding("file-damaged", name, str(error), older, details)


def compare(view: View) -> Iterator[Finding]:
    """What a row says otherwise than its file."""
    name = str(view.identifier)
    if PENDING_KEYS in view.row.parameters:
        problem = "A change of columns was interrupted between its two steps, so the row has no partition columns."
        yield Finding("unfinished-change", name, problem, _rewrite_row(name))
    if is_read_from_file(view.row):
        why = misread_by_hive(view.row, view.metadata)
        read = f"Hive's handler for Iceberg views reads its SQL from the metadata file{f': {why}' if why else ''}."
        code = "misread-by-hive" if why else "made-by-hive"
        yield Finding(code, name, read, remedies.take_over_from_hive(name))
    shapes = [one for one in view.differences if one.kind == "needs repair"]
    drift = [one for one in view.differences if one.kind == "drifted"]
    # What is drifted needs a decision first, also about the rest.
    anew = remedies.decide_on_drift(name) if drift else _rewrite_row(name)
    if view.row.location is not None:
        problem = f"The row has the location {view.row.location}, which DROP VIEW deletes."
        yield Finding("location-set", name, problem, anew, {"location": view.row.location})
    others = [one for one in shapes if one.what != "location"]
    if others and PENDING_KEYS not in view.row.parameters:
        problem = f"The row has a shape that breaks readers: {_named(others)}."
        yield Finding("needs-repair", name, problem, anew, {"differences": _documents(others)})
    if drift:
        problem = f"The row was changed by {changed_by(drift)} without its metadata file: {_named(drift)}."
        yield Finding("drifted", name, problem, remedies.decide_on_drift(name), {"differences": _documents(drift)})


def stale_texts(view: View) -> Iterator[Finding]:
    """The texts that did not change when those in other dialects did, but for those that were translated."""
    name, said = str(view.identifier), view.current_version.summary
    for dialect in (one for one in view.stale_dialects if TRANSLATED + one not in said):
        problem = f"The {dialect} SQL did not change when that in other dialects did."
        yield Finding("text-stale", name, problem, remedies.renew(name, dialect), {"dialect": dialect})


def lost(row: Row, found: Recoverable | None, elsewhere: Recoverable | None) -> Finding:
    """What to do about a row that has lost its pointer.

    Args:
        row: the row.
        found: the last file of its view, if it is where views of this name have their files.
        elsewhere: the same, if it is elsewhere.
    """
    name, pointer = str(row.identifier), row.parameters.get(POINTER)
    last = found or elsewhere
    file = pointer or (last.metadata_location if last else None)
    what = f"{TABLE_TYPE}={ICEBERG_VIEW}" if pointer else POINTER
    problem = f"The row has parameters of this library, but has lost {what}."
    remedy = remedies.register(name, file) if file else _release_lost(name)
    if found and not pointer:
        remedy = found.remedy
    return Finding("lost-pointer", name, problem, remedy, {"location": file})


def unfinished_release(row: Row) -> Iterator[Finding]:
    """A release that ended between its two steps."""
    if is_half_released(row):
        name, file = str(row.identifier), file_of_half_released(row)
        problem = f"Handing back the view was interrupted; its row still names its metadata file, {file}."
        yield Finding("unfinished-release", name, problem, remedies.finish_release(name), {"location": file})


def replaced(row: Row, found: Recoverable) -> Iterator[Finding]:
    """A plain view in the place of one whose files are there; one that says the same, as a released one, is none."""
    if found.says_something_else:
        problem = f"The plain view differs from the file {found.metadata_location}. {found}"
        details = {"location": found.metadata_location}
        yield Finding("replaced-row", str(row.identifier), problem, found.remedy, details)


def _named(found: Sequence[RowDifference]) -> str:
    return ", ".join(one.what for one in found)


def _documents(found: Sequence[RowDifference]) -> list[dict[str, str]]:
    return [{"what": one.what, "found": one.found, "expected": one.expected} for one in found]


def _rewrite_row(view: str) -> Remedy:
    return Remedy.of_view(
        view,
        in_python=f"repair_view('{view}') rewrites the row from its metadata file.",
        in_shell="`hive-views repair {views}` rewrites the row from its metadata file.",
    )


def _release_lost(view: str) -> Remedy:
    return Remedy.of_view(
        view,
        in_python=f"No file of the view was found: restore its last metadata file from a backup of the storage; or "
        f"hive_views.estate.hand_back(catalog, '{view}') makes it a plain view, which reads as its row does now.",
        in_shell="No file of the view was found: restore its last metadata file from a backup of the storage; or "
        "`hive-views hand-back {views}` makes it a plain view, which reads as its row does now.",
    )
