"""Snapshots and schemas of a Paimon table: the JSON files that say which states it has.

The hints LATEST and EARLIEST are never read: they may be missing, stale, of the future or no number, and Paimon's
documents call them hints. The directory is the truth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive_views.base_tables.paimon.manifests import AvroFile
from hive_views.base_tables.port import Commit, Snapshot
from hive_views.errors import CorruptMetadataError, NoSuchTableError, UnsupportedFeatureError
from hive_views.storage.files import Files

_NEWEST_VERSION = 3
_KINDS_OF_DATA = frozenset(("APPEND", "OVERWRITE"))
_KINDS_OF_REWRITES = frozenset(("COMPACT", "ANALYZE"))
_NO_WATERMARK = -(2**63)
_COMPACTED = "+compacted"
_NUMBERED = re.compile(r"(?:snapshot|schema)-([0-9]{1,19})")


@dataclass(frozen=True)
class PaimonSnapshot:
    """What a snapshot file says.

    ``committed_at_ms`` is the later of what the writer's clock said and the storage's, as the first may run back;
    ``base_list`` and ``delta_list`` name the lists of manifests, of what was there before and what the commit did;
    ``index_manifest`` names the one file of all indexes and deletion vectors.
    """

    id: int
    commit_id: str
    schema_id: int
    base_list: AvroFile
    delta_list: AvroFile
    index_manifest: str | None
    kind: str
    committed_at_ms: int
    watermark_ms: int | None
    properties: Mapping[str, str]

    @property
    def has_known_kind(self) -> bool:
        return self.kind in _KINDS_OF_DATA | _KINDS_OF_REWRITES

    @property
    def is_rewrite(self) -> bool:
        """Whether the commit left the rows as they were: an OVERWRITE by as many records did not."""
        return self.kind in _KINDS_OF_REWRITES

    def port_snapshot(self, schema: PaimonSchema) -> Snapshot:
        """As the port has it.

        A roll-back deletes the later snapshots and gives their ids anew, and so does a table that is restored from a
        replica: ``commit_id`` distinguishes them. It also says whether readers see all of the snapshot's files, because
        ALTER TABLE changes that without a commit.

        Args:
            schema: the newest one; where it does not say when the table was made, each commit is of its own table.
        """
        table_id = self.commit_id if schema.made_at_ms is None else str(schema.made_at_ms)
        commit_id = f"{self.commit_id}{_COMPACTED}" if schema.skips_level_0 else self.commit_id
        return Snapshot(str(self.id), table_id, self.committed_at_ms, self.watermark_ms, commit_id)

    def commit(self, schema: PaimonSchema) -> Commit:
        return Commit(self.port_snapshot(schema), self.kind, self.properties, is_first=self.id == 1)

    def is_same_as(self, snapshot: Snapshot, schema: PaimonSchema) -> bool:
        return self.port_snapshot(schema).is_same_as(snapshot)


@dataclass(frozen=True)
class PaimonSchema:
    """What a schema file says.

    Attributes:
        id: its number.
        partition_columns: with Paimon's types, in their order.
        skips_level_0: readers see no file before it is compacted: primary-key tables with deletion vectors and without
            ``deletion-vectors.merge-on-read``, or with the merge engine ``first-row`` (``CoreOptions.
            batchScanSkipLevel0``).
        merges_files: files of a bucket may hold the same keys, and readers merge them: primary-key tables, unless they
            read what is compacted alone.
        splits_rows: files may hold other columns of the same rows (``data-evolution.enabled``).
        made_at_ms: when it was made, in milliseconds since 1970; of ``newest_schema``, when the table's first one was,
            which distinguishes it from a later table at its location (``FileStoreTable.uuid``). None where unknown.
    """

    id: int
    partition_columns: Sequence[tuple[str, str]]
    skips_level_0: bool
    merges_files: bool
    splits_rows: bool
    made_at_ms: int | None

    def hides(self, bucket: int, level: int) -> bool:
        """Whether readers do not see a file yet; bucket -2 (``postpone``) is for those that have none so far."""
        return bucket < 0 or (self.skips_level_0 and level == 0)


class SnapshotFiles:
    """The snapshot and schema files of a table.

    What reads a file raises FileNotFoundError if there is none (any more), UnsupportedFeatureError if a newer Paimon
    wrote it, and CorruptMetadataError if it cannot be understood.
    """

    def __init__(self, files: Files, location: str, table: str) -> None:
        self._files = files
        self._location = location
        self._table = table

    def newest(self) -> PaimonSnapshot | None:
        """The newest snapshot, found by listing; None for a table without commits."""
        ids = self._ids("snapshot")
        return self.read(max(ids)) if ids else None

    def stamp(self, known: tuple[int, int | None] | None) -> tuple[int, int | None]:
        """The number of the newest snapshot and when it was written; 0 and None for a table without commits.

        ``known`` is what was returned last: if that is still the newest one, two files are asked for and none listed.
        """
        if (
            known is not None
            and known[1] is not None
            and self._is_newest(known[0])
            and self._files.modified_at_ms(self._snapshot_location(known[0]), missing_ok=True) == known[1]
        ):
            return known
        newest = max(self._ids("snapshot"), default=0)
        location = self._snapshot_location(newest)
        return newest, self._files.modified_at_ms(location, missing_ok=True) if newest else None

    def _is_newest(self, id: int) -> bool:  # noqa: A002 - the word of the format
        try:
            # A file that is missing is read, as some clients look for a directory of its name where they are asked.
            self._files.read(self._snapshot_location(id + 1))
        except FileNotFoundError:
            return True
        return False

    def read(self, id: int) -> PaimonSnapshot:  # noqa: A002 - the word of the format
        """One snapshot."""
        location = self._snapshot_location(id)
        return self._snapshot(location, self._files.read(location), self._files.modified_at_ms(location))

    def read_all(self, ids: Sequence[int]) -> Iterator[PaimonSnapshot]:
        """Snapshots in this order; errors come when it is the turn of the file."""
        locations = [self._snapshot_location(one) for one in ids]
        return map(
            self._snapshot, locations, self._files.read_all(locations), self._files.all_modified_at_ms(locations)
        )

    def newest_schema(self) -> PaimonSchema:
        """The schema whose options every reader goes by, whatever that of the snapshot was.

        Raises:
            NoSuchTableError: there is no schema, so no Paimon table.
        """
        ids = self._schema_ids()
        newest, first = max(ids), min(ids)
        schema = self.schema(newest)
        return schema if first == newest else replace(schema, made_at_ms=self.schema(first).made_at_ms)

    def newest_fields(self) -> Sequence[Any]:
        """The columns of the newest schema, as its file has them.

        Raises:
            NoSuchTableError: there is no schema, so no Paimon table.
        """
        location = f"{self._location}/schema/schema-{max(self._schema_ids())}"
        fields = self._json(location, self._files.read(location)).get("fields")
        if not isinstance(fields, list):
            raise self._corrupt(location, "it lacks the fields of a schema")
        return fields

    def _schema_ids(self) -> list[int]:
        ids = self._ids("schema")
        if not ids:
            raise NoSuchTableError(
                f"There is no Paimon table at {self._location}: it has no file schema/schema-0.",
                location=self._location,
            )
        return ids

    def schema(self, id: int) -> PaimonSchema:  # noqa: A002 - the word of the format
        """A schema by its id."""
        location = f"{self._location}/schema/schema-{id}"
        fields = self._json(location, self._files.read(location))
        try:
            types = {field["name"]: field["type"] for field in fields["fields"]}
            keys = [(key, _type_text(types[key])) for key in fields.get("partitionKeys") or ()]
            options = fields.get("options") or {}
            skips_level_0 = (
                not _is_on(options, "deletion-vectors.merge-on-read")
                if _is_on(options, "deletion-vectors.enabled")
                else options.get("merge-engine") == "first-row"
            )
            has_primary_key = bool(fields.get("primaryKeys"))
            return PaimonSchema(
                id,
                keys,
                skips_level_0=skips_level_0 and has_primary_key,
                merges_files=not skips_level_0 and has_primary_key,
                splits_rows=_is_on(options, "data-evolution.enabled"),
                made_at_ms=fields.get("timeMillis"),
            )
        except (KeyError, TypeError, AttributeError) as e:
            raise self._corrupt(location, f"it lacks a required field of a schema ({e})") from e

    def _snapshot_location(self, id: int) -> str:  # noqa: A002 - the word of the format
        return f"{self._location}/snapshot/snapshot-{id}"

    def _snapshot(self, location: str, content: bytes, written_at_ms: int | None) -> PaimonSnapshot:
        fields = self._json(location, content)
        try:
            return _snapshot(fields, written_at_ms or 0)
        except (KeyError, TypeError, ValueError) as e:
            raise self._corrupt(location, f"it lacks a required field of a snapshot ({e})") from e

    def _ids(self, kind: str) -> list[int]:
        names = [entry.rsplit("/", 1)[-1] for entry in self._files.list(f"{self._location}/{kind}")]
        return [int(match[1]) for name in names if (match := _NUMBERED.fullmatch(name))]

    def _json(self, location: str, content: bytes) -> dict[str, Any]:
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError) as e:
            raise self._corrupt(location, f"it is not JSON ({e})") from e
        if not isinstance(fields, dict):
            raise self._corrupt(location, "it is not a JSON object")
        # The first releases of Paimon wrote no version.
        version = fields.get("version") or 1
        if version not in range(1, _NEWEST_VERSION + 1):
            raise UnsupportedFeatureError(
                f"Cannot read {location} of {self._table}: it has version {version} of Paimon's files, and only those "
                f"up to {_NEWEST_VERSION} are known.",
                table=self._table,
                location=location,
            )
        return fields

    def _corrupt(self, location: str, why: str) -> CorruptMetadataError:
        return CorruptMetadataError(f"Cannot read {location} of {self._table}: {why}.", location=location)


def _snapshot(fields: Mapping[str, Any], written_at_ms: int) -> PaimonSnapshot:
    user, identifier, committed_at_ms = fields["commitUser"], fields["commitIdentifier"], int(fields["timeMillis"])
    watermark = fields.get("watermark")
    properties = {name: str(value) for name, value in (fields.get("properties") or {}).items()}
    return PaimonSnapshot(
        id=int(fields["id"]),
        # Java up to 1.2 writes no uuid; a user (a random name of a job's run) commits once in a millisecond.
        commit_id=fields.get("uuid") or f"{user}@{committed_at_ms}",
        schema_id=int(fields["schemaId"]),
        # Older releases of Paimon write no sizes.
        base_list=AvroFile(fields["baseManifestList"], fields.get("baseManifestListSize")),
        delta_list=AvroFile(fields["deltaManifestList"], fields.get("deltaManifestListSize")),
        index_manifest=fields.get("indexManifest"),
        kind=str(fields["commitKind"]).upper(),
        committed_at_ms=max(committed_at_ms, written_at_ms),
        watermark_ms=None if watermark in (None, _NO_WATERMARK) else int(watermark),
        properties={**properties, "commitUser": str(user), "commitIdentifier": str(identifier)},
    )


def _is_on(options: Mapping[str, object], name: str) -> bool:
    return str(options.get(name)).lower() == "true"


def _type_text(type_: object) -> str:
    # Nested types are objects; no partition column has one.
    return type_ if isinstance(type_, str) else json.dumps(type_)
