"""The views of a metastore over Iceberg's REST protocol, for engines that reach views in no other way.

Read it in this order:

- ``server``: where it listens; ``workers``: the processes, and their end; ``application``: the routes, and the road of
  one request from the caller's token to its line in the log;
- ``view_routes``, ``namespace_routes``, ``table_routes``: one function for each route, which calls the catalog and
  gives a document;
- ``served``: which catalogs there are, and what each client calls its own; ``bodies``: of requests;
  ``pages``: lists in parts; ``request_errors``: which error is which status;
- ``access``, ``request_limits``, ``heads_in_time``, ``observation``: who may do what, how much is taken, what is noted.

A process keeps nothing of a request: any number of them serve one metastore beside each other.

What must not be in any of them: rules of views, which are those of the catalog.
"""
