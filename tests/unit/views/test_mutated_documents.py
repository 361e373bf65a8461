"""Metadata files and requests with any value in any place: each ends in a view, or in an error of ours."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.hive.row import Column, Row
from hive_views.persisted import (
    FORMER_DIRECTORIES,
    HIVE_TYPES,
    PARTITIONED_ON,
    ROW_AS_FOUND,
    SPARK_SETTINGS,
    STAR_COLUMNS,
)
from hive_views.spec.serde import parse_metadata
from hive_views.storage.ownership import directories, requests_directory
from hive_views.views.changes.client_updates import request_hash
from hive_views.views.row.plain_view import plain_view_of
from hive_views.views.row.projection import project
from hive_views.views.view import View
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, creation, replacement, rest_client
from tests.support.views.quick_catalog import NAME

NO_DOCUMENTS = ("", "[" * 100_000, "[" * 300 + "]" * 300, '{"a":' * 5000, "NaN", "[Infinity]", "1e999", "9" * 5000)
LOCATION = "memory://mutated/00000-x.metadata.json"
MISSING = object()
NESTED: Any = {"type": "list", "element-id": 9, "element": "int"}
for _ in range(20):
    NESTED = {"type": "list", "element-id": 9, "element": NESTED}
VALUES: list[Any] = [
    *(MISSING, None, True, -1, 2**31, 10**400, 1.5, "", "x", "\x00", "é" * 300, [], {}, [[]], [{}]),
    *({"type": []}, {"type": {}}, {"type": None}, {"type": "struct"}, {"type": "list", "element": []}, NESTED),
]
TYPES = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "a", "required": False, "type": {"type": "list", "element-id": 2, "element": "int"}},
        {"id": 3, "name": "b", "required": False, "type": {"type": "struct", "fields": []}},
        {"id": 4, "name": "c", "required": False, "type": "int"},
    ],
}


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, inner in steps:
        yield from places(inner, (*path, step))


def mutations(tree: Any) -> Iterator[Any]:
    """The document with each value in each place, and with each place twice."""
    for path in places(tree):
        for value in VALUES if path else VALUES[1:]:
            changed: Any = [copy.deepcopy(tree)]
            *before, last = (0, *path)
            place = changed
            for step in before:
                place = place[step]
            if value is MISSING:
                del place[last]
            else:
                place[last] = value
            if isinstance(place, list) and place is not changed:
                place += place[:1]
            yield changed[0]


def test_a_metadata_file_with_any_value_anywhere_is_read_or_is_corrupt() -> None:
    client = rest_client()
    client.post(VIEWS, json=creation())
    tree = client.catalog.load_view(NAME).metadata.model_dump(mode="json")
    tree["schemas"] = [TYPES]
    for changed in mutations(tree):
        try:
            metadata = parse_metadata(json.dumps(changed).encode(), LOCATION)
        except (CorruptMetadataError, UnsupportedFeatureError):
            continue
        try:
            project(metadata, identifier=NAME, location=LOCATION, previous_location=None, owner="ann")
        except HiveViewsError:
            continue


@pytest.mark.parametrize(
    "key", [HIVE_TYPES, SPARK_SETTINGS, STAR_COLUMNS, ROW_AS_FOUND, PARTITIONED_ON, FORMER_DIRECTORIES]
)
@pytest.mark.parametrize("dialect", ["hive", "spark", "trino"])
def test_a_document_in_a_file_may_say_anything(key: str, dialect: str) -> None:
    client = rest_client()
    client.post(VIEWS, json=creation(dialect=dialect))
    view = client.catalog.load_view(NAME)
    row = {
        **dict.fromkeys(("input-format", "output-format", "serde-library")),
        "original-text": "/* Presto View: W10= */",
        "expanded-text": "x",
        "columns": [["id", "int", None]],
        "partition-keys": [],
        "serde-parameters": {},
        "parameters": {"presto_view": "true"},
    }
    for content in (*map(json.dumps, mutations({"id": "varchar(7)"} if key != ROW_AS_FOUND else row)), *NO_DOCUMENTS):
        tree = view.metadata.model_dump(mode="json")
        if key in (PARTITIONED_ON, FORMER_DIRECTORIES):
            tree["properties"][key] = content
        else:
            tree["versions"][0]["summary"][key] = content
        try:
            metadata = parse_metadata(json.dumps(tree).encode(), LOCATION)
            assert directories(metadata) is not None
            row = project(metadata, identifier=NAME, location=LOCATION, previous_location=None, owner="ann")
            assert View(NAME, metadata, LOCATION, row).differences is not None
        except HiveViewsError:
            continue


@pytest.mark.parametrize("maker", ["trino", "spark"])
def test_a_document_in_a_row_may_say_anything(maker: str) -> None:
    column = {"name": "id", "type": "integer", "comment": "x"}
    if maker == "trino":
        document = {"originalSql": "SELECT 1 AS id", "columns": [column], "comment": "y", "owner": "ann", "path": []}
        document |= {"catalog": "hive", "schema": "sales", "runAsInvoker": False}
    else:
        document = {"fields": [column | {"nullable": True, "metadata": {"comment": "x"}}], "type": "struct"}
    for content in (*map(json.dumps, mutations(document)), *NO_DOCUMENTS):
        encoded = base64.b64encode(content.encode()).decode()
        row = Row(
            identifier=NAME,
            table_type="VIRTUAL_VIEW",
            columns=(Column("id", "int"),),
            original_text=f"/* Presto View: {encoded} */" if maker == "trino" else "SELECT 1 AS id",
            expanded_text="/* Presto View */" if maker == "trino" else "SELECT 1 AS id",
            parameters={"presto_view": "true", "comment": "Presto View"}
            if maker == "trino"
            else {"spark.sql.create.version": "4.1.4", "spark.sql.sources.schema": content},
        )
        with suppress(HiveViewsError):
            view = plain_view_of(row)
            view.metadata("memory://x", view_uuid=str(uuid4()), now_ms=1)


def test_a_damaged_note_of_a_request_stands_in_no_way() -> None:
    client = rest_client()
    headers = {"Idempotency-Key": "k"}
    note = (
        f"{requests_directory(client.catalog.engine.lookup.location_of_new(NAME))}/{request_hash('drop', 'k')}.request"
    )
    for content in (b"", b"[]", b'{"owns": {}}', b'{"owns": [], "view-uuid": 1, "pointer": []}', b"[" * 100_000):
        client.post(VIEWS, json=creation())
        client.catalog.storage.files.delete(note)
        client.catalog.storage.write_bytes(note, content)
        assert client.delete(VIEW, headers=headers).status_code == 204


@pytest.mark.parametrize("type_", [[], {}, [1], {"a": 1}], ids=str)
def test_a_type_that_is_named_by_no_text_is_no_type(type_: Any) -> None:
    body = creation()
    field = {"id": 3, "name": "id", "required": True, "type": {"type": type_}}
    body["schema"] = {**body["schema"], "fields": [field]}
    assert rest_client().error("POST", VIEWS, json=body)[0] == 400


def test_a_request_with_any_value_anywhere_is_answered_and_never_by_500() -> None:
    client = rest_client()
    uuid = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    file = client.get(VIEW).json()["metadata-location"]
    schema = {"action": "add-schema", "schema": TYPES}
    commit = replacement(uuid, "SELECT id, ds FROM clicks")
    commit["updates"] += [schema, {"action": "set-properties", "updates": {"a": "b"}}]
    name = {"namespace": ["sales"], "name": "daily"}
    bodies = (
        (VIEWS, creation("daily") | {"schema": TYPES}),
        (VIEW, commit),
        (f"{PREFIX}/namespaces", {"namespace": ["sales"], "properties": {"a": "b"}}),
        (f"{PREFIX}/namespaces/sales/properties", {"removals": ["a"], "updates": {"b": "c"}}),
        (f"{PREFIX}/views/rename", {"source": name, "destination": name}),
        (f"{PREFIX}/namespaces/sales/register-view", {"name": "daily", "metadata-location": file}),
    )
    for url, body in bodies:
        for changed in mutations(body):
            status = client.post(url, content=json.dumps(changed).encode()).status_code
            assert status < 500, (url, changed)
