"""Queries of a project, analyzed by the engines themselves; nothing is executed.

validating.py        each text of a project, in an order in which views come after those that they read
not_yet_applied.py   views that the metastore has not, or has otherwise, as subqueries in the texts that read them
engine_protocol.py   what an engine is asked
address.py           where it is, as users write it
spark_engine.py, trino_engine.py, hive_engine.py
column_differences.py   its columns beside those of the plan
validation.py        what was found, as values
"""
