"""Queries of views, for each thing that Trino's own tests of Hive's views have in mind.

Each has to answer in Trino what it answers in Hive, or to be refused for the reason that is named.
"""

from __future__ import annotations

SAME: dict[str, list[str]] = {
    "columns, constants and names": [
        "SELECT id, s, v, c, n, n2, f, d, dt, ts, bin, b, ti, si, l FROM bench.t",
        "SELECT ID, `S` AS Mixed, T.I AS `select`, `t`.`J` AS `a b` FROM bench.T AS t WHERE Id > 2",
        "SELECT 1 AS one, 'it\\'s' AS quoted, \"say \\\"x\\\"\" AS twice, 'back\\\\slash' AS slash, '日本 😀' AS wide",
        "SELECT `t`.`id` AS `id`, `t`.`s` AS `timestamp` FROM `bench`.`t` WHERE `t`.`s` = 'grüße'",
        "SELECT CAST(NULL AS string) AS nothing, true AS yes, false AS no, 12Y AS tiny, 12S AS small, 12L AS big",
        "SELECT q.* FROM (SELECT * FROM bench.u) q",
        "SELECT *, id + 1 AS next FROM bench.u WHERE id IS NOT NULL",
    ],
    "arrays, maps and structs": [
        "SELECT id, ai[0] AS a0, ai[1] AS a1, ai[100] AS far, ast[0] AS first, ars[0].b AS deep FROM bench.t",
        "SELECT id, ai[id % 3] AS at FROM bench.t",
        "SELECT id, m['a'] AS ma, m['none'] AS nothing, st.a AS sa, upper(st.b) AS sb FROM bench.t",
        "SELECT id, size(ai) AS n, size(m) AS entries FROM bench.t",
        "SELECT array(id, x) AS two, array('a', k) AS texts, map('k', k, 'l', 'x') AS pairs FROM bench.u",
        "SELECT named_struct('Select', id, 'from', k) AS s FROM bench.u",
        "SELECT q.s.`order` AS o, q.s.`Group` g FROM (SELECT named_struct('order', id, 'group', k) s FROM bench.u) q",
        "SELECT array_contains(ai, 1) AS has, sort_array(ai) AS sorted, map_keys(map('a', id)) AS keys FROM bench.t",
        "SELECT id, st AS whole, ars AS list, m AS entries FROM bench.t WHERE id <> 5",
        "SELECT named_struct('x', named_struct('y', array(map('z', id)))).x.y[0]['z'] AS n FROM bench.u",
    ],
    "lateral views": [
        "SELECT id, e FROM bench.t LATERAL VIEW explode(ai) v AS e",
        "SELECT id, e FROM bench.t LATERAL VIEW OUTER explode(ai) v AS e",
        "SELECT id, p, e FROM bench.t LATERAL VIEW posexplode(ast) v AS p, e",
        "SELECT id, key, value FROM bench.t LATERAL VIEW explode(m) v AS key, value",
        "SELECT id, one.a, one.b FROM bench.t LATERAL VIEW explode(ars) v AS one",
        "SELECT id, x, y FROM bench.t LATERAL VIEW explode(ai) v AS x LATERAL VIEW explode(ast) w AS y WHERE id < 9",
        "SELECT id, e FROM bench.t LATERAL VIEW explode(split(v, 'e')) w AS e",
        "SELECT e, count(*) AS n FROM bench.t LATERAL VIEW explode(ai) v AS e GROUP BY e",
        "SELECT id, x, y FROM bench.t LATERAL VIEW json_tuple(s, 'a', 'b') j AS x, y",
        "SELECT id, get_json_object(s, '$.b') AS b FROM bench.t",
        "SELECT q.id, e FROM (SELECT id, ai FROM bench.t WHERE id < 9) q LATERAL VIEW explode(q.ai) v AS e",
    ],
    "unions, subqueries and common tables": [
        "SELECT id, k FROM bench.u UNION ALL SELECT i, s FROM bench.t",
        "SELECT id, k FROM bench.u UNION SELECT x, k FROM bench.u",
        "SELECT c AS x FROM bench.t UNION ALL SELECT cast(v AS char(5)) FROM bench.t",
        "SELECT k FROM bench.u UNION ALL SELECT NULL FROM bench.u",
        "SELECT ti AS n FROM bench.t UNION ALL SELECT l FROM bench.t",
        "SELECT count(*) AS n FROM (SELECT id FROM bench.u UNION ALL SELECT id FROM bench.e) q",
        "WITH large AS (SELECT id, x FROM bench.u WHERE x > 5), q AS (SELECT id FROM large) SELECT id FROM q",
        "SELECT id FROM bench.u WHERE id IN (SELECT i FROM bench.t)",
        "SELECT id FROM bench.u u WHERE EXISTS (SELECT 1 FROM bench.t t WHERE t.id = u.id AND t.b)",
        "SELECT a.id, q.n FROM bench.u a JOIN (SELECT id, count(*) AS n FROM bench.u GROUP BY id) q ON a.id = q.id",
    ],
    "joins and comparisons": [
        "SELECT a.id, b.id AS other FROM bench.u a JOIN bench.u b ON a.k <=> b.k",
        "SELECT a.id, b.k FROM bench.u a LEFT JOIN bench.u b ON a.id = b.x",
        "SELECT a.id, b.k FROM bench.u a FULL OUTER JOIN bench.e b ON a.id = b.id",
        "SELECT id FROM bench.u WHERE NOT (x <=> NULL)",
        "SELECT id FROM bench.t WHERE i = '7' OR j = '3'",
        "SELECT id, i = l AS equal, ti < d AS lower, n >= i AS higher FROM bench.t WHERE id <> 5 AND id <> 6",
        "SELECT id FROM bench.t WHERE s RLIKE '^[a-z]+$'",
        "SELECT id, s LIKE '%a%' AS l, s NOT LIKE 'a_c' AS n, s REGEXP 'o' AS r FROM bench.t WHERE id < 19",
        "SELECT id FROM bench.t WHERE i BETWEEN 1 AND 10 OR s IN ('abc', '') OR i IS NULL",
        "SELECT CASE WHEN i > 0 THEN 'plus' WHEN i < 0 THEN 'minus' END AS sign, if(b, 1, 0) AS n FROM bench.t",
        "SELECT coalesce(k, 'none') AS k, nvl(x, 0) AS x, nullif(id, 2) AS n FROM bench.u",
    ],
    "groups": [
        "SELECT k, count(*) AS n, sum(x) AS s, min(id) AS low, max(id) AS high FROM bench.u GROUP BY k",
        "SELECT upper(k) AS u, count(DISTINCT id) AS n FROM bench.u GROUP BY upper(k) HAVING count(*) > 0",
        "SELECT k, avg(x) AS a FROM bench.u GROUP BY k HAVING a > 5",
        "SELECT id % 2 AS odd, count(x) AS n FROM bench.u GROUP BY id % 2",
        "SELECT st.a AS a, count(*) AS n FROM bench.t GROUP BY st.a",
        "SELECT DISTINCT k FROM bench.u",
        "SELECT count(*) AS n FROM bench.e",
    ],
    "texts and numbers": [
        "SELECT concat(s, '-', v) AS c, substr(v, 2) AS b, substr(v, 0, 2) AS z FROM bench.t WHERE id NOT IN (4, 16)",
        "SELECT id / 2 AS half, x % 3 AS rest, pmod(x, 3) AS p, -x AS m FROM bench.u",
        "SELECT id, cast(n AS double) AS d, cast(ti AS string) AS t, cast(n AS decimal(20,4)) AS w FROM bench.t",
        "SELECT id, cast(c AS varchar(20)) AS x, cast(s AS varchar(3)) AS y FROM bench.t WHERE id <> 19",
        "SELECT trim(s) AS t, lower(v) AS l, lpad(v, 4, '*') AS p, length(v) AS n FROM bench.t WHERE id NOT IN (4, 16)",
        "SELECT id, regexp_replace(v, '[a-c]', '') AS r, regexp_extract(v, '([a-z]+)', 1) AS e FROM bench.t",
    ],
    "dates and times": [
        "SELECT id, year(dt) AS y, month(ts) AS m, dayofmonth(dt) AS d, hour(ts) AS h FROM bench.t",
        "SELECT id, date_add(dt, 3) AS a, date_sub(dt, 3) AS s, datediff(dt, date '2020-01-01') AS n FROM bench.t",
        "SELECT cast(ts AS date) AS day, cast(dt AS timestamp) AS t, ts > timestamp '2000-01-01 00:00:00' FROM bench.t",
        "SELECT from_utc_timestamp(ts, 'America/Los_Angeles') AS there FROM bench.t WHERE year(ts) > 1970",
        "SELECT to_date('2021-08-20 10:00:00') AS d, date '2017-10-21' AS l FROM bench.u",
        "SELECT date_format(dt, 'yyyy/MM/dd') AS f, from_unixtime(10000) AS u FROM bench.t",
    ],
}

REFUSED: dict[str, str] = {
    "SELECT current_user() AS u FROM bench.u": "nondeterministic",
    "SELECT rand() AS r FROM bench.u": "nondeterministic",
    "SELECT k, count(*) AS n FROM bench.u GROUP BY 1": "ordinal",
    "SELECT row_number() OVER (PARTITION BY k ORDER BY x DESC) AS n FROM bench.u": "null-order",
    "SELECT cast(ts AS decimal(10,0)) AS d FROM bench.t": "epoch",
    "SELECT from_utc_timestamp(l, 'America/Los_Angeles') AS t FROM bench.t": "conversion",
    "SELECT from_utc_timestamp(ts, 'PST') AS t FROM bench.t": "zone",
    "SELECT id FROM bench.t WHERE b = 'true'": "compared-text",
    "SELECT cast(n AS string) AS s FROM bench.t": "decimal-text",
    "SELECT cast(s AS boolean) AS s FROM bench.t": "boolean-text",
    "SELECT st AS s FROM bench.t UNION ALL SELECT named_struct('a', 1, 'c', 'x')": "unknown-type",
    "SELECT my_function(id) AS f FROM bench.u": "udf",
    "SELECT xpath_string(s, 'a') AS x FROM bench.t": "function",
    "SELECT id FROM bench.t LATERAL VIEW explode(ai) v AS e WHERE e > 1 OR id = 1": "condition-on-lateral-view",
    "SELECT id FROM bench.t TABLESAMPLE(10 PERCENT) x": "sample",
}
"""Queries, and the code of the reason of each."""

PARTITIONED: list[str] = [
    "SELECT id, k, day, region FROM hive_views_cases.visits",
    "SELECT * FROM hive_views_cases.visits WHERE region = 'eu' AND day >= date '2021-01-02'",
    "SELECT day, count(*) AS n FROM hive_views_cases.visits WHERE region <> 'us' GROUP BY day",
    "SELECT v.id, u.k FROM hive_views_cases.visits v JOIN bench.u u ON v.id = u.id WHERE v.day = date '2021-01-01'",
    "SELECT id FROM hive_views_cases.visits WHERE year(day) = 2021 AND upper(region) = 'EU'",
]
"""Queries of a table that is partitioned by a date and a string."""

VIEW_ON_VIEW: list[tuple[str, str]] = [
    ("SELECT id AS ID2, upper(k) AS K FROM bench.u", "SELECT v.id2, v.k FROM inner_view v"),
    ("SELECT * FROM bench.u", "SELECT v.*, v.x + 1 AS y FROM inner_view v WHERE v.id < 5"),
    (
        "SELECT id, k FROM bench.u UNION ALL SELECT id, s FROM bench.t",
        "SELECT v.k, count(*) AS n FROM inner_view v GROUP BY v.k",
    ),
    (
        "SELECT id, ai, st FROM bench.t",
        "SELECT v.id, e, v.st.b AS b FROM inner_view v LATERAL VIEW OUTER explode(v.ai) w AS e",
    ),
    (
        "SELECT k, count(*) AS n, max(x) FROM bench.u GROUP BY k",
        "SELECT v.k, v.n, v.`_c2` AS high FROM inner_view v WHERE v.n > 1",
    ),
    ("SELECT id, cast(x AS double), k FROM bench.u", "SELECT v.x / 2 AS half, v.k FROM inner_view v"),
    (
        "SELECT id, s, c, v, n FROM bench.t",
        "SELECT a.id, b.s FROM inner_view a JOIN inner_view b ON a.id = b.id AND a.c = b.c",
    ),
]
"""Queries of two views, of which the second one reads the first, ``inner_view``."""
