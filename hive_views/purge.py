"""Deleting the files of a view that is gone.

What lives here: which files are a view's. What must not: deciding that they may go (catalog.py).
"""

from __future__ import annotations

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.partitions import journal_directory
from hive_views.spec.serde import metadata_directory
from hive_views.storage import MetadataStorage
from hive_views.view import View


def delete_files_of(view: View, storage: MetadataStorage) -> None:
    """Delete the metadata files of a view, recognised by its uuid, and the journal of its partitions.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    for location in storage.list_metadata_files(metadata_directory(view.metadata)):
        if _is_file_of(view, location, storage):
            storage.delete(location)
    for location in storage.list_files(journal_directory(view)):
        if view.uuid.encode() in storage.read_bytes(location):
            storage.delete(location)


def _is_file_of(view: View, location: str, storage: MetadataStorage) -> bool:
    try:
        return storage.read(location).view_uuid == view.uuid
    except (CorruptMetadataError, UnsupportedFeatureError):
        return False  # somebody else's
