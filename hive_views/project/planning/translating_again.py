"""Views that are as their files say, but whose translated texts would come out otherwise now."""

from __future__ import annotations

from collections.abc import Mapping

from hive_views.errors import HiveViewsError
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.hive.row import Row
from hive_views.project.applying.step_commit import asked_by
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.found_views import FoundViews
from hive_views.project.planning.copied_catalog import copied_catalog
from hive_views.project.planning.ordering import reads_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.translated_texts import would_stay


def would_differ(
    catalog: ViewCatalog, views: Mapping[TableIdentifier, ViewDefinition], found: FoundViews
) -> set[TableIdentifier]:
    """The views with a text that would be translated otherwise now, or not at all.

    What they read, or the rules, have changed since, or another writer has changed the text. The rows of what they read
    are read a hundred in a call.

    Args:
        catalog: where the views are.
        views: those that are as their files say.
        found: what is there.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        StorageUnavailableError: the files of a table cannot be read.
    """
    translated = {name: one for name, one in views.items() if one.translations}
    if not translated:
        return set()
    named = {read for one in translated.values() for read in reads_of(one)}
    others, _ = load(catalog, [name for name in named if name not in found.rows])
    known: dict[TableIdentifier, Row | None] = {**found.rows, **others}
    copied = copied_catalog(catalog, known, ())
    differing = set()
    for name, one in translated.items():
        try:
            claims = copied.engine.claims(asked_by(one))
            stays = would_stay(name, found.views[name].metadata, claims.asked, claims.known)
        except HiveViewsError as error:
            if is_unreachable(error, catalog):
                raise
            stays = False  # why, is told where the step is made
        if not stays:
            differing.add(name)
    return differing
