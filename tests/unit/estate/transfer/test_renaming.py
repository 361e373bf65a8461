"""The rows of plain views with other names of databases, as engines would have made them there."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from hive_views.errors import InvalidInputError
from hive_views.estate.transfer.renaming import plain_with_other_namespaces
from hive_views.sql.namespaces import unknown_catalog
from hive_views.views.row.trino_view import document_in, text_with
from tests.support.plain_rows import LAKE, VIEWS, PlainView, plain_view, plain_views

NAMES = {VIEWS: "other_views", LAKE: "other_lake"}


# No parser here reads its pipes.
UNREADABLE = plain_view("spark-4.1.4", "pipes")
READABLE = [view for view in plain_views("hive", "spark") if view != UNREADABLE]


@pytest.mark.parametrize("view", READABLE, ids=lambda view: view.id)
def test_a_plain_view_is_as_its_engine_would_have_made_it_in_the_other_databases(view: PlainView) -> None:
    wanted = view.moved(NAMES[VIEWS], NAMES[LAKE]).row
    assert replace(plain_with_other_namespaces(view.row, NAMES), native=None) == replace(wanted, native=None)


@pytest.mark.parametrize("view", plain_views("trino"), ids=lambda view: view.id)
def test_the_document_of_trino_names_the_other_databases(view: PlainView) -> None:
    row = plain_with_other_namespaces(view.row, NAMES)
    before, after = document_in(view.row.original_text), document_in(row.original_text)
    text = json.dumps(before)
    for old, new in NAMES.items():
        text = re.sub(rf"\b{old}\b", new, text)
    assert after == json.loads(text)
    assert row.identifier.namespace == NAMES[VIEWS]


def test_a_plain_view_whose_text_cannot_be_read_is_refused() -> None:
    row = plain_views("hive")[0].row
    for broken in (
        UNREADABLE.row,
        replace(row, expanded_text=f"SELECT FROM WHERE {LAKE}.t"),
        replace(row, parameters={"presto_view": "true"}, original_text="/* Presto View: e30= */"),
    ):
        with pytest.raises(InvalidInputError, match="Cannot replace the names of databases"):
            plain_with_other_namespaces(broken, NAMES)
        assert plain_with_other_namespaces(broken, {}) == broken


def test_a_plain_view_whose_names_are_in_another_catalog_is_refused_unless_that_is_the_metastore() -> None:
    row = plain_views("trino")[0].row
    document = {"originalSql": f"SELECT a FROM t JOIN lake.{LAKE}.u", "columns": [], "catalog": "lake", "schema": LAKE}
    row = replace(row, original_text=text_with(document))
    with pytest.raises(InvalidInputError) as error:
        plain_with_other_namespaces(row, NAMES)
    assert error.value.remedy == unknown_catalog("lake")
    renamed = document_in(plain_with_other_namespaces(row, NAMES, ["Lake"]).original_text)
    assert (renamed["originalSql"], renamed["schema"]) == ("SELECT a FROM t JOIN lake.other_lake.u", "other_lake")
