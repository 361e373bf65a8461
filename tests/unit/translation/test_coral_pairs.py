"""Which of the pairs of Coral's tests are translated."""

from __future__ import annotations

import pytest

from hive_views.translation import translate
from tests.support.translation.coral_pairs import FILE, Pairs

pytestmark = pytest.mark.peer("shared fixtures")


@pytest.fixture(scope="module")
def coral() -> Pairs:
    if not FILE.exists():
        pytest.skip("the pairs of Coral's tests are not beside this checkout")
    return Pairs()


@pytest.mark.parametrize(("target", "count"), [("trino", 81), ("spark", 85)])
def test_nearly_all_that_are_acceptable_are_translated(coral: Pairs, target: str, count: int) -> None:
    texts = [one for one in coral.texts("hive", target) if one.acceptable]
    assert len(texts) == count
    refused = [one.number for one in texts if translate(one.sql, "hive", target, tables=coral.tables).text is None]
    assert 1 - len(refused) / count >= 0.95, refused
