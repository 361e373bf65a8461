"""Sessions of Spark, and which of their contents are none of a view's business.

local_session.py       a local Spark on a metastore, started and ended by us
session_beside.py      a session of our own beside a user's, whose settings never change
temporary_objects.py   what of a session no view may read
"""
