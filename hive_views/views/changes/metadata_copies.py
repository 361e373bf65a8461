"""Copies of a view's metadata for another row, directory or metastore.

A copy never points into the directories of its original, and never states what was found out about another metastore.
"""

from __future__ import annotations

import re

from hive_views.errors import ViewAlreadyExistsError
from hive_views.hive.row import OWNER, Row
from hive_views.messages.remedy import Remedy
from hive_views.persisted import (
    COMMITS,
    COPIED_FROM,
    FORMER_DIRECTORIES,
    INCARNATION,
    MADE_AS,
    MADE_IN,
    NOTED_AT,
    OWNS,
    PARTITION_DESCRIPTOR,
    PROJECT,
    REQUESTS,
    TAG,
)
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import METADATA_PATH
from hive_views.spec.tags import tag_names, tags_of

OF_THE_PLACE = frozenset(
    (
        COMMITS,
        COPIED_FROM,
        FORMER_DIRECTORIES,
        INCARNATION,
        MADE_AS,
        MADE_IN,
        METADATA_PATH,
        NOTED_AT,
        OWNS,
        PARTITION_DESCRIPTOR,
        PROJECT,
        REQUESTS,
    )
)
"""Properties that belong to one row, its directories, its metastore or its clients."""

_STORAGE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")


def content_properties(metadata: ViewMetadata) -> dict[str, str]:
    """The properties that belong to the view in any place."""
    return {key: value for key, value in metadata.properties.items() if key not in OF_THE_PLACE}


def relocated(metadata: ViewMetadata, *, location: str, view_uuid: str) -> ViewMetadata:
    """The metadata for a new row, whose files are at ``location``; a copy belongs to no project."""
    kept = _project_of(metadata) if view_uuid == metadata.view_uuid else {}
    properties = {**content_properties(metadata), **kept}
    changed = {"location": location, "view_uuid": view_uuid, "properties": properties}
    return metadata.model_copy(update=changed)


def _project_of(metadata: ViewMetadata) -> dict[str, str]:
    return {PROJECT: metadata.properties[PROJECT]} if PROJECT in metadata.properties else {}


def with_storage_of(file: str, metadata: ViewMetadata) -> ViewMetadata:
    """The metadata in a file, with the file's own storage in the directories that it names by a path alone.

    Iceberg Java writes locations as they are configured, and resolves a path in the default file system of its process.
    """
    storage = _STORAGE.match(file)

    def located(path: str) -> str:
        return f"{storage[0]}{path}" if storage and path.startswith("/") else path

    properties = dict(metadata.properties)
    if METADATA_PATH in properties:
        properties[METADATA_PATH] = located(properties[METADATA_PATH])
    return metadata.model_copy(update={"location": located(metadata.location), "properties": properties})


def versions_without(base: ViewMetadata, metadata: ViewMetadata) -> list[int]:
    """The ids of the versions that ``base`` has and the other metadata has not: ids are given again."""
    there = {(version.version_id, version.timestamp_ms) for version in metadata.versions}
    return [one.version_id for one in base.versions if (one.version_id, one.timestamp_ms) not in there]


def _remove_tag(view: str, tag: str) -> Remedy:
    return Remedy(
        in_python=f"If it is no longer needed, untag_view('{view}', '{tag}') removes the tag.",
        in_shell=f"If it is no longer needed, `hive-views tag {view} {tag} --delete` removes the tag.",
    )


def refuse_lost_tags(name: TableIdentifier, base: ViewMetadata, metadata: ViewMetadata) -> None:
    """
    Raises:
        ViewAlreadyExistsError: a tag of ``base`` names a version that it would not have with the other's content.
    """
    lost = set(versions_without(base, metadata))
    tags = [(tag, version_id) for tag, version_id in tags_of(base).items() if version_id in lost]
    if tags:
        named = ", ".join(f"tag {tag} names version {version_id}" for tag, version_id in tags)
        message = f"{name} is not replaced: {named}, which the other content does not have."
        raise ViewAlreadyExistsError(message, remedy=_remove_tag(str(name), tags[0][0]), identifier=str(name))


def with_content_of(base: ViewMetadata, metadata: ViewMetadata, view_uuid: str | None = None) -> ViewMetadata:
    """``base``, which stays where it is and, without a ``view_uuid``, the view that it is, with another's content."""
    kept = {key: value for key, value in base.properties.items() if key in OF_THE_PLACE and key != PROJECT}
    kept |= _project_of(base if view_uuid is None else metadata)
    changed = {
        "location": base.location,
        "view_uuid": view_uuid or base.view_uuid,
        "properties": {**content_properties(metadata), **kept},
    }
    return metadata.model_copy(update=changed)


def owned_as(row: Row, metadata: ViewMetadata) -> ViewMetadata:
    """The metadata with the owner of a row that stays, where it names one: engines give a row another and say no more.

    A view that is dropped and brought back belongs to whom the metadata names, with whose rights Trino runs it.
    """
    if not row.owner or metadata.properties.get(OWNER, row.owner) == row.owner:
        return metadata
    return metadata.model_copy(update={"properties": {**metadata.properties, OWNER: row.owner}})


def current_version_only(metadata: ViewMetadata) -> ViewMetadata:
    """The metadata without its history: the current version, as of when it became that, with its tags."""
    kept = tags_of(metadata)
    gone = {TAG + tag for tag in tag_names(metadata) if kept.get(tag) != metadata.current_version_id}
    changed = {
        "properties": {key: value for key, value in metadata.properties.items() if key not in gone},
        "versions": (metadata.current_version,),
        "schemas": (metadata.current_schema,),
        "version_log": metadata.version_log[-1:],
    }
    return metadata.model_copy(update=changed)
