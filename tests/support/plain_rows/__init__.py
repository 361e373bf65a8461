"""Rows of plain views as real engines made them, for tests that have no such engine at hand.

What lives here: reading the rows that ``make`` has recorded, one file for each engine and version. What must not: what
this library should think of them.

``hive-4.0.1.json`` and ``trino-476.json`` come from a metastore 4.0.1, those of Spark from a metastore 2.3.10;
``by-hand.json`` has forms of engines that are too old to run here, written after what these are known to write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from thrift.Thrift import TType

from hive_views.hive.row import Partition, Row
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.structs import to_row
from hive_views.spec.identifiers import TableIdentifier

DIRECTORY = Path(__file__).parent
VIEWS = "plain_views"
"""The namespace of all recorded views."""
LAKE = "plain_lake"
"""The namespace of the tables that they read."""


@dataclass(frozen=True)
class PlainView:
    """A view that an engine made.

    Attributes:
        maker: the engine and its version, as ``spark-4.1.4``.
        name: of the view, without its namespace; says what is special about it.
        statements: what the engine was told.
        settings: those of the session, where they are not the default ones.
        table: the row as Thrift has it, without fields that are not set.
        partitions: of the view, their values in order.
        answer: the rows that the engine gave for ``SELECT *``, sorted, as JSON has them; None where it gave an error.
        error: that error.
    """

    maker: str
    name: str
    statements: Sequence[str]
    table: dict[str, Any]
    settings: dict[str, str] = field(default_factory=dict)
    partitions: Sequence[Sequence[str]] = ()
    answer: list[list[Any]] | None = None
    error: str | None = None

    @property
    def id(self) -> str:
        """What a test is called by it."""
        return f"{self.maker}-{self.name}"

    @property
    def struct(self) -> ttypes.Table:
        """The row for Thrift's generated client."""
        struct: ttypes.Table = struct_of(ttypes.Table, self.table)
        return struct

    @property
    def row(self) -> Row:
        """The row as a metastore's adapter gives it."""
        return to_row(self.struct)

    @property
    def declared(self) -> list[Partition]:
        """The partitions as a metastore's adapter takes them."""
        return [Partition(values=tuple(values)) for values in self.partitions]

    def moved(self, namespace: str, lake: str = LAKE) -> PlainView:
        """The same view in another namespace, on tables in another one; not for Trino's, whose text is encoded."""
        text = json.dumps(self.table).replace(VIEWS, namespace).replace(LAKE, lake)
        return replace(self, table=json.loads(text))


@cache
def plain_views(*makers: str) -> tuple[PlainView, ...]:
    """All recorded views, or those of some makers (``spark`` is every Spark)."""
    return tuple(view for maker, document in _documents() if _is_of(maker, makers) for view in _views(maker, document))


@cache
def lake_tables() -> tuple[Row, ...]:
    """The tables that the views read, as Hive made them; their location is no real directory."""
    document = dict(_documents())["hive-4.0.1"]
    return tuple(to_row(struct_of(ttypes.Table, table)) for table in document["tables"])


def plain_view(maker: str, name: str) -> PlainView:
    """One of them."""
    (view,) = (one for one in plain_views(maker) if one.name == name)
    return view


def identifier(name: str) -> TableIdentifier:
    """What a recorded view is called."""
    return TableIdentifier(VIEWS, name)


def fill(metastore: Metastore, views: Iterable[PlainView]) -> None:
    """Put the tables of the lake and some views, with their partitions, into an empty metastore."""
    for namespace in (LAKE, VIEWS):
        metastore.create_namespace(namespace)
    for row in lake_tables():
        metastore.create_row(row)
    for view in views:
        metastore.create_row(view.row)
        if view.partitions:
            metastore.add_partitions(view.row.identifier, view.declared, if_not_exists=False)


def struct_of(kind: Any, fields: dict[str, Any]) -> Any:
    """A Thrift struct of what ``fields_of`` has made of one."""
    specs = {spec[2]: spec for spec in kind.thrift_spec if spec}
    return kind(**{name: _value_of(specs[name][1], specs[name][3], value) for name, value in fields.items()})


def fields_of(struct: Any) -> Any:
    """A Thrift struct as JSON holds it, without the fields that are not set."""
    if isinstance(struct, list):
        return [fields_of(one) for one in struct]
    if isinstance(struct, dict):
        return {name: fields_of(one) for name, one in sorted(struct.items())}
    if hasattr(struct, "thrift_spec"):
        return {name: fields_of(one) for name, one in vars(struct).items() if one is not None}
    return struct


def _value_of(kind: int, arguments: Any, value: Any) -> Any:
    if kind == TType.STRUCT:
        return struct_of(arguments[0], value)
    if kind == TType.LIST:
        return [_value_of(arguments[0], arguments[1], one) for one in value]
    if kind == TType.MAP:
        return {name: _value_of(arguments[2], arguments[3], one) for name, one in value.items()}
    return value


def _documents() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(DIRECTORY.glob("*.json")):
        yield file.stem, json.loads(file.read_text(encoding="utf-8"))


def _is_of(maker: str, makers: tuple[str, ...]) -> bool:
    return not makers or any(maker == one or maker.startswith(f"{one}-") for one in makers)


def _views(maker: str, document: dict[str, Any]) -> Iterator[PlainView]:
    for view in document["views"]:
        yield PlainView(maker=maker, **view)
