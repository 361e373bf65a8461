"""What Hive means, as pure functions and values, without any server: rows, types, partition values and names.

row.py has the values that every metastore adapter takes and gives: read it first. types.py maps Hive's types to
Iceberg's and back, columns.py a view's columns with them. A partition value goes through conversion.py (one type to
another), partition_values.py (what a column can have) and partition_names.py (``ds=2026-08-21/hr=00``); value_range.py
is a range of them, partition_dates.py the days that they are of. limits.py has the sizes of the metastore's tables,
durations.py the spelling of its settings.
"""
