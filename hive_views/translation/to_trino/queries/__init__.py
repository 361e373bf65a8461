"""Clauses of queries in Trino.

whole.py         a query: WITH, set operations, brackets; LIMIT
selects.py       one SELECT
select_lists.py  its outputs; names_of_outputs.py: what those without an alias are called
from_clause.py   its tables, subqueries and joins
lateral_views.py LATERAL VIEW
generators.py    functions that make rows
generators_in_select.py  the same in select lists
filters_of_lateral_views.py  conditions that Hive 4.0 loses
grouping.py      GROUP BY and HAVING
sorting.py       ORDER BY
equal_rows.py    what is said where equal rows become one
compiling_queries.py  what these are given
"""

from hive_views.translation.to_trino.queries.whole import of_query as of_query
