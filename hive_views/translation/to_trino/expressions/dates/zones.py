"""Timestamps of one time zone in another one."""

from __future__ import annotations

import re

from hive_views.translation.reading_nodes import Call
from hive_views.translation.time_zones import LOCAL_TIMES
from hive_views.translation.to_trino.expressions.dates.counting import NOT_WRITTEN
from hive_views.translation.to_trino.expressions.dates.read_as_dates import as_timestamp, needed, needed_text
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, string
from hive_views.translation.translation_findings import Kind, Reason

ZONE = Reason(
    "zone",
    Kind.UNSUPPORTED,
    "only UTC and zones such as 'Europe/Berlin' are read alike",
    (("Hive", "takes other words, and '+01:00', as UTC; some, such as 'PST', are zones"),),
)
_ZONE = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Za-z_]+(?:[+-]\d{1,2})?){1,2}")


def _zone(call: Call, compiling: Compiling) -> str:
    zone = needed_text(call.arguments[1], NOT_WRITTEN, compiling)
    if zone not in ("UTC", "GMT") and not _ZONE.fullmatch(zone):
        raise compiling.refused(call.arguments[1], ZONE)
    if zone not in ("UTC", "GMT"):
        compiling.report(call.node, LOCAL_TIMES)
    return "UTC" if zone == "GMT" else zone


def _from_utc(call: Call, compiling: Compiling) -> Term:
    value, _ = needed(call, (2,), compiling)
    return _moved(as_timestamp(value, compiling), "UTC", _zone(call, compiling))


def _to_utc(call: Call, compiling: Compiling) -> Term:
    value, _ = needed(call, (2,), compiling)
    return _moved(as_timestamp(value, compiling), _zone(call, compiling), "UTC")


def _moved(time: Term, zone: str, other: str) -> Term:
    # All digits of a second that the source has are kept.
    return Term(
        f"CAST(with_timezone({time.sql}, {string(zone)}) AT TIME ZONE {string(other)} AS timestamp(6))", "timestamp"
    )


NODES: NodeRules = {}
CALLS: CallRules = {"from_utc_timestamp": _from_utc, "to_utc_timestamp": _to_utc}
