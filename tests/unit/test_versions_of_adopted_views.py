"""What a version of an adopted view says after others have changed it: every text goes on meaning what it meant.

What lives here: sessions of Spark, name spaces and catalogs of texts, owners. What must not: how a view is adopted, and
that its row stays (test_plain_rows_adopted.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, ViewDriftedError
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests import foreign_writers
from tests.unit.quick_catalog import catalog_on

NAME = TableIdentifier("sales", "daily")
ANSI = "view.sqlConfig.spark.sql.ansi.enabled"
ZONE = "view.sqlConfig.spark.sql.session.timeZone"


@pytest.fixture
def catalog() -> ViewCatalog:
    return catalog_on(MemoryMetastore())


def spark_row(text: str = "SELECT a FROM t", *where: str, **changes: Any) -> Row:
    """As Spark writes it in a catalog and a database."""
    parts = where or ("spark_catalog", "sales")
    parameters = {
        "spark.sql.create.version": "3.5.8",
        "view.catalogAndNamespace.numParts": str(len(parts)),
        **{f"view.catalogAndNamespace.part.{number}": part for number, part in enumerate(parts)},
        "view.query.out.numCols": "1",
        "view.query.out.col.0": "a",
        ANSI: "true",
        ZONE: "Asia/Tokyo",
    }
    return Row(
        NAME,
        "VIRTUAL_VIEW",
        owner="ann",
        columns=(Column("a", "int"),),
        original_text=text,
        expanded_text=text,
        parameters=parameters,
        **changes,
    )


def adopted(catalog: ViewCatalog, row: Row) -> View:
    catalog.metastore.create_row(row)
    return catalog.adopt_view(row.identifier)


def changed_by_spark(catalog: ViewCatalog, text: str | None = None, without: str = "", **parameters: str) -> Row:
    """``ALTER VIEW ... AS`` by the Spark that made the view, in another session; the row that it leaves."""
    row = catalog.metastore.load_row(NAME)
    said = {key: value for key, value in row.parameters.items() if key != without}
    text = text or str(row.expanded_text)
    changed = replace(row, original_text=text, expanded_text=text, parameters={**said, **parameters})
    catalog.metastore.swap_row(changed, expected=None)
    return changed


def spark_says(row: Row) -> dict[str, str]:
    return {key: value for key, value in row.parameters.items() if key.startswith(("view.", "spark.sql."))}


# -- the session of Spark --------------------


@pytest.mark.parametrize("setting", [ANSI, ZONE, "spark.sql.create.version", "view.query.out.numCols"])
def test_what_spark_does_not_say_any_more_is_a_change_and_is_not_put_back(catalog: ViewCatalog, setting: str) -> None:
    adopted(catalog, spark_row())
    changed = changed_by_spark(catalog, without=setting)
    assert [one.kind for one in catalog.load_view(NAME).differences] == ["drifted"]
    with pytest.raises(ViewDriftedError, match="found nothing"):
        catalog.alter_view(NAME, set_properties={"team": "growth"})
    view = catalog.alter_view(NAME, set_properties={"team": "growth"}, on_drift="adopt")
    assert spark_says(catalog.metastore.load_row(NAME)) == spark_says(changed)
    assert (view.current_version.version_id, catalog.load_view(NAME).differences) == (2, ())


def test_iceberg_java_leaves_out_what_spark_says_and_means_nothing_by_it(catalog: ViewCatalog) -> None:
    before = adopted(catalog, spark_row()).row
    foreign_writers.java_commit(catalog.metastore, catalog.storage, NAME)
    row = catalog.metastore.load_row(NAME)
    bare = {key: value for key, value in row.parameters.items() if not key.startswith("view.")}
    catalog.metastore.swap_row(replace(row, parameters=bare), expected=None)
    assert {one.kind for one in catalog.load_view(NAME).differences} == {"needs repair"}
    catalog.repair_view(NAME)
    assert spark_says(catalog.metastore.load_row(NAME)) == spark_says(before)


@pytest.mark.parametrize("is_adopted", [True, False])
def test_a_text_of_hive_that_spark_wrote_again_as_it_is_has_the_session_of_spark(
    catalog: ViewCatalog, is_adopted: bool
) -> None:
    """``'1' + 1`` has another type in ANSI mode: the text is the same, and what it means is not."""
    if is_adopted:
        text = "SELECT `t`.`a` FROM `sales`.`t`"
        row = replace(spark_row(text), parameters={})
        adopted(catalog, row)
    else:
        catalog.create_view(NAME, sql={"hive": "SELECT a FROM t"}, schema=[("a", "int")])
    row = catalog.metastore.load_row(NAME)
    changed = foreign_writers.spark_alter_view_as(row, str(row.expanded_text), row.columns, session_database="sales")
    catalog.metastore.swap_row(changed, expected=None)
    catalog.repair_view(NAME, on_drift="adopt")
    found = catalog.metastore.load_row(NAME)
    assert found.parameters[ANSI] == "true"
    assert found.expanded_text is not None
    assert "`sales`.`t`" in found.expanded_text
    assert catalog.load_view(NAME).differences == ()


# -- where names resolve --------------------


def test_a_text_that_spark_wrote_in_another_database_leaves_those_of_other_dialects_where_they_are(
    catalog: ViewCatalog,
) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM t"})
    typed = "SELECT t2.a FROM t2 JOIN web.u ON t2.a = u.a -- FROM t2"
    changed = changed_by_spark(catalog, typed, **{"view.catalogAndNamespace.part.1": "other"})
    view = catalog.repair_view(NAME, on_drift="adopt")
    row = catalog.metastore.load_row(NAME)
    assert (row.expanded_text, spark_says(row)) == (typed, spark_says(changed))
    version = view.current_version
    assert (version.default_catalog, version.default_namespace) == (None, ("sales",))
    assert view.sql_for("trino").sql == "SELECT a FROM t"
    assert view.sql_for("spark").sql == typed.replace("FROM t2 J", "FROM `other`.t2 J")
    assert view.original_sql("spark") == typed
    assert view.tables() == ("other.t2", "web.u")
    assert catalog.load_view(NAME).differences == ()


def test_a_text_that_spark_wrote_in_another_catalog_names_that_catalog(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM t"})
    changed_by_spark(
        catalog,
        "SELECT a FROM t JOIN z.u USING (a) JOIN c.d.v USING (a)",
        **{"view.catalogAndNamespace.part.0": "ice", "view.catalogAndNamespace.part.1": "z"},
    )
    view = catalog.repair_view(NAME, on_drift="adopt")
    assert view.current_version.default_catalog is None
    assert view.sql_for("spark").sql == "SELECT a FROM `ice`.`z`.t JOIN `ice`.z.u USING (a) JOIN c.d.v USING (a)"


def test_a_text_whose_names_cannot_be_written_in_full_is_refused(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM t"})
    changed = changed_by_spark(catalog, "FROM t |> SELECT a", **{"view.catalogAndNamespace.part.1": "other"})
    with pytest.raises(InvalidInputError, match=r"resolve in other.*cannot be written in full.*overwrite"):
        catalog.repair_view(NAME, on_drift="adopt")
    assert catalog.metastore.load_row(NAME).expanded_text == changed.expanded_text
    catalog.repair_view(NAME, on_drift="overwrite")
    assert catalog.metastore.load_row(NAME).expanded_text == "SELECT a FROM t"


def test_without_texts_in_other_dialects_names_resolve_where_spark_says(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    changed_by_spark(catalog, "SELECT a FROM t2", **{"view.catalogAndNamespace.part.1": "other"})
    view = catalog.repair_view(NAME, on_drift="adopt")
    assert view.current_version.default_namespace == ("other",)
    assert view.sql_for("spark").sql == "SELECT a FROM t2"
