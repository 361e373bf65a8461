"""SHOW, DESCRIBE and queries on views, for Hive 4.0.1 and us."""

from __future__ import annotations

from tests.interop.engines.beside_hive.steps import DAILY, HOURLY, Known, Step, steps

PATTERNS = "Hive 4 has SQL's patterns there; Hive 2.3 and 3.1, as we, those with * and |"
CREATES = "Hive loses comments, properties and the text as typed; our statement makes the same view again"
SHOW_CREATE_VIEW = "Hive 4.0.1 has the statement with TABLE only, for views too"
OF_A_COLUMN = "Hive 4 fails at views, which have no serde to ask"
HIVES_PLAIN = "CREATE VIEW `plain` AS SELECT `clicks`.`user_id`, `clicks`.`page`, `clicks`.`ds` FROM `{web}`.`clicks`"
OUR_PLAIN = "CREATE VIEW {db}.plain (\n  user_id,\n  page,\n  ds\n)\nAS\nSELECT user_id, page, ds FROM {web}.clicks;"
HIVES_DAILY = (
    "CREATE VIEW `daily` PARTITIONED ON (`ds`) AS SELECT `user_id` AS `u`, `page` AS `p`, `ds` AS "
    "`ds` FROM (SELECT `clicks`.`user_id`, `clicks`.`page`, `clicks`.`ds` FROM `{web}`.`clicks`) "
    "`daily`"
)
OUR_DAILY = (
    "CREATE VIEW {db}.daily (\n"
    "  u COMMENT 'who',\n"
    "  p,\n"
    "  ds COMMENT 'day'\n"
    ")\n"
    "COMMENT 'by day'\n"
    "PARTITIONED ON (ds)\n"
    "TBLPROPERTIES (\n"
    "  'team' = 'web'\n"
    ")\n"
    "AS\n"
    "SELECT user_id, page, ds FROM {web}.clicks;"
)

SCRIPT = {
    "show": steps(
        DAILY,
        "CREATE VIEW plain AS SELECT user_id, page, ds FROM {web}.clicks",
        "CREATE VIEW other_daily AS SELECT ds FROM daily",
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-22') PARTITION (ds = '2026-08-21')",
        "SHOW VIEWS",
        "SHOW VIEWS IN {db}",
        Step(
            "SHOW VIEWS FROM {db} LIKE '*daily'",
            (Known("rows", [], [("daily",), ("other_daily",)], PATTERNS),),
        ),
        Step(
            "SHOW VIEWS '*daily|plain'",
            (Known("rows", [], [("daily",), ("other_daily",), ("plain",)], PATTERNS),),
        ),
        "SHOW VIEWS LIKE '%daily'",
        "SHOW VIEWS LIKE 'PLAIN'",
        "SHOW VIEWS LIKE 'nothing'",
        "SHOW VIEWS IN nowhere_at_all",
        "SHOW PARTITIONS daily",
        "SHOW PARTITIONS {db}.daily PARTITION (ds = '2026-08-22')",
        "SHOW PARTITIONS daily PARTITION (ds = 'absent')",
        "SHOW PARTITIONS daily PARTITION (nothing = 1)",
        "SHOW PARTITIONS plain",
        "SHOW PARTITIONS nothing",
        "SHOW COLUMNS IN plain",
        "SHOW COLUMNS FROM daily",
        "SHOW COLUMNS FROM daily IN {db}",
        "SHOW COLUMNS IN nothing",
        "SHOW TBLPROPERTIES daily",
        Step(
            "SHOW CREATE TABLE plain",
            (
                Known(
                    "rows",
                    [(HIVES_PLAIN,)],
                    [(OUR_PLAIN,)],
                    CREATES,
                ),
            ),
        ),
        Step(
            "SHOW CREATE TABLE daily",
            (
                Known(
                    "rows",
                    [(HIVES_DAILY,)],
                    [(OUR_DAILY,)],
                    CREATES,
                ),
            ),
        ),
        Step(
            "SHOW CREATE VIEW plain",
            (
                Known("error", "syntax", None, SHOW_CREATE_VIEW),
                Known(
                    "rows",
                    [],
                    [(OUR_PLAIN,)],
                    SHOW_CREATE_VIEW,
                ),
            ),
        ),
        "SHOW CREATE TABLE nothing",
    ),
    "describe": steps(
        HOURLY,
        DAILY,
        "CREATE VIEW types AS SELECT tags, place, price FROM {shop}.orders",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1, d = '2026-08-21')",
        "DESCRIBE types",
        "DESC daily",
        "DESCRIBE {db}.hourly",
        "DESCRIBE EXTENDED types",
        "DESCRIBE EXTENDED daily",
        "DESCRIBE FORMATTED types",
        "DESCRIBE FORMATTED daily",
        Step(
            "DESCRIBE daily u",
            (
                Known("error", "other", None, OF_A_COLUMN),
                Known("rows", [], [("u", "bigint", "who")], OF_A_COLUMN),
            ),
        ),
        Step(
            "DESCRIBE types place",
            (
                Known("error", "other", None, OF_A_COLUMN),
                Known("rows", [], [("place", "struct<city:string,zip:int>", None)], OF_A_COLUMN),
            ),
        ),
        Step(
            "DESCRIBE types place.zip",
            (Known("error", "other", None, OF_A_COLUMN), Known("rows", [], [("zip", "int", None)], OF_A_COLUMN)),
        ),
        Step(
            "DESCRIBE types tags.`$elem$`",
            (Known("error", "other", None, OF_A_COLUMN), Known("rows", [], [("$elem$", "string", None)], OF_A_COLUMN)),
        ),
        Step(
            "DESCRIBE FORMATTED daily u",
            (
                Known("error", "other", None, OF_A_COLUMN),
                Known("rows", [], [("u", "bigint", "who")], OF_A_COLUMN),
            ),
        ),
        "DESCRIBE hourly PARTITION (ds = 'a', hr = 1, d = '2026-08-21')",
        "DESCRIBE EXTENDED hourly PARTITION (ds = 'a', hr = 1, d = '2026-08-21')",
        "DESCRIBE hourly PARTITION (ds = 'a', hr = 2, d = '2026-08-21')",
        "DESCRIBE daily nothing",
        "DESCRIBE types place.nothing",
        "DESCRIBE nothing",
    ),
    "reading": steps(
        DAILY,
        "CREATE VIEW star AS SELECT *, upper('x') AS x FROM {web}.clicks",
        "CREATE VIEW united (a) AS SELECT page FROM {web}.clicks UNION ALL SELECT ds FROM {web}.clicks",
        "CREATE VIEW with_cte AS WITH c AS (SELECT user_id, ds FROM {web}.clicks) "
        "SELECT ds, user_id FROM c WHERE ds > '2026-08-21'",
        "CREATE VIEW nested (who, what) AS SELECT d.u, d.p FROM daily d WHERE d.ds = '2026-08-22'",
        "CREATE VIEW unnamed AS SELECT CAST(user_id AS STRING), page FROM {web}.clicks",
        "SELECT * FROM {db}.daily",
        "SELECT * FROM {db}.star",
        "SELECT * FROM {db}.united",
        "SELECT * FROM {db}.with_cte",
        "SELECT * FROM {db}.nested",
        "SELECT * FROM {db}.unnamed",
    ),
}
