"""A view whose partitions no answer comes for fails alone, as long as the metastore answers what else it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hive_views.errors import MetastoreUnavailableError
from hive_views.estate import backup, copy_views
from hive_views.estate.checks.checking import check
from hive_views.estate.each.outcomes import State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on


class TimesOut(MemoryMetastore):
    """Gives no answer about the partitions of one view, of which there are too many."""

    slow: str | None = None

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        if identifier.name == self.slow:
            raise MetastoreUnavailableError("Timed out after 600 s.")
        return super().partition_names(identifier, prefix)


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    metastore = TimesOut()
    catalog = catalog_on(metastore, warehouse=str(tmp_path / "w"))
    for name in ("a", "b", "c"):
        text = {"hive": "SELECT 1 AS a, 'x' AS ds"}
        catalog.create_view(f"sales.{name}", sql=text, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"])
    metastore.slow = "b"
    return catalog


def test_a_check_does_not_know_its_partitions_and_looks_at_the_others(catalog: ViewCatalog) -> None:
    report = check(catalog, "sales.*")
    assert report.views == ("sales.a", "sales.b", "sales.c")
    assert [(one.view, one.about) for one in report.not_known] == [("sales.b", "partitions")]


EXPECTED = {"sales.a": State.DONE, "sales.b": State.FAILED, "sales.c": State.DONE}


def test_the_others_are_backed_up(catalog: ViewCatalog, tmp_path: Path) -> None:
    outcomes = backup(catalog, str(tmp_path / "a.zip"), "sales.*")
    assert {one.view: one.state for one in outcomes} == EXPECTED


def test_the_others_are_copied(catalog: ViewCatalog, tmp_path: Path) -> None:
    target = catalog_on(MemoryMetastore(), warehouse=str(tmp_path / "t"))
    outcomes = copy_views(catalog, target, "sales.*")
    assert {one.view: one.state for one in outcomes} == EXPECTED
