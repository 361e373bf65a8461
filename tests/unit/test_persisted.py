"""The registry of what is written under names of our own: complete, and kept by everything that writes."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import hive_views
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import FILE_FORMAT, OWN_PREFIX, REGISTRY, Place
from hive_views.publishing.ledger.redeclared import RedeclaredPartitions
from hive_views.publishing.notifying.unreported import UnreportedPartitions
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import SetProperties
from hive_views.views.catalog import ViewCatalog
from hive_views.views.client_catalog import ClientCatalog
from tests.support.tables.publishing_lake import DAY, FIRST, Lake
from tests.support.views.foreign_writers import spark_alter_view_as

PACKAGE = Path(hive_views.__file__).parent
COLUMNS = [("page", "varchar(7)"), ("ds", "string")]


def literals(path: Path) -> list[str]:
    """The texts in a file of ours that begin as our names do; docstrings explain, and write nothing."""
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return [str(node.value) for node in constants if str(node.value).startswith(OWN_PREFIX)]


def test_no_name_of_our_own_is_written_outside_of_the_registry() -> None:
    # The file of settings, which people write.
    found = {path: [text for text in literals(path) if text != "hive-views.toml"] for path in PACKAGE.rglob("*.py")}
    assert found.pop(PACKAGE / "persisted.py")
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_the_registry_names_everything_once_with_a_version_and_a_meaning() -> None:
    names = [one.name for one in REGISTRY]
    assert len(set(names)) == len(names)
    for one in REGISTRY:
        assert one.version >= 1
        assert one.meaning.endswith(".")
        starts = {Place.FILE: ".", Place.CACHE: ".", Place.ARCHIVE: "manifest."}
        assert one.name.startswith(starts.get(one.place, OWN_PREFIX))


def test_a_name_that_was_ever_written_stays() -> None:
    """Files and rows of earlier commits have them; a name that is missing here can be given up no more."""
    assert {one.name for one in REGISTRY} >= {
        *(".metadata.json", ".partitions", ".listing", ".untold", ".redeclared"),
        *("hive-views.row-fingerprint", "hive-views.text-dialect", "hive-views.pending-partition-keys"),
        *("hive-views.owns", "hive-views.partitioned-on", "hive-views.commits", "hive-views.incarnation"),
        *("hive-views.made-as", "hive-views.partition-descriptor", "hive-views.former-directories"),
        *("hive-views.requests", "hive-views.renamed-with", ".request", "hive-views.created-with"),
        *(
            "hive-views.publish.",
            "hive-views.tag.",
            "hive-views.hive-types",
            "hive-views.typed-sql.",
            "hive-views.spark-settings",
        ),
        *("hive-views.inputs", "hive-views.published-by", "hive-views.published-version", "hive-views.reads"),
        *("hive-views.rows", "hive-views.aggregate.", "hive-views.analyzed-at-ms"),
        "manifest.json",
    }


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A view that has been through what writes names of our own."""
    catalog = ViewCatalog(MemoryMetastore(listener=True), warehouse=str(tmp_path))
    catalog.create_view("default.daily", sql={"spark": "SELECT page, ds FROM c"}, schema=COLUMNS, partitioned_on=["ds"])
    lake = Lake(catalog)
    lake.history().append(("2026-08-20",), ("2026-08-21",))
    lake.publish(DAY, app_id="nightly", run_version=3)
    UnreportedPartitions(catalog, catalog.load_view(lake.view), "nightly").note([FIRST])
    RedeclaredPartitions(catalog, catalog.load_view(lake.view)).note({FIRST: {"theirs": "1"}})
    catalog.partitions(lake.view).add([{"ds": "2026-08-22"}], parameters={"theirs": "1"})
    catalog.alter_view(lake.view, location=f"{tmp_path}/elsewhere", comment="moved")
    row = catalog.metastore.load_row(catalog.load_view(lake.view).identifier)
    columns = (Column("page", "string"), Column("ds", "string"))
    catalog.metastore.swap_row(spark_alter_view_as(row, "SELECT page, ds FROM c LIMIT 7", columns), expected=None)
    catalog.repair_view(lake.view, on_drift="adopt")
    texts = {"hive": "SELECT page, ds FROM c", "spark": "SELECT page, ds FROM c"}
    catalog.replace_view(lake.view, sql=texts, schema=COLUMNS)
    catalog.create_view("default.other", sql={"spark": "SELECT page FROM c"}, schema=COLUMNS[:1])
    of_clients = ClientCatalog(catalog.engine)
    of_clients.drop(TableIdentifier.of("default.other"), key="0197-1")
    name, spare = TableIdentifier.of(lake.view), TableIdentifier.of("default.spare")
    of_clients.commit(name, [SetProperties({"owner": "ann"})], view_uuid=None, key="0197-2")
    of_clients.rename(name, spare, key="0197-3")
    of_clients.rename(spare, name, key="0197-4")
    return lake


def unknown(names: set[str], place: Place) -> set[str]:
    known = [one.name for one in REGISTRY if one.place is place]
    return {
        name for name in names if not any(name == one or (one[-1] == "." and name.startswith(one)) for one in known)
    }


def own(names: object) -> set[str]:
    return {name for name in map(str, names) if name.startswith(OWN_PREFIX)}  # type: ignore[call-overload]


def test_everything_that_a_view_was_given_is_in_the_registry(lake: Lake, tmp_path: Path) -> None:
    view = lake.catalog.load_view(lake.view)
    properties = own(view.metadata.properties)
    assert len(properties) >= 6
    assert unknown(properties, Place.VIEW) == set()
    parameters = own(view.row.parameters)
    assert parameters > properties
    assert unknown(parameters - properties, Place.ROW) == set()
    summaries = own(key for version in view.versions for key in version.summary)
    assert len(summaries) >= 2
    assert unknown(summaries, Place.VERSION) == set()
    of_partitions = own(key for _, one in lake.catalog.partitions(lake.view).load() for key in one.parameters)
    assert len(of_partitions) >= 3
    assert unknown(of_partitions, Place.PARTITION) == set()

    suffixes = tuple(one.name for one in REGISTRY if one.place is Place.FILE)
    files = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert [name for name in files if not name.endswith(suffixes)] == []
    assert [suffix for suffix in suffixes if not any(name.endswith(suffix) for name in files)] == []


def test_a_file_of_a_later_format_is_refused_and_not_misread(lake: Lake, tmp_path: Path) -> None:
    view = lake.catalog.load_view(lake.view)
    readers = {
        ".partitions": lambda: lake.catalog.partitions(lake.view).restore(),
        ".redeclared": lambda: RedeclaredPartitions(lake.catalog, view).read(),
        ".untold": lambda: UnreportedPartitions(lake.catalog, view, "nightly").names(),
    }
    for suffix, read in readers.items():
        files = list(tmp_path.rglob(f"*{suffix}"))
        assert files
        for file in files:
            document = json.loads(file.read_text())
            assert document["format-version"] == FILE_FORMAT
            file.write_text(json.dumps({**document, "format-version": FILE_FORMAT + 1}) + "\n")
        with pytest.raises(UnsupportedFeatureError, match="later release"):
            read()
