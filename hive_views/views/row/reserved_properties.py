"""Properties that a user must not give a view, because their names mean something in its row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hive_views.errors import InvalidInputError
from hive_views.hive.row import DDL_TIME, OWNER, POINTER, PREVIOUS_POINTER, STORAGE_HANDLER, TABLE_TYPE, VIEW_UUID
from hive_views.persisted import FOR_ENGINE, OWN_PREFIX, PUBLISHED_WITH, REGISTRY, Place
from hive_views.spec.metadata import ViewMetadata
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.views.row.content import ENGINE_PREFIXES, TRINO_VIEW
from hive_views.views.row.file_references import OF_FILES

_RESERVED_PREFIXES = (*ENGINE_PREFIXES, OWN_PREFIX)
_RESERVED = {POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, "current-schema"} | {
    # What makes servers or engines treat the row as something else than a plain view.
    *("EXTERNAL", TRINO_VIEW, STORAGE_HANDLER, DDL_TIME, "provider")
}
# Hive compares these without regard to case, and fails on any change of a row that has them.
_IN_ANY_CASE = {"transactional", "transactional_properties"}
OWNERS = {OWNER, "trino.run-as-owner"}
"""Whose rights a view has, which is no part of what it says."""
_NAMED = ", ".join(sorted(_RESERVED | _IN_ANY_CASE))
_OF_ROWS = _RESERVED | {OWNER} | {one.name for one in REGISTRY if one.place is Place.ROW}
_OF_ROWS_IN_ANY_CASE = {*OF_FILES, *_IN_ANY_CASE}


def row_properties(metadata: ViewMetadata) -> dict[str, str]:
    """The properties that the row has as parameters: those whose names do not mean something else there.

    Other catalogs let users set any, and files of theirs are registered here.
    """
    return {
        key: value
        for key, value in metadata.properties.items()
        if key not in _OF_ROWS and key.lower() not in _OF_ROWS_IN_ANY_CASE and not key.startswith(ENGINE_PREFIXES)
    }


def check_properties(properties: Mapping[str, str]) -> None:
    """Refuse properties that a user must not set.

    Raises:
        InvalidInputError: not strings, or a name that is ours, Spark's or the metastore's.
    """
    for key, value in properties.items():
        if not isinstance(key, str) or not key or not isinstance(value, str):
            raise InvalidInputError(f"Cannot set property {key!r} to {value!r}: keys and values are strings.", key=key)
        if key == FOR_ENGINE:
            if value != "hive":
                raise InvalidInputError(
                    f"Cannot set property {FOR_ENGINE} to {value!r}: it is 'hive', for a view that Hive alone has to "
                    f"read, or not set.",
                    key=key,
                )
        elif key in _RESERVED or key.lower() in _IN_ANY_CASE or key.startswith(_RESERVED_PREFIXES):
            raise InvalidInputError(
                f"Cannot set property {key!r}: names starting with {', '.join(_RESERVED_PREFIXES)} and "
                f"{_NAMED} have a meaning of their own in the metastore row. Choose another.",
                key=key,
            )
        if len(key) > 256:
            raise InvalidInputError(f"Cannot set property {key[:40]}...: the metastore holds names of 256 characters.")


def is_settable(key: str) -> bool:
    """Whether a user can set a property, other than the owner; files of engines have others as well."""
    return key == FOR_ENGINE or not (
        key in _RESERVED | OWNERS or key.lower() in _IN_ANY_CASE or key.startswith(_RESERVED_PREFIXES) or len(key) > 256
    )


def check_removals(keys: Iterable[str]) -> None:
    """Refuse to remove properties that a user must not set, but for the rules of a publication, which may have ended.

    Raises:
        InvalidInputError: as ``check_properties``.
    """
    own = (PUBLISHED_WITH, FOR_ENGINE)
    check_properties({key: "" for key in keys if not isinstance(key, str) or not key.startswith(own)})


def readers(properties: Mapping[str, str]) -> tuple[str, ...]:
    """The engines that have to read the text of a view with these properties, by their dialects."""
    return tuple(one for one in ROW_DIALECTS if properties.get(FOR_ENGINE) in (None, one))
