"""Expanded texts, answered by a real Spark: the same rows as the texts as typed, under the schema's names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.texts.expanded_texts import CASES, NAMESPACE, TABLES, Case

pytestmark = [pytest.mark.peer("java"), pytest.mark.spark, pytest.mark.pinned]

COMPARED = [case for case in CASES if case.answered and "spark" in case.judges]


@pytest.fixture(scope="module")
def answers(java: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """Spark's answers to each text as typed, in the view's namespace, and expanded, in another; by rule and kind."""
    pytest.importorskip("pyspark")
    keys = [(case.rule, kind) for case in COMPARED for kind in ("typed", "expanded")]
    queries = [query for case in COMPARED for query in ((NAMESPACE, case.sql.strip()), ("default", case.expanded))]
    folder = tmp_path_factory.mktemp("spark")
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("spark_answers.py")],
        input=json.dumps({"tables": TABLES, "queries": queries, "warehouse": str(folder / "warehouse")}),
        capture_output=True,
        text=True,
        timeout=540,
        cwd=folder,
        env={**os.environ, "JAVA_HOME": str(java.parent.parent), "SPARK_LOCAL_IP": "127.0.0.1"},
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return dict(zip(keys, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize("case", COMPARED, ids=[case.rule for case in COMPARED])
def test_an_expanded_text_returns_the_same_rows_under_the_schemas_names(
    case: Case, answers: dict[tuple[str, str], Any]
) -> None:
    typed, expanded = answers[case.rule, "typed"], answers[case.rule, "expanded"]
    assert "error" not in expanded, expanded
    assert [name.lower() for name in expanded["columns"]] == case.columns.lower().split()
    assert "error" not in typed, typed
    assert expanded["rows"] == typed["rows"]
    assert typed["rows"]
