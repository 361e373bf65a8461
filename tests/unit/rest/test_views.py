"""Views over REST: what a client sends becomes a commit of ours, and every answer says what is certain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views.errors import Answer, MetastoreUnavailableError
from hive_views.hive.row import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.row.projection import UNREADABLE_TEXT
from tests.support.processes.rest_client import (
    PREFIX,
    SCHEMA,
    VIEW,
    VIEWS,
    RestClient,
    creation,
    key,
    replacement,
    rest_client,
    version,
)
from tests.support.views.catalog_setup import table_row
from tests.support.views.foreign_writers import spark_create_or_replace, spark_set_properties
from tests.support.views.quick_catalog import NAME


def test_a_created_view_is_one_of_the_catalog_with_ids_and_times_of_the_server(client: RestClient) -> None:
    answer = client.post(VIEWS, json=creation())
    assert answer.status_code == 200
    view = client.catalog.load_view(NAME)
    document = answer.json()
    assert document["metadata-location"] == view.metadata_location
    assert document["metadata"] == view.metadata.model_dump(mode="json")
    assert document["config"] == {}
    assert (view.current_version.version_id, view.schema.schema_id) == (1, 0)
    assert view.current_version.timestamp_ms > 1
    assert view.properties == {"team": "web"}
    assert view.row.expanded_text == "SELECT id AS `id`, ds AS `ds` FROM `sales`.`clicks`"
    assert view.differences == ()


def test_a_hive_text_is_expanded_and_kept_as_typed(client: RestClient) -> None:
    client.post(VIEWS, json=creation(dialect="hive"))
    view = client.catalog.load_view(NAME)
    assert view.sql_for("hive").sql == "SELECT id AS `id`, ds AS `ds` FROM `sales`.`clicks`"
    assert view.row.original_text == "SELECT id, ds FROM clicks"


def test_a_loaded_view_and_one_that_exists(client: RestClient, view_uuid: str) -> None:
    answer = client.get(VIEW)
    assert answer.json()["metadata"]["view-uuid"] == view_uuid
    assert client.head(VIEW).status_code == 204
    assert client.head(VIEW).content == b""


@pytest.mark.parametrize("name", ["other", "with.dot", "Ünicode", "x" * 200])
def test_a_view_that_is_not_there_is_404_however_it_is_called(client: RestClient, name: str) -> None:
    status, type_, message = client.error("GET", f"{VIEWS}/{name}")
    assert (status, type_) == (404, "NoSuchViewException")
    assert message.startswith(f"View does not exist: sales.{name}")
    assert client.head(f"{VIEWS}/{name}").status_code == 404
    assert client.delete(f"{VIEWS}/{name}").status_code == 404


def test_a_table_is_no_view(client: RestClient) -> None:
    client.catalog.metastore.create_row(table_row("sales", "clicks"))
    assert client.error("GET", f"{VIEWS}/clicks")[:2] == (404, "NoSuchViewException")


def test_lists_come_in_parts(client: RestClient) -> None:
    for name in ("c", "a", "b"):
        client.post(VIEWS, json=creation(name))
    whole = client.get(f"{VIEWS}?pageToken=").json()
    assert whole == {
        "identifiers": [{"namespace": ["sales"], "name": name} for name in "abc"],
        "next-page-token": None,
    }
    first = client.get(f"{VIEWS}?pageSize=2").json()
    assert [one["name"] for one in first["identifiers"]] == ["a", "b"]
    second = client.get(VIEWS, params={"pageSize": "2", "pageToken": first["next-page-token"]}).json()
    assert [one["name"] for one in second["identifiers"]] == ["c"]
    assert second["next-page-token"] is None


@pytest.mark.parametrize("query", ["pageSize=0", "pageSize=-1", "pageSize=x", "pageToken=%FF", "pageToken=abc"])
def test_a_part_that_cannot_be_is_400(client: RestClient, query: str) -> None:
    assert client.error("GET", f"{VIEWS}?{query}")[0] == 400


def test_views_of_a_namespace_that_is_not_there_are_404(client: RestClient) -> None:
    status, type_, message = client.error("GET", f"{PREFIX}/namespaces/none/views")
    assert (status, type_) == (404, "NoSuchNamespaceException")
    assert message.startswith("Namespace does not exist: none")
    assert client.error("POST", f"{PREFIX}/namespaces/none/views", json=creation())[:2] == (404, type_)


def test_a_name_that_is_taken_is_409(client: RestClient, view_uuid: str) -> None:
    client.catalog.metastore.create_row(table_row("sales", "clicks"))
    status, type_, message = client.error("POST", VIEWS, json=creation())
    assert (status, type_) == (409, "AlreadyExistsException")
    assert message.startswith("View already exists: sales.daily")
    message = client.error("POST", VIEWS, json=creation("clicks"))[2]
    assert message.startswith("Table with same name already exists: sales.clicks")
    assert client.catalog.load_view(NAME).uuid == view_uuid


def test_a_replaced_view_has_a_version_more(client: RestClient, view_uuid: str) -> None:
    answer = client.post(VIEW, json=replacement(view_uuid, "SELECT 1 AS id, 'x' AS ds"))
    assert answer.status_code == 200
    metadata = answer.json()["metadata"]
    assert metadata["current-version-id"] == 2
    assert [one["version-id"] for one in metadata["versions"]] == [1, 2]


def test_what_a_client_adds_is_meant_whatever_id_it_gives_it(client: RestClient, view_uuid: str) -> None:
    client.post(VIEW, json=replacement(view_uuid, "SELECT 2 AS id, 'x' AS ds"))
    # By now 2 is another version, and 1 may be another schema.
    columns = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "n", "required": False, "type": "long"}]}
    body = {
        "updates": [
            {"action": "add-schema", "schema": columns},
            {
                "action": "add-view-version",
                "view-version": version("SELECT 3L AS n", **{"version-id": 2, "schema-id": 0}),
            },
            {"action": "set-current-view-version", "view-version-id": 2},
        ]
    }
    assert client.post(VIEW, json=body).status_code == 200
    view = client.catalog.load_view(NAME)
    assert view.current_version.version_id == 3
    assert view.schema.names == ("n",) or list(view.schema.names) == ["n"]


def test_properties_and_location_of_a_client(client: RestClient, view_uuid: str) -> None:
    body = {
        "requirements": [{"type": "assert-view-uuid", "uuid": view_uuid.upper()}],
        "updates": [
            {"action": "assign-uuid", "uuid": view_uuid},
            {"action": "upgrade-format-version", "format-version": 1},
            {"action": "set-location", "location": "memory://elsewhere/daily"},
            {"action": "set-properties", "updates": {"a": "1"}},
            {"action": "remove-properties", "removals": ["team", "not set"]},
        ],
    }
    assert client.post(VIEW, json=body).status_code == 200
    view = client.catalog.load_view(NAME)
    assert (view.location, view.properties) == ("memory://elsewhere/daily", {"a": "1"})


@pytest.mark.parametrize("location", ["no place", "~/views", "./views", "views/daily"])
def test_a_location_that_only_the_server_would_understand_is_400(
    client: RestClient, view_uuid: str, location: str
) -> None:
    replaced = {"updates": [{"action": "set-location", "location": location}]}
    for url, body in (
        (VIEWS, {**creation("other"), "location": location}),
        (VIEW, replaced),
        (f"{PREFIX}/namespaces", {"namespace": ["other"], "properties": {"location": location}}),
    ):
        status, type_, message = client.error("POST", url, json=body)
        assert (status, type_) == (400, "IllegalArgumentException")
        assert "a URI or an absolute path" in message
    assert client.head(f"{VIEWS}/other").status_code == client.head(f"{PREFIX}/namespaces/other").status_code == 404


def test_a_client_may_send_all_properties_that_it_has_read(client: RestClient, view_uuid: str) -> None:
    read = client.get(VIEW).json()["metadata"]["properties"]
    updates = [{"action": "set-properties", "updates": {**read, "more": "1"}}]
    assert client.post(VIEW, json={"updates": updates}).status_code == 200
    assert client.catalog.load_view(NAME).properties == {"team": "web", "more": "1"}


@pytest.mark.parametrize("name", ["hive-views.incarnation", "spark.sql.create.version", "metadata_location"])
def test_properties_with_a_meaning_in_the_row_are_400(client: RestClient, view_uuid: str, name: str) -> None:
    for updates in (
        [{"action": "set-properties", "updates": {name: "x"}}],
        [{"action": "remove-properties", "removals": ["hive-views.incarnation"]}],
    ):
        status, type_, message = client.error("POST", VIEW, json={"updates": updates})
        assert (status, type_) == (400, "IllegalArgumentException")
        assert "have a meaning of their own" in message


def test_another_view_of_the_name_is_409(client: RestClient, view_uuid: str) -> None:
    client.catalog.drop_view(NAME)
    client.post(VIEWS, json=creation())
    status, type_, message = client.error("POST", VIEW, json=replacement(view_uuid, "SELECT 1 AS id, '' AS ds"))
    assert (status, type_) == (409, "CommitFailedException")
    assert view_uuid in message
    assert len(client.catalog.load_view(NAME).versions) == 1


def test_a_dialect_is_not_dropped(client: RestClient, view_uuid: str) -> None:
    client.catalog.alter_view(NAME, sql={"trino": "SELECT id, ds FROM clicks"})
    status, _, message = client.error("POST", VIEW, json=replacement(view_uuid, "SELECT 1 AS id, '' AS ds"))
    assert status == 400
    assert "trino" in message
    allowed = [{"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}]
    body = replacement(view_uuid, "SELECT 1 AS id, '' AS ds")
    assert client.post(VIEW, json={**body, "updates": [*allowed, *body["updates"]]}).status_code == 200


def test_a_partitioned_view_keeps_keys_and_partitions(client: RestClient) -> None:
    client.catalog.create_view(
        NAME,
        sql={"spark": "SELECT id, ds FROM clicks"},
        schema=[("id", "int"), ("ds", "varchar(7)")],
        partitioned_on=["ds"],
    )
    client.catalog.partitions(NAME).add([{"ds": "1"}])
    uuid = client.catalog.load_view(NAME).uuid
    assert client.post(VIEW, json=replacement(uuid, "SELECT id, ds FROM more")).status_code == 200
    view = client.catalog.load_view(NAME)
    assert view.partitioned_on == ("ds",)
    assert [(key.name, key.type) for key in view.row.partition_keys] == [("ds", "varchar(7)")]
    columns = {**SCHEMA, "fields": list(reversed(SCHEMA["fields"]))}
    body = {
        "updates": [
            {"action": "add-schema", "schema": columns},
            {"action": "add-view-version", "view-version": version("SELECT ds, id FROM more", **{"schema-id": -1})},
            {"action": "set-current-view-version", "view-version-id": -1},
        ]
    }
    status, type_, message = client.error("POST", VIEW, json=body)
    assert (status, type_) == (409, "CommitFailedException")
    assert "partitioned on (ds)" in message
    assert client.catalog.partitions(NAME).names() == ["ds=1"]


def test_drift_is_409_with_what_was_found_unless_it_is_to_be_adopted() -> None:
    metastore = MemoryMetastore()
    client = rest_client(metastore)
    uuid = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    metastore.swap_row(spark_set_properties(metastore.load_row(NAME), comment="by Spark"), expected=None)
    status, type_, message = client.error("POST", VIEW, json=replacement(uuid, "SELECT 1 AS id, '' AS ds"))
    assert (status, type_) == (409, "CommitFailedException")
    assert "by Spark" in message
    assert "`hive-views repair sales.daily --on-drift adopt`" in message
    assert "on_drift=" not in message
    adopting = rest_client(metastore, on_drift="adopt", warehouse=client.catalog.warehouse)
    assert adopting.post(VIEW, json=replacement(uuid, "SELECT 1 AS id, '' AS ds")).status_code == 200
    assert adopting.catalog.load_view(NAME).comment == "by Spark"


def test_a_view_that_a_foreign_writer_has_replaced_is_none(client: RestClient, view_uuid: str) -> None:
    metastore = client.catalog.metastore
    replaced = spark_create_or_replace(metastore.load_row(NAME), "SELECT 1 AS id")
    metastore.drop_row(NAME)
    metastore.create_row(replaced)
    assert client.get(VIEW).status_code == 404


def test_a_renamed_view_and_what_stands_in_its_way(client: RestClient, view_uuid: str) -> None:
    client.post(VIEWS, json=creation("taken"))

    def body(source: str, to: str) -> dict[str, object]:
        namespace, _, name = to.rpartition(".")
        return {
            "source": {"namespace": ["sales"], "name": source},
            "destination": {"namespace": [namespace], "name": name},
        }

    url = f"{PREFIX}/views/rename"
    assert client.error("POST", url, json=body("daily", "sales.taken"))[1:] == (
        "AlreadyExistsException",
        "Cannot rename sales.daily to sales.taken. View already exists.",
    )
    assert client.error("POST", url, json=body("daily", "none.daily"))[:2] == (404, "NoSuchNamespaceException")
    assert client.error("POST", url, json=body("none", "sales.new"))[:2] == (404, "NoSuchViewException")
    assert client.post(url, json=body("daily", "sales.new")).status_code == 204
    assert client.catalog.load_view("sales.new").uuid == view_uuid


def test_a_dropped_view_leaves_its_files_and_can_be_registered(client: RestClient, view_uuid: str) -> None:
    location = client.catalog.load_view(NAME).metadata_location
    assert client.delete(VIEW).status_code == 204
    assert client.delete(VIEW).status_code == 404
    url, body = f"{PREFIX}/namespaces/sales/register-view", {"name": "again", "metadata-location": location}
    assert client.post(url, json=body).json()["metadata"]["view-uuid"] == view_uuid
    assert client.error("POST", url, json=body)[:2] == (409, "AlreadyExistsException")
    assert client.post(url, json={**body, "overwrite": True}).status_code == 200


# -- what is certain -------------------------------------------------------------------------------------------------


def test_a_metastore_that_is_away_is_503_for_readers_and_4xx_for_a_write_that_was_not_sent() -> None:
    def away(verb: str) -> None:
        if is_away:
            raise MetastoreUnavailableError(f"No answer to {verb}.", answer=Answer.NOT_SENT)

    is_away = False
    client = rest_client(MemoryMetastore(on_call=away))
    uuid = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    is_away = True
    assert client.error("GET", VIEW)[:2] == (503, "ServiceUnavailableException")
    assert client.error("GET", VIEWS)[0] == 503
    for method, url, body in (
        ("POST", VIEW, replacement(uuid, "SELECT 1 AS id, '' AS ds")),
        ("POST", VIEWS, creation("other")),
        ("DELETE", VIEW, None),
    ):
        status, _, message = client.error(method, url, json=body)
        assert status == 424
        assert "This attempt changed nothing" in message


def test_an_unknown_outcome_is_500_and_its_repetition_tells() -> None:
    fails = False

    def lose(verb: str) -> None:
        nonlocal fails
        if fails and verb == "swap_row":
            raise MetastoreUnavailableError("No answer.", answer=Answer.NONE)

    client = rest_client(MemoryMetastore(on_call=lose))
    uuid = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
    fails = True
    sent, body = key(), replacement(uuid, "SELECT 1 AS id, '' AS ds")
    status, type_, message = client.error("POST", VIEW, json=body, headers=sent)
    assert (status, type_, "hive.txn.timeout" in message) == (500, "CommitStateUnknownException", True)
    fails = False
    assert client.post(VIEW, json=body, headers=sent).status_code == 200
    assert len(client.catalog.load_view(NAME).versions) == 2


def test_a_view_whose_file_is_lost_is_not_there_for_readers_and_422_for_writers(
    client: RestClient, view_uuid: str
) -> None:
    metastore = client.catalog.metastore
    row = metastore.load_row(NAME)
    lost = f"{row.parameters[POINTER].rpartition('/')[0]}/00009-gone.gz.metadata.json"
    metastore.swap_row(replace(row, parameters={**row.parameters, POINTER: lost}), expected=None)
    status, type_, message = client.error("GET", VIEW)
    assert (status, type_) == (404, "NotFoundException")
    assert "View cannot be loaded: sales.daily." in message
    assert lost in message
    assert client.error("POST", VIEWS, json=creation())[0] == 409
    assert client.error("POST", VIEW, json=replacement(view_uuid, "SELECT 1 AS id, '' AS ds"))[0] == 422


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (None, "the body"),
        ([], "the body"),
        ({"updates": [{"action": "fly"}]}, "updates.0"),
        ({"updates": [{"action": "add-view-version", "view-version": {}}]}, "updates.0.add-view-version.view-version"),
        ({"requirements": [{"type": "assert-create"}], "updates": []}, "requirements.0"),
        ({"requirements": [], "updates": {}}, "updates"),
    ],
)
def test_a_body_that_cannot_be_read_names_the_place(
    client: RestClient, view_uuid: str, body: object, place: str
) -> None:
    status, type_, message = client.error("POST", VIEW, json=body)
    assert (status, type_) == (400, "IllegalArgumentException")
    assert f"at {place}" in message


def test_a_namespace_of_two_levels_is_none(client: RestClient) -> None:
    assert client.error("GET", f"{PREFIX}/namespaces/a%1Fb/views")[:2] == (404, "NoSuchNamespaceException")
    body = creation(**{"default-namespace": ["a", "b"]})
    assert client.error("POST", VIEWS, json=body)[0] == 400


# -- what plain readers get ------------------------------------------------------------------------------------------


def test_a_trino_text_alone_is_a_row_in_trinos_own_form(client: RestClient) -> None:
    client.post(VIEWS, json=creation(dialect="trino"))
    row = client.catalog.load_view(NAME).row
    assert row.parameters["presto_view"] == "true"
    assert (row.original_text or "").startswith("/* Presto View: ")


@pytest.mark.parametrize(
    "given",
    [{"dialect": "duckdb"}, {"default-catalog": "ice"}, {"sql": "SELECT id, ds FROM (FROM clicks) |> WHERE TRUE"}],
    ids=["in another dialect", "with names in another catalog", "that nobody here can read"],
)
def test_a_text_that_plain_readers_would_misread_fails_there_and_says_why(
    client: RestClient, given: dict[str, str]
) -> None:
    assert client.post(VIEWS, json=creation(**given)).status_code == 200
    view = client.catalog.load_view(NAME)
    assert view.row.expanded_text == UNREADABLE_TEXT
    assert [column.name for column in view.row.columns] == ["id", "ds"]
    assert view.differences == ()


def test_names_in_full_are_read_alike_by_everybody(client: RestClient) -> None:
    sql = "SELECT id, ds FROM spark_catalog.sales.clicks"
    client.post(VIEWS, json=creation(sql=sql, **{"default-catalog": "ice"}))
    assert client.catalog.load_view(NAME).row.expanded_text == "SELECT id AS `id`, ds AS `ds` FROM `sales`.`clicks`"
