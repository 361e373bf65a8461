"""Translated texts, verified on engines that answer as they are told to."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

import hive_views
from hive_views.engines.address import read_address
from hive_views.engines.engine_protocol import Engine, QueryRefusedError, Rows
from hive_views.engines.hive_engine import HiveEngine
from hive_views.engines.trino_engine import TrinoEngine
from hive_views.engines.verification import DifferenceKind, Verification
from hive_views.engines.verifying import verify, verify_texts
from hive_views.errors import HiveViewsError, InvalidInputError, UnavailableError, UnsupportedFeatureError
from hive_views.sql.query import QueryText
from hive_views.translation import Checked, EngineRelease, Proof, digest_of, translate
from tests.unit.told_engine import COLUMNS, Told

HIVE, TRINO = "hive://host", "trino://host/lake"
ORIGINAL, TRANSLATED = QueryText("SELECT a, b FROM t", "hive"), QueryText('SELECT "a", "b" FROM t', "trino")
DIGEST = digest_of(ORIGINAL, TRANSLATED)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, Told]:
    """The engines by their addresses."""
    engines: dict[str, Told] = {}

    def connecting(engine: str, *_: Any) -> AbstractContextManager[Engine]:
        return nullcontext(engines[engine])

    monkeypatch.setattr("hive_views.engines.verifying.connecting", connecting)
    return engines


def verified(told: Mapping[str, Told], rows: int | None = None, columns: Any = COLUMNS) -> Verification:
    return verify_texts(ORIGINAL, TRANSLATED, list(told), namespace="web", columns=columns, rows=rows)


def kinds(found: Verification) -> list[DifferenceKind]:
    return [one.kind for one in found.differences]


def test_the_columns_are_those_that_are_wanted(told: dict[str, Told]) -> None:
    told[TRINO] = Told("Trino")
    found = verified(told)
    assert found == Verification((Proof(Checked.COLUMNS, EngineRelease("Trino", "7"), DIGEST),), ())
    assert found.is_verified
    assert told[TRINO].asked == ['SELECT "a", "b" FROM "web".t']
    assert list(found.lines()) == ["Verified: Trino 7 accepts it, and finds the same columns."]


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ([("a", "int")], "Trino 7 finds 1 column in the trino SQL, not 2."),
        ([("a", "bigint"), ("b", "double")], "Column a is bigint by Trino, and int in the original."),
        ([("b", "int"), ("b", "double")], "Column 1 is called b by Trino, and a in the original."),
    ],
)
def test_other_columns_are_a_difference(told: dict[str, Told], columns: Any, says: str) -> None:
    told[TRINO] = Told("Trino", columns=columns)
    found = verified(told)
    assert (found.proofs, kinds(found)) == ((), [DifferenceKind.COLUMNS])
    assert found.differences[0].says == (says,)


def test_what_is_not_known_of_columns_is_asked_of_the_engine_of_the_original(told: dict[str, Told]) -> None:
    told[TRINO], told[HIVE] = Told("Trino"), Told("Hive")
    for columns in ([("a", None), ("b", None)], ()):
        assert verified(told, columns=columns).is_verified
    told[HIVE].found = [("a", "int"), ("b", "array<int>")]
    assert not verified(told, columns=()).is_verified
    # The protocol of Hive does not say of what an array is made.
    told[HIVE].found = [("a", "int"), ("b", None)]
    with pytest.raises(UnsupportedFeatureError, match="no engine says that of b"):
        verified(told, columns=())


def test_the_columns_of_the_original_have_to_be_those_that_are_wanted_too(told: dict[str, Told]) -> None:
    told[TRINO], told[HIVE] = Told("Trino"), Told("Hive", columns=[("a", "bigint"), ("b", "double")])
    found = verified(told, rows=10)
    assert [one.engine.name for one in found.differences] == ["Hive"]
    assert (found.proofs, told[TRINO].wanted) == ((), None)


def test_a_view_gives_names_to_the_columns_of_its_original_text(told: dict[str, Told]) -> None:
    told[TRINO], told[HIVE] = Told("Trino", ((1, 0.5),)), Told("Hive", ((1, 0.5),), [("x", "int"), ("y", "double")])
    assert verified(told, rows=10).is_verified
    # It is asked by its own names.
    wanted = told[HIVE].wanted
    assert wanted
    assert wanted.names == ("x", "y")


def test_an_engine_that_is_named_twice_is_asked_once(told: dict[str, Told]) -> None:
    told[TRINO] = Told("Trino")
    found = verify_texts(ORIGINAL, TRANSLATED, [TRINO, TRINO], namespace="web", columns=COLUMNS)
    assert len(found.proofs) == len(told[TRINO].asked) == 1


def test_the_same_rows_are_a_proof(told: dict[str, Told]) -> None:
    told[TRINO], told[HIVE] = Told("Trino", ((1, 0.5), (2, None))), Told("Hive", ((2, None), (1, 0.5)))
    trino, hive = EngineRelease("Trino", "7"), EngineRelease("Hive", "7")
    assert verified(told, rows=10).proofs == (Proof(Checked.ROWS, trino, DIGEST, hive, 2, True),)
    wanted = told[HIVE].wanted
    assert wanted
    assert ([str(one) for one in wanted.types], wanted.order, wanted.limit) == (["int", "double"], (0, 1), 11)


def test_of_more_rows_the_first_are_compared(told: dict[str, Told]) -> None:
    """As the order decides which these are, what follows does not matter."""
    told[HIVE] = Told("Hive", ((1, 0.5), (2, 0.5), (3, 0.5)))
    told[TRINO] = Told("Trino", ((1, 0.5), (2, 0.5), (4, 0.5)))
    [proof] = verified(told, rows=2).proofs
    assert (proof.rows, proof.is_complete) == (2, False)
    assert not verified(told, rows=3).is_verified


def test_more_rows_than_the_other_has_are_a_difference(told: dict[str, Told]) -> None:
    told[HIVE], told[TRINO] = Told("Hive", ((1, 0.5), (2, 0.5), (3, 0.5))), Told("Trino", ((1, 0.5), (2, 0.5)))
    for rows in (2, 3):
        found = verified(told, rows=rows)
        [difference] = found.differences
        assert [(one.original, one.translated) for one in difference.rows] == [((3, 0.5), None)]
        assert list(found.lines())[1:] == ["  Only in the original: a 3, b 0.5"]
    [says] = difference.says
    assert says.startswith("Hive 7 returns 3 rows for the original, and Trino 7 2 rows for the translation.")
    assert says.endswith("Rows of only one of them: 1 and 0.")


def test_a_difference_names_the_first_rows_and_their_columns(told: dict[str, Told]) -> None:
    told[HIVE] = Told("Hive", ((1, 0.5), (2, None), (3, 0.5), (4, 0.5), (5, 0.5)))
    told[TRINO] = Told("Trino", ((1, 0.5), (2, 1.5), (7, 0.25), (8, 0.25), (9, 0.25)))
    found = verified(told, rows=10)
    [difference] = found.differences
    assert [(one.columns, one.original, one.translated) for one in difference.rows] == [
        (("b",), (2, None), (2, 1.5)),
        (("a", "b"), (3, 0.5), (7, 0.25)),
        (("a", "b"), (4, 0.5), (8, 0.25)),
    ]
    assert list(found.lines())[1:4] == ["  In b:", "    original:    a 2, b NULL", "    translation: a 2, b 1.5"]
    [document] = found.document()["differences"]
    assert document["rows"][0] == {
        "columns": ["b"],
        "original": {"a": "2", "b": "NULL"},
        "translated": {"a": "2", "b": "1.5"},
    }


@pytest.mark.parametrize(
    ("rows", "is_decided"), [(((1, (1,)), (2, (1,)), (3, (1,))), True), (((1, (1,)), (2, (1,)), (2, (2,))), False)]
)
def test_rows_that_no_order_decides_are_not_compared(told: dict[str, Told], rows: Rows, *, is_decided: bool) -> None:
    columns = [("a", "int"), ("b", "array<int>")]
    told[HIVE], told[TRINO] = Told("Hive", rows, columns), Told("Trino", rows, columns)
    if is_decided:
        assert verified(told, rows=2, columns=columns).is_verified
    else:
        with pytest.raises(UnsupportedFeatureError, match="engines do not order by b, and the other columns do not"):
            verified(told, rows=2, columns=columns)
    assert verified(told, rows=3, columns=columns).is_verified


def test_a_query_that_fails_is_a_difference_and_an_engine_that_fails_is_an_error(told: dict[str, Told]) -> None:
    told[HIVE], told[TRINO] = Told("Hive", ((1, 0.5),)), Told("Trino", QueryRefusedError("Cannot cast 'x' to INT"))
    [difference] = verified(told, rows=2).differences
    assert difference.kind is DifferenceKind.REFUSED
    assert difference.says == ("Trino 7 fails to run the trino SQL: Cannot cast 'x' to INT",)
    told[TRINO] = Told("Trino", UnavailableError("Trino failed: no nodes"))
    with pytest.raises(UnavailableError):
        verified(told, rows=2)


@pytest.mark.parametrize(
    ("engines", "rows", "columns", "problem"),
    [
        ([], None, COLUMNS, "Give an engine that reads the translated SQL, which is of the dialect trino."),
        ([HIVE], None, COLUMNS, "Give an engine that reads the translated SQL, which is of the dialect trino."),
        (TRINO, None, COLUMNS, "Give engines as a list"),
        ([TRINO, "spark"], None, COLUMNS, "An engine of the dialect spark cannot verify a translation from hive to tr"),
        ([TRINO], 10, COLUMNS, "Also give an engine that reads the original SQL, of the dialect hive: to compare rows"),
        ([TRINO], None, [("a", None), ("b", "int")], "of the dialect hive: the type of a is not known."),
        ([TRINO], None, (), "of the dialect hive: the columns are not known."),
        ([TRINO, HIVE], 0, COLUMNS, "Cannot compare 0 rows: give at least 1"),
        (["presto://ann:Secret9@host/lake"], None, COLUMNS, "expected spark, trino://user@host:8080/catalog"),
    ],
)
def test_what_cannot_be_verified_is_refused_before_an_engine_is_asked(
    engines: Any, rows: int | None, columns: Any, problem: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        verify_texts(ORIGINAL, TRANSLATED, engines, namespace="web", columns=columns, rows=rows)
    assert problem in str(refused.value)
    assert "Secret9" not in str(refused.value)


def test_a_translation_knows_what_is_to_be_verified(told: dict[str, Told]) -> None:
    text = "SELECT i AS a, i / 2 AS b FROM t"
    found = translate(text, tables={("web", "t"): [hive_views.Column("i", "int")]}, namespace="web")
    told[TRINO] = Told("Trino")
    [proof] = hive_views.verify(found, [TRINO]).proofs
    assert found.text
    assert proof.is_of(QueryText(text, "hive"), QueryText(found.text, "trino"))
    told[TRINO].found = [("a", "int"), ("b", "int")]
    assert not verify(found, [TRINO]).is_verified


def test_a_refused_translation_has_nothing_to_be_verified() -> None:
    found = translate("SELECT my_udf(i) AS a FROM t", tables={("web", "t"): [hive_views.Column("i", "int")]})
    with pytest.raises(HiveViewsError, match="it has no text"):
        verify(found, [TRINO])


@pytest.mark.parametrize("engine", [HiveEngine(None, read_address(HIVE), 1), TrinoEngine(None, read_address(TRINO))])
def test_a_release_that_an_engine_does_not_say_is_none(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hive says it from release 2.1 on."""

    def ask(_: str) -> Any:
        raise QueryRefusedError("Invalid function 'version'")

    monkeypatch.setattr(engine, "_ask", ask)
    assert engine.version() is None


def test_a_local_spark_needs_a_catalog() -> None:
    with pytest.raises(InvalidInputError, match="give catalog="):
        verify_texts(ORIGINAL, QueryText("SELECT 1", "spark"), ["spark"], namespace="web", columns=COLUMNS)
