"""Proofs of translated texts, and their JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive_views.sql.query import QueryText
from hive_views.translation import Checked, EngineRelease, Proof, digest_of, read_proof

ORIGINAL, TRANSLATED = QueryText("SELECT 1 AS a", "hive"), QueryText('SELECT 1 AS "a"', "trino")
DIGEST = digest_of(ORIGINAL, TRANSLATED)
OF_COLUMNS = Proof(Checked.COLUMNS, EngineRelease("Trino", "476"), DIGEST)
OF_ROWS = Proof(Checked.ROWS, EngineRelease("Trino", None), DIGEST, EngineRelease("Hive", "4.0.1"), 1000, False)


@pytest.mark.parametrize("proof", [OF_COLUMNS, OF_ROWS])
def test_a_proof_is_read_as_it_was_written(proof: Proof) -> None:
    assert read_proof(json.loads(json.dumps(proof.document()))) == proof


def test_a_proof_is_of_exactly_two_texts() -> None:
    assert OF_COLUMNS.is_of(ORIGINAL, TRANSLATED)
    others = [
        (QueryText(f"{ORIGINAL} ", "hive"), TRANSLATED),
        (QueryText(ORIGINAL + "", "spark"), TRANSLATED),
        (ORIGINAL, QueryText(TRANSLATED + "\n", "trino")),
        (TRANSLATED, ORIGINAL),
    ]
    assert not [pair for pair in others if OF_COLUMNS.is_of(*pair)]


def test_the_digest_of_two_texts_never_changes() -> None:
    """It is kept with views."""
    assert DIGEST == "sha256:a397df0e8922956cb645054d7a3da4e3e7acd6bec0d30618bb1e6fbcc0ee533a"


def test_a_digest_takes_any_text() -> None:
    strange = QueryText("SELECT '\ud800 \x00 😀' AS a", "hive")
    assert digest_of(strange, TRANSLATED) != digest_of(QueryText("SELECT '? \x00 😀' AS a", "hive"), TRANSLATED)


@pytest.mark.parametrize(
    "document",
    [
        None,
        "rows",
        [],
        {},
        OF_COLUMNS.document() | {"checked": "everything"},
        OF_COLUMNS.document() | {"engine": "Trino"},
        OF_COLUMNS.document() | {"engine": {"name": 7}},
        OF_COLUMNS.document() | {"digest": None},
        OF_COLUMNS.document() | {"checked": "rows"},
        OF_ROWS.document() | {"rows": True},
        OF_ROWS.document() | {"rows": -1},
        OF_ROWS.document() | {"is_complete": "yes"},
        OF_ROWS.document() | {"beside": None},
    ],
)
def test_what_is_no_proof_proves_nothing(document: Any) -> None:
    assert read_proof(document) is None


def test_a_proof_says_what_it_proves() -> None:
    assert str(OF_COLUMNS) == "Trino 476 accepts it, and finds the same columns"
    assert str(OF_ROWS) == "Trino returns the same rows as Hive 4.0.1: the first 1,000, of more"
