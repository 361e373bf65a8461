"""Views that can be brought back, and bringing them back.

dropped.py lists them, undropping.py restores them.
"""
