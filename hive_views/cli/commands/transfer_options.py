"""Options of the commands that put views into a catalog: copy, move and restore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

import click

from hive_views.estate.transfer.importing import IfExists

_Function = TypeVar("_Function", bound=Callable[..., Any])


def placing_options(function: _Function) -> _Function:
    """``--map``, ``--metastore-catalog``, ``--if-exists`` and ``--create-namespaces``."""
    renames = click.option(
        "--map",
        "names",
        metavar="OLD=NEW",
        multiple=True,
        callback=_read_names,
        help="Another name for a database, in texts too; repeatable.",
    )
    catalogs = click.option(
        "--metastore-catalog",
        "metastore_catalogs",
        metavar="NAME",
        multiple=True,
        help="What an engine calls this metastore in names of three parts, beside spark_catalog and hive: --map is for "
        "names there too; repeatable.",
    )
    if_exists = click.option(
        "--if-exists",
        type=click.Choice(get_args(IfExists)),
        default="refuse",
        show_default=True,
        help="What to do where something else has the name.",
    )
    create = click.option("--create-namespaces", is_flag=True, help="Create namespaces that are missing.")
    return renames(catalogs(if_exists(create(function))))


def partitions_option(function: _Function) -> _Function:
    """``--partitions`` and ``--no-partitions``."""
    option = click.option(
        "--partitions/--no-partitions", default=True, show_default=True, help="Declare the partitions too."
    )
    return option(function)


def _read_names(_: click.Context, __: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for value in values:
        old, separator, new = (part.strip().lower() for part in value.partition("="))
        if not (old and separator and new):
            raise click.BadParameter(f"{value!r} is not OLD=NEW, two names of databases.")
        if names.setdefault(old, new) != new:
            raise click.BadParameter(f"{old} cannot become {names[old]} and {new}.")
    return names
