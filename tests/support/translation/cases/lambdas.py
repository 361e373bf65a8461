"""Functions of Spark that take a function: what is the same in Trino, what is refused, and why."""

from __future__ import annotations

from tests.support.translation.case_lines import case_lines

SAME = case_lines("""
    transform(ai, x -> x + i)   transform(ai, x -> x % 2)   transform(ast, e -> concat(e, s))
    transform(ast, e -> upper(e))   filter(ai, x -> x > 1)   filter(ai, x -> x > 1 AND i > 0)
    filter(ast, S -> S IS NOT NULL)   exists(ai, x -> x > 1)   exists(ai, x -> x IS NULL)   exists(ast, x -> x = s)
    forall(ai, x -> x > 0)   forall(ast, x -> x IS NOT NULL)   aggregate(ai, 0, (acc, x) -> acc + coalesce(x, 0))
    aggregate(ai, 0, (acc, x) -> acc + x)   aggregate(ai, 0, (acc, x) -> acc + x, acc -> acc * 2)
    aggregate(ast, '', (acc, x) -> concat(acc, coalesce(x, '-')))
    aggregate(ai, cast(0 as bigint), (acc, x) -> acc + x)   aggregate(ai, 0.0D, (acc, x) -> acc + x)
    reduce(ai, 0, (a, b) -> greatest(a, coalesce(b, 0)))   transform(ars, e -> e.a)
    transform(ars, e -> named_struct('k', e.b, 'n', e.a))   filter(ars, e -> e.a > 1)
    zip_with(ai, ast, (x, y) -> concat(cast(x as string), y))   zip_with(ai, ai, (x, y) -> x * y)
    map_filter(m, (k, v) -> v > 1)   transform_values(m, (k, v) -> v + 1)
    transform_values(m, (k, v) -> concat(k, 'x'))   transform(ai, x -> transform(ai, x -> x + 1))
    transform(ai, e -> array_max(array(e, 1)))   transform(ai, e -> array_contains(ai, e))
    transform(ai, `group` -> `group` + 1)   array_join(transform(ai, x -> cast(x as string)), ',')
    aggregate(filter(ai, x -> x IS NOT NULL), 0, (s, x) -> s + x)   transform(ai, i -> i + 1)
    transform(ai, x -> CASE WHEN x > 1 THEN 'a' ELSE s END)   transform(ast, x -> coalesce(x, s))
    transform(ast, x -> trim(x))   filter(ai, x -> x IN (1, 2, NULL))   filter(ai, x -> x BETWEEN 1 AND 5)
    transform(ai, x -> x / 2)   transform(ai, x -> cast(x as double))   transform(ai, x -> if(x > 0, x, NULL))
    transform(array(dt), x -> year(x))   transform(array(n), x -> x * 2)   transform(array(ts), x -> x)
    exists(array(b, true), x -> x)   transform(array(c), x -> x)   transform(array(v), x -> length(x))
    exists(ai, x -> NOT x > 1)   transform(ai, x -> x = 1 OR x = 2)
    aggregate(ai, 0, (acc, x) -> IF(x > acc, x, acc))   transform(filter(ai, x -> x > 0), x -> -x)
    aggregate(array(n), n, (acc, x) -> acc)   transform(map_keys(m), k -> m[k])   transform(ast, x -> x like 'a%')
    transform(ast, x -> substr(x, 2))   transform(ai, x -> NULL)   transform(ai, x -> 1)
    transform(array(array(1,2), ai), x -> x[0])   transform(array(m), x -> x['a'])   transform(array(m), x -> x[s])
    filter(ai, x -> x > 1)[0]   transform(ai, x -> ai[x])   exists(ai, x -> x NOT IN (1, 2, NULL))
    aggregate(ai, cast(NULL as int), (a, x) -> coalesce(a, x))   transform(ars, x -> x.a + x.a)
    transform(array(st), x -> x)   aggregate(transform(ars, x -> x.a), 0, (a, x) -> a + coalesce(x, 0)) > 1
    transform(ai, x -> transform(ast, y -> concat(x, y)))   filter(map_values(m), v -> v > 1)
    array_max(transform(ai, x -> x))
""")
"""What is the same on every row."""

REFUSED = {
    **dict.fromkeys(("transform(ai, (x, i) -> x + i)", "filter(ai, (x, i) -> i > 0)"), "lambda"),
    **dict.fromkeys(("forall(ai, x -> x)", "filter(ai, x -> NULL)"), "lambda"),
    **dict.fromkeys(("aggregate(array(n), n, (acc, x) -> acc + x)", "aggregate(ai, NULL, (acc, x) -> acc)"), "lambda"),
    **dict.fromkeys(("transform_keys(m, (k, v) -> upper(k))", "map_zip_with(m, m, (k, x, y) -> x)"), "function"),
    **dict.fromkeys(("array_sort(ai, (x, y) -> x - y)",), "not-known"),
    "transform(ai, x -> struct(x, s))": "unknown-type",
    "transform(ai, x -> hash(x))": "hash",
    "size(filter(ai, x -> x > 1))": "size-of-null",
}
"""What is refused, and the code of the reason."""
