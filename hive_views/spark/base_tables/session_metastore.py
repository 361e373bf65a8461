"""The metastore as a Spark session knows it: rows, names of partitions and, with a classic session, their objects.

SHOW PARTITIONS and DESCRIBE read values by type, so that ``hr='07'`` becomes ``hr=7``, and DESCRIBE describes one
partition at a time. So partitions are loaded through the Hive client, which a Spark Connect client does not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import takewhile
from typing import Any
from urllib.parse import unquote

from hive_views.errors import NoSuchTableError, UnsupportedFeatureError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import Column, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.query_schema import error_of
from hive_views.spark.sessions.session_beside import is_connect
from hive_views.spec.identifiers import TableIdentifier

# From so many partitions on that differ in the last column alone, all that do are fetched in one call. Where there is
# no other column, that is the whole table, which may be large.
_WORTH_A_PREFIX = 8
_WORTH_THE_TABLE = 200
_OBJECTS_IN_ONE_TEXT = 1000
# A server takes values for patterns; of these it finds all that have them, and perhaps others.
_FOUND = re.compile(r"[A-Za-z0-9_.: -]+")
_PARTITION_COLUMNS = "# Partition Information"


class HiveClient:
    """Spark's own client of the metastore, of a classic session with Hive."""

    def __init__(self, spark: Any) -> None:
        self._java = java = spark._jvm
        self._client = _external_catalog(spark).client()
        self._json = java.com.fasterxml.jackson.databind.ObjectMapper()
        of_scala = getattr(java.com.fasterxml.jackson.module.scala, "DefaultScalaModule$")
        self._json.registerModule(getattr(of_scala, "MODULE$"))

    def row(self, table: TableIdentifier, keys: tuple[Column, ...]) -> Row:
        """The row of a table that has these partition columns, without its other columns."""
        found = self._client.getRawHiveTable(table.namespace, table.name).rawTable().getTTable()
        return Row(
            table,
            table_type=found.getTableType(),
            location=found.getSd().getLocation(),
            partition_keys=keys,
            parameters=self._read(found.getParameters()),
            create_time_s=found.getCreateTime(),
        )

    def names(self, table: TableIdentifier, prefix: Mapping[str, str]) -> list[str]:
        """The names of the partitions with these values of the first columns, or of all, as the metastore has them."""
        found = self._client.getTable(table.namespace, table.name)
        return list(self._each(self._client.getPartitionNames(found, self._spec(prefix))))

    def partitions(self, table: TableIdentifier, prefix: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """The partitions with these values of the first columns, or of all; as Spark's ``CatalogTablePartition``."""
        return self._each(self._client.getPartitions(table.namespace, table.name, self._spec(prefix)))

    def _spec(self, values: Mapping[str, str]) -> Any:
        given = self._java.java.util.LinkedHashMap()
        for key, value in values.items():
            given[key] = value
        scala = self._java.org.apache.spark.api.python.PythonUtils.toScalaMap(given)
        return self._java.scala.Option.apply(scala) if values else self._java.scala.Option.empty()

    def _each(self, sequence: Any) -> Iterator[Any]:
        some = sequence.iterator().grouped(_OBJECTS_IN_ONE_TEXT)
        while some.hasNext():
            yield from self._read(some.next())

    def _read(self, found: Any) -> Any:
        # As one text: to ask objects for their parts would be a call into Java for each part of each.
        return json.loads(self._json.writeValueAsString(found))


class SparkMetastore:
    """What ``HiveBaseTable`` asks of a metastore, for one table; parameters and partition objects need the client."""

    def __init__(self, spark: Any, path: str, client: HiveClient | None = None) -> None:
        self._spark = spark
        self._path = path
        self._client = client

    def load_row(self, identifier: TableIdentifier) -> Row:
        """The row, without its other columns than partition columns; without a client without its parameters too.

        Raises:
            NoSuchTableError
        """
        # AS JSON calls char and varchar string.
        keys = _partition_columns(described(self._spark, self._path))
        with _errors_as_ours(self._path):
            if self._client:
                return self._client.row(identifier, keys)
            [[text]] = self._spark.sql(f"DESCRIBE TABLE EXTENDED {self._path} AS JSON").collect()
        read = json.loads(text)
        created_s = _seconds(read.get("created_time", ""))
        return Row(identifier, table_type=read["type"], partition_keys=keys, create_time_s=created_s)

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        """As the metastore has them; without a client all of them, with keys as Spark spells its columns."""
        with _errors_as_ours(self._path):
            if self._client:
                wanted = prefix or {}
                names = self._client.names(identifier, _found_part(wanted))
                return [name for name in names if wanted.items() <= parse_partition_name(name).items()]
            return [str(row[0]) for row in self._spark.sql(f"SHOW PARTITIONS {self._path}").collect()]

    def partition_names_within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        """The names of the partitions whose first value is in a range; all names are read for it."""
        return texts.select(self.partition_names(identifier), keys[0])

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]:
        """The partitions of these names; missing ones are left out.

        A call each, or one for those that differ in the last column alone. Needs the client.
        """
        specs = [parse_partition_name(name) for name in names]
        wanted = dict.fromkeys(tuple(spec.values()) for spec in specs)
        by_parent: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for values in wanted:
            by_parent.setdefault(values[:-1], []).append(values)
        prefixes: dict[tuple[tuple[str, str], ...], None] = {}
        for parent, asked in by_parent.items():
            few = len(asked) < (_WORTH_A_PREFIX if parent else _WORTH_THE_TABLE)
            for first in asked if few else [parent]:
                prefixes[tuple(_found_part(dict(zip(specs[0], first, strict=False))).items())] = None
        # Without a value it is the whole table, which has all others in it.
        found: dict[tuple[str, ...], Partition] = {}
        with _errors_as_ours(self._path):
            for prefix in [()] if () in prefixes else prefixes:
                objects = self._client.partitions(identifier, dict(prefix)) if self._client else ()
                partitions = (_partition(one, list(specs[0])) for one in objects)
                found |= {partition.values: partition for partition in partitions if partition.values in wanted}
        return list(found.values())

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool:
        """Raise an UnsupportedFeatureError: Spark has no call for events."""
        raise UnsupportedFeatureError(
            f"It is unknown through Spark whether {identifier} has the event LOAD_DONE for {name}: Spark does not ask "
            f"for events. Leave the table out of base_tables= to read it without Spark, or use another mark.",
            identifier=str(identifier),
        )


def hive_client(spark: Any) -> HiveClient | None:
    """None where a session has none: that of a Spark Connect client, and one without Hive."""
    if is_connect(spark) or query_plans.kind_of(_external_catalog(spark)) != "HiveExternalCatalog":
        return None
    return HiveClient(spark)


def described(spark: Any, path: str) -> list[tuple[str, str]]:
    """The rows of DESCRIBE TABLE EXTENDED. NoSuchTableError: the session does not know the table."""
    with _errors_as_ours(path):
        return [(row[0], row[1]) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {path}").collect()]


def _external_catalog(spark: Any) -> Any:
    return spark._jsparkSession.sharedState().externalCatalog().unwrapped()


@contextmanager
def _errors_as_ours(path: str) -> Iterator[None]:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    try:
        yield
    except AnalysisException as error:
        ours = error_of(error, "spark")
        if isinstance(ours, NoSuchTableError):
            raise NoSuchTableError(f"Spark does not know the table {path}: {ours}", table=path) from error
        raise ours from error


def _partition_columns(rows: list[tuple[str, str]]) -> tuple[Column, ...]:
    """From the rows of DESCRIBE: after the heading, up to an empty line."""
    names = [name for name, _ in rows]
    if _PARTITION_COLUMNS not in names:
        return ()
    start = names.index(_PARTITION_COLUMNS) + 2
    columns = rows[start : names.index("", start)]
    return tuple(Column(name.lower(), type_) for name, type_ in columns)


def _found_part(prefix: Mapping[str, str]) -> dict[str, str]:
    """As much of a prefix as finds all partitions that have it."""
    return dict(takewhile(lambda pair: _FOUND.fullmatch(pair[1]), prefix.items()))


def _seconds(time: str) -> int:
    """0 where it is unknown, as in a row."""
    return int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()) if time[:1].isdigit() else 0


def _partition(found: Mapping[str, Any], keys: list[str]) -> Partition:
    location = found["storage"]["locationUri"]
    return Partition(
        # From five columns on, Scala's maps have an order of their own.
        values=tuple([found["spec"][key] for key in keys]),
        parameters=found["parameters"],
        create_time_s=found["createTime"] // 1000,
        has_descriptor=True,
        # Spark holds it as a URI, in which the metastore's text is escaped once more.
        location=unquote(location) if location else None,
    )
