"""The engine of commits, from a verb to a row that is settled.

What reads (lookup.py, loading.py), what protects (locking.py), what writes and settles (outcome.py), and the verbs that
begin, move and end rows (lifecycle.py); engine.py puts them together.
"""
