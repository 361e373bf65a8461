"""CREATE VIEW, ALTER VIEW AS, dialects and roll back: the statements that create a version of a view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hive_views.ddl.cycles import refuse_cycle
from hive_views.ddl.declared_view import has_bare_names, translated_of
from hive_views.ddl.grammar.statement_text import trimmed
from hive_views.ddl.grammar.statements import (
    AddDialect,
    AddTranslation,
    AlterViewAs,
    CreateView,
    DropDialect,
    KeepDialect,
    ReplaceDialect,
    ReplaceTranslation,
    RollBackView,
    TranslatedText,
)
from hive_views.ddl.refusals import (
    ALTER_OF_NOTHING,
    HAS_PARTITIONS,
    KEYS_NOT_LAST,
    REPLACE_OF_TABLE,
    TABLE_EXISTS,
    hive_error,
    not_ours,
    numbered,
    own_view,
)
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.ddl.view_columns import columns_for, names_types_and_comments
from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchTableError,
    NotFoundError,
    SQLSyntaxError,
    UnsupportedFeatureError,
)
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import COMMENT, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.updates import DROP_DIALECT_ALLOWED
from hive_views.sql.dialects import written_dialect
from hive_views.sql.query import QueryText
from hive_views.sql.tables import unqualified_tables
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.translated_texts import translations_asked, would_stay
from hive_views.views.view import View, is_iceberg_view


def create_view(catalog: ViewCatalog, statement: CreateView, session: Session) -> StatementResult:
    """CREATE [OR REPLACE] VIEW; IF NOT EXISTS leaves an existing table or view unchanged, as in Hive.

    The text that plain readers get, of those that are given, decides the columns. OR REPLACE with all that the view has
    changes nothing; what is translated is then translated again only if something else would come of it. Of what the
    statement does not give, properties and the comment stay, and texts that are translated follow their sources; any
    other dialect of the view that it leaves out is refused.
    """
    name = statement.name.resolve(session.namespace)
    row = _row(catalog, name)
    if row is not None and statement.if_not_exists:
        kind = "view" if row.is_view else "table"
        return StatementResult(f"Left the {kind} {name} unchanged: it already exists.", session.namespace, str(name))
    before: View | None = None
    if row is not None and statement.replace:
        if not is_iceberg_view(row):
            raise not_ours(row, "CREATE OR REPLACE VIEW", REPLACE_OF_TABLE)
        before = catalog.load_view(name)
    for query in statement.texts.values():
        refuse_cycle(catalog.metastore, name, query, session.namespace)
    tables = catalog.engine.tables
    columns = columns_for(tables, statement.query_of_row, session, statement.columns)
    asked = _asked(statement.translated)
    if before and _is_as_stated(catalog, before, statement, columns.columns, session):
        return _made("Replaced", before, before, session)
    create = catalog.replace_view if before else catalog.create_view
    with hive_error(TABLE_EXISTS, AlreadyExistsError):
        after = create(
            name,
            sql=statement.texts,
            schema=columns.columns,
            query_columns=columns.of_query,
            partitioned_on=statement.partitioned_on,
            comment=statement.comment,
            properties=dict(statement.properties),
            default_namespace=session.namespace,
            **asked,
        )
    return _made("Replaced" if before else "Created", before, after, session)


def _asked(translated: Sequence[TranslatedText]) -> dict[str, Any]:
    """The arguments of the catalog's methods for texts that are to be translated."""
    return {
        "translate": {one.dialect: one.source for one in translated},
        "allow": {one.dialect: one.allow for one in translated},
    }


def _is_as_stated(
    catalog: ViewCatalog, view: View, statement: CreateView, columns: ColumnsInput, session: Session
) -> bool:
    """Whether the view is what the statement says; one that was adopted then keeps the row that its engine wrote."""
    followed = {*view.translations, *(one.dialect for one in statement.translated)} - statement.texts.keys()
    given = [one for one in view.dialects if one.lower() not in followed]
    try:
        texts = {one.lower(): trimmed(QueryText(view.original_sql(one), one)) for one in given}
    except SQLSyntaxError:
        return False
    properties = {
        **dict(statement.properties),
        **({COMMENT: statement.comment} if statement.comment is not None else {}),
    }
    namespace = view.current_version.namespace_or(view.identifier.namespace)
    return (
        not view.has_drifted
        and texts == statement.texts
        and (namespace == session.namespace or not any(map(has_bare_names, statement.texts.values())))
        and [(name.lower(), type_, comment or None) for name, type_, comment in names_types_and_comments(columns)]
        == [(column.name, column.type, column.comment or None) for column in view.columns]
        and tuple(key.lower() for key in statement.partitioned_on) == view.partitioned_on
        and properties.items() <= view.properties.items()
        and _are_as_stated(catalog, view, statement.translated)
    )


def _are_as_stated(catalog: ViewCatalog, view: View, translated: Sequence[TranslatedText]) -> bool:
    try:
        claims = catalog.engine.claims(translations_asked(**_asked(translated)))
        return would_stay(view.identifier, view.metadata, claims.asked, claims.known)
    except (InvalidInputError, UnsupportedFeatureError):
        return False  # what is asked for says why it cannot be had


def alter_view_as(catalog: ViewCatalog, statement: AlterViewAs, session: Session) -> StatementResult:
    """ALTER VIEW AS: another text in its dialect.

    Columns that keep their names keep their comments, and the partition columns must still be the last ones. Texts in
    other dialects stay, so a view that has any must keep its columns, unless all of them are translated from this one.
    """
    before = own_view(catalog, statement.name, session, absent=ALTER_OF_NOTHING, statement="ALTER VIEW AS")
    name = before.identifier
    _check_has(before, statement.query.dialect)
    refuse_cycle(catalog.metastore, name, statement.query, session.namespace)
    found = columns_for(catalog.engine.tables, statement.query, session)
    columns = found.columns
    if session.schema is None:
        columns = _with_comments(columns, before)
    _check_keys(catalog, before, columns)
    sql: Mapping[str, str] = {statement.query.dialect: statement.query}
    follow = {one.dialect for one in translated_of(before) if one.source == statement.query.dialect}
    others = [one for one in before.dialects if one.lower() not in {statement.query.dialect, *follow}]
    if others:
        _refuse_other_columns(before, columns, others)
        _check_namespace(before, statement.query, session)
        after = catalog.alter_view(name, sql=sql)
    else:
        after = catalog.replace_view(
            name, sql=sql, schema=columns, query_columns=found.of_query, default_namespace=session.namespace
        )
    return _made("Altered", before, after, session)


def add_dialect(catalog: ViewCatalog, statement: AddDialect, session: Session) -> StatementResult:
    """ALTER VIEW ADD DIALECT: a text in a dialect that the view does not have."""
    before = own_view(catalog, statement.name, session)
    _check_has_not(before, statement.query.dialect)
    return _other_text(catalog, statement, before, session)


def replace_dialect(catalog: ViewCatalog, statement: ReplaceDialect, session: Session) -> StatementResult:
    """ALTER VIEW REPLACE DIALECT: another text in a dialect that the view has."""
    before = own_view(catalog, statement.name, session)
    _check_has(before, statement.query.dialect)
    return _other_text(catalog, statement, before, session)


def add_translation(catalog: ViewCatalog, statement: AddTranslation, session: Session) -> StatementResult:
    """ALTER VIEW ADD DIALECT TRANSLATED FROM: a translated text in a dialect that the view does not have."""
    before = own_view(catalog, statement.name, session)
    _check_has_not(before, statement.text.dialect)
    after = catalog.alter_view(before.identifier, **_asked([statement.text]))
    return _made("Altered", before, after, session)


def replace_translation(catalog: ViewCatalog, statement: ReplaceTranslation, session: Session) -> StatementResult:
    """ALTER VIEW REPLACE DIALECT TRANSLATED FROM: a translated text in place of the one that the view has."""
    before = own_view(catalog, statement.name, session)
    _check_has(before, statement.text.dialect)
    after = catalog.alter_view(before.identifier, **_asked([statement.text]))
    return _made("Altered", before, after, session)


def drop_dialect(catalog: ViewCatalog, statement: DropDialect, session: Session) -> StatementResult:
    """ALTER VIEW DROP DIALECT: no text in a dialect that the view has."""
    before = own_view(catalog, statement.name, session)
    after = catalog.alter_view(before.identifier, drop_dialects=[statement.dialect])
    return _made("Altered", before, after, session)


def keep_dialect(catalog: ViewCatalog, statement: KeepDialect, session: Session) -> StatementResult:
    """ALTER VIEW KEEP DIALECT: the text in a dialect is still true, although others have changed."""
    before = own_view(catalog, statement.name, session)
    after = catalog.alter_view(before.identifier, still_true=[statement.dialect])
    return _made("Altered", before, after, session)


def roll_back_view(catalog: ViewCatalog, statement: RollBackView, session: Session) -> StatementResult:
    """ALTER VIEW ROLL BACK TO VERSION."""
    before = own_view(catalog, statement.name, session)
    after = catalog.roll_back_view(before.identifier, to_version=statement.to_version)
    return _made("Rolled back", before, after, session)


def _row(catalog: ViewCatalog, name: TableIdentifier) -> Row | None:
    try:
        return catalog.metastore.load_row(name)
    except NoSuchTableError:
        return None


def _has(view: View, dialect: str) -> bool:
    return view.current_version.sql_in(dialect) is not None


def _check_has_not(view: View, dialect: str) -> None:
    if _has(view, dialect):
        raise AlreadyExistsError(
            f"View {view.identifier} already has SQL in dialect {dialect}: use ALTER VIEW ... REPLACE DIALECT.",
        )


def _check_has(view: View, dialect: str) -> None:
    if not _has(view, dialect):
        raise NotFoundError(
            f"View {view.identifier} has no SQL in dialect {dialect}, only in {', '.join(view.dialects)}: use "
            f"ALTER VIEW ... ADD DIALECT.",
        )


def _other_text(
    catalog: ViewCatalog, statement: AddDialect | ReplaceDialect, before: View, session: Session
) -> StatementResult:
    _check_namespace(before, statement.query, session)
    refuse_cycle(catalog.metastore, before.identifier, statement.query, session.namespace)
    after = catalog.alter_view(before.identifier, sql={statement.query.dialect: statement.query})
    return _made("Altered", before, after, session)


def _check_namespace(view: View, query: QueryText, session: Session) -> None:
    """All texts of a version share one namespace."""
    namespace = view.current_version.namespace_or(view.identifier.namespace)
    if namespace == session.namespace:
        return
    try:
        unqualified = ", ".join(unqualified_tables(query))
    except UnsupportedFeatureError:
        unqualified = "names that cannot be parsed"
    if unqualified:
        raise InvalidInputError(
            f"Names in the SQL of {view.identifier} are resolved in database {namespace}, but the current database "
            f"is {session.namespace}, and the query has names without a database ({unqualified}): add the database to "
            f"each, or run USE {namespace} first.",
        )


def _with_comments(columns: ColumnsInput, before: View) -> ColumnsInput:
    comments = {column.name: column.comment for column in before.columns}
    pairs: Sequence[Sequence[str | None]] = columns  # type: ignore[assignment] # they were not given, but derived
    return [(str(name), str(type_), comments.get(str(name).lower())) for name, type_ in pairs]


def _check_keys(catalog: ViewCatalog, view: View, columns: ColumnsInput) -> None:
    keys = view.partitioned_on
    names = tuple(name for name, _ in _names_and_types(columns))
    if not keys or names[-len(keys) :] == keys:
        return
    has_partitions = bool(catalog.partitions(view.identifier).names())
    remedy = "keep them last, or use CREATE OR REPLACE VIEW with another PARTITIONED ON"
    if has_partitions:
        remedy = "keep them last, or drop all partitions and then use CREATE OR REPLACE VIEW"
    message = (
        f"View {view.identifier} is partitioned on ({', '.join(keys)}), but the columns of the query "
        f"({', '.join(names)}) do not end in these: {remedy}."
    )
    raise InvalidSchemaError(numbered(message, HAS_PARTITIONS if has_partitions else KEYS_NOT_LAST), columns=names)


def _refuse_other_columns(view: View, columns: ColumnsInput, others: Sequence[str]) -> None:
    found, known = _names_and_types(columns), [(column.name, column.type) for column in view.columns]
    if found != known:
        raise InvalidSchemaError(
            f"The columns of the query ({_shown(found)}) differ from those of view {view.identifier} "
            f"({_shown(known)}), which also has SQL in {', '.join(others)}: keep the columns, or use CREATE OR "
            f"REPLACE VIEW with TBLPROPERTIES ('{DROP_DIALECT_ALLOWED}'='true') and add the SQL in the "
            f"other dialects again.",
            columns=[name for name, _ in found],
        )


def _names_and_types(columns: ColumnsInput) -> list[tuple[str, str]]:
    return [(name.lower(), type_) for name, type_, _ in names_types_and_comments(columns)]


def _shown(columns: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns)


def _made(done: str, before: View | None, after: View, session: Session) -> StatementResult:
    changed = before is None or before.metadata_location != after.metadata_location
    version = after.metadata.current_version_id
    sentence = f"{done} {after.identifier}: version {version}."
    if not changed:
        sentence = f"{after.identifier} is unchanged, at version {version}."
    if changed:
        sentence += "".join(f" {one}" for one in _translated_anew(before, after))
    if after.stale_dialects and changed:
        stale = ", ".join(map(written_dialect, after.stale_dialects))
        sentence += f" Stale is the SQL in {stale}: change it, or use ALTER VIEW ... KEEP DIALECT if it is still true."
    return StatementResult(sentence, session.namespace, str(after.identifier), changed)


def _translated_anew(before: View | None, after: View) -> Iterator[str]:
    """A sentence for each text that is translated, and was another one or none before."""
    for dialect, record in after.translations.items():
        known = before.original_sql(dialect) if before and _has(before, dialect) else None
        if known != after.original_sql(dialect):
            named, source = written_dialect(dialect), written_dialect(record.source)
            yield f"Its SQL in {named} is translated from {source}."
