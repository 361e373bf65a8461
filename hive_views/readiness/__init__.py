"""When a partition of a view is ready: rules, what they judge by, and their language. Pure: nothing is read here.

    a text -- language.py --> a rule -- asks for --> what is to be read (publishing/listings/)
                                |                        |
                                |                        v
                                +----- judges by ---- observations.py --> ready, or reasons.py
                                                         |
                          coverage.py: what one table holds of one rule, for every partition of the view
                                                         |
                          matching/: when a partition of a table and one of the view are the same

In the order in which to read:

    conditions.py    what can be asked of a column: values, column(), timestamp(), values_of()
    rules/           the rules a user writes, and how they compose
    observations.py      what rules judge by, and what they ask for beyond the listings
    coverage.py      one table, one rule: which base partitions each partition of the view has, and which are missing
    matching/        comparing columns that differ in type or spelling
    language.py      rules as texts; rule_expressions.py: how they are written, and where one ends
    patterns.py      dates as texts (yyyyMMdd)
    reasons.py       why a partition waits, for people
    dependency_digest.py  which base partitions a partition depends on, as a short text that is stored
"""
