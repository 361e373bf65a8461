"""Renames databases in a text, in place."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from hive_views.errors import HiveViewsError, InvalidInputError, UnsupportedFeatureError
from hive_views.messages.remedy import Remedy
from hive_views.sql import parser
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.sql.hive_grammar.words import is_plain_name
from hive_views.sql.outline import DatabaseNames, NamePart
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited

NewNames = Mapping[str, str]
"""New names of databases by their old ones, both in lower case."""


def replace_namespaces(
    query: QueryText,
    names: NewNames,
    namespace: str,
    *,
    default_catalog: str | None = None,
    catalogs: Collection[str] = METASTORE_CATALOGS,
) -> str:
    """The text with databases renamed and nothing else changed: no whitespace, no literal, no comment.

    Renamed are databases that qualify tables, views and functions, and columns of such tables, also after a catalog
    that is the metastore (``spark_catalog.old.t``). A quoted name stays quoted, and a new name that needs quotes gets
    them. Names without a database stay: they resolve elsewhere now. So do names in any other catalog.

    Args:
        query: one query.
        names: the new names.
        namespace: the database of unqualified tables, under its old name.
        default_catalog: the catalog of names without one, where that is not the metastore's own.
        catalogs: what the metastore is called in three-part names, in lower case.

    Raises:
        SQLSyntaxError: the text may name one of the databases, and cannot be parsed.
        UnsupportedFeatureError: it may, and this library has no parser for the dialect.
        InvalidInputError: two tables of the query would get the same name; or one of the databases is named without a
            catalog, and may belong to another metastore.
    """
    mentioned = [old for old in names if mentions(query, old)]
    if not mentioned:
        return str(query)
    dialect = query.dialect
    if not query.is_parsed:
        raise UnsupportedFeatureError(
            f"Cannot rename database {mentioned[0]} in {dialect} SQL, because this library has no parser for the "
            f"dialect."
        )
    if default_catalog is not None and default_catalog.lower() not in catalogs and dialect != "hive":
        _refuse_unknown_catalog(_database_names(query, namespace, ()), names, default_catalog)
    before = _database_names(query, namespace, catalogs)
    _refuse_merged(before, names)
    _refuse_parts_of_tables(before, names, dialect)
    renamed = [(part, names[part.text.lower()]) for part in before.names if part.text.lower() in names]
    replaced = edited(query, [Edit(part.start, part.end, _written(query, part, new)) for part, new in renamed])
    if replaced != query:
        _check(QueryText(replaced, dialect), before, names, namespace, catalogs)
    return replaced


def mentions(sql: str, name: str) -> bool:
    """Whether the name occurs anywhere in the text, even in a comment."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE) is not None


def _database_names(query: QueryText, namespace: str, catalogs: Collection[str]) -> DatabaseNames:
    parser.refuse_unread_names(query.tokens)
    return parser.database_names(query.statement, namespace, catalogs)


def _written(query: QueryText, part: NamePart, new: str) -> str:
    quote = query[part.start]
    if quote in '`"[':
        return f"{quote}{new}{']' if quote == '[' else quote}"
    plain = is_plain_name(new) and parser.is_one_word(new, query.dialect)
    return new if plain else parser.quoted_name(new, query.dialect)


def unknown_catalog(catalog: str) -> Remedy:
    """It is unknown whether a catalog is the metastore whose databases are renamed."""
    return Remedy(
        in_python=f"If it is, pass metastore_catalogs=['{catalog}']; if not, add the catalog to the names in the "
        f"SQL of the view.",
        in_shell=f"If it is, add --metastore-catalog {catalog}; if not, add the catalog to the names in the SQL of "
        f"the view.",
    )


def _refuse_unknown_catalog(without_catalog: DatabaseNames, names: NewNames, catalog: str) -> None:
    for part in without_catalog.names:
        if part.text.lower() in names:
            raise InvalidInputError(
                f"{part.text} is named without a catalog, which makes it a database of the default catalog {catalog}, "
                f"and it is unknown whether that catalog is this metastore.",
                remedy=unknown_catalog(catalog),
            )


def _refuse_parts_of_tables(before: DatabaseNames, names: NewNames, dialect: str) -> None:
    """``old.t.snapshots`` is a table ``t`` of a catalog in Spark, or a metadata table of Iceberg in that database."""
    for first in before.qualifiers if dialect == "spark" else ():
        if first in names:
            raise InvalidInputError(
                f"{first} is the first part of a three-part name, so it may be a database or a catalog. Put the "
                f"catalog before it (spark_catalog.{first}), or do not rename {first}."
            )


def _refuse_merged(before: DatabaseNames, names: NewNames) -> None:
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for namespace, name in before.tables:
        other = found.setdefault((names.get(namespace, namespace), name), (namespace, name))
        if other != (namespace, name):
            raise InvalidInputError(
                f"Cannot rename the databases: {'.'.join(other)} and {namespace}.{name}, which one query reads, would "
                f"become the same table. Choose another new name."
            )


def _check(query: QueryText, before: DatabaseNames, names: NewNames, namespace: str, catalogs: Collection[str]) -> None:
    """Better no text than one that means something else: a new name may collide with an alias."""
    try:
        after = _database_names(query, names.get(namespace, namespace), catalogs)
    except HiveViewsError as error:
        raise InvalidInputError(f"With the new database names, the SQL is no longer a valid query: {error}") from error
    renamed = tuple((names.get(space, space), name) for space, name in before.tables)
    texts = [names.get(part.text.lower(), part.text.lower()) for part in before.names]
    if after.tables != renamed or [part.text.lower() for part in after.names] != texts:
        raise InvalidInputError("With the new database names, the query would read other tables. Choose other names.")
