"""As which user engines run a view, and which users a client may name for that.

Trino's Iceberg connector runs a view as the user in its property ``trino.run-as-owner``, or else as the user who
queries it (AbstractTrinoCatalog); Trino's Hive connector runs it as the owner of the row. Both run whatever text is
there: a client that may not name a user may not give that user's view another text either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_views.errors import InvalidInputError
from hive_views.hive.row import OWNER, Row
from hive_views.persisted import ROW_AS_FOUND
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.updates import SetProperties, Update
from hive_views.views.row.content import TRINO_VIEW, RowContent

TRINO_OWNER = "trino.run-as-owner"
_OWNERS = (TRINO_OWNER, OWNER)


@dataclass(frozen=True)
class RunAs:
    """The users whose rights a client may give to a view; by default any user's.

    Attributes:
        users: the users that it may name.
        owner: the owner of new rows for which it names nobody.
    """

    users: frozenset[str] | None = None
    owner: str | None = None

    def allows(self, user: str | None, key: str) -> bool:
        if not user or self.users is None:
            return True
        return user in self.users or (key == OWNER and user == self.owner)

    def check(self, what: str, user: str | None, key: str) -> None:
        """
        Raises:
            InvalidInputError: the client may not name this user.
        """
        if not self.allows(user, key):
            raise InvalidInputError(
                f"Cannot give {what} the owner {user!r} ({key}): {self._who()}. Leave the property {key} out.", key=key
            )

    def check_properties(self, name: TableIdentifier, properties: Mapping[str, str]) -> None:
        """
        Raises:
            InvalidInputError: engines would run the view as a user whom the client may not name.
        """
        for key in _OWNERS:
            self.check(str(name), properties.get(key), key)

    def check_change(self, row: Row, base: ViewMetadata, changed: ViewMetadata) -> None:
        """
        Raises:
            InvalidInputError: as ``check_properties``, or such a view would get another text.
        """
        new = {key: user for key, user in changed.properties.items() if base.properties.get(key) != user}
        self.check_properties(row.identifier, new)
        if _text(changed.current_version) != _text(base.current_version):
            self.check_text(row, base)

    def check_text(self, row: Row, base: ViewMetadata | None = None) -> None:
        """
        Raises:
            InvalidInputError: engines run this view as a user whom the client may not name.
        """
        run_as = base.properties.get(TRINO_OWNER) if base else None
        for key, user in ((TRINO_OWNER, run_as), (OWNER, row.owner)):
            if not self.allows(user, key):
                raise InvalidInputError(
                    f"Cannot give {row.identifier} other SQL: Trino may run it with the rights of {user!r}, and "
                    f"{self._who()}. Use a client that may name {user!r}, or drop the view and create it again.",
                    identifier=str(row.identifier),
                )

    def of_file(self, former: ViewMetadata) -> ViewMetadata:
        """The metadata of an untrusted file, as this client may create a view from it.

        Users whom this client may not name are left out: Trino then runs the view as the user who queries it.

        Raises:
            CorruptMetadataError: the row that a version was adopted from cannot be read.
        """
        if self.users is None:
            return former
        said = former.properties
        properties = {key: user for key, user in said.items() if key not in _OWNERS or self.allows(user, key)}
        # A row in Trino's form names a user in its text.
        versions = tuple(_without_trino_row(version) for version in former.versions)
        return former.model_copy(update={"properties": properties, "versions": versions})

    def _who(self) -> str:
        return f"this client acts for {', '.join(sorted(self.users or ()))} only"


def naming_authors(base: ViewMetadata, changed: ViewMetadata, updates: Sequence[Update]) -> ViewMetadata:
    """``changed``, in which a new text for Trino runs as the user who queries it unless the updates name a user.

    With SECURITY INVOKER Trino names no user and does not remove an earlier one: the new text would run with the rights
    of the author of the previous one.
    """
    is_named = any(TRINO_OWNER in one.updates for one in updates if isinstance(one, SetProperties))
    if is_named or TRINO_OWNER not in changed.properties:
        return changed
    before, after = base.current_version, changed.current_version
    if _text(before)[1:] == _text(after)[1:] and before.sql_in("trino") == after.sql_in("trino"):
        return changed
    kept = {key: value for key, value in changed.properties.items() if key != TRINO_OWNER}
    return changed.model_copy(update={"properties": kept})


def _text(version: ViewVersion) -> tuple[object, ...]:
    return version.representations, version.default_catalog, version.default_namespace


def _without_trino_row(version: ViewVersion) -> ViewVersion:
    found = RowContent.kept_by(version)
    if found is None or TRINO_VIEW not in found.parameters:
        return version
    summary = {key: text for key, text in version.summary.items() if key != ROW_AS_FOUND}
    return version.model_copy(update={"summary": summary})
