"""Views that can be brought back, and bringing them back.

listing.py lists them, undropping.py restores them.
"""
