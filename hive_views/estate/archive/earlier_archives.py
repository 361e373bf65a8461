"""The earlier archives that an incremental backup refers to: which, and whether their content is really there."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.errors import (
    CorruptArchiveError,
    HiveViewsError,
    InvalidInputError,
    NotFoundError,
    UnsupportedFeatureError,
)
from hive_views.estate.archive.manifest import ArchivedView, EarlierArchive
from hive_views.estate.archive.verified_archive import Archive, damage, open_archive
from hive_views.estate.each.selection import select_names
from hive_views.messages.credentials import hide_credentials
from hive_views.storage.files import Files


def held_views(earlier: Archive | None) -> dict[str, ArchivedView]:
    """The views of an archive by name, each with the archive that has its members."""
    views = earlier.manifest.views if earlier else ()
    return {one.view: one.model_copy(update={"held_by": one.held_by or (earlier and earlier.id)}) for one in views}


def check_base(earlier: Archive, target: str | None, files: Files) -> None:
    """Refuse an earlier archive that is damaged, and to write over what the new one needs.

    Args:
        earlier: the archive that the new one is made since.
        target: the file that the new one is to take the place of; None where there is none.
        files: of their storages.

    Raises:
        InvalidInputError: the new archive would take the place of one that it needs.
        CorruptArchiveError: what is not written again is not to be had there.
        StorageUnavailableError: ``target`` cannot be read.
    """
    needed = (EarlierArchive(id=earlier.id, location=hide_credentials(earlier.location)), *earlier.manifest.earlier)
    # One place can be spelt in many ways. Of a file that is no whole archive, its place is all that is known.
    if target is not None and (
        _id_of(target, files) in {one.id for one in needed}
        or hide_credentials(target) in {one.location for one in needed}
    ):
        raise InvalidInputError(
            f"Cannot write the archive to {target}: it needs the one there, which holds the views that have not "
            f"changed. Use another name.",
            location=target,
        )
    if damaged := earlier.damaged(earlier.manifest.members.values()):
        raise damage(earlier.location, damaged)


def _id_of(location: str, files: Files) -> str | None:
    try:
        with open_archive(location, files) as found:
            return found.id
    except (NotFoundError, CorruptArchiveError, UnsupportedFeatureError):
        return None


def lost_views(earlier: Archive, patterns: Sequence[str], files: Files) -> dict[str, str]:
    """Views whose content should be in an archive before ``earlier``, and is not to be had there; by name, why."""
    selected = set(select_names([view.view for view in earlier.manifest.views], patterns, missing_ok=True))
    lost: dict[str, str] = {}
    for one in earlier.manifest.earlier:
        views = [view for view in earlier.manifest.views if view.held_by == one.id and view.view in selected]
        if not views:
            continue
        try:
            with open_archive(one.location, files) as archive:
                is_it = archive.id == one.id
                damaged = archive.damaged([member for view in views for member in view.members]) if is_it else {}
        except HiveViewsError as error:
            lost |= {
                view.view: f"It is included again, because the archive that holds it cannot be read ({error})."
                for view in views
            }
            continue
        why = "is damaged" if is_it else "has been replaced"
        lost |= {
            view.view: f"It is included again, because the archive {one.location}, which held it, {why}."
            for view in views
            if not is_it or any(member.name in damaged for member in view.members)
        }
    return lost
