"""Texts that name tables where the parser does not see them."""

from __future__ import annotations

UNREAD_NAMES = [
    ("trino", "SELECT * FROM TABLE(exclude_columns(input => TABLE(old.t), columns => DESCRIPTOR(b)))"),
    ("trino", 'SELECT * FROM TABLE(f(TABLE("old"."t") AS x))'),
    ("spark", "SELECT * FROM f(TABLE(old.t))"),
    ("spark", "SELECT * FROM f(x => table (`old`.t))"),
    ("spark", "WITH x AS (TABLE t) SELECT * FROM x JOIN old.t"),
    ("spark", "SELECT * FROM old.t WHERE a = (TABLE `u`)"),
    ("spark", "SELECT * FROM (TABLE t) JOIN old.t"),
    ("spark", "SELECT * FROM stream(old.t)"),
    ("spark", "SELECT * FROM old.t JOIN STREAM u"),
    ("hive", "SELECT * FROM f(TABLE(old.t))"),
]
