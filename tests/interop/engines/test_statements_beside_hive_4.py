"""Our statements beside Hive 4.0.1: the same script on twin databases, compared after every statement.

Compared are: done or refused, with Hive's error number where ours names one; the rows of SHOW and DESCRIBE; what Hive
reads from both views; and all views and partitions of both databases in the metastore, field by field.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.engines.beside_hive import answers, changes, definitions
from tests.interop.engines.beside_hive.twins import HABITS, Twins
from tests.interop.engines.conftest import Engines
from tests.support.containers.engines import Hive

SCRIPT = {**definitions.SCRIPT, **changes.SCRIPT, **answers.SCRIPT}
TABLES = {
    "orders": "(id INT, price DECIMAL(10,2), day DATE, tags ARRAY<STRING>, place STRUCT<city:STRING,zip:INT>, "
    "ds STRING, hr INT)",
    "events": "(id BIGINT, ds STRING, b BOOLEAN, ts TIMESTAMP, t TINYINT, v VARCHAR(5))",
    "spoiled": "(id BIGINT)",
}


@pytest.fixture(scope="module")
def shop(engines: Engines) -> str:
    """A database with tables of many types, without rows."""
    name = f"shop_{uuid.uuid4().hex[:12]}"
    engines.hive.rows(f"CREATE DATABASE {name}")
    for table, columns in TABLES.items():
        engines.hive.rows(f"CREATE EXTERNAL TABLE {name}.{table} {columns}")
    return name


@pytest.fixture
def twins(hive: Hive, catalog: ViewCatalog, hms: HiveMetastore, web: str, shop: str) -> Iterator[Twins]:
    made = Twins(hive, catalog, hms, f"twin_{uuid.uuid4().hex[:12]}", {"web": web, "shop": shop})
    yield made
    made.close()


def test_the_script_has_more_than_120_statements_and_a_reason_for_each_difference() -> None:
    steps = [step for steps in SCRIPT.values() for step in steps]
    assert len([step for step in steps if not step.text.startswith("SELECT")]) > 120
    assert all(known.reason for step in steps for known in step.known)


@pytest.mark.parametrize("scenario", SCRIPT)
def test_statements_do_what_hive_does_but_for_the_known_differences(twins: Twins, scenario: str) -> None:
    wrong = []
    before: dict[str, object] = {}
    for step in SCRIPT[scenario]:
        found, _ = twins.differences(step.text)
        # What an earlier statement made different stays so until another changes it.
        new = {what: values for what, values in found.items() if before.get(what) != values}
        before = {what: values for what, values in found.items() if not what.startswith(("error", "rows"))}
        known = {each.what: (each.hive, each.ours) for each in step.known}
        if new != known:
            wrong.append(f"{step.text}\n  known of Hive and us: {known}\n  found:                {new}")
    assert not wrong, "\n".join(wrong)


def test_the_differences_of_all_views_are_still_there(twins: Twins) -> None:
    """They are left out of the comparison above, so that nobody would see them end."""
    seen = set()
    for statement in (
        "CREATE VIEW v PARTITIONED ON (ds) AS SELECT user_id, ds FROM {web}.clicks",
        "ALTER VIEW v ADD PARTITION (ds = '2026-08-21')",
        "DESCRIBE v",
        "DESCRIBE EXTENDED v",
        "DESCRIBE FORMATTED v",
    ):
        _, habits = twins.differences(statement)
        seen |= habits
    assert [habit.what for habit in HABITS if habit not in seen] == []
