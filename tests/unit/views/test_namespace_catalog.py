"""Namespaces as PyIceberg has them: created, dropped when empty, listed, and with properties."""

from __future__ import annotations

import pytest

from hive_views import ViewCatalog
from hive_views.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    UnsupportedFeatureError,
)
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.namespace_catalog import PropertiesUpdateSummary
from tests.support.failing.faulty_metastore import FaultyMetastore, lost_after, lost_before

OWNER = "hive.metastore.database.owner"


@pytest.fixture
def metastore() -> MemoryMetastore:
    return MemoryMetastore(alters_comments=True)


@pytest.fixture
def catalog(metastore: MemoryMetastore) -> ViewCatalog:
    return ViewCatalog(metastore, warehouse="memory://namespaces")


def test_one_is_created_with_its_properties_and_loaded_with_them(catalog: ViewCatalog) -> None:
    given = {"comment": "of the web", OWNER: "ann", "team": "web", "location": "memory://elsewhere/web"}
    catalog.create_namespace("web", given)
    assert catalog.load_namespace_properties("web") == given
    assert catalog.namespace_exists("web")
    assert catalog.list_namespaces() == ["default", "web"]
    catalog.create_namespace("other", {"location": "memory://one"}, location="memory://two")
    assert catalog.load_namespace_properties("other")["location"] == "memory://two"


def test_one_that_is_there_is_left_as_it_is(catalog: ViewCatalog) -> None:
    catalog.create_namespace("web", {"team": "web"})
    with pytest.raises(AlreadyExistsError):
        catalog.create_namespace("web", {"team": "other"})
    catalog.create_namespace("web", {"team": "other"}, if_not_exists=True)
    assert catalog.load_namespace_properties("web")["team"] == "web"


def test_one_is_dropped_only_when_it_is_empty(catalog: ViewCatalog) -> None:
    catalog.create_namespace("web")
    view = catalog.create_view("web.v", sql={"hive": "SELECT 1 AS id"}, schema=[("id", "int")])
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("web")
    assert catalog.load_view("web.v").metadata == view.metadata
    catalog.drop_view("web.v")
    catalog.drop_namespace("web")
    assert not catalog.namespace_exists("web")
    with pytest.raises(NoSuchNamespaceError):
        catalog.drop_namespace("web")


def test_the_properties_of_one_that_is_missing_name_the_nearest_one(catalog: ViewCatalog) -> None:
    catalog.create_namespace("sales")
    with pytest.raises(NoSuchNamespaceError, match="Did you mean 'sales'"):
        catalog.load_namespace_properties("salse")
    with pytest.raises(NoSuchNamespaceError, match="Did you mean 'sales'"):
        catalog.update_namespace_properties("salse", updates={"a": "1"})


def test_properties_are_removed_and_set_and_what_was_not_there_is_said(catalog: ViewCatalog) -> None:
    catalog.create_namespace("web", {"a": "1", "b": "2", "comment": "old"})
    done = catalog.update_namespace_properties("web", ["a", "none"], {"b": "3", "comment": "new", OWNER: "ann"})
    assert done == PropertiesUpdateSummary(["a"], ["b", "comment", OWNER], ["none"])
    properties = catalog.load_namespace_properties("web")
    assert properties.pop("location").endswith("/web.db")
    assert properties == {"b": "3", "comment": "new", OWNER: "ann"}


@pytest.mark.parametrize(
    ("removals", "updates"),
    [
        (["a"], {"a": "1"}),
        ("a", {}),
        (["location"], {}),
        ([], {"location": "memory://elsewhere"}),
        ([OWNER], {}),
        ([], {OWNER: ""}),
        ([], {"hive-views.created-with": "x"}),
        (["hive-views.created-with"], {}),
    ],
)
def test_what_cannot_be_changed_is_refused_and_nothing_is(
    catalog: ViewCatalog, removals: list[str], updates: dict[str, str]
) -> None:
    catalog.create_namespace("web", {"a": "0", OWNER: "ann"})
    before = catalog.load_namespace_properties("web")
    with pytest.raises(InvalidInputError):
        catalog.update_namespace_properties("web", removals, updates)
    assert catalog.load_namespace_properties("web") == before


def test_a_reserved_property_makes_no_namespace(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidInputError, match="reserved"):
        catalog.create_namespace("web", {"hive-views.created-with": "x"})
    assert not catalog.namespace_exists("web")


def test_a_comment_that_the_metastore_keeps_is_an_error() -> None:
    catalog = ViewCatalog(MemoryMetastore())
    catalog.create_namespace("web", {"comment": "first"})
    with pytest.raises(UnsupportedFeatureError):
        catalog.update_namespace_properties("web", updates={"comment": "second"})
    assert catalog.load_namespace_properties("web")["comment"] == "first"


def test_a_change_without_an_answer_is_read_back(metastore: MemoryMetastore) -> None:
    faulty = FaultyMetastore(metastore)
    catalog = ViewCatalog(faulty)
    catalog.create_namespace("web", {"a": "0"})
    faulty.on("alter_namespace", lost_after)
    assert catalog.update_namespace_properties("web", updates={"a": "1"}).updated == ["a"]
    faulty.on("alter_namespace", lost_before)
    with pytest.raises(CommitStateUnknownError):
        catalog.update_namespace_properties("web", updates={"a": "2"})
    faulty.on("drop_namespace", lost_after)
    catalog.drop_namespace("web")
    assert not catalog.namespace_exists("web")
