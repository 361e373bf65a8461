"""Queries of Hive's views that have no text in Trino, and why."""

from __future__ import annotations

from tests.support.translation.cases import hive_views
from tests.support.translation.verdicts import translated


def test_what_is_refused_has_the_reason() -> None:
    found = {
        query: [one.reason.code for one in translated(query, "hive", "trino").refusals] for query in hive_views.REFUSED
    }
    assert found == {query: [code] for query, code in hive_views.REFUSED.items()}
