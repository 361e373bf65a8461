"""Programs that use the library as anybody could, and show what they do; nothing of the library needs them.

``departures`` is what ``hive-views demo`` runs: flights and weather of two months, on a metastore of its own.
"""
