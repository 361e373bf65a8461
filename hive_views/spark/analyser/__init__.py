"""What Spark knows of a query without running it.

query_schema.py     its columns; works with Spark Connect too
query_plans.py      the only door into Spark's plans: analysed, and with the scans of its tables
scans.py            one scan of a table in a plan
predicates.py       partitions as a condition that Spark prunes by
column_lineage.py   the columns of tables that each output column is made of
query_inputs.py     the tables, and the base partitions of one partition of a view
"""
