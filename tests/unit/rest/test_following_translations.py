"""Texts that are translated from one that a client of the REST server changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.persisted import STALE_DIALECTS, TRANSLATED
from hive_views.views.view import View
from tests.support.processes.rest_client import SCHEMA, VIEW, RestClient, replacement
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import NAME

OLD = "SELECT id, ds FROM clicks"
NEW = "SELECT id, upper(ds) AS ds FROM clicks"
REFUSED = "SELECT id, my_udf(ds) AS ds FROM clicks"


@pytest.fixture
def view(client: RestClient, view_uuid: str) -> View:
    """A view that a client has created with ``spark`` SQL, of which there are translations now."""
    columns = (Column("id", "int"), Column("ds", "string"))
    client.catalog.metastore.create_row(replace(table_row("sales", "clicks"), columns=columns))
    return client.catalog.alter_view(NAME, translate={"trino": "spark", "hive": "spark"})


def send(client: RestClient, view: View, schema: dict[str, Any] | None = None, **sql: str) -> dict[str, Any]:
    """The client sends these texts, as one that has read the others and sends them as they were, or leaves them out."""
    texts = [{"type": "sql", "sql": text, "dialect": dialect} for dialect, text in sql.items()]
    body = replacement(view.metadata.view_uuid, "", representations=texts, **({"schema-id": -1} if schema else {}))
    if schema:
        body["updates"].insert(0, {"action": "add-schema", "schema": schema})
    answer = client.post(VIEW, json=body)
    assert answer.status_code == 200, answer.json()
    return dict(answer.json())


def as_read(view: View, dialect: str) -> str:
    text = view.current_version.sql_in(dialect)
    assert text is not None
    return text.sql


def test_texts_that_a_client_leaves_out_follow_the_one_that_it_changes(client: RestClient, view: View) -> None:
    answer = send(client, view, spark=NEW)
    changed = client.catalog.load_view(NAME)
    assert sorted(changed.dialects) == ["hive", "spark", "trino"]
    assert 'upper("clicks"."ds")' in as_read(changed, "trino")
    assert changed.original_sql("hive") == NEW
    assert "`sales`.`clicks`" in str(client.catalog.metastore.load_row(NAME).expanded_text)
    assert (changed.stale_dialects, changed.differences, sorted(changed.translations)) == ((), (), ["hive", "trino"])
    assert STALE_DIALECTS not in answer["config"]
    summary = changed.current_version.summary
    assert answer["config"] == {TRANSLATED + one: summary[TRANSLATED + one] for one in ("hive", "trino")}


def test_texts_that_a_client_sends_as_it_has_read_them_follow_too(client: RestClient, view: View) -> None:
    send(client, view, spark=NEW, trino=as_read(view, "trino"), hive=as_read(view, "hive"))
    changed = client.catalog.load_view(NAME)
    assert ('upper("clicks"."ds")' in as_read(changed, "trino"), changed.original_sql("hive")) == (True, NEW)
    assert (changed.stale_dialects, sorted(changed.translations)) == ((), ["hive", "trino"])


def test_nothing_changes_with_the_same_texts(client: RestClient, view: View) -> None:
    send(client, view, spark=OLD, trino=as_read(view, "trino"), hive=as_read(view, "hive"))
    again = client.catalog.load_view(NAME)
    assert (again.original_sql("hive"), sorted(again.translations)) == (OLD, ["hive", "trino"])
    assert (again.stale_dialects, as_read(again, "trino")) == ((), as_read(view, "trino"))


def test_other_columns_are_those_of_the_translations(client: RestClient, view: View) -> None:
    fields = [{**SCHEMA["fields"][0], "name": "key"}, SCHEMA["fields"][1]]  # type: ignore[index]
    send(client, view, {**SCHEMA, "fields": fields}, spark=OLD)
    changed = client.catalog.load_view(NAME)
    assert '"clicks"."id" AS "key"' in as_read(changed, "trino")


def test_a_translation_that_is_refused_is_stale(client: RestClient, view: View) -> None:
    answer = send(client, view, spark=REFUSED, trino=as_read(view, "trino"), hive=as_read(view, "hive"))
    assert answer["config"][STALE_DIALECTS] == '["hive", "trino"]'
    changed = client.catalog.load_view(NAME)
    assert as_read(changed, "trino") == as_read(view, "trino")
    send(client, view, spark=NEW, trino=as_read(view, "trino"), hive=as_read(view, "hive"))
    assert client.catalog.load_view(NAME).stale_dialects == ()


def test_a_translation_that_a_client_leaves_out_and_is_refused_stays_and_is_stale(
    client: RestClient, view: View
) -> None:
    assert send(client, view, spark=REFUSED)["config"][STALE_DIALECTS] == '["hive", "trino"]'
    changed = client.catalog.load_view(NAME)
    assert (as_read(changed, "trino"), changed.original_sql("hive")) == (as_read(view, "trino"), OLD)


def test_a_text_that_a_client_gives_is_no_translation_any_more(client: RestClient, view: View) -> None:
    # What a client says of it is not believed.
    given = 'SELECT "id", \'x\' AS "ds" FROM "clicks"'
    texts = {"spark": NEW, "trino": given, "hive": as_read(view, "hive")}
    body = replacement(
        view.metadata.view_uuid,
        "",
        representations=[{"type": "sql", "sql": text, "dialect": dialect} for dialect, text in texts.items()],
        summary={"engine-name": "spark", TRANSLATED + "trino": view.current_version.summary[TRANSLATED + "trino"]},
    )
    assert client.post(VIEW, json=body).status_code == 200
    changed = client.catalog.load_view(NAME)
    assert (as_read(changed, "trino"), list(changed.translations), changed.stale_dialects) == (given, ["hive"], ())


@pytest.mark.parametrize(("tables", "moves"), [("clicks", False), ("sales.clicks", True)])
def test_a_view_whose_tables_are_those_of_its_database_is_not_moved_from_its_translations(
    client: RestClient, view: View, tables: str, moves: bool
) -> None:
    """Where a client says no default namespace, SQL without names of databases reads those of the view's own."""
    body = replacement(view.uuid, f"SELECT id, lower(ds) AS ds FROM {tables}", "spark", **{"default-namespace": []})
    assert client.post(VIEW, json=body).status_code == 200
    catalog = client.catalog
    catalog.create_namespace("web")
    assert (catalog.load_view(NAME).stale_dialects, sorted(catalog.load_view(NAME).translations)) == (
        (),
        ["hive", "trino"],
    )
    assert catalog.rename_view(NAME, "sales.other").stale_dialects == ()
    if moves:
        assert catalog.rename_view("sales.other", "web.daily").stale_dialects == ()
        return
    with pytest.raises(UnsupportedFeatureError, match="its hive and trino SQL is translated and names tables of sales"):
        catalog.rename_view("sales.other", "web.daily")
    catalog.replace_view("sales.other", sql={"spark": "SELECT id, ds FROM sales.clicks"})
    assert catalog.rename_view("sales.other", "web.daily").uuid == view.uuid
