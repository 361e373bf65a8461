"""Publishing from Iceberg tables that are partitioned by transforms: days, months and hours of a time, and buckets.

A transform's partitions count only where a requirement speaks of the transform.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow, write_file
from pyiceberg.partitioning import PartitionField, PartitionFieldValue, PartitionKey, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table, WriteTask
from pyiceberg.transforms import BucketTransform, parse_transform
from pyiceberg.types import LongType, NestedField, TimestampType
from pyiceberg.utils.datetime import datetime_to_micros

from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.errors import InvalidInputError
from hive_views.readiness.rules import column, requires, timestamp
from hive_views.storage.files import Files
from tests.support.tables.publishing_lake import FIRST, SECOND, Lake, make_lake

EVENTS = "web.events"
DAYS, BUCKETS = ("day", "at", "at_day"), ("bucket[4]", "user_id", "user_id_bucket")
DAY = requires(EVENTS, at_day=column("ds"))
DAY_WITH_ALL_BUCKETS = requires(EVENTS, at_day=column("ds"), user_id_bucket=range(4))

_SCHEMA = Schema(NestedField(1, "at", TimestampType()), NestedField(2, "user_id", LongType()))
_bucket_of = BucketTransform(4).transform(LongType())
USERS = tuple(next(user for user in itertools.count() if _bucket_of(user) == bucket) for bucket in range(4))
"""A user of each bucket."""


class Events:
    """A table of times and users, partitioned by transforms: each with its column, and its name."""

    def __init__(self, directory: Path, *transforms: tuple[str, str, str]) -> None:
        catalog = InMemoryCatalog("test", warehouse=f"file://{directory}")
        catalog.create_namespace("web")
        fields = [
            PartitionField(_SCHEMA.find_field(source).field_id, number, parse_transform(transform), name)
            for number, (transform, source, name) in enumerate(transforms, 1000)
        ]
        self.table: Table = catalog.create_table(EVENTS, _SCHEMA, partition_spec=PartitionSpec(*fields))

    def open(self) -> IcebergBaseTable:
        return IcebergBaseTable(EVENTS, lambda: self.table.metadata_location, Files())

    def append(self, *events: tuple[str, int]) -> str:
        """Add a file for each, in one commit, and return its snapshot.

        pyiceberg needs one more package to split rows by transforms, and so is given the partition of each row.
        """
        with self.table.transaction() as transaction, transaction.update_snapshot().fast_append() as update:
            tasks = [self._task(number, datetime.fromisoformat(at), user) for number, (at, user) in enumerate(events)]
            for file in write_file(self.table.io, self.table.metadata, iter(tasks)):
                update.append_data_file(file)
        snapshot = self.table.current_snapshot()
        assert snapshot
        return str(snapshot.snapshot_id)

    def _task(self, number: int, at: datetime, user: int) -> WriteTask:
        rows = pa.Table.from_pylist([{"at": at, "user_id": user}], schema=schema_to_pyarrow(_SCHEMA))
        sources: Mapping[int, int] = {1: datetime_to_micros(at), 2: user}
        values = [
            PartitionFieldValue(one, one.transform.transform(_SCHEMA.find_type(one.source_id))(sources[one.source_id]))
            for one in self.table.spec().fields
        ]
        key = PartitionKey(values, self.table.spec(), _SCHEMA)
        return WriteTask(uuid.uuid4(), number, _SCHEMA, rows.to_batches(), partition_key=key)


@pytest.fixture
def lake() -> Lake:
    return make_lake()


Make = Callable[..., Events]


@pytest.fixture
def make(lake: Lake, tmp_path: Path) -> Make:
    def make(*transforms: tuple[str, str, str]) -> Events:
        events = Events(tmp_path, *transforms)
        lake.tables[EVENTS] = events.open()
        return events

    return make


@pytest.fixture
def events(make: Make) -> Events:
    return make(DAYS, BUCKETS)


def every_bucket(day: str) -> list[tuple[str, int]]:
    return [(f"{day} 07:30:00", user) for user in USERS]


def test_a_day_is_ready_with_any_bucket(lake: Lake, events: Events) -> None:
    events.append(("2026-08-20 00:00:00", USERS[2]), *every_bucket("2026-08-21"))
    assert lake.publish(DAY).added == (FIRST, SECOND)


def test_a_day_waits_for_the_buckets_that_are_asked_for_and_names_them(lake: Lake, events: Events) -> None:
    events.append(*every_bucket("2026-08-20"), *every_bucket("2026-08-21")[:3])
    report = lake.publish(DAY_WITH_ALL_BUCKETS)
    [reason] = report.waiting[SECOND]
    assert report.added == (FIRST,)
    assert reason.endswith(": user_id_bucket 3 of at_day=2026-08-21 is missing")
    events.append(("2026-08-21 23:59:59", USERS[3]))
    assert lake.publish(DAY_WITH_ALL_BUCKETS).added == (SECOND,)


def test_the_source_of_a_transform_is_no_partition_column_and_those_that_are_get_named(
    lake: Lake, events: Events
) -> None:
    events.append(*every_bucket("2026-08-20"))
    for name, value, nearest in (("at", column("ds"), "at_day"), ("user_id", USERS[0], "user_id_bucket")):
        with pytest.raises(
            InvalidInputError,
            match=rf"^{EVENTS} has no partition column '{name}'; it has at_day \(date\), user_id_bucket \(int\)\. "
            rf"Did you mean '{nearest}'\?$",
        ):
            lake.publish(DAY, requires(EVENTS, {name: value}))
    assert lake.declared() == []


def test_a_late_append_to_a_day_is_reported(lake: Lake, events: Events) -> None:
    events.append(*every_bucket("2026-08-20"), *every_bucket("2026-08-21"))
    lake.publish(DAY)
    late = events.append(("2026-08-21 23:00:00", USERS[1]))
    found = lake.revalidate(DAY).partitions
    assert {name: one.state for name, one in found.items()} == {FIRST: "current", SECOND: "changed"}
    assert found[SECOND].commits == {EVENTS: (late,)}


def test_an_append_to_a_bucket_that_nobody_asked_for_is_no_change(lake: Lake, events: Events) -> None:
    first_buckets = requires(EVENTS, at_day=column("ds"), user_id_bucket=[0, 1])
    events.append(*every_bucket("2026-08-20"), *every_bucket("2026-08-21"))
    lake.publish(first_buckets)
    events.append(("2026-08-20 08:00:00", USERS[3]), ("2026-08-21 08:00:00", USERS[1]))
    assert lake.states(first_buckets) == {FIRST: "current", SECOND: "changed"}


def test_buckets_alone_count_on_whatever_day_they_are(lake: Lake, events: Events) -> None:
    events.append(("2026-08-20 07:00:00", USERS[0]), ("2026-08-21 07:00:00", USERS[1]))
    buckets = requires(EVENTS, user_id_bucket=range(2)), requires(EVENTS, user_id_bucket=range(3))
    asked = {"candidates": [{"ds": "2026-08-22"}]}
    [reason] = lake.publish(buckets[1], **asked).waiting["ds=2026-08-22"]
    assert reason.endswith(": user_id_bucket 2 is missing")
    assert lake.publish(buckets[0], **asked).added == ("ds=2026-08-22",)


def test_files_from_before_a_transform_count_where_it_is_not_spoken_of(lake: Lake, make: Make) -> None:
    events = make(DAYS)
    events.append(("2026-08-20 07:00:00", USERS[0]))
    with events.table.update_spec() as update:
        update.add_field("user_id", BucketTransform(4), "user_id_bucket")
    events.append(*every_bucket("2026-08-21"))
    report = lake.publish(DAY_WITH_ALL_BUCKETS, candidates=[{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    [reason] = report.waiting[FIRST]
    assert report.added == (SECOND,)
    assert reason.endswith(": all 4 user_id_bucket of at_day=2026-08-20 are missing")
    assert lake.publish(DAY).added == (FIRST,)


def test_a_day_needs_each_of_the_hours_that_a_timestamp_asks_for(lake: Lake, make: Make) -> None:
    rule = requires(EVENTS, at_hour=timestamp(column("ds"), hour=range(24)).formatted("yyyy-MM-dd-HH"))
    events = make(("hour", "at", "at_hour"), BUCKETS)
    events.append(*((f"2026-08-20 {hour:02d}:59:59", hour) for hour in range(24)))
    events.append(*((f"2026-08-21 {hour:02d}:00:00", hour) for hour in range(24) if hour not in (3, 17)))
    report = lake.publish(rule)
    [reason] = report.waiting[SECOND]
    assert report.added == (FIRST,)
    assert reason.endswith(": hour 3, 17 of ds=2026-08-21 are missing")
    late = events.append(("2026-08-20 23:00:00", 7))
    assert lake.revalidate(rule).partitions[FIRST].commits == {EVENTS: (late,)}
    events.append(("2026-08-21 03:00:00", 3), ("2026-08-21 17:00:00", 17))
    assert lake.publish(rule).added == (SECOND,)


def test_days_of_a_month_depend_on_its_partition(lake: Lake, make: Make) -> None:
    events = make(("month", "at", "at_month"))
    events.append(("2026-08-03 07:00:00", 1))
    rule = requires(EVENTS, at_month=column("ds").formatted("yyyy-MM"))
    report = lake.publish(rule, candidates=[{"ds": "2026-08-20"}, {"ds": "2026-09-01"}])
    [reason] = report.waiting["ds=2026-09-01"]
    assert report.added == (FIRST,)
    assert reason.endswith(": at_month=2026-09 is missing")
    events.append(("2026-08-31 07:00:00", 1))
    assert lake.states(rule) == {FIRST: "changed"}
