r"""Hive's statements about views, and a few more, as frozen values. Pure; no I/O.

What a reader finds, in the order to read:

    statements.py          one class per statement; Name.resolve(current database)
    parse.py               parse_statement(sql), parse_script(sql): the first words decide which statement it is
    create.py, alter.py, show.py, publish_view.py    the grammar of each
      partition_clauses.py, translated_text.py       what several of them share
    column_types.py        types of columns, of Hive and of Spark
    reader.py              one token after another: names, literals, lists, queries, refusals
    literals.py            strings, numbers and dates as Python values
    statement_text.py      statements as a person would write them, which parse_script reads back

The grammar is that of Hive 2.3's parser; ``[]`` is optional:

    CREATE [OR REPLACE] VIEW [IF NOT EXISTS] v [(c [COMMENT 'x'], ...)] [COMMENT 'x'] [PARTITIONED ON (c, ...)]
        [TBLPROPERTIES ('k'='v', ...)] AS query
    ALTER VIEW v [AS] query
    ALTER VIEW v [AS] SET TBLPROPERTIES ('k'='v', ...) | UNSET TBLPROPERTIES [IF EXISTS] ('k', ...) | RENAME TO v
    ALTER VIEW v [AS] ADD [IF NOT EXISTS] PARTITION (c='x', ...) PARTITION (...) ...
    ALTER VIEW v [AS] DROP [IF EXISTS] PARTITION (c>'x', ...), PARTITION (...), ... [PURGE]
    DROP VIEW [IF EXISTS] v
    SHOW VIEWS [IN|FROM db] [[LIKE] 'pattern']
    SHOW PARTITIONS v [PARTITION (c='x', ...)] | TBLPROPERTIES v [('k')] | COLUMNS IN|FROM v [IN|FROM db]
    SHOW CREATE TABLE|VIEW v
    DESCRIBE|DESC [EXTENDED|FORMATTED] v [PARTITION (c='x', ...)] [c[.field ...]]
    USE db

Not in Hive:

    CREATE [OR REPLACE] VIEW ... (c [type] [COMMENT 'x'], ...) ... [AS query]
        [DIALECT trino AS query | DIALECT trino TRANSLATED FROM hive [ALLOW 'code', ...]] ...
                                                                 all texts of a view in one statement, and types of
                                                                 columns that are not certain, or other than the query's
    ALTER VIEW v ROLL BACK TO VERSION 3
    ALTER VIEW v ADD DIALECT trino AS query                      a text in a dialect that the view does not have;
                                                                 other:acme is one without a parser here
    ALTER VIEW v REPLACE DIALECT trino AS query                  another one in a dialect that it has
    ALTER VIEW v ADD | REPLACE DIALECT trino TRANSLATED FROM hive [ALLOW 'code', ...]
                                                                 one that is translated from another one of the view,
                                                                 and follows it; ALLOW accepts differences
    ALTER VIEW v DROP DIALECT trino                              none in this dialect
    ALTER VIEW v KEEP DIALECT trino                              its text is not stale: it is still true
    PUBLISH VIEW v [PARTITION (c='x', ...), ...]                 the candidates; by default those of the base tables
        [SINCE (c='x', ...)] [UNTIL (c='x', ...)] [WHEN rule]    without a rule: the recorded rules and bounds

A text ends before ``DIALECT name AS`` and another query (SELECT, WITH, ...; any text where the name begins with
``other:``) and before ``DIALECT name TRANSLATED``, outside of its literals, comments and brackets, by the rules of its
own dialect. The text behind ``AS`` alone is in the dialect that the script is read with, by default ``hive``; it may be
left out where another is given. The text of which another one is a translation is in the same statement CREATE VIEW.

The rule is a Python expression, as in ``requires("web.clicks", ds=column("ds"), hr=range(24))``
(readiness/language.py), and ends with the statement: a ``;`` in its strings and brackets does not end it. Comments
in it begin with ``--`` or ``#``. Names of tables include their database, whatever the current one is.
"""
