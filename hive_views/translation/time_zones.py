"""What depends on time zones: that of a session, and those that are named."""

from __future__ import annotations

from hive_views.translation.translation_findings import Kind, Reason

SESSION_ZONE = Reason(
    "session-zone",
    Kind.EDGE,
    "it is of the time zone of a session, which has to be the same in both engines",
    (
        (
            "Hive 2",
            "that of the server; of an hour that comes twice, the second; no mean time before 1900",
        ),
        ("Hive 4, Spark, Trino", "that of the session; they take the first"),
    ),
)
LOCAL_TIMES = Reason(
    "local-times",
    Kind.EDGE,
    "within hours of a change of clocks, engines take the offset of before or after it",
    (
        ("Hive 2", "of an hour that comes twice, in autumn, the second; it knows no times of places before 1900"),
        ("Spark", "of the moment that the time is in the time zone of the session, unless that is UTC"),
        ("Hive 4, Trino", "the same in every session; of an hour that comes twice, the first"),
    ),
)
CLOCK_CHANGE = Reason(
    "clock-change",
    Kind.EDGE,
    "where clocks change in between, in the time zone of the session, results are an hour apart",
    (
        ("Hive 2", "adds the time that passes, 24 hours for a day, and is an hour off for months"),
        ("Spark", "adds hours that pass, and days and months of the calendar"),
        ("Hive 4, Trino", "add to the time that clocks show"),
    ),
)
DAY_OF_CHANGE = Reason(
    "day-of-change",
    Kind.EDGE,
    "of a time on a day on which clocks change",
    (("Spark", "counts the hours since midnight that have passed"), ("Hive, Trino", "count those that clocks show")),
)
