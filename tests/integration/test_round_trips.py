"""How many calls and files each verb costs, counted on a real metastore after the proof made once for a server."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.watch import watch
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.support.tables.daily_views import make_clicks, make_daily_view
from tests.support.views.catalog_setup import BETTER, create, files_of, plain_view_row


class Calls:
    """The Thrift methods called since the last look."""

    def __init__(self) -> None:
        self.methods: list[str] = []

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        self.methods.clear()
        reported: list[str] = []
        yield reported
        reported += self.methods


@pytest.fixture(scope="module")
def calls() -> Calls:
    return Calls()


@pytest.fixture(scope="module")
def counted(metastore_uri: str, calls: Calls) -> Iterator[HiveMetastore]:
    metastore = HiveMetastore(metastore_uri, on_call=calls.methods.append)
    yield metastore
    metastore.close()


@pytest.fixture
def catalog(counted: HiveMetastore, namespace: str, tmp_path: Path) -> ViewCatalog:
    """It has written once, so that what is found out once for a server is known."""
    catalog = ViewCatalog(counted, warehouse=f"{tmp_path}/views")
    create(catalog, f"{namespace}.first")
    for lock in ("auto", "never"):
        with_lock(catalog, lock).alter_view(f"{namespace}.first", comment=lock)
    return catalog


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    return create(catalog, f"{namespace}.v", partitioned_on=["ds"])


def with_lock(catalog: ViewCatalog, lock: Any, look_again_after_s: float = 3600.0) -> ViewCatalog:
    """Whether a row is looked at again depends on the speed of a storage, and not of this machine."""
    settings = CommitSettings(lock=lock, look_again_after_s=look_again_after_s)
    return ViewCatalog(catalog.metastore, catalog.storage, warehouse=catalog.warehouse, settings=settings)


def test_a_load_is_one_call(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    for _ in range(2):
        with calls.counted() as made:
            catalog.load_view(view.identifier)
        assert made == ["get_table_req"]


def test_asking_for_a_view_s_existence_is_one_call(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    with calls.counted() as made:
        assert catalog.view_exists(view.identifier)
    assert made == ["get_table_req"]


@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        ("never", ["get_table_req", "alter_table_with_environment_context"]),
        ("auto", ["lock", "get_table_req", "alter_table_with_environment_context", "unlock"]),
        ("always", ["lock", "get_table_req", "alter_table_with_environment_context", "unlock"]),
    ],
)
def test_a_replace_is_two_calls_or_four_with_the_lock_and_one_file(
    catalog: ViewCatalog, calls: Calls, view: View, lock: str, expected: list[str]
) -> None:
    locking = with_lock(catalog, lock)
    before = len(files_of(catalog))
    with calls.counted() as made:
        locking.replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER})
    assert made == expected
    assert len(files_of(catalog)) == before + 1


def test_a_row_that_was_read_long_ago_is_read_again_in_one_call(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    with calls.counted() as made:
        with_lock(catalog, "never", look_again_after_s=0.0).alter_view(view.identifier, comment="slow storage")
    assert made == ["get_table_req", "get_table_req", "alter_table_with_environment_context"]


def test_a_change_of_columns_costs_no_more_where_one_alter_does(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    columns = [("user_id", "bigint"), ("clicks", "int"), ("ds", "string")]
    with calls.counted() as made:
        with_lock(catalog, "never").replace_view(view.identifier, sql={"hive": BETTER, "trino": BETTER}, schema=columns)
    assert made == ["get_table_req", "alter_table_with_environment_context"]


def test_a_creation_asks_for_the_name_and_the_namespace_and_writes_one_file(
    catalog: ViewCatalog, calls: Calls, namespace: str
) -> None:
    before = len(files_of(catalog))
    with calls.counted() as made:
        create(catalog, f"{namespace}.new")
    assert made == ["get_table_req", "get_database", "lock", "create_table", "unlock"]
    assert len(files_of(catalog)) == before + 1


def test_nothing_to_do_is_one_call_and_no_file(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    before = len(files_of(catalog))
    with calls.counted() as made:
        with_lock(catalog, "never").alter_view(view.identifier)
    assert made == ["get_table_req"]
    assert len(files_of(catalog)) == before


def test_partitions_are_added_and_dropped_500_in_a_call(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    partitions = catalog.partitions(view.identifier)
    specs = [{"ds": f"{number:04d}"} for number in range(1001)]
    with calls.counted() as made:
        partitions.add(specs)
    # The row is the last thing that is read before values without names are sent.
    assert made == ["get_table_req", "add_partitions_req"] * 3
    with calls.counted() as made:
        assert len(partitions.names()) == 1001
    assert made == ["get_partition_names"]
    with calls.counted() as made:
        assert len(list(partitions.load())) == 1001
    assert made == ["get_partition_names", *["get_partitions_by_names"] * 3]
    with calls.counted() as made:
        partitions.drop(where=lambda values: values["ds"] < "1000")
    # First, to note what others dropped where the view is now; at the end, to see that it is still this view's row.
    assert made == [
        "get_partition_names",
        "get_table_req",
        *["get_table_req", "drop_partitions_req", "get_table_req"] * 2,
    ]


def test_names_are_one_call_filtered_or_not(catalog: ViewCatalog, calls: Calls, view: View) -> None:
    partitions = catalog.partitions(view.identifier)
    partitions.add([{"ds": "a"}, {"ds": "b"}])
    with calls.counted() as made:
        assert partitions.names({"ds": "a"}) == ["ds=a"]
    assert len(made) == 1


def test_a_list_of_views_is_a_call_for_the_names_and_one_for_each_100(
    catalog: ViewCatalog, calls: Calls, counted: HiveMetastore
) -> None:
    namespace = f"listed_{uuid.uuid4().hex[:12]}"
    counted.create_namespace(namespace)
    row = plain_view_row(namespace, "v")
    for number in range(101):
        counted.create_row(as_iceberg_view(row, f"v{number:03d}"))
    with calls.counted() as made:
        assert len(catalog.list_views(namespace)) == 101
    assert made == ["get_tables_by_type", *["get_table_objects_by_name_req"] * 2]


def test_a_round_of_a_watch_that_finds_nothing_is_a_call_for_each_table_and_one_for_the_rows(
    catalog: ViewCatalog, calls: Calls, counted: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    clicks = make_clicks(counted, namespace, tmp_path)
    publications = []
    for number in range(3):
        make_daily_view(catalog, f"{namespace}.v{number}", clicks)
        publications.append(Publication(f"{namespace}.v{number}", [requires(clicks, ds=column("ds"))]))
    rounds: list[list[str]] = []

    def ended(seconds: float) -> bool:
        if seconds:
            rounds.append(list(calls.methods))
            calls.methods.clear()
        return len(rounds) == 3

    told = list(watch(catalog, publications, ended=ended))
    assert [(one.kind, len(one.partitions)) for one in told] == [("declared", 3)] * 3
    # The first round has recorded the rules with the views, so that the second one looked at them again.
    assert sorted(rounds[2]) == ["get_partition_names", "get_table_objects_by_name_req"]


def as_iceberg_view(row: Row, name: str) -> Row:
    identifier = TableIdentifier(row.identifier.namespace, name)
    return replace(row, identifier=identifier, parameters={"table_type": "ICEBERG-VIEW", "metadata_location": "x"})
