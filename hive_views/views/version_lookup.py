"""Which version of a view is meant: by its id, by a tag, or by a time at which it was current."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from hive_views.errors import InvalidInputError, NoSuchVersionError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.tags import check_tag, tagged_version
from hive_views.spec.updates import HISTORY_SIZE

Time = datetime | str | int
"""A moment: with a time zone, as text of ISO 8601 (UTC where it names none), or in milliseconds since 1970."""

Lookup = Callable[[ViewMetadata], ViewVersion]
"""The version that is meant, of a view as it is."""


def lookup(
    name: TableIdentifier, *, version: int | None = None, time: Time | None = None, tag: str | None = None
) -> Lookup:
    """How the version is found that is meant in one of three ways; the current one where none is given.

    Raises:
        InvalidInputError: there are two ways, or what was given is no id, no time or no tag.
    """
    if sum(one is not None for one in (version, time, tag)) > 1:
        raise InvalidInputError("Specify the version by exactly one of: its id, a time, a tag.")
    if version is not None:
        if isinstance(version, bool) or not isinstance(version, int):
            raise InvalidInputError(f"Cannot use {version!r} as the id of a version: it is a whole number.")
        version_id = version
        return lambda metadata: version_of(name, metadata, version_id)
    if time is not None:
        milliseconds(time)
        when = time
        return lambda metadata: version_as_of(name, metadata, when)
    if tag is not None:
        named = check_tag(tag)
        return lambda metadata: tagged_version(name, metadata, named)
    return lambda metadata: metadata.current_version


def version_of(name: TableIdentifier, metadata: ViewMetadata, version_id: int) -> ViewVersion:
    """
    Raises:
        NoSuchVersionError: there is none with this id, or it has expired.
    """
    for version in metadata.versions:
        if version.version_id == version_id:
            return version
    held = ", ".join(str(version.version_id) for version in metadata.versions)
    raise NoSuchVersionError(
        f"View {name} has no version {version_id}; it holds {held}. Older versions expire beyond the property "
        f"{HISTORY_SIZE}, unless they have a tag.",
        version_id=version_id,
        identifier=str(name),
    )


def version_as_of(name: TableIdentifier, metadata: ViewMetadata, when: Time) -> ViewVersion:
    """The version that was current at a time, by the version log; of a time to come, the current one.

    Raises:
        InvalidInputError: it is no time.
        NoSuchVersionError: the log begins later, or the version has expired.
    """
    when_ms = milliseconds(when)
    entry = next((entry for entry in reversed(metadata.version_log) if entry.timestamp_ms <= when_ms), None)
    if entry is None:
        since = min((entry.timestamp_ms for entry in metadata.version_log), default=None)
        history = f"its history begins at {_shown(since)}" if since is not None else "it has no history"
        raise NoSuchVersionError(
            f"Which version of {name} was current at {_as_given(when)} is unknown: {history}. It was created then, "
            f"or earlier versions have expired.",
            identifier=str(name),
        )
    return version_of(name, metadata, entry.version_id)


def milliseconds(when: Time) -> int:
    """A time in milliseconds since 1970.

    A text without a time zone is UTC, as all times are shown. One without fractions of a second means the end of that
    second: as of the time that a history shows for a version, the version was current.

    Raises:
        InvalidInputError: it is no time, or a ``datetime`` without a time zone.
    """
    if isinstance(when, int) and not isinstance(when, bool):
        return when
    if isinstance(when, str):
        return _of_text(when)
    if not isinstance(when, datetime):
        raise InvalidInputError(
            f"Cannot use {when!r} as a time: give a datetime with a time zone, a text such as '2026-08-01T12:00', or "
            f"milliseconds since 1970."
        )
    if when.tzinfo is None:
        raise InvalidInputError(f"Cannot use {when!r} as a time: it has no time zone, as datetime.now(timezone.utc).")
    return _since_1970(when)


def _of_text(text: str) -> int:
    given = text.strip().upper()
    # Python 3.10 does not read the letter.
    iso = given.removesuffix("UTC").rstrip() + "+00:00" if given.endswith("UTC") else given.removesuffix("Z")
    iso += "+00:00" if given.endswith("Z") else ""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError as e:
        raise InvalidInputError(
            f"Cannot use {text!r} as a time: write it as 2026-08-01, 2026-08-01T12:00, 2026-08-01T12:00:30.250 or with "
            f"a time zone, as 2026-08-01T12:00+02:00; without one it is UTC."
        ) from e
    milliseconds_then = _since_1970(moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc))
    return milliseconds_then if {".", ","} & {*given} else milliseconds_then + 999


def _since_1970(moment: datetime) -> int:
    # Not timestamp(), which rounds.
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)


def _as_given(when: Time) -> str:
    if isinstance(when, str):
        return when.strip()
    return _shown(when if isinstance(when, int) else _since_1970(when))


def _shown(timestamp_ms: int) -> str:
    try:
        moment = datetime.fromtimestamp(timestamp_ms / 1000, timezone.utc)
        return f"{moment.replace(tzinfo=None).isoformat(' ', 'milliseconds')} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{timestamp_ms} ms since 1970"
