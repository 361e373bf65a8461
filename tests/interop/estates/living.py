"""An estate in a metastore: made, changed, undone, and read by engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hive_views import ViewCatalog
from hive_views.hive.row import Column, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from tests.interop.estates.changes import Change
from tests.interop.estates.generating import Estate, MadeView, Table

_FORMATS = {
    "orc": ("ql.io.orc.OrcInputFormat", "ql.io.orc.OrcOutputFormat", "ql.io.orc.OrcSerde"),
    "parquet": (
        "ql.io.parquet.MapredParquetInputFormat",
        "ql.io.parquet.MapredParquetOutputFormat",
        "ql.io.parquet.serde.ParquetHiveSerDe",
    ),
    "textfile": (None, "ql.io.HiveIgnoreKeyTextOutputFormat", "serde2.lazy.LazySimpleSerDe"),
}


class Engine(Protocol):
    """Runs a statement that makes a plain view."""

    def __call__(self, statement: str) -> object: ...


@dataclass(frozen=True)
class Reading:
    """What an engine says of a view: its columns, or why it cannot be read."""

    columns: tuple[tuple[str, str], ...] = ()
    failure: str | None = None


Read = Callable[[str], Reading]


class LivingEstate:
    """An estate in a namespace of a metastore.

    Args:
        catalog: makes the views.
        estate: what there is to be.
        engines: those that make plain views, by name.
    """

    def __init__(self, catalog: ViewCatalog, estate: Estate, engines: Mapping[str, Engine]) -> None:
        self.estate = estate
        self._catalog = catalog
        self._metastore: Metastore = catalog.engine.metastore
        for table in estate.tables:
            self._metastore.create_row(_row(table))
        for view in estate.views:
            self._create(view, engines)

    def apply(self, change: Change) -> Callable[[], object]:
        """Make a change; what is returned undoes it."""
        if change.view is not None:
            view = self._catalog.load_view(change.name)
            self._catalog.replace_view(
                change.name, sql={"hive": change.view.text}, schema=change.view.columns, on_drift="adopt"
            )
            return lambda: self._catalog.roll_back_view(change.name, to_version=view.current_version.version_id)
        name = TableIdentifier.of(change.name)
        row = self._metastore.load_row(name)
        # Servers refuse an ALTER by which a column gets another type at its place; what engines read is the row.
        self._metastore.drop_row(name)
        if change.columns is None:
            return lambda: self._metastore.create_row(row)
        now = TableIdentifier.of(change.renamed or change.name)
        self._metastore.create_row(replace(row, identifier=now, columns=_columns(change.columns), native=None))

        def undo() -> None:
            self._metastore.drop_row(now)
            self._metastore.create_row(row)

        return undo

    def _create(self, view: MadeView, engines: Mapping[str, Engine]) -> None:
        if view.maker in engines:
            engines[view.maker](f"CREATE VIEW {view.name} AS {view.text}")
            return
        dialect = "spark" if view.maker == "spark text" else "hive"
        self._catalog.create_view(view.name, sql={dialect: view.text}, schema=view.columns, partitioned_on=view.keys)
        if view.keys:
            values = ("1", "2") if dict(view.columns)[view.keys[0]] == "int" else ("2026-08-21", "2026-08-22")
            self._catalog.partitions(view.name).add([{view.keys[0]: value} for value in values])


def reads_by_spark(spark: Any) -> Read:
    """What Spark's analyser says of a view."""
    from pyspark.errors import PySparkException

    def read(name: str) -> Reading:
        try:
            schema = spark.table(name).schema
        except PySparkException as error:
            return Reading(failure=f"{error.getCondition()}: {str(error).splitlines()[0]}")
        return Reading(tuple((field.name, field.dataType.simpleString()) for field in schema.fields))

    return read


def reads_by_hive(columns: Callable[[str], Sequence[tuple[str, str]]]) -> Read:
    """What Hive's compiler says of a view, given what returns the columns of a query."""

    def read(name: str) -> Reading:
        query = f"SELECT * FROM {name}"
        try:
            found = columns(query)
        except AssertionError as error:
            if "TTransportException" not in str(error):
                return Reading(failure=str(error).partition(": ")[2])
            found = columns(query)  # its connection to the metastore was closed while it was idle
        return Reading(tuple((column.rpartition(".")[2], type_) for column, type_ in found))

    return read


def _row(table: Table) -> Row:
    input_, output, serde = (name and f"org.apache.hadoop.hive.{name}" for name in _FORMATS[table.format])
    return Row(
        TableIdentifier.of(table.name),
        "MANAGED_TABLE",
        columns=_columns(table.columns),
        partition_keys=(Column("ds", "string"),) if table.is_partitioned else (),
        input_format=input_ or "org.apache.hadoop.mapred.TextInputFormat",
        output_format=output,
        serde_library=serde,
    )


def _columns(columns: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(name, type_) for name, type_ in columns)
