"""The functions that a query calls."""

from __future__ import annotations

import pytest

from hive_views.analysis.tree.calls import FunctionCalls, functions_called
from hive_views.sql.query import QueryText


def called(text: str, dialect: str = "hive") -> FunctionCalls:
    query = QueryText(text, dialect)
    return functions_called(query.statement.tree, query)


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize(
    ("selected", "names"),
    [
        ("Upper(s), `lower`(s), my_Udf(s), web.f(s)", "lower my_udf upper web.f"),
        (
            "ceil(a), floor(a), trim(s), initcap(s), substring(s, 1), char_length(s)",
            "ceil char_length floor initcap substring trim",
        ),
        ("extract(year FROM a), if(a, b, c), nvl(a, b), date_sub(a, 1)", "date_sub extract if nvl"),
        (
            "from_utc_timestamp(a, 'UTC'), shiftleft(a, 1), mod(a, b), unix_timestamp(s)",
            "from_utc_timestamp mod shiftleft unix_timestamp",
        ),
        ("date_format(a, 'y'), year(a), get_json_object(a, '$.b')", "date_format get_json_object year"),
        ("rank() OVER (ORDER BY a), count(*), percentile(a, 0.5)", "count percentile rank"),
        ("a + b, a || b, -a, a IN (1), a RLIKE 'x', a[0], s.b, NOT a, (a), *, t.*, 1, 'x', DATE '2026-08-01'", ""),
        ("CASE WHEN a THEN b END, CAST(a AS int), a IS NULL, EXISTS (SELECT 1 FROM t), INTERVAL 1 DAY", ""),
        ("/*+ MAPJOIN(x) */ a", ""),
    ],
)
def test_calls_have_the_names_that_are_written_and_operators_are_none(selected: str, names: str, dialect: str) -> None:
    assert called(f"SELECT {selected} FROM t", dialect).all == tuple(names.split())


def test_calls_are_found_in_every_clause_and_subquery() -> None:
    found = called(
        "WITH c AS (SELECT abs(a) AS a FROM t) "
        "SELECT x FROM c JOIN u ON sqrt(c.a) = u.a LATERAL VIEW explode(b) l AS x WHERE a IN (SELECT max(a) FROM u) "
        "GROUP BY x HAVING min(a) > 0 UNION ALL SELECT sum(a) FROM (SELECT ln(a) FROM t) d"
    )
    assert found.all == ("abs", "explode", "ln", "max", "min", "sqrt", "sum")


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_chance_the_clock_the_session_and_java_are_not_deterministic(dialect: str) -> None:
    text = "SELECT rand(7), uuid(), current_date, CURRENT_TIMESTAMP(), current_user(), reflect('a', 'b'), abs(a) FROM t"
    expected = ("current_date", "current_timestamp", "current_user", "rand", "reflect", "uuid")
    assert called(text, dialect).nondeterministic == expected
    assert called("SELECT unix_timestamp() FROM t", dialect).nondeterministic == ("unix_timestamp",)
    assert (
        called("SELECT unix_timestamp(s, 'yyyy'), row_number() OVER (ORDER BY a) FROM t", dialect).nondeterministic
        == ()
    )


def test_aggregates_that_take_rows_as_they_come_depend_on_their_order() -> None:
    found = called("SELECT collect_list(a), max(b), first_value(a) OVER (ORDER BY b) FROM t")
    assert (found.order_dependent, found.nondeterministic) == (("collect_list",), ())
