"""The updates that an Iceberg client sends for a view, as changes of its metadata.

A client builds a version from what it has read, maybe long ago: an id that it gives to what it adds means nothing but
"what this request adds".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeVar, overload

from hive_views.analysis import analyze_query
from hive_views.errors import InvalidInputError, SQLSyntaxError
from hive_views.hive.up_casts import fits_into
from hive_views.persisted import ORIGINAL_SQL, OWN_PREFIX, REQUESTS, ROW_AS_FOUND, SPARK_SETTINGS, TRINO_CATALOG
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewRepresentation, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.updates import (
    LAST_ADDED,
    AddSchema,
    AddViewVersion,
    AssignUUID,
    RemoveProperties,
    SetCurrentViewVersion,
    SetLocation,
    SetProperties,
    Update,
    apply_updates,
)
from hive_views.sql.dialects import ROW_DIALECTS, canonical_dialect
from hive_views.sql.expand import check_hive_text, expand
from hive_views.sql.query import QueryText
from hive_views.storage.locations import client_location
from hive_views.views.changes.run_as import naming_authors
from hive_views.views.changes.stale_dialects import Claims, marking_stale
from hive_views.views.changes.translated_texts import Frame, TextTranslations, summary_of
from hive_views.views.changes.verbs import Change
from hive_views.views.row.projection import check_names, partitioned_on
from hive_views.views.row.reserved_properties import check_properties, check_removals, readers
from hive_views.views.row.star_columns import SPARK_COLUMNS, FindColumns, star_columns, star_columns_in
from hive_views.views.row.version import VersionContent, columns_in, hive_types, row_dialect

REMEMBERED_REQUESTS = 256
"""The number of requests kept with a view; a parameter of a metastore may be limited to 4,000 characters."""

_HASH_LENGTH = 12
_RANDOM_ENDING = re.compile(r"-[0-9a-f]{32}")

_Metadata = TypeVar("_Metadata", bound=ViewMetadata)


@overload
def request_hash(verb: str, key: str) -> str: ...
@overload
def request_hash(verb: str, key: str | None) -> str | None: ...
def request_hash(verb: str, key: str | None) -> str | None:
    """The hash by which a request with a key is remembered; the same key for another verb gives another hash."""
    return key and hashlib.sha256(f"{verb} {key}".encode()).hexdigest()[:_HASH_LENGTH]


def one_more(requests: str | None, request: str) -> str:
    """A list of requests with one more; the oldest are dropped if it gets too long."""
    return ",".join([*(requests.split(",") if requests else ()), request][-REMEMBERED_REQUESTS:])


def has_applied(metadata: ViewMetadata, request: str | None) -> bool:
    """Whether this request has been applied to the view."""
    return request is not None and request in metadata.properties.get(REQUESTS, "").split(",")


def recording(metadata: _Metadata, request: str | None) -> _Metadata:
    """The metadata with one more request that was applied to it."""
    if request is None:
        return metadata
    requests = one_more(metadata.properties.get(REQUESTS), request)
    return metadata.model_copy(update={"properties": {**metadata.properties, REQUESTS: requests}})


class ClientUpdates:
    """The changes that a request of an Iceberg client makes; each of its texts is read once.

    Args:
        name: of the view.
        client_name: the client's name for this catalog.
        find: finds the columns behind a star, if the client does not name them.
        claims: with which stale texts are found.
    """

    def __init__(self, name: TableIdentifier, client_name: str | None, find: FindColumns, claims: Claims) -> None:
        self._name = name
        self._client_name = client_name
        self._find = find
        self._claims = claims
        self._read: Callable[[str, str], QueryText] = cache(QueryText)

    def creation(
        self,
        version: ViewVersion,
        schema: Schema,
        properties: Mapping[str, str],
        *,
        location: str,
        view_uuid: str,
        now_ms: int,
    ) -> ViewMetadata:
        """The metadata of a new view as the client describes it.

        Raises:
            InvalidInputError: a rule of the spec, of a property or of a text is broken.
        """
        check_properties(properties)
        added = version.model_copy(update={"schema_id": schema.schema_id})
        updates: list[Update] = [
            AssignUUID(view_uuid),
            SetLocation(location),
            SetProperties(properties),
            AddSchema(schema),
            AddViewVersion(added),
            SetCurrentViewVersion(version.version_id),
        ]
        return apply_updates(None, self._decided(None, updates, now_ms), now_ms=now_ms)

    def check_texts(self, version: ViewVersion) -> None:
        """Refuse ``hive`` texts that are not a query, before the view is read.

        Raises:
            InvalidInputError: a dialect is not a valid name.
            SQLSyntaxError: a text is not one query.
        """
        for text in _hive_texts(version):
            check_hive_text(self._read(text, "hive"), ())

    def change(self, updates: Sequence[Update], request: str | None) -> Change:
        """The client's updates of a view that exists.

        Raises:
            InvalidInputError: a location is not valid.
            SQLSyntaxError: a text for Hive is not one query.
        """
        located: list[Update] = [
            SetLocation(client_location(one.location)) if isinstance(one, SetLocation) else one for one in updates
        ]
        for one in located:
            if isinstance(one, AddViewVersion):
                self.check_texts(one.version)

        def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            decided = marking_stale(base, self._decided(base, located, now_ms), self._claims)
            changed = apply_updates(base, decided, now_ms=now_ms)
            changed = naming_authors(base, changed, updates)
            return changed if changed is base else recording(changed, request)

        return change

    def _decided(self, base: ViewMetadata | None, updates: Sequence[Update], now_ms: int) -> list[Update]:
        """The updates with the catalog's own ids, times and texts."""
        said = next((one.updates.get(SPARK_COLUMNS) for one in updates if isinstance(one, SetProperties)), None)
        replaces = base is not None and any(isinstance(update, AddViewVersion) for update in updates)
        properties = dict(base.properties) if base else {}
        for one in updates:
            properties |= one.updates if isinstance(one, SetProperties) else {}
        decided: list[Update] = []
        schema: Schema | None = None
        version_id: int | None = None
        for update in updates:
            match update:
                case AddSchema():
                    schema = update.schema
                    decided.append(update)
                case AddViewVersion():
                    version_id = update.version.version_id
                    version = self._version(base, update.version, schema, said, now_ms, readers(properties))
                    decided.append(AddViewVersion(version))
                case SetCurrentViewVersion() if update.version_id == version_id:
                    decided.append(SetCurrentViewVersion(LAST_ADDED))
                case SetLocation() if replaces and _is_random(update.location, self._name):
                    pass
                case SetProperties() if base is not None:
                    decided.append(SetProperties(_changed_properties(update.updates, base)))
                case RemoveProperties() if base is not None:
                    check_removals([key for key in update.removals if key in base.properties])
                    decided.append(update)
                case _:
                    decided.append(update)
        return decided

    def _version(
        self,
        base: ViewMetadata | None,
        version: ViewVersion,
        added: Schema | None,
        said: str | None,
        now_ms: int,
        engines: Sequence[str],
    ) -> ViewVersion:
        """The version as the catalog adds it, with new texts that all of these engines read.

        Raises:
            InvalidInputError: its names resolve in a namespace of several levels, or a dialect is not a valid name.
            SQLSyntaxError, InvalidSchemaError: its text for Hive is not one query, or does not give its columns.
        """
        if len(version.default_namespace) > 1:
            raise InvalidInputError(
                f"Cannot add a version of {self._name} whose names resolve in {'.'.join(version.default_namespace)}: "
                f"a namespace of a metastore has one level.",
            )
        is_added = added is not None and version.schema_id in (LAST_ADDED, added.schema_id)
        schema = added if is_added else _schema_of(base, version.schema_id)
        summary = {key: value for key, value in version.summary.items() if not key.startswith(OWN_PREFIX)}
        if base is not None and schema is not None:
            version, said_of_translated = self._with_translations(base, version, schema)
            summary |= said_of_translated
        if base is not None:
            summary |= _said_of_same_texts(base, version, schema)
        catalog = version.default_catalog
        if self._client_name and catalog == self._client_name:
            catalog = None
            if row_dialect(version) == "trino":
                summary[TRINO_CATALOG] = self._client_name
        namespace = version.namespace_or(self._name.namespace)
        representations: list[ViewRepresentation] = []
        typed: dict[str, str] = {}
        for one in version.representations:
            if not isinstance(one, SQLViewRepresentation) or schema is None or canonical_dialect(one.dialect) != "hive":
                representations.append(one)
                continue
            query = self._read(one.sql, "hive")
            query.check()
            check_names(query, catalog, self._name)
            is_new = base is None or one.sql not in _hive_texts(base.current_version)
            expanded = expand(
                query,
                columns=schema.names,
                namespace=namespace,
                view_name=self._name.name,
                star_columns=self._star_columns(query, catalog, namespace, schema, said),
                readers=engines if is_new else (),
            )
            typed |= {"hive": one.sql} if expanded != one.sql else {}
            representations.append(one.model_copy(update={"sql": expanded}))
        text = version.sql_in("spark")
        star: Sequence[str] | None = None
        if schema is not None and text is not None and _hides_columns(query := self._read(text.sql, "spark")):
            star = _names_in_text(base, version)
            if star is None:
                star = self._star_columns(query, catalog, namespace, schema, said)
            star = schema.names if star is None else star
        content = VersionContent(
            representations,
            catalog,
            version.default_namespace,
            typed=typed,
            hive_types=self._kept_types(base, schema, version, namespace),
            star_columns=star,
            summary=summary,
        )
        return content.version(now_ms, version, schema_id=LAST_ADDED if is_added else version.schema_id)

    def _with_translations(
        self, base: ViewMetadata, version: ViewVersion, schema: Schema
    ) -> tuple[ViewVersion, dict[str, str]]:
        """The version in which texts that are translated from others follow them, and what its summary says of them.

        A client that does not send a translated text has not read it, or does not write its dialect.
        """
        before = base.current_version
        given = {
            dialect: text.sql
            for dialect in version.dialects
            if (text := version.sql_in(dialect)) and text != before.sql_in(dialect)
        }
        columns = columns_in(
            schema, self._kept_types(base, schema, version, version.namespace_or(self._name.namespace))
        )
        frame = Frame.of(version, columns, self._name.namespace)
        translations = TextTranslations(self._name, base, self._claims.asked, self._claims.known)
        found = translations.after(given, set(version.dialects) - given.keys(), frame)
        return found.put_into(version), summary_of(found.records)

    def _star_columns(
        self, query: QueryText, catalog: str | None, namespace: str, schema: Schema, said: str | None
    ) -> Sequence[str] | None:
        """The names of a new text's columns, if a star hides them and the view has other names."""
        if said:
            return said.split(",")
        if catalog:
            return None  # its names resolve elsewhere
        with suppress(SQLSyntaxError):  # plain readers are told so, by a row without a text
            found = star_columns_in({query.dialect: query}, namespace, dict.fromkeys(schema.names), self._find)
            return found.get(query.dialect)
        return None

    def _kept_types(
        self, base: ViewMetadata | None, schema: Schema | None, version: ViewVersion, namespace: str
    ) -> dict[str, str]:
        """Hive's own types of the columns that stay as they are: a client knows no ``varchar(7)``.

        But for a type that the new text certainly does not fit into, with which Spark would refuse to read the row.
        """
        if base is None or schema is None:
            return {}
        before = {field.name.lower(): field.type for field in base.current_schema.fields}
        same = {field.name.lower() for field in schema.fields if before.get(field.name.lower()) == field.type}
        types = {column: type_ for column, type_ in hive_types(base.current_version).items() if column in same}
        given = self._given_types(version, schema, namespace) if types.keys() - set(partitioned_on(base)) else {}
        # Partitions are declared in the types of their columns.
        stays = {*partitioned_on(base), *(types.keys() - given.keys())}
        return {column: type_ for column, type_ in types.items() if column in stays or fits_into(given[column], type_)}

    def _given_types(self, version: ViewVersion, schema: Schema, namespace: str) -> dict[str, str]:
        """The types that the text for plain readers gives for certain, whatever its tables are; {} if unknown."""
        dialect = next((one for one in ROW_DIALECTS if version.sql_in(one)), None)
        text = version.sql_in(dialect) if dialect else None
        if dialect is None or text is None:
            return {}
        with suppress(SQLSyntaxError):
            found = analyze_query(self._read(text.sql, dialect), namespace, {}).columns
            if len(found) == len(schema.fields) and all(one.is_one for one in found):
                return {name.lower(): one.type for name, one in zip(schema.names, found, strict=True) if one.type}
        return {}


def _is_random(location: str, name: TableIdentifier) -> bool:
    """Whether it is a directory of no one's choice, as Trino's CREATE OR REPLACE VIEW has a new one each time.

    A view that went along would leave a directory behind with each of its versions.
    """
    last = location.rstrip("/").rpartition("/")[2].lower()
    return last.startswith(name.name) and bool(_RANDOM_ENDING.fullmatch(last[len(name.name) :]))


def _changed_properties(given: Mapping[str, str], base: ViewMetadata) -> dict[str, str]:
    """Those that differ: a client may send all that it has read, what is not its own included.

    Raises:
        InvalidInputError: one cannot be set.
    """
    changed = {key: value for key, value in given.items() if base.properties.get(key) != value}
    check_properties(changed)
    return changed


def _hive_texts(version: ViewVersion) -> list[str]:
    """Those of a version, which may have several, as they are and as typed."""
    texts = [
        one.sql
        for one in version.representations
        if isinstance(one, SQLViewRepresentation) and canonical_dialect(one.dialect) == "hive"
    ]
    typed = version.summary.get(ORIGINAL_SQL + "hive")
    return [*texts, typed] if typed else texts


def _hides_columns(query: QueryText) -> bool:
    with suppress(SQLSyntaxError):  # no text for plain readers is made of such a one
        return query.output_names is None
    return False


def _names_in_text(base: ViewMetadata | None, version: ViewVersion) -> Sequence[str] | None:
    """What they are called in a text that stays; None where it is a new one."""
    if base is None or version.sql_in("spark") != base.current_version.sql_in("spark"):
        return None
    known = star_columns(base)
    return base.current_schema.names if known is None else known


def _said_of_same_texts(base: ViewMetadata, version: ViewVersion, schema: Schema | None) -> dict[str, str]:
    """What the current version says of its texts that this one has too, as after a comment on a column."""
    before = base.current_version
    same = {one for one in version.dialects if version.sql_in(one) == before.sql_in(one)}
    kept = {ORIGINAL_SQL + one for one in same}
    of_row = row_dialect(version)
    if of_row in same and of_row == row_dialect(before):
        kept.add(SPARK_SETTINGS)
        # A document of Trino's is given other columns; another row is as it was found, or made anew.
        if of_row == "trino" or (schema is not None and schema.fields == base.current_schema.fields):
            kept.add(ROW_AS_FOUND)
    return {key: value for key, value in before.summary.items() if key in kept}


def _schema_of(base: ViewMetadata | None, schema_id: int) -> Schema | None:
    return next((one for one in base.schemas if one.schema_id == schema_id), None) if base else None
