"""PyIceberg on our files and on our metastore: its view models read what we write, its catalog leaves views alone."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.view import View as TheirView
from pyiceberg.view.metadata import ViewMetadata as TheirMetadata

from hive_views import View, ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.views.foreign_writers import java_commit

COLUMNS = [
    ("a", "boolean"),
    ("b", "int", "a comment: Ω"),
    ("c", "decimal(38,2)"),
    ("d", "date"),
    ("e", "timestamp"),
    ("f", "binary"),
    ("g", "array<struct<x:int,y:map<string,double>>>"),
    ("ds", "string"),
]
THEIR_TYPES = [
    "boolean",
    "int",
    "decimal(38, 2)",
    "date",
    "timestamp",
    "binary",
    "list<struct<10: x: optional int, 11: y: optional map<string, double>>>",
    "string",
]
SELECT = "SELECT " + ", ".join(f"NULL AS {column[0]}" for column in COLUMNS)
Shape = Callable[[ViewCatalog, str], View]

proves = partial(pytest.mark.matrix, engine="PyIceberg 0.12.0", server="2.3.10 on Derby")


def _new(catalog: ViewCatalog, name: str) -> View:
    return catalog.create_view(name, sql={"hive": SELECT, "trino": SELECT}, schema=COLUMNS, partitioned_on=["ds"])


def _changed(catalog: ViewCatalog, name: str) -> View:
    _new(catalog, name)
    catalog.alter_view(name, sql={"trino": SELECT.replace("NULL AS ds", "'Ω / é 😀' AS ds")}, comment="日本 😀")
    fewer, text = COLUMNS[-2:], "SELECT NULL AS g, 'Ω' AS ds"
    catalog.replace_view(name, sql={"hive": text, "trino": text}, schema=fewer)
    return catalog.roll_back_view(name, to_version=2)


def _plain_json(catalog: ViewCatalog, name: str) -> View:
    _new(catalog, name)
    return catalog.alter_view(name, set_properties={"write.metadata.compression-codec": "none", "empty": ""})


def _after_iceberg_java(catalog: ViewCatalog, name: str) -> View:
    java_commit(catalog.metastore, catalog.storage, _new(catalog, name).identifier)
    return catalog.repair_view(name)


SHAPES: dict[str, Shape] = {
    "new": _new,
    "changed": _changed,
    "plain JSON": _plain_json,
    "after Iceberg Java": _after_iceberg_java,
}


def _read(view: View) -> TheirMetadata:
    content = Path(view.metadata_location.removeprefix("file://")).read_bytes()
    if ".gz." in view.metadata_location:
        content = gzip.decompress(content)
    return TheirMetadata.model_validate_json(content)


@proves(operation="its view model on our files", result="everything: versions, schemas, texts, properties, log")
@pytest.mark.parametrize("shape", SHAPES)
def test_its_model_of_a_view_reads_everything_in_our_files(catalog: ViewCatalog, namespace: str, shape: str) -> None:
    ours = SHAPES[shape](catalog, f"{namespace}.v")
    theirs = TheirView(("ns", "v"), _read(ours))
    assert str(theirs.uuid()) == ours.uuid
    assert theirs.location() == ours.location
    assert theirs.properties == dict(ours.metadata.properties)
    assert [(entry.timestamp_ms, entry.version_id) for entry in theirs.history()] == [
        (entry.timestamp_ms, entry.version_id) for entry in ours.history
    ]
    assert theirs.current_version().version_id == ours.current_version.version_id
    for version in ours.versions:
        found = theirs.version(version.version_id)
        assert found
        assert (found.schema_id, found.timestamp_ms) == (version.schema_id, version.timestamp_ms)
        assert (found.summary, found.default_namespace) == (dict(version.summary), version.default_namespace)
        assert [(text.root.dialect, text.root.sql) for text in found.representations] == [
            (text.dialect, text.sql) for text in version.sql_representations
        ]
    for dialect in ours.dialects:
        text: Any = theirs.sql_for(dialect)
        assert text.sql == ours.sql_for(dialect).sql
    schema = theirs.schema()
    assert [(field.field_id, field.name, field.doc) for field in schema.fields] == [
        (field.id, field.name, field.doc) for field in ours.schema.fields
    ]
    assert [str(field.field_type) for field in schema.fields] == THEIR_TYPES


@pytest.fixture
def theirs(metastore_uri: str) -> HiveCatalog:
    """PyIceberg's catalog. Its Thrift bindings are a package ``hive_metastore`` at the top, and ours are not."""
    return HiveCatalog("theirs", uri=metastore_uri)


@proves(operation="its Hive catalog on our views", result="no tables to it; it leaves them alone")
def test_its_catalog_in_the_same_process_does_not_take_our_views_for_tables(
    theirs: HiveCatalog, catalog: ViewCatalog, namespace: str, hms: HiveMetastore
) -> None:
    view = _new(catalog, f"{namespace}.v")
    catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}])
    before = hms.load_row(view.identifier)
    assert (namespace,) in theirs.list_namespaces()
    assert theirs.list_tables(namespace) == []
    with pytest.raises(NoSuchTableError):
        theirs.load_table((namespace, "v"))
    assert hms.load_row(view.identifier) == before
    assert catalog.load_view(view.identifier).differences == ()
