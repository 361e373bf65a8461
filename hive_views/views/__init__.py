"""Views: what one is, how it changes, and the catalog of them.

    catalog.py            all verbs; client_catalog.py: those of Iceberg clients; view.py: what they return
      │  versions.py, namespace_catalog.py: verbs that catalog.py inherits; conversions.py: plain views, and back
      │  changes/         what is to change: a function from metadata to metadata
      ▼
    commit/               lock, read, change, write the file, swap, settle the outcome; again after a lost race
      └─ row/             what a row says, and the new row for the new metadata
    partitions/           explicitly declared partitions, one batch at a time
    recovery/             views whose row is gone
      └─ journal/         what files beside the metadata say of partitions, names and requests

Read it in this order: view.py, row/projection.py, commit/changing.py, commit/engine.py, commit/writes.py.
"""
