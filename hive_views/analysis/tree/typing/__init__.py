"""Types of expressions, by the rules of Hive (2.3 to 4) and of Spark 4, side by side.

typing_rules.py     the entry: the rule for each kind of node
context.py          what a rule is given
written_values.py   literals, and the digits of numbers
casts.py            CAST and its like
operands.py         what a rule for several values is given
decimals.py         precision and scale
operators.py        arithmetic, bits, conditions
branches.py         where several types become one: CASE and the like, set operations
aggregates.py       aggregates and windows
functions.py        functions of values, by name: strings.py, dates.py, numbers.py, spark_only.py,
                    spark_collections.py, lambdas.py (of functions that are given: lambda_variables.py)
nested.py           arrays, maps and structs, and functions of them
results.py          fixed results, and those computed from arguments
generators.py       table-generating functions
"""
