"""Arrays, maps and structs, and their functions.

making.py      array(), map(), struct(), named_struct()
parts_of_nested.py  elements, values of maps, fields; keys and values
searching.py   size, array_contains, sort_array
of_spark.py    functions that Hive does not have
element_types.py  which types Trino compares and sorts as the source does
"""

from hive_views.translation.to_trino.expressions.nested import making, of_spark, parts_of_nested, searching
from hive_views.translation.to_trino.expressions.nested.parts_of_nested import field_of as field_of
from hive_views.translation.to_trino.terms import CallRules, NodeRules

_MODULES = (making, parts_of_nested, searching, of_spark)
NODES: NodeRules = {kind: rule for module in _MODULES for kind, rule in module.NODES.items()}
CALLS: CallRules = {name: rule for module in _MODULES for name, rule in module.CALLS.items()}
