"""What a notebook shows of catalogs, views and partitions, and the few calls that this takes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import uuid

import pytest

from hive_views.errors import MetastoreUnavailableError, NoSuchVersionError, NoSuchViewError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.faulty_metastore import FaultyMetastore
from tests.support.views.catalog_setup import BETTER, SELECT, create


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def metastore(calls: list[str]) -> FaultyMetastore:
    return FaultyMetastore(MemoryMetastore(), on_call=calls.append)


@pytest.fixture
def catalog(metastore: FaultyMetastore, calls: list[str]) -> ViewCatalog:
    catalog = ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}")
    create(catalog, "default.v", partitioned_on=["ds"])
    catalog.partitions("default.v").add([{"ds": "2026-08-20"}, {"ds": "2026-08-22"}])
    calls.clear()
    return catalog


def is_away(_: object) -> None:
    raise MetastoreUnavailableError("It is away.")


def test_a_view_asks_for_its_partitions_once_and_says_so_if_there_is_no_answer(
    catalog: ViewCatalog, metastore: FaultyMetastore, calls: list[str]
) -> None:
    view = catalog.load_view("default.v")
    calls.clear()
    shown = view._repr_html_()
    assert calls == ["partition_names"]
    for cell in ('hv-good" title="2026-08-20: declared">20<', 'hv-none" title="2026-08-21: no partition">21<'):
        assert cell in shown
    assert SELECT.split(" FROM", maxsplit=1)[0].replace("'", "&#39;") in shown
    metastore.on("partition_names", is_away)
    assert "Its partitions are unknown: It is away." in view._repr_html_()


def test_copies_of_a_view_are_equal_and_have_no_connection(catalog: ViewCatalog, calls: list[str]) -> None:
    view = catalog.load_view("default.v")
    calls.clear()
    copies = [pickle.loads(pickle.dumps(view)), copy.deepcopy(view), dataclasses.replace(view)]
    assert copies == [view] * 3
    assert "partition_names" not in dataclasses.asdict(view)
    assert all("declared" not in one._repr_html_() for one in copies)
    assert calls == []


def test_a_view_that_was_changed_shows_its_partitions_too(catalog: ViewCatalog) -> None:
    replaced = catalog.replace_view("default.v", sql={"hive": BETTER, "trino": BETTER})
    assert "2 partitions declared" in replaced._repr_html_()
    assert "2 partitions declared" in catalog.rename_view("default.v", "default.w")._repr_html_()


def test_partitions_are_shown_with_one_call_and_where_they_are_no_days_as_a_table(
    catalog: ViewCatalog, metastore: FaultyMetastore, calls: list[str]
) -> None:
    partitions = catalog.partitions("default.v")
    partitions.add([{"ds": "somewhen"}])
    calls.clear()
    shown = partitions._repr_html_()
    assert calls == ["partition_names"]
    assert 'class="hv-calendar"' not in shown
    assert "<td>somewhen</td>" in shown
    metastore.on("partition_names", is_away)
    assert "They are unknown: It is away." in partitions._repr_html_()


def test_a_catalog_asks_a_few_namespaces_for_their_views_and_never_many(
    catalog: ViewCatalog, metastore: FaultyMetastore, calls: list[str]
) -> None:
    catalog.create_namespace("sales")
    calls.clear()
    assert "<tr><td>default</td><td>1</td><td>v</td></tr>" in catalog._repr_html_()
    assert calls == ["list_namespaces", "list_view_names", "list_view_names"]
    for number in range(20):
        catalog.create_namespace(f"n{number}")
    calls.clear()
    assert "<tr><td>n19</td></tr>" in catalog._repr_html_()
    assert calls == ["list_namespaces"]
    metastore.on("list_namespaces", is_away)
    assert "What is in it is unknown: It is away." in catalog._repr_html_()


def test_a_diff_is_text_and_a_table_in_color(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchVersionError, match="only had one version"):
        catalog.diff_view("default.v")
    catalog.replace_view("default.v", sql={"hive": BETTER, "trino": "SELECT 1 AS user_id, '<b>' AS clicks, ds FROM t"})
    found = catalog.diff_view("default.v")
    assert found == catalog.diff_view("default.v", 1, 2)
    assert "--- version 1, sql hive\n+++ version 2, sql hive" in str(found)
    shown = found._repr_html_()
    assert "From version 1 to version 2" in shown
    assert "<ins>+SELECT 1 AS user_id, &#39;&lt;b&gt;&#39; AS clicks, ds FROM t\n</ins>" in shown
    assert catalog.diff_view("default.v", 2, 2) == ()
    assert "No differences" in catalog.diff_view("default.v", 2)._repr_html_()
    with pytest.raises(NoSuchViewError, match=r"Did you mean 'default\.v'"):
        catalog.diff_view("default.vv")
