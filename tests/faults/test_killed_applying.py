"""An apply that is killed with ``kill -9`` between or within its steps is completed by applying the same plan again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.project import apply, plan_undo
from hive_views.project.planning.make_plan import plan
from hive_views.project.plans.plan_document import read_plan, write_plan
from hive_views.project.plans.project_plan import Plan
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.wire import WireProxy

CREATE, DROP, ADD = "create_table", "drop_table", "add_partitions_req"
DAYS = "CREATE VIEW days (n, ds) PARTITIONED ON (ds) AS SELECT {n} AS n, '2026-01-01' AS ds"
OLD = "CREATE VIEW old (n, ds) PARTITIONED ON (ds) AS SELECT 1 AS n, '2026-01-01' AS ds"
NEW = "CREATE VIEW new (n) AS SELECT n FROM days"


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    """One that takes no locks, so that it does not wait for those of a process that is dead."""
    return ViewCatalog(hms, warehouse=f"file://{tmp_path}/views", settings=CommitSettings(lock="never"))


@pytest.fixture
def planned(catalog: ViewCatalog, namespace: str, tmp_path: Path) -> Callable[..., Plan]:
    def plan_files(**files: str) -> Plan:
        directory = tmp_path / "project" / namespace
        directory.mkdir(parents=True, exist_ok=True)
        (directory.parent / "project.toml").write_text(f'name = "{namespace}"\n')
        for name in ("days", "old", "new"):
            (directory / f"{name}.sql").unlink(missing_ok=True)
        for name, text in files.items():
            (directory / f"{name}.sql").write_text(text)
        return plan(catalog, directory.parent, prune=True)

    return plan_files


KILLED: dict[str, tuple[str, str, bool]] = {
    "a view is replaced, which nobody hears of": ("before", SWAP, True),
    "a view is to be created": ("before", CREATE, False),
    "a view is created, which nobody hears of": ("after", CREATE, True),
    "a view is marked, and not dropped": ("before", DROP, False),
    "a view is dropped, which nobody hears of": ("before", DROP, True),
}


@pytest.mark.parametrize("step", KILLED)
def test_an_apply_that_was_killed_is_completed_by_the_same_plan(
    metastore_uri: str, catalog: ViewCatalog, planned: Callable[..., Plan], tmp_path: Path, namespace: str, step: str
) -> None:
    assert apply(catalog, planned(days=DAYS.format(n=1), old=OLD)).is_complete
    catalog.partitions(f"{namespace}.days").add([{"ds": "2026-01-01"}])
    kept = tmp_path / "plan.json"
    write_plan(planned(days=DAYS.format(n=2), new=NEW), kept)
    _killed(metastore_uri, kept, f"file://{tmp_path}/views", *KILLED[step])
    assert catalog.view_exists(f"{namespace}.days")
    assert catalog.load_view(f"{namespace}.days").differences == ()
    report = apply(catalog, read_plan(kept))
    assert report.is_complete, report.document()
    assert [one.name for one in catalog.list_views(namespace)] == ["days", "new"]
    assert len(catalog.load_view(f"{namespace}.days").history) == 2
    assert len(catalog.load_view(f"{namespace}.new").history) == 1
    assert list(catalog.partitions(f"{namespace}.days").names()) == ["ds=2026-01-01"]
    assert planned(days=DAYS.format(n=2), new=NEW).steps == ()


@pytest.mark.parametrize("again", ["same plan", "new plan"])
def test_an_undo_that_was_killed_before_partitions_were_back_declares_them(
    metastore_uri: str, catalog: ViewCatalog, planned: Callable[..., Plan], tmp_path: Path, namespace: str, again: str
) -> None:
    apply(catalog, planned(old=OLD))
    catalog.partitions(f"{namespace}.old").add([{"ds": "2026-01-01"}])
    release = apply(catalog, planned(new="CREATE VIEW new (n) AS SELECT 1 AS n")).release
    kept = tmp_path / "plan.json"
    undo = plan_undo(catalog, namespace, release)
    assert undo.refusals == ()
    write_plan(undo, kept)
    _killed(metastore_uri, kept, f"file://{tmp_path}/views", "before", ADD, False)
    assert catalog.view_exists(f"{namespace}.old")
    assert list(catalog.partitions(f"{namespace}.old").names()) == []
    repeated = read_plan(kept) if again == "same plan" else plan_undo(catalog, namespace, release)
    assert apply(catalog, repeated).is_complete
    assert [one.name for one in catalog.list_views(namespace)] == ["old"]
    assert list(catalog.partitions(f"{namespace}.old").names()) == ["ds=2026-01-01"]
    assert planned(old=OLD).steps == ()


def _killed(metastore_uri: str, kept: Path, warehouse: str, point: str, method: str, arrives: bool) -> None:
    with (
        WireProxy.before_uri(metastore_uri) as proxy,
        killed_at(proxy, point, method, str(kept), arrives=arrives, change="applies", lock="never", name=warehouse),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived
