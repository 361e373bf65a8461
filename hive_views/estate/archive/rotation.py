"""Rotation of archives: a name with the date in it, and deleting all but the newest of them after a backup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from hive_views.errors import (
    CorruptArchiveError,
    HiveViewsError,
    InvalidInputError,
    NotFoundError,
    StorageUnavailableError,
)
from hive_views.estate.archive.manifest import Manifest
from hive_views.estate.archive.verified_archive import archive_location, damage, open_archive
from hive_views.messages.counted import counted
from hive_views.messages.credentials import has_hidden_credentials, hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.persisted import ARCHIVE_MANIFEST
from hive_views.storage.files import Files
from hive_views.storage.locations import parent_of

_CODE = re.compile(r"%(.?)")
_NEEDED, _KNOWN = "Ymd", "YmdHMS"
_NAMED = 3


@dataclass(frozen=True)
class Rotation:
    """Which archives of one name were kept and deleted after a backup; locations are without passwords.

    Attributes:
        kept: those that are there, newest first; the new one is the first.
        deleted: those that were deleted; of a dry run, those that would be.
        reasons: why an archive is kept beyond the number that was asked for.
        problems: files with such a name that could not be read as archives, or not be deleted, and why. They do not
            count, and are not deleted: somebody has to look at them.
    """

    kept: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "kept": list(self.kept),
            "deleted": list(self.deleted),
            "reasons": dict(self.reasons),
            "problems": dict(self.problems),
        }

    def summary(self, *, dry_run: bool) -> str:
        """What became of the archives, in a sentence or two."""
        done = "would be deleted" if dry_run else "deleted"
        named = f" ({first_of(self.deleted, _NAMED)})" if self.deleted else ""
        said = f"{counted(len(self.kept), 'archive')} kept, {len(self.deleted):,} {done}{named}."
        beyond = [f"{location} ({why})" for location, why in self.reasons.items()]
        return f"{said} Kept beyond that number: {first_of(beyond, _NAMED)}." if beyond else said


class ArchiveNames:
    """The names of archives that are written one after the other, such as ``s3://backups/views-%Y-%m-%d.zip``.

    Args:
        pattern: a location whose file name has ``%Y``, ``%m`` and ``%d``, and may have ``%H``, ``%M`` and ``%S``: the
            time in UTC, as of ``strftime``.

    Raises:
        InvalidInputError: a code is missing, unknown, there twice, or in the directory.
    """

    def __init__(self, pattern: str) -> None:
        location = archive_location(pattern)
        self.directory = parent_of(location)
        self._name = location.rpartition("/")[2]
        codes = _CODE.findall(self._name)
        in_directory = [one for one in _CODE.findall(self.directory) if one in tuple(_KNOWN)]
        if in_directory or len(set(codes)) < len(codes) or not set(_NEEDED) <= set(codes) <= set(_KNOWN):
            raise InvalidInputError(
                f"Cannot rotate archives called {hide_credentials(pattern)}: the name of the file, not of its "
                f"directory, needs %Y, %m and %d, may have %H, %M and %S, and no other %; each once, as in "
                f"views-%Y-%m-%d.zip. They become the time of the backup in UTC.",
                location=location,
            )

    def at(self, at_ms: int) -> str:
        """The location of the archive of a time, in milliseconds since 1970."""
        return f"{self.directory}/{datetime.fromtimestamp(at_ms / 1000, timezone.utc).strftime(self._name)}"

    def existing(self, files: Files) -> list[str]:
        """The locations of all files that have such a name."""
        return [one.location for one in files.list_infos(self.directory) if self._has(one.location.rpartition("/")[2])]

    def _has(self, name: str) -> bool:
        try:
            # It also reads what it would not write, such as a month of one digit.
            return datetime.strptime(f"{name} +0000", f"{self._name} %z").strftime(self._name) == name
        except ValueError:
            return False


@dataclass(frozen=True)
class _Archive:
    """What is remembered of an archive; its manifest may be large.

    Attributes:
        location: where it is.
        id: of its content.
        created_at_ms: when the backup began, in milliseconds since 1970.
        patterns: what was selected.
        failed: how many views failed.
        needs: the archives that it is based on, where they were, by their ids.
    """

    location: str
    id: str
    created_at_ms: int
    patterns: frozenset[str]
    failed: int
    needs: Mapping[str, str]

    @classmethod
    def of(cls, location: str, archive_id: str, manifest: Manifest) -> _Archive:
        needs = {one.id: one.location for one in manifest.earlier}
        return cls(
            location, archive_id, manifest.created_at_ms, frozenset(manifest.patterns), len(manifest.failed), needs
        )

    @property
    def shown(self) -> str:
        return hide_credentials(self.location)


@dataclass
class _Survey:
    """What was found under such names.

    Attributes:
        whole: archives that are what their manifests say, newest first.
        damaged: archives that are not, or that have lost what they are based on.
        problems: why a file is none of the whole ones.
        is_unsure: whether a file was not read that may be based on any of the others.
    """

    whole: list[_Archive] = field(default_factory=list)
    damaged: list[_Archive] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    is_unsure: bool = False


def refuse_needed(names: ArchiveNames, target: str, files: Files) -> None:
    """Refuse to overwrite an archive that others of these names are based on.

    Raises:
        InvalidInputError: one is.
        StorageUnavailableError: the storage failed.
    """
    found = _survey(names.existing(files), files)
    readable = (*found.whole, *found.damaged)
    there = {one.id for one in readable if one.location == target}
    if needing := [one.shown for one in readable if there & one.needs.keys()]:
        raise InvalidInputError(
            f"Cannot overwrite the archive {hide_credentials(target)}: {first_of(needing, _NAMED)} refer to it for "
            f"views that have not changed. Use a name with the time (%H%M%S) as well.",
            location=target,
        )


def rotate(names: ArchiveNames, new: Manifest, new_id: str | None, target: str, keep: int, files: Files) -> Rotation:
    """Delete the archives with such names beyond the newest ones, after a backup in which no view failed.

    An archive counts if it is whole, if it is of the same selection of views, and if none of them failed. What is older
    than all that count is deleted, unless one that is kept is based on it. What is dated later than the new archive,
    since the clock was set back, neither counts nor is deleted.

    Args:
        names: of the archives.
        new: the manifest of the new one.
        new_id: its id; None for a dry run, which deletes nothing.
        target: where it is, or would be.
        keep: how many remain, the new one included.
        files: of their storage.
    """
    new_one = _Archive.of(target, new_id or "", new)
    try:
        listed = names.existing(files)
        found = _survey([one for one in listed if one != target], files)
        if new_id is not None:
            # A listing without the file that was just written may lack others that need what would be deleted.
            _check_written(new_one, listed, files)
    except HiveViewsError as error:
        return Rotation((new_one.shown,), problems={hide_credentials(names.directory): hide_credentials(str(error))})
    surplus, reasons = _surplus(new_one, found, keep)
    deleted, problems = [], dict(found.problems)
    # Newest first: whenever it ends, no archive that is left has lost the one that it is based on.
    for one in surplus:
        try:
            if new_id is not None:
                files.delete(one.location)
        except StorageUnavailableError as error:
            problems[one.shown] = hide_credentials(str(error))
            break
        deleted.append(one.shown)
    kept = [one.shown for one in (new_one, *found.whole) if one.shown not in deleted and one.shown not in problems]
    return Rotation(tuple(kept), tuple(deleted), reasons, problems)


def _survey(locations: Sequence[str], files: Files) -> _Survey:
    found = _Survey()
    for location in locations:
        try:
            with open_archive(location, files) as archive:
                damaged = archive.damaged(archive.manifest.members.values())
                one = _Archive.of(location, archive.id, archive.manifest)
        except NotFoundError:
            continue
        except HiveViewsError as error:
            found.problems[hide_credentials(location)] = hide_credentials(str(error))
            # What has no manifest that can be read cannot be restored, whatever is deleted.
            found.is_unsure |= not isinstance(error, CorruptArchiveError)
            continue
        if damaged:
            found.problems[one.shown] = str(damage(one.shown, damaged))
        (found.damaged if damaged else found.whole).append(one)
    found.whole.sort(key=lambda one: (one.created_at_ms, one.location), reverse=True)
    _set_aside_without_base(found, files)
    return found


def _set_aside_without_base(found: _Survey, files: Files) -> None:
    """An archive that has lost what it is based on cannot be restored as a whole."""
    there = {one.id: True for one in found.whole}
    for one in list(found.whole):
        for base, location in one.needs.items():
            if base not in there:
                there[base] = has_hidden_credentials(location) or _is_there(location, base, files)
            if not there[base]:
                found.problems[one.shown] = f"The archive {location}, which it is based on, is not there any more."
                found.damaged.append(one)
                found.whole.remove(one)
                break


def _is_there(location: str, archive_id: str, files: Files) -> bool:
    try:
        with open_archive(location, files) as archive:
            return archive.id == archive_id
    except HiveViewsError:
        return False


def _check_written(new: _Archive, listed: Sequence[str], files: Files) -> None:
    """
    Raises:
        HiveViewsError: the new archive is not there as it was written.
    """
    if new.location not in listed:
        raise StorageUnavailableError(
            f"No earlier archive was deleted: {new.shown} was written, but is not listed.", location=new.location
        )
    with open_archive(new.location, files) as archive:
        damaged = archive.damaged(archive.manifest.members.values())
        if damaged or archive.id != new.id:
            raise damage(new.location, damaged or {ARCHIVE_MANIFEST: "it is that of another archive"})


def _surplus(new: _Archive, found: _Survey, keep: int) -> tuple[list[_Archive], dict[str, str]]:
    """What is to be deleted, newest first, and why what does not count is kept."""
    surplus: list[_Archive] = []
    reasons: dict[str, str] = {}
    counted_ids = {new.id}
    for one in found.whole:
        if one.patterns != new.patterns:
            reasons[one.shown] = f"it is a backup of other views: {first_of(sorted(one.patterns), _NAMED)}"
        elif one.created_at_ms > new.created_at_ms:
            reasons[one.shown] = "it is dated later than this backup"
        elif len(counted_ids) == keep and one.id not in counted_ids:
            surplus.append(one)
        elif one.failed:
            reasons[one.shown] = f"{counted(one.failed, 'view')} failed in it, so it does not count"
        else:
            counted_ids.add(one.id)
    if found.is_unsure:
        reasons |= {one.shown: "it may be needed by one that cannot be read now" for one in surplus}
        return [], reasons
    return list(_unneeded(new, found, surplus, reasons)), reasons


def _unneeded(
    new: _Archive, found: _Survey, surplus: Sequence[_Archive], reasons: dict[str, str]
) -> Iterator[_Archive]:
    """The surplus without what any archive that stays is based on, directly or not."""
    gone = {one.location for one in surplus}
    while needed := {
        one.location
        for one in surplus
        if one.location in gone
        and any(one.id in other.needs for other in (new, *found.whole, *found.damaged) if other.location not in gone)
    }:
        gone -= needed
    for one in surplus:
        if one.location in gone:
            yield one
        else:
            reasons[one.shown] = "a later one is based on it"
