"""What a version of an adopted view says after others have changed it: every text goes on meaning what it meant."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, ViewDriftedError
from hive_views.estate import copy_views, undrop
from hive_views.estate.each.outcomes import State
from hive_views.estate.transfer.renaming import with_other_namespaces
from hive_views.estate.transfer.snapshot import ViewSnapshot
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.namespaces import unknown_catalog
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.content import RowContent
from hive_views.views.row.trino_view import document_in, text_with
from hive_views.views.version_diff import compare, definition_at
from hive_views.views.view import View
from tests.support.views import foreign_writers
from tests.support.views.quick_catalog import catalog_on

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


def trino_row(document: Mapping[str, Any]) -> Row:
    """As Trino writes it, with a column ``a``."""
    return Row(
        NAME,
        "VIRTUAL_VIEW",
        owner="ann",
        columns=(Column("dummy", "string"),),
        original_text=text_with({"columns": [{"name": "a", "type": "integer"}], **document}),
        expanded_text="/* Presto View */",
        parameters={"presto_view": "true", "comment": "Presto View"},
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
    # As it was typed, it would read sales.t2.
    assert view.original_sql("spark") == view.sql_for("spark").sql
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


def test_a_row_of_another_catalog_has_the_names_of_its_databases_there_also_where_the_other_texts_have_not(
    catalog: ViewCatalog,
) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM web.t"})
    ice = {"view.catalogAndNamespace.part.0": "ice", "view.catalogAndNamespace.part.1": "z"}
    changed_by_spark(catalog, "SELECT a FROM web.t2", **ice)
    view = catalog.repair_view(NAME, on_drift="adopt")
    snapshot = ViewSnapshot(view.identifier, view.row, metadata=view.metadata)
    with pytest.raises(
        InvalidInputError, match="web is named without a catalog, which makes it a database of the default catalog ice"
    ) as error:
        with_other_namespaces(snapshot, {"web": "shop"})
    assert error.value.remedy == unknown_catalog("ice")
    with pytest.raises(InvalidInputError, match=r"its names resolve in ice\.z"):
        with_other_namespaces(snapshot, {"z": "shop"})
    version = with_other_namespaces(snapshot, {"web": "shop", "z": "y"}, ["ice"]).metadata.current_version
    row = RowContent.kept_by(version)
    assert row is not None
    assert (row.expanded_text, row.parameters["view.catalogAndNamespace.part.1"]) == ("SELECT a FROM shop.t2", "y")
    assert [one.sql for one in version.sql_representations] == ["SELECT a FROM `ice`.shop.t2", "SELECT a FROM shop.t"]


@pytest.mark.parametrize(
    ("where", "full"),
    [
        ({"catalog": "lake", "schema": "web"}, 'SELECT a FROM "web".t JOIN z.u USING (a)'),
        ({"catalog": "ice", "schema": "web"}, 'SELECT a FROM "ice"."web".t JOIN "ice".z.u USING (a)'),
        ({"schema": "sales"}, None),
    ],
)
def test_a_text_that_trino_wrote_elsewhere_means_the_same_in_its_document(
    catalog: ViewCatalog, where: dict[str, str], full: str | None
) -> None:
    row = trino_row({"originalSql": "SELECT a FROM t", "catalog": "lake", "schema": "sales"})
    adopted(catalog, row)
    catalog.alter_view(NAME, sql={"flink": "SELECT a FROM t"})
    found = catalog.metastore.load_row(NAME)
    document = {"columns": [{"name": "a", "type": "integer"}], "originalSql": "SELECT a FROM t JOIN z.u USING (a)"}
    catalog.metastore.swap_row(replace(found, original_text=text_with({**document, **where})), expected=None)
    if full is None:
        with pytest.raises(InvalidInputError, match="cannot be qualified"):
            catalog.repair_view(NAME, on_drift="adopt")
        return
    written = document_in(catalog.repair_view(NAME, on_drift="adopt").row.original_text)
    assert (written["originalSql"], written["catalog"], written["schema"]) == (full, "lake", "sales")
    assert catalog.load_view(NAME).sql_for("flink").sql == "SELECT a FROM t"
    assert catalog.load_view(NAME).differences == ()


def test_a_text_whose_names_cannot_be_written_in_full_is_refused(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM t"})
    changed = changed_by_spark(catalog, "FROM t |> SELECT a", **{"view.catalogAndNamespace.part.1": "other"})
    with pytest.raises(InvalidInputError, match=r"resolve in other.*cannot be qualified.*overwrite"):
        catalog.repair_view(NAME, on_drift="adopt")
    assert catalog.metastore.load_row(NAME).expanded_text == changed.expanded_text
    catalog.repair_view(NAME, on_drift="overwrite")
    assert catalog.metastore.load_row(NAME).expanded_text == "SELECT a FROM t"


@pytest.mark.parametrize("text", ["SELECT a FROM IDENTIFIER('t2')", "SELECT a FROM f(TABLE(t2))"])
def test_a_text_with_a_name_that_is_not_found_in_it_is_refused_where_that_means_another_table(
    catalog: ViewCatalog, text: str
) -> None:
    adopted(catalog, spark_row())
    catalog.alter_view(NAME, sql={"trino": "SELECT a FROM t"})
    changed_by_spark(catalog, text, **{"view.catalogAndNamespace.part.1": "other"})
    with pytest.raises(InvalidInputError, match=r"cannot be qualified"):
        catalog.repair_view(NAME, on_drift="adopt")
    found = catalog.metastore.load_row(NAME)
    here = {**found.parameters, "view.catalogAndNamespace.part.1": "sales"}
    catalog.metastore.swap_row(replace(found, parameters=here), expected=None)
    assert catalog.repair_view(NAME, on_drift="adopt").sql_for("spark").sql == text


def test_without_texts_in_other_dialects_names_resolve_where_spark_says(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    changed_by_spark(catalog, "SELECT a FROM t2", **{"view.catalogAndNamespace.part.1": "other"})
    view = catalog.repair_view(NAME, on_drift="adopt")
    assert view.current_version.default_namespace == ("other",)
    assert view.sql_for("spark").sql == "SELECT a FROM t2"


ELSEWHERE = {
    "spark": spark_row("SELECT a FROM t", "ice", "z"),
    "trino": trino_row({"originalSql": "SELECT a FROM t", "catalog": "lake", "schema": "z"}),
}


@pytest.mark.parametrize("maker", ELSEWHERE)
@pytest.mark.parametrize(
    ("dialect", "text", "short", "in_full"),
    [
        ("hive", "SELECT a + 1 AS a FROM t", "t", "SELECT a + 1 AS a FROM z.t"),
        ("spark", "SELECT a + 1 AS a FROM t", "t", "SELECT a + 1 AS a FROM spark_catalog.z.t"),
        ("spark", "SELECT a + 1 AS a FROM z.t", "z.t", "SELECT a + 1 AS a FROM spark_catalog.z.t"),
    ],
)
def test_a_text_for_plain_readers_names_all_in_full_where_the_view_has_its_names_in_another_catalog(
    catalog: ViewCatalog, maker: str, dialect: str, text: str, short: str, in_full: str
) -> None:
    adopted(catalog, ELSEWHERE[maker])
    before = catalog.metastore.load_row(NAME)
    with pytest.raises(InvalidInputError, match=rf"resolve in the catalog (ice|lake),.* has {short}\. Write them as"):
        catalog.alter_view(NAME, sql={dialect: text})
    assert catalog.metastore.load_row(NAME) == before
    assert catalog.load_view(NAME).tables() == (f"{'ice' if maker == 'spark' else 'lake'}.z.t",)
    view = catalog.alter_view(NAME, sql={dialect: in_full})
    assert view.tables() == ("z.t",)
    assert view.original_sql(dialect) == in_full
    row = catalog.metastore.load_row(NAME)
    assert str(row.expanded_text).endswith("FROM `z`.`t`")
    assert row.parameters["view.catalogAndNamespace.part.0"] == "spark_catalog"
    assert catalog.load_view(NAME).differences == ()


def test_a_text_that_only_readers_of_the_file_get_has_its_names_where_the_others_have_them(
    catalog: ViewCatalog,
) -> None:
    adopted(catalog, ELSEWHERE["spark"])
    catalog.alter_view(NAME, sql={"hive": "SELECT a FROM z.t"})
    view = catalog.alter_view(NAME, sql={"spark": "SELECT a + 1 AS a FROM t", "trino": "SELECT a FROM t"})
    assert (view.sql_for("spark").sql, view.current_version.default_catalog) == ("SELECT a + 1 AS a FROM t", "ice")


def test_a_replacement_has_its_names_in_the_metastore(catalog: ViewCatalog) -> None:
    adopted(catalog, ELSEWHERE["spark"])
    view = catalog.replace_view(NAME, sql={"spark": "SELECT a FROM t"})
    assert (view.current_version.default_catalog, view.row.expanded_text) == (None, "SELECT a AS `a` FROM `sales`.`t`")
    found = compare(*(definition_at(catalog.storage, view, version) for version in (1, 2)))
    (names,) = (one for one in found if one.parts == ("namespace",))
    assert {"-ice.z", "+sales"} < set(names.lines)


def test_spark_s_change_in_another_catalog_is_not_taken_for_one_in_the_metastore(catalog: ViewCatalog) -> None:
    created = catalog.create_view(NAME, sql={"hive": "SELECT a FROM t"}, schema=[("a", "int")])
    altered = foreign_writers.spark_alter_view_as(created.row, "SELECT a FROM u", created.row.columns)
    ice = {"view.catalogAndNamespace.part.0": "ice"}
    catalog.metastore.swap_row(replace(altered, parameters={**altered.parameters, **ice}), expected=None)
    with pytest.raises(InvalidInputError, match="resolve in the catalog ice"):
        catalog.repair_view(NAME, on_drift="adopt")
    assert catalog.repair_view(NAME, on_drift="overwrite").row.expanded_text == created.row.expanded_text


def test_spark_s_change_of_a_view_with_names_in_another_catalog_is_taken_with_full_names(catalog: ViewCatalog) -> None:
    adopted(catalog, ELSEWHERE["spark"])
    row = catalog.alter_view(NAME, sql={"hive": "SELECT a FROM z.t"}).row
    altered = foreign_writers.spark_alter_view_as(row, "SELECT a FROM u", row.columns, session_database="other")
    catalog.metastore.swap_row(altered, expected=None)
    view = catalog.repair_view(NAME, on_drift="adopt")
    assert view.row.expanded_text == "SELECT a AS `a` FROM `other`.`u`"
    assert view.sql_for("spark").sql == "SELECT a AS `a` FROM `spark_catalog`.`other`.`u`"
    assert view.current_version.default_catalog == "ice"


def test_a_text_that_stays_is_kept_as_it_was_typed(catalog: ViewCatalog) -> None:
    adopted(catalog, replace(spark_row(), original_text="select A from T"))
    view = catalog.alter_view(NAME, sql={"hive": "SELECT a FROM t"})
    assert view.original_sql("spark") == "select A from T"
    assert ANSI not in view.row.parameters
    assert catalog.alter_view(NAME, sql={"spark": "SELECT a FROM u"}).original_sql("spark") == "SELECT a FROM u"


# -- whose view it is --------------------


def test_a_view_that_is_dropped_and_brought_back_has_the_owner_that_it_had(catalog: ViewCatalog) -> None:
    """Trino runs views of Hive with the rights of the row's owner."""
    adopted(catalog, spark_row())
    assert "hive.metastore.table.owner" not in catalog.metastore.load_row(NAME).parameters
    catalog.drop_view(NAME)
    (outcome,) = undrop(catalog, str(NAME))
    assert outcome.state is State.DONE
    assert catalog.metastore.load_row(NAME).owner == "ann"


def given_to(catalog: ViewCatalog, owner: str) -> None:
    """``ALTER VIEW ... SET OWNER``, which says nothing to the file."""
    catalog.metastore.swap_row(replace(catalog.metastore.load_row(NAME), owner=owner), expected=None)


def test_a_view_that_was_given_to_somebody_belongs_to_them_when_it_is_brought_back(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    given_to(catalog, "bob")
    catalog.alter_view(NAME, comment="of bob")
    catalog.drop_view(NAME)
    undrop(catalog, str(NAME))
    assert catalog.metastore.load_row(NAME).owner == "bob"


@pytest.mark.parametrize("reaction", ["adopt", "overwrite"])
def test_what_somebody_else_made_in_the_place_of_a_view_stays_theirs(catalog: ViewCatalog, reaction: Any) -> None:
    adopted(catalog, spark_row())
    for text in ("SELECT a FROM u", None):
        catalog.metastore.drop_row(NAME)
        if text:
            catalog.metastore.create_row(replace(spark_row(text), owner="bob"))
        assert undrop(catalog, str(NAME), on_drift=reaction).failed == ()
    assert catalog.metastore.load_row(NAME).owner == "bob"


def test_a_view_that_was_given_to_somebody_belongs_to_them_where_it_is_copied(catalog: ViewCatalog) -> None:
    adopted(catalog, spark_row())
    given_to(catalog, "bob")
    target = catalog_on(MemoryMetastore())
    for on_conflict in ("refuse", "skip", "replace"):
        assert copy_views(catalog, target, str(NAME), on_conflict=on_conflict).failed == ()  # type: ignore[arg-type]
    target.drop_view(NAME)
    undrop(target, str(NAME))
    assert target.metastore.load_row(NAME).owner == "bob"


def test_a_view_that_only_trino_reads_has_the_rights_of_whoever_asks_unless_it_was_adopted_with_others(
    catalog: ViewCatalog,
) -> None:
    text = "SELECT a FROM t"
    document = {"originalSql": text, "catalog": "hive", "schema": "sales", "owner": "ann", "runAsInvoker": False}
    found = adopted(catalog, trino_row(document))
    assert document_in(found.row.original_text)["owner"] == "ann"
    version = found.current_version.model_copy(update={"summary": {}})
    metadata = found.metadata.model_copy(update={"versions": (version,), "view_uuid": str(uuid.uuid4())})
    file = f"memory://{uuid.uuid4().hex}/metadata/00000-{uuid.uuid4()}.metadata.json"
    catalog.storage.write(file, metadata)
    made = document_in(catalog.register_view("sales.by_an_engine", file).row.original_text)
    assert made["runAsInvoker"] is True
    assert "owner" not in made
    assert (made["originalSql"], made["catalog"], made["schema"]) == (text, "hive", "sales")
