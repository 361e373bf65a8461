"""What the catalog answers to arguments that no caller means: the thing and the rule, never a bare TypeError; and to
names that are nearly right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import (
    InvalidIdentifierError,
    InvalidInputError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
    StorageUnavailableError,
)
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.lookup import ViewLookup
from hive_views.views.recovery.recoverable import find_by_name
from tests.support.views.metastore_setup import view_row

COLUMNS = [("page", "string"), ("ds", "string")]
SQL = {"hive": "SELECT page, ds FROM web.clicks"}
NO_NAMES: list[Any] = [42, None, b"web.daily", ["web", "daily", "x"], ("web", 42), {"web": "daily"}]
NO_LOCATIONS: list[Any] = [42, b"x", "", "file:", "file://", "memory://", "/", "data:x", "/tmp/a\nb", "/tmp/ü"]


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def catalog(tmp_path: Path, calls: list[str]) -> ViewCatalog:
    catalog = ViewCatalog(MemoryMetastore(on_call=calls.append), warehouse=str(tmp_path))
    catalog.create_namespace("web")
    catalog.create_view("web.daily", sql=SQL, schema=COLUMNS, partitioned_on=["ds"])
    calls.clear()
    return catalog


VERBS: dict[str, Callable[[ViewCatalog, Any], object]] = {
    "load": lambda catalog, name: catalog.load_view(name),
    "exists": lambda catalog, name: catalog.view_exists(name),
    "partitions": lambda catalog, name: catalog.partitions(name),
    "create": lambda catalog, name: catalog.create_view(name, sql=SQL, schema=COLUMNS),
    "replace": lambda catalog, name: catalog.replace_view(name, sql=SQL),
    "alter": lambda catalog, name: catalog.alter_view(name, comment="x"),
    "roll back": lambda catalog, name: catalog.roll_back_view(name, to_version=1),
    "repair": lambda catalog, name: catalog.repair_view(name),
    "rename": lambda catalog, name: catalog.rename_view(name, "web.other"),
    "rename to": lambda catalog, name: catalog.rename_view("web.daily", name),
    "drop": lambda catalog, name: catalog.drop_view(name),
    "register": lambda catalog, name: catalog.register_view(name, "file:///x/1.metadata.json"),
    "find": lambda catalog, name: find_by_name(catalog.engine, name),
}


@pytest.mark.parametrize("name", NO_NAMES, ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_name_is_refused_with_the_rule_and_nothing_is_asked(
    catalog: ViewCatalog, calls: list[str], verb: str, name: Any
) -> None:
    with pytest.raises(InvalidIdentifierError, match="Cannot use"):
        VERBS[verb](catalog, name)
    assert calls == []


@pytest.mark.parametrize("namespace", [42, None, ("web",), ""], ids=repr)
def test_what_is_no_namespace_is_refused(catalog: ViewCatalog, namespace: Any) -> None:
    for call in (catalog.list_views, catalog.create_namespace):
        with pytest.raises(InvalidIdentifierError, match="as a namespace"):
            call(namespace)


WRONG: dict[str, Callable[[ViewCatalog], object]] = {
    "sql": lambda catalog: catalog.create_view("web.new", sql=42, schema=COLUMNS),  # type: ignore[arg-type]
    "sql of one": lambda catalog: catalog.create_view("web.new", sql={"hive": 42}, schema=COLUMNS),  # type: ignore[dict-item]
    "a dialect": lambda catalog: catalog.create_view("web.new", sql={42: "SELECT 1 AS a"}, schema=COLUMNS),  # type: ignore[dict-item]
    "schema": lambda catalog: catalog.create_view("web.new", sql=SQL, schema=42),  # type: ignore[arg-type]
    "partitioned_on": lambda catalog: catalog.create_view("web.new", sql=SQL, schema=COLUMNS, partitioned_on=42),  # type: ignore[arg-type]
    "comment": lambda catalog: catalog.alter_view("web.daily", comment=42),  # type: ignore[arg-type]
    "properties": lambda catalog: catalog.alter_view("web.daily", set_properties=["a"]),  # type: ignore[arg-type]
    "remove_properties": lambda catalog: catalog.alter_view("web.daily", remove_properties="abc"),
    "properties to remove": lambda catalog: catalog.alter_view("web.daily", remove_properties=42),  # type: ignore[arg-type]
    "on_drift": lambda catalog: catalog.repair_view("web.daily", on_drift="adpot"),  # type: ignore[arg-type]
    "a file": lambda catalog: catalog.register_view("web.new", 42),  # type: ignore[arg-type]
    "warehouse": lambda catalog: ViewCatalog(catalog.metastore, warehouse=42),  # type: ignore[arg-type]
    "default_namespace": lambda catalog: catalog.replace_view("web.daily", sql=SQL, default_namespace=42),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("argument", WRONG)
def test_an_argument_of_a_wrong_kind_is_refused_with_the_rule(catalog: ViewCatalog, argument: str) -> None:
    before = catalog.load_view("web.daily")
    with pytest.raises(InvalidInputError):
        WRONG[argument](catalog)
    assert catalog.load_view("web.daily") == before
    assert [str(name) for name in catalog.list_views("web")] == ["web.daily"]


@pytest.mark.parametrize("location", NO_LOCATIONS, ids=repr)
def test_what_is_no_location_is_refused_with_the_rule(catalog: ViewCatalog, location: Any) -> None:
    before = catalog.load_view("web.daily")
    with pytest.raises(InvalidInputError, match="as a location"):
        catalog.alter_view("web.daily", location=location)
    with pytest.raises(InvalidInputError, match="as a location"):
        catalog.create_view("web.new", sql=SQL, schema=COLUMNS, location=location)
    assert catalog.load_view("web.daily") == before


def test_a_location_where_nothing_can_be_written_is_an_error_of_ours_and_changes_nothing(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    before = catalog.load_view("web.daily")
    # A directory of the kernel's, in which not even root can make one.
    for location in (f"{tmp_path}/file", f"{tmp_path}/file/below", "/proc/hive_views", "nosuch://bucket/x"):
        with pytest.raises(StorageUnavailableError, match="Cannot"):
            catalog.alter_view("web.daily", location=location)
    assert catalog.load_view("web.daily") == before


ON_ONE_VIEW = {
    verb: call for verb, call in VERBS.items() if verb not in {"exists", "create", "rename to", "register", "find"}
}


@pytest.mark.parametrize("verb", ON_ONE_VIEW)
def test_a_missing_view_is_reported_with_the_nearest_name(catalog: ViewCatalog, verb: str) -> None:
    with pytest.raises(NoSuchViewError, match=r"no view web\.dialy\. Did you mean 'web\.daily'\?"):
        ON_ONE_VIEW[verb](catalog, "web.dialy")
    with pytest.raises(NoSuchViewError) as error:
        ON_ONE_VIEW[verb](catalog, "web.zzzzzz")
    assert "Did you mean" not in str(error.value)


def test_the_name_that_another_view_has_taken_meanwhile_is_no_suggestion(catalog: ViewCatalog) -> None:
    assert ViewLookup(catalog.metastore, None).nearest_view(TableIdentifier("web", "daily")) is None


@pytest.mark.parametrize("verb", ON_ONE_VIEW)
def test_a_missing_namespace_is_reported_as_such_with_the_nearest_one(catalog: ViewCatalog, verb: str) -> None:
    with pytest.raises(NoSuchNamespaceError, match=r"no namespace wbe\. Did you mean 'web'\?"):
        ON_ONE_VIEW[verb](catalog, "wbe.daily")


def test_a_missing_namespace_of_a_new_name_or_a_list_is_reported_with_the_nearest_one(catalog: ViewCatalog) -> None:
    for call in (
        lambda: catalog.create_view("wbe.v", sql=SQL, schema=COLUMNS),
        lambda: catalog.rename_view("web.daily", "wbe.daily"),
        lambda: catalog.list_views("wbe"),
    ):
        with pytest.raises(NoSuchNamespaceError, match=r"no namespace wbe\. Did you mean 'web'\?"):
            call()


def test_nothing_is_there_to_drop_where_not_even_the_namespace_is(catalog: ViewCatalog) -> None:
    assert not catalog.view_exists("nowhere.daily")
    catalog.drop_view("nowhere.daily", if_exists=True)
    catalog.drop_view("web.nothing", if_exists=True)


def test_a_view_that_is_there_costs_no_call_for_its_name(catalog: ViewCatalog, calls: list[str]) -> None:
    catalog.load_view("web.daily")
    assert calls == ["load_row"]


def test_a_dropped_view_is_reported_with_its_files_rather_than_with_another_name(catalog: ViewCatalog) -> None:
    catalog.create_view("web.daily_2", sql=SQL, schema=COLUMNS)
    last = catalog.load_view("web.daily").metadata_location
    catalog.drop_view("web.daily")
    with pytest.raises(NoSuchViewError, match="undrop") as error:
        catalog.load_view("web.daily")
    assert error.value.metadata_location == last


def test_a_table_of_the_name_is_reported_as_such(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(view_row("web", name="plain", parameters={}))
    with pytest.raises(NoSuchIcebergViewError, match="without a metadata file") as error:
        catalog.load_view("web.plain")
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize("purge", [False, True])
def test_a_plain_view_is_dropped_by_hive_or_spark_and_the_error_says_so(catalog: ViewCatalog, purge: bool) -> None:
    """One that contradicts itself can neither be dropped here nor adopted."""
    catalog.metastore.create_row(view_row("web", name="plain", parameters={}))
    with pytest.raises(NoSuchIcebergViewError, match="Drop it in Hive or Spark, or adopt it first:") as error:
        catalog.drop_view("web.plain", purge=purge)
    assert error.value.remedy == remedies.adopt("web.plain")
