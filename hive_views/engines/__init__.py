"""Engines that are asked about queries: Spark, Trino by its protocol, and Hive by HiveServer2. Nothing is written.

engine_protocol.py      what an engine is asked
address.py              where it is, as users write it
connecting.py           an engine in use, from its address or a session
spark_engine.py, trino_engine.py, hive_engine.py
engine_values.py        values of rows, in the one form of their type
column_differences.py   columns of a query by an engine, beside those that are wanted
row_differences.py      rows of two engines, beside each other
verifying.py            a translated text, verified on engines
verification.py         what comes of it, as values
"""
