"""Deleting the files of a view that is gone.

What lives here: which files are a view's. What must not: deciding that they may go (catalog.py).
"""

from __future__ import annotations

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.hive.directories import directories, is_listing_of, is_untold_of
from hive_views.partitions import is_entry_of
from hive_views.storage import MetadataStorage, is_metadata_file
from hive_views.view import View


def delete_files_of(view: View, storage: MetadataStorage) -> None:
    """Delete the metadata files of a view, recognised by its uuid, the journal of its partitions, and what publishing
    leaves beside them.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    for directory in directories(view.metadata):
        for location in storage.list_files(directory):
            if _is_file_of(view, location, storage):
                storage.delete(location)


def _is_file_of(view: View, location: str, storage: MetadataStorage) -> bool:
    if is_listing_of(view.uuid, location) or is_untold_of(view.uuid, location):
        return True
    if not is_metadata_file(location):
        return location.endswith(".json") and is_entry_of(view, storage.read_bytes(location))
    try:
        return storage.read(location).view_uuid == view.uuid
    except (CorruptMetadataError, UnsupportedFeatureError):
        return False  # somebody else's
