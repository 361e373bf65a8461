"""Computing with numbers.

arithmetic.py           +, -, *, /, % and bits
decimal_arithmetic.py   the digits of decimals
whole_numbers.py        how large whole numbers can become
number_functions.py     functions of numbers
numerals.py             numbers as texts: hex and the like
"""

from hive_views.translation.to_trino.expressions.numbers import (
    arithmetic,
    number_functions,
    numerals,
)
from hive_views.translation.to_trino.terms import CallRules, NodeRules

_MODULES = (arithmetic, number_functions, numerals)
NODES: NodeRules = {kind: rule for module in _MODULES for kind, rule in module.NODES.items()}
CALLS: CallRules = {name: rule for module in _MODULES for name, rule in module.CALLS.items()}
