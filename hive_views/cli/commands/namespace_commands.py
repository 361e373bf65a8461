"""The command ``namespaces``: list, create."""

from __future__ import annotations

import click

from hive_views.cli.shell.help import Group
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.spec.identifiers import check_namespace


@command("list")
def list_namespaces(invocation: Invocation) -> None:
    """List the namespaces of the metastore, one per line."""
    with open_catalog(invocation) as catalog:
        names = catalog.list_namespaces()
    emit(invocation, {"namespaces": names}, *names)


@command("create")
@click.argument("name")
@click.option("--location", metavar="URI", help="Directory of the namespace [default: chosen by the metastore].")
@click.option("--if-not-exists", is_flag=True, help="Do nothing if the namespace already exists.")
@dry_run_option
def create_namespace(
    invocation: Invocation, name: str, location: str | None, if_not_exists: bool, dry_run: bool
) -> None:
    """Create a namespace: a database of the metastore."""
    namespace = check_namespace(name)
    with open_catalog(invocation, create_metastore=not dry_run) as catalog:
        existed = namespace in catalog.list_namespaces()
        if existed or not dry_run:
            catalog.create_namespace(namespace, location=location, if_not_exists=if_not_exists)
    created = f"Would create namespace {namespace}." if dry_run else f"Created namespace {namespace}."
    document = {"namespace": namespace, "created": not existed, "dry_run": dry_run}
    emit(invocation, document, f"Namespace {namespace} already exists." if existed else created)


@click.group("namespaces", cls=Group, commands=[list_namespaces, create_namespace])
def namespaces() -> None:
    """List or create namespaces (databases of the metastore)."""
