"""Whole queries over the bench that must answer the same in Trino, or are refused."""

from __future__ import annotations

_HIVE, _SPARK = ("hive", "trino"), ("spark", "trino")

_SOME = "id < 11 AND id <> 5 AND id <> 6"
"""Rows whose numbers have sums that no engine loses digits of."""

_OF_ONE_ID = "SELECT k, id FROM bench.u"
_OF_T = "SELECT i x, i id FROM bench.t"

_WINDOWS = ", ".join(
    [
        *(
            "first_value(x, true) over (partition by id order by x nulls first) b",
            "lag(x, 0) over (order by x nulls last) p",
        ),
        *("last_value(x, true) over (order by x nulls first) c", "lag(x, 1, 0) over (order by x nulls last) d"),
        *("lead(x, 2) over (order by x nulls last) e", "row_number() over (order by x desc nulls last) f"),
        *("rank() over (order by x nulls first) g", "dense_rank() over (order by k nulls first) n"),
        *("ntile(3) over (order by x nulls first) h", "percent_rank() over (order by x nulls first) i"),
        *("cume_dist() over (order by x nulls first) j", "sum(x) over (order by x nulls first) l"),
        *("collect_list(x) over (order by x nulls first) m", "last_value(x) over (order by x nulls first) q"),
    ]
)

SAME: dict[tuple[str, str], list[str]] = {
    _HIVE: [
        f"""SELECT count(*) a, count(1) b, count(i) c, count(distinct i) d, count(distinct i, s) e, sum(ti) f, sum(i) g,
        sum(d) h, sum(n) i, sum(f) j, sum(distinct n) k, avg(ti) l, avg(j) m, avg(n) n, avg(f) o, min(b) p, max(s) q,
        min(d2) r, max(bin) s, min(dt) t, max(ts) u, min(c) v, max(v) w, stddev(i) x, std(i) y, variance(i) z,
        stddev_pop(n) aa, var_pop(f) ab, covar_pop(ti, si) ac, covar_samp(ti, si) ad, corr(n, ti) ae, sum(v) af
        FROM bench.t WHERE {_SOME}""",
        """SELECT sum(x) a, avg(x) b, min(x) c, count(x) d, count(*) e, count(distinct x) f, collect_list(x) g,
        stddev(x) i, max(k) j, corr(x, id) k FROM bench.e""",
        "SELECT id, collect_list(x) a, max(x) c, count(*) d FROM bench.u GROUP BY id HAVING c > 9",
        "SELECT id, k, count(*) c, sum(id) s FROM bench.u GROUP BY id, k WITH ROLLUP",
        "SELECT id, k, count(*) c FROM bench.u GROUP BY id, k GROUPING SETS ((id, k), k, ())",
        f"""SELECT id, count(distinct x) over (partition by id) a, max(k) over (cluster by id) o, {_WINDOWS}
        FROM bench.u""",
        """SELECT x, sum(x) over (order by x rows between 1 preceding and current row) a, min(x) over w d,
        avg(x) over (order by x range between 10 preceding and 10 following) b,
        sum(x) over (distribute by id sort by x) e
        FROM bench.u WHERE x > 0 WINDOW w AS (partition by id order by x)""",
        "SELECT * FROM bench.u a FULL JOIN (SELECT id, i FROM bench.t) b USING (id)",
        "SELECT a.* FROM bench.u a LEFT SEMI JOIN bench.t b ON a.id = b.id AND b.i > 1",
        "SELECT 1 a UNION ALL SELECT 1 UNION ALL SELECT 1 UNION SELECT 1 UNION ALL SELECT 1",
        "SELECT 1 a UNION ALL SELECT 2 INTERSECT SELECT 2",
        "SELECT n, count(*) c FROM bench.t GROUP BY n UNION ALL SELECT d, id FROM bench.t WHERE id < 3",
        "SELECT id FROM bench.u a WHERE NOT EXISTS (SELECT 1 FROM bench.t b WHERE a.id = b.id)",
        "WITH q AS (SELECT id FROM bench.u), r AS (SELECT id b FROM q) SELECT * FROM r WHERE b > 2",
        "SELECT cast(id AS bigint), id, cast(id AS string), cast(x AS double), x - id, (k) FROM bench.u WHERE x < 100",
        "SELECT u.*, cast(id AS bigint), cast('1' AS int), named_struct('A', 1).A, u.id FROM bench.u",
        "SELECT cast(v.id AS string), count(*), max(k) AS m FROM bench.u v GROUP BY id",
        "SELECT q.*, 1, id IS NULL FROM (SELECT id, x FROM bench.u) q UNION ALL SELECT 1, 2, 3, true",
    ],
    _SPARK: [
        "SELECT cast(id AS bigint), named_struct('a', 1).a FROM bench.u",
        f"""SELECT count(*) a, count(1) b, count(i) c, count(distinct i) d, count(distinct i, s) e, sum(ti) f, sum(i) g,
        sum(d) h, sum(n) i, sum(f) j, sum(distinct n) k, avg(ti) l, avg(j) m, avg(n) n, avg(f) o, min(b) p, max(s) q,
        min(d2) r, max(bin) s, min(dt) t, max(ts) u, min(c) v, max(v) w, stddev(i) x, std(i) y, variance(i) z,
        stddev_pop(n) aa, var_pop(f) ab, covar_pop(ti, si) ac, covar_samp(ti, si) ad, corr(n, ti) ae, count(i, s) af,
        stddev_samp(f) ag, var_samp(n) ah, max(d2) ai, max(f) aj, mean(j) ak, avg(distinct si) al
        FROM bench.t WHERE {_SOME}""",
        "SELECT max(d2) a, min(d2) b, max(d) c, count(NULL) d, count(distinct ai) e, count(distinct d2) f FROM bench.t",
        "SELECT stddev(i) a, var_samp(i) b, covar_samp(i, j) d, corr(i, j) e FROM bench.t WHERE id = 1",
        "SELECT avg(n2) a, sum(n2) b FROM bench.t WHERE id < 4",
        """SELECT sum(x) a, avg(x) b, min(x) c, count(x) d, count(*) e, collect_list(x) g, collect_set(k) h,
        stddev(x) i, count(id, x) l, count(distinct id, x) m, bool_and(x > 1) n, count_if(x > 1) o, max_by(k, x) p,
        bit_or(x) q
        FROM bench.e""",
        """SELECT id, collect_list(x) a, collect_set(k) b, collect_list(distinct k) c FROM bench.u WHERE id <> 2
        GROUP BY id""",
        """SELECT sum(x) FILTER (WHERE x > 5) a, count(*) FILTER (WHERE x > 5) b, max(x) FILTER (WHERE x > 500) d,
        count(distinct id, k) FILTER (WHERE x > 5) c, collect_list(k) FILTER (WHERE x = 10) e,
        count(id, k) FILTER (WHERE x > 5) f FROM bench.u""",
        """SELECT bool_and(x > 1) a, bool_or(x > 1) b, every(x > 0) c, some(x > 100) d, any(x > 1) e, count_if(x > 1) f,
        bit_and(x) g, bit_or(x) h, bit_xor(x) i, max_by(k, x) j, min_by(k, x) k, min_by(x, k) l FROM bench.u""",
        "SELECT id, k, count(*) c, sum(id) s FROM bench.u GROUP BY id, k WITH ROLLUP",
        """SELECT id, k, count(*) c, grouping(id) g, grouping(k) h, grouping_id(id, k) i, grouping_id() j FROM bench.u
        GROUP BY id, k WITH CUBE""",
        "SELECT id, k, count(*) c FROM bench.u GROUP BY id, k GROUPING SETS ((id, k), id, ())",
        "SELECT id, k, count(*) c FROM bench.u GROUP BY GROUPING SETS ((id, k), (k), (k), ())",
        "SELECT id, k, count(*) c FROM bench.u GROUP BY id, ROLLUP((id, k), x)",
        "SELECT id, count(*) c FROM bench.e GROUP BY id WITH ROLLUP",
        """SELECT listagg(k, ',') WITHIN GROUP (ORDER BY x DESC, id) a, listagg(k) WITHIN GROUP (ORDER BY x) b,
        string_agg(k, '-') WITHIN GROUP (ORDER BY x) FILTER (WHERE x > 10) c FROM bench.u""",
        "SELECT listagg(k, ',') WITHIN GROUP (ORDER BY x) a FROM bench.e",
        "SELECT count(*) c, 3 a FROM bench.u GROUP BY a",
        "SELECT 3 a, id, count(*) c FROM bench.u GROUP BY 1, 2",
        "SELECT id a, max(x) s FROM bench.u GROUP BY a HAVING s > 10",
        "SELECT id a, sum(x) s FROM bench.u GROUP BY 1",
        "SELECT max(x) s FROM bench.u HAVING max(x) > 1000",
        "SELECT 'x' a, count(*) c FROM bench.e GROUP BY 'x'",
        "SELECT DISTINCT id, k FROM bench.u",
        f"""SELECT id, max(k) over (order by 1) s, nth_value(x, 2) over (order by x) o, first(x) over (order by x) r,
        last(x, true) over (order by x) t, lag(x, 1) ignore nulls over (order by x) u,
        last_value(x) ignore nulls over (order by x) v, {_WINDOWS} FROM bench.u""",
        """SELECT id, sum(x) over (order by x rows between 1 preceding and current row) a, min(x) over w d,
        avg(x) over (order by x range between 10 preceding and 10 following) b,
        sum(x) over (distribute by id sort by x) e,
        count(*) over (partition by id order by x rows unbounded preceding) c,
        max(x) over (order by x desc range between 5 preceding and current row) f,
        count(x) over (order by x rows between unbounded preceding and unbounded following) g
        FROM bench.u WINDOW w AS (partition by id order by x)""",
        """SELECT id, max(d2) over (partition by b) m, avg(n) over (partition by b) a, sum(n) over (order by id) s,
        stddev(i) over (partition by b) e, count(i, s) over (partition by b) f, lag(s, 1, 'x') over (order by id) g,
        lag(ti, 1, 0) over (order by id) h, lag(d, 1, 0) over (order by id) i, lag(l, 1, NULL) over (order by id) j
        FROM bench.t""",
        "SELECT id, sum(max(x)) OVER (ORDER BY id) m, rank() OVER (ORDER BY max(x)) r FROM bench.u GROUP BY id",
        "SELECT * FROM bench.u a LEFT SEMI JOIN bench.t b ON a.id = b.id",
        """SELECT a.id FROM bench.u a LEFT ANTI JOIN bench.t b USING (id) LEFT JOIN bench.u c ON c.id = a.id
        WHERE a.id IS NULL OR c.x = 0""",
        "SELECT * FROM bench.u a JOIN bench.u b USING (id, k)",
        *(
            f"SELECT id, a.id x, b.id y FROM ({_OF_ONE_ID}) a {side} JOIN ({_OF_T}) b USING (id)"
            for side in ("LEFT", "FULL")
        ),
        f"SELECT * FROM ({_OF_ONE_ID}) a RIGHT JOIN ({_OF_T}) b USING (id)",
        "SELECT * FROM bench.u a FULL JOIN bench.e b USING (id) FULL JOIN (SELECT i id, j FROM bench.t) c USING (id)",
        "SELECT a.id, b.id bid, c.i FROM bench.e a, bench.u b FULL JOIN bench.t c ON b.id = c.i",
        "SELECT id FROM (SELECT id, x FROM bench.u) WHERE EXISTS (SELECT 1 FROM bench.t t WHERE t.id = x)",
        "SELECT a.id, c.x FROM bench.u a LEFT JOIN (bench.u b JOIN bench.u c ON b.x = c.x) ON a.id = b.id",
        "SELECT v.col1, w.a FROM (VALUES (1), (2L)) v, (VALUES (1.5, 'x'), (2, NULL)) AS w (a, b)",
        "SELECT 1 a UNION ALL SELECT 2 INTERSECT SELECT 2",
        "SELECT 1 a UNION ALL SELECT 1 UNION ALL SELECT 1 EXCEPT SELECT 2 UNION ALL SELECT 1",
        "SELECT id FROM bench.u MINUS ALL SELECT id FROM bench.t",
        "SELECT n a FROM bench.t UNION SELECT n2 FROM bench.t UNION ALL SELECT id FROM bench.u",
        "SELECT DISTINCT n FROM bench.t UNION ALL SELECT f FROM bench.t WHERE id < 3",
        "SELECT id FROM bench.u UNION ALL (SELECT d FROM bench.t WHERE id < 9 ORDER BY d LIMIT 2)",
        "SELECT id FROM bench.u WHERE id NOT IN (SELECT i FROM bench.t)",
        "SELECT id FROM bench.u WHERE id NOT IN (SELECT id FROM bench.e)",
        "SELECT id FROM bench.u WHERE id IN (SELECT i FROM bench.t) OR x > 30",
        "SELECT id FROM bench.u a WHERE x NOT IN (SELECT x FROM bench.u b WHERE b.id = a.id)",
        """SELECT id, (SELECT count(*) FROM bench.t b WHERE b.id = a.id) m,
        EXISTS (SELECT * FROM bench.t b WHERE b.id = a.id) e FROM bench.u a""",
        "WITH q AS (SELECT 1 a) SELECT * FROM (WITH q AS (SELECT 2 a) SELECT a FROM q) z",
        "WITH u (z) AS (SELECT id FROM bench.u), r AS (SELECT z b FROM u) SELECT * FROM r",
        "SELECT id a, a b, b c FROM bench.u",
    ],
}
"""Queries whose rows are compared in any order."""

IN_ORDER: dict[tuple[str, str], list[str]] = {
    _HIVE: [
        "SELECT id, x AS k FROM bench.u ORDER BY k NULLS LAST",
        "SELECT id, positive(3) c FROM bench.t ORDER BY positive(3) NULLS FIRST, id NULLS FIRST LIMIT 9",
        "SELECT id, k FROM bench.u WHERE k <> '' ORDER BY 2 DESC, 1 NULLS FIRST LIMIT 3",
        "SELECT id, count(*) c FROM bench.u GROUP BY id ORDER BY c DESC, id NULLS LAST LIMIT 2",
    ],
    _SPARK: [
        "SELECT id AS x, x AS id FROM bench.u ORDER BY x, id",
        "SELECT id, x AS K FROM bench.u ORDER BY k DESC NULLS FIRST, id",
        "SELECT k, id, x FROM bench.u ORDER BY 3, 2",
        "SELECT id a, max(x) s FROM bench.u GROUP BY id ORDER BY max(x) DESC, id",
        "SELECT DISTINCT id FROM bench.u ORDER BY id DESC",
        "SELECT id FROM bench.u ORDER BY x DESC LIMIT 2 OFFSET 1",
        "SELECT q.id FROM (SELECT id, x FROM bench.u ORDER BY x LIMIT 3) q ORDER BY q.id",
        "SELECT id, x FROM bench.u UNION ALL SELECT i, j FROM bench.t ORDER BY x, id LIMIT 5",
        "SELECT id FROM (SELECT id FROM bench.u UNION SELECT x FROM bench.u ORDER BY id LIMIT 4) q ORDER BY id",
    ],
}
"""Queries whose order of rows is compared."""

TOLD: dict[tuple[str, str], dict[str, str]] = {
    _HIVE: {
        "SELECT max(d2) m FROM bench.t": "nan",
        "SELECT d2, count(*) c FROM bench.t GROUP BY d2": "negative-zero",
        "SELECT id, d2 FROM bench.t ORDER BY d2 NULLS FIRST, id NULLS FIRST LIMIT 9": "nan-order",
        "SELECT id, count(*) c FROM bench.e GROUP BY id WITH ROLLUP": "groups-of-nothing",
        "SELECT sum(n2) s FROM bench.t": "wide-decimals",
    },
    _SPARK: {"SELECT DISTINCT d2 FROM bench.t": "negative-zero", "SELECT sum(n2) s FROM bench.t": "wide-decimals"},
}
"""Queries of which a finding says that the answer may be another one, with its code; it is one here."""

ALLOWED: dict[tuple[str, str], dict[str, str]] = {
    _HIVE: {
        "SELECT stddev_samp(i) s FROM bench.t WHERE id = 1": "one-value",
        "SELECT id, rank() OVER (ORDER BY x) r FROM bench.u": "null-order",
    },
    _SPARK: {},
}
"""Queries that are refused unless the code of the reason is allowed, and that releases of Hive answer differently."""

REFUSED: dict[tuple[str, str], dict[str, str]] = {
    _HIVE: {
        "SELECT stddev_samp(i) FROM bench.t": "one-value",
        "SELECT id FROM bench.t WHERE nvl(7, 1.5)": "condition",
        "SELECT id, rank() OVER (ORDER BY x) FROM bench.u": "null-order",
        "SELECT id FROM bench.u ORDER BY x LIMIT 3": "null-order",
        "SELECT id, count(*) FROM bench.u GROUP BY 1": "ordinal",
        "SELECT grouping__id FROM bench.u GROUP BY id, k WITH CUBE": "unknown-type",
        "SELECT grouping(id) FROM bench.u GROUP BY id, k WITH CUBE": "grouping",
        "SELECT percentile(x, 0.5) FROM bench.u": "percentile",
        "SELECT id FROM bench.u WHERE id NOT IN (SELECT i FROM bench.t) OR x > 30": "in-subquery",
        "SELECT sum(distinct s2) FROM bench.t": "distinct-strings",
        "SELECT * FROM bench.u TABLESAMPLE (50 PERCENT) q": "sample",
        "WITH q AS (SELECT id FROM u), u AS (SELECT 2 id) SELECT * FROM q": "name-in-with",
    },
    _SPARK: {
        "SELECT approx_count_distinct(x) FROM bench.u": "approximate",
        "SELECT median(x) FROM bench.u": "percentile",
        "SELECT listagg(k, ',') FROM bench.u": "nondeterministic",
        "SELECT first(x) FROM bench.u": "nondeterministic",
        "SELECT any_value(x) FROM bench.u": "nondeterministic",
        "SELECT first(x) IGNORE NULLS FROM bench.u": "nondeterministic",
        "SELECT sum(distinct s2) FROM bench.t": "distinct-strings",
        "SELECT count(*) FROM bench.u GROUP BY ROLLUP(id + 1)": "grouping-sets",
        "SELECT a.id FROM bench.u a NATURAL JOIN bench.t b": "natural-join",
        "SELECT id FROM bench.u TABLESAMPLE (50 PERCENT)": "sample",
        "SELECT id FROM bench.u UNION ALL SELECT k FROM bench.u": "types-of-branches",
        "SELECT c FROM bench.t UNION ALL SELECT v FROM bench.t": "types-of-branches",
        "SELECT id IN (SELECT i FROM bench.t) FROM bench.u": "in-subquery",
        "SELECT id FROM bench.u WHERE id NOT IN (SELECT i FROM bench.t) OR x > 30": "in-subquery",
        "SELECT id, lag(x, 1, 1.5) OVER (ORDER BY id) FROM bench.u": "conversion",
        "SELECT sum(i) OVER (ORDER BY d RANGE 1 PRECEDING) FROM bench.t": "window",
    },
}
"""Queries that are refused, with the code of the reason."""
