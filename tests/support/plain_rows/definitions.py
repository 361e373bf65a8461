"""What engines are told so that they make plain views of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.plain_rows import LAKE, VIEWS


@dataclass(frozen=True)
class Definition:
    """A view, the statements that make it, and the settings of the session that they are run in."""

    name: str
    statements: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)


def _view(name: str, *statements: str, **settings: str) -> Definition:
    named = {key.replace("__", "."): value for key, value in settings.items()}
    return Definition(name, [_named(statement, name) for statement in statements], named)


def _named(statement: str, name: str) -> str:
    return statement.replace("{v}", f"{VIEWS}.{name}").replace("{V}", VIEWS).replace("{L}", LAKE)


HIVE = [
    _view("simple", "CREATE VIEW {v} AS SELECT user_id, page, ds FROM {L}.clicks"),
    _view("star", "CREATE VIEW {v} AS SELECT * FROM {L}.clicks WHERE user_id = 1"),
    _view(
        "column_list",
        "CREATE VIEW {v} (Who COMMENT 'the user', what, `day` COMMENT 'it''s a day') COMMENT 'by day; é' "
        "TBLPROPERTIES ('team'='web', 'note'='a;b') AS SELECT user_id, page, ds FROM {L}.clicks",
    ),
    _view("unaliased", "CREATE VIEW {v} AS SELECT user_id + 1, count(*), max(page) FROM {L}.clicks GROUP BY user_id"),
    _view(
        "partitioned",
        "CREATE VIEW {v} (user_id COMMENT 'who', clicks, ds COMMENT 'day') COMMENT 'clicks by day' PARTITIONED ON (ds) "
        "TBLPROPERTIES ('team'='web') AS SELECT user_id, count(*), ds FROM {L}.clicks GROUP BY user_id, ds",
        "ALTER VIEW {v} ADD PARTITION (ds='2026-08-21') PARTITION (ds='2026-08-22')",
    ),
    _view(
        "partitioned_on_two",
        "CREATE VIEW {v} PARTITIONED ON (born, user_id) AS SELECT name, born, user_id FROM {L}.users",
        "ALTER VIEW {v} ADD PARTITION (born='1990-01-31', user_id=1) PARTITION (born='1985-12-01', user_id=2)",
    ),
    _view(
        "partitioned_on_odd_values",
        "CREATE VIEW {v} PARTITIONED ON (page) AS SELECT user_id, page FROM {L}.clicks WHERE ds > '2026'",
        "ALTER VIEW {v} ADD PARTITION (page='/') PARTITION (page='/a b') PARTITION (page='a=b%c')",
    ),
    _view("partitioned_on_none_yet", "CREATE VIEW {v} PARTITIONED ON (ds) AS SELECT user_id, ds FROM {L}.clicks"),
    _view(
        "cte",
        "CREATE VIEW {v} AS WITH days AS (SELECT ds, count(*) AS n FROM {L}.clicks GROUP BY ds), "
        "big AS (SELECT * FROM days WHERE n > 1) SELECT d.ds, d.n, b.n AS big_n FROM days d LEFT JOIN big b "
        "ON d.ds = b.ds",
    ),
    _view(
        "union_all",
        "CREATE VIEW {v} AS SELECT user_id, 'click' AS kind FROM {L}.clicks UNION ALL "
        "SELECT cast(user_id AS bigint), 'user' FROM {L}.users",
    ),
    _view(
        "lateral_view",
        "CREATE VIEW {v} AS SELECT u.user_id, t.pos, t.tag FROM {L}.users u "
        "LATERAL VIEW posexplode(u.tags) t AS pos, tag",
    ),
    _view(
        "join_of_subquery",
        "CREATE VIEW {v} AS SELECT c.user_id, u.name, c.n FROM (SELECT user_id, count(*) n FROM {L}.clicks "
        "GROUP BY user_id) c JOIN {L}.users u ON c.user_id = u.user_id WHERE u.name IN (SELECT name FROM {L}.users)",
    ),
    _view("all_types", "CREATE VIEW {v} AS SELECT u.*, c.price, c.seen_at FROM {L}.users u, {L}.clicks c"),
    _view("fields", "CREATE VIEW {v} AS SELECT address.city, tags[0] AS tag, scores['a'] AS score FROM {L}.users"),
    _view("quoted", "CREATE VIEW {v} (`order`, `a b`, `ünï`) AS SELECT user_id, page, ds FROM {L}.clicks"),
    _view(
        "strings",
        "CREATE VIEW {v} AS SELECT 'it''s' AS a, \"double \\\"q\\\"\" AS b, 'tab\\there' AS c, 'Ω' AS d, ';' AS e, "
        "'-- no comment' AS f FROM {L}.users",
    ),
    _view(
        "layout",
        "CREATE VIEW {v} AS\n-- the user's days\nSELECT user_id, /* inner */ page\n\n  FROM {L}.clicks  \n"
        " WHERE ds > '2026'\n",
    ),
    _view(
        "expressions",
        "CREATE VIEW {v} AS SELECT CASE WHEN price > 2 THEN 'dear' ELSE 'cheap' END AS kind, cast(price AS int) AS p, "
        "row_number() OVER (PARTITION BY user_id ORDER BY seen_at) AS nr, date_add(to_date(seen_at), 1) AS next, "
        "page RLIKE '^/.+' AS deep, concat_ws('-', page, ds) AS joined FROM {L}.clicks",
    ),
    _view(
        "grouped_by_rollup",
        "CREATE VIEW {v} AS SELECT user_id, ds, sum(price) AS total FROM {L}.clicks GROUP BY user_id, ds WITH ROLLUP",
    ),
    _view("ordered", "CREATE VIEW {v} AS SELECT DISTINCT user_id FROM {L}.clicks ORDER BY user_id LIMIT 1"),
    _view("unqualified", "USE {L}", "CREATE VIEW {v} AS SELECT clicks.user_id, name FROM clicks, users", "USE default"),
    _view("of_a_view", "CREATE VIEW {v} AS SELECT * FROM {V}.simple"),
    _view("of_constants", "CREATE VIEW {v} AS SELECT 1 AS a, 1.5 AS b, 'x' AS c, true AS d, NULL AS e"),
    _view(
        "altered",
        "CREATE VIEW {v} COMMENT 'first' AS SELECT user_id FROM {L}.clicks",
        "ALTER VIEW {v} AS SELECT page, ds FROM {L}.clicks",
        "ALTER VIEW {v} SET TBLPROPERTIES ('team'='search', 'comment'='second')",
    ),
    _view(
        "replaced",
        "CREATE VIEW {v} AS SELECT user_id FROM {L}.clicks",
        "CREATE OR REPLACE VIEW {v} AS SELECT page FROM {L}.clicks",
    ),
    _view(
        "renamed",
        "CREATE VIEW {V}.before_renaming AS SELECT user_id FROM {L}.clicks",
        "ALTER VIEW {V}.before_renaming RENAME TO {v}",
    ),
    _view(
        "wide",
        "CREATE VIEW {v} AS SELECT "
        + ", ".join(f"user_id + {number} AS column_{number:03d}" for number in range(120))
        + " FROM {L}.clicks",
    ),
]

TRINO = [
    _view("simple", "CREATE VIEW {v} AS SELECT user_id, page, ds FROM {L}.clicks"),
    _view(
        "commented",
        "CREATE VIEW {v} COMMENT 'clicks by day' SECURITY INVOKER AS SELECT user_id, count(*) AS clicks, ds "
        "FROM hive.{L}.clicks GROUP BY 1, 3",
        "COMMENT ON COLUMN {v}.user_id IS 'who; é'",
    ),
    _view("all_types", "CREATE VIEW {v} AS SELECT u.*, c.price, c.seen_at FROM {L}.users u, {L}.clicks c"),
    _view(
        "types_of_trino",
        "CREATE VIEW {v} AS SELECT TIMESTAMP '2026-08-21 10:00:00.123456 UTC' AS zoned, TIME '10:00' AS at_time, "
        "CAST('abc' AS varchar(5)) AS short, CAST('abc' AS char(5)) AS padded, CAST(1 AS decimal(38,10)) AS exact, "
        "CAST(ROW(1, 'x') AS ROW(a integer, b varchar)) AS named, ROW(1, 'x') AS unnamed, "
        "INTERVAL '1' DAY AS a_day, UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS id, JSON '1' AS doc, "
        "IPADDRESS '10.0.0.1' AS ip",
    ),
    _view("quoted", 'CREATE VIEW {v} AS SELECT user_id AS "Order", page AS "a ""b""", ds AS "ünï" FROM {L}.clicks'),
    _view(
        "functions",
        "CREATE VIEW {v} AS SELECT user_id, approx_distinct(page) AS pages, date_trunc('hour', max(seen_at)) AS h, "
        "array_agg(page ORDER BY page) AS all_pages FROM {L}.clicks GROUP BY user_id",
    ),
    _view("of_a_view", "CREATE VIEW {v} AS SELECT * FROM {V}.simple"),
    _view(
        "replaced",
        "CREATE VIEW {v} AS SELECT user_id FROM {L}.clicks",
        "CREATE OR REPLACE VIEW {v} AS SELECT page FROM {L}.clicks",
        "ALTER VIEW {v} SET AUTHORIZATION ada",
    ),
]

SPARK = [
    _view("simple", "CREATE VIEW {v} AS SELECT user_id, page, ds FROM {L}.clicks"),
    _view("star", "CREATE VIEW {v} AS SELECT * FROM {L}.clicks WHERE user_id = 1"),
    _view(
        "column_list",
        "CREATE VIEW {v} (Who COMMENT 'the user', What, day COMMENT 'it\\'s a day') COMMENT 'by day; é' "
        "TBLPROPERTIES ('team'='web', 'note'='a;b') AS SELECT user_id, page, ds FROM {L}.clicks",
    ),
    _view("mixed_case", "CREATE VIEW {v} AS SELECT user_id AS UserId, named_struct('MyField', 1) AS S FROM {L}.clicks"),
    _view("unqualified", "USE {L}", "CREATE VIEW {v} AS SELECT clicks.user_id, name FROM clicks, users"),
    _view("three_parts", "CREATE VIEW {v} AS SELECT user_id FROM spark_catalog.{L}.clicks"),
    _view("of_a_view", "CREATE VIEW {v} AS SELECT * FROM {V}.simple"),
    _view("all_types", "CREATE VIEW {v} AS SELECT u.*, c.price, c.seen_at FROM {L}.users u, {L}.clicks c"),
    _view(
        "not_of_hive",
        "CREATE VIEW {v} AS SELECT user_id, cast(seen_at AS timestamp_ntz) AS local_time, INTERVAL '1' DAY AS a_day "
        "FROM {L}.clicks",
    ),
    _view(
        "cte",
        "CREATE VIEW {v} AS WITH days AS (SELECT ds, count(*) AS n FROM {L}.clicks GROUP BY ds) SELECT * FROM days",
    ),
    _view(
        "union_all",
        "CREATE VIEW {v} AS SELECT user_id, 'click' AS kind FROM {L}.clicks UNION ALL SELECT user_id, 'user' "
        "FROM {L}.users",
    ),
    _view("lateral_view", "CREATE VIEW {v} AS SELECT user_id, tag FROM {L}.users LATERAL VIEW explode(tags) t AS tag"),
    _view(
        "only_in_spark",
        "CREATE VIEW {v} AS SELECT * EXCEPT (page), page || ds AS joined, price :: int AS p, "
        "transform(array(1, 2), x -> x + user_id) AS moved FROM {L}.clicks",
    ),
    _view(
        "strings",
        "CREATE VIEW {v} AS SELECT 'it\\'s' AS a, \"double\" AS b, 'tab\\there' AS c, 'Ω' AS d, ';' AS e "
        "FROM {L}.users",
    ),
    _view(
        "raw_strings",
        "CREATE VIEW {v} AS SELECT 'tab\\there' AS c FROM {L}.users",
        spark__sql__parser__escapedStringLiterals="true",
    ),
    _view(
        "layout",
        "CREATE VIEW {v} AS\n-- the user's days\nSELECT user_id, /* inner */ page\n\n  FROM {L}.clicks  \n"
        " WHERE ds > '2026'\n",
    ),
    _view(
        "ansi_on",
        "CREATE VIEW {v} AS SELECT cast(page AS int) AS n FROM {L}.clicks",
        spark__sql__ansi__enabled="true",
    ),
    _view(
        "ansi_off",
        "CREATE VIEW {v} AS SELECT cast(page AS int) AS n, 2147483647 + cast(1 AS int) AS over FROM {L}.clicks",
        spark__sql__ansi__enabled="false",
    ),
    _view(
        "quotes_of_ansi",
        'CREATE VIEW {v} AS SELECT "user_id" AS "who" FROM {L}.clicks',
        spark__sql__ansi__enabled="true",
        spark__sql__ansi__doubleQuotedIdentifiers="true",
    ),
    _view(
        "time_zone",
        "CREATE VIEW {v} AS SELECT user_id, date_format(timestamp_seconds(0), 'yyyy-MM-dd HH:mm') AS epoch, "
        "unix_timestamp('2026-08-21 10:00:00') AS seconds FROM {L}.clicks",
        spark__sql__session__timeZone="Asia/Tokyo",
    ),
    _view(
        "time_zone_and_ansi_off",
        "CREATE VIEW {v} AS SELECT cast(page AS int) AS n, hour(timestamp_seconds(0)) AS epoch_hour FROM {L}.clicks",
        spark__sql__session__timeZone="America/New_York",
        spark__sql__ansi__enabled="false",
    ),
    _view(
        "case_sensitive",
        "CREATE VIEW {v} AS SELECT user_id, page AS PAGE FROM {L}.clicks",
        spark__sql__caseSensitive="true",
    ),
    _view(
        "altered",
        "CREATE VIEW {v} COMMENT 'first' AS SELECT user_id FROM {L}.clicks",
        "ALTER VIEW {v} AS SELECT page, ds FROM {L}.clicks",
        "ALTER VIEW {v} SET TBLPROPERTIES ('team'='search')",
    ),
    _view(
        "renamed",
        "CREATE VIEW {V}.before_renaming AS SELECT user_id FROM {L}.clicks",
        "ALTER VIEW {V}.before_renaming RENAME TO {v}",
    ),
    _view("of_constants", "CREATE VIEW {v} AS SELECT 1 AS a, 1.5 AS b, 'x' AS c, true AS d, NULL AS e"),
    _view("without_rows_of_a_table", "CREATE VIEW {v} AS SELECT * FROM VALUES (1, 'x'), (2, 'y') AS t (a, b)"),
    _view(
        "wide",
        "CREATE VIEW {v} AS SELECT "
        + ", ".join(f"user_id + {number} AS column_{number:03d}" for number in range(120))
        + " FROM {L}.clicks",
    ),
]

SPARK_4 = [
    *SPARK,
    *(
        _view(
            f"schema_{mode.lower().replace(' ', '_')}",
            f"CREATE VIEW {{v}} (who COMMENT 'the user') WITH SCHEMA {mode} AS SELECT user_id FROM {{L}}.clicks",
        )
        for mode in ("BINDING", "COMPENSATION", "TYPE EVOLUTION")
    ),
    _view("schema_evolution", "CREATE VIEW {v} WITH SCHEMA EVOLUTION AS SELECT * FROM {L}.clicks"),
    _view("pipes", "CREATE VIEW {v} AS FROM {L}.clicks |> WHERE user_id = 1 |> SELECT page, ds"),
    _view("variant", "CREATE VIEW {v} AS SELECT parse_json('1') AS doc FROM {L}.clicks"),
    _view("collated", "CREATE VIEW {v} DEFAULT COLLATION UTF8_LCASE AS SELECT page FROM {L}.clicks"),
]
