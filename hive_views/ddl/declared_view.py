"""A view as the one statement that declares all of it."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.ddl.grammar.statements import CreateView, Name, OutputColumn, TranslatedText
from hive_views.errors import HiveViewsError, InvalidInputError, UnavailableError, UnsupportedFeatureError
from hive_views.hive.row import COMMENT
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.sql.tables import unqualified_tables
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.row.reserved_properties import check_properties
from hive_views.views.row.version import translations
from hive_views.views.view import View


def declaring_statement(
    view: View, tables: Tables, name: Name | None = None, *, replace: bool = False, namespace: str | None = None
) -> CreateView:
    """The statement CREATE VIEW that makes this view, without its history.

    Columns have types only where those of the query are not certain without an engine, or the view has others. Names
    without a database in its texts resolve in ``view.current_version.namespace_or(view.identifier.namespace)``.

    Args:
        view: which one.
        tables: where the columns of the tables are read that it reads.
        name: how the statement calls the view; by default with its database.
        replace: whether it is CREATE OR REPLACE VIEW.
        namespace: where names without a database resolve, if the view does not say it.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    first, *others = texts_of(view)
    certain = _certain_types(view, tables, first, namespace)
    return CreateView(
        name or Name(view.identifier.namespace, view.identifier.name),
        first,
        replace=replace,
        columns=tuple(
            OutputColumn(field.name, field.doc or None, column.type if column.type != type_ else None)
            for field, column, type_ in zip(view.schema.fields, view.columns, certain, strict=True)
        ),
        comment=view.comment,
        partitioned_on=view.partitioned_on,
        properties=tuple((key, value) for key, value in sorted(view.properties.items()) if _can_be_set(key, value)),
        others=tuple(others),
        translated=translated_of(view),
    )


def texts_of(view: View) -> list[QueryText]:
    """The texts of a view as typed, that for plain readers first, without those that are translated from others."""
    translated = {one.dialect for one in translated_of(view)}
    given = [dialect for dialect in view.dialects if dialect.lower() not in translated]
    dialects = sorted(given, key=lambda dialect: {"hive": 0, "spark": 1}.get(dialect.lower(), 2))
    return [QueryText(view.original_sql(dialect), dialect) for dialect in dialects]


def translated_of(view: View) -> tuple[TranslatedText, ...]:
    """The texts of a view that are translated from others of it, also those that are stale.

    As a text that is given, a stale one would be taken for one that is true. What says that it is translated from a
    text that is not there, or is translated itself, which only other writers can leave, is given.
    """
    found = translations(view.current_version)
    dialects = {one.lower() for one in view.dialects} - found.keys()
    return tuple(
        TranslatedText(dialect, record.source, record.allow)
        for dialect, record in found.items()
        if record.source in dialects
    )


def has_bare_names(query: QueryText) -> bool:
    """Whether the text has names without a database, as far as that can be told."""
    try:
        return bool(unqualified_tables(query))
    except (InvalidInputError, UnsupportedFeatureError):  # a text that cannot be parsed may have some
        return True


def _certain_types(view: View, tables: Tables, query: QueryText, namespace: str | None) -> Sequence[str | None]:
    unknown = [None] * len(view.columns)
    if query.dialect not in ROW_DIALECTS:
        return unknown
    try:
        analysis, _ = tables.analyze(query, namespace or view.current_version.namespace_or(view.identifier.namespace))
    except UnavailableError:
        raise
    except HiveViewsError:
        return unknown
    found = [one.type for one in analysis.columns]
    return found if len(found) == len(unknown) and all(one.is_one for one in analysis.columns) else unknown


def _can_be_set(key: str, value: str) -> bool:
    """Whether a statement can set the property; files of engines have others as well."""
    try:
        check_properties({key: value})
    except InvalidInputError:
        return False
    return key != COMMENT
