"""The analysis on sqlglot's tree; importing sqlglot takes 100 to 200 ms, and happens at the first call.

analyze.py     one query, from its clauses to its outputs
typing/        types of expressions
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
