"""A catalog on the embedded metastore of a directory, as programs open it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.errors import MetastoreUnavailableError
from hive_views.metastore.embedded.local_metastore import LocalMetastore


def test_a_catalog_keeps_its_server_until_it_and_its_copies_are_closed(java: Path, tmp_path: Path) -> None:
    server = LocalMetastore(tmp_path / "metastore")
    with ViewCatalog.connect(f"local://{server.path}") as catalog:
        view = catalog.create_view("default.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        assert view.location == f"file://{server.path}/views/default.db/v"
        assert str(server.path) in repr(catalog.metastore)
        copy = pickle.loads(pickle.dumps(catalog.metastore))
        assert copy.facts().address == catalog.metastore.facts().address
        assert server.status().running
    try:
        assert copy.load_row(view.identifier).expanded_text == view.row.expanded_text
    finally:
        copy.close()
    assert not server.status().running


def test_a_catalog_that_is_open_for_long_finds_the_server_that_was_started_after_its_own(
    java: Path, tmp_path: Path
) -> None:
    server = LocalMetastore(tmp_path / "metastore")
    with ViewCatalog.connect(f"local://{server.path}") as catalog:
        view = catalog.create_view("default.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        server.stop()
        with pytest.raises(MetastoreUnavailableError):
            catalog.load_view(view.identifier)
        assert not server.status().running, "nobody starts it who only looks"
        with server:
            assert catalog.load_view(view.identifier).uuid == view.uuid
            assert catalog.alter_view(view.identifier, comment="x").comment == "x"
