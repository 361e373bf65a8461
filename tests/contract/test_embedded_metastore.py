"""The Thrift adapter on a real Hive 2.3.10 server: the contract, and what needs the server's disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.contract.metastore_contract import MetastoreContract
from tests.contract.metastore_namespaces import NamespacesOfAServer
from tests.support.views.metastore_setup import location, pointing_to, view_row


class TestEmbeddedMetastore(MetastoreContract, NamespacesOfAServer):
    tells_identity = False
    alters_comments = False

    @pytest.fixture
    def metastore(self, hms: HiveMetastore) -> Metastore:
        return hms


def test_dropping_a_row_leaves_every_file_even_at_its_location(
    hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    """An Iceberg Java commit sets the location to the directory of the metadata files; a plain DROP VIEW deletes it."""
    kept = tmp_path / "v" / "metadata" / "00000.metadata.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    row = view_row(namespace)
    hms.create_row(row)
    needs_repair = replace(hms.load_row(row.identifier), location=f"file:{tmp_path}/v")
    hms.swap_row(pointing_to(needs_repair, location(1)), expected=location(0))
    hms.drop_row(row.identifier)
    assert hms.list_view_names(namespace) == []
    assert kept.read_text() == "{}"


def test_creating_a_view_makes_no_directory(hms: HiveMetastore, namespace: str, tmp_path: Path) -> None:
    hms.create_row(view_row(namespace))
    assert list(tmp_path.iterdir()) == []
