"""The columns of table-generating functions, in LATERAL VIEW and in a select list."""

from __future__ import annotations

import pytest

from hive_views.analysis import analyze_query
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from tests.support.texts.typed_functions import COLUMNS, GENERATED, ONE_ENGINE_NAMES

TABLES = {("web", "t"): [Column(name, type_) for name, type_ in COLUMNS.items()]}


def columns(sql: str, dialect: str) -> str:
    found = analyze_query(QueryText(sql, dialect), "web", TABLES).columns
    return ", ".join(f"{one.name} {one.type}" for one in found)


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_names_and_types_are_those_of_both_engines(dialect: str) -> None:
    in_view = {call: columns(f"SELECT x.* FROM t LATERAL VIEW {call} x", dialect) for call in GENERATED}
    assert in_view == GENERATED


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_names_that_are_given_take_the_place_of_names_that_differ(dialect: str) -> None:
    for call, names, found in ONE_ENGINE_NAMES:
        assert columns(f"SELECT x.* FROM t LATERAL VIEW OUTER {call} x AS {names}", dialect) == found
        by_default = f"SELECT x.* FROM t LATERAL VIEW {call} x"
        assert not analyze_query(QueryText(by_default, dialect), "web", TABLES).columns[0].is_one
        assert columns(f"SELECT {call} AS ({names}) FROM t", dialect) == found


@pytest.mark.parametrize("call", ["stack(n, i, s)", "posexplode(m)", "my_rows(i)", "explode(s)", "inline(ints)"])
def test_what_is_not_known_stays_open(call: str) -> None:
    assert (
        not analyze_query(QueryText(f"SELECT x.* FROM t LATERAL VIEW {call} x", "hive"), "web", TABLES)
        .columns[0]
        .is_one
    )


def test_rows_of_a_stack_with_different_types_are_uncertain() -> None:
    sql = "SELECT x.* FROM t LATERAL VIEW stack(2, i, s, bi, s) x"
    assert columns(sql, "hive") == "col0 None, col1 string"
