"""Tags: names that people give to versions of a view, as ``release-12``.

A tag is a property, which Iceberg's engines carry along. It says the version's time beside its id: an engine that does
not know tags may let the version expire, and the spec gives the ids of expired versions again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hive_views.errors import InvalidInputError, NoSuchVersionError
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.persisted import TAG
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion

# The metastore holds names of parameters of 256 characters.
_LONGEST = 256 - len(TAG)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VALUE = re.compile(r"([0-9]{1,9})@([0-9]{1,18})")


def check_tag(tag: str) -> str:
    """
    Raises:
        InvalidInputError: it cannot be the name of a tag.
    """
    if not isinstance(tag, str) or not _NAME.fullmatch(tag) or len(tag) > _LONGEST:
        raise InvalidInputError(
            f"Cannot use {tag!r} as a tag: a tag has ASCII letters, digits, '.', '_' and '-', begins with a letter or "
            f"digit, and has at most {_LONGEST} characters."
        )
    return tag


def tag_property(tag: str, version: ViewVersion) -> dict[str, str]:
    """The property that gives a version this tag."""
    return {TAG + tag: f"{version.version_id}@{version.timestamp_ms}"}


def tags_of(metadata: ViewMetadata) -> dict[str, int]:
    """The ids of versions by their tags, sorted by tag.

    A tag whose version another engine has let expire names none, not even one that has got the id again.
    """
    there = {(version.version_id, version.timestamp_ms) for version in metadata.versions}
    return {
        tag: version_id
        for tag, version_id, timestamp_ms in sorted(_tags_in(metadata.properties))
        if (version_id, timestamp_ms) in there
    }


def tag_names(metadata: ViewMetadata) -> tuple[str, ...]:
    """All tags that were given and not taken away, of expired versions too; sorted."""
    return tuple(sorted(tag for tag, _, _ in _tags_in(metadata.properties)))


def tagged_version(name: TableIdentifier, metadata: ViewMetadata, tag: str) -> ViewVersion:
    """The version that has a tag.

    Raises:
        InvalidInputError: it cannot be the name of a tag.
        NoSuchVersionError: no version has it, or the one that had it has expired.
    """
    check_tag(tag)
    for known, version_id, timestamp_ms in _tags_in(metadata.properties):
        if known == tag:
            for version in metadata.versions:
                if (version.version_id, version.timestamp_ms) == (version_id, timestamp_ms):
                    return version
            raise NoSuchVersionError(
                f"Tag {tag!r} of {name} names version {version_id}, which has expired: an engine that does not know "
                f"tags has changed the view since. It may still be in an older metadata file of the view.",
                version_id=version_id,
                identifier=str(name),
            )
    raise no_such_tag(name, metadata, tag)


def no_such_tag(name: TableIdentifier, metadata: ViewMetadata, tag: str) -> NoSuchVersionError:
    """The error for a tag that no version has, with the nearest."""
    hint = did_you_mean(tag, tag_names(metadata))
    return NoSuchVersionError(f"View {name} has no tag {tag!r}. {hint}", identifier=str(name))


def tagged_ids(properties: Mapping[str, str]) -> frozenset[tuple[int, int]]:
    """Id and time of each version that has a tag."""
    return frozenset((version_id, timestamp_ms) for _, version_id, timestamp_ms in _tags_in(properties))


def _tags_in(properties: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    for key, value in properties.items():
        # What others wrote there tags nothing.
        if key.startswith(TAG) and (found := _VALUE.fullmatch(value)):
            yield key.removeprefix(TAG), int(found[1]), int(found[2])
