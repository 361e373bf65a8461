"""Translated texts of views that are copied or restored in other databases, and those whose tables have changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidInputError
from hive_views.estate import backup, check, copy_views, restore
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.translation import Checked, EngineRelease, Proof
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.translated_texts import translations_asked
from hive_views.views.row.version import stale_dialects, translations
from hive_views.views.view import View
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import NAME, catalog_on

CLICKS = TableIdentifier("sales", "clicks")
SELECT = "SELECT id, size(tags) AS n FROM clicks"
FULL = "SELECT id, size(tags) AS n FROM sales.clicks"


def catalog_with_clicks(trino_catalog: str | None = None) -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), trino_catalog=trino_catalog)
    catalog.create_namespace("web")
    columns = (Column("id", "bigint"), Column("tags", "array<string>"), Column("day", "date"))
    catalog.metastore.create_row(replace(table_row("sales", "clicks"), columns=columns))
    return catalog


def with_setting(catalog: ViewCatalog, trino_catalog: str | None) -> ViewCatalog:
    return ViewCatalog(
        catalog.metastore, catalog.storage, settings=replace(catalog.settings, trino_catalog=trino_catalog)
    )


def with_tags(catalog: ViewCatalog, type_: str) -> None:
    row = catalog.metastore.load_row(CLICKS)
    columns = tuple(replace(one, type=type_) if one.name == "tags" else one for one in row.columns)
    catalog.metastore.swap_row(replace(row, columns=columns), expected=None)


def proved(catalog: ViewCatalog, select: str) -> View:
    view = catalog.create_view(NAME, sql={"hive": select}, translate={"trino": "hive"})
    proof = Proof(Checked.COLUMNS, EngineRelease("Trino", "476"), view.translations["trino"].texts)
    return catalog.alter_view(NAME, proofs=[proof])


def restored(catalog: ViewCatalog, directory: Path, **given: Any) -> View:
    archive = str(directory / "archive.zip")
    backup(catalog, archive)
    restore(given.pop("into", catalog), archive, names={"sales": "web"}, **given)
    return catalog.load_view("web.daily")


@pytest.mark.parametrize("select", [SELECT, FULL])
@pytest.mark.parametrize("setting", ["lake", None])
def test_a_view_restored_in_another_database_has_no_translation_that_reads_the_first_one(
    tmp_path: Path, setting: str | None, select: str
) -> None:
    catalog = catalog_with_clicks("lake")
    proved(catalog, select)
    view = restored(catalog, tmp_path, into=with_setting(catalog, setting))
    assert "`web`.`clicks`" in str(catalog.metastore.load_row(view.identifier).expanded_text)
    assert ('"lake"."web"."clicks"' in view.original_sql("trino")) == bool(setting)
    assert view.stale_dialects == (() if setting else ("trino",))
    assert [one.proofs for one in translations(view.current_version).values()] == [()]


@pytest.mark.parametrize("setting", ["lake", None])
def test_a_copy_of_names_without_a_database_neither(setting: str | None) -> None:
    catalog = catalog_with_clicks("lake")
    proved(catalog, SELECT)
    copying = with_setting(catalog, setting)
    copy_views(copying, copying, str(NAME), names={"sales": "web"})
    view = catalog.load_view("web.daily")
    assert view.stale_dialects == (() if setting else ("trino",))


def test_what_an_engine_has_confirmed_of_other_tables_is_not_kept() -> None:
    catalog = catalog_with_clicks()
    before = proved(catalog, SELECT)
    copy_views(catalog, catalog, str(NAME), names={"sales": "web"})
    copied = catalog.load_view("web.daily")
    assert copied.original_sql("trino") == before.original_sql("trino")
    assert (copied.stale_dialects, copied.translations["trino"].proofs) == ((), ())


def test_what_an_engine_has_confirmed_of_the_same_tables_is_kept() -> None:
    catalog = catalog_with_clicks()
    catalog.create_namespace("raw")
    row = catalog.metastore.load_row(CLICKS)
    catalog.metastore.create_row(replace(row, identifier=TableIdentifier("raw", "clicks")))
    before = proved(catalog, SELECT.replace("clicks", "raw.clicks"))
    copy_views(catalog, catalog, str(NAME), names={"sales": "web"})
    copied = catalog.load_view("web.daily")
    assert copied.translations["trino"].proofs == before.translations["trino"].proofs != ()


def test_an_older_backup_brings_the_text_back_with_its_translation(tmp_path: Path) -> None:
    catalog = catalog_with_clicks("lake")
    before = proved(catalog, SELECT)
    archive = str(tmp_path / "archive.zip")
    backup(catalog, archive)
    catalog.alter_view(NAME, sql={"hive": SELECT.replace("id,", "id + 1 AS id,")})
    restore(catalog, archive, on_conflict="replace")
    view = catalog.load_view(NAME)
    assert (view.original_sql("hive"), view.stale_dialects) == (SELECT, ())
    assert (view.original_sql("trino"), view.translations) == (before.original_sql("trino"), before.translations)


@pytest.mark.parametrize("change", ["comment", "case", "space"])
def test_a_text_that_is_only_written_otherwise_and_refused_now_leaves_the_translation_stale(change: str) -> None:
    catalog = catalog_with_clicks()
    proved(catalog, FULL)
    with_tags(catalog, "string")
    text = {"comment": f"{FULL} -- note", "case": FULL.lower(), "space": FULL.replace(" ", "  ")}[change]
    changed = catalog.alter_view(NAME, sql={"hive": text})
    assert (changed.stale_dialects, dict(changed.translations)) == (("trino",), {})
    assert "text-stale" in [one.code for one in check(catalog).findings]
    with_tags(catalog, "array<string>")
    assert catalog.alter_view(NAME, translate={"trino": "hive"}).stale_dialects == ()


def test_of_a_view_that_is_rolled_back_a_check_says_what_is_not_translated_so_any_more() -> None:
    catalog = catalog_with_clicks()
    first = proved(catalog, FULL)
    catalog.alter_view(NAME, sql={"hive": FULL.replace("id,", "id + 1 AS id,")})
    with_tags(catalog, "string")
    back = catalog.roll_back_view(NAME, to_version=first.current_version.version_id)
    assert stale_dialects(back.current_version) == ()
    assert [one.code for one in check(catalog).findings] == ["translation-refused"]


def test_of_a_view_on_a_view_with_other_columns_a_check_says_it_too() -> None:
    catalog = catalog_with_clicks()
    catalog.create_view("sales.low", sql={"hive": "SELECT id, tags FROM clicks"})
    catalog.create_view(NAME, sql={"hive": "SELECT id, size(tags) AS n FROM low"}, translate={"trino": "hive"})
    catalog.replace_view(
        "sales.low",
        sql={"hive": "SELECT id, CAST(day AS string) AS tags FROM clicks"},
        schema=[("id", "bigint"), ("tags", "string")],
    )
    assert "translation-refused" in [one.code for one in check(catalog).findings]


def test_tables_in_what_trino_calls_the_metastore_are_looked_for() -> None:
    catalog = catalog_with_clicks("lake")
    catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    assert (check(catalog).findings, check(catalog).not_known) == ((), ())
    assert [one.about for one in check(with_setting(catalog, None)).not_known] == ["sources"]
    catalog.metastore.drop_row(CLICKS)
    gone = [one.details["dialect"] for one in check(catalog).findings if one.code == "source-gone"]
    assert gone == ["hive", "trino"]


@pytest.mark.parametrize(
    "given",
    [
        {"comment": "x"},
        {"sql": {"hive": SELECT}},
        {"sql": {"spark": SELECT}},
        {"translate": {"trino": "hive"}, "allow": {"spark": ["session-settings"]}},
    ],
)
def test_differences_are_not_allowed_where_nothing_is_translated_with_them(given: dict[str, Any]) -> None:
    catalog = catalog_with_clicks()
    before = catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    with pytest.raises(InvalidInputError, match="Cannot allow session-settings: the change translates no "):
        catalog.alter_view(NAME, **{"allow": ["session-settings"], **given})
    with pytest.raises(InvalidInputError, match="Cannot allow session-settings"):
        catalog.create_view("sales.other", sql={"hive": SELECT}, allow=["session-settings"])
    assert catalog.load_view(NAME).metadata_location == before.metadata_location
    allowed = catalog.alter_view(NAME, translate={"trino": "hive"}, allow=["session-settings"])
    assert allowed.translations["trino"].allow == ("session-settings",)
    assert catalog.alter_view(NAME, allow=["session-settings"]).metadata_location == allowed.metadata_location
    assert translations_asked(None, ["session-settings"]).is_any
