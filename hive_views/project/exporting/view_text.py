"""The file of a view: the statement that declares it, which is read back as what the view is."""

from __future__ import annotations

from dataclasses import replace

from hive_views.ddl.declared_view import declaring_statement, has_bare_names, texts_of
from hive_views.ddl.grammar.statement_text import statement_text, written_name
from hive_views.ddl.grammar.statements import CreateView, Name
from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.project.directory.definitions import read_definition
from hive_views.project.directory.variables import escaped, with_values
from hive_views.project.planning.comparing import is_as_declared, namespace_of
from hive_views.spec.metadata import SQLViewRepresentation
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.tables import other_catalog
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.row.reserved_properties import OWNERS, is_settable
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
        raise UnsupportedFeatureError(
            f"{view.identifier} has a representation that is no SQL, which a file cannot say."
        )
    texts = texts_of(view)
    if not texts:
        raise UnsupportedFeatureError(f"{view.identifier} has no SQL.")
    if other_catalog(version.default_catalog) and any(one.dialect in ROW_DIALECTS for one in texts):
        raise UnsupportedFeatureError(
            f"Names in the SQL of {view.identifier} resolve in the catalog {version.default_catalog}, which a file "
            f"cannot say: replace the SQL by one with full names."
        )
    namespace, bare = namespace_of(view), any(map(has_bare_names, texts))
    if namespace is None:
        raise UnsupportedFeatureError(
            f"In which databases Hive found the tables of {view.identifier} cannot be told from its SQL as typed: "
            f"replace the SQL by one with full names."
        )
    is_elsewhere = bare and namespace != view.identifier.namespace
    name = Name(view.identifier.namespace if is_elsewhere else None, view.identifier.name)
    statement = declaring_statement(view, tables, name, replace=True, namespace=namespace)
    columns = None if _are_said_by_text(statement) else statement.columns
    properties = tuple((key, value) for key, value in statement.properties if is_settable(key))
    statement = replace(statement, columns=columns, properties=properties)
    use = f"USE {written_name(namespace)};\n\n" if is_elsewhere else ""
    text = escaped(f"{use}{statement_text(statement)};\n")
    _check(view, file, text)
    return text


def unwritten(view: View) -> list[str]:
    """What a file does not say of a view, though it is part of it: a sentence each."""
    keys = sorted(key for key in view.properties if not is_settable(key) and key not in OWNERS)
    notes = [f"Not in the file, since no statement can set them: the properties {', '.join(keys)}."] if keys else []
    if catalog := other_catalog(view.current_version.default_catalog):
        notes.append(f"Not in the file: names in its SQL resolve in the catalog {catalog}.")
    if view.stale_dialects:
        notes.append(f"Its SQL in {', '.join(view.stale_dialects)} is stale.")
    return notes


def _are_said_by_text(statement: CreateView) -> bool:
    """Whether the text that decides the columns says all that the column list says."""
    columns, names = statement.columns or (), statement.query_of_row.output_names
    return not any(one.comment or one.type for one in columns) and [one.name for one in columns] == [
        name and name.lower() for name in names or ()
    ]


def _check(view: View, file: str, text: str) -> None:
    source, _ = with_values(file, text, {})
    definition, errors = read_definition(source)
    if definition is None:
        raise InvalidInputError(f"{view.identifier} cannot be written as a file that is read back: {errors[0].message}")
    if definition.view != view.identifier or not is_as_declared(definition, view):
        raise InvalidInputError(f"{view.identifier} cannot be written as a file that is read back as what it is.")
