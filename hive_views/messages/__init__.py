"""Texts that people read: credentials taken out, characters of terminals escaped, the nearest known word.

Pure.
"""
