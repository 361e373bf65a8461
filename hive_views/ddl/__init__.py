"""Statements about views in SQL, executed: each is one or a few calls of the verbs of the catalog.

    text ──► grammar/ ──► a statement, as a value ──► execute.py ──► one of three modules, by what it does
                                                          ▲                               │
    script.py: several, with USE between them ────────────┘                verbs of the catalog, publish

What a reader finds, in the order to read:

    execute.py             execute(catalog, sql, ...): one statement; which function carries out which
    script.py              execute_script(catalog, sql, ...): several, and the error of one that stops
    session.py, result.py  what a statement is executed with, and what comes out
    view_definitions.py    CREATE VIEW, ALTER VIEW AS, dialects, roll back: what makes a version
      view_columns.py        the columns of a query: given, found by an engine, or derived
      cycles.py              views that would read themselves
    view_changes.py        properties, names, partitions, DROP VIEW, PUBLISH VIEW
    show_and_describe.py   SHOW and DESCRIBE, with description.py for the rows of DESCRIBE
    refusals.py            Hive's error numbers
    grammar/               from a text to a statement, and back

Statements do what Hive does, with Hive's error numbers in the messages, and more where Hive would lose something:

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
