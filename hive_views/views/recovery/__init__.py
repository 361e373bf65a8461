"""Views whose row was dropped, replaced by a plain one, or lost its pointer.

recoverable.py finds and restores them, by their last files (last_incarnation.py).
"""
