"""Assertions in the contracts explain themselves as those of test files do."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.contract.metastore_contract")
pytest.register_assert_rewrite("tests.contract.catalog_setup", "tests.contract.catalog_verbs")
