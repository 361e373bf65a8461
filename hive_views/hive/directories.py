"""The directories that hold a view's files, now and before its location changed.

What lives here: their names, and the property that remembers earlier ones. What must not: reading or deleting files.
"""

from __future__ import annotations

import json

from hive_views.errors import CorruptMetadataError
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory

FORMER_DIRECTORIES = "hive-views.former-directories"
LISTING_SUFFIX = ".listing"
UNTOLD_SUFFIX = ".untold"


def journal_directory(metadata: ViewMetadata) -> str:
    """Where the journal of a view's partitions is: beside its metadata, one file for each change."""
    return f"{metadata.location.rstrip('/')}/partitions"


def publishing_directory(metadata: ViewMetadata) -> str:
    """Where runs of ``publish`` leave what the next ones need: what they read of base tables (a cache, one file for
    each table), and whom they have still to tell of which partitions.
    """
    return f"{metadata.location.rstrip('/')}/publishing"


def is_listing_of(view_uuid: str, location: str) -> bool:
    """Whether a file of that directory is of the view with this uuid: several views may share a location."""
    return _is_of(view_uuid, location) and location.endswith(LISTING_SUFFIX)


def is_untold_of(view_uuid: str, location: str) -> bool:
    """Whether a file of that directory names partitions of this view that a callback has still to be told of."""
    return _is_of(view_uuid, location) and location.endswith(UNTOLD_SUFFIX)


def former_directories(metadata: ViewMetadata) -> tuple[str, ...]:
    """Directories that the view's files were written to before its location, or that of its metadata, was changed."""
    told = metadata.properties.get(FORMER_DIRECTORIES, "[]")
    try:
        return tuple(str(directory) for directory in json.loads(told))
    except (ValueError, TypeError) as e:
        raise CorruptMetadataError(
            f"The view's property {FORMER_DIRECTORIES} is {told!r}, not a JSON list of directories."
        ) from e


def directories(metadata: ViewMetadata) -> tuple[str, ...]:
    """All directories that may hold files of the view: metadata, journal, and what publishing remembers."""
    return tuple(dict.fromkeys((*_directories_now(metadata), *former_directories(metadata))))


def remembering_directories(metadata: ViewMetadata, base: ViewMetadata) -> ViewMetadata:
    """``metadata``, knowing where the files of ``base`` are."""
    now = _directories_now(metadata)
    former = [directory for directory in directories(base) if directory not in now]
    if former == list(former_directories(metadata)):
        return metadata
    return metadata.model_copy(update={"properties": {**metadata.properties, FORMER_DIRECTORIES: json.dumps(former)}})


def _is_of(view_uuid: str, location: str) -> bool:
    return location.rpartition("/")[2].startswith(f"{view_uuid}-")


def _directories_now(metadata: ViewMetadata) -> tuple[str, ...]:
    return metadata_directory(metadata), journal_directory(metadata), publishing_directory(metadata)
