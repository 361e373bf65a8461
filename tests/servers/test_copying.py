"""Views are copied between metastores of different versions, and moved back."""

from __future__ import annotations

from pathlib import Path

from hive_views.estate.each.outcomes import State
from hive_views.estate.transfer.copying import copy_views, move_views
from tests.servers.conftest import catalog_on, new_namespace
from tests.support.containers.metastores import MetastoreServers

CLICKS = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "varchar(7)", "how often"), ("ds", "string")]


def test_views_go_from_hive_2_to_hive_4_and_back(metastore_servers: MetastoreServers, tmp_path: Path) -> None:
    old, new = metastore_servers.shared("2.3.10", "postgres"), metastore_servers.shared("4.0.1", "mariadb")
    here, there, again = new_namespace(old), new_namespace(new), new_namespace(old)
    source, target = catalog_on(old, tmp_path / "old"), catalog_on(new, tmp_path / "new")
    back = catalog_on(old, tmp_path / "again")
    source.create_view(f"{here}.daily", sql={"hive": CLICKS}, schema=COLUMNS, partitioned_on=["ds"], comment="Clicks")
    source.replace_view(f"{here}.daily", sql={"hive": CLICKS.replace("count(*)", "count(DISTINCT page)")})
    source.create_view(f"{here}.a_top", sql={"hive": f"SELECT clicks FROM {here}.daily"})
    days = [{"ds": f"2026-08-{day:02}"} for day in range(1, 29)]
    source.partitions(f"{here}.daily").add(days, parameters={"hive-views.rows": "7"})

    outcomes = copy_views(source, target, f"{here}.*", names={here: there})
    assert [(one.view, one.state) for one in outcomes] == [
        (f"{here}.daily", State.DONE),
        (f"{here}.a_top", State.DONE),
    ], [one.reason for one in outcomes]
    assert target.load_view(f"{there}.daily").history == source.load_view(f"{here}.daily").history
    assert target.load_view(f"{there}.a_top").tables() == (f"{there}.daily",)
    assert len(target.partitions(f"{there}.daily").names()) == 28

    repeated = copy_views(source, target, f"{here}.*", names={here: there})
    assert {one.state for one in repeated} == {State.UNCHANGED}, [one.reason for one in repeated]
    returned = move_views(target, back, f"{there}.*", names={there: again})
    assert {one.state for one in returned} == {State.DONE}, [one.reason for one in returned]
    assert back.load_view(f"{again}.daily").differences == ()
    assert target.list_views(there) == []
