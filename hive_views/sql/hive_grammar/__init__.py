"""The grammar of queries that Hive 2.3.10 and Hive 4.0.1 share, as strict as their parsers.

sqlglot accepts texts that Hive does not, and the other way round. A text in the dialect hive is therefore read here as
well before it becomes the text of a row. To read, in this order:

    queries.py        read_query(sql): which parentheses a text needs, or where it is not in the grammar
      expressions.py    operators by precedence, functions, literals
        windows.py      what follows OVER, and keys to sort by
    words.py          the position in the text that these readers share, and the edits that they collect
      lexer.py          tokens as Hive's lexer makes them; the grammar of statements (ddl/grammar) uses them too
      reserved.py       words that need backticks as names
"""
