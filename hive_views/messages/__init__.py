"""Text for people: hiding credentials, escaping control characters, suggesting the nearest known word.

Pure.
"""
