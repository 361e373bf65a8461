"""Comparing values.

compared_values.py  =, <, IN, BETWEEN and the like
compared_types.py   what Hive and Spark compare two values as
like.py             LIKE and ILIKE
"""

from hive_views.translation.to_trino.expressions.comparisons.compared_values import CALLS as CALLS
from hive_views.translation.to_trino.expressions.comparisons.compared_values import NODES as NODES
