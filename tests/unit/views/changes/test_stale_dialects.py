"""Which texts are stale after each verb, and what is said of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive_views import estate, execute
from hive_views.errors import HiveViewsError, InvalidInputError, NotFoundError, ViewDriftedError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import STALE_DIALECTS
from hive_views.spec.metadata import ViewVersion
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.version import shown_dialects, stale_dialects
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import FaultyMetastore, meanwhile
from tests.support.views.catalog_setup import BETTER, COLUMNS, SELECT, create
from tests.support.views.foreign_writers import replace_by_spark, spark_alter_view_as
from tests.support.views.quick_catalog import NAME, catalog_on

BEST = BETTER.replace("page", "session_id")
ALL = {"hive": SELECT, "spark": SELECT, "trino": SELECT}


@pytest.fixture
def catalog() -> ViewCatalog:
    return catalog_on(MemoryMetastore())


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    """``sales.daily`` with one text in three dialects."""
    return create(catalog, str(NAME), sql=ALL)


STEPS: dict[str, tuple[list[dict[str, Any]], tuple[str, ...]]] = {
    "one text of three": ([{"sql": {"hive": BETTER}}], ("spark", "trino")),
    "two at once": ([{"sql": {"hive": BETTER, "Spark": BETTER}}], ("trino",)),
    "all at once": ([{"sql": dict.fromkeys(ALL, BETTER)}], ()),
    "one given as it was": ([{"sql": {"hive": BETTER, "trino": SELECT}}], ("spark", "trino")),
    "nothing but a comment": ([{"comment": "new", "set_properties": {"k": "v"}}], ()),
    "other words": ([{"sql": {"hive": f"-- new\n{SELECT.replace('SELECT', 'select')}"}}], ()),
    "another literal": ([{"sql": {"hive": f"{SELECT} HAVING 1 = 1"}}, {"sql": {"trino": BETTER}}], ("spark",)),
    "a new dialect": ([{"sql": {"presto": BETTER}}], ()),
    "a dialect without a parser": (
        [{"sql": {"other:acme": "a"}}, {"sql": {"other:acme": "b"}}],
        ("spark", "hive", "trino"),
    ),
    "same meaning": ([{"sql": {"hive": BETTER}, "same_meaning": True}], ()),
    "same meaning keeps marks": (
        [{"sql": {"hive": BETTER}}, {"sql": {"trino": BEST}}, {"sql": {"hive": BEST}, "same_meaning": True}],
        ("spark",),
    ),
    "still true with the change": ([{"sql": {"hive": BETTER}, "still_true": ["TRINO"]}], ("spark",)),
    "still true later": ([{"sql": {"hive": BETTER}}, {"still_true": ["trino", "spark"]}], ()),
    "still true of what is not stale": ([{"still_true": ["trino"]}], ()),
    "one follows, one does not": ([{"sql": {"hive": BETTER}}, {"sql": {"trino": BETTER}}], ("spark",)),
    "the same again": ([{"sql": {"hive": BETTER}}, {"sql": {"hive": BETTER}}], ("spark", "trino")),
    "a stale text given as it was": ([{"sql": {"hive": BETTER}}, {"sql": {"trino": SELECT}}], ("spark", "trino")),
    "as before": ([{"sql": {"hive": BETTER}}, {"sql": {"hive": SELECT}}], ()),
    "changed again after the others were true": (
        [{"sql": {"hive": BETTER}}, {"still_true": ["trino", "spark"]}, {"sql": {"hive": BEST}}],
        ("spark", "trino"),
    ),
    "a dropped dialect": ([{"sql": {"hive": BETTER}}, {"drop_dialects": ["spark"]}], ("trino",)),
    "added again": (
        [{"sql": {"hive": BETTER}}, {"drop_dialects": ["spark"]}, {"sql": {"spark": SELECT}}],
        ("trino",),
    ),
    "the only one left": ([{"sql": {"trino": BETTER}}, {"drop_dialects": ["trino", "spark"]}], ()),
}


@pytest.mark.parametrize(("steps", "stale"), STEPS.values(), ids=STEPS)
def test_stale_are_the_texts_that_did_not_change_with_another(
    catalog: ViewCatalog, view: View, steps: list[dict[str, Any]], stale: tuple[str, ...]
) -> None:
    for step in steps:
        view = catalog.alter_view(NAME, **step)
    assert view.stale_dialects == stale
    assert catalog.load_view(NAME).metadata == view.metadata


def test_replace_marks_what_is_given_as_it_was(catalog: ViewCatalog, view: View) -> None:
    changed = {**ALL, "hive": BETTER}
    assert catalog.replace_view(NAME, sql=changed).stale_dialects == ("spark", "trino")
    assert catalog.replace_view(NAME, sql=changed).current_version.version_id == 2
    assert catalog.replace_view(NAME, sql=changed, still_true=["spark"]).stale_dialects == ("trino",)
    assert catalog.replace_view(NAME, sql=dict.fromkeys(ALL, BEST)).stale_dialects == ()
    again = {**dict.fromkeys(ALL, BEST), "hive": BETTER}
    assert catalog.replace_view(NAME, sql=again, same_meaning=True).stale_dialects == ()


def test_other_names_of_columns_make_no_text_stale(catalog: ViewCatalog, view: View) -> None:
    renamed = [("person", "bigint"), *COLUMNS[1:]]
    changed = catalog.replace_view(NAME, sql=ALL, schema=renamed)
    assert changed.sql_for("hive") != view.sql_for("hive")
    assert changed.stale_dialects == ()
    stale = catalog.alter_view(NAME, sql={"hive": BETTER}).stale_dialects
    assert catalog.replace_view(NAME, sql={**ALL, "hive": BETTER}, schema=COLUMNS).stale_dialects == stale


def test_a_text_whose_names_resolve_elsewhere_has_changed(catalog: ViewCatalog) -> None:
    short = SELECT.replace("web.", "")
    create(catalog, str(NAME), sql={"hive": short, "trino": short, "presto": SELECT})
    texts = {"hive": short, "trino": short, "presto": SELECT}
    assert catalog.replace_view(NAME, sql=texts, default_namespace="web").stale_dialects == ("presto",)


def test_an_equal_simple_text_is_proved_to_be_right(catalog: ViewCatalog) -> None:
    clicks = "SELECT 1L AS user_id, 'a' AS page, 'b' AS ds"
    catalog.create_namespace("web")
    columns = [("user_id", "bigint"), ("page", "string"), ("ds", "string")]
    catalog.create_view("web.clicks", sql={"hive": clicks}, schema=columns)
    create(catalog, str(NAME), sql={"hive": SELECT, "trino": BETTER})
    assert catalog.alter_view(NAME, sql={"hive": BETTER}).stale_dialects == ()
    assert catalog.alter_view(NAME, sql={"hive": BEST}).stale_dialects == ("trino",)


def test_a_text_that_spark_changed_is_marked_with_its_settings(catalog: ViewCatalog, view: View) -> None:
    columns = (Column("user_id", "bigint"), Column("clicks", "bigint", "how often"), Column("ds", "string"))
    metastore = catalog.metastore
    row = spark_alter_view_as(metastore.load_row(NAME), SELECT, columns, session_database="web")
    metastore.swap_row(row, expected=None)
    with pytest.raises(ViewDriftedError):
        catalog.alter_view(NAME, still_true=["trino"])
    # In ANSI mode, the same words may mean something else; Spark's own text is what it has written.
    assert catalog.repair_view(NAME, on_drift="adopt").stale_dialects == ("trino",)


def test_a_view_that_comes_back_with_the_content_of_another_row(catalog: ViewCatalog) -> None:
    create(catalog, str(NAME))
    replace_by_spark(catalog.metastore, NAME, BETTER.replace("web.clicks", "spark_catalog.web.clicks"))
    estate.undrop(catalog, str(NAME), on_drift="adopt")
    assert catalog.load_view(NAME).stale_dialects == ("trino",)


def test_after_a_lost_race_a_text_does_not_follow_a_change_that_its_writer_has_not_seen() -> None:
    metastore = FaultyMetastore(MemoryMetastore())
    catalog = catalog_on(metastore, lock="never")
    create(catalog, str(NAME), sql=ALL)
    metastore.on("swap_row", meanwhile(lambda: catalog.alter_view(NAME, sql={"trino": BETTER})))
    assert catalog.alter_view(NAME, sql={"hive": BEST}).stale_dialects == ("spark", "trino")
    assert catalog.load_view(NAME).original_sql("trino") == BETTER


def test_marks_go_along_with_copies_and_new_names(catalog: ViewCatalog, view: View) -> None:
    catalog.alter_view(NAME, sql={"hive": BETTER})
    assert catalog.rename_view(NAME, "sales.weekly").stale_dialects == ("spark", "trino")
    other = catalog_on(MemoryMetastore())
    estate.copy_views(catalog, other, "sales.weekly", names={"sales": "web"}, create_namespaces=True)
    assert other.load_view("web.weekly").stale_dialects == ("spark", "trino")


def test_a_view_keeps_sql_that_plain_readers_read(catalog: ViewCatalog, view: View) -> None:
    row = catalog.alter_view(NAME, sql={"spark": BETTER}, drop_dialects=["hive"]).row
    assert "DISTINCT" in (row.expanded_text or "")
    for dialects in (["spark"], ["spark", "trino"]):
        with pytest.raises(InvalidInputError, match="add 'hive' or 'spark'"):
            catalog.alter_view(NAME, drop_dialects=dialects)


REFUSED: dict[str, tuple[dict[str, Any], type[HiveViewsError], str]] = {
    "dropped and given": (
        {"sql": {"trino": BETTER}, "drop_dialects": ["Trino"]},
        InvalidInputError,
        "both drop and keep",
    ),
    "dropped and true": (
        {"still_true": ["trino"], "drop_dialects": ["trino"]},
        InvalidInputError,
        "both drop and keep",
    ),
    "no text": ({"still_true": ["presto"]}, NotFoundError, "no SQL in dialect presto, only in spark, hive, trino"),
    "none to drop": ({"drop_dialects": ["presto"]}, NotFoundError, "no SQL in dialect presto"),
    "no dialect": ({"still_true": ["trnio"]}, InvalidInputError, "Did you mean 'trino'"),
    "no list": ({"drop_dialects": "trino"}, InvalidInputError, r"drop_dialects as a list of dialects, \['trino'\]"),
}


@pytest.mark.parametrize(("given", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(
    catalog: ViewCatalog, view: View, given: dict[str, Any], error: type[HiveViewsError], message: str
) -> None:
    with pytest.raises(error, match=message):
        catalog.alter_view(NAME, **given)
    assert catalog.load_view(NAME).metadata_location == view.metadata_location


def test_statements_say_what_is_stale(catalog: ViewCatalog, view: View) -> None:
    def run(sql: str) -> str:
        return execute(catalog, sql, namespace="sales", schema=COLUMNS).done

    assert run(f"ALTER VIEW daily REPLACE DIALECT hive AS {BETTER}").endswith(
        "Stale is the SQL in spark, trino: change it, or use ALTER VIEW ... KEEP DIALECT if it is still true."
    )
    assert "Stale is the SQL in spark:" in run("ALTER VIEW daily KEEP DIALECT trino")
    assert run("ALTER VIEW daily DROP DIALECT spark") == "Altered sales.daily: version 4."
    assert catalog.load_view(NAME).dialects == ("hive", "trino")


def test_people_see_it(catalog: ViewCatalog, view: View) -> None:
    shown = catalog.alter_view(NAME, sql={"hive": BETTER})
    assert shown_dialects(shown.current_version) == ("spark (stale)", "hive", "trino (stale)")
    assert "trino (stale)" in shown._repr_html_()
    assert "trino (stale)" in shown.history._repr_html_()
    assert "+trino" in str(catalog.diff_view(NAME))
    assert "trino (stale)" in estate.report(catalog).html


@pytest.mark.parametrize(
    ("mark", "stale"),
    [('["Trino"]', ()), ('["trino", "gone"]', ("trino",)), ("nonsense", ("spark", "hive", "trino")), ('"trino"', None)],
)
def test_a_mark_that_cannot_be_read_is_one_on_every_text(view: View, mark: str, stale: tuple[str, ...] | None) -> None:
    version: ViewVersion = view.current_version.model_copy(update={"summary": {STALE_DIALECTS: mark}})
    assert stale_dialects(version) == (version.dialects if stale is None else stale)


def test_the_mark_is_a_list_in_the_summary(catalog: ViewCatalog, view: View) -> None:
    version = catalog.alter_view(NAME, sql={"hive": BETTER}).current_version
    assert json.loads(version.summary[STALE_DIALECTS]) == ["spark", "trino"]
