"""Statements in SQL, executed: each is one or a few calls of the verbs on views.

    execute.execute(catalog, sql, ...)        one statement
    script.execute_script(catalog, sql, ...)  several, with semicolons between them

What they say is read by ``hive_views.ddl.grammar``. What they do is Hive's, with Hive's error numbers in the
messages, and more where Hive would lose something:

- CREATE OR REPLACE keeps history, properties and partitions. While there are partitions, names, types and order of the
  partition columns stay as they are (Hive error 10217; their comments may change, other than in Hive), and the loss of
  a text in another dialect is refused.
- ALTER VIEW AS keeps the partition columns, even if there are partitions, and the comments of columns that keep their
  names. Texts in other dialects stay, so that the columns must stay as well where there are any.
- DROP VIEW and DROP PARTITION of what does not exist do nothing, with or without IF EXISTS, as in Hive (whose setting
  ``hive.exec.drop.ignorenonexistent`` is on by default); the result says so.
- Columns without an alias have the names that Hive 4.0.1 gives them, but for conversions of a subquery's columns, which
  have a number as in 2.3.10 (``sql/hive_names.py``).
- Names without a database are in the current one: the session's, or what USE has said since.
"""
