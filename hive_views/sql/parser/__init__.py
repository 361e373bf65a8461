"""What sqlglot knows of a text: the only room that imports it.

Import this package, not names from it (``from hive_views.sql import parser``): importing sqlglot takes 100 to 200 ms,
and happens at the first call. To read, in this order:

    statement.py          a text as one query: tokens and tree, or why it cannot be a view
      written_calls.py    calls of functions as they are written
      hive_tokens.py      syntax of Hive that sqlglot does not know, in tokens that it knows
      brackets.py         walks over tokens
    outlines.py           tree and tokens as the plain values of sql/outline.py
      database_names.py   where databases are named
      unread_names.py     names of tables that may be missing in the tree
      replaceable_tables.py  where subqueries can stand for tables
      stars.py            columns behind a star
    column_names.py       how Hive names output columns
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
