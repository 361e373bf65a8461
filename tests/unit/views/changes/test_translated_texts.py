"""Texts that are translated from another one of their view: asked for, following it, refused, given by hand."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import InvalidInputError, NotFoundError, TranslationRefusedError, UnavailableError
from hive_views.estate import copy_views
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import TRANSLATED
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation
from hive_views.translation import RULES_VERSION, Checked, EngineRelease, Proof
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.version import stale_dialects, translations, with_other_texts
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import FaultyMetastore, meanwhile, never_sent
from tests.support.views.catalog_setup import table_row
from tests.support.views.foreign_writers import hive_create_or_replace
from tests.support.views.quick_catalog import NAME, catalog_on

SELECT = "SELECT id, size(tags) AS n FROM sales.clicks"
OTHER = "SELECT id + 1 AS id, size(tags) AS n FROM sales.clicks"
REFUSED = "SELECT id, my_udf(tags) AS n FROM sales.clicks"
SORTED = "SELECT id, size(tags) AS n FROM sales.clicks ORDER BY id LIMIT 3"


def clicks(**types: str) -> Any:
    columns = {"id": "bigint", "tags": "array<string>", "day": "date", **types}
    return replace(table_row("sales", "clicks"), columns=tuple(Column(name, type_) for name, type_ in columns.items()))


def catalog_with_clicks(metastore: Any, **settings: Any) -> ViewCatalog:
    catalog = catalog_on(metastore, **settings)
    metastore.create_row(clicks())
    return catalog


@pytest.fixture
def catalog() -> ViewCatalog:
    return catalog_with_clicks(MemoryMetastore())


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    """``sales.daily`` with ``hive`` SQL and a ``trino`` translation of it."""
    return catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})


def trino(view: View) -> str:
    return " ".join(view.original_sql("trino").split())


def test_a_text_is_translated_when_a_view_is_created(catalog: ViewCatalog, view: View) -> None:
    assert trino(view) == (
        'SELECT "clicks"."id" AS "id", CAST(coalesce(cardinality("clicks"."tags"), -1) AS integer) AS "n" '
        'FROM "sales"."clicks"'
    )
    record = view.translations["trino"]
    assert (record.source, record.rules_version, record.allow, record.findings) == ("hive", RULES_VERSION, (), ())
    assert view.stale_dialects == ()
    kept = json.loads(view.current_version.summary[TRANSLATED + "trino"])
    assert kept == {"from": "hive", "rules-version": RULES_VERSION, "allow": [], "findings": [], "texts": record.texts}


def test_asking_again_changes_nothing(catalog: ViewCatalog, view: View) -> None:
    assert catalog.alter_view(NAME, translate={"Trino": "HIVE"}).metadata_location == view.metadata_location
    assert catalog.replace_view(NAME, sql={"hive": SELECT}).metadata_location == view.metadata_location
    both = {"hive": SELECT, "trino": view.original_sql("trino")}
    again = catalog.replace_view(NAME, sql=both)
    assert (again.metadata_location, list(again.translations)) == (view.metadata_location, ["trino"])


@pytest.mark.parametrize("verb", ["alter_view", "replace_view"])
def test_a_translation_follows_the_text_that_it_was_made_from(catalog: ViewCatalog, view: View, verb: str) -> None:
    changed = getattr(catalog, verb)(NAME, sql={"hive": OTHER})
    assert '"clicks"."id" + 1 AS "id"' in trino(changed)
    assert (changed.stale_dialects, list(changed.translations)) == ((), ["trino"])
    assert changed.translations["trino"].findings == ("overflow",)
    assert len(changed.versions) == len(view.versions) + 1


def test_a_translation_follows_the_columns_of_the_view(catalog: ViewCatalog, view: View) -> None:
    changed = catalog.replace_view(NAME, sql={"hive": SELECT}, schema=[("key", "bigint"), ("n", "bigint")])
    assert trino(changed).startswith('SELECT "clicks"."id" AS "key", CAST(CAST(coalesce(')
    assert ' AS bigint) AS "n"' in trino(changed)
    more = catalog.replace_view(NAME, sql={"hive": SELECT.replace(" FROM", ", day FROM")})
    assert trino(more).endswith('"clicks"."day" AS "day" FROM "sales"."clicks"')


def test_other_texts_are_stale_as_without_translations(catalog: ViewCatalog, view: View) -> None:
    catalog.alter_view(NAME, sql={"spark": SELECT})
    assert catalog.alter_view(NAME, sql={"hive": OTHER}).stale_dialects == ("spark",)
    # What is translated from a stale text is stale.
    followed = catalog.alter_view(NAME, sql={"spark": OTHER.replace("+ 1", "+ 2")}, still_true=[])
    assert followed.stale_dialects == ()
    stale = catalog.alter_view(NAME, sql={"spark": OTHER.replace("+ 1", "+ 3")})
    assert stale.stale_dialects == ("hive", "trino")
    with pytest.raises(InvalidInputError, match="the hive SQL is stale, and may mean something else"):
        catalog.alter_view(NAME, translate={"trino": "hive"})
    assert catalog.alter_view(NAME, still_true=["hive"]).stale_dialects == ()


def test_a_translation_does_not_make_the_text_stale_that_it_was_made_from(catalog: ViewCatalog) -> None:
    catalog.create_view(NAME, sql={"hive": SELECT, "trino": "SELECT 1 AS id, 2 AS n", "spark": SELECT})
    changed = catalog.alter_view(NAME, translate={"trino": "hive"})
    assert (changed.stale_dialects, list(changed.translations)) == ((), ["trino"])


def test_a_refused_translation_leaves_the_old_text_stale_and_follows_again(
    catalog: ViewCatalog, view: View, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hive_views"):
        refused = catalog.alter_view(NAME, sql={"hive": REFUSED})
    assert "the trino SQL stays as it was: Cannot translate the SQL of sales.daily from hive to trino" in caplog.text
    assert "my_udf" in caplog.text
    assert (refused.stale_dialects, trino(refused)) == (("trino",), trino(view))
    assert (dict(refused.translations), list(translations(refused.current_version))) == ({}, ["trino"])
    followed = catalog.alter_view(NAME, sql={"hive": OTHER})
    assert ('"clicks"."id" + 1' in trino(followed), followed.stale_dialects) == (True, ())
    back = catalog.roll_back_view(NAME, to_version=refused.current_version.version_id)
    assert back.stale_dialects == ("trino",)


def test_a_refused_translation_of_a_replaced_view_stays_if_it_has_as_many_columns(
    catalog: ViewCatalog, view: View
) -> None:
    refused = catalog.replace_view(NAME, sql={"hive": REFUSED})
    assert (refused.stale_dialects, trino(refused)) == (("trino",), trino(view))
    with pytest.raises(TranslationRefusedError, match="my_udf"):
        catalog.replace_view(
            NAME,
            sql={"hive": REFUSED.replace(" FROM", ", day FROM")},
            schema=[("id", "bigint"), ("n", "int"), ("day", "date")],
        )


def test_a_translation_that_does_not_follow_the_columns_is_stale(catalog: ViewCatalog, view: View) -> None:
    catalog.metastore.drop_row(TableIdentifier("sales", "clicks"))
    renamed = [("key", "bigint"), ("n", "bigint")]
    changed = catalog.replace_view(NAME, sql={"hive": SELECT}, schema=renamed)
    assert (trino(changed), changed.stale_dialects) == (trino(view), ("trino",))
    assert catalog.alter_view(NAME, sql={"hive": SELECT}).stale_dialects == ("trino",)
    catalog.metastore.create_row(clicks())
    followed = catalog.alter_view(NAME, sql={"hive": SELECT})
    assert (' AS "key"' in trino(followed), followed.stale_dialects) == (True, ())


def test_what_is_asked_for_and_refused_changes_nothing(catalog: ViewCatalog, view: View) -> None:
    with pytest.raises(TranslationRefusedError) as error:
        catalog.alter_view(NAME, sql={"hive": REFUSED}, translate={"trino": "hive"})
    (finding,) = error.value.findings
    assert (finding.reason.code, finding.line, finding.column, error.value.dialect) == ("udf", 1, 12, "trino")
    assert "[udf]" in str(error.value)
    assert catalog.load_view(NAME).metadata_location == view.metadata_location
    with pytest.raises(TranslationRefusedError):
        catalog.create_view(
            "sales.other", sql={"hive": REFUSED}, schema=[("id", "bigint"), ("n", "int")], translate={"trino": "hive"}
        )
    assert not catalog.view_exists("sales.other")


def test_a_text_that_is_still_true_although_refused_is_its_owners(catalog: ViewCatalog, view: View) -> None:
    kept = catalog.alter_view(NAME, sql={"hive": REFUSED}, still_true=["trino"])
    assert (kept.stale_dialects, translations(kept.current_version)) == ((), {})
    assert catalog.alter_view(NAME, sql={"hive": OTHER}).stale_dialects == ("trino",)


def test_a_text_given_by_hand_is_no_translation_any_more(catalog: ViewCatalog, view: View) -> None:
    given = catalog.alter_view(NAME, sql={"trino": 'SELECT "id", 7 AS "n" FROM "sales"."clicks"'})
    assert (dict(given.translations), given.stale_dialects) == ({}, ("hive",))
    assert catalog.alter_view(NAME, sql={"hive": OTHER}).stale_dialects == ()
    assert catalog.alter_view(NAME, sql={"hive": SELECT}).stale_dialects == ("trino",)


def test_a_text_whose_source_is_dropped_is_no_translation_any_more(catalog: ViewCatalog, view: View) -> None:
    catalog.alter_view(NAME, sql={"spark": SELECT})
    dropped = catalog.alter_view(NAME, drop_dialects=["hive"])
    assert (dropped.dialects, translations(dropped.current_version), dropped.stale_dialects) == (
        ("spark", "trino"), {}, (),
    )  # fmt: skip


def test_allowed_differences_are_allowed_again(catalog: ViewCatalog) -> None:
    given: dict[str, Any] = {"sql": {"hive": SORTED}, "translate": {"trino": "hive"}}
    with pytest.raises(TranslationRefusedError, match=r"\[null-order\]"):
        catalog.create_view(NAME, **given)
    created = catalog.create_view(NAME, **given, allow=["null-order"])
    assert created.translations["trino"].allow == ("null-order",)
    changed = catalog.alter_view(NAME, sql={"hive": SORTED.replace("3", "4")})
    assert (changed.stale_dialects, changed.translations["trino"].allow) == ((), ("null-order",))
    assert trino(changed).endswith("LIMIT 4")


def test_asking_again_without_what_was_allowed_is_refused(catalog: ViewCatalog) -> None:
    catalog.create_view(NAME, sql={"hive": SORTED}, translate={"trino": "hive"}, allow=["null-order"])
    with pytest.raises(TranslationRefusedError):
        catalog.alter_view(NAME, translate={"trino": "hive"})


def test_spark_sql_is_translated_to_the_row(catalog: ViewCatalog) -> None:
    select = "SELECT id, upper('x') AS n FROM clicks"
    created = catalog.create_view(NAME, sql={"spark": select}, translate={"hive": "spark", "trino": "spark"})
    assert created.original_sql("hive") == select
    row = catalog.metastore.load_row(NAME)
    assert row.expanded_text is not None
    assert "`sales`.`clicks`" in row.expanded_text
    changed = catalog.alter_view(NAME, sql={"spark": select.replace("'x'", "'y'")})
    assert (changed.stale_dialects, changed.original_sql("hive")) == ((), select.replace("'x'", "'y'"))
    assert "'y'" in str(catalog.metastore.load_row(NAME).expanded_text)
    assert (changed.differences, sorted(changed.translations)) == ((), ["hive", "trino"])


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"translate": {"trino": "spark"}}, NotFoundError, "it has none in spark, only in hive, trino"),
        ({"translate": {"trino": "trino"}}, InvalidInputError, "same dialect"),
        ({"translate": {"spark": "trino"}}, InvalidInputError, "the trino SQL is itself translated from hive"),
        ({"translate": {"trino": "hive"}, "sql": {"trino": "SELECT 1"}}, InvalidInputError, "Cannot both translate"),
        ({"translate": {"trino": "hive"}, "drop_dialects": ["trino"]}, InvalidInputError, "Cannot both drop and keep"),
        ({"translate": "trino"}, InvalidInputError, "dictionary of dialects by dialects"),
        ({"translate": {"trino": "hive"}, "allow": ["null-ordre"]}, InvalidInputError, "null-order"),
        ({"translate": {"trino": "hive"}, "allow": "null-order"}, InvalidInputError, "list of codes"),
        ({"translate": {"trinno": "hive"}}, InvalidInputError, "not a known SQL dialect"),
    ],
)
def test_what_cannot_be_asked_for(
    catalog: ViewCatalog, view: View, given: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        catalog.alter_view(NAME, **given)
    assert catalog.load_view(NAME).metadata_location == view.metadata_location


def test_two_translations_of_each_other_are_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidInputError, match="is itself translated from"):
        catalog.create_view(NAME, sql={"hive": SELECT}, translate={"spark": "hive", "trino": "spark"})


def test_a_text_that_another_one_is_translated_from_is_not_translated_itself(catalog: ViewCatalog) -> None:
    select = "SELECT id, 7 AS n FROM sales.clicks"
    sql = {"hive": select, "spark": select.replace("7", "8")}
    created = catalog.create_view(NAME, sql=sql, translate={"trino": "hive"})
    with pytest.raises(InvalidInputError, match=r"the trino SQL is translated from it\. Translate that from spark too"):
        catalog.alter_view(NAME, translate={"hive": "spark"})
    assert catalog.load_view(NAME).metadata_location == created.metadata_location
    both = catalog.alter_view(NAME, translate={"hive": "spark", "trino": "spark"})
    assert (both.stale_dialects, "8" in both.original_sql("hive"), "8" in trino(both)) == ((), True, True)


def test_what_another_program_puts_into_the_row_is_translated_when_it_is_adopted(
    catalog: ViewCatalog, view: View
) -> None:
    catalog.metastore.swap_row(hive_create_or_replace(catalog.metastore.load_row(NAME), OTHER), expected=None)
    adopted = catalog.repair_view(NAME, on_drift="adopt")
    assert ('"clicks"."id" + 1' in trino(adopted), adopted.stale_dialects) == (True, ())
    catalog.metastore.swap_row(hive_create_or_replace(catalog.metastore.load_row(NAME), REFUSED), expected=None)
    assert catalog.repair_view(NAME, on_drift="adopt").stale_dialects == ("trino",)


def test_a_plain_view_that_was_adopted_is_translated_again_when_hive_changes_it(catalog: ViewCatalog) -> None:
    row = replace(
        clicks(), table_type="VIRTUAL_VIEW", original_text=SELECT, expanded_text=SELECT,
        columns=(Column("id", "bigint"), Column("n", "int")), identifier=NAME,
    )  # fmt: skip
    catalog.metastore.create_row(row)
    catalog.adopt_view(NAME)
    catalog.alter_view(NAME, translate={"trino": "hive"})
    changed = replace(catalog.metastore.load_row(NAME), original_text=OTHER, expanded_text=OTHER)
    catalog.metastore.swap_row(changed, expected=None)
    adopted = catalog.repair_view(NAME, on_drift="adopt")
    assert ('"clicks"."id" + 1' in trino(adopted), adopted.stale_dialects) == (True, ())
    assert (adopted.original_sql("hive"), list(adopted.translations)) == (OTHER, ["trino"])


def test_a_metastore_that_does_not_answer_makes_nothing_stale() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_with_clicks(metastore)
    view = catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    metastore.on("load_rows", never_sent)
    with pytest.raises(UnavailableError):
        catalog.alter_view(NAME, sql={"hive": OTHER})
    assert catalog.load_view(NAME).metadata_location == view.metadata_location


def test_after_a_lost_race_the_text_of_the_other_writer_is_translated() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_with_clicks(metastore)
    catalog.create_view(NAME, sql={"hive": SELECT})
    other = catalog_on(metastore, lock="never")
    metastore.on("swap_row", meanwhile(lambda: other.alter_view(NAME, sql={"hive": OTHER})))
    changed = catalog.alter_view(NAME, translate={"trino": "hive"})
    assert '"clicks"."id" + 1' in trino(changed)
    assert (changed.original_sql("hive"), changed.stale_dialects) == (OTHER, ())


def test_a_writer_that_keeps_the_record_and_changes_a_text_leaves_the_translation_stale(view: View) -> None:
    version = view.current_version
    texts = tuple(
        one.model_copy(update={"sql": f"{one.sql} WHERE id > 1"})
        if isinstance(one, SQLViewRepresentation) and one.dialect == "trino"
        else one
        for one in version.representations
    )
    assert stale_dialects(version.model_copy(update={"representations": texts})) == ("trino",)
    unreadable = {**version.summary, TRANSLATED + "trino": '{"from": 1}'}
    assert stale_dialects(version.model_copy(update={"summary": unreadable})) == ("trino",)


def test_other_names_in_both_texts_leave_a_translation_one(view: View) -> None:
    def renamed(text: str, _: str) -> str:
        return text.replace("sales", "web")

    moved = with_other_texts(view.current_version, renamed, lambda one: one, None, ("web",))
    assert (stale_dialects(moved), list(translations(moved))) == ((), ["trino"])
    assert moved.summary[TRANSLATED + "trino"] != view.current_version.summary[TRANSLATED + "trino"]


@pytest.mark.parametrize("setting", ["lake", None])
def test_a_copy_in_another_database_has_no_translation_that_reads_the_first_one(setting: str | None) -> None:
    metastore = MemoryMetastore()
    catalog = catalog_with_clicks(metastore, trino_catalog="lake")
    catalog.create_namespace("web")
    catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    warehouse = catalog.load_view(NAME).metadata_location.split("/sales.db")[0]
    copying = catalog_on(metastore, warehouse=warehouse, trino_catalog=setting)
    copy_views(copying, copying, str(NAME), names={"sales": "web"})
    copied = copying.load_view("web.daily")
    assert "web.clicks" in copied.original_sql("hive")
    assert ('"lake"."web"."clicks"' in trino(copied)) == bool(setting)
    assert copied.stale_dialects == (() if setting else ("trino",))


def test_a_view_created_in_spark_in_another_zone_is_translated_only_if_that_is_allowed(catalog: ViewCatalog) -> None:
    select = "SELECT id, 7 AS n FROM sales.clicks"
    parameters = {
        "view.sqlConfig.spark.sql.session.timeZone": "Europe/Berlin",
        "view.sqlConfig.spark.sql.ansi.enabled": "true",
        "view.query.out.numCols": "2", "view.query.out.col.0": "id", "view.query.out.col.1": "n",
        "view.catalogAndNamespace.numParts": "2", "view.catalogAndNamespace.part.0": "spark_catalog",
        "view.catalogAndNamespace.part.1": "sales", "spark.sql.create.version": "4.1.0",
    }  # fmt: skip
    row = replace(
        clicks(), table_type="VIRTUAL_VIEW", original_text=select, expanded_text=select, parameters=parameters,
        columns=(Column("id", "bigint"), Column("n", "int")), identifier=NAME,
    )  # fmt: skip
    catalog.metastore.create_row(row)
    catalog.adopt_view(NAME)
    with pytest.raises(TranslationRefusedError, match=r"timeZone = Europe/Berlin: .*\[session-settings\]"):
        catalog.alter_view(NAME, translate={"trino": "spark"})
    allowed = catalog.alter_view(NAME, translate={"trino": "spark"}, allow=["session-settings"])
    assert list(allowed.translations) == ["trino"]


def proof(view: View, dialect: str = "trino", **changes: Any) -> Proof:
    found = Proof(Checked.COLUMNS, EngineRelease("Trino", "476"), view.translations[dialect].texts)
    return replace(found, **changes)


def test_what_an_engine_has_confirmed_is_kept_until_a_text_changes(catalog: ViewCatalog, view: View) -> None:
    proved = catalog.alter_view(NAME, proofs=[proof(view)])
    assert proved.translations["trino"].proofs == (proof(view),)
    assert catalog.alter_view(NAME, translate={"trino": "hive"}).metadata_location == proved.metadata_location
    rows = proof(view, checked=Checked.ROWS, beside=EngineRelease("Hive"), rows=3, is_complete=True)
    assert catalog.alter_view(NAME, proofs=[rows]).translations["trino"].proofs == (proof(view), rows)
    assert catalog.alter_view(NAME, comment="new").translations["trino"].proofs == (proof(view), rows)
    assert catalog.alter_view(NAME, sql={"hive": OTHER}).translations["trino"].proofs == ()
    with pytest.raises(InvalidInputError, match="it read other texts"):
        catalog.alter_view(NAME, proofs=[proof(view)])


def test_what_an_engine_has_confirmed_of_other_columns_is_not_kept(catalog: ViewCatalog) -> None:
    spark = {"spark": "SELECT id FROM sales.clicks"}
    created = catalog.create_view(NAME, sql=spark, translate={"hive": "spark"})
    hive = replace(proof(created, "hive"), engine=EngineRelease("Hive"))
    assert catalog.alter_view(NAME, proofs=[hive]).translations["hive"].proofs == (hive,)
    changed = catalog.replace_view(NAME, sql=spark, schema=[("key", "bigint")])
    assert (changed.stale_dialects, changed.translations["hive"].proofs) == ((), ())
    assert "AS `key`" in str(catalog.metastore.load_row(NAME).expanded_text)


def test_a_view_can_be_created_with_what_an_engine_has_confirmed(catalog: ViewCatalog) -> None:
    given: dict[str, Any] = {"sql": {"hive": SELECT}, "translate": {"trino": "hive"}}
    with catalog.dry_run() as copy:
        planned = copy.create_view(NAME, **given)
    created = catalog.create_view(NAME, **given, proofs=[proof(planned)])
    assert created.translations["trino"].proofs == (proof(planned),)


def test_functions_of_users_are_translated_as_the_catalog_says() -> None:
    udfs = {"my_udf": {"type": "int", "arguments": ["array<string>"], "hive": "my_udf", "trino": "my_own"}}
    catalog = catalog_with_clicks(MemoryMetastore(), udfs=udfs)
    catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    changed = catalog.alter_view(NAME, sql={"hive": REFUSED})
    assert ("my_own(" in trino(changed), changed.stale_dialects) == (True, ())


def test_names_of_tables_are_those_of_trino_where_the_catalog_says_what_it_calls_the_metastore() -> None:
    catalog = catalog_with_clicks(MemoryMetastore(), trino_catalog="lake-1")
    catalog.metastore.create_row(replace(clicks(), identifier=TableIdentifier("sales", "ice")))
    row = catalog.metastore.load_row(TableIdentifier("sales", "ice"))
    catalog.metastore.swap_row(replace(row, parameters={**row.parameters, "table_type": "ICEBERG"}), expected=None)
    catalog.create_view("sales.above", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    select = "SELECT c.id, c.id AS n FROM clicks c JOIN above b ON b.a = c.id CROSS JOIN sales.ice i"
    view = catalog.create_view(
        NAME, sql={"hive": select}, schema=[("id", "bigint"), ("n", "bigint")], translate={"trino": "hive"}
    )
    assert '"lake-1"."sales"."clicks" AS "c"' in trino(view)
    assert 'CROSS JOIN "sales"."ice"' in trino(view)
    assert 'JOIN "above"' in trino(view)
    assert (view.stale_dialects, list(view.translations)) == ((), ["trino"])
