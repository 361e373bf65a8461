"""Texts of Trino for Hive and Spark, as engines answered them."""

from __future__ import annotations

from tests.support.translation.case_lines import case_lines

Pair = tuple[str, str]
TO_HIVE: Pair = ("trino", "hive")
TO_SPARK: Pair = ("trino", "spark")

_VALUES = case_lines(
    r"""
    i   ti   l   f   d   d2   n   n2   s   v   dt   ts   bin   ai   ast   m   st   ars   st.a   t.st.b
    1.50   0.5   10.0   .5   5.   -1.50   1e3   1.5e-2   -2147483648   2147483648   9223372036854775807
    'it''s'   'back\slash'   'grüße 😀'   '${x}'   true   DATE '2020-02-29'   TIMESTAMP '2020-02-29 12:34:56.789'
    TIMESTAMP '2020-02-29 12:34:56'   ai[1]   element_at(ai, 1)   element_at(ai, 2)   cardinality(ai)   cardinality(m)
    element_at(m, 'a')   m['a']
    i + 1   i - j   i * 2   ti + ti   ti * ti   si + 1   l + 1   l - i   -i   -l   -d   -n
    i / 2   i / 3   i / j   i / nullif(j, 0)   ti / si   l / 3   i % 3   i % -3   i % j   l % nullif(i, 0)   mod(i, 7)
    d + 1   d * 2   d - d   d / 2   d / 2e0   d / nullif(d2, 0)   i / 2e0   d * n   n - 1.5   n + i
    n + 1.25   cast(1.5 as decimal(10,2))   cast(5 as decimal(12,2))   n + CAST(i AS decimal(10,0))
    CAST(n AS double) / 3
    i = 1   i = j   i <> j   ti = l   i < 2.5   n = 1.5   n = n2   n > i   d = 0.1   d > i   d2 < 1e0   f = f   f > d
    s = 'abc'   s < v   s >= 'a'   v = 'abc'   dt = DATE '2020-01-31'   dt < ts   b = true
    ts >= TIMESTAMP '2020-01-31 00:00:00'   b and i > 0   b or i > 0   not b   i is null   s is not null
    i between 1 and 10   i not between j and 5   s between 'a' and 'b'
    dt between DATE '2020-01-01' and DATE '2020-12-31'
    i in (1, 2, 3)   i not in (1, 2)   s in ('abc', 'it''s', '')   s in (v, 'x')   dt in (DATE '2020-01-31')
    n in (1.5, 10)   l in (1, 9223372036854775807)   d in (0.1, 2.5)   ts in (TIMESTAMP '2020-01-31 00:00:00')
    i is distinct from j   i is not distinct from j   s is not distinct from v   n is distinct from 1.5
    s like 'a%'   s like '%b%'   s not like '%a'   s like '100%'   v like 'a%'   s like '_b%'
    s || 'x'   s || v   v || v   concat(s, 'a', v)   lower(v)   length(s)   length(v)   trim(s)   ltrim(s)   rtrim(s)
    reverse(s)   strpos(s, 'a')   position('b' in s)   starts_with(s, 'ab')   abs(i)   abs(l)   abs(d)   abs(n)
    coalesce(i, j)   coalesce(i, 0)   coalesce(ti, l)   coalesce(n, 0)   coalesce(n, n2)   coalesce(s, 'none')
    coalesce(v, s)   coalesce(dt, DATE '2020-01-01')   coalesce(ts, dt)   coalesce(d, 0)   coalesce(b, false)
    nullif(i, 1)   nullif(s, '')   nullif(n, 0)   if(i > 1, 'a', 'b')   if(b, i)   if(b, n, i)
    case when i > 0 then 'pos' when i < 0 then 'neg' else 'zero' end   case when b then i end
    case when b then i else n end   case when b then dt else ts end   case i when 1 then 'a' when 2 then 'b' end
    case s when 'abc' then 1 else 2.5 end   case when b then null else s end
    greatest(i, j)   least(i, 5, j)   greatest(n, 1)   greatest(s, 'm')   least(dt, DATE '2020-01-31')
    greatest(ts, TIMESTAMP '2020-01-31 00:00:00')
    cast(i as bigint)   cast(i as varchar)   cast(l as varchar)   cast(ti as varchar)   cast(dt as varchar)
    cast(b as varchar)   cast(v as varchar)   cast(i as double)   cast(l as double)   cast(n as double)
    cast(f as double)   cast(i as decimal(12,2))   cast(l as decimal(19,0))   cast(n as decimal(12,4))
    cast(n as decimal(10,1))   cast(n as decimal(3,0))   cast(n2 as decimal(38,2))   cast(l as integer)
    cast(i as tinyint)   cast(i as smallint)   cast(dt as timestamp)   cast(ts as date)   cast(null as integer)
    cast('2020-01-01' as date)
    year(dt)   month(dt)   day(dt)   quarter(dt)   week(dt)   day_of_week(dt)   year(ts)   month(ts)   day(ts)
    hour(ts)   minute(ts)   second(ts)   week(ts)   day_of_week(ts)   day_of_month(dt)   extract(year from dt)
    extract(hour from ts)   date_trunc('month', dt)   date_trunc('year', dt)   date_trunc('quarter', dt)
    date_add('day', 1, dt)   date_add('day', -30, dt)   date_add('week', 2, dt)   dt + interval '1' day
    dt - interval '14' day   date_trunc('day', ts)   date_trunc('month', ts)   date_trunc('year', ts)
    date_trunc('day', dt)   last_day_of_month(dt)   last_day_of_month(ts)   day_of_year(dt)   day_of_year(ts)
    date_format(ts, '%Y-%m-%d')   date_format(ts, '%Y/%m/%d %H:%i:%s')   date_format(dt, '%Y%m')
    replace(s, 'a', 'xy')   replace(s, ' ')   replace(v, 'a', '')   rpad(s, 0, 'x')   concat_ws(',', s, v)
    concat_ws('', s2, s)   to_hex(bin)   substr(s, -1)   regexp_like(s, '^[A-Za-z ]+')   regexp_like(s, 'a|b')
    regexp_like(s, '(ab)+c')   regexp_like(s2, '[0-9]+')   regexp_like(s, '[^a]b*')
    floor(n)   ceil(n)   ceiling(n)   round(n)   round(d)   round(d2)   round(i)   floor(l)   sign(i)   sign(l)
    power(d, 2)   power(i, 3)   cast(s2 as integer)   cast(s2 as bigint)   cast(s2 as tinyint)   cast(s2 as double)
    cast(v as integer)   cast(ds as date)   cast(v as date)   cast(n as integer)   cast(n as tinyint)
    cast(n2 as bigint)   cast(d as bigint)   cast(d as integer)   cast(d2 as integer)
    date_diff('day', dt, DATE '2020-01-01')   date_diff('day', DATE '2020-01-01', dt)
    """
)
SAME: dict[Pair, tuple[str, ...]] = {
    TO_HIVE: (*_VALUES, "c"),
    TO_SPARK: (
        *_VALUES,
        *case_lines(
            """
            n + 1   n * 2   n * n   n * 1.5   ai is null   m is null   substr(s, 1, 3)   substr(s, 2)
            lpad(s, 5, 'ab')   rpad(s, 8, ' ')   substring(s from 1 for 2)   substr(v, 3)   CAST(n2 AS double) / 3
    cast(n2 as double)
            """
        ),
    ),
}
"""Expressions that are the same on every row for which Trino answers."""

_TOLD = {
    "d2 = d2": "nan",
    "d < d2": "nan",
    "lower(s)": "letter-case",
    "upper(s)": "letter-case",
    "trim(s2)": "trimmed-blanks",
}
TOLD: dict[Pair, dict[str, str]] = {
    TO_HIVE: {
        **_TOLD,
        "substr(s, 1, 3)": "beyond-bmp",
        "substr(v, 3)": "beyond-bmp",
        "lpad(s, 5, 'ab')": "beyond-bmp",
        "cast(n2 as double)": "large-decimal",
    },
    TO_SPARK: _TOLD,
}
"""Expressions whose translation answers something else for some rows, and the code that says so."""

_REFUSED = {
    "c = c": "char",
    "c = 'abc'": "char",
    "n2 + 1": "decimal-sizes",
    "-n2": "decimal-sizes",
    "n / 3": "decimal-quotient",
    "i / 2.5": "decimal-quotient",
    "f + 1": "real",
    "f * 2e0": "real",
    "d / d2": "double-by-zero",
    "i / d": "double-by-zero",
    "d % 2": "types",
    "s = 1": "types",
    "i = NULL": "types",
    "ai = ai": "types",
    "CAST(f AS integer)": "conversion",
    "CAST(' 7 ' AS integer)": "conversion",
    "CAST(s AS boolean)": "conversion",
    "CAST(s AS timestamp)": "conversion",
    "CAST(s AS decimal(10,2))": "conversion",
    "CAST(d AS decimal(10,2))": "conversion",
    "CAST(ts AS varchar)": "conversion",
    "CAST(n AS varchar)": "conversion",
    "CAST(d AS varchar)": "conversion",
    "CAST(s AS varchar(3))": "conversion",
    "CAST('1.5' AS decimal)": "conversion",
    "DATE '2020-1-5'": "conversion",
    "TRY_CAST(s AS integer)": "not-known",
    "substr(s, -2)": "not-known",
    "substr(s, i)": "not-known",
    "strpos(s, '')": "not-known",
    r"s LIKE 'a\_b'": "not-known",
    "s LIKE v": "not-known",
    r"regexp_like(s, '\d')": "not-known",
    "regexp_like(s, 'a.')": "not-known",
    "regexp_like(s, '')": "not-known",
    "sqrt(d)": "function",
    "round(d, 2)": "not-known",
    "floor(d)": "types",
    "round(n2)": "decimal-sizes",
    "power(d, -1)": "types",
    "replace(s, '', 'x')": "not-known",
    "lpad(s, i, 'x')": "not-known",
    "date_format(ts, '%W')": "not-known",
    "split(s, ',')": "function",
    "my_udf(i)": "function",
    "date_add('month', 1, dt)": "types",
    "date_add('day', i, dt)": "types",
    "date_trunc('week', dt)": "types",
    "date_diff('day', ts, ts)": "types",
    "ai[i]": "types",
    "ai[0]": "types",
    "MAP(ARRAY[1], ARRAY[2])[1]": "function",
    "trim(BOTH 'a' FROM s)": "not-known",
    "s LIKE 'a%' ESCAPE '!'": "not-known",
    "U&'a'": "not-known",
    "ts AT TIME ZONE 'UTC'": "not-known",
    "max(i, 2)": "not-known",
    "count(DISTINCT i, j)": "not-known",
    "element_at(ai, -1)": "types",
    "greatest(d, 1)": "types",
    "coalesce(ai, ai)": "types",
    "CASE ti WHEN ti THEN 1 END": "case-of-itself",
    "if(true, 1, 2)": "constant-condition",
    "b AND NOT b": "contradictory-condition",
    "(SELECT max(id) FROM bench.u)": "not-known",
    "current_date": "not-known",
}
REFUSED: dict[Pair, dict[str, str]] = {
    TO_HIVE: {
        **_REFUSED,
        "n * 2": "lost-cast",
        "sum(2.5)": "lost-cast",
        "n + 1": "lost-cast",
        "n * n": "lost-cast",
        "ai is null": "null-collection",
        "case when true then i end": "constant-condition",
    },
    TO_SPARK: {**_REFUSED, "c": "char"},
}
"""Expressions without a translation, and why."""

_JOINED_UNNEST = (
    "SELECT t.id, z.x FROM bench.t JOIN bench.u ON t.id = u.id CROSS JOIN UNNEST(t.ai) AS z (x) WHERE u.x > 1"
)
_QUERIES = tuple(
    line.strip()
    for line in """
    SELECT id, s FROM bench.t WHERE i > 0
    SELECT * FROM bench.u
    SELECT u.*, t.id AS tid FROM bench.t JOIN bench.u ON t.id = u.id
    SELECT t.id, u.k FROM bench.t LEFT JOIN bench.u ON t.id = u.id
    SELECT t.id, u.k FROM bench.u RIGHT JOIN bench.t ON t.id = u.id AND t.s = u.k
    SELECT t.id AS a, u.id AS b FROM bench.t FULL JOIN bench.u ON t.id = u.id
    SELECT t.id, u.x FROM bench.t, bench.u WHERE t.id = u.id
    SELECT id, k FROM bench.t JOIN bench.u USING (id)
    SELECT x.id FROM bench.t x JOIN bench.t y ON x.id = y.id AND y.i = x.j
    SELECT DISTINCT k FROM bench.u
    SELECT k, count(*) AS n, count(x) AS c, sum(x) AS s, min(x) AS lo, max(x) AS hi, avg(x) AS m FROM bench.u GROUP BY k
    SELECT k, count(DISTINCT x) AS n FROM bench.u GROUP BY 1 HAVING count(*) > 1
    SELECT sum(x) AS s, avg(x) AS a, count(*) AS n FROM bench.e
    SELECT sum(n) AS s, min(n) AS lo, max(n2) AS hi FROM bench.t
    SELECT sum(CAST(i AS bigint)) AS s, avg(l) AS a, avg(i) AS b FROM bench.t
    SELECT sum(CAST(n AS double)) AS s, avg(CAST(n AS double)) AS a FROM bench.t
    SELECT min(s) AS a, max(v) AS b, min(dt) AS c, max(ts) AS d, max(b) AS e, min(d) AS f FROM bench.t
    SELECT count(*) FILTER (WHERE i > 0) AS a, sum(ti) FILTER (WHERE b) AS s, count_if(b) AS c FROM bench.t
    SELECT id AS a FROM bench.t UNION ALL SELECT x FROM bench.u
    SELECT ti AS a FROM bench.t UNION ALL SELECT l FROM bench.t
    SELECT v AS a FROM bench.t UNION SELECT s FROM bench.t
    SELECT id AS a FROM bench.u UNION ALL (SELECT id FROM bench.t ORDER BY id DESC LIMIT 2)
    SELECT NULL AS a, 'x' AS b FROM bench.u UNION ALL SELECT x, k FROM bench.u
    SELECT 1 AS a UNION ALL SELECT 2
    SELECT q.a, q.n FROM (SELECT k AS a, count(*) AS n FROM bench.u GROUP BY k) q WHERE q.n > 1
    SELECT id FROM bench.t WHERE id IN (SELECT id FROM bench.u WHERE x > 1)
    SELECT id FROM bench.t WHERE id IN (SELECT id FROM bench.u) AND i > 0
    SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x)
    SELECT id, x FROM bench.t LEFT JOIN UNNEST(ai) AS z (x) ON TRUE
    SELECT id, k, x FROM bench.t CROSS JOIN UNNEST(m) AS z (k, x) WHERE x > 0
    SELECT q.id, q.x FROM (SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x)) q WHERE q.x > 1
    SELECT id, row_number() OVER (PARTITION BY b ORDER BY id) AS r FROM bench.t
    SELECT id, rank() OVER (ORDER BY i DESC NULLS LAST) AS r, dense_rank() OVER (ORDER BY s) AS d FROM bench.t
    SELECT id, count(*) OVER (PARTITION BY b) AS n, max(i) OVER (PARTITION BY b) AS m FROM bench.t
    SELECT d, count(*) AS n FROM bench.t GROUP BY d
    SELECT max(id) AS m FROM bench.t HAVING count(*) > 100
    SELECT i FROM hive.bench.t WHERE s IS NULL
    SELECT t.st.a AS x, st.b FROM bench.t
    SELECT k, sum(x) AS s, rank() OVER (ORDER BY sum(x)) AS r FROM bench.u GROUP BY k
    SELECT t.id FROM bench.t JOIN bench.u ON t.d = CAST(u.x AS double)
    SELECT t.id, u.k FROM bench.t JOIN bench.u ON t.s = u.k LEFT JOIN bench.e ON e.id = u.id
    SELECT x FROM (SELECT DISTINCT x FROM bench.u) q UNION SELECT id FROM bench.t UNION ALL SELECT 5
    SELECT id, count(*) OVER () AS n FROM bench.u
    SELECT s, i FROM (SELECT s, i FROM bench.t ORDER BY i LIMIT 5) q WHERE i > -100000
    SELECT max(q.n) AS m FROM (SELECT count(*) AS n FROM bench.t GROUP BY b) q
    """.strip().splitlines()
)
QUERIES: dict[Pair, tuple[str, ...]] = {
    TO_HIVE: _QUERIES,
    TO_SPARK: (
        *_QUERIES,
        _JOINED_UNNEST,
        "SELECT t.id, u.x FROM bench.t CROSS JOIN bench.u WHERE t.id < 3",
        "SELECT a.k FROM bench.u a LEFT JOIN bench.u b ON a.id = b.id AND b.x > 10",
        "SELECT a.k FROM bench.u a JOIN bench.u b ON a.id < b.id",
        "SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x) WHERE x > id",
        "WITH q AS (SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x)) SELECT x, count(*) n FROM q GROUP BY x",
        "SELECT id, x FROM bench.t, UNNEST(ai) AS z (x) UNION ALL SELECT id, x FROM bench.u",
    ),
}
"""Queries that return the same rows."""

IN_ORDER = (
    "SELECT id, i FROM bench.t ORDER BY i, id LIMIT 7",
    "SELECT DISTINCT k FROM bench.u ORDER BY k DESC LIMIT 3",
    "SELECT id, i FROM bench.t ORDER BY i DESC, id LIMIT 7",
    "SELECT id, i + 1 AS i FROM bench.t WHERE i < 100 ORDER BY i DESC NULLS LAST, id LIMIT 5",
    "SELECT i % 3 AS id, count(*) AS n FROM bench.t GROUP BY i % 3 ORDER BY id",
    "SELECT b, count(*) AS n FROM bench.t GROUP BY b ORDER BY b NULLS FIRST",
    "SELECT id AS a, k AS b FROM bench.u UNION SELECT id, s FROM bench.t ORDER BY a, b LIMIT 5",
    "SELECT upper(k) AS k, sum(x) AS x FROM bench.u GROUP BY upper(k) HAVING sum(x) > 1 ORDER BY x DESC",
    "WITH q AS (SELECT id, i FROM bench.t), r (a, b) AS (SELECT id, i % 7 FROM q) SELECT a, b FROM r ORDER BY a",
)
"""Queries that return the same rows in the same order."""

_REFUSED_QUERIES = {
    "SELECT id FROM bench.t ORDER BY i": "sort-key",
    "SELECT id FROM bench.t LIMIT 3 OFFSET 2": "clause",
    "SELECT id FROM bench.t OFFSET 2": "clause",
    "SELECT id FROM bench.t FETCH FIRST 3 ROWS ONLY": "clause",
    "SELECT id AS a, i AS a FROM bench.t": "clause",
    'SELECT id AS "a b" FROM bench.t': "odd-name",
    "SELECT NULL AS a FROM bench.t": "types",
    "SELECT i FROM bench.t UNION ALL SELECT s FROM bench.t": "types",
    "SELECT id FROM bench.t INTERSECT SELECT id FROM bench.u": "clause",
    "SELECT id FROM bench.t TABLESAMPLE BERNOULLI (10)": "clause",
    "SELECT b, count(*) AS n FROM bench.t GROUP BY GROUPING SETS ((b), ())": "not-known",
    "SELECT a FROM (VALUES 1, 2) AS v (a)": "clause",
    "SELECT x FROM UNNEST(ARRAY[1, 2]) AS z (x)": "clause",
    "SELECT id, a FROM bench.t CROSS JOIN UNNEST(ars) AS z (a, b)": "types",
    "SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) WITH ORDINALITY AS z (x, n)": "clause",
    "SELECT t.id FROM bench.t NATURAL JOIN bench.u": "clause",
    "SELECT t.id FROM bench.e, bench.t RIGHT JOIN bench.u ON t.id = u.id": "clause",
    "SELECT id FROM bench.t WHERE id NOT IN (SELECT id FROM bench.u)": "clause",
    "SELECT id FROM bench.t t WHERE EXISTS (SELECT 1 FROM bench.u u WHERE u.id = t.id)": "not-known",
    "SELECT id FROM bench.t WHERE id IN (SELECT u.x FROM bench.u u WHERE u.id = t.id)": "name",
    "SELECT a.id FROM hive2.bench.t a": "catalog",
    "SELECT id FROM bench.nosuch": "unknown-type",
    "WITH q AS (SELECT id FROM q) SELECT id FROM q": "name-in-with",
    "WITH q AS (SELECT id FROM r), r AS (SELECT id FROM bench.t) SELECT id FROM q": "name-in-with",
    "WITH t AS (SELECT id FROM bench.t) SELECT id FROM t": "name-in-with",
    "SELECT avg(n) AS a FROM bench.t": "decimal-quotient",
    "SELECT sum(f) AS a FROM bench.t": "real",
    "SELECT approx_distinct(i) AS a FROM bench.t": "function",
    "SELECT array_agg(i) AS a FROM bench.t": "function",
    "SELECT sum(i) OVER (ORDER BY id) AS a FROM bench.t": "not-known",
}
REFUSED_QUERIES: dict[Pair, dict[str, str]] = {
    TO_HIVE: {
        **_REFUSED_QUERIES,
        "SELECT id, x FROM bench.t, UNNEST(ai) AS z (x) UNION ALL SELECT id, x FROM bench.u": "clause",
        "SELECT id, x FROM bench.t, UNNEST(ai) AS z (x) GROUP BY id, x HAVING x > id": "condition-on-lateral-view",
        "SELECT a.k FROM bench.u a LEFT JOIN bench.u b ON a.id = b.id AND b.x > 10": "not-in-hive-grammar",
        _JOINED_UNNEST: "not-in-hive-grammar",
        "SELECT id, x FROM bench.t CROSS JOIN UNNEST(ai) AS z (x) WHERE x > id": "condition-on-lateral-view",
    },
    TO_SPARK: _REFUSED_QUERIES,
}
"""Queries without a translation, and why."""
