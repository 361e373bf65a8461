"""The changes that the verbs on a view make, each as a function from metadata to metadata.

Mistakes that show in the call itself are refused when its change is built, before anything is read; those that depend
on the view are refused when the change is run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from hive_views.errors import AlreadyExistsError, InvalidInputError
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import COMMENT
from hive_views.messages.remedy import Remedy
from hive_views.persisted import TAG
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.tags import check_tag, no_such_tag, tag_names, tag_property, tags_of
from hive_views.spec.updates import (
    AssignUUID,
    RemoveProperties,
    SetCurrentViewVersion,
    SetLocation,
    SetProperties,
    Update,
    apply_updates,
)
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.storage.locations import absolute_location
from hive_views.views.changes.definition import Definition, altered, check_texts, define, texts_by_dialect
from hive_views.views.changes.stale_dialects import Claims, marking_stale, refuse_missing
from hive_views.views.row.projection import check_plain_readers, check_row_text, project
from hive_views.views.row.reserved_properties import check_properties, check_removals
from hive_views.views.row.star_columns import FindColumns
from hive_views.views.row.version import row_dialect
from hive_views.views.version_lookup import Time, lookup

Change = Callable[[ViewMetadata, int], ViewMetadata]
"""From the base metadata and the time in ms to the next metadata; the same object back means nothing to do."""


def creation(
    name: TableIdentifier,
    definition: Definition,
    properties: Mapping[str, str] | None,
    comment: str | None,
    *,
    now_ms: int,
    view_uuid: str,
) -> Callable[[str], ViewMetadata]:
    """The metadata of a new view, by its location.

    Raises:
        InvalidInputError: no correct view can be made of it, wherever it is.
    """
    updates: list[Update] = [AssignUUID(view_uuid), SetProperties(_checked(properties, comment))]
    updates += definition.updates(name, now_ms)

    def at(location: str) -> ViewMetadata:
        return apply_updates(None, [*updates, SetLocation(location)], now_ms=now_ms)

    check_plain_readers(at("file:///").current_version, name)
    project(at("file:///"), identifier=name, location="file:///", previous_location=None, owner=None)
    check_row_text(at("file:///"), name, definition.sql)
    return at


def replacement(
    name: TableIdentifier,
    sql: Mapping[str, str],
    columns: Callable[[ViewMetadata], ColumnsInput | None],
    partitioned_on: Sequence[str] | None,
    properties: Mapping[str, str] | None,
    comment: str | None,
    *,
    default_namespace: str | None,
    find: FindColumns,
    claims: Claims,
) -> Change:
    """Other texts, and other columns where ``columns`` gives some for what the view is now.

    Raises:
        InvalidInputError: a property cannot be set, or a text is not one query.
    """
    given = _checked(properties, comment)
    check_texts(sql)

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        definition = define(
            name, sql, columns(base), partitioned_on, base=base, namespace=default_namespace, properties=given
        )
        definition = definition.with_translations(name, base, claims).with_star_columns(find)
        refuse_missing(base, set(claims.still_true) - definition.sql.keys(), name)
        updates = marking_stale(base, definition.updates(name, now_ms), claims)
        replaced = apply_updates(base, [SetProperties(given), *updates], now_ms=now_ms)
        if row_dialect(base.current_version) != "trino":
            check_plain_readers(replaced.current_version, name)
        check_row_text(replaced, name, definition.sql)
        return replaced

    return change


def alteration(
    name: TableIdentifier,
    sql: Mapping[str, str] | None,
    set_properties: Mapping[str, str] | None,
    remove_properties: Sequence[str],
    comment: str | None,
    location: str | None,
    find: FindColumns,
    claims: Claims,
    drop_dialects: Collection[str],
) -> Change:
    """Other texts in some dialects, none in others, properties, comment and location.

    Raises:
        InvalidInputError: a property cannot be set or removed, the location is none, a text is not one query, or a
            dialect is dropped of which something else is said.
    """
    given = _checked(set_properties, comment)
    texts = texts_by_dialect(sql) if sql is not None else None
    if texts:
        check_texts(texts)
    if isinstance(remove_properties, str) or not isinstance(remove_properties, Sequence):
        raise InvalidInputError(f"Give the properties to remove as a list, [{remove_properties!r}].")
    both = sorted(set(given) & set(remove_properties))
    if both:
        raise InvalidInputError(f"Cannot set and remove the same property: {', '.join(both)}.", key=both[0])
    check_removals(remove_properties)
    updates: list[Update] = [SetProperties(given), RemoveProperties(tuple(remove_properties))]
    if location is not None:
        updates.append(SetLocation(absolute_location(location)))

    said_too = sorted(set(drop_dialects) & {*(texts or ()), *claims.still_true, *claims.asked.sources})
    if said_too:
        raise InvalidInputError(f"Cannot both drop and keep the SQL in {', '.join(said_too)}.", dialect=said_too[0])

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        refuse_missing(base, {*drop_dialects, *claims.still_true} - {*(texts or ())}, name)
        if texts is None and not (drop_dialects or claims.still_true or claims.asked.is_any):
            return apply_updates(base, updates, now_ms=now_ms)
        kept = {key: value for key, value in base.properties.items() if key not in remove_properties}
        definition = altered(name, texts or {}, base, {**kept, **given}, drop_dialects)
        definition = definition.with_translations(name, base, claims).with_star_columns(find)
        versions = marking_stale(base, definition.updates(name, now_ms), claims)
        changed = apply_updates(base, [*updates, *versions], now_ms=now_ms, dropping=drop_dialects)
        if row_dialect(base.current_version) in drop_dialects or not changed.current_version.dialects:
            check_plain_readers(changed.current_version, name)
        if not {*definition.sql, *drop_dialects}.isdisjoint(ROW_DIALECTS):
            check_row_text(changed, name, definition.sql)
        return changed

    return change


def rollback(
    name: TableIdentifier, to_version: int | None, to_time: Time | None = None, to_tag: str | None = None
) -> Change:
    """An earlier version, current again.

    The one of a time or a tag is looked for when the change is run: after a lost race in what the other writer made,
    which may be what was current at that time.

    Raises:
        InvalidInputError: not exactly one way to find the version is given, or what is given is no id, time or tag.
    """
    if sum(one is not None for one in (to_version, to_time, to_tag)) != 1:
        raise InvalidInputError("Specify the version to roll back to by exactly one of: its id, a time, a tag.")
    find = lookup(name, version=to_version, time=to_time, tag=to_tag)

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        return apply_updates(base, [SetCurrentViewVersion(find(base).version_id)], now_ms=now_ms)

    return change


def tagging(name: TableIdentifier, tag: str, version: int | None, *, move: bool) -> Change:
    """A tag on a version, by default the current one.

    Raises:
        InvalidInputError: it cannot be the name of a tag.
    """
    check_tag(tag)
    find = lookup(name, version=version)

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        chosen = tag_property(tag, find(base))
        known = tag_names(base)
        alike = next((one for one in known if one != tag and one.lower() == tag.lower()), None)
        if alike:
            # Databases of metastores take names of parameters for equal that differ in case alone.
            raise InvalidInputError(f"Cannot use {tag!r} as a tag of {name}: it has the tag {alike!r}.")
        if tag in known and not move and base.properties.items().isdisjoint(chosen.items()):
            raise AlreadyExistsError(
                f"Tag {tag!r} of {name} already {_named(base, tag)}.",
                remedy=Remedy(
                    in_python="Move it with move=True, or use another tag.",
                    in_shell=f"`hive-views tag {name} {tag} --move` moves it; or use another tag.",
                ),
                identifier=str(name),
            )
        return apply_updates(base, [SetProperties(chosen)], now_ms=now_ms)

    return change


def _named(base: ViewMetadata, tag: str) -> str:
    version_id = tags_of(base).get(tag)
    return f"names version {version_id}" if version_id is not None else "names a version that has expired"


def untagging(name: TableIdentifier, tag: str) -> Change:
    """The view without a tag.

    Raises:
        InvalidInputError: it cannot be the name of a tag.
    """
    check_tag(tag)

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        if tag not in tag_names(base):
            raise no_such_tag(name, base, tag)
        return apply_updates(base, [RemoveProperties((TAG + tag,))], now_ms=now_ms)

    return change


def own_properties(change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> Change:
    """Properties that this library keeps for itself, from those that the view has."""

    def changed(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        return apply_updates(base, [SetProperties(change(base.properties))], now_ms=now_ms)

    return changed


def _checked(properties: Mapping[str, str] | None, comment: str | None) -> dict[str, str]:
    if properties is not None and not isinstance(properties, Mapping):
        raise InvalidInputError(f"Give properties as a dictionary of strings, not {properties!r}.")
    given = {**(properties or {}), **({COMMENT: comment} if comment is not None else {})}
    check_properties(given)
    return given
