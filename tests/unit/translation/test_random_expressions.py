"""Random expressions and queries, translated without engines: a text or a reason comes of them, never a fault."""

from __future__ import annotations

import pytest

from hive_views.errors import SQLSyntaxError
from tests.support.translation.cases import random_finds
from tests.support.translation.random_expressions import RandomExpressions
from tests.support.translation.verdicts import translated

PAIRS = list(random_finds.SAME)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_nothing_but_a_mistake_in_the_text_is_raised(pair: tuple[str, str]) -> None:
    made = RandomExpressions(1, pair[0])
    texts = [f"SELECT {made.expression()} AS c FROM bench.t" for _ in range(150)]
    translations = 0
    for text in [*texts, *(made.query() for _ in range(30))]:
        try:
            found = translated(text, *pair)
        except SQLSyntaxError:
            continue
        assert (found.text is None) == bool(found.refusals)
        translations += found.text is not None
    assert translations > 30


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_what_was_found_before_is_refused_with_its_code(pair: tuple[str, str]) -> None:
    for expression, code in random_finds.REFUSED[pair].items():
        found = translated(f"SELECT {expression} AS c FROM bench.t", *pair)
        assert {one.reason.code for one in found.refusals} == {code}, expression
