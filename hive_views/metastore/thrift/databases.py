"""Namespaces as the databases of a server."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from hive_views.errors import Answer, UnsupportedFeatureError
from hive_views.hive.row import NamespaceRow
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import Call


class Databases:
    """The databases of a server, by names as the metastore has them."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def load(self, name: str) -> NamespaceRow:
        found = self._ask(Call("get_database", name), name)
        return NamespaceRow(
            found.name,
            found.locationUri or None,
            found.ownerName,
            found.description or None,
            dict(found.parameters or {}),
            found,
        )

    def create(self, row: NamespaceRow) -> None:
        database = ttypes.Database(
            name=row.name,
            description=row.comment,
            locationUri=row.location,
            parameters=dict(row.parameters),
            ownerName=row.owner,
            ownerType=ttypes.PrincipalType.USER,
        )
        self._ask(Call("create_database", row.name, writes=True), database)

    def alter(self, name: str, row: NamespaceRow) -> None:
        """Replace owner, comment and parameters; the comment first, and all else only where the server takes it."""
        before = self.load(name)
        database = copy(before.native)
        if (row.comment or None) != before.comment:
            database.description = row.comment
            self._alter(name, database)
            # Hive 2.3 leaves it as it is and says nothing, and so does any other where there is to be none.
            if self.load(name).comment != (row.comment or None):
                raise UnsupportedFeatureError(
                    f"This metastore keeps the comment of namespace {name}: Hive 2.3 takes no other one, later ones "
                    f"never take it away, and a database in latin1 has no other letters.",
                    answer=Answer.FAILED,
                )
        if row.owner != before.owner:
            database.ownerName, database.ownerType = row.owner, ttypes.PrincipalType.USER
        database.parameters = dict(row.parameters)
        self._alter(name, database)
        # Nor does Hive 2.3 say that there is none any more.
        self.load(name)

    def _alter(self, name: str, database: ttypes.Database) -> None:
        self._ask(Call("alter_database", name, writes=True), name, database)

    def drop(self, name: str) -> None:
        # Where it has listeners, Hive 2.3 fails with a NullPointerException on one that is missing.
        self.load(name)
        self._ask(Call("drop_database", name, writes=True), name, False, False)
