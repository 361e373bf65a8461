"""The views of a metastore over Iceberg's REST protocol, for engines that reach views in no other way.

Read it in this order:

- ``server``: the address and what is served there; ``workers``: the processes, and how they stop; ``application``: what
  happens to a request, from the token to the answer and the line in the log;
- ``routes``: the list of routes; ``view_routes``, ``namespace_routes``, ``table_routes``: one function for each, which
  calls the catalog; ``call``: a request and an answer as these functions see them;
- ``served``: the catalogs by prefix, and the client's own name for each; ``bodies``: the bodies of requests; ``pages``:
  paged lists; ``request_errors``: the status of each error;
- ``access``: tokens and roles; ``request_limits``, ``header_timeout``: size, depth and time; ``request_log``: log and
  metrics.

The processes are stateless: any number of them may serve one metastore beside each other.

What must not be in any of them: rules of views, which are those of the catalog.
"""
