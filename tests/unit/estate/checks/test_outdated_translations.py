"""What a check finds of SQL that is translated from that in another dialect, and how that is fixed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from hive_views.estate.checks.checking import check
from hive_views.estate.checks.findings import CheckReport, Finding
from hive_views.estate.checks.fixes import fix
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER, Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import STALE_DIALECTS, TRANSLATED
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on
from tests.unit.estate_of_clicks import CLICKS, table

V = TableIdentifier("sales", "v")
SQL = "SELECT user_id + 1 AS next, page AS p FROM web.clicks"
COLUMNS = [("next", "bigint"), ("p", "string")]
AGAIN = "alter_view('sales.v', translate={'trino': 'hive'}) translates it again, or says why not."


@pytest.fixture
def calls() -> Counter[str]:
    return Counter()


@pytest.fixture
def catalog(calls: Counter[str]) -> ViewCatalog:
    metastore = MemoryMetastore(on_call=lambda verb: calls.update([verb]))
    catalog = catalog_on(metastore)
    catalog.create_namespace("web")
    metastore.create_row(table(CLICKS, ("user_id", "bigint"), ("page", "string")))
    catalog.create_view(V, sql={"hive": SQL}, schema=COLUMNS, translate={"trino": "hive"})
    return catalog


def with_columns(catalog: ViewCatalog, *columns: tuple[str, str]) -> None:
    row = catalog.metastore.load_row(CLICKS)
    catalog.metastore.drop_row(CLICKS)
    catalog.metastore.create_row(replace(row, columns=tuple(Column(*one) for one in columns)))


def rewrite(catalog: ViewCatalog, summary: dict[str, str], **texts: str) -> None:
    """The current version as another program writes it: with other texts, and what it says of them."""
    view = catalog.load_view(V)
    version = view.current_version
    representations = tuple(
        SQLViewRepresentation(sql=texts.get(one.dialect, one.sql), dialect=one.dialect)
        for one in version.sql_representations
    )
    changed = version.model_copy(update={"summary": {**version.summary, **summary}, "representations": representations})
    metadata = view.metadata.model_copy(update={"versions": (changed,)})
    location = view.metadata_location.replace("00000", "00009")
    catalog.storage.write(location, metadata)
    row = catalog.metastore.load_row(V)
    parameters = {**row.parameters, POINTER: location}
    catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)


def of_translations(report: CheckReport) -> list[Finding]:
    return [one for one in report.findings if one.code not in ("drifted", "needs-repair")]


def test_nothing_is_found_of_a_translation_that_would_be_the_same(catalog: ViewCatalog) -> None:
    report = check(catalog)
    assert (report.findings, report.not_known) == ((), ())


def test_sql_that_would_be_other_sql_is_found_and_translated_again(catalog: ViewCatalog) -> None:
    with_columns(catalog, ("user_id", "int"), ("page", "string"))
    report = check(catalog)
    (found,) = report.findings
    assert (found.code, found.severity, found.fixable, str(found.remedy)) == (
        "outdated-translation",
        "warning",
        True,
        AGAIN,
    )
    assert "would be other SQL with the tables and settings of now: line 2 would be CAST(" in found.problem
    assert fix(catalog, report, "outdated-translation", dry_run=True)[0].state is State.PLANNED
    assert catalog.load_view(V).metadata.current_version_id == 1
    (outcome,) = fix(catalog, report, "outdated-translation")
    assert (outcome.state, outcome.reason) == (State.DONE, "Its trino SQL was translated again.")
    view = catalog.load_view(V)
    assert (view.metadata.current_version_id, list(view.translations)) == (2, ["trino"])
    assert 'CAST("clicks"."user_id" + 1 AS bigint)' in str(view.original_sql("trino"))
    assert check(catalog).findings == ()


def test_newer_rules_are_named(catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.estate.checks.outdated_translations.RULES_VERSION", 777)
    # Where they make the same text of it, nothing has to be done.
    assert check(catalog).findings == ()
    with_columns(catalog, ("user_id", "int"), ("page", "string"))
    assert "would be other SQL by newer rules" in check(catalog).findings[0].problem


def test_sql_that_would_be_refused_now_is_found_with_the_reasons(catalog: ViewCatalog) -> None:
    catalog.alter_view(V, sql={"hive": "SELECT user_id AS next, page AS p FROM web.clicks WHERE page = 'x'"})
    assert list(catalog.load_view(V).translations) == ["trino"]
    with_columns(catalog, ("user_id", "bigint"), ("page", "bigint"))
    found = {one.code: one for one in check(catalog).findings}
    refused = found["translation-refused"]
    assert "would be refused now. Cannot translate the SQL of sales.v from hive to trino: line 1" in refused.problem
    assert "[" in refused.problem
    assert not refused.fixable
    assert str(refused.remedy).startswith(AGAIN)


def test_stale_sql_is_found_with_the_reasons_for_which_it_stayed(catalog: ViewCatalog) -> None:
    catalog.alter_view(V, sql={"hive": "SELECT user_id + 1 AS next, my_udf(page) AS p FROM web.clicks"})
    (found,) = check(catalog).findings
    assert (found.code, found.details["dialect"]) == ("text-stale", "trino")
    assert "It cannot be translated again. Cannot translate" in found.problem
    assert "my_udf" in found.problem
    assert str(found.remedy).startswith(AGAIN)


def test_sql_that_is_stale_and_could_be_translated_now(catalog: ViewCatalog) -> None:
    catalog.alter_view(V, sql={"hive": SQL.replace("page AS p", "other AS p")})
    assert catalog.load_view(V).stale_dialects == ("trino",)
    with_columns(catalog, ("user_id", "bigint"), ("other", "string"))
    (found,) = check(catalog).findings
    assert (found.code, found.problem.endswith("It can be translated again now.")) == ("text-stale", True)


def test_a_source_that_is_stale_is_named(catalog: ViewCatalog) -> None:
    rewrite(catalog, {STALE_DIALECTS: json.dumps(["hive", "trino"])})
    found = {str(one.details["dialect"]): one for one in of_translations(check(catalog))}
    assert {one.code for one in found.values()} == {"text-stale"}
    assert "is translated from the hive SQL, which is stale" in found["trino"].problem


def test_sql_that_another_program_has_changed_is_found_once(catalog: ViewCatalog) -> None:
    rewrite(catalog, {}, trino="SELECT 1 AS next, 'x' AS p")
    (found,) = of_translations(check(catalog))
    assert (found.code, found.details["dialect"]) == ("translation-record", "trino")
    assert "one of them was changed since without the other" in found.problem


@pytest.mark.parametrize("record", ["no JSON", "[]", '{"from": "hive"}'])
def test_a_record_that_cannot_be_read_is_found(catalog: ViewCatalog, record: str) -> None:
    rewrite(catalog, {TRANSLATED + "trino": record})
    (found,) = of_translations(check(catalog))
    assert (found.code, "cannot be read" in found.problem) == ("translation-record", True)


def test_nothing_more_is_said_of_sql_whose_source_cannot_be_read(catalog: ViewCatalog) -> None:
    with_columns(catalog, ("page", "string"))
    assert {one.code for one in check(catalog).findings} == {"column-gone"}
    catalog.metastore.drop_row(CLICKS)
    assert {one.code for one in check(catalog).findings} == {"source-gone"}


def test_tables_whose_columns_are_not_known_are_named(catalog: ViewCatalog) -> None:
    row = catalog.metastore.load_row(CLICKS)
    catalog.metastore.drop_row(CLICKS)
    catalog.metastore.create_row(replace(row, serde_library="org.example.OwnSerDe"))
    report = check(catalog)
    assert report.findings == ()
    (unknown,) = [one for one in report.not_known if one.about == "translation"]
    assert unknown.reason.startswith("Whether the trino SQL is up to date: The metastore does not know the columns of")


@pytest.mark.parametrize("trino_catalog", [None, "lake"])
def test_translating_again_costs_no_call(catalog: ViewCatalog, calls: Counter[str], trino_catalog: str | None) -> None:
    settings = replace(catalog.settings, trino_catalog=trino_catalog)
    catalog = ViewCatalog(catalog.metastore, catalog.storage, settings=settings)
    catalog.alter_view(V, translate={"trino": "hive"})
    assert ('"lake"."web"' in str(catalog.load_view(V).original_sql("trino"))) == (trino_catalog is not None)
    calls.clear()
    assert check(catalog).findings == ()
    with_translation = Counter(calls)
    catalog.alter_view(V, still_true=["trino"], sql={"trino": "SELECT 1 AS next, 'x' AS p"}, same_meaning=True)
    assert not catalog.load_view(V).translations
    calls.clear()
    check(catalog)
    assert calls == with_translation


def test_another_name_of_the_catalog_in_trino_is_found(catalog: ViewCatalog) -> None:
    settings = replace(catalog.settings, trino_catalog="lake")
    (found,) = check(ViewCatalog(catalog.metastore, catalog.storage, settings=settings)).findings
    assert (found.code, '"lake"."web"."clicks"' in found.problem) == ("outdated-translation", True)
