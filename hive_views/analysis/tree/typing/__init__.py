"""Types of expressions, by the rules of Hive (2.3 to 4) and of Spark 4, side by side.

expressions.py   the entry: the rule for each kind of node; columns, literals, casts, conditions
context.py       what a rule is given
operators.py     arithmetic, CASE and the like, set operations: where several types become one
decimals.py      precision and scale
aggregates.py    aggregates and windows
functions.py     functions of values, by name: strings.py, dates.py, numbers.py
nested.py        arrays, maps and structs, and functions of them
results.py       fixed results, and those computed from arguments
generators.py    table-generating functions
"""
