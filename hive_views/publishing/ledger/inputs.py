"""What a published partition stands on, as it is stored with the partition.

What lives here: the text of the parameter ``hive-views.inputs``, written and read back. What must not: finding out what
it says.

For each table: its format, how many of its partitions, and when they were listed; for each question that the rules
asked about them (``Coverage.question``) how many partitions of what names answered it, and whether these were all that
was asked for; the snapshot, where the table has history; else what tells the table from a later one of its name, and a
fingerprint of those partitions, where it was asked for. A fingerprint is weak: it tells that statistics and DDL times
of Hive partitions are as they were, and who writes files behind the metastore's back moves neither.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hive_views.base_tables.port import PartitionValues, Snapshot
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.readiness.standing import Standing

_QUESTION = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Input:
    """A table under a published partition.

    Attributes:
        partitions: how many of the table's partitions the partition stands on; by the rule that asks for most.
        listed_at_ms: when they were listed, at the earliest, in milliseconds since 1970.
        table_id: that of ``PartitionListing``; None beside a snapshot, which has one of its own.
        asked: what was found, by ``Coverage.question``; empty in what earlier versions wrote, and where there was no
            room for it.
    """

    format: str
    partitions: int
    listed_at_ms: int
    snapshot: Snapshot | None = None
    fingerprint: str | None = None
    table_id: str | None = None
    asked: Mapping[str, Standing] = field(default_factory=dict)


def write_inputs(inputs: Mapping[str, Input]) -> str:
    """JSON that any metastore can hold: ASCII, at most 4,000 characters.

    Where it would be longer, what was asked is left out; if that does not do, only totals are told.
    """
    for told in (inputs, {table: replace(one, asked={}) for table, one in inputs.items()}):
        text = _json({table: _told(one) for table, one in told.items()})
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


def _told(one: Input) -> dict[str, object]:
    told: dict[str, object] = {
        "format": one.format,
        "partitions": one.partitions,
        "listed-at-ms": one.listed_at_ms,
    }
    if one.snapshot:
        told |= {"snapshot": one.snapshot.id, "table-id": one.snapshot.table_id}
        if one.snapshot.commit_id:
            told["commit"] = one.snapshot.commit_id
    elif one.table_id:
        told["table-id"] = one.table_id
    if one.fingerprint:
        told["fingerprint"] = one.fingerprint
    if one.asked:
        told["asked"] = {question: str(standing) for question, standing in one.asked.items()}
    return told


def _read(told: Mapping[str, object]) -> Input:
    commit_id = str(told["commit"]) if "commit" in told else None
    snapshot = (
        Snapshot(str(told["snapshot"]), str(told["table-id"]), commit_id=commit_id) if "snapshot" in told else None
    )
    fingerprint = str(told["fingerprint"]) if "fingerprint" in told else None
    partitions, listed_at_ms = told["partitions"], told["listed-at-ms"]
    if not isinstance(partitions, int) or not isinstance(listed_at_ms, int):
        raise TypeError("numbers are expected")
    table_id = str(told["table-id"]) if "table-id" in told and not snapshot else None
    written = told.get("asked")
    asked = {
        question: standing
        for question, text in (written.items() if isinstance(written, dict) else ())
        if _QUESTION.fullmatch(question) and (standing := Standing.read(text))
    }
    # Before snapshots were known, the format was not told; it was Hive.
    return Input(str(told.get("format", "hive")), partitions, listed_at_ms, snapshot, fingerprint, table_id, asked)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
