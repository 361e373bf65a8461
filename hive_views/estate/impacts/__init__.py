"""What a change of tables or views does to the views that read them, before it is made.

To read, in this order:

    impact.py               the run: views that read what changes are checked as things are, and as they will be
      changes.py              statements, applied to rows in memory
      changed_metastore.py    a metastore with these rows
      type_changes.py         columns of views whose type changes, though no engine fails
    report.py               what the second check found and the first did not
"""
