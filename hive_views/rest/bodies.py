"""The bodies of requests, and of the response that holds a view, as Iceberg's REST specification has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, ValidationError

from hive_views.errors import InvalidInputError
from hive_views.spec import updates
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.schema import Int32, Schema, SpecModel

_Body = TypeVar("_Body", bound=SpecModel)
_Names = Annotated[tuple[str, ...], Field(strict=False)]


class Identifier(SpecModel):
    namespace: _Names
    name: str


class CreateNamespace(SpecModel):
    namespace: _Names
    properties: dict[str, str] = Field(default_factory=dict)


class UpdateNamespaceProperties(SpecModel):
    removals: _Names | None = None
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


class _UpdateBody(SpecModel):
    """One update of a commit; its fields, but for the action, are those of the library's own."""

    kind: ClassVar[Callable[..., updates.Update]]
    action: str

    def update(self) -> updates.Update:
        fields = type(self).model_fields
        return type(self).kind(*(getattr(self, name) for name in fields if name != "action"))


class _AssignUUID(_UpdateBody):
    kind = updates.AssignUUID
    action: Literal["assign-uuid"]
    uuid: str


class _UpgradeFormatVersion(_UpdateBody):
    kind = updates.UpgradeFormatVersion
    action: Literal["upgrade-format-version"]
    format_version: int


class _AddSchema(_UpdateBody):
    kind = updates.AddSchema
    action: Literal["add-schema"]
    columns: Schema = Field(alias="schema")


class _SetLocation(_UpdateBody):
    kind = updates.SetLocation
    action: Literal["set-location"]
    location: str


class _SetProperties(_UpdateBody):
    kind = updates.SetProperties
    action: Literal["set-properties"]
    updates: dict[str, str]


class _RemoveProperties(_UpdateBody):
    kind = updates.RemoveProperties
    action: Literal["remove-properties"]
    removals: _Names


class _AddViewVersion(_UpdateBody):
    kind = updates.AddViewVersion
    action: Literal["add-view-version"]
    view_version: ViewVersion


class _SetCurrentViewVersion(_UpdateBody):
    kind = updates.SetCurrentViewVersion
    action: Literal["set-current-view-version"]
    view_version_id: Int32


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
            InvalidInputError: two are required.
        """
        uuids = {one.uuid.lower(): one.uuid for one in self.requirements}
        if len(uuids) > 1:
            raise InvalidInputError(f"A view cannot have two uuids: {', '.join(uuids.values())}.")
        return next(iter(uuids.values()), None)


class LoadedView(SpecModel):
    """The response that holds a view."""

    metadata_location: str
    metadata: ViewMetadata
    config: dict[str, str] = Field(default_factory=dict)


def body_of(kind: type[_Body], body: Any) -> _Body:
    """The body of a request as a model.

    Raises:
        InvalidInputError: it is not one; the message names the first place that is wrong.
    """
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise InvalidInputError(f"Cannot read the request: at {place}: {first['msg']}.") from None
