"""Statements that the search for bad ones found and kept (tests/fuzz), and what may come of any text."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from hive_views.ddl.grammar.parse import is_view_statement, parse_script
from hive_views.errors import SQLSyntaxError
from hive_views.sql.syntax_errors import excerpt

CORPUS = Path(__file__).with_name("found_statements.json")
SECONDS = 2.0


def load_corpus() -> list[str]:
    """The texts that were kept."""
    return list(json.loads(CORPUS.read_text(encoding="utf-8"))) if CORPUS.exists() else []


def answer(sql: str) -> str:
    """The kind of answer that a text gets: the statements it has, or the problem without what was found.

    Raises:
        AssertionError: an answer that no text may get.
        Exception: whatever the reading raises that it must not.
    """
    started = time.process_time()
    is_view_statement(sql)
    refused: SQLSyntaxError | None = None
    try:
        found = parse_script(sql)
    except SQLSyntaxError as error:
        refused = error
    seconds = time.process_time() - started
    assert seconds < SECONDS, f"{seconds:.1f} s"
    if refused is None:
        assert all(one.text in sql for one in found), "a statement's text is not in the script"
        return " ".join(type(one.statement).__name__ for one in found[:3])
    assert refused.line >= 1, "an error without place"
    assert excerpt(sql, refused).endswith("^"), "an excerpt without caret"
    return re.sub(r"^.*?: |found .*?(?=, expected|$)|\d+|'.*'", "", str(refused), flags=re.DOTALL)
