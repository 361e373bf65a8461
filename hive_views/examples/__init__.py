"""Programs that only use the public library, and show what they do; nothing in the library needs them.

``departures`` is what ``hive-views demo`` runs: two months of flights and weather, on a metastore of its own.
"""
