"""Texts that a client of the REST server leaves as they were while it changes another."""

from __future__ import annotations

from typing import Any

from hive_views.persisted import STALE_DIALECTS
from tests.support.processes.rest_client import VIEW, RestClient, replacement
from tests.support.views.quick_catalog import NAME

OLD = "SELECT id, ds FROM clicks"
NEW = "SELECT id, ds FROM clicks WHERE ds > '2026'"


def texts(**sql: str) -> list[dict[str, str]]:
    return [{"type": "sql", "sql": text, "dialect": dialect} for dialect, text in sql.items()]


def change(client: RestClient, uuid: str, representations: list[dict[str, str]], **given: Any) -> dict[str, Any]:
    body = replacement(uuid, "", **{"representations": representations, **given})
    answer = client.post(VIEW, json=body)
    assert answer.status_code == 200
    return dict(answer.json())


def test_a_client_that_changes_one_of_two_texts_leaves_the_other_stale(client: RestClient, view_uuid: str) -> None:
    client.catalog.alter_view(NAME, sql={"Trino": OLD})
    assert client.get(VIEW).json()["config"] == {}
    # What a client says of it is not believed.
    claimed = {"engine-name": "spark", STALE_DIALECTS: '["spark"]'}
    changed = change(client, view_uuid, texts(spark=NEW, TRINO=OLD), summary=claimed)
    assert changed["config"] == {STALE_DIALECTS: '["trino"]'}
    assert changed["metadata"]["versions"][-1]["summary"][STALE_DIALECTS] == '["trino"]'
    assert client.get(VIEW).json()["config"] == changed["config"]
    assert client.catalog.load_view(NAME).stale_dialects == ("trino",)
    # The same texts again, as after a comment on a column, and a client that knows nothing of marks.
    assert change(client, view_uuid, texts(spark=NEW, trino=OLD))["config"] == changed["config"]
    assert change(client, view_uuid, texts(spark=NEW, trino=NEW))["config"] == {}


def test_a_client_with_one_text_drops_the_others_or_is_refused_so_that_none_is_stale(
    client: RestClient, view_uuid: str
) -> None:
    client.catalog.alter_view(NAME, sql={"trino": OLD})
    assert client.post(VIEW, json=replacement(view_uuid, NEW)).status_code == 400
    client.catalog.alter_view(NAME, set_properties={"replace.drop-dialect.allowed": "true"})
    assert change(client, view_uuid, texts(spark=NEW))["config"] == {}
