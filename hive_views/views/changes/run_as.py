"""With whose rights engines run a view, and whom a client may make that.

Trino's Iceberg connector runs a view as its property ``trino.run-as-owner``, or else as whoever asks
(AbstractTrinoCatalog); Trino's Hive connector as the owner of the row. Both do so with whatever text is there: who may
not name a user may not give that user's view a text either.
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
    """The users whose rights a client may give to a view; without them, everybody's.

    Attributes:
        users: whom it may name.
        owner: of the rows that it makes where it names nobody.
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
            InvalidInputError: it would be that of a user whom the client may not name.
        """
        if not self.allows(user, key):
            raise InvalidInputError(
                f"Cannot give {what} the owner {user!r} ({key}): {self._who()}. Leave the property {key} out.", key=key
            )

    def check_properties(self, name: TableIdentifier, properties: Mapping[str, str]) -> None:
        """
        Raises:
            InvalidInputError: they make engines run the view as a user whom the client may not name.
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
            InvalidInputError: engines run this view, which would get another text, as a user whom the client may not
                name.
        """
        run_as = base.properties.get(TRINO_OWNER) if base else None
        for key, user in ((TRINO_OWNER, run_as), (OWNER, row.owner)):
            if not self.allows(user, key):
                raise InvalidInputError(
                    f"Cannot give {row.identifier} another text: Trino may run it with the rights of {user!r}, and "
                    f"{self._who()}. Use a client that may name {user!r}, or drop the view and create it again.",
                    identifier=str(row.identifier),
                )

    def of_file(self, former: ViewMetadata) -> ViewMetadata:
        """The metadata of a file that anybody may have written, as this client may make a view of it.

        Whom it names and this client may not name, is left out: Trino runs the view as whoever asks.

        Raises:
            CorruptMetadataError: a version's row as it was found cannot be read.
        """
        if self.users is None:
            return former
        said = former.properties
        properties = {key: user for key, user in said.items() if key not in _OWNERS or self.allows(user, key)}
        # A row in Trino's form names a user in its text.
        versions = tuple(_made_anew(version) for version in former.versions)
        return former.model_copy(update={"properties": properties, "versions": versions})

    def _who(self) -> str:
        return f"this client acts for {', '.join(sorted(self.users or ()))} only"


def naming_authors(base: ViewMetadata, changed: ViewMetadata, updates: Sequence[Update]) -> ViewMetadata:
    """``changed``, where a new text for Trino runs as whoever asks unless the updates say as whom.

    With SECURITY INVOKER Trino names nobody, and takes nobody's name away: the text would have the rights of the author
    of the one before it.
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


def _made_anew(version: ViewVersion) -> ViewVersion:
    found = RowContent.kept_by(version)
    if found is None or TRINO_VIEW not in found.parameters:
        return version
    summary = {key: text for key, text in version.summary.items() if key != ROW_AS_FOUND}
    return version.model_copy(update={"summary": summary})
