"""The pairs of Coral's tests: a text and its translation return the same rows, or it is refused with a reason.

A sixth of them is run, and all with ``TRANSLATIONS=all``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from hive_views.errors import SQLSyntaxError
from hive_views.translation import translate
from tests.interop.engines.translation.other_tables import create, drop, files_of
from tests.interop.engines.translation.pair_outcomes import Outcome, figures, outcome
from tests.interop.engines.translation.sampling import some
from tests.support.java.hive_2 import Hive2
from tests.support.translation.answers import Answer
from tests.support.translation.asking import Bench
from tests.support.translation.comparing import differing
from tests.support.translation.coral_pairs import FILE, Pairs, Text
from tests.support.translation.engines import HiveServer
from tests.support.translation.verdicts import ENGINES, Judged, judge_translation

pytestmark = pytest.mark.peer("shared fixtures")

Pair = tuple[str, str]
PAIRS: dict[Pair, int] = {
    ("hive", "trino"): 165,
    ("hive", "spark"): 125,
    ("spark", "trino"): 117,
    ("spark", "hive"): 117,
}
"""Directions, and how many texts there are for each."""

_TOLD = {("hive", "trino"): {20, 143, 144, 162}, ("hive", "spark"): {739}, ("spark", "trino"): {739}}
"""Texts of the clock, which no two engines read at once; parts of an emoji; sets, whose elements have no order."""
_SORTED = re.compile(r"\bORDER\s+BY ([^()]+)$", re.IGNORECASE)
_AT_ONCE = 4


@pytest.fixture(scope="module")
def coral() -> Pairs:
    if not FILE.exists():
        pytest.skip("the pairs of Coral's tests are not beside this checkout")
    return Pairs()


@pytest.fixture(scope="module")
def with_tables(bench: Bench, engines: Any, hive_2: Hive2, coral: Pairs) -> Iterator[Bench]:
    """The bench with the tables that the pairs read."""
    directory = files_of(bench)

    def spark(statement: str) -> object:
        return bench.ask("spark", statement)

    read = [text.sql for pair in PAIRS for text in (*some(coral.texts(*pair)), *_sorting(coral, pair))]
    tables = {key: columns for key, columns in coral.tables.items() if any(map(_naming(*key).search, read))}
    statements = create(tables, directory, spark) + create(coral.mild_tables, directory, spark, mild=True)
    for statement in statements:
        hive_2.rows(statement)
    with closing(HiveServer(engines.hive.address, statements)):
        pass
    yield bench
    statements = drop({**tables, **coral.mild_tables})
    for statement in statements:
        spark(statement)
        hive_2.rows(statement)
    with closing(HiveServer(engines.hive.address, statements)):
        pass


def _naming(database: str, table: str) -> re.Pattern[str]:
    return re.compile(rf"\b{database}\.[`\"]?{table}\b")


def _sorting(coral: Pairs, pair: Pair) -> list[Text]:
    return [one for one in coral.texts(*pair) if pair[0] == "hive" and _SORTED.search(one.sql)]


def outcomes(bench: Bench, coral: Pairs, pair: Pair, texts: list[Text]) -> list[Outcome]:
    """What becomes of texts in one direction."""
    tables = {**coral.tables, **coral.mild_tables}

    def judged(sql: str) -> Judged:
        return judge_translation(bench, sql, translate(sql, *pair, tables=tables))

    def found(text: Text) -> Outcome:
        try:
            one = judged(text.sql)
        except SQLSyntaxError as error:
            return Outcome(text.number, text.acceptable, "refused", ("syntax",), f"{text.number}: {error}")
        if (one.fails or one.not_run) and text.on_mild_tables != text.sql:
            one = judged(text.on_mild_tables)
        return outcome(text.number, text.acceptable, one)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(found, texts))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_the_same_rows_or_a_reason(with_tables: Bench, coral: Pairs, pair: Pair) -> None:
    texts = coral.texts(*pair)
    assert len(texts) == PAIRS[pair]
    found = outcomes(with_tables, coral, pair, some(texts))
    print(pair, figures(found))
    assert not [one.said for one in found if one.word == "different"]
    assert not [one.said for one in found if one.word == "told" and one.number not in _TOLD.get(pair, ())]
    assert all(one.codes for one in found if one.word == "refused")
    words = {one.word for one in found}
    assert "refused" in words
    assert words & {"same", "rewritten"}


@pytest.mark.parametrize("pair", [("hive", "trino"), ("hive", "spark")], ids="-".join)
def test_the_order_that_the_text_says(with_tables: Bench, coral: Pairs, pair: Pair) -> None:
    """Rows of one key may stand in any order, and where NULL stands is told of."""
    texts = _sorting(coral, pair)
    assert texts
    for text in texts:
        found = translate(text.sql, *pair, tables=coral.tables).text
        assert found, text
        keys = [key.split()[0].lower() for key in _SORTED.findall(text.sql)[0].split(",")]
        meant = _keys_in_order(with_tables, ENGINES[pair[0]][0], text.sql, keys)
        for engine in ENGINES[pair[1]]:
            answer = _keys_in_order(with_tables, engine, found, keys)
            assert differing(meant, answer, in_order=True) is None, (text, engine)


def _keys_in_order(bench: Bench, engine: str, sql: str, keys: list[str]) -> Answer:
    answer = bench.ask(engine, sql)
    names = [name.rpartition(".")[2].lower() for name, _ in answer.columns]
    places = [names.index(key) for key in keys]
    rows = [tuple(row[at] for at in places) for row in answer.rows]
    return Answer(tuple(answer.columns[at] for at in places), tuple(row for row in rows if None not in row))
