"""Texts that people read: credentials taken out, characters of terminals escaped, the way out of a misspelt word.

Pure.
"""
