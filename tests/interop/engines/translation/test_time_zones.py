"""Queries and their translations in a time zone whose clocks change, and where two engines have different zones.

Hive 2 has the zone of its Java, which keeps it in places where it cannot be changed later. It is asked in another one
by hand: ``python -m tests.support.translation.bench --zone America/Los_Angeles``.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.translation.answers import Answer
from tests.support.translation.asking import Bench
from tests.support.translation.comparing import differing
from tests.support.translation.verdicts import translated

_TIMES = (
    *("2020-03-07 01:30:00", "2020-03-07 12:00:00", "2020-03-08 01:30:00", "2020-03-08 03:30:00"),
    *("2020-03-08 12:00:00", "2020-10-31 12:00:00", "2020-11-01 00:30:00", "2020-11-01 12:00:00"),
    *("2020-03-28 19:00:00", "2020-10-24 19:00:00", "2020-07-04 00:00:00", "1999-12-31 23:59:59"),
    "1900-01-01 00:00:00",
)
"""Clocks change on 2020-03-08 and 2020-11-01 in Los Angeles, and on 2020-03-29 and 2020-10-25 in Berlin."""

_EXPLODED = f"explode(array({', '.join(map(repr, _TIMES))})) z AS t"
ROWS = (
    "(SELECT t, CAST(t AS timestamp) AS ts, CAST(CAST(t AS timestamp) AS date) AS dt"
    f" FROM (SELECT u.k AS k, z.t AS t FROM bench.u LATERAL VIEW {_EXPLODED} WHERE u.x = 10) y) q"
)
"""Rows with a text, its timestamp and its date, of which no file is read."""

_ALWAYS = (
    *("ts", "dt", "cast(ts as string)", "cast(dt as timestamp)", "year(ts)", "hour(ts)", "to_date(ts)"),
    *("date_format(ts, 'yyyy-MM-dd HH:mm:ss')", "datediff(ts, dt)", "ts > dt", "months_between(dt, '2020-01-31')"),
    *("date_add(ts, 1)", "dt + interval 1 month"),
)
_OF_SESSION = dict.fromkeys(("from_unixtime(1583661600)", "unix_timestamp(ts)", "unix_timestamp(dt)"), "session-zone")
_OF_CLOCKS = dict.fromkeys(
    ("ts + interval 1 hour", "ts - interval '90' minute", "ts + interval 1 day", "ts - interval 1 month"),
    "clock-change",
)
TOLD: Mapping[str, str | None] = {
    **dict.fromkeys(_ALWAYS),
    **_OF_SESSION,
    **_OF_CLOCKS,
    "months_between(ts, '2020-01-31')": "day-of-change",
    "from_utc_timestamp(ts, 'Europe/Berlin')": "local-times",
    "to_utc_timestamp(ts, 'Europe/Berlin')": "local-times",
}
"""Expressions, and the code of the finding that says how they depend on a zone; None for those that do not."""

ZONED = {"hive": "hive-4.0-zone", "spark": "spark-zone", "trino": "trino-zone"}
UTC = {"hive": "hive-4.0", "spark": "spark", "trino": "trino"}
ALLOWED = ["text-as-date"]
CHANGES = frozenset(("clock-change", "day-of-change", "local-times"))


def _differing(bench: Bench, source: str, target: str, source_engine: str, target_engine: str) -> dict[str, set[str]]:
    """The expressions of which the translation answers something else there, and the codes of what is told of them."""
    expressions = ", ".join(f"{one} AS c{at}" for at, one in enumerate(TOLD))
    query = f"SELECT t, {expressions} FROM {ROWS}"
    found = translated(query, source, target, ALLOWED)
    answers = bench.ask_each({source_engine: query, target_engine: found.text or ""})
    meant, answer = answers[source_engine], answers[target_engine]
    assert isinstance(meant, Answer), str(meant)
    assert isinstance(answer, Answer), str(answer)
    different = {}
    for at, expression in enumerate(TOLD, 1):
        if differing(_column(meant, at), _column(answer, at)):
            alone = translated(f"SELECT {expression} AS x FROM {ROWS}", source, target, ALLOWED)
            different[expression] = {one.reason.code for one in alone.findings}
    return different


def _column(answer: Answer, at: int) -> Answer:
    return Answer((answer.columns[0], answer.columns[at]), tuple((row[0], row[at]) for row in answer.rows))


@pytest.mark.parametrize(
    ("source", "target"), [("hive", "trino"), ("spark", "trino"), ("hive", "spark"), ("spark", "hive")]
)
def test_what_differs_where_clocks_change_is_told(bench: Bench, source: str, target: str) -> None:
    different = _differing(bench, source, target, ZONED[source], ZONED[target])
    assert {one: TOLD[one] for one in different if TOLD[one] not in different[one]} == {}
    # Hive 4 and Trino go by the clock, whatever the zone; Spark counts the time that passes.
    is_spark = "spark" in (source, target)
    assert {TOLD[one] for one in different} == (CHANGES if is_spark else set())


@pytest.mark.parametrize(("source", "target"), [("hive", "trino"), ("spark", "trino"), ("spark", "hive")])
def test_what_differs_between_zones_is_told(bench: Bench, source: str, target: str) -> None:
    different = _differing(bench, source, target, UTC[source], ZONED[target])
    assert set(different) == {one for one, code in TOLD.items() if code == "session-zone"}
    assert all("session-zone" in codes for codes in different.values())
