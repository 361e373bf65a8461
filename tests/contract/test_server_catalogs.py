"""The contract of the catalog on real servers in containers: what can differ there from a Hive 2.3.10 on Derby.

A 2.3.10 is the embedded one, and every verb is on a 3.1.3 too. A 4.2.1 is here for what compares pointers without a
lock, with the verbs and partitions; a 4.0.1 for its database, with texts, values and swaps. What a version makes of
each call on each database, also on partitions, is proved call by call (test_server_metastores.py).
"""

from __future__ import annotations

import pytest

from hive_views.metastore.port import Metastore
from tests.contract.catalog_contract import WritingContract
from tests.contract.catalog_ownership import UnlockedWritersContract
from tests.contract.catalog_partitions import PartitionsContract
from tests.contract.catalog_verbs import VerbsContract
from tests.support.containers.metastores import MetastoreServers


class _OnAServer:
    version: str
    database = "postgres"
    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self, metastore_servers: MetastoreServers) -> Metastore:
        return metastore_servers.shared(self.version, self.database).client


class TestHive3OnPostgres(_OnAServer, WritingContract):
    """It compares no pointers (HIVE-26882 came later): nothing but the lock keeps writers apart."""

    version = "3.1.3"


class TestHive42OnPostgres(_OnAServer, VerbsContract, PartitionsContract, UnlockedWritersContract):
    version = "4.2.1"


class TestHive4OnMariaDB(_OnAServer, VerbsContract, UnlockedWritersContract):
    """What its database can differ in: texts, values, and swaps at the same time."""

    version = "4.0.1"
    database = "mariadb"
    holds_any_text = False
