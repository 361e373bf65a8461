"""Views that name the columns behind a star, by a live Hive 4.0.1: as in views of its own."""

from __future__ import annotations

import uuid
from pathlib import Path

from hive_views import ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.support.containers.engines import Hive
from tests.support.texts.star_queries import check_rows, create_tables, make_own_views, make_tables, readings, row_texts


def test_hive_4_reads_the_rows_of_its_own_view(hive: Hive, tmp_path: Path) -> None:
    database, metastore = f"stars_{uuid.uuid4().hex[:12]}", MemoryMetastore()
    metastore.create_namespace(database)
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path))
    create_tables(catalog, database)
    hive.rows(f"CREATE DATABASE {database}")
    hive.rows(f"USE {database}")
    try:
        for statement in (*make_tables(tmp_path), *make_own_views()):
            hive.rows(statement)
        # One query for all of them has more counters than Tez counts.
        check_rows(row for reading in readings(row_texts(catalog, database)) for row in hive.rows(reading))
    finally:
        hive.rows("USE default")
        hive.rows(f"DROP DATABASE {database} CASCADE")
