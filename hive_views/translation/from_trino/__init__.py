"""A query of Trino, written for Hive and Spark, whose text is the same but for a few functions.

compiler.py            one translation: finds the rule for each part
query_rules.py         whole queries: WITH, UNION, brackets
select_rules.py        one SELECT: its outputs, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT
joined_sources.py      FROM: tables, subqueries, joins, UNNEST
made_queries.py        what the rules for clauses are given, and what they return
value_rules.py         the rules for values, by the kind of a node or by a function
  constant_rules.py    literals
  operator_rules.py    arithmetic, comparisons, logic
  branch_rules.py      CASE and the like
  cast_rules.py        CAST
  text_rules.py        functions of texts and bytes
  number_rules.py      functions of numbers
  day_rules.py         functions of days and times
  part_rules.py        elements of arrays and maps, fields of rows
  aggregate_rules.py   aggregates, and functions over windows
named_sources.py       what a name means
common_types.py        the type that Trino makes of several
trino_reasons.py       why a text is refused, or answers something else
target_terms.py        what rules are given, and what they return

Types are Trino's, found with the text from the columns up: a rule says what its value is in both engines. What has
no rule, and no rule for just these types, is refused.
"""
