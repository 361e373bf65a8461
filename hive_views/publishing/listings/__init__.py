"""What base tables hold, read once a run.

base_table_states.py   the tables of a rule, read: start here
reading.py             opening tables, and the details that rules ask for beyond listings
narrowing.py           which partitions of a Hive table are enough to be listed
remembered.py          listings kept beside the view, so that the next run reads what changed since
"""
