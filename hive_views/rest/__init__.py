"""The views of a metastore over Iceberg's REST protocol, for engines that reach views in no other way.

From the outside in: ``server`` listens, ``application`` handles a request, ``routes`` names the function for it. The
rules of views are those of the catalog, which all routes call; any number of processes may serve one metastore.
"""
