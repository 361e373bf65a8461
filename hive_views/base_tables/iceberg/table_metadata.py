"""The metadata file of an Iceberg table: where the newest one is, and the history in it."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from hive_views.base_tables.iceberg.keys import PartitionKeys
from hive_views.base_tables.iceberg.manifests import missing_extra
from hive_views.base_tables.port import Snapshot
from hive_views.errors import CorruptMetadataError, NotFoundError, UnsupportedFeatureError
from hive_views.spec.unpacking import gunzip
from hive_views.storage.files import Files

_NEWEST_FORMAT = 3
# Of compressed metadata; a table with ten thousand snapshots has some ten megabytes.
_MOST_BYTES = 512 * 2**20
# Names that Hadoop tables give (v3.metadata.json), and catalogs (00003-<uuid>.metadata.json), plain and compressed.
_METADATA_FILE = re.compile(r"(?:v(\d+)|(\d+)-[^/]+?)(?:\.gz)?\.metadata\.json(?:\.gz)?")
# Iceberg's sink for Kafka Connect: up to which time of its records everything is committed. Flink's sink says nothing.
_WATERMARK = "kafka.connect.valid-through-ts"
# Between what identifies a table with its partition columns, and what identifies a line of its history.
_LINE = "/from-"


@dataclass(frozen=True)
class TableSnapshot:
    """A snapshot as the metadata file has it; ``operation`` is "" where tables of format version 1 do not have it."""

    id: int
    parent_id: int | None
    committed_at_ms: int
    operation: str
    summary: Mapping[str, str]
    manifest_list: str
    sequence_number: int = 0

    @property
    def is_first(self) -> bool:
        """Whether the table had none before it; one whose parent has expired may not name it any more (pyiceberg).

        Unknown of tables of format version 1: they have no sequence numbers.
        """
        return self.parent_id is None and self.sequence_number == 1

    @property
    def is_rewrite(self) -> bool:
        """Whether it has the rows of its parent (table spec, "Snapshots": operation ``replace``)."""
        return self.operation == "replace"


@dataclass(frozen=True)
class TableMetadata:
    """What a metadata file says.

    Attributes:
        table_id: the table's UUID, and from the second partition spec on the spec's number too: a snapshot does not say
            of which spec its table was, and values of before and after are not of the same columns. ``line`` adds to it
            which line of history a snapshot is of.
        heads: branches and tags.
    """

    location: str
    uuid: str
    table_id: str
    keys: PartitionKeys
    snapshots: Mapping[int, TableSnapshot]
    heads: Mapping[str, int]

    def head(self, branch: str | None, table: str) -> TableSnapshot | None:
        """The newest snapshot of a branch, by default ``main``; None for a table without any.

        Raises:
            NotFoundError: there is no such branch.
            CorruptMetadataError: it points to a snapshot that is not there.
        """
        branch = branch or "main"
        if branch not in self.heads and branch != "main":
            raise NotFoundError(
                f"The table {table} has no branch {branch}; its branches and tags are "
                f"{', '.join(sorted(self.heads)) or 'none'}.",
                table=table,
            )
        head = self.heads.get(branch)
        if head is not None and head not in self.snapshots:
            raise CorruptMetadataError(
                f"{self.location}, the metadata of {table}, says that snapshot {head} is its newest, but does not "
                f"contain it.",
                table=table,
                location=self.location,
            )
        return None if head is None else self.snapshots[head]

    def ancestors(self, snapshot_id: int | None) -> Iterator[TableSnapshot]:
        """A snapshot and those before it, newest first, as far back as the metadata goes."""
        while snapshot_id is not None and (snapshot := self.snapshots.get(snapshot_id)):
            yield snapshot
            snapshot_id = snapshot.parent_id

    def rows_written_at_ms(self, snapshot_id: int) -> int:
        """When the rows of a snapshot's new files were written, or until when they were: those of a compaction are of
        its parent's time at the latest.
        """
        for snapshot in self.ancestors(snapshot_id):
            written_at_ms = snapshot.committed_at_ms
            if not snapshot.is_rewrite:
                break
        return written_at_ms

    def line(self, snapshot: TableSnapshot, known: Snapshot | None = None) -> str:
        """The ``table_id`` of a snapshot: that of all snapshots of its line of history, and of no other line.

        ``CREATE OR REPLACE TABLE`` keeps the UUID, and begins a new line by a snapshot without a parent. A line is
        known by its oldest snapshot; when that has expired, by what ``known``, a snapshot of it, was said to be of.
        """
        of_table, _, of_line = known.table_id.partition(_LINE) if known else ("", "", "")
        oldest = snapshot.id
        for one in self.ancestors(snapshot.id):
            oldest = one.id
            is_on_line = known is not None and known.id in (str(one.id), str(one.parent_id))
            if is_on_line and of_line and of_table.partition("/")[0] == self.uuid:
                return f"{self.table_id}{_LINE}{of_line}"
        return f"{self.table_id}{_LINE}{oldest}"

    def is_comparable(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot is of this table while it had these partition columns."""
        return snapshot.table_id.partition(_LINE)[0] == self.table_id

    def port_snapshot(self, snapshot: TableSnapshot, line: str, committed_at_ms: int) -> Snapshot:
        watermark = None
        if self._has_watermarks:
            # A commit that says nothing of it, as a compaction, does not take back what was said before.
            texts = (one.summary[_WATERMARK] for one in self.ancestors(snapshot.id) if _WATERMARK in one.summary)
            watermark = _timestamp_ms(next(texts, ""))
        return Snapshot(str(snapshot.id), line, committed_at_ms, watermark)

    @cached_property
    def _has_watermarks(self) -> bool:
        return any(_WATERMARK in snapshot.summary for snapshot in self.snapshots.values())


def find_metadata_file(files: Files, location: str) -> str:
    """The newest metadata file of the table in a directory; a location that is a metadata file is the answer itself.

    A catalog knows better: a commit that failed may leave a file that looks newest.

    Raises:
        NotFoundError: there is no metadata file.
        UnsupportedFeatureError: two files look newest.
    """
    if _METADATA_FILE.fullmatch(location.rpartition("/")[2]):
        return location
    directory = f"{location.rstrip('/')}/metadata"
    found = files.list(directory)
    hint = f"{directory}/version-hint.text"
    if hint in found:
        text = files.read(hint).decode("utf-8", "replace").strip()
        if text and not text.isdigit():
            return f"{directory}/{text.removesuffix('.metadata.json')}.metadata.json"
    numbered: dict[int, list[str]] = {}
    for one in found:
        if match := _METADATA_FILE.fullmatch(one.rpartition("/")[2]):
            numbered.setdefault(int(match[1] or match[2]), []).append(one)
    newest = numbered[max(numbered)] if numbered else []
    if not newest:
        raise NotFoundError(f"There is no Iceberg table in {location}: it has no metadata file.", location=location)
    if len(newest) > 1:
        raise UnsupportedFeatureError(
            f"Cannot decide which metadata file of {location} is the newest: {', '.join(newest)}. Name the table as "
            f"its catalog has it, or give the location of the file.",
            location=location,
        )
    return newest[0]


def read_metadata(files: Files, location: str, table: str) -> bytes:
    """The content of a metadata file; CorruptMetadataError where it is missing."""
    try:
        return files.read(location)
    except FileNotFoundError as e:
        raise _corrupt(table, location, "there is no such file") from e


def parse_metadata(content: bytes, location: str, table: str) -> TableMetadata:
    """What a metadata file says.

    Raises:
        CorruptMetadataError: it is not what the table spec says.
        UnsupportedFeatureError: it is of a format version, or uses a feature, that cannot be read; pyiceberg is not
            installed.
    """
    fields = _fields(content, location, table)
    _refuse_unreadable(table, location, fields.get("format-version"), fields)
    metadata = _parsed(table, location, fields)
    snapshots = _in_time({one.snapshot_id: _snapshot(one) for one in metadata.snapshots})
    heads = {name: ref.snapshot_id for name, ref in metadata.refs.items()}
    uuid = str(metadata.table_uuid)
    table_id = f"{uuid}/spec-{metadata.default_spec_id}" if metadata.default_spec_id else uuid
    return TableMetadata(location, uuid, table_id, PartitionKeys(metadata), snapshots, heads)


def _fields(content: bytes, location: str, table: str) -> dict[str, Any]:
    try:
        fields = json.loads(gunzip(content, _MOST_BYTES) if content.startswith(b"\x1f\x8b") else content)
    except (ValueError, OSError, EOFError, zlib.error, RecursionError) as e:
        raise _corrupt(table, location, str(e)) from e
    if not isinstance(fields, dict):
        raise _corrupt(table, location, "it is not a JSON object")
    return fields


@contextmanager
def reading_metadata(content: bytes, location: str, table: str) -> Iterator[dict[str, Any]]:
    """The JSON of a metadata file, which takes no other package; what it lacks is reported as damage of the file.

    Raises:
        CorruptMetadataError: it is not what the table spec says.
        UnsupportedFeatureError: it is of a newer format version.
    """
    fields = _fields(content, location, table)
    version = fields.get("format-version")
    if isinstance(version, int) and version > _NEWEST_FORMAT:
        _refuse_unreadable(table, location, version, {})
    try:
        yield fields
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, StopIteration, RecursionError) as e:
        raise _corrupt(table, location, f"{type(e).__name__}: {e}") from e


def _refuse_unreadable(table: str, location: str, version: Any, fields: dict[str, Any]) -> None:
    problem = ""
    if isinstance(version, int) and version > _NEWEST_FORMAT:
        problem = f"its format version is {version}, and this version reads up to {_NEWEST_FORMAT}"
    elif fields.get("encryption-keys"):
        problem = "it is encrypted"
    elif any(isinstance(one, dict) and "manifest-list" not in one for one in fields.get("snapshots") or ()):
        problem = "a snapshot names its manifests without a manifest list, as early writers of version 1 did"
    if problem:
        raise UnsupportedFeatureError(f"Cannot read {table}: {problem}. ({location})", table=table, location=location)


def _parsed(table: str, location: str, fields: dict[str, Any]) -> Any:
    try:
        from pyiceberg.exceptions import ValidationError  # noqa: PLC0415 - an optional package
        from pyiceberg.table.metadata import TableMetadataUtil  # noqa: PLC0415 - an optional package
    except ImportError as e:
        raise missing_extra(table) from e
    try:
        return TableMetadataUtil.parse_obj(_with_single_sources(fields))
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise _corrupt(table, location, " ".join(str(e).split())) from e


def _with_single_sources(fields: dict[str, Any]) -> dict[str, Any]:
    """The metadata without transforms of several columns (``source-ids``), which pyiceberg refuses.

    They become unknown transforms, whose values readers leave out (table spec, "Partition Transforms").
    """
    if fields["format-version"] != 3:
        return fields
    return fields | {
        kind: [one | {"fields": [_with_single_source(field) for field in one["fields"]]} for one in fields[kind]]
        for kind in ("partition-specs", "sort-orders")
    }


def _with_single_source(field: dict[str, Any]) -> dict[str, Any]:
    sources = field.get("source-ids") or []
    if len(sources) < 2:
        return field
    return field | {"source-id": sources[0], "transform": f"of several columns: {field['transform']}"}


def _corrupt(table: str, location: str, problem: str) -> CorruptMetadataError:
    return CorruptMetadataError(
        f"Cannot read {location}, the metadata of {table}: {problem}. Restore the file, or let the catalog point to an "
        f"older one.",
        table=table,
        location=location,
    )


def _snapshot(snapshot: Any) -> TableSnapshot:
    summary = snapshot.summary
    return TableSnapshot(
        snapshot.snapshot_id,
        snapshot.parent_snapshot_id,
        snapshot.timestamp_ms,
        summary.operation.value if summary else "",
        dict(summary.additional_properties) if summary else {},
        snapshot.manifest_list,
        snapshot.sequence_number or 0,
    )


def _in_time(snapshots: Mapping[int, TableSnapshot]) -> dict[int, TableSnapshot]:
    """None committed before its parent, as clocks of writers may run back."""
    done: dict[int, TableSnapshot] = {}
    for snapshot in snapshots.values():
        line = [snapshot]
        while (parent := snapshots.get(line[-1].parent_id or 0)) and parent.id not in done:
            line.append(parent)
        for one in reversed(line):
            before = done.get(one.parent_id or 0)
            at_ms = max(one.committed_at_ms, before.committed_at_ms) if before else one.committed_at_ms
            done[one.id] = replace(one, committed_at_ms=at_ms)
    return done


def _timestamp_ms(text: str) -> int | None:
    """A time as Java writes an OffsetDateTime, or in milliseconds; None for another text."""
    try:
        if text.lstrip("-").isdecimal():
            return int(text)
        timestamp = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return int(timestamp.timestamp() * 1000) if timestamp.tzinfo else None
