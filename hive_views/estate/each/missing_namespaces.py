"""Databases that are missing where views are to be put: created, or the call is refused before anything is written."""

from __future__ import annotations

from collections.abc import Iterable

from hive_views.errors import NoSuchNamespaceError
from hive_views.messages.did_you_mean import nearest
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog


def provide_namespaces(
    catalog: ViewCatalog, names: Iterable[TableIdentifier], named: Iterable[str] = (), *, create: bool, dry_run: bool
) -> set[str]:
    """Make sure that there are the namespaces of these names; those that are missing, and were created if ``create``.

    Args:
        catalog: where they are to be.
        names: of views that are to be put there.
        named: the other namespaces that their texts may name then; none of these is created.
        create: create those that are missing.
        dry_run: create nothing.

    Raises:
        NoSuchNamespaceError: one is missing, and was not to be created.
    """
    existing = catalog.list_namespaces()
    missing = {name.namespace for name in names} - set(existing)
    if missing and not create:
        near = nearest(min(missing), existing) if len(missing) == 1 else None
        hint = f" Did you mean {near!r}?" if near else ""
        besides = sorted({*named} - missing - set(existing))
        read = (
            f" {', '.join(besides)} does not exist either, and the SQL of views would refer to it." if besides else ""
        )
        message = f"There is no namespace {', '.join(sorted(missing))}.{hint}{read}"
        remedy = Remedy(
            in_python="Create it, or pass create_namespaces=True.",
            in_shell="Create it (`hive-views namespaces create NAME`), or add --create-namespaces.",
        )
        raise NoSuchNamespaceError(message, remedy=remedy)
    for namespace in () if dry_run else sorted(missing):
        catalog.create_namespace(namespace, if_not_exists=True)
    return missing
