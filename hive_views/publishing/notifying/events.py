"""What is told of a partition: an event in the format of CloudEvents 1.0, as one JSON object.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Literal
from urllib.parse import quote

from hive_views.hive.partition_names import parse_partition_name
from hive_views.storage.ownership import incarnation_of
from hive_views.views.view import View

EventKind = Literal["declared", "retracted", "changed", "late"]

Event = Mapping[str, Any]
"""The attributes of CloudEvents by name; ``data`` has the fields of the kind."""

_VERSION = "v1"


def event_of(view: View, kind: EventKind, partition: str, cause: str, at_ms: int, **data: object) -> Event:
    """An event; the same cause gives the same id.

    Args:
        view: whose partition it is.
        kind: what happened.
        partition: its name.
        cause: what makes it another event than an earlier one of its kind about the same partition.
        at_ms: when it happened, in milliseconds since 1970.
        data: further fields of the kind; those that are None are left out.
    """
    name = str(view.identifier)
    unique = json.dumps([view.uuid, incarnation_of(view.metadata), kind, partition, cause])
    about = {"kind": kind, "view": name, "partition": partition, "values": parse_partition_name(partition)}
    return {
        "specversion": "1.0",
        "id": hashlib.sha256(unique.encode()).hexdigest()[:32],
        "source": f"hive-views:{quote(name)}",
        "type": f"hive_views.partition.{kind}.{_VERSION}",
        "subject": partition,
        "time": _rfc_3339(at_ms),
        "datacontenttype": "application/json",
        "data": {**about, **{key: value for key, value in data.items() if value is not None}},
    }


def late_events(
    view: View, publication: str, late: Mapping[str, int], waiting: Mapping[str, Sequence[str]]
) -> list[Event]:
    """Events about partitions: since when each is late, in seconds since 1970, and what it waits for."""
    return [
        event_of(
            view,
            "late",
            name,
            f"{publication} {since_s}",
            since_s * 1000,
            publication=publication,
            late_since_s=since_s,
            reasons=list(waiting.get(name, ())),
        )
        for name, since_s in late.items()
    ]


def _rfc_3339(at_ms: int) -> str:
    found = datetime.fromtimestamp(at_ms / 1000, timezone.utc)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")
