"""Ownership of files: which row a file belongs to, and which directories hold the files of a view.

Several rows, in several metastores, may belong to one view (one uuid, one directory), such as a dropped view that was
registered under two names. Their files are told apart by the incarnation, a token that each row gets when it is
created.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import VIEW_UUID, Row
from hive_views.persisted import (
    COMMITS,
    COPIED_FROM,
    FORMER_DIRECTORIES,
    INCARNATION,
    JOURNAL_SUFFIX,
    LISTING_SUFFIX,
    MADE_AS,
    MADE_IN,
    OWNS,
    REDECLARED_SUFFIX,
    REQUEST_SUFFIX,
    UNREPORTED_SUFFIX,
    WHEREABOUTS_SUFFIX,
)
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.spec.strict_json import read_json

_JOURNAL = "partitions"
_PUBLISHING = "publishing"
_REQUESTS = "requests"
_NOTES = (REDECLARED_SUFFIX, UNREPORTED_SUFFIX)
_NAMED_BY_INCARNATION = (JOURNAL_SUFFIX, LISTING_SUFFIX, *_NOTES, WHEREABOUTS_SUFFIX)
_NOTE_OF_REQUEST = re.compile(rf"[0-9a-f]+{re.escape(REQUEST_SUFFIX)}")
_OF_INCARNATION = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-")


def commits_in(properties: Mapping[str, str]) -> list[str]:
    """The ids of the last commits that led to a metadata file, or to the row with these parameters; the newest last."""
    return [one for one in properties.get(COMMITS, "").split(",") if one]


def incarnation_of(metadata: ViewMetadata) -> str:
    """The token of the row that a metadata file was written for; the view's uuid for files from before the token."""
    return metadata.properties.get(INCARNATION) or metadata.view_uuid


def owned_incarnation(row: Row, metadata: ViewMetadata) -> str | None:
    """The token that a row proves to own; None for rows older than tokens, and for rows that other engines registered.

    An engine that registers one of our files copies its properties, but not what only the owner's row says.
    """
    incarnation = metadata.properties.get(INCARNATION)
    return incarnation if incarnation and row.parameters.get(OWNS) == incarnation else None


def is_row_of(row: Row, metadata: ViewMetadata) -> bool:
    """Whether a file was written for a row, by its token, or is of the row's view where that has none."""
    owned = row.parameters.get(OWNS)
    uuid = row.parameters.get(VIEW_UUID, metadata.view_uuid)
    return uuid.lower() == metadata.view_uuid.lower() and owned in (None, metadata.properties.get(INCARNATION))


def metadata_for_new_row(
    metadata: ViewMetadata,
    identifier: TableIdentifier,
    incarnation: str,
    *,
    metastore: str | None,
    copied: str | None,
) -> ViewMetadata:
    """The metadata as written for a new row with this incarnation; ``project`` makes the row prove that it owns it.

    Args:
        metadata: of a new view, or in the file at the location ``copied``.
        identifier: the name of the row.
        incarnation: its token.
        metastore: the identity of the metastore; None where it has none.
        copied: None for a new view.
    """
    # The proof that a row owns the files must not be in them: registering the files would copy it.
    kept = {key: value for key, value in metadata.properties.items() if key not in (OWNS, COPIED_FROM, MADE_IN)}
    ours = {INCARNATION: incarnation, MADE_AS: str(identifier)}
    if metastore:
        ours[MADE_IN] = metastore
    if copied:
        ours[COPIED_FROM] = copied.rpartition("/")[2]
    return metadata.model_copy(update={"properties": {**kept, **ours}})


def is_file_of(incarnation: str, location: str) -> bool:
    """Whether a file that is no metadata file, as the journal's and publishing's are, is of this incarnation."""
    return location.rpartition("/")[2].startswith(f"{incarnation}-")


def journal_directory(metadata: ViewMetadata) -> str:
    """Where the journal of a view's partitions is written: beside its metadata."""
    return f"{metadata.location.rstrip('/')}/{_JOURNAL}"


def journal_directories(metadata: ViewMetadata) -> tuple[str, ...]:
    """Where the journal is read: where it is written, and was before the view's location was changed."""
    former = [directory for directory in former_directories(metadata) if directory.endswith(f"/{_JOURNAL}")]
    return tuple(dict.fromkeys((journal_directory(metadata), *former)))


def publishing_directory(metadata: ViewMetadata) -> str:
    """Where runs of ``publish`` cache what they read of base tables, and keep partitions to report to a callback."""
    return f"{metadata.location.rstrip('/')}/{_PUBLISHING}"


def is_listing_of(incarnation: str, location: str) -> bool:
    """Whether a file of the directory of publishing is a listing of this incarnation: several may share a location."""
    return is_file_of(incarnation, location) and location.endswith(LISTING_SUFFIX)


def is_note_of(incarnation: str, location: str, suffix: str | tuple[str, ...] = _NOTES) -> bool:
    """Whether a file in the directory of publishing notes what a run of this incarnation's has begun, in one of these
    kinds of notes.
    """
    return is_file_of(incarnation, location) and location.endswith(suffix)


def is_journal_of(incarnation: str, location: str) -> bool:
    """Whether a file of a journal's directory is of this incarnation's."""
    return is_file_of(incarnation, location) and location.endswith(JOURNAL_SUFFIX)


def incarnation_in_name(location: str) -> str | None:
    """The incarnation in the name of a file of the journal, of publishing, or of a note of a location; else None."""
    name = location.rpartition("/")[2]
    found = _OF_INCARNATION.match(name)
    return found[1] if found and name.endswith(_NAMED_BY_INCARNATION) else None


def former_directories(metadata: ViewMetadata) -> tuple[str, ...]:
    """Directories that the view's files were written to before its location, or that of its metadata, was changed.

    Raises:
        CorruptMetadataError: the property with them is no JSON list.
    """
    text = metadata.properties.get(FORMER_DIRECTORIES, "[]")
    try:
        return tuple(str(directory) for directory in read_json(text))
    except (ValueError, TypeError) as e:
        raise CorruptMetadataError(
            f"The view's property {FORMER_DIRECTORIES} is {text!r}, not a JSON list of directories."
        ) from e


def directories(metadata: ViewMetadata) -> tuple[str, ...]:
    """All directories that may hold files of the view: metadata, journal, and what publishing remembers."""
    return tuple(dict.fromkeys((*_directories_now(metadata), *former_directories(metadata))))


def with_former_directories(metadata: ViewMetadata, former: Iterable[str]) -> ViewMetadata:
    """``metadata``, knowing that files of the view are in these directories too."""
    now = _directories_now(metadata)
    known = dict.fromkeys((*former_directories(metadata), *former))
    elsewhere = [directory for directory in known if directory not in now]
    if elsewhere == list(former_directories(metadata)):
        return metadata
    return metadata.model_copy(
        update={"properties": {**metadata.properties, FORMER_DIRECTORIES: json.dumps(elsewhere)}}
    )


def requests_directory(location: str) -> str:
    """Where requests are noted about views whose default location this is."""
    return f"{location.rstrip('/')}/{_REQUESTS}"


def is_note_of_request(location: str) -> bool:
    """Whether a file has the name of such a note: the hash of the request."""
    directory, _, name = location.rpartition("/")
    return directory.endswith(f"/{_REQUESTS}") and _NOTE_OF_REQUEST.fullmatch(name) is not None


def notes_directory(location: str) -> str:
    """Where notes about views with this default location are: beside the metadata files, in one listing."""
    return f"{location.rstrip('/')}/metadata"


def directories_beside_metadata(location: str) -> tuple[str, ...]:
    """The directories of a view at this location, apart from that of its metadata files."""
    return tuple(f"{location.rstrip('/')}/{name}" for name in (_JOURNAL, _PUBLISHING, _REQUESTS))


def _directories_now(metadata: ViewMetadata) -> tuple[str, ...]:
    return metadata_directory(metadata), journal_directory(metadata), publishing_directory(metadata)
