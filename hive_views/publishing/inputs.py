"""What a published partition stands on, as it is stored with the partition.

What lives here: the text of the parameter ``hive-views.inputs``, written and read back. What must not: finding out what
it says.

For each table: its format, how many of its partitions and a hash of their names, and when they were listed; the
snapshot, where the table has history; else what tells the table from a later one of its name, and a fingerprint of
those partitions, where it was asked for. A fingerprint is weak: it tells that statistics and DDL times of Hive
partitions are as they were, and who writes files behind the metastore's back moves neither.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hive_views.base_tables.port import PartitionValues, Snapshot
from hive_views.hive.limits import MAX_PARTITION_PARAMETER

INPUTS = "hive-views.inputs"
_NAMES = re.compile(r"[0-9]{1,18}:[0-9a-f]{8}:[0-9a-f]{4}")


@dataclass(frozen=True)
class Input:
    """A table under a published partition.

    Attributes:
        partitions: how many of the table's partitions the partition stands on; by the rule that asks for most.
        listed_at_ms: when they were listed, at the earliest, in milliseconds since 1970.
        table_id: that of ``PartitionListing``; None beside a snapshot, which has one of its own.
        names: ``names_of`` the partitions that it stands on and names, by any rule; None where there are none, and in
            what earlier versions wrote.
    """

    format: str
    partitions: int
    listed_at_ms: int
    snapshot: Snapshot | None = None
    fingerprint: str | None = None
    table_id: str | None = None
    names: str | None = None

    @property
    def named(self) -> int:
        """How many partitions ``names`` is of."""
        return int(self.names.partition(":")[0]) if self.names else 0

    def answers(self, question: str) -> bool:
        """Whether ``names`` is of partitions that were asked for in the same way."""
        return self.names is not None and self.names.endswith(f":{question}")

    def has_other_than(self, own: Collection[PartitionValues], question: str) -> bool:
        """Whether ``names`` is of others than these partitions; not where something else was asked."""
        return self.answers(question) and self.names != names_of(own, question)

    def has_lost(self, own: Collection[PartitionValues], question: str, most: int) -> bool:
        """Whether one of these partitions is certainly gone.

        Where there are more than before, names do not tell whether one is gone beside those that came.

        Args:
            own: those that it stands on and names now, by any rule.
            question: what they were found by.
            most: how many it stands on now, by the rule that asks for most.
        """
        return most < self.partitions or (len(own) <= self.named and self.has_other_than(own, question))


def write_inputs(inputs: Mapping[str, Input]) -> str:
    """JSON that any metastore can hold: ASCII, at most 4,000 characters.

    Where it would be longer, the hashes of names are left out; if that does not do, only totals are told.
    """
    for told in (inputs, {table: replace(one, names=None) for table, one in inputs.items()}):
        text = _json({table: _told(one) for table, one in told.items()})
        if len(text) <= MAX_PARTITION_PARAMETER:
            return text
    return _json({"tables": len(inputs), "partitions": sum(one.partitions for one in inputs.values())})


def read_inputs(text: str | None) -> Mapping[str, Input] | None:
    """What ``write_inputs`` wrote, by table; None where it wrote totals, or somebody else wrote something else."""
    try:
        found = json.loads(text or "null")
        return {table: _read(one) for table, one in found.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def fingerprint_of(fingerprints: Mapping[PartitionValues, str]) -> str:
    """One short text for all partitions: it differs once one of them does, or one is missing."""
    pairs = sorted(_json([*values, text]) for values, text in fingerprints.items())
    return hashlib.sha256(_json(pairs).encode()).hexdigest()[:16]


def names_of(partitions: Collection[PartitionValues], question: str) -> str:
    """A short text for these partitions, in any order: their number, a hash of their values, and ``question_of`` what
    found them.
    """
    # Not as JSON, which takes many times as long: a first run may declare years of hours.
    try:
        names = sorted(map("\0".join, partitions))  # type: ignore[arg-type]  # NULL is rare, and tried first as a text
    except TypeError:
        names = sorted("\0".join("\1" if text is None else text for text in values) for values in partitions)
    digest = hashlib.sha256(chr(2).join(names).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{len(names)}:{digest[:8]}:{question}"


def _told(one: Input) -> dict[str, int | str]:
    told: dict[str, int | str] = {
        "format": one.format,
        "partitions": one.partitions,
        "listed-at-ms": one.listed_at_ms,
    }
    if one.snapshot:
        told |= {"snapshot": one.snapshot.id, "table-id": one.snapshot.table_id}
    elif one.table_id:
        told["table-id"] = one.table_id
    if one.fingerprint:
        told["fingerprint"] = one.fingerprint
    if one.names:
        told["names"] = one.names
    return told


def _read(told: Mapping[str, object]) -> Input:
    snapshot = Snapshot(str(told["snapshot"]), str(told["table-id"])) if "snapshot" in told else None
    fingerprint = str(told["fingerprint"]) if "fingerprint" in told else None
    partitions, listed_at_ms = told["partitions"], told["listed-at-ms"]
    if not isinstance(partitions, int) or not isinstance(listed_at_ms, int):
        raise TypeError("numbers are expected")
    table_id = str(told["table-id"]) if "table-id" in told and not snapshot else None
    names = str(told["names"]) if _NAMES.fullmatch(str(told.get("names"))) else None
    # Before snapshots were known, the format was not told; it was Hive.
    return Input(str(told.get("format", "hive")), partitions, listed_at_ms, snapshot, fingerprint, table_id, names)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
