"""What other writers make of the row of a view, as measured: Spark 4.1, Hive and Iceberg Java 1.12."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIRTUAL_VIEW, Column, Row
from hive_views.hive.types import hive_type
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.schema import Schema
from hive_views.spec.serde import next_location
from hive_views.storage.metadata_files import MetadataStorage

JAVA_INPUT_FORMAT = "org.apache.hadoop.mapred.FileInputFormat"
JAVA_OUTPUT_FORMAT = "org.apache.hadoop.mapred.FileOutputFormat"
LAZY_SERDE = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"


# -- Spark ------------------------------------------------------------------------------------------------------------


def spark_alter_view_as(row: Row, text: str, columns: tuple[Column, ...], *, session_database: str = "default") -> Row:
    """``ALTER VIEW ... AS``: both texts and the columns are new, keys stay where the columns still have them."""
    names = [column.name for column in columns]
    keys = tuple(key for key in row.partition_keys if key.name in names)
    data = tuple(column for column in columns if column.name not in {key.name for key in keys})
    captured = {
        "view.catalogAndNamespace.part.1": session_database,
        "view.query.out.numCols": str(len(columns)),
        **{f"view.query.out.col.{number}": name for number, name in enumerate(names)},
        "view.schemaMode": "BINDING",
        "view.sqlConfig.spark.sql.ansi.enabled": "true",
        "view.referredTempFunctionsNames": "[]",
        "view.referredTempViewNames": "[]",
    }
    changed = replace(row, original_text=text, expanded_text=text, columns=data, partition_keys=keys)
    return _with_spark_schema(replace(changed, parameters={**changed.parameters, **captured}))


def spark_set_properties(row: Row, **properties: str) -> Row:
    """``ALTER VIEW ... SET TBLPROPERTIES``: the typed text is lost, a copy of the schema appears."""
    changed = replace(row, original_text=row.expanded_text, parameters={**row.parameters, **properties})
    return _with_spark_schema(changed)


def spark_create_or_replace(row: Row, text: str, *, session_database: str = "default") -> Row:
    """``CREATE OR REPLACE VIEW``: what is there after the old view was dropped, with everything that it had."""
    return Row(
        identifier=row.identifier,
        table_type=VIRTUAL_VIEW,
        owner=row.owner,
        columns=(*row.columns, *row.partition_keys),
        input_format="org.apache.hadoop.mapred.SequenceFileInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
        serde_library=LAZY_SERDE,
        original_text=text,
        expanded_text=text,
        parameters={
            "spark.sql.create.version": "4.1.4",
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": "spark_catalog",
            "view.catalogAndNamespace.part.1": session_database,
            "view.schemaMode": "COMPENSATION",
            "view.sqlConfig.spark.sql.ansi.enabled": "true",
        },
    )


def replace_by_spark(metastore: Metastore, name: TableIdentifier, text: str = "SELECT 1", **properties: str) -> None:
    """``CREATE OR REPLACE VIEW`` as Spark carries it out: a drop and a create."""
    row = metastore.load_row(name)
    metastore.drop_row(name)
    new = spark_create_or_replace(row, text, session_database=name.namespace)
    metastore.create_row(replace(new, native=None, parameters={**new.parameters, **properties}))


def _with_spark_schema(row: Row) -> Row:
    fields = [{"name": column.name, "type": column.type} for column in (*row.columns, *row.partition_keys)]
    parameters = {
        "spark.sql.create.version": "2.2 or prior",
        "spark.sql.sources.schema": json.dumps({"type": "struct", "fields": fields}),
    }
    return replace(row, serde_library=LAZY_SERDE, parameters={**row.parameters, **parameters})


# -- Hive -------------------------------------------------------------------------------------------------------------


def hive_set_properties(row: Row, **properties: str) -> Row:
    """``ALTER VIEW ... SET TBLPROPERTIES``: nothing else changes but who did it and when."""
    parameters = {"last_modified_by": "hive", "last_modified_time": "1795252367"}
    return replace(row, parameters={**row.parameters, **properties, **parameters})


def hive_unset_property(row: Row, name: str) -> Row:
    """``ALTER VIEW ... UNSET TBLPROPERTIES``, which takes any parameter away, the pointer too."""
    return replace(row, parameters={key: value for key, value in row.parameters.items() if key != name})


def hive_create_or_replace(row: Row, text: str) -> Row:
    """``CREATE OR REPLACE VIEW`` with the same columns: the pointer stays, so that row and file differ."""
    return replace(row, original_text=text, expanded_text=text)


HIVE_ICEBERG_TEXT = (
    "select `hclicks`.`user_id` as `u`, `hclicks`.`page` as `p`, `hclicks`.`ds` as `ds` from `web`.`hclicks`"
)


def hive_create_iceberg_view(
    metastore: Metastore,
    storage: MetadataStorage,
    identifier: TableIdentifier,
    location: str,
    text: str = HIVE_ICEBERG_TEXT,
) -> Row:
    """``CREATE VIEW ... TBLPROPERTIES ('view-format'='iceberg')`` (HIVE-29578), as described; not yet released."""
    document = _java_metadata(location, sql=text)
    (version,) = document["versions"]
    version |= {"default-namespace": [identifier.namespace], "summary": {"engine-name": "hive"}}
    version["representations"][0]["dialect"] = "hive"
    del version["default-catalog"]
    document["properties"] = {"view-format": "iceberg", "bucketing_version": "2"}
    row = _create_by_java(metastore, storage, identifier, ViewMetadata.model_validate(document))
    handler = "org.apache.iceberg.mr.hive.HiveIcebergStorageHandler"
    made = replace(row, parameters={**row.parameters, "storage_handler": handler})
    metastore.swap_row(made, expected=None)
    return made


# -- Iceberg Java -----------------------------------------------------------------------------------------------------


def java_commit(
    metastore: Metastore,
    storage: MetadataStorage,
    identifier: TableIdentifier,
    change: Callable[[ViewMetadata], ViewMetadata] = lambda metadata: metadata,
) -> str:
    """A commit by Iceberg's HiveCatalog with locking switched off: a new file, and a row that needs repair.

    Returns the location of the new file.
    """
    row = metastore.load_row(identifier)
    base_location = row.parameters[POINTER]
    base = storage.read(base_location)
    metadata = change(base)
    location = next_location(metadata, base_location, str(uuid.uuid4()))
    storage.write(location, metadata)
    metastore.swap_row(java_row(row, base, metadata, location), expected=None)
    return location


def java_row(row: Row, base: ViewMetadata, metadata: ViewMetadata, location: str) -> Row:
    """The row after a commit: a new descriptor with a location and all columns, keys and texts as Java does."""
    removed = set(base.properties) - set(metadata.properties)
    parameters = {key: value for key, value in row.parameters.items() if key not in removed}
    parameters |= metadata.properties
    parameters |= {
        "uuid": metadata.view_uuid,
        "table_type": "ICEBERG-VIEW",
        POINTER: location,
        PREVIOUS_POINTER: row.parameters[POINTER],
        "current-schema": json.dumps(metadata.current_schema.model_dump()),
    }
    text = _java_text(metadata)
    return replace(
        row,
        location=metadata.location,
        columns=_java_columns(metadata.current_schema),
        input_format=JAVA_INPUT_FORMAT,
        output_format=JAVA_OUTPUT_FORMAT,
        serde_library=LAZY_SERDE,
        original_text=text,
        expanded_text=text,
        parameters=parameters,
    )


def java_create(
    metastore: Metastore, storage: MetadataStorage, identifier: TableIdentifier, location: str, **changes: Any
) -> Row:
    """A view as Spark's Iceberg catalog creates it; ``changes`` replace fields of its version (``sql``)."""
    metadata = ViewMetadata.model_validate(_java_metadata(location, **changes))
    return _create_by_java(metastore, storage, identifier, metadata)


def _create_by_java(
    metastore: Metastore, storage: MetadataStorage, identifier: TableIdentifier, metadata: ViewMetadata
) -> Row:
    file = f"{metadata.location}/metadata/00000-{uuid.uuid4()}.gz.metadata.json"
    storage.write(file, metadata)
    text = _java_text(metadata)
    row = Row(
        identifier=identifier,
        table_type=VIRTUAL_VIEW,
        owner="root",
        location=metadata.location,
        columns=_java_columns(metadata.current_schema),
        input_format=JAVA_INPUT_FORMAT,
        output_format=JAVA_OUTPUT_FORMAT,
        serde_library=LAZY_SERDE,
        original_text=text,
        expanded_text=text,
        parameters={
            **metadata.properties,
            "current-schema": json.dumps(metadata.current_schema.model_dump()),
            POINTER: file,
            "table_type": "ICEBERG-VIEW",
            "uuid": metadata.view_uuid,
        },
    )
    metastore.create_row(row)
    return row


def _java_text(metadata: ViewMetadata) -> str:
    version = metadata.current_version
    return (version.sql_in("hive") or version.sql_representations[0]).sql


def _java_columns(schema: Schema) -> tuple[Column, ...]:
    return tuple(
        Column(field.name.lower(), hive_type(field.type, column=field.name), field.doc) for field in schema.fields
    )


def _java_metadata(
    location: str, *, sql: str = "SELECT user_id, page, ds FROM spark_catalog.web.hclicks"
) -> dict[str, Any]:
    fields = [
        {"id": 0, "name": "u", "required": False, "type": "long", "doc": "user"},
        {"id": 1, "name": "p", "required": False, "type": "string"},
        {"id": 2, "name": "ds", "required": False, "type": "string"},
    ]
    version = {
        "version-id": 1,
        "timestamp-ms": 1795252366984,
        "schema-id": 0,
        "summary": {
            "engine-version": "4.1.4",
            "app-id": "local-1795252346033",
            "engine-name": "spark",
            "iceberg-version": "Apache Iceberg 1.12.0 (commit 212aa894e919ff9fdf89160da4aadcbe6858ac01)",
            "app-name": "pyspark-shell",
        },
        "default-catalog": "spark_catalog",
        "default-namespace": ["default"],
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
    }
    return {
        "view-uuid": str(uuid.uuid4()),
        "format-version": 1,
        "location": location,
        "properties": {
            "comment": "made by iceberg",
            "k": "v",
            "engine_version": "Spark 4.1.4",
            "create_engine_version": "Spark 4.1.4",
            "spark.query-column-names": "user_id,page,ds",
        },
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "current-version-id": 1,
        "versions": [version],
        "version-log": [{"timestamp-ms": 1795252366984, "version-id": 1}],
    }
