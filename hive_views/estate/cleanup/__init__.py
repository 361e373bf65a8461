"""Deleting the files that no view needs any more.

What is surveyed before, what can go by that, and the verb.
"""
