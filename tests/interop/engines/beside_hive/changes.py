"""Properties, names, partitions and DROP VIEW, for Hive 4.0.1 and us."""

from __future__ import annotations

from tests.interop.engines.beside_hive.steps import DAILY, HOURLY, Known, Step, steps

RESERVED = "it would make servers treat the row as something else than a plain view"
STRICT = "Hive compares the value with a text to find what it reads, and its own strict check refuses that"
SECONDS = "Hive 2.3, as we, writes '.0' after whole seconds; Hive 4 writes nothing"
LIKE = "only Hive 4 has LIKE there"

SCRIPT = {
    "properties": steps(
        "CREATE VIEW v AS SELECT user_id FROM {web}.clicks",
        "ALTER VIEW v SET TBLPROPERTIES ('a' = '1', 'b' = '2', 'c.d' = 'x;y')",
        "ALTER VIEW {db}.v AS SET TBLPROPERTIES (\"b\" = '3', 'empty' = '')",
        "ALTER VIEW v SET TBLPROPERTIES ('comment' = 'told')",
        "SHOW TBLPROPERTIES v",
        "SHOW TBLPROPERTIES v ('b')",
        Step(
            "SHOW TBLPROPERTIES v ('absent')",
            (
                Known(
                    "rows",
                    [("Table {db}.v does not have property: absent", None)],
                    [("absent", "Table {db}.v does not have property: absent")],
                    "Hive puts its message in place of the key; we answer for a key with that key",
                ),
            ),
        ),
        "ALTER VIEW v UNSET TBLPROPERTIES ('a')",
        "ALTER VIEW v UNSET TBLPROPERTIES ('absent')",
        "ALTER VIEW v UNSET TBLPROPERTIES ('b', 'absent')",
        "ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('b', 'absent')",
        "ALTER VIEW v UNSET TBLPROPERTIES ('c.d', 'c.d')",
        "ALTER VIEW v UNSET TBLPROPERTIES ('comment')",
        "ALTER VIEW v SET TBLPROPERTIES ()",
        "ALTER VIEW v SET TBLPROPERTIES (a = '1')",
        "ALTER VIEW v SET TBLPROPERTIES ('a' = 1)",
        "ALTER VIEW v SET TBLPROPERTIES ('B' = 'é Ω')",
        "ALTER VIEW nothing SET TBLPROPERTIES ('a' = '1')",
        "ALTER VIEW {shop}.orders SET TBLPROPERTIES ('a' = '1')",
        "ALTER VIEW nothing UNSET TBLPROPERTIES ('a')",
        "SHOW TBLPROPERTIES nothing",
    ),
    "properties that are reserved here": steps(
        "CREATE VIEW v AS SELECT user_id FROM {web}.clicks",
        Step(
            "ALTER VIEW v SET TBLPROPERTIES ('EXTERNAL' = 'TRUE')",
            (
                Known("error", None, "other", RESERVED),
                Known("db.v: parameter EXTERNAL", "TRUE", None, RESERVED),
            ),
        ),
    ),
    "rename": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21') PARTITION (ds = '2026-08-22')",
        "ALTER VIEW daily RENAME TO renamed",
        "SHOW PARTITIONS renamed",
        "SELECT * FROM {db}.renamed",
        "ALTER VIEW renamed RENAME TO {db}.Again",
        "DESCRIBE daily",
        "ALTER VIEW {db}.again RENAME TO {other}.away",
        "SHOW PARTITIONS {other}.away",
        "SHOW VIEWS IN {other}",
        "ALTER VIEW {other}.away RENAME TO home",
        "CREATE VIEW taken AS SELECT ds FROM home",
        "ALTER VIEW home RENAME TO taken",
        Step(
            "ALTER VIEW home RENAME TO home",
            (Known("error", None, "other", "Hive does nothing; we say that the name is taken, as by any other view"),),
        ),
        "ALTER VIEW nothing RENAME TO something",
        "ALTER VIEW {shop}.orders RENAME TO {shop}.renamed",
        "ALTER VIEW home RENAME TO nowhere_at_all.home",
        "ALTER VIEW home RENAME away",
    ),
    "add partitions": steps(
        HOURLY,
        "ALTER VIEW hourly ADD PARTITION (ds = '2026-08-21', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = '2026-08-22', hr = '02', d = '2026-8-2') "
        "PARTITION (ds = 20260823, hr = 3, d = DATE '2026-08-03')",
        'ALTER VIEW {db}.hourly AS ADD PARTITION (D = "2026-08-24", HR = 10, DS = "b")',
        "ALTER VIEW hourly ADD IF NOT EXISTS PARTITION (ds = 'b', hr = 10, d = '2026-08-24') "
        "PARTITION (ds = 'c', hr = 2, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'new', hr = 0, d = '2026-08-24') "
        "PARTITION (ds = 'c', hr = 2, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'twice', hr = 0, d = '2026-08-24') "
        "PARTITION (ds = 'twice', hr = 00, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a/b=c%d', hr = 1, d = '2026-08-24') "
        "PARTITION (ds = 'with blank', hr = 1, d = '2026-08-24') PARTITION (ds = 'é Ω', hr = 1, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'two' 'parts', hr = 5S, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = 1.50, hr = 7L, d = '2026-08-24')",
        "ALTER VIEW hourly ADD PARTITION (ds = '[1]{{x}}#?', hr = 8, d = '2026-08-24')",
        "SHOW PARTITIONS hourly",
    ),
    "refused partitions": steps(
        HOURLY,
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1)",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1, d = '2026-08-21', more = 1)",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 'abc', d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 1, d = '2026-02-30')",
        "ALTER VIEW hourly ADD PARTITION (ds = '', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = NULL, hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = '__HIVE_DEFAULT_PARTITION__', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'x_INTERMEDIATE_ARCHIVED', hr = 1, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = -1, d = '2026-08-21')",
        Step(
            "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 2, d = '2026-08-21') LOCATION '/tmp/x'",
            (Known("error", "other", "syntax", "Hive's parser takes it, and its analyser refuses"),),
        ),
        "ALTER VIEW hourly ADD PARTITION (ds = 'a', hr = 2, d = '2026-08-21'), "
        "PARTITION (ds = 'a', hr = 3, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION (ds > 'a', hr = 2, d = '2026-08-21')",
        "ALTER VIEW hourly ADD PARTITION ()",
        "ALTER VIEW hourly ADD",
        "ALTER VIEW nothing ADD PARTITION (ds = 'a')",
        "ALTER VIEW {shop}.orders ADD PARTITION (ds = 'a', hr = 1)",
        "CREATE VIEW plain AS SELECT user_id FROM {web}.clicks",
        "ALTER VIEW plain ADD PARTITION (ds = 'a')",
        Step(
            "ALTER TABLE hourly ADD PARTITION (ds = 'a', hr = 4, d = '2026-08-21')",
            (
                Known(
                    "error", 10131, "syntax", "a statement about tables is none of ours; Hive wants ALTER VIEW as well"
                ),
            ),
        ),
        "SHOW PARTITIONS hourly",
    ),
    "partition columns of other types": steps(
        "CREATE VIEW flags PARTITIONED ON (b) AS SELECT id, b FROM {shop}.events",
        "ALTER VIEW flags ADD PARTITION (b = true)",
        "ALTER VIEW flags ADD PARTITION (b = 'FALSE')",
        "CREATE VIEW times PARTITIONED ON (ts) AS SELECT id, ts FROM {shop}.events",
        "ALTER VIEW times ADD PARTITION (ts = '2026-08-21 10:00:00.5')",
        "CREATE VIEW small PARTITIONED ON (t, v) AS SELECT id, t, v FROM {shop}.events",
        "ALTER VIEW small ADD PARTITION (t = '007', v = 'x')",
        "SHOW PARTITIONS small",
    ),
    "whole seconds": steps(
        "CREATE VIEW times PARTITIONED ON (ts) AS SELECT id, ts FROM {shop}.events",
        Step(
            "ALTER VIEW times ADD PARTITION (ts = '2026-08-21 10:00:00')",
            (Known("db.times: partitions", ["ts=2026-08-21 10%3A00%3A00"], ["ts=2026-08-21 10%3A00%3A00.0"], SECONDS),),
        ),
        Step(
            "SHOW PARTITIONS times",
            (Known("rows", [("ts=2026-08-21 10%3A00%3A00",)], [("ts=2026-08-21 10%3A00%3A00.0",)], SECONDS),),
        ),
    ),
    "bigint keys": steps(
        "CREATE VIEW ids PARTITIONED ON (id) AS SELECT ds, id FROM {shop}.events",
        Step(
            "ALTER VIEW ids ADD PARTITION (id = 1)",
            (
                Known("error", 10056, None, STRICT),
                Known("db.ids: partitions", [], ["id=1"], STRICT),
            ),
        ),
    ),
    "drop partitions": steps(
        HOURLY,
        "ALTER VIEW hourly ADD "
        + " ".join(f"PARTITION (ds = '{ds}', hr = {hr}, d = '2026-08-{hr + 10}')" for ds in "abc" for hr in (1, 2, 10)),
        "ALTER VIEW hourly DROP PARTITION (ds = 'a', hr = 1, d = '2026-08-11')",
        "ALTER VIEW hourly DROP PARTITION (ds = 'a', hr > 2)",
        "ALTER VIEW hourly DROP PARTITION (ds == 'a')",
        "ALTER VIEW hourly DROP PARTITION (ds = 'absent')",
        "ALTER VIEW hourly DROP IF EXISTS PARTITION (ds = 'absent')",
        "ALTER VIEW hourly DROP PARTITION (ds <= 'b', hr < 2), PARTITION (ds >= 'c', hr = 1)",
        "ALTER VIEW hourly DROP PARTITION (hr <> 10, ds != 'b')",
        "ALTER VIEW hourly DROP PARTITION (d = '2026-8-12') PURGE",
        "SHOW PARTITIONS hourly",
        "ALTER VIEW hourly DROP PARTITION (ds < '__HIVE_DEFAULT_PARTITION__')",
        "ALTER VIEW hourly DROP PARTITION (nothing = 1)",
        "ALTER VIEW hourly DROP PARTITION (ds = 'b') PARTITION (ds = 'c')",
        "ALTER VIEW hourly DROP PARTITION (ds)",
        "ALTER VIEW nothing DROP PARTITION (ds = 'a')",
        "ALTER VIEW {shop}.orders DROP PARTITION (ds = 'a')",
        "ALTER VIEW hourly DROP PARTITION (ds >= 'a', ds < 'c')",
        "CREATE VIEW plain AS SELECT user_id FROM {web}.clicks",
        "ALTER VIEW plain DROP PARTITION (ds = 'a')",
    ),
    "drop partitions like": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21') PARTITION (ds = '2026-09-01')",
        Step(
            "ALTER VIEW daily DROP PARTITION (ds LIKE '2026-08-%')",
            (
                Known("error", None, "syntax", LIKE),
                Known("db.daily: partitions", ["ds=2026-09-01"], ["ds=2026-08-21", "ds=2026-09-01"], LIKE),
            ),
        ),
    ),
    "drop": steps(
        DAILY,
        "ALTER VIEW daily ADD PARTITION (ds = '2026-08-21')",
        "CREATE VIEW reader AS SELECT u FROM daily",
        "CREATE VIEW plain AS SELECT user_id FROM {web}.clicks",
        "DROP VIEW daily",
        "DROP VIEW daily",
        "DROP VIEW IF EXISTS daily",
        "DROP VIEW IF EXISTS {db}.reader",
        "DROP VIEW nowhere_at_all.v",
        "DROP VIEW {shop}.orders",
        "DROP VIEW IF EXISTS {shop}.orders",
        "DROP VIEW",
        "DROP VIEW plain plain",
        "DROP VIEW a.b.c.d",
        Step(
            "DROP TABLE plain",
            (
                Known(
                    "error", "other", "syntax", "a statement about tables is none of ours; Hive wants DROP VIEW as well"
                ),
            ),
        ),
        "DROP VIEW plain",
        "CREATE VIEW daily AS SELECT page FROM {web}.clicks",
        "SHOW VIEWS",
    ),
}
