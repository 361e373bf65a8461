"""A row against its metadata file: after each difference it needs repair or has drifted, and harmless ones are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_views.errors import InvalidInputError
from hive_views.hive.row import POINTER, Column, Row
from hive_views.persisted import HIVE_TYPES, PENDING_KEYS
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.changes.adopted_row import adopted
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.row.drift import (
    RowDifference,
    changed_by,
    changed_properties,
    differences,
    is_as_written,
    redefines,
    removed_properties,
)
from hive_views.views.row.projection import without_keys
from tests.support.views import foreign_writers
from tests.unit.views.row.daily_row import BEFORE, FILE, TEXT, metadata_of, row_of

METADATA = metadata_of(properties={"team": "growth", "comment": "Clicks"})
ROW = row_of(METADATA)


def with_parameters(row: Row, **parameters: str) -> Row:
    return replace(row, parameters={**row.parameters, **parameters})


def found_in(row: Row, metadata: ViewMetadata = METADATA) -> list[tuple[str, str]]:
    return [(difference.kind, difference.what) for difference in differences(row, metadata)]


def test_a_row_as_it_was_written_has_no_differences() -> None:
    assert differences(ROW, METADATA) == ()
    assert is_as_written(ROW)


def test_a_row_that_says_the_same_without_our_fingerprint_has_no_differences() -> None:
    plain = with_parameters(ROW, **{"hive-views.row-fingerprint": "another"})
    assert not is_as_written(plain)
    assert differences(plain, METADATA) == ()


def test_what_harms_nobody_is_no_difference() -> None:
    harmless = replace(
        with_parameters(ROW, last_modified_by="hive", bucketing_version="2", numRows="0"),
        owner="somebody",
        serde_library=foreign_writers.LAZY_SERDE,
        create_time_s=9,
    )
    assert differences(harmless, METADATA) == ()


NEEDS_REPAIR: dict[str, tuple[Callable[[Row], Row], str]] = {
    "location": (lambda row: replace(row, location="s3://lake"), "location"),
    "formats": (
        lambda row: replace(row, input_format=foreign_writers.JAVA_INPUT_FORMAT, location=None),
        "input format",
    ),
    "keys twice": (lambda row: replace(row, columns=(*row.columns, *row.partition_keys)), "columns"),
    "types as Iceberg knows them": (
        lambda row: replace(
            row, columns=(Column("user_id", "bigint", "who"), Column("clicks", "int"), Column("ds", "string"))
        ),
        "columns",
    ),
    "typed text": (lambda row: replace(row, original_text=row.expanded_text), "original text"),
    "no namespace": (
        lambda row: foreign_writers.hive_unset_property(row, "view.catalogAndNamespace.part.1"),
        "parameter view.catalogAndNamespace.part.1",
    ),
    "between two swaps": (lambda row: without_keys(row, FILE), "partition keys"),
}

DRIFTED: dict[str, tuple[Callable[[Row], Row], str]] = {
    "expanded text": (lambda row: replace(row, expanded_text="SELECT 1"), "expanded text"),
    "the text of another dialect": (lambda row: replace(row, expanded_text=TEXT), "expanded text"),
    "no text": (lambda row: replace(row, expanded_text=None), "expanded text"),
    "typed text": (lambda row: replace(row, original_text="SELECT 1"), "original text"),
    "a column": (lambda row: replace(row, columns=(Column("x", "int"),)), "columns"),
    "keys": (lambda row: replace(row, partition_keys=()), "partition keys"),
    "namespace": (
        lambda row: with_parameters(row, **{"view.catalogAndNamespace.part.1": "default"}),
        "parameter view.catalogAndNamespace.part.1",
    ),
    "Spark's schema": (
        lambda row: with_parameters(row, **{"spark.sql.sources.schema": "{}"}),
        "parameter spark.sql.sources.schema",
    ),
    "leave to drop dialects": (
        lambda row: with_parameters(row, **{"replace.drop-dialect.allowed": "true"}),
        "parameter replace.drop-dialect.allowed",
    ),
    "comment": (lambda row: with_parameters(row, comment="x"), "parameter comment"),
    "no comment": (lambda row: foreign_writers.hive_unset_property(row, "comment"), "parameter comment"),
    "a property": (lambda row: with_parameters(row, team="x"), "parameter team"),
    "one of ours": (lambda row: with_parameters(row, **{"hive-views.partitioned-on": "[]"}), "parameter hive-views"),
}


@pytest.mark.parametrize("case", NEEDS_REPAIR)
def test_what_says_the_same_in_a_wrong_shape_needs_repair(case: str) -> None:
    change, what = NEEDS_REPAIR[case]
    assert found_in(change(ROW)) == [("needs repair", what)]


@pytest.mark.parametrize("case", DRIFTED)
def test_what_the_file_does_not_know_is_drifted(case: str) -> None:
    change, what = DRIFTED[case]
    ((kind, found),) = found_in(change(ROW))
    assert kind == "drifted"
    assert found.startswith(what)


def test_a_text_that_java_copied_as_it_is_needs_repair() -> None:
    metadata = metadata_of({"spark": TEXT, "trino": "SELECT user_id, 1, ds FROM t"})
    row = row_of(metadata)
    assert found_in(replace(row, expanded_text=TEXT), metadata) == [("needs repair", "expanded text")]
    assert found_in(replace(row, expanded_text="SELECT user_id, 1, ds FROM t"), metadata) == [
        ("drifted", "expanded text")
    ]


def test_texts_of_an_older_version_need_repair_in_a_row_of_java_s_and_drifted_in_others() -> None:
    """Before 1.11 Iceberg Java never wrote the texts again; Spark and Hive do, and mean it."""
    old = METADATA.current_version
    new = old.model_copy(
        update={
            "version_id": 2,
            "summary": {HIVE_TYPES: old.summary[HIVE_TYPES]},
            "representations": (old.representations[0].model_copy(update={"sql": "SELECT user_id, 2 AS clicks, ds"}),),
        }
    )
    replaced = METADATA.model_copy(update={"versions": (old, new), "current_version_id": 2})
    assert found_in(ROW, replaced) == []
    stale = with_parameters(ROW, **{"hive-views.row-fingerprint": "stale"})
    assert found_in(stale, replaced) == [("drifted", "expanded text"), ("drifted", "original text")]
    java = replace(stale, input_format=foreign_writers.JAVA_INPUT_FORMAT)
    assert found_in(java, replaced) == [
        ("needs repair", "input format"),
        ("needs repair", "expanded text"),
        ("needs repair", "original text"),
    ]


def test_keys_gone_with_a_marker_need_repair_and_others_drifted() -> None:
    marked = with_parameters(replace(ROW, partition_keys=(Column("day", "string"),)), **{PENDING_KEYS: "[]"})
    assert found_in(marked) == [("drifted", "partition keys")]


def test_a_pointer_to_another_file_of_the_view_is_judged_by_that_file() -> None:
    moved = with_parameters(ROW, **{POINTER: BEFORE})
    assert differences(moved, METADATA) == ()


def test_a_row_for_which_there_is_no_projection_is_reported_with_the_reason() -> None:
    unknown_keys = METADATA.model_copy(update={"properties": {"hive-views.partitioned-on": '["day"]'}})
    ((kind, what),) = found_in(ROW, unknown_keys)
    assert (kind, what) == ("drifted", "partition columns")
    version = METADATA.current_version
    no_hive = version.model_copy(update={"representations": version.representations[1:]})
    assert found_in(ROW, METADATA.model_copy(update={"versions": (no_hive,)})) == []
    by_java = replace(
        ROW,
        location="s3://lake",
        input_format=foreign_writers.JAVA_INPUT_FORMAT,
        original_text=no_hive.representations[0].sql,
        expanded_text=no_hive.representations[0].sql,
    )
    assert found_in(by_java, METADATA.model_copy(update={"versions": (no_hive,)})) == [
        ("needs repair", "location"),
        ("needs repair", "input format"),
        ("needs repair", "expanded text"),
        ("needs repair", "original text"),
        ("needs repair", "parameter view.sqlConfig.spark.sql.ansi.enabled"),
    ]


def test_a_difference_says_what_was_found_and_what_expected() -> None:
    (difference,) = differences(replace(ROW, columns=(Column("x", "int", "new"),)), METADATA)
    assert str(difference) == (
        "columns: found (x int 'new'), expected (user_id bigint 'who', clicks smallint) (drifted)"
    )
    (shortened,) = differences(replace(ROW, expanded_text="x" * 500), METADATA)
    assert len(shortened.found) < 210
    (nothing,) = differences(replace(ROW, expanded_text=None), METADATA)
    assert nothing.found == "nothing"


@pytest.mark.parametrize(
    ("what", "who"),
    [
        (["parameter spark.sql.create.version", "expanded text"], "Spark (ALTER VIEW)"),
        (["location", "expanded text"], "an Iceberg engine"),
        (["input format"], "an Iceberg engine"),
        (["expanded text"], "another writer"),
        ([], "another writer"),
    ],
)
def test_who_changed_the_row_is_guessed_by_what_was_changed(what: list[str], who: str) -> None:
    assert changed_by(RowDifference("drifted", name, "", "") for name in what) == who


def test_changed_properties_are_reported_with_their_new_values() -> None:
    changed = with_parameters(ROW, team="sales", foreign="x", **{"replace.drop-dialect.allowed": "true"})
    assert changed_properties(changed, METADATA) == {"team": "sales", "replace.drop-dialect.allowed": "true"}
    assert removed_properties(changed, METADATA) == ()
    assert removed_properties(foreign_writers.hive_unset_property(ROW, "team"), METADATA) == ("team",)


def test_only_texts_and_columns_redefine_a_view() -> None:
    assert not redefines(ROW, METADATA)
    assert not redefines(foreign_writers.spark_set_properties(ROW, team="x"), METADATA)
    assert redefines(foreign_writers.hive_create_or_replace(ROW, "SELECT 1"), METADATA)


def test_what_a_latin1_database_makes_of_a_text_needs_repair() -> None:
    metadata = metadata_of(properties={"comment": "Ω é 😀"})
    row = row_of(metadata)
    assert found_in(with_parameters(row, comment="? é ?"), metadata) == [("needs repair", "parameter comment")]
    assert changed_properties(with_parameters(row, comment="? é ?"), metadata) == {}
    for other in ("? e ?", "? é", "Ω é", "x é ?"):
        assert found_in(with_parameters(row, comment=other), metadata) == [("drifted", "parameter comment")]


def test_a_row_without_a_text_is_not_adopted() -> None:
    with pytest.raises(InvalidInputError, match="no text"):
        adopted(METADATA, replace(ROW, expanded_text=None), 2000, Claims())


@pytest.mark.parametrize("count", ["9", "x", "²"])
def test_a_row_of_spark_that_names_columns_it_has_not_is_not_adopted(count: str) -> None:
    of_spark = {"spark.sql.create.version": "4.1.4", "view.query.out.numCols": count}
    row = with_parameters(replace(row_of(METADATA), expanded_text="SELECT 2 AS user_id, '' AS ds"), **of_spark)
    with pytest.raises(InvalidInputError, match=f"view.query.out.numCols = {count}"):
        adopted(METADATA, row, 1, Claims())


def test_adopting_a_row_as_it_was_written_changes_nothing() -> None:
    assert adopted(METADATA, ROW, 2000, Claims()) is METADATA
