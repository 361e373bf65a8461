"""The contract of the catalog on real servers in containers: every version; one of them on MariaDB.

What lives here: how the servers differ from Hive 2.3.10, as attributes. What must not: tests of what only one of them
does.
"""

from __future__ import annotations

import pytest

from hive_views.metastore.port import Metastore
from tests.containers.metastores import MetastoreServers
from tests.contract.catalog_contract import CatalogContract
from tests.contract.catalog_ownership import UnlockedWritersContract


class _OnAServer(CatalogContract):
    version: str
    database = "postgres"

    @pytest.fixture
    def metastore(self, metastore_servers: MetastoreServers) -> Metastore:
        return metastore_servers.shared(self.version, self.database).client


class TestHive2OnPostgres(_OnAServer, UnlockedWritersContract):
    version = "2.3.10"


class TestHive3OnPostgres(_OnAServer):
    """It compares no pointers (HIVE-26882 came later): nothing but the lock keeps writers apart."""

    version = "3.1.3"
    changes_columns_in_one_call = False


class TestHive42OnPostgres(_OnAServer, UnlockedWritersContract):
    version = "4.2.1"
    changes_columns_in_one_call = False


class TestHive4OnMariaDB(_OnAServer, UnlockedWritersContract):
    version = "4.0.1"
    database = "mariadb"
    changes_columns_in_one_call = False
    holds_any_text = False
