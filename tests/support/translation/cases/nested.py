"""Arrays, maps and structs, and views of their elements: what is the same in Trino, what is refused, and why."""

from __future__ import annotations

from tests.support.translation.cases import lambdas

_IN_BOTH = (
    *(
        "ai[0]",
        "ai[5]",
        "ai[-1]",
        "ai[i]",
        "ai[ti]",
        "ai[si]",
        "ast[ti]",
        "split(s, ',')[0]",
        "array(array(1, 2))[0][1]",
    ),
    *("m['a']", "m['zz']", "m[s]", "m[v]", "m[1]", "map(1, 'a')[ti]", "map(1, 'a', 2, s)[i]", "map('1', 'a')[i]"),
    *("map(cast(1 as bigint), 'a')[l]", "map('x', ast)['x'][0]", "map('x', map('y', i))['x']['y']"),
    *("st", "st.a", "st.b", "ars.a", "ars.b", "ars[0]", "ars[0].a", "ars[1].b", "array(st)[0].b", "array(st, NULL)"),
    *("named_struct('A', i, 'b', s).a", "named_struct('x', ars).x[0].a", "array(named_struct('a', 1)).a"),
    *("array(1, 2.5)", "array(i, l)", "array(i, NULL)", "array(n, i)", "array(ti, d)", "array('a', v)", "array(c, v)"),
    *(
        "array(b, NULL)",
        "array(st, st)",
        "array(named_struct('a', 1), named_struct('a', i))",
        "array(dt)",
    ),
    *("map('a', i, 'b', l)", "map('a', 1, 'b', 2.5)", "map('a', i, 'b', NULL)", "map(1, s, 2, v)", "map('a', st)"),
    *("named_struct('a', i, 'b', s)", "named_struct('a', named_struct('b', ai))", "struct(i, s)", "struct(ts, st)"),
    *("size(array(1, 2))", "size(map('a', 1))", "size(array(i, NULL))"),
    *("array_contains(ai, 1)", "array_contains(ai, 77)", "array_contains(ai, i)", "array_contains(ast, 'a')"),
    *("array_contains(array(1, 2), i)", "array_contains(array(1, NULL), 2)", "array_contains(array(1.5, 2.5), 1.5)"),
    *("array_contains(split(s, ','), 'b')", "NOT array_contains(ai, 2)", "array_contains(array(dt), dt)"),
    *("map_keys(m)", "map_values(m)", "map_keys(map('zz', 1, 'b', 2, 'a', 3))", "map_values(map('zz', 1, 'b', i))"),
)
SAME = {
    ("hive", "trino"): (*_IN_BOTH, "size(ai)", "size(m)", "size(split(s, ','))", "array(i, s)", "map('a', i, 'b', s)"),
    ("spark", "trino"): (
        *(*_IN_BOTH, "array_contains(ai, l)", "array(dt, ts)", "cardinality(array(1))"),
        *("array_distinct(ai)", "array_distinct(ast)", "array_distinct(array(4, 2, 2, 1, 4))", "array_compact(ai)"),
        *("array_max(ai)", "array_min(ai)", "array_max(array(s, 'a'))", "array_max(array(1, 2))", "array_size(ai)"),
        *("array_union(ai, array(1, 9))", "array_union(ai, ai)", "array_except(ai, array(1, 9))", "slice(ai, -2, 2)"),
        *("array_except(array(4, 2, 2, 3, 1), array(3, 9))", "array_union(array(4, 2, 2), array(3, 1, 2))"),
        *("array_join(ast, ',')", "array_join(ast, ',', '-')", "array_join(ast, s)", "array_append(ai, i)"),
        *("array_position(ai, 1)", "array_position(ai, i)", "array_position(ast, 'a')", "array_prepend(ai, 1)"),
        *("array_remove(ai, 1)", "array_remove(ai, i)", "array_remove(array('a', 'b'), s)", "array_repeat(i, 2)"),
        *("arrays_overlap(ai, array(1, 9))", "arrays_overlap(ai, array(1, NULL))", "arrays_overlap(ai, ai)"),
        *("flatten(array(ai, array(1)))", "flatten(array(ai, NULL))", "flatten(array(ai, ai))", "slice(ai, 1, 2)"),
        *("sequence(1, 3)", "sequence(3, 1)", "sequence(1, 10, 3)", "slice(ai, 2, 100)", "slice(ai, 5, 1)"),
        *("reverse(ai)", "reverse(ast)", "concat(ai, array(9))", "element_at(ai, 1)", "element_at(ai, -1)"),
        *("element_at(ai, 7)", "element_at(m, 'a')", "element_at(m, s)", "try_element_at(ai, 9)", "get(ai, 0)"),
        *("get(ai, -1)", "get(ai, i)", "map_from_arrays(array('a', 'b'), array(1, i))", "map_contains_key(m, s)"),
        *("map_concat(m, map('zzz', 1))", "map_entries(m)", "map_contains_key(m, 'a')", "array_sort(ai)"),
        *("array_sort(split(s, ' '))", "array_sort(array(d2, 1.0D))", "array_sort(ast)"),
        *lambdas.SAME,
    ),
}
"""What is the same on every row."""

_SORTED_IN_BOTH = (
    *("sort_array(ai)", "sort_array(ast)", "sort_array(array(d2, 1.0D, -1.0D))", "sort_array(array(true, false))"),
    *("sort_array(array('Z', 'a', 'é', '😀'))", "sort_array(split(s, ','))", "sort_array(map_keys(m))"),
    *("sort_array(array(dt, NULL))", "sort_array(array(n, n + 1))"),
)
_DOWNWARDS = (
    "sort_array(ai, false)",
    "sort_array(ast, false)",
    "sort_array(split(s, ' '), false)",
    "sort_array(ai, true)",
)
SORTED = {("hive", "trino"): _SORTED_IN_BOTH, ("spark", "trino"): (*_SORTED_IN_BOTH, *_DOWNWARDS)}
"""What is the same likewise, and asked apart: Hive 4 sorts an array in its place, where others read it."""

_REFUSED_IN_BOTH = {
    **dict.fromkeys(("ai[l]", "ai[s2]", "ai[1L]", "m[c]", "map(1, 'a')[l]", "array_contains(ai, '1')"), "conversion"),
    **dict.fromkeys(("array_contains(ast, 1)", "array_contains(ai, NULL)", "size(NULL)"), "conversion"),
    **dict.fromkeys(("sort_array(ars)", "array_contains(ars, st)", "array_contains(array(d), d)"), "elements"),
    **dict.fromkeys(("map(1.5D, 'a')[d]",), "elements"),
    **dict.fromkeys(("array()", "array(NULL)", "map()", "array(b, i)", "named_struct('a', NULL)"), "unknown-type"),
    "str_to_map(s, ',', ':')": "function",
}
REFUSED = {
    ("hive", "trino"): {
        **_REFUSED_IN_BOTH,
        "array_contains(ai, l)": "conversion",
        "sort_array(ai, false)": "not-known",
        **dict.fromkeys(("array_distinct(ai)", "sequence(1, 2)", "element_at(m, 'a')", "get(ai, 0)"), "function"),
        "sort_array(array(c))": "elements",
    },
    ("spark", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("size(ai)", "size(m)", "size(split(s, ','))", "cardinality(ai)"), "size-of-null"),
        **dict.fromkeys(("array(i, s)", "map('a', i, 'b', s)", "array(i, f)", "array(l, f)"), "ansi-types"),
        **dict.fromkeys(("array_intersect(ai, ai)", "arrays_zip(ai, ast)", "array_insert(ai, 1, 9)"), "function"),
        **dict.fromkeys(("array_distinct(array(d))", "array_max(array(d2))", "array_union(ars, ars)"), "elements"),
        **dict.fromkeys(("array_append(ai, NULL)", "sequence(ti, si)", "concat(ai, ast)"), "unknown-type"),
        **dict.fromkeys(("element_at(ai, i)", "array_repeat(i, i)", "slice(ai, i, 1)"), "not-known"),
        "array_position(ai, l)": "conversion",
        **lambdas.REFUSED,
    },
}
"""What is refused, and the code of the reason."""

_QUERIES_IN_BOTH = (
    "SELECT id, x.* FROM bench.t LATERAL VIEW explode(ai) x",
    "SELECT id, x.col FROM bench.t LATERAL VIEW explode(ai) x",
    "SELECT id, x.* FROM bench.t LATERAL VIEW explode(m) x",
    "SELECT id, key, value FROM bench.t LATERAL VIEW OUTER explode(m) x",
    "SELECT id, e FROM bench.t LATERAL VIEW OUTER explode(ai) x AS e",
    "SELECT id, e, e.a, e.b FROM bench.t LATERAL VIEW explode(ars) x AS e",
    "SELECT id, e, e.a FROM bench.t LATERAL VIEW OUTER explode(ars) x AS e",
    "SELECT id, p, e FROM bench.t LATERAL VIEW posexplode(ai) x AS p, e",
    "SELECT id, x.p, x.e FROM bench.t LATERAL VIEW OUTER posexplode(ai) x AS p, e",
    "SELECT id, p, e, e.b FROM bench.t LATERAL VIEW OUTER posexplode(ars) x AS p, e",
    "SELECT id, w FROM bench.t LATERAL VIEW explode(split(s, ',')) x AS w WHERE w <> 'a'",
    "SELECT w, count(*) AS q FROM bench.t LATERAL VIEW explode(split(s, ',')) x AS w GROUP BY w",
    "SELECT id, w, y.z FROM bench.t LATERAL VIEW explode(array(ai, ai)) x AS w LATERAL VIEW explode(w) y AS z",
    "SELECT id, z FROM bench.t LATERAL VIEW explode(array(ai, ai)) x AS w LATERAL VIEW OUTER posexplode(w) y AS p, z",
    "SELECT id, w, z FROM bench.t LATERAL VIEW explode(map('a', i, 'b', j)) x AS w, z",
    "SELECT t.id, w FROM bench.t LATERAL VIEW explode(ai) t AS w",
    """SELECT q.id, w FROM (SELECT t.id, t.ai AS arr FROM bench.t t JOIN bench.u u ON t.id = u.id) q
    LATERAL VIEW OUTER explode(q.arr) x AS w""",
    "SELECT id, w FROM bench.t LATERAL VIEW explode(array(st)) x AS w WHERE w.a = 1",
    "SELECT id FROM bench.t LATERAL VIEW explode(ai) x AS w LATERAL VIEW explode(ai) y AS z WHERE w = 1 AND z > 1",
    "SELECT id, p FROM bench.t LATERAL VIEW posexplode(ai) x AS p, w WHERE p = w",
    "SELECT id, w FROM bench.t LATERAL VIEW OUTER explode(ai) x AS w WHERE w = i",
    "SELECT id, x.w, x.z FROM bench.t LATERAL VIEW OUTER inline(array(named_struct('q', 1, 'r', s))) x AS w, z",
    "SELECT id, q FROM bench.t LATERAL VIEW inline(array(named_struct('q', 1), named_struct('q', i))) x",
    "SELECT id, w, z FROM bench.t LATERAL VIEW stack(2, 'a', i, 'b', j) x AS w, z",
    "SELECT id, w, z FROM bench.t LATERAL VIEW OUTER stack(2, 'a', NULL, 'b', j) x AS w, z",
    "SELECT id, w, z FROM bench.t LATERAL VIEW stack(2, 'a', i, 'b') x AS w, z",
    "SELECT id, x.* FROM bench.t LATERAL VIEW stack(3, 'a', i, 'b', j) x",
    "SELECT id, x.w, z FROM bench.t LATERAL VIEW OUTER json_tuple(s, 'a', 'c') x AS w, z",
    """SELECT id, x.* FROM (SELECT id, '{"a":"x","b":{"c": 1.5},"d":null,"e":[1, "z"],"f.g":true}' AS js FROM bench.u) q
    LATERAL VIEW json_tuple(js, 'a', 'b', 'd', 'e', 'f.g', 'zz') x""",
    "SELECT explode(ai) AS w FROM bench.t WHERE id < 4 ORDER BY w",
    "SELECT explode(array(1, 2)) AS w",
    "SELECT posexplode(ai) FROM bench.t",
    "SELECT posexplode(ai) AS (p, w) FROM bench.t",
    "SELECT inline(ars) FROM bench.t",
    "SELECT explode(m) AS (q, w) FROM bench.t",
    "SELECT explode(ars) AS w FROM bench.t",
    "SELECT stack(2, 'a', i, 'b', j) FROM bench.t",
    "SELECT json_tuple(s, 'a', 'b') FROM bench.t",
    "SELECT explode(ai) AS w FROM bench.t UNION ALL SELECT id FROM bench.u",
    "SELECT w + 1 AS q FROM (SELECT explode(ai) AS w FROM bench.t) z WHERE w = 2",
)
QUERIES = {
    ("hive", "trino"): (*_QUERIES_IN_BOTH,),
    ("spark", "trino"): (
        *_QUERIES_IN_BOTH,
        "SELECT id, e FROM bench.t LATERAL VIEW explode_outer(ai) x AS e",
        "SELECT id, e FROM bench.t LATERAL VIEW explode(ai) AS e",
        "SELECT id, e FROM bench.t LATERAL VIEW posexplode_outer(ai) x AS p, e",
        "SELECT a.id, e, u.k FROM bench.t a JOIN bench.u u ON a.id = u.id LATERAL VIEW explode(a.ai) x AS e",
        "SELECT id, w FROM bench.t LATERAL VIEW explode(ai) x AS w WHERE w = i",
        "SELECT id, w, z FROM bench.t LATERAL VIEW OUTER inline(ars) x AS w, z",
        "SELECT id, w FROM bench.t LATERAL VIEW inline_outer(ars) x AS w, z",
        "SELECT id, explode(ai) AS w FROM bench.t",
        "SELECT id, explode_outer(ai) AS w, s FROM bench.t",
        "SELECT DISTINCT explode(ai) AS w FROM bench.t",
        "SELECT id, explode(m) AS (q, w), t.i FROM bench.t WHERE i > 0 ORDER BY id, q",
    ),
}
"""Queries whose rows are the same."""

LOST_IN_HIVE_4 = (
    "SELECT id, w FROM bench.t LATERAL VIEW explode(ai) x AS w WHERE w = i",
    "SELECT id FROM bench.t LATERAL VIEW explode(ai) x AS w LATERAL VIEW explode(ai) y AS z WHERE w < 3 AND z = w + 1",
    """SELECT id, q FROM (SELECT id, CAST(w AS bigint) + id AS q FROM bench.t LATERAL VIEW explode(ai) x AS w) z
    WHERE q > 12""",
    """SELECT q.id FROM (SELECT id, w FROM bench.t LATERAL VIEW explode(ai) x AS w) q
    JOIN bench.u u ON q.w = u.id AND q.w < q.id""",
    "WITH z AS (SELECT id, w FROM bench.t LATERAL VIEW explode(ai) x AS w) SELECT * FROM z WHERE id = w",
)
_REFUSED_QUERIES_IN_BOTH = {
    "SELECT explode(collect_set(i)) AS w FROM t": "not-known",
    "SELECT e FROM t LATERAL VIEW json_tuple(s, v) x AS e": "json-path",
    "SELECT e FROM t LATERAL VIEW stack(i, 1, 2) x AS e": "unknown-type",
}
REFUSED_QUERIES = {
    ("hive", "trino"): {
        "SELECT id FROM t LATERAL VIEW parse_url_tuple(s, 'HOST') x AS e": "function",
        "SELECT id, e FROM t LATERAL VIEW explode(ai) x AS e, q": "unknown-type",
        **dict.fromkeys(LOST_IN_HIVE_4, "condition-on-lateral-view"),
        **_REFUSED_QUERIES_IN_BOTH,
    },
    ("spark", "trino"): {
        "SELECT id FROM t LATERAL VIEW variant_explode(s) x AS a, b, c": "function",
        "SELECT explode(ai), explode(ast) FROM t": "not-known",
        "SELECT explode(ai), row_number() OVER (ORDER BY id) FROM t": "not-known",
        **_REFUSED_QUERIES_IN_BOTH,
    },
}
"""Queries that are refused, and the code of the first reason."""
