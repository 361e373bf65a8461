"""A query of Hive or Spark, written for Trino from its tree with types.

compiling.py     one translation: finds the rule for each part
queries/         clauses: select lists, FROM, GROUP BY, ORDER BY, set operations
expressions/     values: one module for each family of operators and functions
terms.py         what rules are given, and what they return; how types, names and strings are spelled
shared_reasons.py  why a text is refused, where that is not of one family

Every name is in quotes and every output has an alias. What has no rule is refused.
"""
