"""CREATE VIEW, OR REPLACE and ALTER VIEW AS, for Hive 4.0.1 and us."""

from __future__ import annotations

from hive_views.hive.row import Column
from tests.interop.engines.beside_hive.steps import DAILY, Known, Step, steps

COMMENTS = "Hive wants the same comments too while there are partitions; we, names, types and order only"
IN_TWO = "the metastore fails in one step; we take two, in which partitions and history stay"
KEYS_STAY = "Hive 4 takes the partition column for a data column too, and refuses it as given twice; we keep its part"
PARTITIONS_STAY = "the partitions fit the new query too, and stay"
UNCERTAIN = "without an engine, columns have no types but those that are certain; schema= or Spark tells them"

SCRIPT = {
    "create": steps(
        "CREATE VIEW plain AS SELECT user_id, page, ds FROM {web}.clicks",
        "CREATE VIEW IF NOT EXISTS plain AS SELECT 1 AS a",
        "CREATE VIEW plain AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW {db}.named (u COMMENT 'who', p, d COMMENT 'the day') COMMENT 'by name' "
        "AS SELECT user_id, page, ds FROM {web}.clicks",
        DAILY,
        "CREATE VIEW Upper_Case (User_Id, DS) PARTITIONED ON (Ds) AS select User_Id, Ds from {web}.Clicks",
        "CREATE VIEW star PARTITIONED ON (ds) AS SELECT * FROM {web}.clicks",
        "CREATE VIEW with_cte AS WITH c AS (SELECT user_id, ds FROM {web}.clicks) SELECT * FROM c",
        "CREATE VIEW united AS SELECT user_id FROM {web}.clicks UNION ALL SELECT id FROM {shop}.events",
        "CREATE VIEW joined AS SELECT a.user_id, b.page FROM {web}.clicks a "
        "JOIN {web}.clicks b ON a.user_id = b.user_id",
        "CREATE VIEW cast_to AS SELECT CAST(user_id AS STRING) AS s, CAST(user_id AS DECIMAL(20, 0)) AS n, "
        "CAST(ds AS DATE) AS d, CAST(page AS BINARY) AS b FROM {web}.clicks",
        "CREATE VIEW literals AS SELECT 1 AS i, 1L AS l, 2.5D AS f, 'x' AS s, true AS b, DATE '2026-08-01' AS d",
        "CREATE VIEW counted AS SELECT user_id, count(*), ds FROM {web}.clicks GROUP BY user_id, ds",
        "CREATE VIEW all_types AS SELECT * FROM {shop}.orders",
        Step(
            "CREATE VIEW `quoted` (`select`, `from`) AS SELECT `user_id`, `page` FROM `{web}`.`clicks`",
            (
                Known(
                    "db.quoted: row viewOriginalText",
                    "SELECT user_id, page FROM {web}.clicks",
                    "SELECT `user_id`, `page` FROM `{web}`.`clicks`",
                    "Hive loses back-quotes, without which some names are no names; we keep what was typed",
                ),
            ),
        ),
        """CREATE VIEW escaped (a COMMENT 'it\\'s', b COMMENT "say 'x'") COMMENT "a;b" """
        "AS SELECT user_id, page FROM {web}.clicks WHERE page <> 'it\\'s; not -- a comment'",
        "CREATE VIEW unicode (a COMMENT 'Ω / é') COMMENT '\\u00e9' AS SELECT page FROM {web}.clicks WHERE page = 'Ω'",
        "CREATE VIEW parts COMMENT 'two' ' parts' AS SELECT user_id FROM {web}.clicks",
        "/* first */ CREATE VIEW -- a view\n commented AS SELECT user_id -- who\n , /* where */ page FROM {web}.clicks",
        "CREATE VIEW nested AS SELECT p, u FROM daily WHERE ds > '2026'",
        "CREATE VIEW filtered AS SELECT user_id FROM {web}.clicks WHERE ds IN ('2026-08-21', '2026-08-22') "
        "AND page LIKE '/%' ORDER BY user_id LIMIT 10",
    ),
    "current database": steps(
        "USE {web}",
        "CREATE VIEW {db}.bare AS SELECT user_id, ds FROM clicks",
        "SHOW COLUMNS IN {db}.bare",
        "DROP VIEW bare",
        "USE {db}",
        "DESCRIBE bare",
        "CREATE VIEW {other}.elsewhere AS SELECT ds FROM bare",
        "SHOW VIEWS",
        "SHOW VIEWS IN {other}",
        "DROP VIEW bare",
        "USE nowhere_at_all",
    ),
    "refused definitions": steps(
        Step(
            "CREATE VIEW v (a) AS SELECT user_id, page FROM {web}.clicks",
            (Known("error", "other", 10089, "Hive 4 has the message of this error, but not its number"),),
        ),
        "CREATE VIEW v (x, x) AS SELECT user_id, page FROM {web}.clicks",
        "CREATE VIEW v (x, y) AS SELECT user_id, user_id FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED ON (nothing) AS SELECT user_id, ds FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED ON (ds) AS SELECT ds, user_id FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED ON (page, user_id) AS SELECT ds, user_id, page FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED ON (user_id, ds) AS SELECT user_id, ds FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED ON (ds, ds) AS SELECT user_id, ds FROM {web}.clicks",
        Step(
            "CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT ds FROM {web}.clicks",
            (Known("error", "other", "syntax", "Hive's parser takes it, and its analyser refuses"),),
        ),
        "CREATE VIEW v AS SELECT a FROM {web}.nothing",
        "CREATE VIEW v AS SELECT a FROM nowhere_at_all.nothing",
        "CREATE VIEW v AS SELECT nothing FROM {web}.clicks",
        "CREATE VIEW nowhere_at_all.v AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW {shop}.orders AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW IF NOT EXISTS {shop}.orders AS SELECT ds FROM {web}.clicks",
        "CREATE OR REPLACE VIEW {shop}.orders AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW v TBLPROPERTIES ('k' = 'v') COMMENT 'c' AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW v PARTITIONED BY (ds) AS SELECT user_id, ds FROM {web}.clicks",
        Step(
            "CREATE VIEW typed (a BIGINT) AS SELECT user_id FROM {web}.clicks",
            (
                Known("error", "syntax", None, "types of columns are ours"),
                Known("db.typed: exists", None, True, "types of columns are ours"),
            ),
        ),
        "CREATE VIEW v () AS SELECT user_id FROM {web}.clicks",
        "CREATE VIEW v SELECT user_id FROM {web}.clicks",
        "CREATE VIEW v AS blah",
        "CREATE VIEW v AS SELECT user_id FROM {web}.clicks WHERE",
        "CREATE VIEW v COMMENT c AS SELECT user_id FROM {web}.clicks",
        "CREATE VIEW a.b.c.v AS SELECT user_id FROM {web}.clicks",
        "CREATE VIEW v AS SELECT user_id FROM {web}.clicks, {web}.clicks",
    ),
    "replace": steps(
        "CREATE OR REPLACE VIEW v COMMENT 'one' TBLPROPERTIES ('a' = '1', 'b' = '1') "
        "AS SELECT user_id, page, ds FROM {web}.clicks",
        "CREATE OR REPLACE VIEW v (x COMMENT 'new', ds) TBLPROPERTIES ('b' = '2') AS SELECT page, ds FROM {web}.clicks",
        "CREATE OR REPLACE VIEW v (x, ds COMMENT 'day') PARTITIONED ON (ds) AS SELECT page, ds FROM {web}.clicks",
        "ALTER VIEW v ADD PARTITION (ds = '2026-08-21')",
        "CREATE OR REPLACE VIEW v (x, ds COMMENT 'day') COMMENT 'two' PARTITIONED ON (ds) "
        "AS SELECT page, ds FROM {web}.clicks WHERE page = '/'",
        "CREATE OR REPLACE VIEW v (x, ds) AS SELECT page, ds FROM {web}.clicks",
        "CREATE OR REPLACE VIEW v (ds, x) PARTITIONED ON (x) AS SELECT ds, page FROM {web}.clicks",
        "CREATE OR REPLACE VIEW v (x, ds COMMENT 'day') PARTITIONED ON (ds) "
        "AS SELECT page, CAST(ds AS DATE) FROM {web}.clicks",
        "ALTER VIEW v DROP PARTITION (ds = '2026-08-21')",
        "CREATE OR REPLACE VIEW v (x, y, ds) PARTITIONED ON (y, ds) AS SELECT page, user_id, ds FROM {web}.clicks",
        "CREATE OR REPLACE VIEW v AS SELECT page FROM {web}.clicks",
        "SELECT * FROM {db}.v",
    ),
    "replace while there are partitions: comment of a partition column": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')",
        Step(
            "CREATE OR REPLACE VIEW daily (u COMMENT 'who', p, ds COMMENT 'another') PARTITIONED ON (ds) "
            "AS SELECT user_id, page, ds FROM {web}.clicks",
            (
                Known("error", 10217, None, COMMENTS),
                Known(
                    "db.daily: row partitionKeys",
                    [Column("ds", "string", "day")],
                    [Column("ds", "string", "another")],
                    COMMENTS,
                ),
            ),
        ),
    ),
    "replace while there are partitions: other columns": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')",
        Step(
            "CREATE OR REPLACE VIEW daily (p, ds COMMENT 'day') PARTITIONED ON (ds) "
            "AS SELECT page, ds FROM {web}.clicks",
            (
                Known("error", "other", None, IN_TWO),
                Known(
                    "db.daily: descriptor cols",
                    [Column("u", "bigint", "who"), Column("p", "string")],
                    [Column("p", "string")],
                    IN_TWO,
                ),
                Known(
                    "db.daily: row viewOriginalText",
                    "SELECT user_id, page, ds FROM {web}.clicks",
                    "SELECT page, ds FROM {web}.clicks",
                    IN_TWO,
                ),
            ),
        ),
    ),
    "cycles": steps(
        "CREATE VIEW a AS SELECT ds FROM {web}.clicks",
        "CREATE VIEW b AS SELECT ds FROM a",
        "CREATE VIEW c AS SELECT ds FROM b",
        "CREATE OR REPLACE VIEW a AS SELECT ds FROM a",
        "CREATE OR REPLACE VIEW a AS SELECT ds FROM c",
        "ALTER VIEW a AS SELECT ds FROM (SELECT ds FROM c) x",
    ),
    "alter as": steps(
        "CREATE VIEW v AS SELECT user_id, page FROM {web}.clicks",
        "ALTER VIEW v AS SELECT page, ds FROM {web}.clicks",
        "ALTER VIEW {db}.v AS WITH c AS (SELECT ds FROM {web}.clicks) SELECT ds AS day FROM c",
        "ALTER VIEW nothing AS SELECT page FROM {web}.clicks",
        "ALTER VIEW v AS SELECT nothing FROM {web}.clicks",
        "ALTER VIEW v AS SELECT a FROM nothing",
        "ALTER VIEW v AS blah",
        Step(
            "ALTER VIEW {shop}.spoiled AS SELECT page FROM {web}.clicks",
            (
                Known(
                    "error",
                    None,
                    10132,
                    "Hive 4 puts the columns of the query into the table, whose files then have others",
                ),
            ),
        ),
        "ALTER VIEW v AS SELECT user_id, page, ds FROM {web}.clicks WHERE page = '/'",
        "SELECT * FROM {db}.v",
    ),
    "alter as: comments of columns": steps(
        "CREATE VIEW v (u COMMENT 'who', p COMMENT 'where') COMMENT 'kept' AS SELECT user_id, page FROM {web}.clicks",
        Step(
            "ALTER VIEW v AS SELECT user_id AS u, page AS other FROM {web}.clicks",
            (
                Known(
                    "db.v: descriptor cols",
                    [Column("u", "bigint"), Column("other", "string")],
                    [Column("u", "bigint", "who"), Column("other", "string")],
                    "Hive loses the comments of all columns; we keep those of columns that keep their names",
                ),
            ),
        ),
    ),
    "alter as: a partitioned view": steps(
        DAILY,
        Step(
            "ALTER VIEW daily AS SELECT user_id AS u, page AS p, ds FROM {web}.clicks WHERE page = '/'",
            (
                Known("error", "other", None, KEYS_STAY),
                Known(
                    "db.daily: row viewOriginalText",
                    "SELECT user_id, page, ds FROM {web}.clicks",
                    "SELECT user_id AS u, page AS p, ds FROM {web}.clicks WHERE page = '/'",
                    KEYS_STAY,
                ),
            ),
        ),
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')",
        "ALTER VIEW daily AS SELECT user_id AS u, ds AS other FROM {web}.clicks",
    ),
    "alter as: a view with partitions": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')",
        Step(
            "ALTER VIEW daily AS SELECT user_id AS u, page AS p, ds FROM {web}.clicks WHERE page = '/'",
            (
                Known("error", 10217, None, PARTITIONS_STAY),
                Known(
                    "db.daily: row viewOriginalText",
                    "SELECT user_id, page, ds FROM {web}.clicks",
                    "SELECT user_id AS u, page AS p, ds FROM {web}.clicks WHERE page = '/'",
                    PARTITIONS_STAY,
                ),
            ),
        ),
    ),
    "types that are not certain": steps(
        Step(
            "CREATE VIEW v AS SELECT user_id * 2.50 AS n FROM {web}.clicks",
            (
                Known("error", None, "other", UNCERTAIN),
                Known("db.v: exists", True, None, UNCERTAIN),
            ),
        ),
        Step(
            "CREATE VIEW w AS SELECT CAST(page AS VARCHAR(7)) AS p FROM {web}.clicks",
            (
                Known("error", None, "other", UNCERTAIN),
                Known("db.w: exists", True, None, UNCERTAIN),
            ),
        ),
    ),
}
