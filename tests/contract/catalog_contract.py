"""What the catalog does on every metastore: all parts of the contract in one class.

What lives here: CatalogContract, inherited by a test class for each metastore and each kind of server. What must not:
tests of what only one of them does.
"""

from __future__ import annotations

from tests.contract.catalog_bad_input import BadInputContract
from tests.contract.catalog_foreign import ForeignWritersContract
from tests.contract.catalog_moves import MovesContract
from tests.contract.catalog_ownership import OwnershipContract
from tests.contract.catalog_partitions import PartitionsContract
from tests.contract.catalog_remains import RemainsContract
from tests.contract.catalog_statements import StatementsContract
from tests.contract.catalog_verbs import VerbsContract


class CatalogContract(
    VerbsContract,
    MovesContract,
    BadInputContract,
    PartitionsContract,
    ForeignWritersContract,
    RemainsContract,
    OwnershipContract,
    StatementsContract,
):
    """Inherit it and give a fixture ``metastore``; the attributes of CatalogSetup say how a server differs."""
