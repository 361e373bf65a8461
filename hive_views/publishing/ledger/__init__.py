"""What is stored with views and their partitions when they are published, as text: written and read back.

inputs.py           with a partition: what it depends on, of each base table
fencing.py          with a view: which run of an application may act
recorded_rules.py   with a view: the rules and bounds of each publication, for what needs them later
choosing.py         which of a view's publications is meant
"""
