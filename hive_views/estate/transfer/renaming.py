"""A view that names other databases: in all its texts, its rules, and what its partitions were published on; plain ones
too.

Replaced are names in every text of every version, the names of databases where one-part names resolve, those of the
rules of publications, and those of the base tables that partitions were published on and read. What is told of a table
beside its name, its id and its fingerprint, stays that of the table that it was: ``revalidate`` finds another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.estate.transfer.snapshot import ViewSnapshot
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.row import Partition, Row
from hive_views.persisted import INPUTS, PUBLISHED_RULE, READS
from hive_views.publishing.ledger.recorded_rules import hash_of_rule, recorded_rules, with_renamed_tables
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.metadata import ViewRepresentation, ViewVersion
from hive_views.sql.dialects import METASTORE_CATALOGS, ROW_DIALECTS
from hive_views.sql.namespaces import NewNames, mentions, replace_namespaces, unknown_catalog
from hive_views.sql.query import QueryText
from hive_views.views.row import spark_row
from hive_views.views.row.content import RowContent
from hive_views.views.row.row_text import RowText, text_of
from hive_views.views.row.trino_view import text_with
from hive_views.views.row.version import row_dialect, with_other_texts

_Rename = Callable[[str], str]


def checked_names(names: Mapping[str, str] | None) -> dict[str, str]:
    """New names of databases by their old ones, in lower case and without those that stay.

    Raises:
        InvalidInputError: one is no name of a database, or is given two names.
    """
    checked: dict[str, str] = {}
    for old, new in (names or {}).items():
        taken = checked.setdefault(check_namespace(old), check_namespace(new))
        if taken != check_namespace(new):
            raise InvalidInputError(f"The database {check_namespace(old)} cannot become {taken} and {new}.")
    return {old: new for old, new in checked.items() if old != new}


def renamed(identifier: TableIdentifier, names: NewNames) -> TableIdentifier:
    """The name of a view in the new databases."""
    return TableIdentifier(names.get(identifier.namespace, identifier.namespace), identifier.name)


def new_names(views: Iterable[TableIdentifier], names: NewNames) -> dict[TableIdentifier, TableIdentifier]:
    """The name that each view is to have.

    Raises:
        InvalidInputError: two would have one name.
    """
    to = {view: renamed(view, names) for view in views}
    taken: dict[TableIdentifier, TableIdentifier] = {}
    for view, new in to.items():
        other = taken.setdefault(new, view)
        if other != view:
            raise InvalidInputError(f"Both {other} and {view} would become {new}. Select only one of them.")
    return to


def with_other_namespaces(
    view: ViewSnapshot, names: NewNames, metastore_catalogs: Collection[str] = ()
) -> ViewSnapshot:
    """The view under its new name, with other names of databases wherever it names one.

    Args:
        view: as it is.
        names: new names of databases by their old ones.
        metastore_catalogs: what engines call the catalog that is the metastore, beside ``spark_catalog`` and ``hive``.

    Raises:
        InvalidInputError: a text may name one of the databases and cannot be read, or would mean something else; or
            names resolve in a catalog of which is unknown whether it is the metastore.
        CorruptMetadataError: the rules of a publication cannot be read.
    """
    if not names:
        return view
    catalogs = _lowered(metastore_catalogs)
    rename = _renaming(names, catalogs)
    properties = with_renamed_tables(view.metadata.properties, rename)
    changed = {
        "versions": tuple(_version(view.identifier, version, names, catalogs) for version in view.metadata.versions),
        "properties": properties,
    }
    rules = dict(zip(_hashes(view.metadata.properties), _hashes(properties), strict=True))
    return replace(
        view,
        identifier=renamed(view.identifier, names),
        metadata=view.metadata.model_copy(update=changed),
        partitions=tuple(_partition(partition, rename, rules) for partition in view.partitions),
    )


def plain_with_other_namespaces(row: Row, names: NewNames, metastore_catalogs: Collection[str] = ()) -> Row:
    """The row of a plain view under its new name, with other names of databases in its texts.

    Args, raises: as ``with_other_namespaces``.
    """
    if not names:
        return row
    catalogs = _lowered(metastore_catalogs)
    view, found = row.identifier, text_of(row)
    try:
        if found.dialect == "trino":
            changed = replace(row, original_text=_trino_text(view, found.need("text"), names, catalogs))
        else:
            namespace = found.need("namespace").namespace[-1]
            text = _replacing(f"the plain view {view}", view, names, namespace, found.catalog, catalogs)
            content = RowContent.of(row).with_other_names(
                lambda sql: text(sql, found.dialect), lambda name: names.get(name.lower(), name), catalogs
            )
            changed = replace(
                row,
                original_text=content.original_text,
                expanded_text=content.expanded_text,
                parameters={**row.parameters, **content.parameters},
            )
    except HiveViewsError:
        raise
    except ValueError as error:
        raise InvalidInputError(
            f"Cannot replace the names of databases in the plain view {view}: {error}.", identifier=str(view)
        ) from error
    return replace(changed, identifier=renamed(view, names))


def _trino_text(view: TableIdentifier, found: RowText, names: NewNames, catalogs: Collection[str]) -> str:
    document, namespace = dict(found.document), found.namespace[-1]
    text = _replacing(f"the plain view {view}", view, names, namespace, found.catalog, catalogs)
    document["originalSql"] = text(found.sql, "trino")
    if document.get("schema"):
        document["schema"] = names.get(namespace.lower(), namespace)
    return text_with(document)


def _lowered(metastore_catalogs: Collection[str]) -> tuple[str, ...]:
    return (*METASTORE_CATALOGS, *(catalog.lower() for catalog in metastore_catalogs))


def _replacing(
    what: str,
    view: TableIdentifier,
    names: NewNames,
    namespace: str,
    catalog: str | None,
    catalogs: Collection[str],
) -> Callable[[str, str], str]:
    """What replaces the names in a text, given its dialect; of ``what``, whose names resolve in these.

    Raises:
        InvalidInputError: nobody knows whether they are to be replaced.
    """
    if catalog is not None and catalog.lower() not in catalogs and namespace.lower() in names:
        raise InvalidInputError(
            f"Cannot replace the names of databases in {what}: its names resolve in {catalog}.{namespace}, and it is "
            f"unknown whether {catalog} is this metastore.",
            remedy=unknown_catalog(catalog),
            identifier=str(view),
        )

    def text(sql: str, dialect: str) -> str:
        try:
            return replace_namespaces(
                QueryText(sql, dialect), names, namespace.lower(), default_catalog=catalog, catalogs=catalogs
            )
        except HiveViewsError as error:
            raise InvalidInputError(
                f"Cannot replace the names of databases in the {dialect} SQL of {what}: {error.message}",
                remedy=error.remedy,
                identifier=str(view),
            ) from error

    return text


def _version(view: TableIdentifier, version: ViewVersion, names: NewNames, catalogs: Collection[str]) -> ViewVersion:
    namespace = version.namespace_or(view.namespace)
    what = f"version {version.version_id} of {view}"
    text = _replacing(what, view, names, namespace, version.default_catalog, catalogs)

    def unknown(one: ViewRepresentation) -> ViewRepresentation:
        for old in names:
            if mentions(one.model_dump_json(), old):
                raise InvalidInputError(
                    f"Version {version.version_id} of {view} has a definition of the type {one.type}, which this "
                    f"library cannot read and which may name the database {old}.",
                    identifier=str(view),
                )
        return one

    row, dialect = RowContent.kept_by(version), row_dialect(version)
    changed = None
    # The document of Trino is written again from the version.
    if row is not None and dialect in ROW_DIALECTS:
        # The texts of a version share one namespace, which need not be that of the row.
        try:
            catalog, (*_, of_row) = spark_row.catalog_and_namespace(row.parameters, namespace)
        except ValueError as error:
            raise InvalidInputError(
                f"Cannot replace the names of databases in the row of {what}: {error}.", identifier=str(view)
            ) from error
        row_text = _replacing(f"the row of {what}", view, names, of_row, catalog, catalogs)
        changed = row.with_other_names(
            lambda sql: row_text(sql, str(dialect)), lambda name: names.get(name.lower(), name), catalogs
        )
    *before, last = version.default_namespace or ("",)
    namespaces = (*before, names.get(last.lower(), last)) if version.default_namespace else ()
    return with_other_texts(version, text, unknown, changed, namespaces)


def _hashes(properties: Mapping[str, str]) -> list[str]:
    """Of the rules that are recorded with a view, as its partitions have them."""
    return [hash_of_rule(one.rule) for one in recorded_rules(properties)]


def _partition(partition: Partition, rename: _Rename, rules: Mapping[str, str]) -> Partition:
    parameters = dict(partition.parameters)
    rule = parameters.pop(PUBLISHED_RULE, "")
    parameters |= {PUBLISHED_RULE: new} if (new := rules.get(rule, rule)) else {}
    for key in (INPUTS, READS):
        text = _renamed_keys(parameters.pop(key, None), rename)
        # Where the new names are too long for a metastore, it is unknown any more.
        parameters |= {key: text} if text is not None and len(text) <= MAX_PARTITION_PARAMETER else {}
    return replace(partition, parameters=parameters)


def _renamed_keys(text: str | None, rename: _Rename) -> str | None:
    """JSON by tables, with their new names; what is nothing of that kind stays."""
    try:
        found = json.loads(text or "null")
    except (ValueError, RecursionError):
        return text
    if not isinstance(found, dict) or all(rename(key) == key for key in found):
        return text
    return json.dumps({rename(key): value for key, value in found.items()}, separators=(",", ":"))


def _renaming(names: NewNames, catalogs: Collection[str]) -> _Rename:
    def rename(table: str) -> str:
        *catalog, namespace, name = ["", *table.split(".")] if "." not in table else table.split(".")
        in_metastore = not catalog or (len(catalog) == 1 and catalog[0].lower() in catalogs)
        new = names.get(namespace.lower()) if in_metastore else None
        return ".".join((*catalog, new, name)) if new else table

    return rename
