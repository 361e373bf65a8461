"""The contract of the metastore port on real servers in containers: every version, and both kinds of databases."""

from __future__ import annotations

import pytest

from hive_views.metastore.port import Metastore
from tests.contract.metastore_contract import MetastoreContract
from tests.contract.metastore_namespaces import NamespacesOfAServer
from tests.support.containers.metastores import MetastoreServers


class _OnAServer(MetastoreContract, NamespacesOfAServer):
    version: str
    database = "postgres"

    @pytest.fixture
    def metastore(self, metastore_servers: MetastoreServers) -> Metastore:
        return metastore_servers.shared(self.version, self.database).client


class TestHive2OnPostgres(_OnAServer):
    version = "2.3.10"
    tells_identity = False
    alters_comments = False


class TestHive3OnPostgres(_OnAServer):
    version = "3.1.3"
    enforces_swap = False
    changes_columns_in_one_call = False


class TestHive42OnPostgres(_OnAServer):
    version = "4.2.1"
    changes_columns_in_one_call = False
    reports_missing_table_when_listing = False
    drops_row_that_lost_a_key = True


class TestHive4OnMariaDB(TestHive42OnPostgres):
    version = "4.0.1"
    database = "mariadb"
    holds_any_text = False
