"""What base tables hold, read once a run.

base_table_states.py   the tables of a rule, opened, listed, and asked for details: start here
narrowing.py           which partitions of a Hive table are enough to be listed
remembered.py          listings kept beside the view, so that the next run reads what changed since
rounds.py              tables that are read again and again by one process
"""
