"""Views: what one is, how it changes, and the catalog of them.

What lives here: everything between a verb on a view and the calls of a metastore and a storage. What must not: SQL
statements (ddl/), when a partition is ready (readiness/), publishing.

    catalog.alter_view(...)
      │  changes.py       what is to change: a function from metadata to metadata
      ▼
    commit.py             lock, read, change, write the file, swap, again after a lost race
      ├─ exclusive.py     the lock of the view, or the proof that the server checks a swap
      ├─ loading.py       the row, and the file that it points to: view.py
      ├─ drift.py         what the row says against the file; on_drift.py decides whose word counts
      ├─ projection.py    the new row for the new metadata
      ├─ succession.py    what a row takes over from the files that it is made of
      └─ outcome.py       swap, and where the answer is anything but success: read, then say what is certain

Read it in this order: view.py, projection.py, commit.py, outcome.py. Then lifecycle.py (rows that begin, move and end),
partitions.py above partition_batches.py (one batch) and partition_journal.py (what was declared, in files), and
recovery.py and purge.py for views that are gone.
"""
