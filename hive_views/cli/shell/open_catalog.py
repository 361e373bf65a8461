"""Opening the catalog that a call is for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.progress import waiting
from hive_views.config import ResolvedSettings, Settings, resolve, resolve_target
from hive_views.errors import NotFoundError
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.open import LOCAL, local_path
from hive_views.views.catalog import ViewCatalog


def settings_of(invocation: Invocation) -> ResolvedSettings:
    """The settings of this call.

    Raises:
        InvalidInputError: as ``hive_views.config.resolve``.
    """
    return resolve(invocation.catalog, config=invocation.config, arguments=invocation.arguments)


@contextmanager
def open_catalog(invocation: Invocation, *, create_metastore: bool = False) -> Iterator[ViewCatalog]:
    """The catalog, closed at the end.

    Args:
        invocation: the call.
        create_metastore: whether a ``local:///path`` without a metastore gets one; for what may be the first thing that
            is written there. For other commands the path is probably mistyped.

    Raises:
        NotFoundError: there is no metastore at the ``local:///path``.
        InvalidInputError, UnsupportedFeatureError, MetastoreUnavailableError: it cannot be opened.
    """
    with _connected(settings_of(invocation).settings, create_metastore=create_metastore) as catalog:
        yield catalog


@contextmanager
def open_target(invocation: Invocation, target: str, warehouse: str | None) -> Iterator[ViewCatalog]:
    """A second catalog, by its name in the configuration file or the URI of its metastore.

    Raises:
        NotFoundError, InvalidInputError, UnsupportedFeatureError, MetastoreUnavailableError: as ``open_catalog``.
    """
    with _connected(resolve_target(target, config=invocation.config, warehouse=warehouse)) as catalog:
        yield catalog


@contextmanager
def _connected(settings: Settings, *, create_metastore: bool = False) -> Iterator[ViewCatalog]:
    if settings.uri.startswith(LOCAL):
        if not create_metastore:
            _check_exists(LocalMetastore(local_path(settings.uri)))
        with waiting("Starting the embedded metastore"):
            catalog = settings.connect()
    else:
        catalog = settings.connect()
    with catalog:
        yield catalog


def _check_exists(server: LocalMetastore) -> None:
    if not server.exists:
        raise NotFoundError(
            f"There is no metastore in {server.path}. Check the path, or create one: "
            f"hive-views metastore start {shlex.quote(str(server.path))}",
            location=str(server.path),
        )


@contextmanager
def open_for_writing(
    invocation: Invocation, *names: str, dry_run: bool, create_metastore: bool = False
) -> Iterator[ViewCatalog]:
    """The catalog, or for a dry run one on copies of the views of these names.

    Raises:
        As ``open_catalog``; a dry run never makes a metastore.
    """
    with open_catalog(invocation, create_metastore=create_metastore and not dry_run) as catalog:
        yield catalog.dry_run(*names) if dry_run else catalog
