"""What the catalog does on every metastore: the parts of the contract as two classes."""

from __future__ import annotations

from tests.contract.catalog_bad_input import BadInputContract
from tests.contract.catalog_foreign import ForeignWritersContract
from tests.contract.catalog_hive_iceberg import HiveIcebergViewsContract
from tests.contract.catalog_moves import MovesContract
from tests.contract.catalog_ownership import OwnershipContract
from tests.contract.catalog_partitions import PartitionsContract
from tests.contract.catalog_recovery import RecoveryContract
from tests.contract.catalog_stale_texts import StaleTextsContract
from tests.contract.catalog_statements import StatementsContract
from tests.contract.catalog_verbs import VerbsContract


class WritingContract(
    VerbsContract,
    MovesContract,
    PartitionsContract,
    ForeignWritersContract,
    HiveIcebergViewsContract,
    RecoveryContract,
    OwnershipContract,
    StaleTextsContract,
):
    """What servers can differ in. Give a fixture ``metastore``; the attributes of CatalogSetup say how one differs."""


class CatalogContract(WritingContract, BadInputContract, StatementsContract):
    """The same, with what is decided before it matters what the server is."""
