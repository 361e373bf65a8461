"""The command ``serve``.

What lives here: its options, and what is served with them. What must not: how (rest/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hive_views.cli.arguments import read_pairs
from hive_views.cli.invocation import Invocation, command
from hive_views.config import Settings, resolve
from hive_views.errors import UnsupportedFeatureError


@command("serve")
@click.argument("catalogs", metavar="[CATALOG]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8181, show_default=True, help="0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes beside each other.")
@click.option("--threads", type=click.IntRange(1), default=40, show_default=True, help="Requests at once in each.")
@click.option(
    "--client-catalog",
    "called",
    metavar="CATALOG=NAME",
    multiple=True,
    callback=read_pairs,
    help="What the clients of CATALOG call it: answers have it as default-catalog. Several times.",
)
@click.option(
    "--on-drift",
    type=click.Choice(["fail", "adopt"]),
    default="fail",
    show_default=True,
    help="What a commit does where another engine has changed the row.",
)
@click.option("--tokens", type=click.Path(path_type=Path), help="TOML file with the tokens of clients and their roles.")
@click.option("--no-tokens", is_flag=True, help="Serve other machines without tokens: a proxy asks for them.")
@click.option("--tls-cert-file", type=click.Path(path_type=Path), help="PEM file with the certificate.")
@click.option("--tls-key-file", type=click.Path(path_type=Path), help="PEM file with its key.")
@click.option("--most-bytes", type=click.IntRange(1024), default=16 * 2**20, show_default=True, help="Of a request.")
def serve(
    invocation: Invocation,
    catalogs: Sequence[str],
    host: str,
    port: int,
    workers: int,
    threads: int,
    called: Mapping[str, str],
    on_drift: str,
    tokens: Path | None,
    no_tokens: bool,
    tls_cert_file: Path | None,
    tls_key_file: Path | None,
    most_bytes: int,
) -> None:
    r"""Serve views over Iceberg's REST protocol.

    Trino, Spark, PyIceberg, StarRocks and others can then list, read and change them.

    Without CATALOG it serves the one of the settings; with several, which are names in the configuration file, a client
    chooses one by its setting `warehouse`. A client that needs its own name for the catalog in the answers, as Trino
    does, sets the warehouse to CATALOG@NAME.

    Each process keeps nothing of a request, so that any number of servers may serve one metastore. Tables of Iceberg
    can be read, not written. SIGTERM ends it when the requests that have begun are answered.

    \b
    Trino:     iceberg.catalog.type=rest
               iceberg.rest-catalog.uri=http://HOST:8181
               iceberg.rest-catalog.warehouse=hive@iceberg
    Spark:     spark.sql.catalog.views=org.apache.iceberg.spark.SparkCatalog
               spark.sql.catalog.views.type=rest
               spark.sql.catalog.views.uri=http://HOST:8181
    PyIceberg: load_catalog(type="rest", uri="http://HOST:8181")
    """
    try:
        from hive_views.rest.access import load_access  # noqa: PLC0415 - an extra
        from hive_views.rest.request_limits import Limits  # noqa: PLC0415 - an extra
        from hive_views.rest.server import Listening, Serving, check_doors  # noqa: PLC0415 - an extra
        from hive_views.rest.server import serve as serve_until_stopped  # noqa: PLC0415 - an extra
    except ImportError as missing:
        raise UnsupportedFeatureError(
            'To serve over REST, install hive_views with its extra: pip install "hive_views[rest]".'
        ) from missing
    listening = Listening(host, port, workers, tls_cert_file, tls_key_file)
    access = load_access(tokens)
    check_doors(listening, access, allows_open=no_tokens)
    served = _settings(invocation, catalogs)
    limits = Limits(most_bytes=most_bytes)
    serving = Serving(served, called, "adopt" if on_drift == "adopt" else "fail", access, limits, threads)
    serve_until_stopped(serving, listening, on_listening=lambda address: _announce(address, served))


def _settings(invocation: Invocation, catalogs: Sequence[str]) -> Mapping[str, Settings]:
    if not catalogs:
        found = resolve(invocation.catalog, config=invocation.config, arguments=invocation.arguments)
        return {found.catalog or "hive": found.settings}
    if invocation.arguments.get("uri"):
        raise click.UsageError("Give CATALOG or --uri, not both: each catalog has the URI of the configuration file.")
    return {name: resolve(name, config=invocation.config, arguments=invocation.arguments).settings for name in catalogs}


def _announce(address: str, served: Mapping[str, Settings]) -> None:
    click.echo(f"Serving {', '.join(served)} at {address} until SIGTERM or ^C.", err=True)
