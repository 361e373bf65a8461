"""The grammar of queries that Hive 2.3.10 and Hive 4.0.1 share, as strict as their parsers.

sqlglot takes more than Hive does, and less. A text of the dialect hive is therefore read here as well, before it
becomes the text of a row. To read, in this order:

    queries.py        read_query(sql): which brackets a text needs, or where it is not in the grammar
      expressions.py    operators by precedence, functions, literals
        windows.py      what follows OVER, and keys to sort by
    words.py          the position in the text that these readers share, and the edits that they note
      lexer.py          tokens as Hive's lexer makes them; the grammar of statements (ddl/grammar) reads them too
      reserved.py       words that need backticks as names
"""
