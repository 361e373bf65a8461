"""What a check says as SARIF, judged by the published schema of SARIF 2.1.0."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.estate import as_sarif, check
from hive_views.estate.checks.findings import CheckReport, NotKnown
from hive_views.metastore.memory import MemoryMetastore
from tests.support.processes.own_environments import node_modules_with
from tests.support.views.quick_catalog import NAME, catalog_on

SCHEMA = "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"


@pytest.mark.peer("npm")
def test_sarif_is_valid_by_its_published_schema(tmp_path: Path) -> None:
    schema = json.loads(
        (node_modules_with("jest-sarif", ["@microsoft/jest-sarif@1.0.0-beta.0"]).parent / SCHEMA).read_bytes()
    )
    jsonschema = pytest.importorskip("jsonschema")
    catalog = catalog_on(MemoryMetastore(), f"file://{tmp_path}", owner="ada")
    catalog.create_view(NAME, sql={"hive": "SELECT a FROM web.gone"}, schema=[("a", "int")])
    row = catalog.metastore.load_row(NAME)
    catalog.metastore.swap_row(replace(row, location="file:///nowhere"), expected=None)
    report = replace(check(catalog), not_known=(NotKnown("sales.other", "columns", "Nobody knows."),))
    assert list(report.counts) == ["location-set", "source-gone"]
    for one in (report, CheckReport((), ())):
        jsonschema.validate(json.loads(json.dumps(as_sarif(one))), schema)
    broken = json.loads(json.dumps(as_sarif(report)).replace('"startLine": 1', '"startLine": 0'))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)
