"""Values in Trino: one module for each family, with its rules by the kind of a node (NODES) or by a function (CALLS).

literals.py      numbers, strings, NULL
constants.py     numbers, days and times that are known, as Trino writes them
column_references.py  columns, fields of structs, aliases
casting/         CAST, and the conversions that Hive and Spark do by themselves
logic.py         AND, OR, NOT, IS
comparisons/     =, <, IN, BETWEEN, LIKE and the like
branches.py      CASE, IF, COALESCE and the like
numbers/         +, -, *, /, % and bits; functions of numbers
strings/         functions of strings and bytes; regular expressions, JSON, URLs
dates/           functions of dates and times; intervals
nested/          arrays, maps and structs
lambdas.py       functions that take a function, of Spark
mapped_calls.py  functions of users, which the setting udfs maps
aggregates.py    aggregates
after_calls.py   FILTER and OVER behind them
windows.py       functions over windows
sort_keys.py     keys of ORDER BY, also in windows
subqueries.py    subqueries as values and conditions
using.py         columns that USING merges
"""

from hive_views.translation.to_trino.expressions.casting import converted as converted
from hive_views.translation.to_trino.expressions.casting import converted_term as converted_term
from hive_views.translation.to_trino.expressions.families import CALLS as CALLS
from hive_views.translation.to_trino.expressions.families import NODES as NODES
