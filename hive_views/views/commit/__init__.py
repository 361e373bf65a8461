"""The engine of commits, from a verb to a row that is settled.

Parts, each usable alone: what reads (lookup.py, loading.py), what protects (locking.py), what writes and settles
(writes.py), what notes where files are (note_writer.py). engine.py holds them together. Verbs are functions of an
engine: changing.py, creation.py, dropping.py, adoption.py.
"""
