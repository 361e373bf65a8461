"""The namespaces of a catalog, with the verbs and properties that PyIceberg and Iceberg's HiveCatalog have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hive_views.errors import AlreadyExistsError, HiveViewsError, InvalidInputError, NoSuchNamespaceError
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of
from hive_views.messages.html import html_block, html_table, paragraph
from hive_views.spec.identifiers import check_namespace
from hive_views.views.commit import namespace_changes
from hive_views.views.commit.engine import Engine


@dataclass(frozen=True)
class PropertiesUpdateSummary:
    """What ``update_namespace_properties`` did, by names of properties.

    Attributes:
        removed: properties that were removed.
        updated: those that were set.
        missing: properties to be removed that did not exist.
    """

    removed: list[str]
    updated: list[str]
    missing: list[str]


# A notebook asks so many databases for the names of their views, with a call for each.
_MOST_SHOWN = 20
_MOST_NAMES = 8


class NamespaceCatalog:
    """The databases of a metastore; thread-safe. A notebook shows them, and where they are few, the names of views."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def _repr_html_(self) -> str:
        metastore = self.engine.metastore
        try:
            namespaces = self.list_namespaces()
            heading = f"Catalog of {counted(len(namespaces), 'namespace')}"
            if len(namespaces) > _MOST_SHOWN:
                return html_table(heading, ("namespace",), [[name] for name in namespaces])
            views = [sorted(metastore.list_view_names(name)) for name in namespaces]
        except HiveViewsError as error:
            return html_block("Catalog", paragraph(f"What is in it is unknown: {error}"))
        rows = [(name, f"{len(of):,}", first_of(of, _MOST_NAMES)) for name, of in zip(namespaces, views, strict=True)]
        return html_table(heading, ("namespace", "views", "names"), rows)

    def list_namespaces(self) -> list[str]:
        """The databases of the metastore, sorted."""
        return sorted(self.engine.metastore.list_namespaces())

    def namespace_exists(self, namespace: str) -> bool:
        """Whether there is a database of this name."""
        try:
            self.engine.metastore.load_namespace(check_namespace(namespace))
        except NoSuchNamespaceError:
            return False
        return True

    def create_namespace(
        self,
        namespace: str,
        properties: Mapping[str, str] | None = None,
        *,
        location: str | None = None,
        if_not_exists: bool = False,
    ) -> None:
        """Create a database in the metastore.

        Args:
            namespace: its name.
            properties: ``comment``, ``location``, ``hive.metastore.database.owner``; others are its parameters.
            location: its directory; by default where the metastore puts them.
            if_not_exists: do nothing where there is one.

        Raises:
            AlreadyExistsError: there is one, and ``if_not_exists`` is not set.
            InvalidInputError: a property is reserved.
            CommitStateUnknownError: it may have been created, or may still be.
        """
        wanted = namespace_changes.row_with(check_namespace(namespace), properties or {})
        if location is not None:
            wanted = replace(wanted, location=location)
        try:
            namespace_changes.create(self.engine.metastore, wanted)
        except AlreadyExistsError:
            if not if_not_exists:
                raise

    def drop_namespace(self, namespace: str) -> None:
        """Drop an empty database; its directory stays.

        Raises:
            NoSuchNamespaceError: it does not exist.
            NamespaceNotEmptyError: there are tables, views or functions in it.
            InvalidInputError: it is the one that every metastore has.
            CommitStateUnknownError: it may still be dropped.
        """
        namespace_changes.drop(self.engine.metastore, check_namespace(namespace))

    def load_namespace_properties(self, namespace: str) -> dict[str, str]:
        """The properties of a database: ``location``, ``comment``, ``hive.metastore.database.owner``, its parameters.

        Raises:
            NoSuchNamespaceError: it does not exist; the error names the nearest one.
        """
        return namespace_changes.properties_of(self.engine.lookup.namespace(check_namespace(namespace)))

    def update_namespace_properties(
        self, namespace: str, removals: Collection[str] = (), updates: Mapping[str, str] | None = None
    ) -> PropertiesUpdateSummary:
        """Remove and set properties of a database.

        A metastore cannot compare before it changes a database: of two concurrent changes, the last one wins.

        Args:
            namespace: its name.
            removals: names of properties.
            updates: properties to set.

        Raises:
            NoSuchNamespaceError: it does not exist.
            InvalidInputError: a property is to be both removed and set, or is reserved, the location, or an owner that
                is to be removed.
            UnsupportedFeatureError: the metastore cannot change the comment.
            CommitStateUnknownError: it may have been changed, or may still be.
        """
        if isinstance(removals, str):
            raise InvalidInputError(f"Give the properties to remove as a list, [{removals!r}].")
        updates = updates or {}
        both = sorted(set(removals) & set(updates))
        if both:
            raise InvalidInputError(f"Cannot set and remove the same property: {', '.join(both)}.", key=both[0])
        namespace_changes.check_update(updates, removals)
        row = self.engine.lookup.namespace(check_namespace(namespace))
        changed = namespace_changes.updated(row, updates, removals)
        if changed != row:
            namespace_changes.alter(self.engine.metastore, row, changed)
        there = namespace_changes.properties_of(row)
        removed = [key for key in removals if key in there]
        return PropertiesUpdateSummary(removed, sorted(updates), [key for key in removals if key not in there])
