"""Metadata files and requests with any value in any place: each ends in a view, or in an error of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.spec.serde import parse_metadata
from hive_views.views.projection import project
from tests.unit.quick_catalog import NAME
from tests.unit.rest_client import PREFIX, VIEW, VIEWS, creation, replacement, rest_client

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
