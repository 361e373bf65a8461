"""What a published partition depends on, as it is stored with the partition.

For each table: its format, the number of its partitions and when they were listed; for each question that a rule asked
about them (``Coverage.question``), a digest of the partitions that answered it; the snapshot, if the table has
history; else its id, that of a view's query and, if asked for, two fingerprints: of what the metastore knows of the
partitions, which writes of Spark do not change, and (from version 2) of the contents of their directories.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hive_views.base_tables.port import PartitionValues, Snapshot
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.persisted import INPUTS
from hive_views.readiness.dependency_digest import DependencyDigest

_QUESTION = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Input:
    """A table under a published partition.

    Attributes:
        partitions: how many of the table's partitions the partition depends on; by the rule that asks for most.
        listed_at_ms: when they were listed, at the earliest, in milliseconds since 1970.
        table_id: that of ``PartitionListing``; None beside a snapshot, which has one of its own.
        directories: what lay in the directories of its partitions; None where that is not recorded.
        definition: that of ``PartitionListing``, of a view.
        asked: what was found, by ``Coverage.question``; empty in what earlier versions wrote, and where there was no
            room for it.
    """

    format: str
    partitions: int
    listed_at_ms: int
    snapshot: Snapshot | None = None
    fingerprint: str | None = None
    table_id: str | None = None
    asked: Mapping[str, DependencyDigest] = field(default_factory=dict)
    directories: str | None = None
    definition: str | None = None


def write_inputs(inputs: Mapping[str, Input]) -> str:
    """JSON that any metastore can hold: ASCII, at most 4,000 characters.

    Where it would be longer, what was asked is left out; if that does not do, only totals are written.
    """
    for shortened in (inputs, {table: replace(one, asked={}) for table, one in inputs.items()}):
        text = _json({table: _document(one) for table, one in shortened.items()})
        if len(text) <= MAX_PARTITION_PARAMETER:
            return text
    return _json({"tables": len(inputs), "partitions": sum(one.partitions for one in inputs.values())})


def read_inputs(text: str | None) -> Mapping[str, Input] | None:
    """What ``write_inputs`` wrote, by table; None where it wrote totals, or somebody else wrote something else."""
    try:
        found = json.loads(text or "null")
        return {table: _read(one) for table, one in found.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def fingerprint_of(fingerprints: Mapping[PartitionValues, str]) -> str:
    """One short text for all partitions: it differs once one of them does, or one is missing."""
    pairs = sorted(_json([*values, text]) for values, text in fingerprints.items())
    return hashlib.sha256(_json(pairs).encode()).hexdigest()[:16]


def hash_of_inputs(parameters: Mapping[str, str]) -> str:
    """What distinguishes what is recorded with a partition from what is recorded when it is published again."""
    return hashlib.sha256(parameters.get(INPUTS, "").encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _document(one: Input) -> dict[str, object]:
    document: dict[str, object] = {
        "format": one.format,
        "partitions": one.partitions,
        "listed-at-ms": one.listed_at_ms,
    }
    if one.snapshot:
        document |= {"snapshot": one.snapshot.id, "table-id": one.snapshot.table_id}
        if one.snapshot.commit_id:
            document["commit"] = one.snapshot.commit_id
    elif one.table_id:
        document["table-id"] = one.table_id
    if one.fingerprint:
        document["fingerprint"] = one.fingerprint
    if one.directories:
        document["directories"] = one.directories
    if one.definition:
        document["definition"] = one.definition
    if one.asked:
        document["asked"] = {question: str(digest) for question, digest in one.asked.items()}
    return document


def _read(document: Mapping[str, object]) -> Input:
    commit_id = str(document["commit"]) if "commit" in document else None
    snapshot = (
        Snapshot(str(document["snapshot"]), str(document["table-id"]), commit_id=commit_id)
        if "snapshot" in document
        else None
    )
    fingerprint = str(document["fingerprint"]) if "fingerprint" in document else None
    partitions, listed_at_ms = document["partitions"], document["listed-at-ms"]
    if not isinstance(partitions, int) or not isinstance(listed_at_ms, int):
        raise TypeError("numbers are expected")
    table_id = str(document["table-id"]) if "table-id" in document and not snapshot else None
    written = document.get("asked")
    asked = written if isinstance(written, dict) else {}
    asked = DependencyDigest.read_all({one: text for one, text in asked.items() if _QUESTION.fullmatch(one)})
    directories = str(document["directories"]) if "directories" in document else None
    definition = str(document["definition"]) if "definition" in document else None
    # Before snapshots were known, the format was not written; it was Hive.
    format_ = str(document.get("format", "hive"))
    return Input(format_, partitions, listed_at_ms, snapshot, fingerprint, table_id, asked, directories, definition)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
