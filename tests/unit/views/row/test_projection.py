"""The row that a metadata file stands for: every field of it, what is kept of the row before and what is purged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.errors import CorruptMetadataError, InvalidInputError, InvalidSchemaError
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIRTUAL_VIEW, Column, Row
from hive_views.persisted import COMMITS, FINGERPRINT, HIVE_TYPES, PARTITIONED_ON, PENDING_KEYS
from hive_views.views.row.projection import (
    UNREADABLE_TEXT,
    check_row_text,
    fingerprint,
    is_ascii,
    partitioned_on,
    row_columns,
    row_texts,
    user_properties,
    without_keys,
)
from hive_views.views.row.reserved_properties import check_properties
from hive_views.views.row.version import original_sql
from tests.unit.views.row.daily_row import BEFORE, EXPANDED, FILE, NAME, TEXT, UUID, metadata_of, row_of


def test_every_field_of_the_row_is_said_by_the_file() -> None:
    row = row_of(metadata_of(properties={"comment": "Clicks", "team": "growth"}))
    assert row.parameters.pop(FINGERPRINT) == fingerprint(row)  # type: ignore[attr-defined]
    assert row == Row(
        identifier=NAME,
        table_type=VIRTUAL_VIEW,
        owner="ada",
        location=None,
        columns=(Column("user_id", "bigint", "who"), Column("clicks", "smallint")),
        partition_keys=(Column("ds", "varchar(10)"),),
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serde_library=None,
        original_text=TEXT,
        expanded_text=EXPANDED,
        parameters={
            "comment": "Clicks",
            "team": "growth",
            PARTITIONED_ON: '["ds"]',
            "uuid": UUID,
            "table_type": "ICEBERG-VIEW",
            POINTER: FILE,
            PREVIOUS_POINTER: BEFORE,
            "view.catalogAndNamespace.numParts": "2",
            "view.catalogAndNamespace.part.0": "spark_catalog",
            "view.catalogAndNamespace.part.1": "sales",
        },
    )


def test_a_first_row_has_no_previous_pointer() -> None:
    assert PREVIOUS_POINTER not in row_of(metadata_of(), previous_location=None).parameters
    stale = replace(row_of(metadata_of()), native="thrift")
    assert PREVIOUS_POINTER not in row_of(metadata_of(), previous_location=None, current=stale).parameters


def test_projecting_again_changes_nothing() -> None:
    metadata = metadata_of(properties={"team": "growth"})
    row = row_of(metadata)
    assert row_of(metadata, current=row, replaced=metadata) == row


def test_the_owner_and_what_only_the_server_knows_are_kept() -> None:
    current = replace(row_of(metadata_of()), owner="grace", create_time_s=7, native="thrift")
    row = row_of(metadata_of(), current=current, owner="ada")
    assert (row.owner, row.create_time_s, row.native) == ("grace", 7, "thrift")
    assert row_of(metadata_of(), current=replace(current, owner=None)).owner == "ada"


def test_foreign_parameters_are_kept_and_leftovers_purged() -> None:
    leftovers = {
        "spark.sql.create.version": "2.2 or prior",
        "spark.sql.sources.schema": "{}",
        "view.query.out.col.0": "x",
        "view.schemaMode": "BINDING",
        "view.sqlConfig.spark.sql.ansi.enabled": "true",
        "view.referredTempViewNames": "[]",
        "current-schema": "{}",
        "hive-views.text-dialect": "spark",
        PENDING_KEYS: "[]",
        "transient_lastDdlTime": "1",
        "comment": "not ours",
        "replace.drop-dialect.allowed": "true",
    }
    foreign = {"bucketing_version": "2", "governance.tag": "pii"}
    clean = row_of(metadata_of())
    current = replace(clean, parameters={**clean.parameters, **leftovers, **foreign})
    assert row_of(metadata_of(), current=current).parameters == {**clean.parameters, **foreign}


def test_properties_that_are_gone_from_the_file_go_from_the_row() -> None:
    before = metadata_of(properties={"team": "growth"})
    row = row_of(metadata_of(), current=row_of(before), replaced=before)
    assert "team" not in row.parameters
    assert row_of(metadata_of(), current=row_of(before)).parameters["team"] == "growth", "for all we know it is foreign"


def test_properties_of_a_foreign_file_cannot_take_the_place_of_ours() -> None:
    metadata = metadata_of(properties={POINTER: "x", "uuid": "x", "table_type": "x", PREVIOUS_POINTER: "x"})
    parameters = row_of(metadata).parameters
    assert parameters[POINTER] == FILE
    assert parameters[PREVIOUS_POINTER] == BEFORE
    assert parameters["uuid"] == UUID
    assert parameters["table_type"] == "ICEBERG-VIEW"


def test_the_property_for_the_owner_is_no_parameter() -> None:
    assert (
        "hive.metastore.table.owner"
        not in row_of(metadata_of(properties={"hive.metastore.table.owner": "x"})).parameters
    )


def test_a_spark_text_pins_the_mode_it_was_written_for() -> None:
    row = row_of(metadata_of({"spark": TEXT}))
    assert (row.original_text, row.expanded_text) == (TEXT, EXPANDED)
    assert row.parameters["hive-views.text-dialect"] == "spark"
    assert row.parameters["view.sqlConfig.spark.sql.ansi.enabled"] == "true"


def test_a_hive_text_of_another_writer_is_expanded_in_its_own_namespace() -> None:
    metadata = metadata_of({"spark": TEXT})
    version = metadata.current_version.model_copy(update={"default_namespace": ("web",)})
    representation = version.representations[0].model_copy(update={"dialect": "HIVE"})
    foreign = metadata.model_copy(
        update={"versions": (version.model_copy(update={"representations": (representation,)}),)}
    )
    assert row_texts(foreign, NAME) == ("hive", TEXT, EXPANDED.replace("`sales`", "`web`"))


def test_a_version_without_a_namespace_resolves_in_that_of_the_view() -> None:
    metadata = metadata_of({"spark": TEXT})
    version = metadata.current_version.model_copy(update={"default_namespace": ()})
    assert row_texts(metadata.model_copy(update={"versions": (version,)}), NAME)[2] == EXPANDED


def test_without_a_text_for_plain_readers_the_row_is_one_that_fails() -> None:
    metadata = metadata_of({"hive": TEXT, "trino": TEXT})
    version = metadata.current_version
    trino = version.model_copy(update={"representations": version.representations[1:]})
    in_trino = metadata.model_copy(update={"versions": (trino,)})
    with pytest.raises(InvalidInputError, match="only has SQL in trino:"):
        check_row_text(in_trino, NAME)
    assert row_of(in_trino).expanded_text == UNREADABLE_TEXT
    none = version.model_copy(update={"representations": ()})
    in_none = metadata.model_copy(update={"versions": (none,)})
    with pytest.raises(InvalidInputError, match="only has SQL in no dialect"):
        check_row_text(in_none, NAME)
    assert row_of(in_none).expanded_text == UNREADABLE_TEXT


def test_the_typed_text_is_known_by_its_dialect() -> None:
    version = metadata_of().current_version
    assert original_sql(version, "Hive") == TEXT
    assert original_sql(version, "trino") == TEXT
    assert original_sql(version, "spark") is None


# -- partition columns -------------------------------------------------------------------------------------------------


def test_columns_that_do_not_end_in_the_keys_have_no_row() -> None:
    for declared in ('["clicks"]', '["user_id", "clicks", "ds"]', '["ds", "clicks"]'):
        metadata = metadata_of(properties={PARTITIONED_ON: declared}, keys=())
        wrong = metadata.model_copy(update={"properties": {PARTITIONED_ON: declared}})
        with pytest.raises(InvalidSchemaError, match="do not end in these"):
            row_columns(wrong)


@pytest.mark.parametrize("declared", ["ds", "{", "7", "null"])
def test_keys_that_are_no_list_are_corrupt(declared: str) -> None:
    metadata = metadata_of().model_copy(update={"properties": {PARTITIONED_ON: declared}})
    with pytest.raises(CorruptMetadataError, match="not a JSON list"):
        partitioned_on(metadata)


@pytest.mark.parametrize("stored", ["{", "[]", "7"])
def test_hive_types_that_are_no_object_are_corrupt(stored: str) -> None:
    metadata = metadata_of()
    version = metadata.current_version.model_copy(update={"summary": {HIVE_TYPES: stored}})
    with pytest.raises(CorruptMetadataError, match="not a JSON object"):
        row_columns(metadata.model_copy(update={"versions": (version,)}))


def test_a_type_without_a_counterpart_in_hive_has_no_row() -> None:
    metadata = metadata_of()
    fields = metadata.current_schema.fields
    schema = metadata.current_schema.model_copy(
        update={"fields": (fields[0].model_copy(update={"type": "timestamp_ns"}), *fields[1:])}
    )
    with pytest.raises(InvalidSchemaError, match="user_id"):
        row_columns(metadata.model_copy(update={"schemas": (schema,)}))


def test_between_two_swaps_the_row_has_no_keys_and_records_them() -> None:
    row = replace(row_of(metadata_of()), location="s3://set/by/java")
    between = without_keys(row, "s3://lake/copy.metadata.json")
    assert between.partition_keys == ()
    assert between.location is None
    assert between.columns == row.columns
    assert between.parameters[POINTER] == "s3://lake/copy.metadata.json"
    assert between.parameters[PREVIOUS_POINTER] == FILE
    assert between.parameters[PENDING_KEYS] == '[["ds", "varchar(10)", null]]'


# -- fingerprint -------------------------------------------------------------------------------------------------------

CHANGES: dict[str, Callable[[Row], Row]] = {
    "type": lambda row: replace(row, table_type="MANAGED_TABLE"),
    "location": lambda row: replace(row, location="s3://x"),
    "format": lambda row: replace(row, input_format="org.apache.hadoop.mapred.FileInputFormat"),
    "a column": lambda row: replace(row, columns=row.columns[:1]),
    "a comment": lambda row: replace(row, columns=(replace(row.columns[0], comment=None), *row.columns[1:])),
    "a key": lambda row: replace(row, partition_keys=(Column("day", "string"),)),
    "a key among the columns": lambda row: replace(row, columns=(*row.columns, *row.partition_keys), partition_keys=()),
    "typed text": lambda row: replace(row, original_text="SELECT 1"),
    "expanded text": lambda row: replace(row, expanded_text="SELECT 1"),
    "pointer": lambda row: replace(row, parameters={**row.parameters, POINTER: BEFORE}),
    "namespace": lambda row: replace(row, parameters={**row.parameters, "view.catalogAndNamespace.part.1": "default"}),
    "Spark's schema": lambda row: replace(row, parameters={**row.parameters, "spark.sql.sources.schema": "{}"}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_readers_take_from_the_row_is_in_its_fingerprint(change: Callable[[Row], Row]) -> None:
    row = row_of(metadata_of())
    assert fingerprint(change(row)) != fingerprint(row)


def test_what_harms_nobody_is_not_in_the_fingerprint() -> None:
    row = row_of(metadata_of())
    harmless = replace(
        row,
        owner="x",
        serde_library="x",
        create_time_s=9,
        table_type="virtual_view",
        parameters={**row.parameters, "bucketing_version": "2", FINGERPRINT: "stale"},
    )
    assert fingerprint(harmless) == fingerprint(row)


# -- properties and text -----------------------------------------------------------------------------------------------


def test_properties_of_ours_are_not_shown() -> None:
    metadata = metadata_of(properties={"team": "growth", COMMITS: "a,b"})
    assert user_properties(metadata) == {"team": "growth"}


@pytest.mark.parametrize(
    "properties",
    [{"hive-views.x": "a"}, {"view.x": "a"}, {"spark.sql.x": "a"}, {"EXTERNAL": "TRUE"}, {"presto_view": "true"}],
    ids=lambda properties: next(iter(properties)),
)
def test_properties_with_a_meaning_of_their_own_are_refused(properties: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError, match="meaning of their own") as refusal:
        check_properties({"fine": "a", **properties})
    assert refusal.value.key == next(iter(properties))


def test_properties_that_mean_nothing_here_are_taken() -> None:
    check_properties({"comment": "", "gc.enabled": "false", "spark.query-column-names": "a", "view-format": "iceberg"})


@pytest.mark.parametrize(
    "change",
    [
        lambda row: replace(row, original_text="Ω"),
        lambda row: replace(row, expanded_text="Ω"),
        lambda row: replace(row, columns=(Column("Ω", "int"),)),
        lambda row: replace(row, partition_keys=(Column("ds", "string", "Ω"),)),
        lambda row: replace(row, parameters={**row.parameters, "comment": "Ω"}),
        lambda row: replace(row, parameters={**row.parameters, "Ω": ""}),
    ],
)
def test_any_text_that_a_latin1_database_could_lose_is_seen(change: Callable[[Row], Row]) -> None:
    row = row_of(metadata_of())
    assert is_ascii(row)
    assert not is_ascii(change(row))
