"""Which texts of a view are stale after a change, on every metastore."""

from __future__ import annotations

import logging

import pytest

from hive_views import estate
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.views.catalog_setup import BETTER, CatalogSetup
from tests.support.views.foreign_writers import hive_create_or_replace

EVEN_BETTER = BETTER.replace("page", "session_id")


class StaleTextsContract(CatalogSetup):
    def test_a_text_is_stale_from_the_change_of_another_until_it_is_changed_too(
        self, catalog: ViewCatalog, view: View, caplog: pytest.LogCaptureFixture
    ) -> None:
        name = view.identifier
        assert view.stale_dialects == ()
        assert catalog.alter_view(name, sql={"hive": BETTER}).stale_dialects == ("trino",)
        assert catalog.alter_view(name, comment="new").stale_dialects == ("trino",)
        assert catalog.alter_view(name, sql={"hive": EVEN_BETTER}).stale_dialects == ("trino",)
        with caplog.at_level(logging.WARNING, "hive_views"):
            assert catalog.load_view(name).stale_dialects == ("trino",)
        assert "the trino SQL is stale" in caplog.text
        found = estate.check(catalog, str(name)).of("text-stale")
        assert [one.details for one in found] == [{"dialect": "trino"}]
        assert catalog.alter_view(name, sql={"trino": EVEN_BETTER}).stale_dialects == ()
        assert catalog.roll_back_view(name, to_version=2).stale_dialects == ("trino",)
        assert catalog.roll_back_view(name, to_version=1).stale_dialects == ()
        assert estate.check(catalog, str(name)).of("text-stale") == ()

    def test_what_another_program_put_into_the_row_makes_other_texts_stale_when_it_is_adopted(
        self, catalog: ViewCatalog, view: View
    ) -> None:
        row = catalog.metastore.load_row(view.identifier)
        catalog.metastore.swap_row(hive_create_or_replace(row, BETTER), expected=None)
        adopted = catalog.alter_view(view.identifier, set_properties={"k": "v"}, on_drift="adopt")
        assert (adopted.stale_dialects, adopted.original_sql("hive")) == (("trino",), BETTER)
        kept = catalog.alter_view(view.identifier, still_true=["trino"])
        assert (kept.stale_dialects, kept.differences) == ((), ())
        dropped = catalog.alter_view(view.identifier, drop_dialects=["trino"])
        assert dropped.dialects == ("hive",)
        assert catalog.load_view(view.identifier).differences == ()
