"""The query of a row, as its engine reads it, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from hive_views.errors import InvalidInputError
from hive_views.hive.row import Row
from hive_views.views.changes.adopted_row import adopted
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.row.dependencies import read_by
from hive_views.views.row.row_text import Part, dialect_of, text_of
from hive_views.views.row.trino_view import text_with
from tests.support.views import foreign_writers
from tests.support.views.quick_catalog import NAME
from tests.unit.views.row.daily_row import TEXT, metadata_of, row_of

METADATA = metadata_of()
ROW = row_of(METADATA)
DOCUMENT = {"originalSql": "SELECT a FROM t", "columns": [{"name": "a", "type": "integer"}]}
TRINO = {"presto_view": "true", "comment": "Presto View"}


def plain_row(text: str | None, **parameters: str) -> Row:
    return Row(NAME, "VIRTUAL_VIEW", original_text=text, expanded_text=text, parameters=parameters)


def test_the_dialect_and_namespace_of_a_row_are_read_as_spark_reads_them() -> None:
    ours = text_of(ROW)
    assert (ours.dialect, ours.namespace, ours.unread) == ("hive", ("sales",), {})
    columns = (*ROW.columns, *ROW.partition_keys)
    altered = text_of(foreign_writers.spark_alter_view_as(ROW, TEXT, columns, session_database="web"))
    assert (altered.dialect, altered.namespace) == ("spark", ("web",))
    assert text_of(replace(ROW, parameters={})).namespace == ("sales",)


def test_a_text_of_hive_in_a_row_whose_properties_spark_has_set_is_of_hive() -> None:
    row = plain_row("SELECT 1", **{"spark.sql.create.version": "2.2 or prior", "spark.sql.sources.schema": "{}"})
    assert dialect_of(row) == "hive"


def test_names_in_a_view_of_spark_2_resolve_in_the_database_of_its_session() -> None:
    row = plain_row("SELECT a FROM t", **{"spark.sql.create.version": "2.4.8", "view.default.database": "web"})
    assert [str(name) for name in read_by(row)] == ["web.t"]


UNREAD: dict[str, tuple[Row, Mapping[Part, str]]] = {
    "no text": (plain_row(None), {"text": "it has no text"}),
    "a namespace without its parts": (
        plain_row("SELECT 1", **{"view.catalogAndNamespace.numParts": "2"}),
        {"namespace": "view.catalogAndNamespace.numParts = 2"},
    ),
    "columns of the query without their names": (
        plain_row("SELECT 1", **{"spark.sql.create.version": "3.5.8", "view.query.out.numCols": "1"}),
        {"query columns": "view.query.out.numCols = 1"},
    ),
    "a document of Trino that is cut off": (plain_row("/* Presto View: e30=", **TRINO), {"text": "is cut off"}),
    "a document of Trino that nobody reads": (
        plain_row(text_with(DOCUMENT), presto_view="true"),
        {"text": "without the comment"},
    ),
}


@pytest.mark.parametrize("damage", UNREAD)
def test_what_cannot_be_read_of_a_row_is_told_and_refused_only_where_it_is_needed(damage: str) -> None:
    row, unread = UNREAD[damage]
    text = text_of(row)
    assert text.unread.keys() == unread.keys()
    assert text.namespace == (NAME.namespace,)
    others: set[Part] = {"text", "namespace", "query columns"}
    assert text.need(*(others - unread.keys())) is text
    for part, reason in unread.items():
        with pytest.raises(ValueError, match=reason):
            text.need(part)


def test_a_row_in_trinos_form_does_not_become_the_text_for_hive_of_a_view() -> None:
    row = replace(ROW, original_text=text_with(DOCUMENT), expanded_text="/* Presto View */")
    row = replace(row, parameters={**row.parameters, **TRINO})
    with pytest.raises(InvalidInputError, match="in Trino's own format"):
        adopted(METADATA, row, 1, Claims())


@pytest.mark.parametrize("parameters", [TRINO, {"presto_view": "true"}], ids=["with the comment", "without it"])
def test_a_row_in_trinos_form_that_hive_has_altered_is_read_and_adopted_as_hive_reads_it(
    parameters: Mapping[str, str],
) -> None:
    # Hive's ALTER VIEW AS keeps the parameters.
    row = foreign_writers.hive_create_or_replace(ROW, f"{TEXT} LIMIT 1")
    row = replace(row, parameters={**row.parameters, **parameters})
    assert read_by(row) == read_by(ROW)
    (*_, version) = adopted(METADATA, row, 1, Claims()).versions
    assert "LIMIT 1" in version.sql_in("hive").sql  # type: ignore[union-attr]  # it is there
