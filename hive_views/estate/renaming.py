"""A view that names other databases: in all its texts, its rules, and what its partitions were published on.

What lives here: all places where a view names databases. What must not: how a name is found in one text (sql/,
readiness/), copying (placing.py).

Replaced are names in every text of every version, the names of databases where one-part names resolve, those of the
rules of publications, and those of the base tables that partitions were published on and read. What is told of a table
beside its name, its id and its fingerprint, stays that of the table that it was: ``revalidate`` finds another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.estate.portable import PortableView
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.row import Partition
from hive_views.messages.remedies import NameMetastoreCatalog
from hive_views.persisted import INPUTS, ORIGINAL_SQL, READS, ROW_AS_FOUND
from hive_views.publishing.ledger.recorded_rules import with_renamed_tables
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.spec.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion
from hive_views.sql.dialects import METASTORE_CATALOGS, ROW_DIALECTS
from hive_views.sql.namespaces import NewNames, mentions, replace_namespaces
from hive_views.views.projection import row_dialect
from hive_views.views.row_content import RowContent

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


def with_other_namespaces(
    view: PortableView, names: NewNames, metastore_catalogs: Collection[str] = ()
) -> PortableView:
    """The view under its new name, with other names of databases wherever it names one.

    Args:
        view: as it is.
        names: new names of databases by their old ones.
        metastore_catalogs: what engines call the catalog that is the metastore, beside ``spark_catalog`` and ``hive``.

    Raises:
        InvalidInputError: a text may name one of the databases and cannot be read, or would mean something else; or
            names resolve in a catalog of which is not known whether it is the metastore.
        CorruptMetadataError: the rules of a publication cannot be read.
    """
    if not names:
        return view
    catalogs = (*METASTORE_CATALOGS, *(catalog.lower() for catalog in metastore_catalogs))
    rename = _renaming(names, catalogs)
    changed = {
        "versions": tuple(_version(view.identifier, version, names, catalogs) for version in view.metadata.versions),
        "properties": with_renamed_tables(view.metadata.properties, rename),
    }
    return replace(
        view,
        identifier=renamed(view.identifier, names),
        metadata=view.metadata.model_copy(update=changed),
        partitions=tuple(_partition(partition, rename) for partition in view.partitions),
    )


def _version(view: TableIdentifier, version: ViewVersion, names: NewNames, catalogs: Collection[str]) -> ViewVersion:
    namespace = version.default_namespace[-1].lower() if version.default_namespace else view.namespace
    catalog = version.default_catalog
    if catalog is not None and catalog.lower() not in catalogs and namespace in names:
        raise InvalidInputError(
            f"Cannot replace the names of databases in version {version.version_id} of {view}: its names resolve in "
            f"{catalog}.{namespace}, and nobody here knows whether {catalog} is this metastore.",
            remedy=NameMetastoreCatalog(catalog),
            identifier=str(view),
        )

    def text(sql: str, dialect: str) -> str:
        try:
            return replace_namespaces(sql, dialect, names, namespace, default_catalog=catalog, catalogs=catalogs)
        except HiveViewsError as error:
            raise InvalidInputError(
                f"Cannot replace the names of databases in the {dialect} text of version {version.version_id} of "
                f"{view}: {error.message}",
                remedy=error.remedy,
                identifier=str(view),
            ) from error

    def representation(one: ViewRepresentation) -> ViewRepresentation:
        if isinstance(one, SQLViewRepresentation):
            return one.model_copy(update={"sql": text(one.sql, one.dialect)})
        for old in names:
            if mentions(one.model_dump_json(), old):
                raise InvalidInputError(
                    f"Version {version.version_id} of {view} has a definition of the type {one.type}, which nobody "
                    f"here reads, and which may name the database {old}.",
                    identifier=str(view),
                )
        return one

    summary = {
        key: text(value, key.removeprefix(ORIGINAL_SQL)) if key.startswith(ORIGINAL_SQL) else value
        for key, value in version.summary.items()
    }
    row, dialect = RowContent.kept_by(version), row_dialect(version)
    # Trino's document is made anew of the version.
    if row is not None and dialect in ROW_DIALECTS:
        summary[ROW_AS_FOUND] = row.with_other_names(
            lambda sql: text(sql, str(dialect)), lambda name: names.get(name.lower(), name), catalogs
        ).as_json()
    *before, last = version.default_namespace or ("",)
    changed = {
        "summary": summary,
        "default_namespace": (*before, names.get(last.lower(), last)) if version.default_namespace else (),
        "representations": tuple(map(representation, version.representations)),
    }
    return version.model_copy(update=changed)


def _partition(partition: Partition, rename: _Rename) -> Partition:
    parameters = dict(partition.parameters)
    for key in (INPUTS, READS):
        text = _renamed_keys(parameters.pop(key, None), rename)
        # Where the new names are too long for a metastore, it is not known any more.
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
