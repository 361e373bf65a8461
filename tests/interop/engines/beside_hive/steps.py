"""What a script for Hive and us is made of.

In the texts, {db} and {other} are databases of the side that executes them, of which {db} is the current one at first;
{web} has the table ``clicks`` and {shop} the tables ``orders``, ``events`` and ``spoiled``, which both sides read. In
the values that are compared, names of databases are put back into this form.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A difference in one thing that is compared: what Hive has, what we have, and why."""

    what: str
    hive: object
    ours: object
    reason: str


@dataclass(frozen=True)
class Step:
    """A statement, and what differs after it and did not before."""

    text: str
    known: tuple[Known, ...] = ()


def steps(*given: str | Step) -> tuple[Step, ...]:
    """Statements in their order; those that are only texts have no difference."""
    return tuple(step if isinstance(step, Step) else Step(step) for step in given)


DAILY = (
    "CREATE VIEW daily (u COMMENT 'who', p, ds COMMENT 'day') COMMENT 'by day' PARTITIONED ON (ds) "
    "TBLPROPERTIES ('team' = 'web') AS SELECT user_id, page, ds FROM {web}.clicks"
)
HOURLY = "CREATE VIEW hourly PARTITIONED ON (ds, hr, d) AS SELECT id, ds, hr, day AS d FROM {shop}.orders"
