"""Assertions in the contracts explain themselves as those of test files do."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    "tests.contract.base_table_contract",
    "tests.contract.history_contract",
    "tests.contract.metastore_changes",
    "tests.contract.metastore_namespaces",
    "tests.contract.metastore_partitions",
    "tests.contract.metastore_rows",
    "tests.support.views.catalog_setup",
    "tests.contract.catalog_verbs",
    "tests.contract.catalog_moves",
    "tests.contract.catalog_bad_input",
    "tests.contract.catalog_partitions",
    "tests.contract.catalog_foreign",
)
