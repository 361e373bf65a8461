"""tests/interop/translation.md, which says what translations make of each construct, is current."""

from __future__ import annotations

import pytest

from tests.interop.constructs.table import FILE, text

pytestmark = pytest.mark.peer("duckdb")


def test_the_table_is_what_translations_make_of_the_cases(request: pytest.FixtureRequest) -> None:
    pytest.importorskip("duckdb_extension_tpcds", reason="DuckDB's extensions are missing, which have the queries")
    found = text()
    if request.config.getoption("compatibility") == "write":
        FILE.write_text(found, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == found, "write it with --compatibility=write, and read what changed"
