"""When a partition of a view is ready: rules, what they judge by, and their language. Pure: nothing is read here.

language.py            a text becomes a rule, and back; rule_expressions.py: how rules are written
rules/                 what each rule asks to be read, and how it judges by observations.py
coverage.py            what one table holds of one rule, for every partition of the view
dependency_digest.py   which base partitions a partition depends on, as a short text that is stored
matching/              when a partition of a table and one of the view are the same
conditions.py          what can be asked of a column: values, column(), timestamp(), values_of()
patterns.py            dates as texts (yyyyMMdd)
expectation.py         which partitions there have to be by which time; expected_columns.py: their values; periods.py
reasons.py             why a partition waits, for people
"""
