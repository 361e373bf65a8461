"""Which files of a view nobody needs any more, while the view lives or when nothing is left of it.

A metadata file can go only if it cannot become the current one, however late a request comes. A swap is made from the
file that was current when its own was written, whose number is one lower (spec/serde.py), and is refused where another
one is current. So every file with the number of the current one, or a higher one, stays, however old it is. Where a
server does not check a swap, a request that comes late comes before its writer's lock has expired, or long before the
least age at which a file can go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.persisted import COMMITS, INCARNATION, OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import sequence_number
from hive_views.spec.tags import tagged_ids
from hive_views.storage.files import FileInfo
from hive_views.storage.locations import parent_of
from hive_views.storage.ownership import incarnation_of, owned_incarnation
from hive_views.views.commit.writes import COMMIT_ID_LENGTH
from hive_views.views.view import View


@dataclass(frozen=True)
class MetadataFile:
    """What matters of a metadata file's content.

    Attributes:
        incarnation: the token of the row that it was written for (storage/ownership.py); None for a file without.
        last_commit: the id of the commit that wrote it, if that was one of this library.
        versions: id and time of each.
    """

    incarnation: str | None
    last_commit: str
    versions: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, metadata: ViewMetadata) -> MetadataFile:
        """What matters of this metadata."""
        last_commit = metadata.properties.get(COMMITS, "").rpartition(",")[2]
        return cls(metadata.properties.get(INCARNATION), last_commit, _versions(metadata))


class OtherRows:
    """What the rows of a metastore say of files, or have said.

    Args:
        rows: of all views.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._named: dict[str, set[TableIdentifier]] = {}
        self._tokens: dict[str, set[TableIdentifier]] = {}
        self.add(rows)

    def add(self, rows: Iterable[Row]) -> None:
        """What these say too; what rows have said before is not forgotten."""
        for row in rows:
            for pointer in pointers_of(row):
                self._named.setdefault(_name(pointer), set()).add(row.identifier)
            for key in (INCARNATION, OWNS, VIEW_UUID):
                if token := row.parameters.get(key):
                    self._tokens.setdefault(token, set()).add(row.identifier)

    def names_file(self, location: str) -> bool:
        """Whether a row points to a file of this name; the same file is spelt in several ways."""
        return _name(location) in self._named

    def has_incarnation(self, incarnation: str) -> bool:
        """Whether a row is of this incarnation, or says so."""
        return incarnation in self._tokens

    def sharing_with(self, identifier: TableIdentifier, incarnation: str) -> TableIdentifier | None:
        """Another row that says that it is of this incarnation."""
        return min(self._tokens.get(incarnation, set()) - {identifier}, default=None)


def pointers_of(row: Row) -> tuple[str, ...]:
    """The files that a row names: the current one, and the one before."""
    return tuple(row.parameters[key] for key in (POINTER, PREVIOUS_POINTER) if row.parameters.get(key))


def reason_to_keep_all(view: View, others: OtherRows) -> str | None:
    """Why no file of a view may be deleted; None where that is to be decided of each."""
    incarnation = owned_incarnation(view.row, view.metadata)
    if incarnation is None:
        return (
            "Its row does not prove which files are its own: it was created by an earlier release, or registered by "
            "another engine. The next change of the view gives it files of its own."
        )
    if other := others.sharing_with(view.identifier, incarnation):
        return f"{other} claims the same files: another engine registered it, or its row is a copy."
    if sequence_number(view.metadata_location) is None:
        return "The name of its current file has no number, so it is unknown which files are older."
    return None


def may_be_unneeded(view: View, file: FileInfo, others: OtherRows, *, written_before_ms: int) -> bool:
    """Whether a metadata file is worth to be read: it is old, no row points to it, and its number is low.

    That nobody knows when it was written is reason enough to keep it.
    """
    number, current = sequence_number(file.location), sequence_number(view.metadata_location)
    return (
        file.modified_at_ms is not None
        and file.modified_at_ms <= written_before_ms
        and not others.names_file(file.location)
        and _name(file.location) not in map(_name, pointers_of(view.row))
        and number is not None
        and current is not None
        and number < current
    )


def needed_files(view: View, contents: Mapping[str, MetadataFile | None]) -> dict[str, str]:
    """Of files that may be unneeded, those that are needed or may be, with the reason.

    Args:
        view: as it is now; it owns its files (``reason_to_keep_all``).
        contents: of each file by its location, what matters of it; None where it cannot be read.
    """
    incarnation = owned_incarnation(view.row, view.metadata)
    kept: dict[str, str] = {}
    own: dict[str, MetadataFile] = {}
    for location, content in contents.items():
        if content is None:
            kept[location] = "it cannot be read, so its owner is unknown"
        elif content.incarnation is None or content.incarnation != incarnation:
            kept[location] = "it was not written for this row"
        else:
            own[location] = content
            # An engine that registers a file of ours elsewhere copies the token to what it writes itself.
            if not content.last_commit or not _is_named_by(location, content.last_commit):
                kept[location] = "another engine wrote it, perhaps for a row of another metastore"
    newest_first = sorted(own, key=_order, reverse=True)
    for tagged in tagged_ids(view.metadata.properties) - _versions(view.metadata):
        if holder := next((location for location in newest_first if tagged in own[location].versions), None):
            kept.setdefault(holder, f"it holds version {tagged[0]}, which has a tag and has expired in later files")
    directories = {parent_of(view.metadata_location)}
    for location in newest_first:
        # What is left beside it, as the journal, is known by it to be of a view that lives.
        if parent_of(location) not in directories:
            kept.setdefault(location, "it is the last one in a directory that the view used before")
        directories.add(parent_of(location))
    return kept


def is_nothing_left(incarnation: str, metadata: Iterable[ViewMetadata | None]) -> bool:
    """Whether nothing is left of an incarnation that no row is of.

    Args:
        incarnation: the token.
        metadata: of all files that are where its own were; None for one that cannot be read, which may be its own.
    """
    return all(one is not None and incarnation not in (incarnation_of(one), one.view_uuid) for one in metadata)


def _versions(metadata: ViewMetadata) -> frozenset[tuple[int, int]]:
    return frozenset((version.version_id, version.timestamp_ms) for version in metadata.versions)


def _is_named_by(location: str, commit: str) -> bool:
    return _name(location).partition("-")[2].startswith(commit[:COMMIT_ID_LENGTH])


def _order(location: str) -> tuple[int, str]:
    number = sequence_number(location)
    return -1 if number is None else number, location


def _name(location: str) -> str:
    return location.rpartition("/")[2]
