"""From what was typed to a catalog.

What lives here: opening and closing the catalog of a command. What must not: settings and their sources (config.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hive_views.catalog import ViewCatalog
from hive_views.cli.invocation import Invocation
from hive_views.cli.output import waiting
from hive_views.config import ResolvedSettings, resolve
from hive_views.dry_run import dry_run_of
from hive_views.metastore.open import LOCAL


def settings_of(invocation: Invocation) -> ResolvedSettings:
    """The settings that hold for this call.

    Raises:
        InvalidInputError: as ``hive_views.config.resolve``.
    """
    return resolve(invocation.catalog, config=invocation.config, arguments=invocation.arguments)


@contextmanager
def open_catalog(invocation: Invocation) -> Iterator[ViewCatalog]:
    """The catalog, closed at the end.

    Raises:
        InvalidInputError, UnsupportedFeatureError, MetastoreUnavailableError: it cannot be opened.
    """
    settings = settings_of(invocation).settings
    if settings.uri.startswith(LOCAL):
        with waiting("Starting the embedded metastore"):
            catalog = settings.connect()
    else:
        catalog = settings.connect()
    with catalog:
        yield catalog


@contextmanager
def open_for_writing(invocation: Invocation, *names: str, dry_run: bool) -> Iterator[ViewCatalog]:
    """The catalog, or for a dry run one on copies of the views of these names."""
    with open_catalog(invocation) as catalog:
        yield dry_run_of(catalog, *names) if dry_run else catalog
