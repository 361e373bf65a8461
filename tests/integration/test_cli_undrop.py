"""Bringing views back in the shell; on the embedded metastore."""

from __future__ import annotations

import json

import pytest

from hive_views import View, ViewCatalog
from tests.integration.conftest import Run
from tests.support.views.foreign_writers import replace_by_spark


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    columns = [("a", "int"), ("ds", "string")]
    name = f"{namespace}.daily"
    catalog.create_view(name, sql={"hive": "SELECT a, ds FROM t"}, schema=columns, partitioned_on=["ds"])
    catalog.partitions(name).add([{"ds": "2026-08-21"}])
    return catalog.load_view(name)


def test_a_dropped_view_is_listed_named_and_brought_back(run: Run, catalog: ViewCatalog, view: View) -> None:
    name = str(view.identifier)
    catalog.drop_view(name)
    assert f"`hive-views undrop {name}` brings the view back" in run("show", name).err
    lines = run("list", "--dropped", "--namespace", view.identifier.namespace).out.splitlines()
    assert lines[1].split()[:2] == [name, "1"]
    assert lines[1].endswith("noted       by note    gone")
    [listed] = run("list", "--dropped", name, "--output", "json").document["dropped"]
    assert listed["metadata_location"] == view.metadata_location
    assert run("undrop", name, "--dry-run").code == 0
    assert not catalog.view_exists(name)
    ended = run("undrop", name, "--output", "json").document
    assert ended["counts"] == {"done": 1}
    assert catalog.load_view(name).history == view.history
    assert catalog.partitions(name).names() == ["ds=2026-08-21"]
    assert run("list", "--dropped", "--namespace", view.identifier.namespace).out == ""
    assert run("undrop").code == 2


def test_what_there_is_nothing_of_ends_as_with_every_other_command(
    run: Run, catalog: ViewCatalog, view: View, namespace: str
) -> None:
    for missing in (f"{namespace}.never", f"{namespace}.x*"):
        ended = run("undrop", missing, "--output", "json")
        assert ended.code == 3
        assert missing in json.loads(ended.err)["error"]["message"]
    assert f"`hive-views register {namespace}.never FILE`" in run("undrop", f"{namespace}.never").err
    assert run("undrop", "--namespace", namespace).out == "There was nothing to be brought back.\n"
    there = run("undrop", str(view.identifier))
    assert there.code == 0
    assert f"`hive-views partitions restore {view.identifier}`" in " ".join(there.out.split())
    for option in (["--long"], ["--managed"], ["--reverse"], ["--sort", "changed"]):
        assert run("list", "--dropped", *option).code == 2


def test_what_spark_put_in_its_place_is_decided_about(run: Run, catalog: ViewCatalog, view: View) -> None:
    name = str(view.identifier)
    replace_by_spark(catalog.metastore, view.identifier)
    refused = run("undrop", name)
    assert refused.code == 1
    assert f"`hive-views undrop {name} --on-drift adopt`" in refused.out
    assert run("undrop", name, "--on-drift", "overwrite").code == 0
    assert catalog.load_view(name).differences == ()
    assert catalog.partitions(name).names() == ["ds=2026-08-21"]
