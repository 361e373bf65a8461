"""The analysis on sqlglot's tree; importing sqlglot takes 100 to 200 ms, and happens at the first call.

typed_query.py       the tree itself, with types: for translations
  qualified_calls.py functions of databases in it
query_reader.py      one query, from its clauses to its outputs
  from_clause.py     FROM, turned into sources
  sources.py         sources, and which of their columns a name means
  places.py          where an expression stands, and what it may name there
  clauses.py         names of clauses
calls.py             functions that are called
types_of_nodes.py    the types of the parts of a query
  typing/            the rules for them
wording.py           two texts that differ in spaces, comments, case and quotes alone
engines_agree.py     queries that all engines read alike
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
