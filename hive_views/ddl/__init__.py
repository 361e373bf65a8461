"""Executes SQL statements about views: each is one or a few calls of methods of the catalog.

    text ──► grammar/ ──► a statement, as a value ──► execute.py ──► its function in one of three modules
                                                          ▲                               │
    script.py: several, with USE between them ────────────┘                methods of the catalog, publish

What a reader finds, in the order to read:

    execute.py             execute(catalog, sql, ...): one statement; the table of its functions
    script.py              execute_script(catalog, sql, ...): several, and the error of one that fails
    session.py, result.py  what a statement is executed with, and what it returns
    view_definitions.py    CREATE VIEW, ALTER VIEW AS, dialects, roll back: they create a version
      view_columns.py        the columns of a query: given, found by an engine, or derived
      declared_view.py       and back: a view as the statement that makes it
      cycles.py              circular dependencies
    view_changes.py        properties, names, partitions, DROP VIEW, PUBLISH VIEW
    show_and_describe.py   SHOW and DESCRIBE, with description.py for the rows of DESCRIBE
    refusals.py            errors with Hive's numbers
    grammar/               from a text to a statement, and back

Statements do what they do in Hive, with Hive's error numbers in the messages. The differences:

- CREATE OR REPLACE keeps history and partitions, and of what the statement does not give, properties and the comment of
  the view (what a project's files say is all of a view: ``hive_views.project``). Executed again, it changes nothing.
  While there are partitions, names, types and order of the partition columns cannot change (Hive error 10217; unlike in
  Hive, their comments can). A statement that would lose a text in another dialect is refused: give all texts, each
  behind ``DIALECT name AS``. If only some of them are other than before, the others become stale.
- ``DIALECT name TRANSLATED FROM other`` has a text translated from another one of the view (``hive_views.translate``),
  also in ALTER VIEW ADD and REPLACE DIALECT. It is refused with all reasons, in their places, unless the text is known
  to answer the same; ``ALLOW 'code'`` accepts a difference, now and later. From then on it follows its source, whatever
  changes that, until it is given by hand or dropped: a statement that does not name it leaves that as it is. CREATE OR
  REPLACE that names it translates it again if something else would come of it now.
- A type in the column list is taken in place of that of the query, which then need not be certain; unknown tables and
  columns are errors still. The text that plain readers get, ``hive`` or else ``spark``, decides the other types.
- SHOW CREATE gives all texts in one statement, and types where they are not certain or other than the query's, so that
  it can be executed again without an engine. A text that hides where it ends (a dialect without a parser here, with a
  bracket that is not closed) has a statement ALTER VIEW ADD DIALECT. Of a translated text it gives the source, also if
  it is stale: then the statement is refused where the translation is, and never makes a stale text one that is true.
- ALTER VIEW AS keeps the partition columns, even if there are partitions, and the comments of columns that keep their
  names. Texts in other dialects stay, so a view that has any must keep its columns, unless all are translated from this
  one, and follow it. Others become stale, as with ``alter_view``; the result says so, and KEEP DIALECT says that one is
  still true.
- DROP VIEW and DROP PARTITION of what does not exist do nothing, with or without IF EXISTS, as in Hive (whose setting
  ``hive.exec.drop.ignorenonexistent`` is on by default); the result says so.
- Columns without an alias get the names that Hive 4.0.1 gives them, except for conversions of a subquery's columns,
  which get a number as in 2.3.10 (``sql/hive_names.py``).
- Names without a database are in the current one: that of the session, or of the last USE.
"""
