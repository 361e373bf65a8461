"""The manifest of an archive: what it contains, and the checksums that prove it complete."""

from __future__ import annotations

import hashlib
from datetime import timezone
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hive_views.errors import CorruptArchiveError, UnsupportedFeatureError
from hive_views.messages.counted import counted
from hive_views.messages.html import html_table
from hive_views.persisted import ARCHIVE_FORMAT, ARCHIVE_MANIFEST
from hive_views.readiness.reasons import shown_timestamp
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import MOST_BYTES

MANIFEST_SUM = f"{ARCHIVE_MANIFEST}.sha256"
# Some 300,000 views.
MOST_BYTES_OF_MANIFEST = 256 * 2**20
# Some millions of partitions of one view; they are read line by line.
MOST_BYTES_OF_PARTITIONS = 2**30

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Document(BaseModel):
    """A JSON object in an archive; a key that is unknown is of a later format version, and never ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=lambda name: name.replace("_", "-"),
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


class Member(Document):
    """A member of the zip file that holds a part of a view."""

    name: str
    bytes: Annotated[int, Field(ge=0)]
    sha256: Sha256


class ArchivedView(Document):
    """One view in the manifest.

    Attributes:
        view: ``namespace.name``.
        uuid: of the view; None for a plain view.
        metadata_location: where its metadata file was, without a password; None for a plain view.
        number_of_partitions: how many it had.
        row: the member with its row.
        metadata: the member with its metadata file; None for a plain view.
        partitions: the member with its partitions; None where it had none.
        held_by: the id of the earlier archive that has these members; None where they are in this one.
    """

    view: str
    uuid: str | None = None
    metadata_location: str | None = None
    number_of_partitions: Annotated[int, Field(ge=0)] = 0
    row: Member
    metadata: Member | None = None
    partitions: Member | None = None
    held_by: Sha256 | None = None

    @property
    def identifier(self) -> TableIdentifier:
        return TableIdentifier.of(self.view)

    @property
    def members(self) -> tuple[Member, ...]:
        """All its members, in their order in the archive."""
        return tuple(one for one in (self.row, self.metadata, self.partitions) if one is not None)

    @model_validator(mode="after")
    def _check_members(self) -> ArchivedView:
        # Nothing is ever written under the name of a member; a name that others would write elsewhere is refused.
        directory = directory_of(self.identifier)
        rules = [
            (self.row, ("row.json",), MOST_BYTES),
            (self.metadata, ("metadata.json", "metadata.json.gz"), MOST_BYTES),
            (self.partitions, ("partitions.jsonl",), MOST_BYTES_OF_PARTITIONS),
        ]
        for member, names, most in rules:
            if member is None:
                continue
            if member.name not in [f"{directory}/{name}" for name in names]:
                raise ValueError(f"{member.name!r} is not the name of a member of {self.view}")
            if member.bytes > most:
                raise ValueError(f"{member.name} has {member.bytes:,} bytes, more than {most:,}")
        return self


class EarlierArchive(Document):
    """An archive that holds the content of views which have not changed since, and where it was, without a password."""

    id: Sha256
    location: str


class Manifest(Document):
    """The contents of an archive; a notebook shows them as a table.

    Attributes:
        format_version: of the archive.
        created_at_ms: when the backup began, in milliseconds since 1970.
        created_by: name and version of the program.
        patterns: what was selected.
        views: those in the archive or, if unchanged, in an earlier one.
        gone: views of the earlier archive that were selected and no longer exist.
        failed: views that could not be read, and why.
        left: what was selected and is not a view, and why.
        earlier: the archives that ``held_by`` refers to.
    """

    format_version: Literal[1] = ARCHIVE_FORMAT
    created_at_ms: int
    created_by: str
    patterns: tuple[str, ...]
    views: tuple[ArchivedView, ...]
    gone: tuple[str, ...] = ()
    failed: dict[str, str] = Field(default_factory=dict)
    left: dict[str, str] = Field(default_factory=dict)
    earlier: tuple[EarlierArchive, ...] = ()

    @model_validator(mode="after")
    def _check_views(self) -> Manifest:
        names = [one.view for one in self.views]
        if len(set(names)) < len(names):
            raise ValueError("it lists a view twice")
        unknown = {one.held_by for one in self.views if one.held_by} - {one.id for one in self.earlier}
        if unknown:
            raise ValueError(f"it does not say where the archive {min(unknown)} is")
        return self

    def _repr_html_(self) -> str:
        places = {one.id: one.location for one in self.earlier}
        rows = [
            (
                one.view,
                "view" if one.metadata else "plain view",
                f"{one.number_of_partitions:,}",
                places.get(one.held_by or "", ""),
            )
            for one in self.views
        ]
        made = shown_timestamp(self.created_at_ms, timezone.utc)
        heading = f"{counted(len(rows), 'view')}, backed up at {made} by {self.created_by}"
        return html_table(heading, ("view", "kind", "partitions", "unchanged since"), rows)

    @property
    def members(self) -> dict[str, Member]:
        """The members that the archive itself has, by name."""
        return {member.name: member for view in self.views if view.held_by is None for member in view.members}


class _Version(BaseModel):
    format_version: Annotated[int, Field(alias="format-version")]


def directory_of(identifier: TableIdentifier) -> str:
    """Below which the members of a view are."""
    return f"views/{identifier.namespace}/{identifier.name}"


def write_manifest(manifest: Manifest) -> bytes:
    """The content of ``manifest.json``."""
    return manifest.model_dump_json(exclude_none=True, indent=1).encode()


def read_manifest(content: bytes, location: str) -> Manifest:
    """The manifest in the content of ``manifest.json``.

    Raises:
        UnsupportedFeatureError: it has a later format version.
        CorruptArchiveError: it is no manifest.
    """
    try:
        version = _Version.model_validate_json(content).format_version
        if version > ARCHIVE_FORMAT:
            raise UnsupportedFeatureError(
                f"Cannot read the archive {location}: it has format version {version}, and this release reads up to "
                f"{ARCHIVE_FORMAT}. Use the release that wrote it, or a later one.",
                location=location,
            )
        return Manifest.model_validate_json(content)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise CorruptArchiveError(
            f"The archive {location} is damaged: its {ARCHIVE_MANIFEST} is not a manifest"
            f"{f', at {place}' if place else ''}: {first['msg']}. Nothing was read of it.",
            location=location,
            members=[ARCHIVE_MANIFEST],
        ) from e


def id_of(manifest: bytes) -> str:
    """The id of the archive with this ``manifest.json``: all its content is in it, by checksum."""
    return hashlib.sha256(manifest).hexdigest()
