"""The log of a Delta table as its writers wrote it: what each commit did, and what they said about it.

Of all this, the library ``deltalake`` gives only the state. (Its ``history`` counts versions wrongly where a commit
says nothing about itself, and it gives neither ``dataChange`` nor what was removed.)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from hive_views.base_tables.delta.keys import PartitionColumns
from hive_views.errors import CorruptMetadataError, NoSuchTableError, UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.storage.files import Files

_VERSION = re.compile(r"([0-9]{20})(?:\.json|\.checkpoint\..*)")
# How many commits are read before the state is loaded for what one of them would say.
_WALK = 1024

# Reader features that change nothing here, or that are heeded. All others are refused by name.
_KNOWN_FEATURES = frozenset(
    (
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantShredding-preview",
        "variantType",
        "variantType-preview",
    )
)
_NEWEST_READER = 3


@dataclass(frozen=True)
class FileAction:
    """One data file that a commit added or removed.

    Attributes:
        key: path and deletion vector; a file is the same one only with both.
        partition_values: by physical name; None where a remove does not have them.
        records: live rows; None where that is unknown.
        deleted: rows that its deletion vector marks.
        acted_at_ms: when the file was written, or removed, by its writer's clock.
    """

    is_added: bool
    key: tuple[str, str]
    partition_values: Mapping[str, str | None] | None
    is_data_change: bool
    size: int | None
    records: int | None
    deleted: int
    acted_at_ms: int | None


@dataclass(frozen=True)
class CommitFile:
    """A commit's file as a whole.

    Attributes:
        id: of its content. A table restored from a copy uses versions again, with its old id; what its writers say of
            a commit (``txnId``, timestamps) is optional.
        committed_at_ms: the later of what the commit says (in-commit timestamp, else its writer's clock) and when the
            storage got it: writers' clocks may run back.
    """

    id: str
    committed_at_ms: int | None


@dataclass(frozen=True)
class DeltaCommit:
    """One version of a table. ``operation`` is "" where the writer did not say."""

    version: int
    file: CommitFile
    operation: str
    properties: Mapping[str, str]
    has_metadata: bool
    files: tuple[FileAction, ...]


@dataclass(frozen=True)
class TableHead:
    """What holds for a table as a whole in one version."""

    table_id: str
    columns: PartitionColumns
    reader_version: int
    reader_features: tuple[str, ...]

    def note(self) -> str:
        """This, to be kept and read back by ``of_note``."""
        columns = [
            [key.name, key.type, physical]
            for key, physical in zip(self.columns.keys, self.columns.physical_names, strict=True)
        ]
        return json.dumps([self.table_id, columns, self.reader_version, self.reader_features])

    @staticmethod
    def of_note(note: str) -> TableHead | None:
        """None where it is no note."""
        try:
            table_id, columns, reader_version, reader_features = json.loads(note)
            keys = tuple(Column(name, type_) for name, type_, _ in columns)
            physical_names = tuple(physical for _, _, physical in columns)
        except (TypeError, ValueError):
            return None
        return TableHead(table_id, PartitionColumns(keys, physical_names), reader_version, tuple(reader_features))

    def unknown_features(self) -> list[str]:
        """What a reader must know of this table, and this one does not."""
        if self.reader_version > _NEWEST_READER:
            return [f"reader version {self.reader_version}", *self.reader_features]
        return sorted(set(self.reader_features) - _KNOWN_FEATURES)

    def check_readable(self, table: str) -> None:
        """Refuse a table that was written for newer readers.

        Raises:
            UnsupportedFeatureError: it needs a feature that is unknown here (field ``features``).
        """
        unknown = self.unknown_features()
        if unknown:
            raise UnsupportedFeatureError(
                f"Cannot read the Delta table {table}: it needs {', '.join(unknown)}, which this release does not "
                f"support. Use a newer release of hive_views, or drop the feature from the table.",
                table=table,
            )


class DeltaLog:
    """The commits of one table; whatever reads it raises CorruptMetadataError for a broken file."""

    def __init__(self, table: str, location: str, files: Files) -> None:
        self._table = table
        self._directory = f"{location.rstrip('/')}/_delta_log"
        self._files = files

    def newest_version(self) -> int:
        """The newest version, from a list of the log's files; hints about it (``_last_checkpoint``) can be wrong.

        Raises:
            NoSuchTableError: there is no log.
        """
        names = (entry.rpartition("/")[2] for entry in self._files.list(self._directory))
        versions = [int(match[1]) for match in map(_VERSION.fullmatch, names) if match]
        if not versions:
            raise NoSuchTableError(
                f"There is no Delta table {self._table}: {self._directory} holds no commit.", table=self._table
            )
        return max(versions)

    def stamp(self, known: tuple[int, int | None] | None) -> tuple[int, int | None]:
        """The newest version, and when its file was written, in milliseconds since 1970; None where that is unknown.

        ``known`` is what was returned last: if that is still the newest one, two files are asked for and none listed.
        """
        if known is not None and known[1] is not None:
            # A file that is missing is read, as some clients look for a directory of its name where they are asked.
            is_newest = self._read(known[0] + 1) is None
            if is_newest and self._files.modified_at_ms(self._path(known[0]), missing_ok=True) == known[1]:
                return known
        newest = self.newest_version()
        return newest, self._files.modified_at_ms(self._path(newest), missing_ok=True)

    def commits(self, versions: range) -> Iterator[DeltaCommit]:
        """What versions did, in their order, as far as their files are there: none after the first that is gone."""
        written = self._files.all_modified_at_ms(map(self._path, versions), missing_ok=True)
        # As many as there are files: the first one that is gone ends both.
        for (version, content), written_at_ms in zip(self._contents(versions), written, strict=False):
            yield self._commit(version, content, written_at_ms)

    def _commit(self, version: int, content: bytes, written_at_ms: int | None) -> DeltaCommit:
        with self._reading(self._path(version)):
            actions = [json.loads(line) for line in content.splitlines() if line.strip()]
            info: dict[str, Any] = next((action["commitInfo"] for action in actions if action.get("commitInfo")), {})
            return DeltaCommit(
                version,
                _commit_file(content, info, written_at_ms),
                str(info.get("operation") or ""),
                _properties(info, actions),
                any(action.get("metaData") for action in actions),
                tuple(_file_actions(actions)),
            )

    def commit_file(self, version: int) -> CommitFile | None:
        """The file of a version; None where it is not there any more."""
        content = self._read(version)
        if content is None:
            return None
        with self._reading(self._path(version)):
            infos = (json.loads(line).get("commitInfo") for line in content.splitlines() if b'"commitInfo"' in line)
            written_at_ms = self._files.modified_at_ms(self._path(version), missing_ok=True)
            return _commit_file(content, next(filter(None, infos), {}), written_at_ms)

    def head(self, version: int) -> TableHead | None:
        """What the commits up to ``version`` say about the table as a whole.

        None where they do not say it any more: then only a checkpoint does.

        Raises:
            UnsupportedFeatureError: a partition column has a type whose values have no text in Hive.
        """
        return self._head(self._said_of_table(version))

    def schema(self, version: int) -> str | None:
        """The schema of a version, in Delta's JSON; None where the log does not have it any more."""
        metadata = self._said_of_table(version).get("metaData")
        with self._reading(self._directory):
            return metadata and str(metadata["schemaString"])

    def _said_of_table(self, version: int) -> dict[str, Any]:
        """The newest ``metaData`` and ``protocol`` up to ``version``, as far as the log has them."""
        found = self._whole_table(version, self._read(version) or b"")
        if len(found) < 2:
            found = self._checksum(version) or found
        if len(found) < 2:
            for older, content in self._contents(range(version - 1, max(version - _WALK, 0) - 1, -1)):
                found = self._whole_table(older, content) | found
                if len(found) == 2:
                    break
        return found

    def may_change_head(self, versions: range) -> bool:
        """Whether one of these commits says something of the table as a whole, or is not there any more."""
        if len(versions) > _WALK:
            return True
        read = 0
        for version, content in self._contents(versions):
            if self._whole_table(version, content):
                return True
            read += 1
        return read < len(versions)

    def _head(self, found: Mapping[str, Any]) -> TableHead | None:
        if len(found) < 2:
            return None
        metadata, protocol = found["metaData"], found["protocol"]
        with self._reading(self._directory):
            return TableHead(
                metadata["id"],
                PartitionColumns.of(self._table, metadata["schemaString"], metadata["partitionColumns"]),
                protocol["minReaderVersion"],
                tuple(protocol.get("readerFeatures") or ()),
            )

    def _whole_table(self, version: int, content: bytes) -> dict[str, Any]:
        found: dict[str, Any] = {}
        # Files are most of a log; only the few lines that matter are parsed.
        for kind in ("metaData", "protocol"):
            mark = f'"{kind}"'.encode()
            for line in content.splitlines() if mark in content else ():
                if mark in line:
                    with self._reading(self._path(version)):
                        action = json.loads(line)
                    if action.get(kind):
                        found[kind] = action[kind]
        return found

    def _checksum(self, version: int) -> dict[str, Any] | None:
        """What Spark says of the whole table beside each commit (Delta protocol, "Version Checksum File")."""
        try:
            checksum = json.loads(self._files.read(self._path(version).removesuffix("json") + "crc"))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        if not isinstance(checksum, dict):
            return None
        found = {"metaData": checksum.get("metadata"), "protocol": checksum.get("protocol")}
        return found if all(found.values()) else None

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        """Name the file that cannot be understood."""
        try:
            yield
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise CorruptMetadataError(
                f"Cannot read {path} of the Delta table {self._table}: it is broken "
                f"({type(problem).__name__}: {problem}).",
                table=self._table,
                location=path,
            ) from problem

    def _path(self, version: int) -> str:
        return f"{self._directory}/{version:020d}.json"

    def _contents(self, versions: range) -> Iterator[tuple[int, bytes]]:
        with suppress(FileNotFoundError):
            yield from zip(versions, self._files.read_all(map(self._path, versions)), strict=True)

    def _read(self, version: int) -> bytes | None:
        try:
            return self._files.read(self._path(version))
        except FileNotFoundError:
            return None


def _commit_file(content: bytes, info: Mapping[str, Any], written_at_ms: int | None) -> CommitFile:
    by_writer = info.get("inCommitTimestamp") or info.get("timestamp")
    times = [int(one) for one in (by_writer, written_at_ms) if one is not None]
    return CommitFile(hashlib.sha256(content).hexdigest()[:16], max(times, default=None))


def _properties(info: Mapping[str, Any], actions: list[dict[str, Any]]) -> dict[str, str]:
    """What the writer said: texts of the commitInfo, the user's own metadata and its keys, transaction ids."""
    properties = {key: value for key, value in info.items() if isinstance(value, str) and key != "operation"}
    try:
        user_metadata = json.loads(properties.get("userMetadata", "null"))
    except ValueError:
        user_metadata = None
    if isinstance(user_metadata, dict):
        properties |= {
            key: value if isinstance(value, str) else json.dumps(value) for key, value in user_metadata.items()
        }
    transactions = (action["txn"] for action in actions if action.get("txn"))
    return properties | {f"txn.{one['appId']}": str(one["version"]) for one in transactions}


def _file_actions(actions: list[dict[str, Any]]) -> Iterator[FileAction]:
    for action in actions:
        for kind in ("add", "remove"):
            if action.get(kind):
                yield _file_action(action[kind], is_added=kind == "add")


def _file_action(action: Mapping[str, Any], *, is_added: bool) -> FileAction:
    vector = action.get("deletionVector") or {}
    records = json.loads(action.get("stats") or "{}").get("numRecords")
    deleted = int(vector.get("cardinality", 0))
    return FileAction(
        is_added,
        (
            action["path"],
            f"{vector.get('storageType', '')}{vector.get('pathOrInlineDv', '')}@{vector.get('offset', '')}",
        ),
        action.get("partitionValues"),
        action.get("dataChange") is not False,
        action.get("size"),
        None if records is None else records - deleted,
        deleted,
        action.get("modificationTime" if is_added else "deletionTimestamp"),
    )
