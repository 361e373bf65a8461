"""What every implementation of the metastore port does, set up through the port alone."""

from __future__ import annotations

from tests.contract.metastore_changes import ChangesInAMetastore
from tests.contract.metastore_namespaces import NamespacesOfAMetastore
from tests.contract.metastore_partitions import PartitionsOfAMetastore
from tests.contract.metastore_rows import RowsOfAMetastore


class MetastoreContract(NamespacesOfAMetastore, RowsOfAMetastore, ChangesInAMetastore, PartitionsOfAMetastore):
    """Inherit it, give a fixture ``metastore``, and say in the attributes of MetastoreSetup how the server differs."""
