"""Options of the commands that put views into a catalog: copy, move and restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, get_args

import click

from hive_views.estate.transfer.importing import OnConflict

_Function = TypeVar("_Function", bound=Callable[..., Any])

FORMER_TRANSFER_OPTIONS = {"--if-exists": "--on-conflict"}
"""These options by their former names."""


class TransferOptions(TypedDict):
    """The options of ``transfer_options`` as ``copy_views``, ``move_views`` and ``restore`` take them."""

    names: Mapping[str, str]
    metastore_catalogs: Sequence[str]
    on_conflict: OnConflict
    create_namespaces: bool


def transfer_options(function: _Function) -> _Function:
    """``--map``, ``--metastore-catalog``, ``--on-conflict`` and ``--create-namespaces``."""
    renames = click.option(
        "--map",
        "names",
        metavar="OLD=NEW",
        multiple=True,
        callback=_read_names,
        help="Rename a database, in the SQL of views too; repeatable.",
    )
    catalogs = click.option(
        "--metastore-catalog",
        "metastore_catalogs",
        metavar="NAME",
        multiple=True,
        help="Another name that engines have for this metastore in three-part names, besides spark_catalog and hive: "
        "--map applies to these names too; repeatable.",
    )
    on_conflict = click.option(
        "--on-conflict",
        type=click.Choice(get_args(OnConflict)),
        default="refuse",
        show_default=True,
        help="What to do if the name is taken by something else.",
    )
    create = click.option("--create-namespaces", is_flag=True, help="Create missing namespaces.")
    return renames(catalogs(on_conflict(create(function))))


partitions_option = click.option(
    "--partitions/--no-partitions", default=True, show_default=True, help="Declare the partitions as well."
)


def _read_names(_: click.Context, __: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for value in values:
        old, separator, new = (part.strip().lower() for part in value.partition("="))
        if not (old and separator and new):
            raise click.BadParameter(f"{value!r} is not OLD=NEW, with the names of two databases.")
        if names.setdefault(old, new) != new:
            raise click.BadParameter(f"{old} cannot become both {names[old]} and {new}.")
    return names
