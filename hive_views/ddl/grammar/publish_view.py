"""PUBLISH VIEW, which Hive does not have."""

from __future__ import annotations

from hive_views.ddl.grammar.partition_clauses import partition, partition_values
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import PublishView


def publish_view(reader: Reader) -> PublishView:
    """What follows PUBLISH VIEW."""
    name = reader.qualified_name()
    candidates = []
    if reader.at("PARTITION"):
        candidates.append(partition(reader))
        while reader.accept(","):
            candidates.append(partition(reader))
    since = partition_values(reader) if reader.accept("SINCE") else None
    until = partition_values(reader) if reader.accept("UNTIL") else None
    rule = reader.rule() if reader.accept("WHEN") else None
    if rule is None:
        given = (bool(candidates), bool(since), bool(until))
        ahead = [",", "SINCE", "UNTIL"] if given == (True, False, False) else ["PARTITION", "SINCE", "UNTIL"]
        reader.end(*([] if until else ["UNTIL"] if since else ahead), "WHEN")
    return PublishView(name, rule, tuple(candidates), since, until)
