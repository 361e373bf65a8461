"""What the texts of a view return and read.

texts.py           the texts of a view, managed or plain
view_analysis.py   their analyses
outputs.py         the columns of a view beside those of its query
view_lineage.py    what the columns are made of, through the views that it reads, down to tables
"""
