"""Paimon tables as base tables: ``table`` is the port, the other modules are its parts."""
