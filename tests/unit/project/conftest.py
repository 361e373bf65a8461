"""A catalog in memory with the table ``web.clicks``."""

from __future__ import annotations

import pytest

from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import table_row
from tests.support.views.quick_catalog import catalog_on


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_namespace("web")
    row = table_row("web", "clicks")
    columns = [("user_id", "bigint"), ("page", "string"), ("ds", "string"), ("name", "varchar(7)")]
    catalog.metastore.create_row(type(row)(**{**vars(row), "columns": tuple(Column(*one) for one in columns)}))
    return catalog
