"""Queries with columns that they do not name, and the names that Hive gives them, blanks between them."""

from __future__ import annotations

_COLUMNS_OF_T = "a int, b string, st struct<x:int,y:string>, d date, n bigint, tags array<struct<x:int>>"
TABLES = (
    f"CREATE TABLE t ({_COLUMNS_OF_T}) PARTITIONED BY (ds string, hr int)",
    "CREATE TABLE u (a int, key string, value string)",
)
COLUMNS_OF_U = ("a", "key", "value")

ALIKE = {
    # A conversion keeps the name of a table's column, if no column before has it.
    "SELECT cast(a AS bigint), cast(b AS varchar(5)) FROM t": "a b",
    "SELECT int(a), date(ds), a + 1, upper(b) FROM t": "a ds _c2 _c3",
    "SELECT string(a), bigint(n), binary(b), timestamp(ds), smallint(hr) FROM t": "a n b ds hr",
    "SELECT CAST(A AS bigint), cast(x.B AS int) FROM t x": "a b",
    "SELECT (cast(a AS bigint)), to_date(ds), -hr FROM t": "a _c1 _c2",
    "SELECT a, cast(a AS bigint), cast(a AS string) FROM t": "a _c1 _c2",
    "SELECT cast(a AS bigint), cast(a AS string) FROM t": "a _c1",
    "SELECT cast(a AS bigint) FROM t WHERE a > 1 LIMIT 3": "a",
    "SELECT cast(a AS bigint) FROM t UNION ALL SELECT n FROM t": "a",
    # Not of fields, expressions, or what groups, joins and generators make.
    "SELECT cast(st.x AS bigint), cast(a + 1 AS int) FROM t": "_c0 _c1",
    "SELECT b, cast(a AS bigint) FROM t GROUP BY b, a": "b _c1",
    "SELECT DISTINCT cast(a AS bigint), b FROM t": "_c0 b",
    "SELECT cast(t.a AS bigint), key FROM t JOIN u ON t.a = u.a": "_c0 key",
    "SELECT cast(a AS bigint), cast(x AS string) FROM t LATERAL VIEW explode(array(1)) e AS x": "_c0 _c1",
    "SELECT sum(a), count(*), cast(max(a) AS bigint) FROM t": "_c0 _c1 _c2",
    # Fields have their names, whatever they are fields of.
    "SELECT named_struct('p', 1).p, array(st)[0].x, st.y FROM t": "p x y",
    "SELECT tags[0], array(a)[0], tags[0].x FROM t": "_c0 _c1 x",
    # A number is that of the item; a star is one.
    "SELECT *, '12' FROM u": "a key value _c1",
    "SELECT 1, u.*, 2 FROM u": "_c0 a key value _c2",
    "SELECT *, cast(a AS bigint) FROM u": "a key value _c1",
    # Hive takes an alias like that for its own.
    "SELECT key AS `_c1`, '12' FROM u": "key _c1",
    "SELECT cast(a AS bigint), a + 1, b AS `_c9` FROM t": "a _c1 b",
    "SELECT max(a) AS `_c7`, b FROM t GROUP BY b": "_c7 b",
}
"""In Hive 2.3.10 and 4.0.1."""

NEWER = {
    "SELECT sum(a) OVER (PARTITION BY b) FROM t": "sum_window_0",
    "SELECT 1, rank() OVER (ORDER BY a), a + 1, SUM(a) OVER (ORDER BY a) FROM t": "_c0 rank_window_0 _c2 sum_window_1",
    "SELECT *, sum(a) OVER () FROM u": "a key value sum_window_0",
    "SELECT cast(rank() OVER (ORDER BY a) AS string), sum(a) OVER (ORDER BY a) r FROM t": "rank_window_0 r",
    "SELECT rank() OVER w, sum(a) OVER w FROM t WINDOW w AS (ORDER BY a)": "rank_window_0 sum_window_1",
    # Windows of other rows are computed one after the other, and the last ones keep their names.
    "SELECT rank() OVER (ORDER BY a), sum(a) OVER (PARTITION BY b) FROM t": "_c0 sum_window_1",
    "SELECT rank() OVER (ORDER BY a), sum(a) OVER (), rank() OVER (ORDER BY a) FROM t": "_c0 sum_window_1 _c2",
    "SELECT rank() OVER (ORDER BY a), rank() OVER (ORDER BY a) FROM t": "rank_window_0 _c1",
    "SELECT cast(a AS bigint), sum(a) OVER () FROM t": "_c0 sum_window_0",
    "SELECT sum(a) OVER () + 1, rank() OVER () FROM t": "_c0 rank_window_1",
}
"""In Hive 4.0.1, and in 2.3.10 without its cost-based optimizer; with it, columns of windows have numbers."""

SIMPLER = (
    "SELECT cast(x AS bigint) FROM (SELECT a AS x FROM t) y",
    "WITH q AS (SELECT a FROM t) SELECT cast(a AS bigint) FROM q",
    "SELECT cast(cast(a AS bigint) AS string) FROM t",
)
"""Hive 4.0.1 names these columns after ``t.a``, and 2.3.10 gives them numbers, as we do."""
