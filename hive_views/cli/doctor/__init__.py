"""Checks of a metastore, its storage and a REST server.

They change nothing in them.
"""
