"""Statements that are refused, and what is said of them."""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    sql: str
    line: int
    column: int
    problem: str


REFUSED = [
    Refused("CREATE", 1, 7, "found the end of the statement, expected VIEW or OR REPLACE VIEW."),
    Refused("CREATE TABLE t (a int)", 1, 8, "found 'TABLE', expected VIEW or OR REPLACE VIEW."),
    Refused("CREATE TEMPORARY VIEW v AS SELECT 1", 1, 8, "found 'TEMPORARY', expected VIEW"),
    Refused("DROPVIEW v", 1, 1, "found 'DROPVIEW', expected CREATE, ALTER, DROP, SHOW, DESCRIBE, DESC, USE or PUBLISH"),
    Refused("CREATE VIEW", 1, 12, "found the end of the statement, expected the name of a view."),
    Refused("CREATE VIEW v", 1, 14, "found the end of the statement, expected '(', COMMENT, PARTITIONED ON, TBLPR"),
    Refused("CREATE VIEW v AS", 1, 17, "found the end of the statement, expected SELECT."),
    Refused("CREATE VIEW v AS -- none", 1, 25, "found the end of the statement, expected SELECT."),
    Refused("CREATE VIEW v AS FROM t SELECT a", 1, 18, "found 'FROM', expected SELECT."),
    Refused("CREATE VIEW v AS INSERT INTO t SELECT 1", 1, 18, "found 'INSERT', expected SELECT."),
    Refused("CREATE VIEW v\nCOMMENT 'c'\nAS SELECT a b c FROM t", 3, 15, "'c' is not allowed here."),
    Refused("CREATE VIEW v AS SELECT 'open", 1, 25, "the ' that opens here is not closed."),
    Refused("CREATE VIEW IF EXISTS v AS SELECT 1", 1, 16, "found 'EXISTS', expected NOT."),
    Refused("CREATE OR VIEW v AS SELECT 1", 1, 11, "found 'VIEW', expected REPLACE VIEW."),
    Refused("CREATE VIEW a.b.c AS SELECT 1", 1, 16, "at most two parts"),
    Refused("CREATE VIEW v () AS SELECT 1", 1, 16, "found ')', expected a column."),
    Refused("CREATE VIEW v (a,) AS SELECT 1", 1, 18, "found ')', expected a column."),
    Refused("CREATE VIEW v (a interger) AS SELECT 1", 1, 18, "found 'interger', expected a type. Cannot read"),
    Refused("CREATE VIEW v (a array<int) AS SELECT 1", 1, 27, "found ')', expected '>'."),
    Refused("CREATE VIEW v (a 'x') AS SELECT 1", 1, 18, "found 'x', expected a type, COMMENT, ',' or ')'."),
    Refused("CREATE VIEW v (a int 'x') AS SELECT 1", 1, 22, "found 'x', expected COMMENT, ',' or ')'."),
    Refused("CREATE VIEW v (a.b) AS SELECT 1", 1, 17, "found '.', expected a type, COMMENT, ',' or ')'."),
    Refused("CREATE VIEW v (a COMMENT) AS SELECT 1", 1, 25, "found ')', expected a comment."),
    Refused("CREATE VIEW v (a COMMENT 'x' 'y') AS SELECT 1", 1, 30, "found 'y', expected ',' or ')'. Hive joins adja"),
    Refused("CREATE VIEW v COMMENT x AS SELECT 1", 1, 23, "found 'x', expected a comment. Write it in quotes."),
    Refused(
        "CREATE VIEW v COMMENT 'a' COMMENT 'b' AS SELECT 1",
        1,
        27,
        "expected PARTITIONED ON, TBLPROPERTIES, AS or DIALECT.",
    ),
    Refused(
        "CREATE VIEW v PARTITIONED ON (a) COMMENT 'x' AS SELECT 1", 1, 34, "The order of clauses, each at most once"
    ),
    Refused("CREATE VIEW v TBLPROPERTIES ('a'='b') PARTITIONED ON (a) AS SELECT 1", 1, 39, "expected AS or DIALECT."),
    Refused("CREATE VIEW v PARTITIONED ON (a) (b) AS SELECT 1", 1, 34, "The order of clauses, each at most once"),
    Refused("CREATE VIEW v PARTITIONED BY (a) AS SELECT 1", 1, 27, "found 'BY', expected ON."),
    Refused("CREATE VIEW v PARTITIONED ON ds AS SELECT 1", 1, 30, "found 'ds', expected '('."),
    Refused("CREATE VIEW v TBLPROPERTIES () AS SELECT 1", 1, 30, "found ')', expected a key in quotes."),
    Refused("CREATE VIEW v TBLPROPERTIES (k='v') AS SELECT 1", 1, 30, "found 'k', expected a key in quotes. Write it"),
    Refused("CREATE VIEW v TBLPROPERTIES ('k'=1) AS SELECT 1", 1, 34, "found '1', expected a value in quotes."),
    Refused("CREATE VIEW v TBLPROPERTIES ('k'='v' 'w') AS SELECT 1", 1, 38, "Hive joins adjacent literals"),
    Refused("CREATE VIEW v LOCATION 'x' AS SELECT 1", 1, 15, "found 'LOCATION', expected '(', COMMENT, PARTITIONED ON"),
    Refused("CREATE VIEW v AS /*+ x */ SELECT 1", 1, 18, "found '/*+ x */', expected SELECT."),
    Refused(
        "ALTER VIEW v", 1, 13, "found the end of the statement, expected AS, SELECT, SET, UNSET, RENAME, ADD, DROP"
    ),
    Refused("ALTER VIEW v AS AS SELECT 1", 1, 17, "found 'AS', expected SELECT."),
    Refused("ALTER VIEW IF EXISTS v RENAME TO w", 1, 12, "IF is a Hive keyword: write `IF` to use it as a name."),
    Refused("ALTER VIEW v TOUCH", 1, 14, "found 'TOUCH', expected AS, SELECT, SET"),
    Refused("ALTER VIEW v SET LOCATION 'x'", 1, 18, "found 'LOCATION', expected TBLPROPERTIES."),
    Refused("ALTER VIEW v SET TBLPROPERTIES IF EXISTS ('a'='b')", 1, 32, "found 'IF', expected '('."),
    Refused(
        "ALTER VIEW v SET TBLPROPERTIES ('a'='b') PURGE", 1, 42, "found 'PURGE', expected the end of the statement"
    ),
    Refused("ALTER VIEW v UNSET TBLPROPERTIES ('a','b'='c')", 1, 42, "found '=', expected ',' or ')'."),
    Refused("ALTER VIEW v UNSET TBLPROPERTIES ('a'='b','c')", 1, 46, "found ')', expected '='."),
    Refused("ALTER VIEW v RENAME w", 1, 21, "found 'w', expected TO."),
    Refused("ALTER VIEW v ADD", 1, 17, "found the end of the statement, expected PARTITION, IF NOT EXISTS or DIALECT."),
    Refused("ALTER VIEW v ADD IF EXISTS PARTITION (a=1)", 1, 21, "found 'EXISTS', expected NOT."),
    Refused("ALTER VIEW v ADD COLUMNS (a int)", 1, 18, "found 'COLUMNS', expected PARTITION"),
    Refused("ALTER VIEW v ADD PARTITION ()", 1, 29, "found ')', expected a partition column."),
    Refused("ALTER VIEW v ADD PARTITION (a='1'), PARTITION (a='2')", 1, 35, "Separate partitions to add with spaces"),
    Refused("ALTER VIEW v ADD PARTITION (a>'1')", 1, 30, "found '>', expected '='."),
    Refused("ALTER VIEW v ADD PARTITION (a.b='1')", 1, 30, "found '.', expected '='."),
    Refused("ALTER VIEW v ADD PARTITION ('a'='1')", 1, 29, "Quote names with backticks"),
    Refused("ALTER VIEW v ADD PARTITION (date='1')", 1, 29, "write `date` to use it as a name."),
    Refused("ALTER VIEW v ADD PARTITION (a=-1)", 1, 31, "found '-', expected a constant. Hive allows no sign"),
    Refused("ALTER VIEW v ADD PARTITION (a=+1)", 1, 31, "write the number in quotes, as in '-1'."),
    Refused("ALTER VIEW v ADD PARTITION (a=.5)", 1, 31, "found '.', expected a constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=x)", 1, 31, "found 'x', expected a constant. Write text in quotes."),
    Refused("ALTER VIEW v ADD PARTITION (a=10K)", 1, 31, "10K is not a Hive constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=10l)", 1, 31, "10l is not a Hive constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=1.5bd)", 1, 31, "1.5bd is not a Hive constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=0x1F)", 1, 31, "0x1F is not a Hive constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=1.5L)", 1, 34, "found 'L', expected ',' or ')'."),
    Refused("ALTER VIEW v ADD PARTITION (a=interval '1' day)", 1, 31, "found 'interval', expected a constant."),
    Refused("ALTER VIEW v ADD PARTITION (a=date)", 1, 35, "found ')', expected a date in quotes."),
    Refused("ALTER VIEW v ADD PARTITION (a=date '2026-01-01' '')", 1, 49, "found '', expected ',' or ')'."),
    Refused("ALTER VIEW v DROP", 1, 18, "found the end of the statement, expected PARTITION."),
    Refused("ALTER VIEW v DROP PARTITION (a)", 1, 31, "expected '=', '==', '!=', '<>', '<', '<=', '>' or '>='."),
    Refused("ALTER VIEW v DROP PARTITION (a<=>1)", 1, 31, "found '<=>', expected '='"),
    Refused("ALTER VIEW v DROP PARTITION (a LIKE 'x')", 1, 32, "found 'LIKE', expected '='"),
    Refused("ALTER VIEW v DROP PARTITION (a='1') PARTITION (a='2')", 1, 37, "Separate partitions to drop with commas"),
    Refused(
        "ALTER VIEW v DROP PARTITION (a='1') IGNORE PROTECTION", 1, 37, "found 'IGNORE', expected ',', PURGE or the"
    ),
    Refused("DROP VIEW v PURGE", 1, 13, "found 'PURGE', expected the end of the statement."),
    Refused("DROP VIEW v, w", 1, 12, "found ',', expected the end of the statement."),
    Refused("DROP VIEW 'v'", 1, 11, "Quote names with backticks"),
    Refused("DROP VIEW 12", 1, 11, "found '12', expected the name of a view. Write this name in backticks"),
    Refused("DROP VIEW 1a.2b", 1, 14, "found '2b', expected the name of a view."),
    Refused("DROP VIEW _x", 1, 11, "found '_x', expected the name of a view. Write this name in backticks"),
    Refused("DROP VIEW é", 1, 11, "found 'é', expected the name of a view. Write this name in backticks"),
    Refused("DROP VIEW aéb", 1, 12, "found 'é', expected the end of the statement."),
    Refused("DROP VIEW `v", 1, 11, "the ` that opens here is not closed."),
    Refused("DROP VIEW v /* open", 1, 13, "the /* that opens here is not closed."),
    Refused("DROP VIEW v /* a /* b */", 1, 13, "the /* that opens here is not closed."),
    Refused("DROP /*+ hint */ VIEW v", 1, 6, "found '/*+ hint */', expected VIEW."),
    Refused("DROP\vVIEW v", 1, 5, "expected VIEW."),
    Refused("DROP VIEW v\0", 1, 12, "expected the end of the statement."),
    Refused("DROP VIEW v # no", 1, 13, "found '#', expected the end of the statement."),
    Refused("SHOW", 1, 5, "expected VIEWS, PARTITIONS, TBLPROPERTIES, COLUMNS, CREATE TABLE or CREATE VIEW."),
    Refused("SHOW VIEWS IN", 1, 14, "expected a database."),
    Refused("SHOW VIEWS IN d.e", 1, 16, "found '.', expected LIKE or the end of the statement."),
    Refused("SHOW VIEWS LIKE", 1, 16, "expected a pattern."),
    Refused("SHOW VIEWS 'a' 'b'", 1, 16, "found 'b', expected the end of the statement."),
    Refused(
        "SHOW PARTITIONS v WHERE ds = '1'", 1, 19, "found 'WHERE', expected PARTITION or the end of the statement."
    ),
    Refused("SHOW PARTITIONS v PARTITION (ds>'1')", 1, 32, "found '>', expected '='."),
    Refused("SHOW TBLPROPERTIES v ('k', 'j')", 1, 26, "found ',', expected ')'."),
    Refused("SHOW TBLPROPERTIES v 'k'", 1, 22, "found 'k', expected '(' or the end of the statement."),
    Refused("SHOW COLUMNS v", 1, 14, "found 'v', expected FROM or IN."),
    Refused("SHOW COLUMNS FROM v LIKE 'a'", 1, 21, "found 'LIKE', expected FROM, IN or the end of the statement."),
    Refused("SHOW CREATE v", 1, 13, "found 'v', expected TABLE or VIEW."),
    Refused("DESCRIBE d.v.c", 1, 13, "at most two parts"),
    Refused("DESCRIBE v a b", 1, 14, "found 'b', expected '.' or the end of the statement."),
    Refused("DESCRIBE v a PARTITION (ds='1')", 1, 14, "found 'PARTITION', expected '.' or the end of the statement."),
    Refused("DESCRIBE EXTENDED", 1, 18, "found the end of the statement, expected the name of a view."),
    Refused("DESCRIBE TABLE v", 1, 10, "TABLE is a Hive keyword"),
    Refused("USE d.e", 1, 6, "found '.', expected the end of the statement."),
    Refused("USE 'd'", 1, 5, "expected a database. Quote names with backticks"),
]
"""Refused by Hive's parser as well."""

STRICTER: dict[str, Refused] = {
    "Hive's analyser refuses it with 'Can't combine IF NOT EXISTS and OR REPLACE'": Refused(
        "CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1", 1, 24, "OR REPLACE and IF NOT EXISTS cannot be combined."
    ),
    "Hive's analyser refuses it with 'LOCATION clause illegal for view partition'": Refused(
        "ALTER VIEW v ADD PARTITION (a=1) LOCATION '/x'", 1, 34, "A partition of a view cannot have a LOCATION."
    ),
    "Hive's analyser refuses a spec without values to add; elsewhere it is no filter": Refused(
        "ALTER VIEW v ADD PARTITION (a, b=1)", 1, 30, "found ',', expected '='."
    ),
    "Hive takes the last value, so that a typing error adds another partition": Refused(
        "ALTER VIEW v ADD PARTITION (a=1, A=2)", 1, 34, "Give each column one value."
    ),
    "Hive stores the text of its parser's token for a missing value": Refused(
        "CREATE VIEW v TBLPROPERTIES ('k') AS SELECT 1", 1, 33, "found ')', expected '='."
    ),
    "Hive's analyser refuses a name of no characters": Refused("DROP VIEW ``", 1, 11, "at least one character"),
    "Hive drops partitions by the state of a replication, which views do not have": Refused(
        "ALTER VIEW v DROP PARTITION (a=1) FOR REPLICATION ('x')", 1, 35, "remove FOR REPLICATION"
    ),
    "a partition whose value is the time of the statement cannot be added twice alike": Refused(
        "ALTER VIEW v ADD PARTITION (a=current_date)", 1, 31, "write the date or time itself"
    ),
    "bytes in another charset are Hive's only, and nobody's value": Refused(
        "ALTER VIEW v ADD PARTITION (a=_utf8 0x41)", 1, 31, "found '_utf8', expected a constant."
    ),
    "Hive's analyser refuses a date that is none": Refused(
        "ALTER VIEW v ADD PARTITION (a=date 'x')", 1, 36, "A date is written YYYY-MM-DD."
    ),
    "Hive takes February 30 for March 2": Refused(
        "ALTER VIEW v ADD PARTITION (a=date '2026-02-30')", 1, 36, "expected a date in quotes. Day is out of range"
    ),
    "Hive's analyser refuses a time that is none, and Python has microseconds": Refused(
        "ALTER VIEW v ADD PARTITION (a=timestamp '2026-02-03')", 1, 41, "A timestamp is written YYYY-MM-DD hh:mm:ss"
    ),
    "Hive's analyser refuses a number that its suffix does not hold": Refused(
        "ALTER VIEW v ADD PARTITION (a=300Y)", 1, 31, "300Y is too large for the type of its suffix."
    ),
    "Hive takes a double or NULL for a number of more digits than its decimal has": Refused(
        "ALTER VIEW v ADD PARTITION (a=" + "1" * 39 + ")", 1, 31, "A decimal has at most 38 digits."
    ),
    r"Hive takes \uzzzz for some character": Refused(
        r"ALTER VIEW v ADD PARTITION (a='\uzzzz')", 1, 31, r"\u needs four hex digits."
    ),
    "an unpaired surrogate cannot be stored": Refused(
        r"ALTER VIEW v ADD PARTITION (a='\ud83d')", 1, 31, "An unpaired surrogate is not a character."
    ),
    "Hive's analyser refuses a database that is given twice": Refused(
        "SHOW COLUMNS FROM d.v IN e", 1, 23, "The name already includes its database."
    ),
    "Hive 3 removed PRETTY": Refused("DESCRIBE PRETTY v", 1, 10, "write FORMATTED"),
    "DESCRIBE SCHEMA is about databases": Refused("DESCRIBE SCHEMA d", 1, 10, "Only views can be described here."),
    "DESCRIBE DATABASE is about databases": Refused("DESCRIBE DATABASE d", 1, 10, "DATABASE is a Hive keyword"),
    "DESCRIBE FUNCTION is about functions": Refused("DESCRIBE FUNCTION f", 1, 10, "FUNCTION is a Hive keyword"),
    "materialized views hold data": Refused("CREATE MATERIALIZED VIEW v AS SELECT 1", 1, 8, "found 'MATERIALIZED'"),
    "other statements are not about views": Refused("SELECT 1", 1, 1, "Only statements about views are supported."),
}
"""Taken by Hive's parser, refused by us, with the reason."""
