"""What Trino sends over REST for its statements, and what its other connectors find in the row then."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.estate import check
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import DROP_DIALECT_ALLOWED
from hive_views.views.row.content import RowContent
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.row.trino_view import document_in
from tests.support.plain_rows import VIEWS as PLAIN_VIEWS
from tests.support.plain_rows import fill, plain_view
from tests.support.processes.rest_client import RestClient, creation, replacement
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import NAME

OF_TRINO = "/v1/hive@tro/namespaces"
VIEWS = f"{OF_TRINO}/sales/views"
VIEW = f"{VIEWS}/daily"
RANDOM = "0f2dd1e4ab6d4c42a3be9143969f3f6d"


def created(client: RestClient, **given: Any) -> dict[str, Any]:
    """CREATE VIEW in a session of some catalog."""
    answer = client.post(VIEWS, json=creation(**{"dialect": "trino", "default-catalog": "tro", **given}))
    assert answer.status_code == 200
    return dict(answer.json()["metadata"])


def comment_on_column(client: RestClient, view: str, column: str, comment: str) -> None:
    """COMMENT ON COLUMN: a version with all texts as they are."""
    metadata = client.get(view).json()["metadata"]
    (version,) = [one for one in metadata["versions"] if one["version-id"] == metadata["current-version-id"]]
    (schema,) = [one for one in metadata["schemas"] if one["schema-id"] == version["schema-id"]]
    fields = [{**one, "doc": comment} if one["name"] == column else one for one in schema["fields"]]
    body = {
        "requirements": [{"type": "assert-view-uuid", "uuid": metadata["view-uuid"]}],
        "updates": [
            {"action": "add-schema", "schema": {**schema, "schema-id": schema["schema-id"] + 1, "fields": fields}},
            {
                "action": "add-view-version",
                "view-version": {**version, "version-id": 9, "schema-id": -1, "summary": {"engine-name": "trino"}},
            },
            {"action": "set-current-view-version", "view-version-id": -1},
        ],
    }
    assert client.post(view, json=body).status_code == 200


def document(client: RestClient, name: TableIdentifier = NAME) -> dict[str, Any]:
    """What Trino's other connectors read."""
    return document_in(client.catalog.load_view(name).row.original_text)


def test_the_row_says_in_which_catalog_of_trino_names_resolve_and_the_file_means_the_metastore(
    client: RestClient,
) -> None:
    metadata = created(client)
    assert metadata["versions"][0]["default-catalog"] == "tro"
    assert {key: document(client)[key] for key in ("catalog", "schema")} == {"catalog": "tro", "schema": "sales"}
    view = client.catalog.load_view(NAME)
    assert (view.current_version.default_catalog, view.differences) == (None, ())


def test_check_finds_the_tables_of_a_view_of_trino_in_the_metastore(client: RestClient) -> None:
    created(client, sql="SELECT id, ds FROM clicks")
    (found,) = check(client.catalog, str(NAME)).findings
    assert (found.code, found.details["source"]) == ("source-gone", "sales.clicks")
    client.catalog.metastore.create_row(table_row("sales", "clicks"))
    assert codes(client) == []


def test_check_takes_no_text_for_that_of_a_row_that_has_none(client: RestClient) -> None:
    """Partitioned, so that its row cannot have Trino's form."""
    text = "SELECT 1 AS id, '' AS ds"
    client.catalog.create_view(
        NAME, sql={"hive": text, "trino": text}, schema=[("id", "int"), ("ds", "string")], partitioned_on=["ds"]
    )
    client.catalog.alter_view(NAME, set_properties={DROP_DIALECT_ALLOWED: "true"})
    uuid = client.catalog.load_view(NAME).uuid
    assert client.post(VIEW, json=replacement(uuid, "SELECT 2 AS id, '' AS ds", "trino")).status_code == 200
    assert client.catalog.load_view(NAME).row.expanded_text == UNREADABLE_TEXT
    assert codes(client) == []


def codes(client: RestClient) -> list[str]:
    return [one.code for one in check(client.catalog, str(NAME)).findings]


def test_a_row_keeps_the_catalog_after_changes_by_anybody(client: RestClient) -> None:
    created(client)
    comment_on_column(client, VIEW, "ds", "day")
    assert document(client)["columns"][1]["comment"] == "day"
    client.catalog.replace_view(NAME, sql={"trino": "SELECT id, '' AS ds FROM clicks"})
    assert document(client)["originalSql"] == "SELECT id, '' AS ds FROM clicks"
    assert {key: document(client)[key] for key in ("catalog", "schema")} == {"catalog": "tro", "schema": "sales"}


def test_another_catalog_that_a_view_was_made_in_stays_what_it_is(client: RestClient) -> None:
    """``USE hive.sales; CREATE VIEW tro.sales.daily AS SELECT ... FROM a_table_of_hive``."""
    metadata = created(client, **{"default-catalog": "hive"})
    assert metadata["versions"][0]["default-catalog"] == "hive"
    assert document(client)["catalog"] == "hive"


def test_or_replace_leaves_a_view_where_it_is_though_trino_sends_a_random_place(client: RestClient) -> None:
    metadata = created(client, location="memory://lake/sales/daily-" + RANDOM[::-1])
    body = replacement(metadata["view-uuid"], "SELECT 1 AS id, '' AS ds", "trino", **{"default-catalog": "tro"})
    body["updates"].insert(0, {"action": "set-location", "location": f"memory://lake/sales/daily-{RANDOM}"})
    assert client.post(VIEW, json=body).json()["metadata"]["location"] == metadata["location"]
    view = client.catalog.load_view(NAME)
    assert len(view.versions) == 2
    assert view.metadata_location.startswith(metadata["location"])


@pytest.mark.parametrize("place", ["other", "daily", f"daily-{RANDOM}/x", f"weekly-{RANDOM}"])
def test_a_place_that_somebody_chose_is_the_new_one(client: RestClient, place: str) -> None:
    metadata = created(client)
    body = replacement(metadata["view-uuid"], "SELECT 1 AS id, '' AS ds", "trino")
    body["updates"].insert(0, {"action": "set-location", "location": f"memory://lake/chosen/{place}"})
    assert client.post(VIEW, json=body).json()["metadata"]["location"] == f"memory://lake/chosen/{place}"


def test_a_place_alone_is_chosen_whatever_it_is_called(client: RestClient) -> None:
    uuid = created(client)["view-uuid"]
    place = f"memory://lake/sales/daily-{RANDOM}"
    body = {
        "requirements": [{"type": "assert-view-uuid", "uuid": uuid}],
        "updates": [{"action": "set-location", "location": place}],
    }
    assert client.post(VIEW, json=body).json()["metadata"]["location"] == place


def test_a_comment_on_a_column_leaves_texts_as_they_were_typed(client: RestClient) -> None:
    text = "SELECT id, ds FROM clicks"
    client.catalog.create_view(NAME, sql={"hive": text, "trino": text}, schema=[("id", "int"), ("ds", "string")])
    comment_on_column(client, VIEW, "ds", "day")
    view = client.catalog.load_view(NAME)
    assert (view.row.original_text, view.row.expanded_text) == (
        text,
        "SELECT id AS `id`, ds AS `ds` FROM `sales`.`clicks`",
    )
    assert (view.schema.fields[1].doc, view.differences) == ("day", ())


def adopted(client: RestClient, maker: str, name: str) -> TableIdentifier:
    view = plain_view(maker, name)
    fill(client.catalog.metastore, [view])
    return client.catalog.adopt_view(view.row.identifier).identifier


def test_a_comment_on_a_column_of_a_view_of_spark_keeps_the_settings_that_its_text_needs(client: RestClient) -> None:
    name = adopted(client, "spark-4.1.4", "ansi_off")
    before = client.catalog.load_view(name)
    column = before.schema.names[0]
    comment_on_column(client, f"{OF_TRINO}/{PLAIN_VIEWS}/views/{name.name}", column, "what it is")
    row = client.catalog.load_view(name).row
    ansi = "view.sqlConfig.spark.sql.ansi.enabled"
    assert (row.parameters[ansi], before.row.parameters[ansi]) == ("false", "false")
    assert row.columns[0].comment == "what it is"


def test_a_comment_on_a_column_of_an_adopted_view_of_trino_leaves_the_rest_of_its_row(client: RestClient) -> None:
    name = adopted(client, "trino-476", "all_types")
    before = document(client, name)
    column = before["columns"][0]["name"]
    comment_on_column(client, f"{OF_TRINO}/{PLAIN_VIEWS}/views/{name.name}", column, "what it is")
    after = document(client, name)
    assert after["columns"][0].pop("comment") == "what it is"
    before["columns"][0].pop("comment", None)
    assert after == before


def test_another_text_of_an_adopted_view_of_trino_has_nobodys_rights_but_those_of_who_asks(client: RestClient) -> None:
    """The owner of the row, whose rights Trino's Hive connector gives to a text, has not written this one."""
    name = adopted(client, "trino-476", "simple")
    assert document(client, name)["runAsInvoker"] is False
    view = client.catalog.load_view(name)
    body = replacement(view.uuid, "SELECT 1 AS x", "trino", **{"schema-id": -1})
    body["updates"].insert(0, {"action": "add-schema", "schema": {**view.schema.model_dump(mode="json")}})
    assert client.post(f"{OF_TRINO}/{PLAIN_VIEWS}/views/{name.name}", json=body).status_code == 200
    assert document(client, name)["runAsInvoker"] is True
    assert RowContent.kept_by(client.catalog.load_view(name).current_version) is None
