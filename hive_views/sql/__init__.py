"""A query text: what it says, and the text of it that every reader of the metastore understands. Pure; no I/O.

    query text ──► parser/ (sqlglot) ──► outline.py: plain values ──► query.py, tables.py, hive_names.py: answers
        │                                     │
        └────► hive_grammar/: Hive's own ─────┴──► expand.py: the text for plain readers, edited in place

What a reader finds, in the order to read:

    outline.py         the values that a query is turned into
    query.py           is it one query; which output columns it has, and of which types
    tables.py          which tables it reads
    hive_names.py      what Hive calls its columns
    namespaces.py      renames databases in a text
    expand.py          the text that Hive, Spark, Impala and Trino read alike
      column_aliases.py  the aliases in it
    dialects.py, quoting.py        names of dialects; quoted names and literals
    text_edits.py      edits of a text in place
    syntax_errors.py   the error with its place, and the line with a caret
    parser/            the only room that imports sqlglot
    hive_grammar/      the grammar of Hive 2.3 and 4.0, and its lexer, which statements (ddl/grammar) are read with too
"""
