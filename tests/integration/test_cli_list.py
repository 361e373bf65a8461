"""Listing views in the shell: for people, pipes and programs; on the embedded metastore."""

from __future__ import annotations

import json

import pytest

from hive_views import ViewCatalog
from hive_views.hive.row import POINTER
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from tests.integration.conftest import Run
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.foreign_writers import hive_unset_property


@pytest.fixture
def catalog(hms: HiveMetastore, namespace: str) -> ViewCatalog:
    """A partitioned view of ours with a partition, and a plain one."""
    catalog = ViewCatalog(hms, MetadataStorage())
    columns = [("a", "int"), ("ds", "string")]
    catalog.create_view(
        f"{namespace}.daily", sql={"hive": "SELECT a, ds FROM t"}, schema=columns, partitioned_on=["ds"]
    )
    catalog.partitions(f"{namespace}.daily").add([{"ds": "2026-08-21"}])
    hms.create_row(plain_view_row(namespace, "old"))
    return catalog


@pytest.mark.usefixtures("catalog")
def test_plain_views_have_a_mark_and_managed_leaves_them_out(run: Run, namespace: str) -> None:
    assert run("list", f"{namespace}.*").out == f"{namespace}.daily\n{namespace}.old  (plain)\n"
    assert run("list", "--namespace", namespace, "--managed").out == f"{namespace}.daily\n"
    assert run("list", f"{namespace}.o*").out == f"{namespace}.old  (plain)\n"
    assert run("list", f"{namespace}.x*").code == 3
    assert run("list", "--all", f"{namespace}.*").code == 2
    alone = run("list", namespace)
    assert alone.code == 2
    assert f"All views of a namespace are --namespace {namespace}" in alone.err
    assert f"{namespace}.daily\n" in run("list").out


def test_long_says_more_of_each(run: Run, catalog: ViewCatalog, namespace: str) -> None:
    lines = run("list", f"{namespace}.*", "--long", "--sort", "name", "--reverse").out.splitlines()
    assert lines[0].split() == [
        "VIEW",
        "KIND",
        "COLUMNS",
        "PARTITIONS",
        "LAST",
        "CHANGE",
        "ENGINE",
        "OWNER",
        "DIALECTS",
    ]
    assert [line.split()[:2] for line in lines[1:]] == [
        [f"{namespace}.old", "plain"],
        [f"{namespace}.daily", "managed"],
    ]
    assert lines[2].split()[2:4] == ["2", "1"]
    catalog.storage.delete(catalog.load_view(f"{namespace}.daily").metadata_location)
    broken = run("list", f"{namespace}.*", "--long")
    assert broken.code == 0
    assert "does not exist" in broken.out.splitlines()[-1]


@pytest.mark.usefixtures("catalog")
def test_programs_get_one_document_a_line_and_errors_as_json(run: Run, namespace: str) -> None:
    ended = run("list", f"{namespace}.*", "--json-lines", "--long", "--sort", "partitions")
    documents = [json.loads(line) for line in ended.out.splitlines()]
    assert [(one["identifier"], one["kind"], one["partitions"]) for one in documents] == [
        (f"{namespace}.daily", "managed", 1),
        (f"{namespace}.old", "plain", None),
    ]
    short = [json.loads(line) for line in run("list", f"{namespace}.*", "--json-lines").out.splitlines()]
    assert short[1] == {"identifier": f"{namespace}.old", "kind": "plain"}
    by_kind = run("list", f"{namespace}.*", "--json-lines", "--sort", "kind").out.splitlines()
    assert [json.loads(line) for line in by_kind] == short, "the form does not depend on the order"
    missing = run("list", "no_such_namespace.*", "--json-lines")
    assert missing.code == 3
    assert json.loads(missing.err or missing.out)["error"]


def test_a_row_without_its_pointer_has_a_mark(run: Run, catalog: ViewCatalog, namespace: str) -> None:
    row = catalog.metastore.load_row(TableIdentifier(namespace, "daily"))
    catalog.metastore.swap_row(hive_unset_property(row, POINTER), expected=None)
    assert run("list", f"{namespace}.d*").out == f"{namespace}.daily  (lost its metadata pointer)\n"
