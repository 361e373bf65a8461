"""Functions of dates and times, and intervals.

read_as_dates.py   values of any type as dates and timestamps, as these functions read them
date_parts.py      year, month, hour and the like; EXTRACT
counting.py        date_add, datediff, add_months, trunc and the like
intervals.py       intervals, beside + and -
date_patterns.py   patterns of dates, in the letters of Trino
date_texts.py      date_format, from_unixtime, unix_timestamp, to_date and to_timestamp with patterns
zones.py           from_utc_timestamp, to_utc_timestamp
clocks.py          current_date and the like
"""

from __future__ import annotations

from hive_views.translation.to_trino.expressions.dates import clocks, counting, date_parts, date_texts, intervals, zones
from hive_views.translation.to_trino.expressions.dates.intervals import added as added
from hive_views.translation.to_trino.terms import CallRules, NodeRules

_MODULES = (date_parts, counting, intervals, date_texts, zones, clocks)
NODES: NodeRules = {kind: rule for module in _MODULES for kind, rule in module.NODES.items()}
CALLS: CallRules = {name: rule for module in _MODULES for name, rule in module.CALLS.items()}
