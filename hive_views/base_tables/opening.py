"""Opens a base table: its format is found, and the reader for it chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hive_views.base_tables.delta.table import DeltaBaseTable
from hive_views.base_tables.formats import FORMATS, SIGNS, detect_format, formats_at, is_format_at, location_of
from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.iceberg.table_metadata import find_metadata_file
from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import BaseTable, MetastoreReader
from hive_views.errors import CorruptMetadataError, InvalidInputError, NoSuchTableError, UnsupportedFeatureError
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

_OF_THE_METASTORE = ("hive", "view")
_PROVIDER = "spark.sql.sources.provider"
# A branch or tag of an Iceberg table, as Spark's SQL names it.
_REF = re.compile(r"(?P<table>[^.]+\.[^.]+)(?P<suffix>\.(?:branch|tag)_(?P<ref>.+))")


def is_location(name: str) -> bool:
    """Whether a table is given by where its files are, and not by its name in the metastore."""
    return "/" in name


def table_name(name: str) -> str:
    """The one spelling of a table's name; a location stays as it is.

    Raises:
        InvalidIdentifierError: neither a location nor ``namespace.name``, with ``.branch_<name>`` or ``.tag_<name>``
            behind it or not.
    """
    if is_location(name):
        return name
    table, suffix, _ = _read_name(name)
    return f"{table}{suffix}"


def _read_name(name: str) -> tuple[TableIdentifier, str, str | None]:
    """The table, what follows its name ("" or ``.branch_audit``), and the branch or tag."""
    of_ref = _REF.fullmatch(name)
    if not of_ref:
        return TableIdentifier.of(name), "", None
    return TableIdentifier.of(of_ref["table"]), of_ref["suffix"], of_ref["ref"]


def check_format(table: str, found: str, expected: str | None) -> None:
    """Refuse a table that has another format than its user says.

    Raises:
        InvalidInputError: ``expected`` is given and no format at all, or not the one found.
    """
    if expected is not None and expected not in FORMATS:
        raise InvalidInputError(
            f"Cannot read {table} with format={expected!r}: formats are {', '.join(FORMATS)}. Leave format out to "
            f"detect it from the table itself.",
            table=table,
        )
    if expected not in (None, found):
        raise InvalidInputError(f"{table} has the format {found}, not {expected}; leave format= out.", table=table)


def open_base_table(
    metastore: MetastoreReader,
    name: str,
    format: str | None = None,  # noqa: A002
    *,
    files: Files | None = None,
) -> BaseTable:
    """The reader for a table, in one call of the metastore and a look at its directory.

    Args:
        metastore: where the table is looked up, unless it is given by its location.
        name: ``"namespace.name"``, or the location of a Delta, Iceberg or Paimon table (``s3://lake/users``,
            ``/data/users``); for Iceberg also that of a metadata file, and ``"namespace.name.branch_audit"`` or
            ``.tag_...`` as in Spark's SQL.
        format: the format it must have; by default it is read from the row, or from the files.
        files: the storage of the tables; by default what fsspec finds out by itself.

    Raises:
        NoSuchTableError: there is no such table.
        UnsupportedFeatureError: a format without a reader.
        InvalidInputError: the name is none, ``format`` is not what the table has, the files at a location are of two
            formats, or a branch or tag is named of a table that is no Iceberg table.
        CorruptMetadataError: the row says one format, and the files are of another.
        StorageUnavailableError, MetastoreUnavailableError
    """
    files = files or Files()
    if is_location(name):
        return _open_location(name, format, files)
    identifier, suffix, ref = _read_name(name)
    row = metastore.load_row(identifier)
    table, found = str(row.identifier), detect_format(row)
    check_format(table, found, format)
    if ref and found != "iceberg":
        raise InvalidInputError(
            f"Cannot read {name}: {table} has the format {found}, and only Iceberg tables have branches and tags.",
            table=table,
        )
    if found in _OF_THE_METASTORE:
        _refuse_partitions_on_files(table, row.parameters, has_keys=bool(row.partition_keys))
        return HiveBaseTable(metastore, row, found, files)
    if found not in FORMATS:
        raise UnsupportedFeatureError(
            f"Cannot list the partitions of {table}: its format is {found}, and this version reads "
            f"{', '.join(FORMATS)}.",
            remedy=Remedy(
                in_python="Give the table in base_tables= with a reader of your own.",
                in_shell="In Python, publish takes a reader of your own for it.",
            ),
            table=table,
        )
    location = location_of(row, found)
    if found == "iceberg":
        # Its row names the metadata file, and a commit is a change of that name.
        return IcebergBaseTable(
            f"{table}{suffix}", lambda: location_of(metastore.load_row(row.identifier), "iceberg"), files, ref
        )
    _check_files(files, location, table, found)
    if found == "delta":
        return DeltaBaseTable(table, location, files)
    return PaimonBaseTable(table, location, files, metastore, row.identifier)


def _open_location(location: str, format: str | None, files: Files) -> BaseTable:  # noqa: A002
    if format in _OF_THE_METASTORE:
        raise InvalidInputError(
            f"Cannot read {location} with format={format!r}: the metastore alone knows the partitions of such tables. "
            f"Name it as namespace.name.",
            table=location,
        )
    found = formats_at(files, location)
    if not found:
        raise NoSuchTableError(f"There is no table at {location}: it has none of {SIGNS}.", table=location)
    if len(found) > 1 and format not in found:
        raise InvalidInputError(
            f"The files at {location} are those of {' and '.join(found)} tables; say which with format=.",
            table=location,
        )
    chosen = format if format in found else found[0]
    check_format(location, chosen, format)
    if chosen == "iceberg":
        return IcebergBaseTable(location, lambda: find_metadata_file(files, location), files)
    return (DeltaBaseTable if chosen == "delta" else PaimonBaseTable)(location, location, files)


def _check_files(files: Files, location: str, table: str, expected: str) -> None:
    if not is_format_at(files, location, expected):
        found = formats_at(files, location)
        other = f"are those of {' and '.join(found)} tables" if found else f"have none of {SIGNS}"
        raise CorruptMetadataError(
            f"The metastore says that {table} has the format {expected}; the files at {location} {other}. "
            f"Register the table again.",
            table=table,
            location=location,
        )


def _refuse_partitions_on_files(table: str, parameters: Mapping[str, str], *, has_keys: bool) -> None:
    is_partitioned = has_keys or parameters.get("spark.sql.sources.schema.numPartCols", "0") != "0"
    on_files = _PROVIDER in parameters and parameters.get("spark.sql.partitionProvider") != "catalog"
    if is_partitioned and on_files and parameters[_PROVIDER].lower() != "hive":
        raise UnsupportedFeatureError(
            f"Spark keeps the partitions of {table} on the file system only, so that the metastore does not know them. "
            f"Run ALTER TABLE {table} RECOVER PARTITIONS in Spark.",
            table=table,
        )
