"""The file of a view: the statement that declares it, which is read back as what the view is."""

from __future__ import annotations

from hive_views.ddl.grammar.statement_text import statement_text
from hive_views.ddl.grammar.statements import CreateView, Name, OutputColumn
from hive_views.errors import HiveViewsError, InvalidInputError, UnavailableError, UnsupportedFeatureError
from hive_views.hive.row import COMMENT
from hive_views.project.files.definitions import read_definition
from hive_views.project.files.variables import escaped, with_values
from hive_views.project.planning.comparing import has_bare_names, is_as_declared
from hive_views.spec.metadata import SQLViewRepresentation
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.tables import other_catalog
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.changes.query_columns import derive_columns
from hive_views.views.row.reserved_properties import is_settable
from hive_views.views.version_diff import columns_of
from hive_views.views.view import View


def file_text(view: View, file: str, tables: Tables) -> str:
    """The text of the file of a view.

    Args:
        view: what is written.
        file: its path in the project.
        tables: where the columns of what it reads are found, which tell types that need not be written.

    Raises:
        UnsupportedFeatureError: a file cannot say all of it.
        SQLSyntaxError, InvalidInputError: a text cannot be read back.
    """
    version = view.current_version
    if any(not isinstance(one, SQLViewRepresentation) for one in version.representations):
        raise UnsupportedFeatureError("It has a representation that is no SQL, which a file cannot say.")
    texts = texts_of(view)
    namespace, bare = version.namespace_or(view.identifier.namespace), any(map(has_bare_names, texts))
    if other_catalog(version.default_catalog) and any(one.dialect in ROW_DIALECTS for one in texts) and bare:
        raise UnsupportedFeatureError(
            f"Its names resolve in the catalog {version.default_catalog}, which a file cannot say: replace its SQL by "
            f"one with full names first."
        )
    is_elsewhere = bare and namespace != view.identifier.namespace
    statement = CreateView(
        Name(view.identifier.namespace if is_elsewhere else None, view.identifier.name),
        texts[0],
        replace=True,
        columns=_columns(view, texts[0], namespace, tables),
        comment=view.comment or None,
        partitioned_on=view.partitioned_on,
        properties=tuple((key, value) for key, value in sorted(view.properties.items()) if _is_written(key)),
        others=tuple(texts[1:]),
    )
    use = f"USE {quote_identifier(namespace)};\n\n" if is_elsewhere else ""
    text = escaped(f"{use}{statement_text(statement)};\n")
    _check(view, file, text)
    return text


def texts_of(view: View) -> list[QueryText]:
    """The texts of a view, that for plain readers first."""
    order = {dialect: number for number, dialect in enumerate(ROW_DIALECTS)}
    dialects = sorted(view.dialects, key=lambda one: (order.get(one.lower(), len(order)), one))
    return [QueryText(view.original_sql(dialect), dialect) for dialect in dialects]


def unwritten(view: View) -> list[str]:
    """What users have set of a view and no statement can set."""
    return sorted(key for key in view.properties if key != COMMENT and not is_settable(key))


def _is_written(key: str) -> bool:
    return key != COMMENT and is_settable(key)


def _columns(view: View, query: QueryText, namespace: str, tables: Tables) -> tuple[OutputColumn, ...] | None:
    """The column list: none if the text says it all, and types only where it does not."""
    columns = columns_of(view.metadata, view.current_version)
    types: list[str | None] = [None] * len(columns)
    if query.dialect in ROW_DIALECTS:
        try:
            derived = derive_columns(tables, {query.dialect: query}, namespace)
            if derived == [(one.name, one.type) for one in columns] and not any(one.comment for one in columns):
                return None
            types = [type_ for _, type_ in derived]
        except UnavailableError:
            raise
        except HiveViewsError:
            types = _certain_types(query, namespace, tables) or types
    if len(types) != len(columns):
        types = [None] * len(columns)
    return tuple(
        OutputColumn(one.name, one.comment or None, None if one.type == type_ else one.type)
        for one, type_ in zip(columns, types, strict=True)
    )


def _certain_types(query: QueryText, namespace: str, tables: Tables) -> list[str | None] | None:
    """The types of the columns of a query, as far as they are certain; None where its columns are not."""
    try:
        analysis, _ = tables.analyze(query, namespace)
    except UnavailableError:
        raise
    except HiveViewsError:
        return None
    if not all(one.is_one for one in analysis.columns):
        return None
    return [None if one.type is None else str(one.type) for one in analysis.columns]


def _check(view: View, file: str, text: str) -> None:
    source, _ = with_values(file, text, {})
    definition, errors = read_definition(source)
    if definition is None:
        raise InvalidInputError(f"It cannot be written as a file that is read back: {errors[0].message}")
    if definition.view != view.identifier or not is_as_declared(definition, view):
        raise InvalidInputError("It cannot be written as a file that is read back as what it is.")
