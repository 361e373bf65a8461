"""When a partition of a base table and a partition of the view are the same, although their columns differ.

values.py       one column: values that are equal although their types or spellings differ ("07" and 7)
timestamps.py   several columns: dates and times in parts (year, month, day), and back
links.py        all conditions of one rule on one table
"""
