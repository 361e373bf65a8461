"""The command ``validate``: the SQL of a project, analyzed by an engine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import click

from hive_views.cli.shell.arguments import duration_given, read_pairs
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.project.validating.validate_project import validate as validate_with


@command("validate")
@click.argument("directory", metavar="DIR")
@click.option("--engine", required=True, metavar="ENGINE", help="The engine that is asked; see above.")
@click.option("--var", "variables", metavar="NAME=VALUE", multiple=True, callback=read_pairs, help="Set a variable.")
@click.option(
    "--timeout",
    metavar="DURATION",
    default="60s",
    show_default=True,
    callback=duration_given,
    help="How long the engine may take for each text.",
)
@click.pass_context
def validate(
    ctx: click.Context,
    invocation: Invocation,
    directory: str,
    engine: str,
    variables: Mapping[str, str],
    timeout: timedelta,
) -> None:
    """Have Spark, Trino or Hive analyze the SQL of a project.

    Nothing is executed or written, and the project in DIR need not be applied: views that the metastore does not have
    yet, or has otherwise, are put as subqueries into the SQL that reads them. The output also says how the columns that
    the engine finds differ from those of the plan, and which views have no SQL in the dialects that the engine reads.

    \b
    --engine spark                           SQL of spark and hive
    --engine trino://user@host:8080/catalog  SQL of trino
    --engine hive://user@host:10000          SQL of hive

    Spark is started on this machine. The catalog of Trino has to be the metastore.

    To encrypt the connection, add ?tls=true, and &ca_cert=FILE for certificates of your own. Hive also takes
    auth=nosasl, plain, ldap or kerberos, kerberos_service_name and http_path. Put a password into the environment
    variable HIVE_VIEWS_ENGINE_PASSWORD.

    Exits with 6 if the engine refuses something, and with 1 if a file cannot be read.
    """  # noqa: D301 - click's mark for lines to keep
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog, waiting("Validating"):
        found = validate_with(catalog, directory, engine, variables=variables, timeout_s=timeout.total_seconds())
    emit(invocation, found.document(), *found.lines())
    if found.invalid:
        ctx.exit(ExitCode.CHECK_FAILED)
    if found.errors:
        ctx.exit(ExitCode.ERROR)
