"""Views that name the columns behind a star, by a live Hive 4.0.1: as in views of its own.

What lives here: Hive 4 as the judge; tests/interop asks Hive 2.3.10 and Spark. What must not: the queries.
"""

from __future__ import annotations

import uuid
from pathlib import Path

from hive_views import ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.containers.engines import Hive
from tests.star_queries import CASES, TABLES, create_tables, row_texts


def test_hive_4_gives_the_names_to_the_columns_as_in_its_own_view(hive: Hive, tmp_path: Path) -> None:
    database, metastore = f"stars_{uuid.uuid4().hex[:12]}", MemoryMetastore()
    metastore.create_namespace(database)
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path))
    create_tables(catalog, database)
    hive.rows(f"CREATE DATABASE {database}")
    hive.rows(f"USE {database}")
    try:
        for statement in TABLES:
            hive.rows(statement.format(""))
        for (query, names), text in zip(CASES, row_texts(catalog, database), strict=True):
            hive.rows(f"CREATE OR REPLACE VIEW ours AS {text}")
            hive.rows(f"CREATE OR REPLACE VIEW own ({', '.join(names)}) AS {query}")
            assert hive.rows("DESCRIBE ours") == hive.rows("DESCRIBE own"), text
    finally:
        hive.rows("USE default")
        hive.rows(f"DROP DATABASE {database} CASCADE")
