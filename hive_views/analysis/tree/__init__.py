"""The analysis on sqlglot's tree; importing sqlglot takes 100 to 200 ms, and happens at the first call.

analyze.py     one query, from its clauses to its outputs
typing/        types of expressions
wording.py     two texts that differ in spaces, comments, case and quotes alone
engines_agree.py   queries that all engines read alike
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
