"""One of the tables that a view depends on cannot be read: nothing is declared on half of what was to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from hive_views.errors import CorruptMetadataError, HiveViewsError, NoSuchTableError
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.batch.publish_each import publish_each
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from tests.support.tables.daily_views import DAYS, make_clicks
from tests.support.tables.delta_writer import DeltaMaker
from tests.support.tables.iceberg_writer import IcebergTable, maker_in
from tests.support.tables.paimon_tables import PaimonMaker
from tests.support.tables.publishing_lake import Lake, make_lake
from tests.support.tables.writable import WritableTableWithHistory
from tests.support.views.catalog_setup import create

DS = Column("ds", "string")
ORDERS = TableIdentifier("web", "orders")
ON_CLICKS, ON_ORDERS = requires("web.clicks", ds=column("ds")), requires("web.orders", ds=column("ds"))
FIRST, SECOND, THIRD = (f"ds={day}" for day in DAYS)

# The files that list partitions, of which a commit writes one.
_COMMITTED = {"delta": "_delta_log/*.json", "iceberg": "metadata/*-m0.avro", "paimon": "manifest/manifest-[!l]*"}


@dataclass
class Orders:
    """``web.orders``, as its writer and the metastore have it."""

    format: str
    written: WritableTableWithHistory
    directory: Path
    metastore: MemoryMetastore
    newest: list[Path] = field(default_factory=list)

    def append(self, *days: str) -> None:
        pattern = _COMMITTED[self.format]
        before = set(self.directory.glob(pattern))
        self.written.append(*((day,) for day in days))
        self.newest = [path for path in self.directory.glob(pattern) if path not in before]
        if self.format == "iceberg":
            self.metastore.swap_row(self.row(), expected=None)

    def row(self) -> Row:
        location, parameters = f"file:{self.directory}", {"table_type": self.format.upper(), "EXTERNAL": "TRUE"}
        if isinstance(self.written, IcebergTable):
            parameters["metadata_location"] = self.written.table.metadata_location
        if self.format == "delta":
            parameters = {"spark.sql.sources.provider": "delta", "EXTERNAL": "TRUE"}
        return Row(identifier=ORDERS, table_type="EXTERNAL_TABLE", location=location, parameters=parameters)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """The newest commit's file is not whole."""
        [path] = self.newest
        content = path.read_bytes()
        path.write_bytes(content[: len(content) * 2 // 3])
        yield
        path.write_bytes(content)

    @contextmanager
    def moved_away(self) -> Iterator[None]:
        """The metastore still has the table."""
        elsewhere = self.directory.rename(self.directory.with_name("elsewhere"))
        yield
        elsewhere.rename(self.directory)

    @contextmanager
    def dropped(self) -> Iterator[None]:
        row = self.metastore.load_row(ORDERS)
        self.metastore.drop_row(ORDERS)
        yield
        self.metastore.create_row(row)


@dataclass(frozen=True)
class Fault:
    happens_to: Callable[[Orders], AbstractContextManager[None]]
    kind: type[HiveViewsError]


FAULTS = {
    "cut": Fault(Orders.cut, CorruptMetadataError),
    "moved": Fault(Orders.moved_away, CorruptMetadataError),
    "dropped": Fault(Orders.dropped, NoSuchTableError),
}
each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """With ``web.clicks``, of which all days are there."""
    lake = make_lake()
    lake.catalog.metastore.create_namespace("web")
    make_clicks(lake.catalog.metastore, "web", tmp_path)
    return lake


@pytest.fixture(params=_COMMITTED)
def orders(request: pytest.FixtureRequest, lake: Lake, tmp_path: Path) -> Orders:
    written: WritableTableWithHistory
    if request.param == "iceberg":
        written = maker_in(tmp_path)((DS,))
        directory = Path(written.location.removeprefix("file://"))
    elif request.param == "delta":
        written = DeltaMaker(tmp_path).make((DS,))
        directory = written.directory
    else:
        written = PaimonMaker(tmp_path).make((DS,))
        directory = written.location
    orders = Orders(request.param, written, directory, cast("MemoryMetastore", lake.catalog.metastore))
    orders.metastore.create_row(orders.row())
    return orders


@each_fault
@pytest.mark.parametrize("ran_before", [False, True], ids=["first run", "later run"])
def test_nothing_is_declared_or_retracted_until_all_tables_can_be_read(
    lake: Lake, orders: Orders, fault: Fault, ran_before: bool
) -> None:
    orders.append(DAYS[0])
    if ran_before:
        lake.publish(ON_CLICKS, ON_ORDERS)
    declared = [FIRST] if ran_before else []
    orders.append(DAYS[1])
    before = lake.catalog.load_view(lake.view).metadata_location
    with fault.happens_to(orders):
        for retract in (False, True):
            with pytest.raises(fault.kind, match=r"web\.orders"):
                lake.publish(ON_CLICKS, ON_ORDERS, app_id="nightly", run_version=7, retract=retract)
        with pytest.raises(fault.kind, match=r"web\.orders"):
            lake.publish(ON_CLICKS | ON_ORDERS)
        assert lake.declared() == declared
        assert lake.catalog.load_view(lake.view).metadata_location == before, "the run did not begin"
    report = lake.publish(ON_CLICKS, ON_ORDERS, app_id="nightly", run_version=7)
    assert [*report.already_published, *report.added] == [FIRST, SECOND]
    assert list(report.waiting) == [THIRD]


@each_fault
def test_in_a_file_of_publications_the_others_are_published(
    lake: Lake, orders: Orders, fault: Fault, tmp_path: Path
) -> None:
    for name in ("default.clicks", "default.behind"):
        create(lake.catalog, name, partitioned_on=["ds"])
    orders.append(DAYS[0])
    lake.publish(ON_CLICKS, ON_ORDERS)
    orders.append(DAYS[1])
    file = tmp_path / "publications.toml"
    file.write_text(
        """
        [[publication]]
        view = "default.daily"
        rules = ["requires('web.clicks', ds=column('ds'))", "requires('web.orders', ds=column('ds'))"]

        [[publication]]
        view = "default.clicks"
        rules = ["requires('web.clicks', ds=column('ds'))"]

        [[publication]]
        view = "default.behind"
        rules = ["requires('default.daily', ds=column('ds'))"]
        """
    )
    with fault.happens_to(orders):
        daily, clicks, behind = publish_each(lake.catalog, read_publications(file))
    assert (daily.state, daily.error_type, daily.added) == ("failed", fault.kind.__name__, ())
    assert "web.orders" in str(daily.error)
    assert (clicks.state, clicks.added) == ("published", (FIRST, SECOND, THIRD))
    assert (behind.state, behind.added) == ("published", (FIRST,)), "it depends on what was declared before"
    after = publish_each(lake.catalog, read_publications(file))
    assert [one.added for one in after] == [(SECOND,), (), (SECOND,)]


@each_fault
def test_revalidate_reports_nothing_of_a_view_until_all_tables_can_be_read(
    lake: Lake, orders: Orders, fault: Fault
) -> None:
    """As ``publish``: the state of a partition is the worst of its states in each table."""
    orders.append(DAYS[0])
    lake.publish(ON_CLICKS, ON_ORDERS)
    orders.append(DAYS[0])
    with fault.happens_to(orders):
        with pytest.raises(fault.kind, match=r"web\.orders"):
            lake.revalidate(ON_CLICKS, ON_ORDERS)
        by_clicks = lake.states(ON_CLICKS)
        assert by_clicks == {FIRST: "current by the metastore"}, "a table that is not asked about does not matter"
    assert lake.states(ON_CLICKS, ON_ORDERS) == {FIRST: "changed"}
