"""Precision and scale of decimals, as Hive and Spark compute them."""
