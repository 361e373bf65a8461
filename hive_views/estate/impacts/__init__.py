"""What a change of tables or views does to the views that read them, before it is made.

To read, in this order:

    impact.py             the run: views that read what changes are checked with what is there, and with what there will be
    changes.py            statements, applied to rows in memory
    changed_metastore.py  a metastore with these rows
    report.py             what is found by the second check and was not by the first
"""
