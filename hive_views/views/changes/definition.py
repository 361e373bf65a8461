"""The definition of a view by a caller or by a drifted row, as updates of its metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hive_views.base_tables.declared_columns import GIVE_COLUMNS
from hive_views.errors import InvalidInputError, InvalidSchemaError
from hive_views.hive.columns import ColumnsInput, check_partitioned_on, schema_from
from hive_views.hive.types import hive_type
from hive_views.messages.counted import counted
from hive_views.persisted import ORIGINAL_SQL, ROW_AS_FOUND, SPARK_SETTINGS, STAR_COLUMNS, TRINO_CATALOG
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewRepresentation, ViewVersion
from hive_views.spec.schema import NestedField, Schema
from hive_views.spec.updates import Update
from hive_views.sql.dialects import ROW_DIALECTS, check_dialect
from hive_views.sql.expand import check_hive_text, expand
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog
from hive_views.translation import TranslationRecord
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.changes.translated_texts import AskedTranslations, Frame, TextTranslations, summary_of
from hive_views.views.row.projection import check_names, partitioned_on
from hive_views.views.row.reserved_properties import readers
from hive_views.views.row.star_columns import FindColumns, saying_star_columns, star_columns_in
from hive_views.views.row.version import (
    VersionContent,
    columns_in,
    hive_types,
    made_by,
    original_sql,
    row_dialect,
    spark_settings,
)


@dataclass(frozen=True)
class Definition:
    """The texts of a view by dialect as typed, its columns, and which of the last ones are partition columns.

    ``namespace`` is where their names resolve. Of the version ``kept``, the texts in other dialects stay as they are,
    with the namespace that they were written for, except for those in dialects that are ``dropped``. Of the version
    ``replaced`` no text stays. ``spark_settings`` are those of the session in which Spark wrote the text for plain
    readers. ``readers`` are the engines that have to read a text for Hive: none of what another writer has put into
    the row already. ``star_columns`` are, by dialect, the names of a text's own columns where a star hides them and
    the view has others. ``translated`` says, by dialect, from what a text is translated.
    """

    sql: Mapping[str, QueryText]
    schema: Schema
    hive_types: Mapping[str, str]
    partitioned_on: tuple[str, ...]
    namespace: str
    kept: ViewVersion | None = None
    spark_settings: Mapping[str, str] = field(default_factory=dict)
    replaced: ViewVersion | None = None
    readers: Sequence[str] = ()
    star_columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dropped: Collection[str] = ()
    translated: Mapping[str, TranslationRecord] = field(default_factory=dict)

    def updates(self, identifier: TableIdentifier, now_ms: int) -> list[Update]:
        """The updates that make this the current version.

        Raises:
            SQLSyntaxError, InvalidSchemaError: a text is not one query, or does not give these columns.
        """
        representations, typed = self._kept_representations(), {}
        for dialect, text in self.sql.items():
            self._check_text(text, identifier)
            written = self._expanded(text, identifier) if dialect == "hive" else str(text)
            representations[dialect] = SQLViewRepresentation(sql=written, dialect=dialect)
            if written != text:
                typed[dialect] = text
        # Iceberg Java takes the first text for a dialect it does not find, and it asks for spark's.
        ordered = sorted(representations, key=lambda dialect: {"spark": 0, "hive": 1}.get(dialect, 2))
        content = VersionContent(
            [representations[dialect] for dialect in ordered],
            self.followed.default_catalog if self.followed else None,
            self.kept.default_namespace if self.kept else (self.namespace,),
            typed=typed,
            hive_types=self.hive_types,
            spark_settings=self.spark_settings,
            star_columns=self.star_columns.get("spark") if "spark" in self.sql else None,
            summary={**made_by(), **self._kept_summary(representations), **summary_of(self.translated)},
        )
        return content.updates(self.schema, self.partitioned_on, now_ms)

    def _kept_summary(self, representations: Mapping[str, ViewRepresentation]) -> dict[str, str]:
        """What the version ``kept`` says of its texts that stay: as typed, and the row of the one for plain readers.

        A row in Trino's form stays one, whatever its text is: its document says more than the text.
        """
        before, typed = self.kept, {ORIGINAL_SQL + one for one in representations if one not in self.sql}
        of_row: set[str] = set()
        of_rows = next((one for one in ROW_DIALECTS if one in representations), "trino")
        if self._stays_in_trinos_form():
            before, of_row = self.followed, {ROW_AS_FOUND, TRINO_CATALOG}
        elif before and row_dialect(before) == of_rows and of_rows not in self.sql:
            of_row = {SPARK_SETTINGS, ROW_AS_FOUND}
        if "spark" in representations and "spark" not in self.sql:
            typed.add(STAR_COLUMNS)
        said = before.summary if before else {}
        return {key: value for key, value in said.items() if key in typed | of_row}

    @property
    def followed(self) -> ViewVersion | None:
        """The version whose catalog this one has."""
        return self.kept or (self.replaced if self._stays_in_trinos_form() else None)

    def _stays_in_trinos_form(self) -> bool:
        before = self.kept or self.replaced
        return (
            before is not None and row_dialect(before) == "trino" and not any(one in self.sql for one in ROW_DIALECTS)
        )

    def _kept_representations(self) -> dict[str, ViewRepresentation]:
        """By dialect; of two texts in one, which files of other writers may have, the first, as readers take it."""
        kept: dict[str, ViewRepresentation] = {}
        for number, representation in enumerate(self.kept.representations if self.kept else ()):
            if isinstance(representation, SQLViewRepresentation):
                if representation.dialect.lower() not in self.dropped:
                    kept.setdefault(representation.dialect.lower(), representation)
            else:
                kept[f"unknown {number}"] = representation
        return kept

    def _check_text(self, text: QueryText, identifier: TableIdentifier) -> None:
        text.check()
        found = text.output_names
        if found is not None and len(found) != len(self.schema.names):
            raise InvalidSchemaError(
                f"The {text.dialect} SQL of {identifier} returns {counted(len(found), 'column')} "
                f"({', '.join(name or '(no name)' for name in found)}), the schema has {len(self.schema.names)} "
                f"({', '.join(self.schema.names)}).",
                dialect=text.dialect,
            )

    def _expanded(self, text: QueryText, identifier: TableIdentifier) -> str:
        own = self.star_columns.get("hive")
        return qualified(text, self.schema, self.namespace, identifier, self.readers, own)

    def with_translations(self, identifier: TableIdentifier, base: ViewMetadata | None, claims: Claims) -> Definition:
        """The same, with the texts that are translated from others, of ``base`` too.

        Raises:
            TranslationRefusedError, InvalidInputError, NotFoundError: as ``TextTranslations.after``.
        """
        catalog = self.followed.default_catalog if self.followed else None
        settings = self.spark_settings
        if self.kept and row_dialect(self.kept) not in self.sql:
            settings = settings or spark_settings(self.kept)
        frame = Frame(
            columns_in(self.schema, self.hive_types),
            self.namespace,
            other_catalog(catalog),
            settings,
        )
        kept = self.kept.dialects if self.kept else ()
        found = TextTranslations(identifier, base, claims.asked, claims.known).after(
            self.sql, kept, frame, dropped=self.dropped, still_true=claims.still_true
        )
        _refuse_without_effect(claims.asked, found.records, base, self.sql)
        return replace(self, sql={**self.sql, **found.texts}, translated=found.records)

    def with_star_columns(self, find: FindColumns) -> Definition:
        """The same, with the names of the columns behind stars, which are found only where there are any.

        Raises:
            InvalidSchemaError, SQLSyntaxError: as ``star_columns_in``, and what ``find`` raises.
        """
        if self.followed and self.followed.default_catalog:
            return self  # its names resolve elsewhere
        columns: dict[str, str | None] = {}
        for one in self.schema.fields:
            columns[one.name] = self.hive_types.get(one.name.lower())
            with suppress(InvalidSchemaError):  # who reads the row is told of a type that Hive does not have
                columns[one.name] = columns[one.name] or hive_type(one.type, column=one.name)
        return replace(self, star_columns=star_columns_in(self.sql, self.namespace, columns, find))


def define(
    identifier: TableIdentifier,
    sql: Mapping[str, str],
    columns: ColumnsInput | None,
    keys: Sequence[str] | None,
    *,
    base: ViewMetadata | None = None,
    namespace: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Definition:
    """Check what a caller gives; ``columns`` and partition ``keys`` that are None stay as they are in ``base``.

    ``properties`` are those that the view is given, beside those of ``base``. Names in the texts resolve in
    ``namespace``, by default that of the view.

    Raises:
        InvalidInputError: no text, or two for one dialect.
        InvalidSchemaError: the columns, or the partition columns among them, break a rule (Hive errors 10092, 10093).
    """
    texts = texts_by_dialect(sql)
    if columns is not None:
        schema, types = schema_from(columns, base=base.current_schema if base else None)
        if base is not None and isinstance(columns, Schema):
            # A schema knows no varchar(7): columns that stay as they are keep their Hive types.
            same = {field.name.lower() for field in schema.fields if field in base.current_schema.fields}
            types = {name: type_ for name, type_ in hive_types(base.current_version).items() if name in same}
        elif base is not None and not any(isinstance(column, NestedField) for column in columns):
            schema = as_known(schema, base)
    elif base is not None:
        schema, types = base.current_schema, hive_types(base.current_version)
    else:
        raise InvalidSchemaError(f"Cannot create {identifier} without columns.", remedy=GIVE_COLUMNS)
    if keys is None:
        keys = partitioned_on(base) if base else ()
    partition_columns = check_partitioned_on(schema, types, keys)
    replaced = base.current_version if base else None
    resolved = identifier.namespace if namespace is None else check_namespace(namespace)
    engines = readers({**(base.properties if base else {}), **(properties or {})})
    definition = Definition(texts, schema, types, partition_columns, resolved, replaced=replaced, readers=engines)
    followed = definition.followed
    if namespace is None and followed and followed.default_namespace:
        return replace(definition, namespace=followed.default_namespace[-1])
    return definition


def as_known(schema: Schema, base: ViewMetadata) -> Schema:
    """Of the schemas that ``base`` holds, the one with these columns, so that a version that was there is found again.

    Only for columns whose field ids are ours to choose.
    """
    known = (base.current_schema, *reversed(base.schemas))
    return next((one for one in known if _without_ids(one) == _without_ids(schema)), schema)


def _without_ids(part: object) -> object:
    if isinstance(part, Schema):
        return _without_ids(part.model_dump())
    if isinstance(part, Mapping):
        ids = ("schema-id", "id", "element-id", "key-id", "value-id")
        return {key: _without_ids(value) for key, value in part.items() if key not in ids}
    return [_without_ids(item) for item in part] if isinstance(part, (list, tuple)) else part


def altered(
    identifier: TableIdentifier,
    sql: Mapping[str, str],
    base: ViewMetadata,
    properties: Mapping[str, str],
    dropped: Collection[str] = (),
) -> Definition:
    """The definition of ``base`` with other texts, or more, in some dialects; all else stays as it is.

    ``properties`` are those that the view has with the change, and ``dropped`` the dialects that it has no more.

    Raises:
        InvalidInputError: two texts for one dialect, or names in one that plain readers take for others.
    """
    version = base.current_version
    namespace = version.namespace_or(identifier.namespace)
    texts = texts_by_dialect(sql) if sql else {}
    if "hive" in texts:
        check_names(texts["hive"], version.default_catalog, identifier)
    return Definition(
        texts,
        base.current_schema,
        hive_types(base.current_version),
        partitioned_on(base),
        namespace,
        saying_star_columns(base),
        readers=readers(properties),
        dropped=dropped,
    )


def qualified(
    text: QueryText,
    schema: Schema,
    namespace: str,
    identifier: TableIdentifier,
    engines: Sequence[str] = (),
    star_columns: Sequence[str] | None = None,
) -> str:
    """A text for Hive with the view's names of columns, and full names of tables."""
    return expand(
        text,
        columns=schema.names,
        namespace=namespace,
        view_name=identifier.name,
        star_columns=star_columns,
        readers=engines,
    )


def check_texts(sql: Mapping[str, str], properties: Mapping[str, str] | None = None) -> None:
    """Refuse texts that no view can have, before anything else is known of theirs.

    ``properties`` are those that the view is given; without them, it may be for Hive alone.

    Raises:
        InvalidInputError: no text, or two for one dialect.
        SQLSyntaxError: one is not a query, or not one that the engines read which the view is for.
    """
    for dialect, text in texts_by_dialect(sql).items():
        text.check()
        if dialect == "hive":
            check_hive_text(text, ("hive",) if properties is None else readers(properties))


def texts_by_dialect(sql: Mapping[str, str]) -> dict[str, QueryText]:
    """The texts with their dialects in canonical spelling; what was read of one goes with it.

    Raises:
        InvalidInputError: no text, or two for one dialect.
    """
    if not isinstance(sql, Mapping) or not sql:
        raise InvalidInputError("Give the SQL by dialect, for example sql={'hive': 'SELECT ...'}.")
    texts: dict[str, QueryText] = {}
    for name, text in sql.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise InvalidInputError(f"A dialect and its query are strings, not {name!r} and {text!r}.")
        dialect = check_dialect(name)
        if dialect in texts:
            raise InvalidInputError(f"Give one query for dialect {dialect!r}, not two.", dialect=dialect)
        texts[dialect] = QueryText(text, dialect)
    return texts


def _refuse_without_effect(
    asked: AskedTranslations,
    records: Mapping[str, TranslationRecord],
    base: ViewMetadata | None,
    given: Mapping[str, str],
) -> None:
    """
    Raises:
        InvalidInputError: differences are allowed, and no text is translated with them.
    """
    sources = {record.source: given.get(record.source) for record in records.values()}
    if base and any(text not in (None, original_sql(base.current_version, one)) for one, text in sources.items()):
        return  # what could not be translated again is stale
    for dialect, codes in [(None, asked.allow), *asked.allow_in.items()]:
        of_these = [record for one, record in records.items() if dialect in (None, one)]
        if codes and not any(codes <= {*record.allow} for record in of_these):
            raise InvalidInputError(
                f"Cannot allow {', '.join(sorted(codes))}: the change translates no{f' {dialect}' if dialect else ''} "
                "SQL. Ask for the translation in the same change."
            )
