"""Texts that Spark wrote in a session with settings of its own, and their translations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views.errors import TranslationRefusedError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import table_row
from tests.support.views.foreign_writers import spark_alter_view_as
from tests.support.views.quick_catalog import NAME, catalog_on

SELECT = "SELECT id FROM sales.clicks"
OTHER = "SELECT id FROM sales.clicks WHERE id > 1"
ZONE = "view.sqlConfig.spark.sql.session.timeZone"


@pytest.fixture
def catalog() -> ViewCatalog:
    """``sales.daily`` with a translated text, which Spark has altered in a session in Berlin."""
    catalog = catalog_on(MemoryMetastore())
    catalog.metastore.create_row(replace(table_row("sales", "clicks"), columns=(Column("id", "bigint"),)))
    catalog.create_view(NAME, sql={"hive": SELECT}, translate={"trino": "hive"})
    altered = spark_alter_view_as(catalog.metastore.load_row(NAME), OTHER, (Column("id", "bigint"),))
    altered = replace(altered, parameters={**altered.parameters, ZONE: "Europe/Berlin"})
    catalog.metastore.swap_row(altered, expected=None)
    return catalog


def test_what_spark_wrote_in_another_zone_is_not_translated_as_if_it_were_of_any(catalog: ViewCatalog) -> None:
    adopted = catalog.repair_view(NAME, on_drift="adopt")
    assert (adopted.stale_dialects, adopted.original_sql("hive")) == (("trino",), OTHER)
    with pytest.raises(TranslationRefusedError, match=r"timeZone = Europe/Berlin: .*\[session-settings\]"):
        catalog.alter_view(NAME, translate={"trino": "hive"})
    allowed = catalog.alter_view(NAME, translate={"trino": "hive"}, allow=["session-settings"])
    assert (allowed.stale_dialects, list(allowed.translations)) == ((), ["trino"])


def test_sql_that_is_given_after_it_is_of_no_session(catalog: ViewCatalog) -> None:
    catalog.repair_view(NAME, on_drift="adopt")
    given = catalog.alter_view(NAME, sql={"hive": SELECT})
    assert (given.stale_dialects, list(given.translations)) == ((), ["trino"])
