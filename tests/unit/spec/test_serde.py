"""Metadata files as bytes: what is read, what is refused and where, what is written (spec/serde.py)."""

from __future__ import annotations

import copy
import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import CorruptMetadataError, InvalidInputError, NoSuchVersionError, UnsupportedFeatureError
from hive_views.spec.metadata import SQLViewRepresentation, UnknownViewRepresentation
from hive_views.spec.serde import (
    MOST_BYTES,
    is_compressed,
    metadata_directory,
    next_location,
    parse_metadata,
    write_metadata,
)

PLAIN = "s3://lake/v/metadata/00000-x.metadata.json"
ZIPPED = "s3://lake/v/metadata/00000-x.gz.metadata.json"

SHARED = Path(__file__).parents[3].parent / "shared" / "fixtures" / "iceberg-views"

# Written for this project: every optional part of the spec once, and keys that no spec has.
VIEW: dict[str, Any] = {
    "view-uuid": "0b9c8f4a-4c43-4d8c-8a3e-0c6d1b1f5a10",
    "format-version": 1,
    "location": "s3://lake/events/daily",
    "properties": {"comment": "Ereignisse je Tag, 日本語"},
    "schemas": [
        {
            "type": "struct",
            "schema-id": 0,
            "identifier-field-ids": [0],
            "fields": [
                {"id": 0, "name": "day", "required": False, "type": "date", "doc": "of the event"},
                {
                    "id": 1,
                    "name": "seen",
                    "required": True,
                    "type": {
                        "type": "map",
                        "key-id": 2,
                        "key": "string",
                        "value-id": 3,
                        "value": {
                            "type": "list",
                            "element-id": 4,
                            "element": {
                                "type": "struct",
                                "fields": [{"id": 5, "name": "n", "required": False, "type": "decimal(10, 2)"}],
                            },
                            "element-required": False,
                        },
                        "value-required": True,
                    },
                },
            ],
        }
    ],
    "current-version-id": 2,
    "versions": [
        {
            "version-id": 1,
            "timestamp-ms": 1_700_000_000_000,
            "schema-id": 0,
            "summary": {},
            "default-namespace": [],
            "representations": [{"type": "sql", "sql": "SELECT 1", "dialect": "spark"}],
        },
        {
            "version-id": 2,
            "timestamp-ms": 1_700_000_000_001,
            "schema-id": 0,
            "summary": {"engine-name": "somebody"},
            "default-catalog": "prod",
            "default-namespace": ["events"],
            "representations": [
                {"type": "sql", "sql": "SELECT 2", "dialect": "spark"},
                {"type": "substrait", "plan": "AAEC", "nothing": None},
            ],
            "note": "kept",
        },
    ],
    "version-log": [
        {"timestamp-ms": 1_700_000_000_000, "version-id": 1},
        {"timestamp-ms": 1_700_000_000_001, "version-id": 2},
    ],
    "current-schema-id": 0,
}


def content(tree: Any) -> bytes:
    return json.dumps(tree).encode()


def changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    tree = copy.deepcopy(VIEW)
    change(tree)
    return content(tree)


def test_a_file_is_written_back_unchanged_in_meaning_with_keys_and_representations_nobody_knows() -> None:
    metadata = parse_metadata(content(VIEW), PLAIN)
    assert json.loads(write_metadata(metadata, PLAIN)) == VIEW


def test_keys_are_written_in_the_order_of_the_spec_and_compact() -> None:
    text = write_metadata(parse_metadata(content(VIEW), PLAIN), PLAIN).decode()
    order = ["view-uuid", "format-version", "location", "properties", "schemas", "current-version-id", "versions"]
    assert list(json.loads(text))[:7] == order
    assert '": ' not in text


def test_no_properties_are_no_key() -> None:
    metadata = parse_metadata(changed(lambda tree: tree.pop("properties")), PLAIN)
    assert metadata.properties == {}
    assert "properties" not in json.loads(write_metadata(metadata, PLAIN))


def test_the_type_of_a_representation_is_compared_without_case() -> None:
    sql = changed(lambda tree: tree["versions"][0]["representations"][0].update(type="SQL"))
    assert isinstance(parse_metadata(sql, PLAIN).versions[0].representations[0], SQLViewRepresentation)
    assert isinstance(parse_metadata(content(VIEW), PLAIN).versions[1].representations[1], UnknownViewRepresentation)


@pytest.mark.peer("shared fixtures")
@pytest.mark.parametrize(
    "name",
    [
        "ValidViewMetadata.json",
        "ViewMetadataInvalidCurrentSchema.json",
        "ViewMetadataInvalidCurrentVersion.json",
        "ViewMetadataMultipleSQLsForDialect.json",
    ],
)
def test_icebergs_own_files_are_read_and_written_back_unchanged_in_meaning(name: str) -> None:
    if not SHARED.is_dir():
        pytest.skip("Iceberg's own fixtures are not beside this checkout")
    text = (SHARED / name).read_bytes()
    assert parse_metadata(text, PLAIN).model_dump(mode="json") == json.loads(text)


@pytest.mark.peer("shared fixtures")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ViewMetadataMissingCurrentVersion.json", "current-version-id"),
        ("ViewMetadataMissingLocation.json", "location"),
    ],
)
def test_icebergs_own_broken_files_are_refused(name: str, path: str) -> None:
    if not SHARED.is_dir():
        pytest.skip("Iceberg's own fixtures are not beside this checkout")
    with pytest.raises(CorruptMetadataError) as refused:
        parse_metadata((SHARED / name).read_bytes(), PLAIN)
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda t: t.pop("view-uuid"), "view-uuid"),
        (lambda t: t.pop("location"), "location"),
        (lambda t: t.update(location=7), "location"),
        (lambda t: t.update(location=None), "location"),
        (lambda t: t.pop("format-version"), "format-version"),
        (lambda t: t.update({"format-version": 0}), "format-version"),
        (lambda t: t.update({"format-version": "1"}), "format-version"),
        (lambda t: t.update({"current-version-id": 2**31}), "current-version-id"),
        (lambda t: t.update({"current-version-id": 1.5}), "current-version-id"),
        (lambda t: t.pop("schemas"), "schemas"),
        (lambda t: t.update(schemas={}), "schemas"),
        (lambda t: t.update(versions=None), "versions"),
        (lambda t: t.pop("version-log"), "version-log"),
        (lambda t: t.update(properties=None), "properties"),
        (lambda t: t["properties"].update(n=1), "properties.n"),
        (lambda t: t["versions"].append("v"), "versions[2]"),
        (lambda t: t["versions"][1].pop("summary"), "versions[1].summary"),
        (lambda t: t["versions"][1].update(summary={"a": 1}), "versions[1].summary.a"),
        (lambda t: t["versions"][1].pop("default-namespace"), "versions[1].default-namespace"),
        (lambda t: t["versions"][1].pop("representations"), "versions[1].representations"),
        (lambda t: t["versions"][1].update(representations="x"), "versions[1].representations"),
        (lambda t: t["versions"][1].update({"timestamp-ms": "5"}), "versions[1].timestamp-ms"),
        (lambda t: t["versions"][1].update({"schema-id": True}), "versions[1].schema-id"),
        (lambda t: t["versions"][1]["representations"][0].pop("sql"), "versions[1].representations[0].sql"),
        (lambda t: t["versions"][1]["representations"][0].update(sql=None), "versions[1].representations[0].sql"),
        (lambda t: t["versions"][1]["representations"][0].pop("dialect"), "versions[1].representations[0].dialect"),
        (lambda t: t["versions"][1]["representations"][0].pop("type"), "versions[1].representations[0].type"),
        (lambda t: t["version-log"][0].pop("version-id"), "version-log[0].version-id"),
        (lambda t: t["version-log"][0].pop("timestamp-ms"), "version-log[0].timestamp-ms"),
        (lambda t: t["schemas"][0].pop("schema-id"), "schemas[0].schema-id"),
        (lambda t: t["schemas"][0].pop("fields"), "schemas[0].fields"),
        (lambda t: t["schemas"][0].update(type="list"), "schemas[0].type"),
        (lambda t: t["schemas"][0]["fields"][0].pop("id"), "schemas[0].fields[0].id"),
        (lambda t: t["schemas"][0]["fields"][0].pop("name"), "schemas[0].fields[0].name"),
        (lambda t: t["schemas"][0]["fields"][0].update(type="bigint"), "schemas[0].fields[0].type"),
        (lambda t: t["schemas"][0]["fields"][0].update(type={"type": "tuple"}), "schemas[0].fields[0].type"),
        (lambda t: t["schemas"][0]["fields"][0].update(id=5), "schemas[0]"),
        (lambda t: t["versions"][1].update({"version-id": 1}), "versions[1].version-id"),
        (lambda t: t["schemas"].append(copy.deepcopy(t["schemas"][0])), "schemas[1].schema-id"),
    ],
)
def test_a_file_that_breaks_the_spec_is_refused_with_the_path_of_the_bad_field(
    change: Callable[[dict[str, Any]], Any], path: str
) -> None:
    with pytest.raises(CorruptMetadataError) as refused:
        parse_metadata(changed(change), PLAIN)
    assert refused.value.path == path
    assert PLAIN in str(refused.value)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'"view"', b"7", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(CorruptMetadataError):
        parse_metadata(text, PLAIN)


def test_a_later_format_version_is_not_supported() -> None:
    with pytest.raises(UnsupportedFeatureError, match="format-version 2"):
        parse_metadata(changed(lambda tree: tree.update({"format-version": 2})), PLAIN)


@pytest.mark.parametrize("name", ["00000-x.gz.metadata.json", "v1.metadata.json.gz"])
def test_both_spellings_of_a_compressed_file_are_read_and_written(name: str) -> None:
    assert is_compressed(f"s3://lake/{name}")
    metadata = parse_metadata(gzip.compress(content(VIEW)), f"s3://lake/{name}")
    written = write_metadata(metadata, f"s3://lake/{name}")
    assert json.loads(gzip.decompress(written)) == VIEW


def test_a_name_with_gz_elsewhere_is_not_compressed() -> None:
    assert not is_compressed("s3://lake.gz/a.gz/v1.metadata.json")


@pytest.mark.parametrize("name", ["v1.json", "v1.metadata.json.bak", "metadata", ""])
def test_a_file_of_another_name_is_no_metadata_file(name: str) -> None:
    with pytest.raises(CorruptMetadataError, match=r"\.metadata\.json"):
        is_compressed(f"s3://lake/{name}")


@pytest.mark.parametrize("text", [content(VIEW), gzip.compress(content(VIEW), mtime=0)[:-20], b""])
def test_a_compressed_name_with_other_content_is_refused(text: bytes) -> None:
    with pytest.raises(CorruptMetadataError):
        parse_metadata(text, ZIPPED)


def test_the_same_metadata_gives_the_same_bytes() -> None:
    metadata = parse_metadata(content(VIEW), PLAIN)
    assert write_metadata(metadata, ZIPPED) == write_metadata(metadata, ZIPPED)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree.update({"current-version-id": 9}),
        lambda tree: tree["versions"][1].update({"schema-id": 9}),
    ],
)
def test_a_view_whose_current_version_is_missing_is_read_but_not_written(
    change: Callable[[dict[str, Any]], Any],
) -> None:
    metadata = parse_metadata(changed(change), PLAIN)
    with pytest.raises(NoSuchVersionError):
        write_metadata(metadata, PLAIN)


def test_two_texts_for_one_dialect_are_read_but_not_written() -> None:
    second = {"type": "sql", "sql": "x", "dialect": "SPARK"}
    twice = changed(lambda tree: tree["versions"][1]["representations"].append(second))
    with pytest.raises(InvalidInputError, match="two queries"):
        write_metadata(parse_metadata(twice, PLAIN), PLAIN)


def test_text_that_is_no_unicode_is_refused_before_writing() -> None:
    metadata = parse_metadata(content(VIEW), PLAIN).model_copy(update={"properties": {"k": "\ud800"}})
    with pytest.raises(InvalidInputError, match="not Unicode"):
        write_metadata(metadata, PLAIN)


def test_files_are_numbered_on_from_their_base_and_start_at_zero() -> None:
    metadata = parse_metadata(content(VIEW), PLAIN)
    directory = "s3://lake/events/daily/metadata"
    assert next_location(metadata, None, "id") == f"{directory}/00000-id.gz.metadata.json"
    assert next_location(metadata, "s3://x/00041-y.metadata.json", "id") == f"{directory}/00042-id.gz.metadata.json"
    assert next_location(metadata, "s3://x/mine.metadata.json", "id") == f"{directory}/00000-id.gz.metadata.json"


def test_codec_and_directory_follow_the_properties() -> None:
    properties = {"write.metadata.compression-codec": "NONE", "write.metadata.path": "s3://meta/daily//"}
    metadata = parse_metadata(content(VIEW), PLAIN).model_copy(update={"properties": properties})
    assert metadata_directory(metadata) == "s3://meta/daily"
    assert next_location(metadata, None, "id") == "s3://meta/daily/00000-id.metadata.json"


def test_an_unknown_codec_is_refused() -> None:
    properties = {"write.metadata.compression-codec": "zstd"}
    metadata = parse_metadata(content(VIEW), PLAIN).model_copy(update={"properties": properties})
    with pytest.raises(InvalidInputError, match="gzip or none"):
        next_location(metadata, None, "id")


def nested(levels: int) -> bytes:
    return b'{"deep":' * levels + b"0" + b"}" * levels


def test_three_megabytes_that_unpack_to_three_gigabytes_are_refused_before_they_are_unpacked() -> None:
    bomb = gzip.compress(b" " * MOST_BYTES) * (3 * 2**30 // MOST_BYTES)
    assert len(bomb) < 4 * 2**20
    tracemalloc.start()
    try:
        with pytest.raises(CorruptMetadataError, match=r"its [\d,]+ bytes unpack to more than 67,108,864") as refusal:
            parse_metadata(bomb, ZIPPED)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ZIPPED in str(refusal.value)
    assert peak < 4 * MOST_BYTES


def test_what_is_too_large_without_being_compressed_is_refused_too() -> None:
    with pytest.raises(CorruptMetadataError, match="it has 67,108,865 bytes, more than 67,108,864"):
        parse_metadata(b" " * (MOST_BYTES + 1), PLAIN)


def test_no_file_is_written_that_is_too_large_to_be_read_again() -> None:
    metadata = parse_metadata(json.dumps(VIEW).encode(), PLAIN)
    huge = metadata.model_copy(update={"properties": {"comment": "x" * MOST_BYTES}})
    for location in (PLAIN, ZIPPED):
        with pytest.raises(InvalidInputError, match=r"at most 67,108,864 are read again\. Shorten"):
            write_metadata(huge, location)


@pytest.mark.parametrize("levels", [201, 400, 5_000, 200_000])
@pytest.mark.parametrize("place", ["alone", "as an unknown key", "as a type"])
def test_what_is_nested_too_deep_is_refused_and_ends_no_interpreter(levels: int, place: str) -> None:
    text = nested(levels)
    if place == "as an unknown key":
        text = json.dumps(VIEW | {"later": "HERE"}).encode().replace(b'"HERE"', text)
    if place == "as a type":
        element = b'{"type":"list","element-id":9,"element-required":false,"element":'
        text = json.dumps(VIEW).encode().replace(b'"date"', element * levels + b'"int"' + b"}" * levels)
    with pytest.raises(CorruptMetadataError, match=r"nested deeper than 200 levels|recursion"):
        parse_metadata(text, PLAIN)
