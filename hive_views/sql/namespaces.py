"""Names of databases in a text, replaced where they stand."""

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
    """The text with other names of databases, and nothing else changed: not a blank, not a literal, not a comment.

    Replaced are names before tables, views and functions, and before columns where the query names such a table; also
    behind a catalog that is the metastore (``spark_catalog.old.t``). A name stays in its quotes, and gets some where
    the new one needs them. Names without a database stay: they resolve elsewhere now; so do names behind any other
    catalog.

    Args:
        query: one query.
        names: the new names.
        namespace: the database of tables that are named without one, as it was.
        default_catalog: the catalog of names without one, where that is not the metastore's own.
        catalogs: what the metastore is called in a name of three parts, in lower case.

    Raises:
        SQLSyntaxError: the text may name one of the databases, and cannot be read.
        UnsupportedFeatureError: it may, and no parser here knows the dialect.
        InvalidInputError: two different tables of the query would have one name; or one of the databases is named
            without a catalog, and may be another metastore's.
    """
    mentioned = [old for old in names if mentions(query, old)]
    if not mentioned:
        return str(query)
    dialect = query.dialect
    if not query.is_parsed:
        raise UnsupportedFeatureError(
            f"Cannot replace the name {mentioned[0]} in a {dialect} text, because no parser here knows the dialect."
        )
    if default_catalog is not None and default_catalog.lower() not in catalogs and dialect != "hive":
        _refuse_unknown_catalog(_database_names(query, namespace, ()), names, default_catalog)
    before = _database_names(query, namespace, catalogs)
    _refuse_merged(before, names)
    _refuse_parts_of_tables(before, names, dialect)
    replaced = str(query)
    for part in reversed(before.names):
        new = names.get(part.text.lower())
        if new is not None:
            replaced = replaced[: part.start] + _written(query, part, new) + replaced[part.end :]
    if replaced != query:
        _check(QueryText(replaced, dialect), before, names, namespace, catalogs)
    return replaced


def mentions(sql: str, name: str) -> bool:
    """Whether the name stands anywhere in the text, if only in a comment."""
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
    """It is not known whether a catalog is this metastore, whose databases get other names."""
    return Remedy(
        in_python=f"If it is, pass metastore_catalogs=['{catalog}']; if not, add the catalog to the names in the "
        f"texts of the view.",
        in_shell=f"If it is, add --metastore-catalog {catalog}; if not, add the catalog to the names in the texts of "
        f"the view.",
    )


def _refuse_unknown_catalog(without_catalog: DatabaseNames, names: NewNames, catalog: str) -> None:
    for part in without_catalog.names:
        if part.text.lower() in names:
            raise InvalidInputError(
                f"{part.text} is named without a catalog and is a database of {catalog} there, and it is not known "
                f"whether that catalog is this metastore.",
                remedy=unknown_catalog(catalog),
            )


def _refuse_parts_of_tables(before: DatabaseNames, names: NewNames, dialect: str) -> None:
    """``old.t.snapshots`` is a table ``t`` of a catalog in Spark, or what Iceberg knows of one of the database."""
    for first in before.qualifiers if dialect == "spark" else ():
        if first in names:
            raise InvalidInputError(
                f"{first} is the first of three parts of a name, and may be a database or a catalog. Write the catalog "
                f"before it (spark_catalog.{first}), or leave {first} its name."
            )


def _refuse_merged(before: DatabaseNames, names: NewNames) -> None:
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for namespace, name in before.tables:
        other = found.setdefault((names.get(namespace, namespace), name), (namespace, name))
        if other != (namespace, name):
            raise InvalidInputError(
                f"Cannot replace the names of databases: {'.'.join(other)} and {namespace}.{name}, which one query "
                f"reads, would be one table."
            )


def _check(query: QueryText, before: DatabaseNames, names: NewNames, namespace: str, catalogs: Collection[str]) -> None:
    """No text is better than one that means something else: a new name may be that of an alias."""
    try:
        after = _database_names(query, names.get(namespace, namespace), catalogs)
    except HiveViewsError as error:
        raise InvalidInputError(f"With the new names of databases it is no longer a query: {error}") from error
    renamed = tuple((names.get(space, space), name) for space, name in before.tables)
    texts = [names.get(part.text.lower(), part.text.lower()) for part in before.names]
    if after.tables != renamed or [part.text.lower() for part in after.names] != texts:
        raise InvalidInputError("With the new names of databases the query would read other tables.")
