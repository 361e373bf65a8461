"""Shell completion of names: views, namespaces, and catalogs in the configuration file.

It has a short timeout and suggests nothing if anything fails: nobody who presses the tab key wants to read an error, or
to wait for a server that is not running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from hive_views.config import ResolvedSettings, catalog_names, resolve
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.open import LOCAL, local_path
from hive_views.metastore.port import Metastore

_Complete = Callable[[click.Context, click.Parameter, str], list[str]]

_TIMEOUT_S = 2.0
# With more namespaces, views are only suggested once one of them is chosen.
_MAX_NAMESPACES = 20


def _silent(complete: Callable[[click.Context, str], Sequence[str]]) -> _Complete:
    def offered(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        try:
            return sorted(name for name in complete(ctx, incomplete) if name.startswith(incomplete))
        except Exception:  # noqa: BLE001 - errors mean no suggestions
            return []

    return offered


@_silent
def complete_views(ctx: click.Context, incomplete: str) -> Sequence[str]:
    """Names of views, plain ones too: only its row tells whether a view has a metadata file."""
    with _metastore(ctx) as metastore:
        namespace, dot, _ = incomplete.partition(".")
        if dot:
            namespaces = [namespace]
        else:
            namespaces = [name for name in metastore.list_namespaces() if name.startswith(incomplete)]
        if len(namespaces) > _MAX_NAMESPACES:
            return [f"{name}." for name in namespaces]
        return [f"{each}.{name}" for each in namespaces for name in metastore.list_view_names(each)]


@_silent
def complete_namespaces(ctx: click.Context, _: str) -> Sequence[str]:
    """Names of namespaces."""
    with _metastore(ctx) as metastore:
        return metastore.list_namespaces()


@_silent
def complete_catalogs(ctx: click.Context, _: str) -> Sequence[str]:
    """Names of catalogs in the configuration file."""
    return catalog_names(ctx.find_root().params.get("config"))


@contextmanager
def _metastore(ctx: click.Context) -> Iterator[Metastore]:
    """The configured metastore, if it is running.

    Raises:
        LookupError: it is an embedded one that is not running.
        HiveViewsError: it cannot be used.
    """
    settings = _settings(ctx).settings
    changes: dict[str, Any] = dict.fromkeys(("connect_timeout_s", "read_timeout_s", "write_timeout_s"), _TIMEOUT_S)
    if settings.uri.startswith(LOCAL):
        found = LocalMetastore(local_path(settings.uri)).status()
        if found.uri is None:
            raise LookupError("It is not running.")
        changes["uri"] = found.uri
    with settings.model_copy(update=changes).connect() as catalog:
        yield catalog.metastore


def _settings(ctx: click.Context) -> ResolvedSettings:
    options = ctx.find_root().params
    return resolve(options.get("catalog"), config=options.get("config"), arguments={"uri": options.get("uri")})
