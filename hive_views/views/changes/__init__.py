"""What the verbs change, as functions from metadata to metadata.

None of them reads a metastore: what they need of it is given to them.
"""
