"""The command ``serve``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from hive_views.cli.shell.arguments import read_pairs
from hive_views.cli.shell.help import Option
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.config import ResolvedSettings, Settings, resolve
from hive_views.errors import UnsupportedFeatureError
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.views.changes.on_drift import Drift

_network = partial(click.option, cls=Option, heading="Network")
_security = partial(click.option, cls=Option, heading="Security")
_views = partial(click.option, cls=Option, heading="Views")
_load = partial(click.option, cls=Option, heading="Load")


@command("serve")
@click.argument("catalogs", metavar="[CATALOG]...", nargs=-1)
@_network("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@_network(
    "--port",
    type=click.IntRange(0, 65535),
    default=8181,
    show_default=True,
    help="Port to listen on; 0 chooses a free one.",
)
@_network("--tls-cert-file", type=click.Path(path_type=Path), help="PEM file with the certificate; enables HTTPS.")
@_network("--tls-key-file", type=click.Path(path_type=Path), help="PEM file with the private key of the certificate.")
@_security(
    "--tokens",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="TOML file with bearer tokens and their roles, readable by its owner only.",
)
@_security("--no-tokens", is_flag=True, help="Allow non-loopback addresses without tokens.")
@_security(
    "--allowed-location",
    "allowed_locations",
    metavar="LOCATION",
    multiple=True,
    help="Directory of view and table files: the server reads and writes no files elsewhere, whatever clients request; "
    "repeatable. By default, all files that it can reach on HDFS, object storage and local disks; clients can only "
    "name hosts and accounts of the warehouse or the namespace.",
)
@_security(
    "--run-as",
    "users",
    metavar="USER",
    multiple=True,
    help="User whom clients may name as the owner of a view (Trino runs the view with this user's privileges) or of a "
    "namespace; repeatable. By default, any user. A token with an owner can only name that owner.",
)
@_views(
    "--client-catalog",
    "client_names",
    metavar="CATALOG=NAME",
    multiple=True,
    callback=read_pairs,
    help="Name of CATALOG in its clients, as if each had the warehouse setting CATALOG@NAME; repeatable.",
)
@_views(
    "--on-drift",
    type=click.Choice(["fail", "adopt"]),
    default="fail",
    show_default=True,
    help="If another engine has changed the metastore row of a view: reject commits (409), or first adopt the change "
    "as a version.",
)
@_load("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of server processes.")
@_load(
    "--threads",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    help="Maximum number of concurrent reads per process, and of concurrent writes.",
)
@_load(
    "--max-request-bytes",
    type=click.IntRange(1024),
    default=16 * 2**20,
    show_default=True,
    help="Maximum size of a request body.",
)
def serve(
    invocation: Invocation,
    catalogs: Sequence[str],
    host: str,
    port: int,
    tls_cert_file: Path | None,
    tls_key_file: Path | None,
    tokens: Path | None,
    no_tokens: bool,
    allowed_locations: Sequence[str],
    users: Sequence[str],
    client_names: Mapping[str, str],
    on_drift: str,
    workers: int,
    threads: int,
    max_request_bytes: int,
) -> None:
    """Serve views over the Iceberg REST catalog protocol.

    Trino, Spark, PyIceberg, StarRocks and other clients can then list, load, create, replace, rename and drop the
    views of the metastore, and read its Iceberg tables. Requires `pip install "hive_views[rest]"`.

    Without CATALOG, the metastore of the settings is served (--uri, HIVE_VIEWS_URI, or the configuration file). CATALOG
    is the name of a catalog in the configuration file; if several are served, clients select one with their `warehouse`
    setting.

    \b
    Examples:
      hive-views --uri thrift://metastore:9083 serve
      hive-views serve production staging --workers 4
      hive-views serve --host 0.0.0.0 --tokens tokens.toml \\
          --tls-cert-file server.pem --tls-key-file server.key

    \b
    Clients (hive is the name of the served catalog, which is printed at startup):
      Trino       connector.name=iceberg
                  iceberg.catalog.type=rest
                  iceberg.rest-catalog.uri=http://HOST:8181
                  iceberg.rest-catalog.warehouse=hive@TRINO_CATALOG
      Spark       spark.sql.catalog.NAME=org.apache.iceberg.spark.SparkCatalog
                  spark.sql.catalog.NAME.type=rest
                  spark.sql.catalog.NAME.uri=http://HOST:8181
                  spark.sql.catalog.NAME.warehouse=hive@spark_catalog
      PyIceberg   load_catalog(type="rest", uri="http://HOST:8181")

    After the @ comes the name of the catalog in which the client finds the tables that views read: Trino's own name
    for it, or spark_catalog for Spark. It is sent to clients as default-catalog, and is not in the metadata files.

    \b
    Token file (or two variables: HIVE_VIEWS_REST_TOKEN for read-write access,
    HIVE_VIEWS_REST_READ_ONLY_TOKEN for read-only access):
      [tokens.etl]
      token = "at least 16 characters"
      role = "read-write"            # or read-only
      owner = "ann"                  # optional: owner of views created with it
      proxy-user = "ann"             # optional: user to act for on the metastore

    Servers are stateless: run as many as you like on one metastore. Each request is logged on stderr; /healthz and
    /metrics (Prometheus) are for monitoring. On SIGTERM the server completes running requests, then exits. `hive-views
    doctor --rest URL` shows what a client sees.
    """  # noqa: D301 - click's mark for lines to keep
    try:
        from hive_views.rest.access import load_access  # noqa: PLC0415 - an extra
        from hive_views.rest.request_limits import Limits  # noqa: PLC0415 - an extra
        from hive_views.rest.server import Listening, Serving, check_exposure  # noqa: PLC0415 - an extra
        from hive_views.rest.server import serve as serve_until_stopped  # noqa: PLC0415 - an extra
    except ImportError as missing:
        raise UnsupportedFeatureError(
            'The REST server is an optional extra. Install it: pip install "hive_views[rest]".'
        ) from missing
    listening = Listening(host, port, workers, tls_cert_file, tls_key_file)
    access = load_access(tokens)
    check_exposure(listening, access, allows_open=no_tokens)
    served = _settings(invocation, catalogs)
    _refuse_several_memories(served, workers)
    allowed = AllowedLocations(allowed_locations)
    limits = Limits(max_bytes=max_request_bytes)
    drift: Drift = "adopt" if on_drift == "adopt" else "fail"
    serving = Serving(served, client_names, drift, access, limits, threads, allowed, frozenset(users) or None)
    serving.check_proxy_users()
    serve_until_stopped(serving, listening, on_listening=lambda address: _announce(address, served))


def _settings(invocation: Invocation, catalogs: Sequence[str]) -> Mapping[str, Settings]:
    if not catalogs:
        found = resolve(invocation.catalog, config=invocation.config, arguments=invocation.arguments)
        return {found.catalog or "hive": found.settings}
    if invocation.arguments.get("uri"):
        raise click.UsageError("Specify either CATALOG or --uri: a catalog takes its URI from the configuration file.")
    named = {name: resolve(name, config=invocation.config, arguments=invocation.arguments) for name in catalogs}
    if len(named) > 1:
        _refuse_in_common(named)
    return {name: one.settings for name, one in named.items()}


def _refuse_in_common(named: Mapping[str, ResolvedSettings]) -> None:
    """
    Raises:
        click.UsageError: all catalogs would share a setting for one: changes would go to the wrong catalog.
    """
    for setting in ("uri", "warehouse"):
        for name, one in named.items():
            source = one.sources.get(setting)
            if source is not None and not source.startswith(f"catalogs.{name} of "):
                raise click.UsageError(
                    f"Several catalogs cannot share one {setting} (from the {source}): give each its own in the "
                    f"configuration file, or serve only one."
                )


def _refuse_several_memories(served: Mapping[str, Settings], workers: int) -> None:
    """
    Raises:
        click.UsageError: each process would have views of its own.
    """
    if workers > 1 and any(settings.uri.startswith("memory:") for settings in served.values()):
        raise click.UsageError("A memory: metastore cannot be shared by several workers. Use --workers 1.")


def _announce(address: str, served: Mapping[str, Settings]) -> None:
    click.echo(f"Serving {', '.join(served)} at {address} until SIGTERM or ^C.", err=True)
