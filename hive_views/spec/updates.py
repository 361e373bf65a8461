"""How one view metadata becomes the next: every update rule of the Iceberg view spec, as Iceberg Java applies them.

The rules, in the order they are applied:

1. A schema equal to one the view has gets that one's id, any other the highest id + 1, the first 0; the id it came
   with is ignored. Schemas never expire.
2. A version equal to one the view has (texts in order, summary, default catalog and namespace, schema) gets that one's
   id and stays what it is; any other gets the id it came with or the highest id + 1, whichever is larger. Beyond the
   spec: no id that a tag names (tags.py), whose version another engine has let expire; and which release of a project
   made a version makes it no other one. Of several equal ones it is the current one.
3. Activating the version that is current already does nothing. Otherwise the last activation of the change is logged,
   with the version's own time if this change added it, with the present time if it is activated again.
4. The new current version must have every SQL dialect of the old one, unless ``replace.drop-dialect.allowed`` is true.
5. Versions beyond ``version.history.num-entries`` expire, lowest ids first; never the current one, never one added in
   this change. Beyond the spec: those with a tag neither expire nor count. The log keeps what follows its last entry of
   an expired version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from hive_views.errors import DialectDroppedError, InvalidInputError, NoSuchVersionError
from hive_views.persisted import RELEASE
from hive_views.spec.metadata import FORMAT_VERSION, ViewHistoryEntry, ViewMetadata, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.tags import tagged_ids

LAST_ADDED = -1

HISTORY_SIZE = "version.history.num-entries"
HISTORY_SIZE_DEFAULT = 10
DROP_DIALECT_ALLOWED = "replace.drop-dialect.allowed"


@dataclass(frozen=True)
class AssignUUID:
    """Give a new view its uuid; a view never changes it."""

    view_uuid: str


@dataclass(frozen=True)
class UpgradeFormatVersion:
    """Only version 1 exists."""

    format_version: int


@dataclass(frozen=True)
class SetLocation:
    """The directory under which later metadata files are written."""

    location: str


@dataclass(frozen=True)
class SetProperties:
    """Add or overwrite properties; the others stay."""

    updates: Mapping[str, str]


@dataclass(frozen=True)
class RemoveProperties:
    """Remove properties; names that are not set do not matter."""

    removals: Sequence[str]


@dataclass(frozen=True)
class AddSchema:
    """Add a schema, or find the equal one (rule 1)."""

    schema: Schema


@dataclass(frozen=True)
class AddViewVersion:
    """Add a version, or find the equal one (rule 2); ``schema_id`` ``LAST_ADDED`` is the schema added last.

    With ``again`` it is added even if there is an equal one.
    """

    version: ViewVersion
    again: bool = False


@dataclass(frozen=True)
class SetCurrentViewVersion:
    """Make a version current (rule 3); ``LAST_ADDED`` is the version added last."""

    version_id: int


Update = (
    AssignUUID
    | UpgradeFormatVersion
    | SetLocation
    | SetProperties
    | RemoveProperties
    | AddSchema
    | AddViewVersion
    | SetCurrentViewVersion
)


def apply_updates(
    base: ViewMetadata | None, updates: Sequence[Update], *, now_ms: int, dropping: Collection[str] = ()
) -> ViewMetadata:
    """The metadata that follows from ``base`` (None: a new view) by these updates, as one change.

    Updates that change nothing give ``base`` itself back. The dialects that are ``dropping`` may go (rule 4).

    Raises:
        InvalidInputError: a rule of the spec is broken.
        NoSuchVersionError: a version or schema that the view does not have is named.
        DialectDroppedError: the new current version lacks a dialect of the old one.
    """
    draft = _Draft.of(base)
    for update in updates:
        draft = _STEPS[type(update)](draft, update, now_ms)
    return _finish(base, draft, dropping)


@dataclass(frozen=True)
class _Draft:
    view_uuid: str | None = None
    location: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    schemas: tuple[Schema, ...] = ()
    versions: tuple[ViewVersion, ...] = ()
    current_version_id: int | None = None
    log: tuple[ViewHistoryEntry, ...] = ()
    activated: ViewHistoryEntry | None = None
    added_version_ids: frozenset[int] = frozenset()
    last_schema_id: int | None = None
    last_version_id: int | None = None

    @classmethod
    def of(cls, base: ViewMetadata | None) -> _Draft:
        if base is None:
            return cls()
        return cls(
            view_uuid=base.view_uuid,
            location=base.location,
            properties=base.properties,
            schemas=base.schemas,
            versions=base.versions,
            current_version_id=base.current_version_id,
            log=base.version_log,
        )


def _assign_uuid(draft: _Draft, update: AssignUUID, _: int) -> _Draft:
    if draft.view_uuid is not None and draft.view_uuid.lower() != update.view_uuid.lower():
        raise InvalidInputError(
            f"Cannot give view {draft.view_uuid} the uuid {update.view_uuid}: the uuid of a view never changes."
        )
    try:
        UUID(update.view_uuid)
    except ValueError as e:
        raise InvalidInputError(f"Cannot use {update.view_uuid!r} as a view's uuid: it is not a UUID.") from e
    return replace(draft, view_uuid=draft.view_uuid or update.view_uuid)


def _upgrade_format_version(draft: _Draft, update: UpgradeFormatVersion, _: int) -> _Draft:
    if update.format_version != FORMAT_VERSION:
        raise InvalidInputError(f"Cannot use format-version {update.format_version}: {FORMAT_VERSION} is the only one.")
    return draft


def _set_location(draft: _Draft, update: SetLocation, _: int) -> _Draft:
    if not update.location:
        raise InvalidInputError("Cannot set an empty location: give the directory for the view's metadata files.")
    return replace(draft, location=update.location.rstrip("/") or update.location)


def _set_properties(draft: _Draft, update: SetProperties, _: int) -> _Draft:
    for key, value in update.updates.items():
        if not isinstance(key, str) or not key or not isinstance(value, str):
            raise InvalidInputError(f"Cannot set property {key!r} to {value!r}: keys and values are strings.", key=key)
    return replace(draft, properties={**draft.properties, **update.updates})


def _remove_properties(draft: _Draft, update: RemoveProperties, _: int) -> _Draft:
    kept = {key: value for key, value in draft.properties.items() if key not in set(update.removals)}
    return replace(draft, properties=kept)


def _add_schema(draft: _Draft, update: AddSchema, _: int) -> _Draft:
    for schema in draft.schemas:
        if schema.same_columns(update.schema):
            return replace(draft, last_schema_id=schema.schema_id)
    new_id = max((schema.schema_id for schema in draft.schemas), default=-1) + 1
    added = update.schema.model_copy(update={"schema_id": new_id})
    return replace(draft, schemas=(*draft.schemas, added), last_schema_id=new_id)


def _add_view_version(draft: _Draft, update: AddViewVersion, _: int) -> _Draft:
    version = update.version
    if version.schema_id == LAST_ADDED:
        if draft.last_schema_id is None:
            raise InvalidInputError("Cannot add a version on the schema added last: this change adds no schema.")
        version = version.model_copy(update={"schema_id": draft.last_schema_id})
    if all(schema.schema_id != version.schema_id for schema in draft.schemas):
        raise NoSuchVersionError(
            f"Cannot add a version on schema {version.schema_id}: the view has no such schema.",
        )
    for dialect in version.dialects:
        if version.dialects.count(dialect) > 1:
            raise InvalidInputError(
                f"Invalid view version: Cannot add multiple queries for dialect {dialect}. Give one query for each.",
                dialect=dialect,
            )
    current_first = sorted(draft.versions, key=lambda one: one.version_id != draft.current_version_id)
    for existing in () if update.again else current_first:
        if _same_version(existing, version):
            return replace(draft, last_version_id=existing.version_id)
    known_ids = [v.version_id for v in draft.versions] + [id_ for id_, _ in tagged_ids(draft.properties)]
    new_id = max(version.version_id, max(known_ids, default=0) + 1)
    return replace(
        draft,
        versions=(*draft.versions, version.model_copy(update={"version_id": new_id})),
        added_version_ids=draft.added_version_ids | {new_id},
        last_version_id=new_id,
    )


def _same_version(one: ViewVersion, other: ViewVersion) -> bool:
    ignored: Any = {"version_id": True, "timestamp_ms": True, "summary": {RELEASE}}
    return bool(one.model_dump(exclude=ignored) == other.model_dump(exclude=ignored))


def _set_current_view_version(draft: _Draft, update: SetCurrentViewVersion, now_ms: int) -> _Draft:
    version_id = update.version_id
    if version_id == LAST_ADDED:
        if draft.last_version_id is None:
            raise InvalidInputError("Cannot activate the version added last: this change adds no version.")
        version_id = draft.last_version_id
    if version_id == draft.current_version_id:
        return draft
    version = next((v for v in draft.versions if v.version_id == version_id), None)
    if version is None:
        held = sorted(v.version_id for v in draft.versions)
        raise NoSuchVersionError(
            f"Cannot make version {version_id} current: the view holds the versions {held}; older ones have expired.",
            version_id=version_id,
        )
    activated_ms = version.timestamp_ms if version_id in draft.added_version_ids else now_ms
    entry = ViewHistoryEntry(timestamp_ms=activated_ms, version_id=version_id)
    return replace(draft, current_version_id=version_id, activated=entry)


_STEPS: dict[type, Callable[[_Draft, Any, int], _Draft]] = {
    AssignUUID: _assign_uuid,
    UpgradeFormatVersion: _upgrade_format_version,
    SetLocation: _set_location,
    SetProperties: _set_properties,
    RemoveProperties: _remove_properties,
    AddSchema: _add_schema,
    AddViewVersion: _add_view_version,
    SetCurrentViewVersion: _set_current_view_version,
}


def _finish(base: ViewMetadata | None, draft: _Draft, dropping: Collection[str]) -> ViewMetadata:
    if draft.view_uuid is None:
        raise InvalidInputError("Cannot create a view without a uuid.")
    if draft.location is None:
        raise InvalidInputError("Cannot create a view without a location.")
    if draft.current_version_id is None:
        raise InvalidInputError("Cannot create a view without a current version.")
    _refuse_dropped_dialects(base, draft, dropping)
    log = (*draft.log, draft.activated) if draft.activated else draft.log
    versions = _unexpired(draft)
    if len(versions) < len(draft.versions):
        log = _log_after_expiry(log, {version.version_id for version in versions})
    content: dict[str, Any] = {
        "location": draft.location,
        "properties": dict(draft.properties),
        "schemas": draft.schemas,
        "current_version_id": draft.current_version_id,
        "versions": versions,
        "version_log": log,
    }
    if base is None:
        return ViewMetadata(view_uuid=draft.view_uuid, format_version=FORMAT_VERSION, **content)
    changed = base.model_copy(update=content)
    return base if changed == base else changed


def _refuse_dropped_dialects(base: ViewMetadata | None, draft: _Draft, dropping: Collection[str]) -> None:
    if base is None or draft.properties.get(DROP_DIALECT_ALLOWED, "false").lower() == "true":
        return
    before = next((v for v in base.versions if v.version_id == base.current_version_id), None)
    after = next(v for v in draft.versions if v.version_id == draft.current_version_id)
    lost = sorted(set(before.dialects) - set(after.dialects) - set(dropping)) if before else []
    if lost:
        raise DialectDroppedError(
            f"Cannot replace a view that has the dialects {sorted(set(before.dialects if before else ()))} by one "
            f"without {', '.join(lost)}: give SQL for each, or set the property {DROP_DIALECT_ALLOWED}=true.",
            dialects=lost,
        )


def _unexpired(draft: _Draft) -> tuple[ViewVersion, ...]:
    size = draft.properties.get(HISTORY_SIZE, str(HISTORY_SIZE_DEFAULT))
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", size):
        raise InvalidInputError(f"Cannot keep {size!r} versions: {HISTORY_SIZE} must be a positive number.")
    tagged = tagged_ids(draft.properties)
    untagged = [v for v in draft.versions if (v.version_id, v.timestamp_ms) not in tagged]
    keep = max(len(draft.added_version_ids | {draft.current_version_id}), int(size))
    if len(untagged) <= keep:
        return draft.versions
    newest_first = sorted(draft.versions, key=lambda v: v.version_id, reverse=True)
    # A stable sort on "is not current" puts the current version first and leaves the others by id.
    current_first = sorted(newest_first, key=lambda v: v.version_id != draft.current_version_id)
    expired = [v for v in current_first if v in untagged][keep:]
    return tuple(v for v in current_first if v not in expired)


def _log_after_expiry(log: Sequence[ViewHistoryEntry], kept_ids: set[int]) -> tuple[ViewHistoryEntry, ...]:
    last_expired = max((i for i, entry in enumerate(log) if entry.version_id not in kept_ids), default=-1)
    return tuple(log[last_expired + 1 :])
