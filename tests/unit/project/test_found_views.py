"""Views that are read in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project.found_views import find_views
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.quick_catalog import catalog_on


class MixingMetastore(MemoryMetastore):
    """Reads of many rows return the text of before with the pointer of now, as beside a commit."""

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        return [replace(row, expanded_text="SELECT 0 AS `a`") for row in super().load_rows(namespace, names)]


def test_a_mixture_of_two_states_is_no_drift() -> None:
    metastore = MixingMetastore(warehouse="memory:///mixing")
    catalog = catalog_on(metastore)
    catalog.create_namespace("sales", if_not_exists=True)
    catalog.create_view("sales.one", sql={"hive": "SELECT 1 AS a"})
    name = TableIdentifier.of("sales.one")
    assert not find_views(catalog, [name]).views[name].has_drifted
