"""What a change of tables or views does to the views that read them, before it is made.

To read, in this order:

    impact.py               the run: views that read what changes are checked as things are, and as they will be
      altered_rows.py         statements, applied to rows in memory
      changed_metastore.py    a metastore with these rows
      other_types.py          columns whose types change: what goes on through views, and what engines refuse then
    impact_report.py        what the second check found and the first did not
"""
