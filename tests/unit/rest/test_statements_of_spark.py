"""What Iceberg's Spark sends for its statements, and what plain readers get of it."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.spec.updates import SetCurrentViewVersion, apply_updates
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.row.star_columns import SPARK_COLUMNS, star_columns
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, key, version
from tests.support.views.quick_catalog import NAME

PAIRS = [("b", "string"), ("a", "string")]


def schema(*columns: tuple[str, str]) -> dict[str, Any]:
    fields = [
        {"id": number, "name": name, "required": False, "type": type_} for number, (name, type_) in enumerate(columns)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def create(client: RestClient, sql: str, said: str, columns: list[tuple[str, str]] = PAIRS) -> None:
    """``CREATE VIEW sales.daily (columns) AS sql``; ``said`` is what the columns of the query are called."""
    body = {**creation(sql=sql, **{"schema-id": 0}), "schema": schema(*columns), "properties": {SPARK_COLUMNS: said}}
    assert client.post(VIEWS, json=body, headers=key()).status_code == 200


def replace(client: RestClient, sql: str, said: str, columns: list[tuple[str, str]] = PAIRS) -> None:
    """``CREATE OR REPLACE VIEW sales.daily (columns) AS sql``."""
    updates = [
        {"action": "set-properties", "updates": {SPARK_COLUMNS: said}},
        {"action": "add-schema", "schema": schema(*columns)},
        {"action": "add-view-version", "view-version": version(sql, **{"schema-id": -1})},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]
    answer = client.post(VIEW, json={"updates": updates}, headers=key())
    assert answer.status_code == 200, answer.text


def text_of_row(client: RestClient) -> str | None:
    view = client.catalog.load_view(NAME)
    assert view.differences == ()
    return view.row.expanded_text


class TestColumnsThatAStarHides:
    """Iceberg names them by position, and a row by name: swapped, they would be read as each other."""

    @pytest.mark.parametrize(
        ("sql", "said", "inner"),
        [
            ("SELECT * FROM pairs", "a,b", "SELECT * FROM `sales`.`pairs`"),
            ("SELECT p.* FROM pairs p", "a,b", "SELECT p.* FROM `sales`.`pairs` p"),
            ("SELECT * FROM pairs UNION SELECT b, a FROM pairs", "a,b", None),
        ],
    )
    def test_are_taken_by_their_own_names(self, client: RestClient, sql: str, said: str, inner: str | None) -> None:
        create(client, sql, said)
        text = text_of_row(client) or ""
        assert text.startswith("SELECT `a` AS `b`, `b` AS `a` FROM (")
        assert inner is None or text.endswith(f"FROM ({inner}) `daily`")

    def test_beside_others(self, client: RestClient) -> None:
        create(client, "SELECT *, 1 AS c FROM pairs", "a,b,c", [*PAIRS, ("d", "int")])
        assert text_of_row(client) == (
            "SELECT `a` AS `b`, `b` AS `a`, `c` AS `d` FROM (SELECT *, 1 AS c FROM `sales`.`pairs`) `daily`"
        )

    @pytest.mark.parametrize("said", ["x,y,b", "id,id", "a"], ids=["a comma in a name", "one name twice", "too few"])
    def test_whose_names_are_not_certain_fail_in_plain_readers(self, client: RestClient, said: str) -> None:
        create(client, "SELECT * FROM pairs p JOIN pairs q", said)
        assert text_of_row(client) == UNREADABLE_TEXT

    def test_keep_them_when_a_version_comes_back_and_when_a_text_is_added(self, client: RestClient) -> None:
        create(client, "SELECT * FROM pairs", "a,b")
        first = text_of_row(client)
        replace(client, "SELECT * FROM others", "x,y")
        assert text_of_row(client) == "SELECT `x` AS `b`, `y` AS `a` FROM (SELECT * FROM `sales`.`others`) `daily`"
        client.catalog.roll_back_view(NAME, to_version=1)
        assert text_of_row(client) == first
        client.catalog.alter_view(NAME, sql={"trino": "SELECT a AS b, b AS a FROM pairs"})
        assert text_of_row(client) == first

    def test_keep_them_when_a_client_sends_the_same_text_again(self, client: RestClient) -> None:
        create(client, "SELECT * FROM pairs", "a,b")
        updates = [
            {"action": "add-schema", "schema": schema(("c", "string"), ("d", "string"))},
            {"action": "add-view-version", "view-version": version("SELECT * FROM pairs", **{"schema-id": -1})},
            {"action": "set-current-view-version", "view-version-id": -1},
        ]
        assert client.post(VIEW, json={"updates": updates}).status_code == 200
        assert text_of_row(client) == "SELECT `a` AS `c`, `b` AS `d` FROM (SELECT * FROM `sales`.`pairs`) `daily`"

    def test_are_called_as_the_schema_says_by_default(self, client: RestClient) -> None:
        client.post(VIEWS, json=creation(sql="SELECT * FROM clicks"))
        assert text_of_row(client) == "SELECT `id` AS `id`, `ds` AS `ds` FROM (SELECT * FROM `sales`.`clicks`) `daily`"

    def test_of_a_view_that_iceberg_java_made_are_known_while_its_version_is_the_newest(
        self, client: RestClient
    ) -> None:
        create(client, "SELECT a, b FROM pairs", "a,b")
        replace(client, "SELECT b, a FROM pairs", "p,q")
        theirs = client.catalog.load_view(NAME).metadata
        assert star_columns(theirs) == ("p", "q")
        assert star_columns(apply_updates(theirs, [SetCurrentViewVersion(1)], now_ms=0)) == ()


class TestTypesOfHive:
    @pytest.fixture
    def typed(self, client: RestClient) -> RestClient:
        client.catalog.create_view(
            NAME,
            sql={"spark": "SELECT tiny, code, ds FROM clicks"},
            schema=[("tiny", "tinyint"), ("code", "varchar(7)"), ("ds", "varchar(5)")],
            partitioned_on=["ds"],
        )
        client.catalog.partitions(NAME).add([{"ds": "1"}])
        return client

    @pytest.mark.parametrize(
        ("sql", "tiny"),
        [
            ("SELECT tiny, code, ds FROM more", "tinyint"),
            ("SELECT CAST(tiny AS TINYINT) AS tiny, 'x' AS code, ds FROM more", "tinyint"),
            ("SELECT 1000 AS tiny, code, 'a long text' AS ds FROM more", "int"),
            ("SELECT CAST(tiny AS INT) AS tiny, code, ds FROM more", "int"),
            ("SELECT * FROM more", "tinyint"),
            ("FROM more |> SELECT tiny, code, ds", "tinyint"),
        ],
    )
    def test_stay_where_the_new_text_may_fit_into_them(self, typed: RestClient, sql: str, tiny: str) -> None:
        replace(typed, sql, "tiny,code,ds", [("tiny", "int"), ("code", "string"), ("ds", "string")])
        row = typed.catalog.load_view(NAME).row
        assert [column.type for column in row.columns] == [tiny, "varchar(7)"]
        assert [column.type for column in row.partition_keys] == ["varchar(5)"]
        assert typed.catalog.partitions(NAME).names() == ["ds=1"]


def test_a_name_in_front_of_which_a_namespace_is_missing_is_not_there(client: RestClient) -> None:
    """Spark asks so for ``t.files`` where its current catalog is this one."""
    status, type_, message = client.error("GET", f"{PREFIX}/namespaces//tables/t")
    assert (status, type_) == (404, "NoSuchTableException")
    assert message.startswith("Table does not exist: .t")
