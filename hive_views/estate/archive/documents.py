"""Rows and partitions as members of an archive hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pydantic import Field, ValidationError

from hive_views.errors import CorruptArchiveError
from hive_views.estate.archive.manifest import Document
from hive_views.hive.row import Column, Partition, Row
from hive_views.spec.identifiers import TableIdentifier

# A thousand parameters of 4,000 characters.
_LONGEST_LINE = 16 * 2**20


class _Column(Document):
    name: str
    type: str
    comment: str | None = None


class _Row(Document):
    name: str
    table_type: str
    owner: str | None = None
    location: str | None = None
    columns: tuple[_Column, ...] = ()
    partition_keys: tuple[_Column, ...] = ()
    input_format: str | None = None
    output_format: str | None = None
    serde_library: str | None = None
    serde_parameters: dict[str, str] = Field(default_factory=dict)
    original_text: str | None = None
    expanded_text: str | None = None
    parameters: dict[str, str] = Field(default_factory=dict)
    create_time_s: int = 0


class _Partition(Document):
    name: str
    values: tuple[str, ...]
    parameters: dict[str, str] = Field(default_factory=dict)


def write_row(row: Row) -> bytes:
    """A row as JSON; what only the adapter knows of it (``native``) is left out."""

    def columns(of: Iterable[Column]) -> tuple[_Column, ...]:
        return tuple(_Column(name=one.name, type=one.type, comment=one.comment) for one in of)

    document = _Row(
        name=str(row.identifier),
        table_type=row.table_type,
        owner=row.owner,
        location=row.location,
        columns=columns(row.columns),
        partition_keys=columns(row.partition_keys),
        input_format=row.input_format,
        output_format=row.output_format,
        serde_library=row.serde_library,
        serde_parameters=dict(sorted(row.serde_parameters.items())),
        original_text=row.original_text,
        expanded_text=row.expanded_text,
        parameters=dict(sorted(row.parameters.items())),
        create_time_s=row.create_time_s,
    )
    return json.dumps(document.model_dump(exclude_none=True), indent=1).encode()


def read_row(content: bytes, member: str, location: str) -> Row:
    """The row in the content of a member.

    Raises:
        CorruptArchiveError: it is no row.
    """
    try:
        found = _Row.model_validate_json(content)
    except ValidationError as e:
        raise _no_such("row", member, location, e) from e

    def columns(of: Iterable[_Column]) -> tuple[Column, ...]:
        return tuple(Column(one.name, one.type, one.comment) for one in of)

    fields = {name: getattr(found, name) for name in _Row.model_fields if name not in ("name", "partition_keys")}
    return Row(
        **{
            **fields,
            "identifier": TableIdentifier.of(found.name),
            "columns": columns(found.columns),
            "partition_keys": columns(found.partition_keys),
        }
    )


def write_partitions(partitions: Iterable[tuple[str, Partition]], into: BinaryIO) -> int:
    """Write a line for each partition; returns how many there are."""
    count = 0
    for name, partition in partitions:
        line = _Partition(name=name, values=partition.values, parameters=dict(sorted(partition.parameters.items())))
        into.write(json.dumps(line.model_dump()).encode() + b"\n")
        count += 1
    return count


def read_partitions(content: BinaryIO, member: str, location: str) -> Iterator[tuple[str, Partition]]:
    """The partitions in a member, by name.

    Raises:
        CorruptArchiveError: a line is no partition.
    """
    while line := content.readline(_LONGEST_LINE):
        try:
            found = _Partition.model_validate_json(line)
        except ValidationError as e:
            raise _no_such("partition", member, location, e) from e
        yield found.name, Partition(found.values, found.parameters)


def _no_such(what: str, member: str, location: str, e: ValidationError) -> CorruptArchiveError:
    return CorruptArchiveError(
        f"The archive {location} is damaged: {member} does not contain a valid {what}: {e.errors()[0]['msg']}.",
        location=location,
        members=[member],
    )
