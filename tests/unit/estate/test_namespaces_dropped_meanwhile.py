"""What is asked of all namespaces does not fail because somebody drops one of them meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views import status
from hive_views.cli.doctor.metastore_checks import examine
from hive_views.estate import (
    adopt,
    backup,
    check,
    clean,
    copy_views,
    describe_views,
    hand_back,
    list_dropped,
    report,
    uses,
)
from hive_views.estate.each.outcomes import Outcomes
from hive_views.estate.each.selection import select_rows
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.downstream import required_by_views
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.faulty_metastore import FaultyMetastore, Run
from tests.support.views.catalog_setup import COLUMNS, SELECT, plain_view_row
from tests.support.views.quick_catalog import catalog_on

Verb = Callable[[ViewCatalog, Path], Any]
VERBS: dict[str, Verb] = {
    "adopt": lambda catalog, _: adopt(catalog, "*.*", dry_run=True),
    "back up": lambda catalog, directory: backup(catalog, str(directory / "a.zip"), "*.*"),
    "check": lambda catalog, _: check(catalog),
    "clean": lambda catalog, _: clean(catalog, "*.*", dry_run=True),
    "copy": lambda catalog, _: copy_views(catalog, catalog_on(MemoryMetastore()), "*.*", create_namespaces=True),
    "describe": lambda catalog, _: describe_views(catalog),
    "doctor": lambda catalog, _: list(examine(catalog)),
    "downstream": lambda catalog, _: required_by_views(catalog),
    "dropped": lambda catalog, _: list_dropped(catalog),
    "hand back": lambda catalog, _: hand_back(catalog, "*.*", dry_run=True),
    "notebook": lambda catalog, _: catalog._repr_html_(),
    "report": lambda catalog, _: report(catalog),
    "select": lambda catalog, _: select_rows(catalog.metastore, ["*.*"]),
    "status": lambda catalog, _: status(catalog),
    "uses": lambda catalog, _: uses(catalog, "web.clicks", through=True),
}


def catalog_with_two_namespaces(faulty: FaultyMetastore, directory: Path) -> ViewCatalog:
    catalog = catalog_on(faulty, warehouse=str(directory / "warehouse"))
    catalog.create_namespace("brief")
    for name in ("brief.a", "sales.a"):
        catalog.create_view(name, sql={"hive": SELECT}, schema=COLUMNS)
    catalog.create_view("brief.lost", sql={"hive": SELECT}, schema=COLUMNS)
    catalog.drop_view("brief.lost")
    for namespace in ("brief", "sales"):
        catalog.metastore.create_row(plain_view_row(namespace, "plain"))
    return catalog


def dropping(metastore: MemoryMetastore) -> Callable[[Run], Any]:
    def fault(run: Run) -> Any:
        for name in metastore.list_view_names("brief"):
            metastore.drop_row(TableIdentifier("brief", name))
        metastore.drop_namespace("brief")
        return run()

    return fault


@pytest.mark.parametrize("verb", VERBS)
def test_whenever_a_namespace_is_dropped_the_others_are_answered_for(verb: str, tmp_path: Path) -> None:
    was_dropped, calls = True, 0
    while was_dropped:
        metastore = MemoryMetastore()
        faulty = FaultyMetastore(metastore)
        catalog = catalog_with_two_namespaces(faulty, tmp_path / str(calls))
        faulty.on_any(dropping(metastore), after=calls)
        found = VERBS[verb](catalog, tmp_path / str(calls))
        failed = [one.view for one in found if one.has_failed] if isinstance(found, Outcomes) else []
        assert not [view for view in failed if view.startswith("sales.")], found
        was_dropped = "brief" not in metastore.list_namespaces()
        calls += 1
    assert calls > 1
