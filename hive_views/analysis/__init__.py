"""What a query returns, what it reads and where: columns, types, lineage, without an engine. Pure; no I/O.

query_analysis.py     what an analysis says
analyzing.py          the entry: a text and the columns of its tables
same_meaning.py       whether two texts are certainly the same query
tree/                 how: on sqlglot's tree, which only this package and sql/parser know
lineage.py            several analyses together: from the columns of a view down to those of tables
mermaid.py            the same as a diagram
analysis_version.py   the version of what an analysis says
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
