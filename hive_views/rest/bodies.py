"""The bodies of requests, and of the answer that holds a view, as Iceberg's REST specification has them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, ValidationError

from hive_views.errors import InvalidInputError
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.schema import Int32, Schema, SpecModel
from hive_views.spec.updates import (
    AddSchema,
    AddViewVersion,
    AssignUUID,
    RemoveProperties,
    SetCurrentViewVersion,
    SetLocation,
    SetProperties,
    Update,
    UpgradeFormatVersion,
)

_Body = TypeVar("_Body", bound=SpecModel)
Levels = Annotated[tuple[str, ...], Field(strict=False)]


class Identifier(SpecModel):
    namespace: Levels
    name: str


class CreateNamespace(SpecModel):
    namespace: Levels
    properties: dict[str, str] = Field(default_factory=dict)


class UpdateNamespaceProperties(SpecModel):
    removals: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    updates: dict[str, str] | None = None


class CreateView(SpecModel):
    name: str
    location: str | None = None
    view_version: ViewVersion
    columns: Schema = Field(alias="schema")
    properties: dict[str, str] = Field(default_factory=dict)


class RegisterView(SpecModel):
    name: str
    metadata_location: str
    overwrite: bool = False


class Rename(SpecModel):
    source: Identifier
    destination: Identifier


class _AssignUUID(SpecModel):
    action: Literal["assign-uuid"]
    uuid: str

    def update(self) -> Update:
        return AssignUUID(self.uuid)


class _UpgradeFormatVersion(SpecModel):
    action: Literal["upgrade-format-version"]
    format_version: int

    def update(self) -> Update:
        return UpgradeFormatVersion(self.format_version)


class _AddSchema(SpecModel):
    action: Literal["add-schema"]
    columns: Schema = Field(alias="schema")

    def update(self) -> Update:
        return AddSchema(self.columns)


class _SetLocation(SpecModel):
    action: Literal["set-location"]
    location: str

    def update(self) -> Update:
        return SetLocation(self.location)


class _SetProperties(SpecModel):
    action: Literal["set-properties"]
    updates: dict[str, str]

    def update(self) -> Update:
        return SetProperties(self.updates)


class _RemoveProperties(SpecModel):
    action: Literal["remove-properties"]
    removals: Annotated[tuple[str, ...], Field(strict=False)]

    def update(self) -> Update:
        return RemoveProperties(self.removals)


class _AddViewVersion(SpecModel):
    action: Literal["add-view-version"]
    view_version: ViewVersion

    def update(self) -> Update:
        return AddViewVersion(self.view_version)


class _SetCurrentViewVersion(SpecModel):
    action: Literal["set-current-view-version"]
    view_version_id: Int32

    def update(self) -> Update:
        return SetCurrentViewVersion(self.view_version_id)


_Update = Annotated[
    _AssignUUID
    | _UpgradeFormatVersion
    | _AddSchema
    | _SetLocation
    | _SetProperties
    | _RemoveProperties
    | _AddViewVersion
    | _SetCurrentViewVersion,
    Field(discriminator="action"),
]


class AssertViewUUID(SpecModel):
    type: Literal["assert-view-uuid"]
    uuid: str


class CommitView(SpecModel):
    identifier: Identifier | None = None
    requirements: Annotated[tuple[AssertViewUUID, ...], Field(strict=False)] = ()
    updates: Annotated[tuple[_Update, ...], Field(strict=False)]

    def view_uuid(self) -> str | None:
        """The uuid that the view must have.

        Raises:
            InvalidInputError: two are demanded.
        """
        uuids = {one.uuid.lower(): one.uuid for one in self.requirements}
        if len(uuids) > 1:
            raise InvalidInputError(f"A view cannot have two uuids: {', '.join(uuids.values())}.")
        return next(iter(uuids.values()), None)

    def changes(self) -> list[Update]:
        return [one.update() for one in self.updates]


class LoadedView(SpecModel):
    """The answer that holds a view."""

    metadata_location: str
    metadata: ViewMetadata
    config: dict[str, str] = Field(default_factory=dict)


def body_of(kind: type[_Body], content: object) -> _Body:
    """The body as a model.

    Raises:
        InvalidInputError: it is another one; the first place that is wrong is named.
    """
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise InvalidInputError(f"Cannot read the request: at {place}: {first['msg']}.") from None
