"""Files beside the metadata that record what would be lost with the row.

Declared partitions, where the views of a name are, and which requests were applied.
"""
