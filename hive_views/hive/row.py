"""The metastore's table object as a plain value, free of Thrift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.spec.identifiers import TableIdentifier

VIRTUAL_VIEW = "VIRTUAL_VIEW"

# Parameters of rows by the names that Iceberg, Hive and everybody else gives them.
POINTER = "metadata_location"
PREVIOUS_POINTER = "previous_metadata_location"
TABLE_TYPE = "table_type"
VIEW_UUID = "uuid"
COMMENT = "comment"
OWNER = "hive.metastore.table.owner"
STORAGE_HANDLER = "storage_handler"
DDL_TIME = "transient_lastDdlTime"
_DIGITS_OF_A_TIME = 10


@dataclass(frozen=True)
class Column:
    """A column with its Hive type string (``decimal(10,2)``) and comment (None when there is none)."""

    name: str
    type: str
    comment: str | None = None


@dataclass(frozen=True)
class Row:
    """A table or view as the metastore holds it.

    ``columns`` is ``sd.cols``, ``location`` is ``sd.location``, and ``serde_parameters`` are read and never changed:
    only a new row is written with them. ``native`` is the adapter's own object, carried
    along untouched so that fields this library does not know survive a change.
    """

    identifier: TableIdentifier
    table_type: str
    owner: str | None = None
    location: str | None = None
    columns: tuple[Column, ...] = ()
    partition_keys: tuple[Column, ...] = ()
    input_format: str | None = None
    output_format: str | None = None
    serde_library: str | None = None
    serde_parameters: Mapping[str, str] = field(default_factory=dict, compare=False)
    original_text: str | None = None
    expanded_text: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    create_time_s: int = 0
    native: Any = field(default=None, compare=False, repr=False)

    @property
    def is_view(self) -> bool:
        return self.table_type.upper() == VIRTUAL_VIEW

    @property
    def ddl_time_s(self) -> int:
        """When it was changed, by the metastore, in seconds since 1970; 0 where its parameter is missing or no time."""
        said = self.parameters.get(DDL_TIME, "")
        return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS_OF_A_TIME else 0


@dataclass(frozen=True, slots=True)
class Partition:
    """A declared partition: one value for each partition key, in their order, as Hive spells them.

    ``has_descriptor`` is True for partitions of tables, and for ours where a notification listener forces an empty
    storage descriptor upon us. ``location`` is ``sd.location``: where a table's partition has its files.
    """

    values: tuple[str, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
    create_time_s: int = 0
    has_descriptor: bool = False
    location: str | None = None
    native: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class NamespaceRow:
    """A metastore database; ``location`` is its directory, None when it has none.

    ``native`` is the adapter's own object, as that of a ``Row``.
    """

    name: str
    location: str | None = None
    owner: str | None = None
    comment: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    native: Any = field(default=None, compare=False, repr=False)
