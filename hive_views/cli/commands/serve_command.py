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
@_network("--port", type=click.IntRange(0, 65535), default=8181, show_default=True, help="0 takes a free port.")
@_network("--tls-cert-file", type=click.Path(path_type=Path), help="PEM file with the certificate: serve HTTPS.")
@_network("--tls-key-file", type=click.Path(path_type=Path), help="PEM file with its private key.")
@_security(
    "--tokens",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="TOML file with bearer tokens and their roles, readable by its owner only.",
)
@_security("--no-tokens", is_flag=True, help="Listen on other addresses than loopback without tokens.")
@_security(
    "--allowed-location",
    "allowed_locations",
    metavar="LOCATION",
    multiple=True,
    help="Directory in which the files of views and tables are: no others are read or written, whatever clients ask "
    "for; repeatable. By default all that the server can reach on HDFS, object storage and local disks; clients name "
    "no host or account that is not that of the warehouse or the namespace.",
)
@_security(
    "--run-as",
    "users",
    metavar="USER",
    multiple=True,
    help="User whom clients may name as the owner of a view, with whose rights Trino runs it, or of a namespace, where "
    "their token has no owner; repeatable. By default anybody. A token with an owner names no one else.",
)
@_views(
    "--client-catalog",
    "client_names",
    metavar="CATALOG=NAME",
    multiple=True,
    callback=read_pairs,
    help="Tell the clients of CATALOG that it is called NAME, as if each had the warehouse CATALOG@NAME; repeatable.",
)
@_views(
    "--on-drift",
    type=click.Choice(["fail", "adopt"]),
    default="fail",
    show_default=True,
    help="If another engine has changed the row of a view in the metastore: refuse commits (409), or make the change "
    "a version first.",
)
@_load("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@_load(
    "--threads",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    help="Concurrent reads in each process, and as many writes.",
)
@_load(
    "--max-request-bytes",
    type=click.IntRange(1024),
    default=16 * 2**20,
    show_default=True,
    help="Largest request body.",
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
    """Serve views over Iceberg's REST protocol.

    Trino, Spark, PyIceberg, StarRocks and other clients can then list, load, create, replace, rename and drop the
    views of the metastore, and read its Iceberg tables. Needs `pip install "hive_views[rest]"`.

    Without CATALOG, the metastore of the settings is served (--uri, HIVE_VIEWS_URI, or the configuration file). With
    one or more names of catalogs in the configuration file, these are served, and a client selects one by its
    `warehouse` setting.

    \b
    Examples:
      hive-views --uri thrift://metastore:9083 serve
      hive-views serve production staging --workers 4
      hive-views serve --host 0.0.0.0 --tokens tokens.toml \\
          --tls-cert-file server.pem --tls-key-file server.key

    \b
    Clients (hive is the name of the catalog served; it is printed at start):
      Trino       connector.name=iceberg
                  iceberg.catalog.type=rest
                  iceberg.rest-catalog.uri=http://HOST:8181
                  iceberg.rest-catalog.warehouse=hive@TRINO_CATALOG
      Spark       spark.sql.catalog.NAME=org.apache.iceberg.spark.SparkCatalog
                  spark.sql.catalog.NAME.type=rest
                  spark.sql.catalog.NAME.uri=http://HOST:8181
                  spark.sql.catalog.NAME.warehouse=hive@spark_catalog
      PyIceberg   load_catalog(type="rest", uri="http://HOST:8181")

    What follows the @ is the name under which the client finds the tables that views read: Trino's own name for the
    catalog, for Spark spark_catalog. The answers have it as default-catalog; the metadata files do not.

    \b
    A file of tokens (or two variables: HIVE_VIEWS_REST_TOKEN for read-write,
    HIVE_VIEWS_REST_READ_ONLY_TOKEN for read-only):
      [tokens.etl]
      token = "at least 16 characters"
      role = "read-write"            # or read-only
      owner = "ann"                  # optional: of the views that it creates

    Servers are stateless: run as many as you like on one metastore. Each request is a line of the log on stderr;
    /healthz and /metrics (Prometheus) are for monitoring. SIGTERM finishes the requests that have begun, then ends.
    `hive-views doctor --rest URL` shows what a client sees.
    """  # noqa: D301 - click's mark for lines to keep
    try:
        from hive_views.rest.access import load_access  # noqa: PLC0415 - an extra
        from hive_views.rest.request_limits import Limits  # noqa: PLC0415 - an extra
        from hive_views.rest.server import Listening, Serving, check_exposure  # noqa: PLC0415 - an extra
        from hive_views.rest.server import serve as serve_until_stopped  # noqa: PLC0415 - an extra
    except ImportError as missing:
        raise UnsupportedFeatureError(
            'To serve over REST, install hive_views with its extra: pip install "hive_views[rest]".'
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
    serve_until_stopped(serving, listening, on_listening=lambda address: _announce(address, served))


def _settings(invocation: Invocation, catalogs: Sequence[str]) -> Mapping[str, Settings]:
    if not catalogs:
        found = resolve(invocation.catalog, config=invocation.config, arguments=invocation.arguments)
        return {found.catalog or "hive": found.settings}
    if invocation.arguments.get("uri"):
        raise click.UsageError("Give CATALOG or --uri, not both: each catalog has the URI of the configuration file.")
    named = {name: resolve(name, config=invocation.config, arguments=invocation.arguments) for name in catalogs}
    if len(named) > 1:
        _refuse_in_common(named)
    return {name: one.settings for name, one in named.items()}


def _refuse_in_common(named: Mapping[str, ResolvedSettings]) -> None:
    """
    Raises:
        click.UsageError: what is for one catalog would be that of all: a change would go to another than was named.
    """
    for setting in ("uri", "warehouse"):
        for name, one in named.items():
            source = one.sources.get(setting)
            if source is not None and not source.startswith(f"catalogs.{name} of "):
                raise click.UsageError(
                    f"Several catalogs cannot have one {setting} in common (from the {source}): give each its own in "
                    f"the configuration file, or serve one."
                )


def _refuse_several_memories(served: Mapping[str, Settings], workers: int) -> None:
    """
    Raises:
        click.UsageError: a view would be there in one process, and not in the others.
    """
    if workers > 1 and any(settings.uri.startswith("memory:") for settings in served.values()):
        raise click.UsageError("Each worker would have a metastore memory: of its own. Serve it with one worker.")


def _announce(address: str, served: Mapping[str, Settings]) -> None:
    click.echo(f"Serving {', '.join(served)} at {address} until SIGTERM or ^C.", err=True)
