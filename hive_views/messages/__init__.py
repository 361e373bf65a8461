"""Texts that people read: credentials taken out of them, characters of terminals escaped, the way out of a misspelt word.

Pure.
"""
