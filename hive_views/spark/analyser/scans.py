"""One scan of a table in a physical plan: which table, by what its partitions are filtered, which of them are left."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import date
from typing import Any
from urllib.parse import unquote_plus

from hive_views.hive.conversion import spelled
from hive_views.hive.partition_names import DEFAULT_PARTITION, escape
from hive_views.hive.partition_values import typed_value
from hive_views.hive.types import parse_hive_type
from hive_views.spark.analyser import query_plans
from hive_views.spark.sessions.session_beside import active

_OWN_CATALOG = "spark_catalog"
_ICEBERG_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_PACKAGES = {"org.apache.iceberg.": "iceberg", "org.apache.spark.sql.delta.": "delta"}
# Leaves that read no table.
_NO_TABLES = frozenset(("LocalTableScanExec", "OneRowRelationExec", "RangeExec", "EmptyRelationExec"))
_EPOCH = date(1970, 1, 1).toordinal()

Filters = frozenset[str]
"""Filters as text, the same in each plan of a query."""


class Scan(ABC):
    """A scan of one table.

    Attributes:
        table: its name, as ``InputTable.name``.
        keys: names of its partition columns, of an Iceberg table those that its partitions are made of; () for none.
            None: not known, since this kind of scan does not show it.
    """

    table: str
    keys: tuple[str, ...] | None

    @abstractmethod
    def filters(self) -> Filters:
        """The conditions that leave out partitions and are known before anything runs."""

    @abstractmethod
    def list_partitions(self) -> tuple[str, ...] | None:
        """Names of the partitions that are left; None: unknown. UnavailableError: the metastore failed."""


def scan_of(spark: Any, leaf: Any) -> Scan | None:
    """The scan that a leaf of a physical plan is; None where it reads no table."""
    kind = query_plans.kind_of(leaf)
    if kind in _NO_TABLES:
        return None
    if kind == "FileSourceScanExec":
        return _FileScan(spark, leaf)
    if kind == "HiveTableScanExec":
        return _HiveScan(spark, leaf)
    if kind == "BatchScanExec" and str(leaf.table().getClass().getName()) == _ICEBERG_TABLE:
        return _IcebergScan(spark, leaf)
    return _OtherScan(leaf)


def name_of_relation(node: Any) -> tuple[str, str] | None:
    """Name and format of the table or view that a node of an analysed plan is; None if it is neither."""
    kind = query_plans.kind_of(node)
    if kind == "View":
        # A temporary view is a part of the query.
        return None if node.isTempView() else (_metastore_name(node.desc().identifier()), "view")
    if kind == "HiveTableRelation":
        return _metastore_name(node.tableMeta().identifier()), "hive"
    if kind == "LogicalRelation":
        table = query_plans.optional(node.catalogTable())
        # Delta gives a table that is read by its location an identifier without a database.
        if table is not None and table.identifier().database().isDefined():
            return _metastore_name(table.identifier()), (query_plans.optional(table.provider()) or "hive").lower()
        return _unnamed(node.relation())
    if kind == "DataSourceV2Relation":
        class_ = str(node.table().getClass().getName())
        formats = (format_ for package, format_ in _PACKAGES.items() if class_.startswith(package))
        return _catalog_name(node), next(formats, class_.rpartition(".")[2])
    return None


class _FileScan(Scan):
    """Files of a Hive table that Spark reads itself, of a data source table, or of a Delta table."""

    def __init__(self, spark: Any, leaf: Any) -> None:
        self._spark = spark
        self._relation = leaf.relation()
        self._filters = _static(spark, leaf.partitionFilters())
        identifier = query_plans.optional(leaf.tableIdentifier())
        self._identifier = identifier if identifier and identifier.database().isDefined() else None
        self._schema = query_plans.elements(self._relation.partitionSchema())
        self.keys = tuple(str(field.name()) for field in self._schema)
        self.table = _metastore_name(self._identifier) if self._identifier else _unnamed(self._relation)[0]

    def filters(self) -> Filters:
        return _texts(self._filters)

    def list_partitions(self) -> tuple[str, ...] | None:
        index = self._relation.location()
        if query_plans.kind_of(index) == "CatalogFileIndex":
            return _in_metastore(self._spark, self._identifier, self._filters)
        selected = index.listFiles(
            query_plans.sequence(self._spark, self._filters), query_plans.sequence(self._spark, [])
        )
        return tuple(sorted({self._name(directory.values()) for directory in query_plans.elements(selected)}))

    def _name(self, values: Any) -> str:
        parts = []
        for place, field in enumerate(self._schema):
            type_ = str(field.dataType().simpleString())
            value = None if values.isNullAt(place) else values.get(place, field.dataType())
            parts.append(f"{escape(str(field.name()).lower())}={_spelled(value, type_)}")
        return "/".join(parts)


class _HiveScan(Scan):
    """A Hive table of a format that only Hive's own code reads."""

    def __init__(self, spark: Any, leaf: Any) -> None:
        self._spark = spark
        self._identifier = leaf.relation().tableMeta().identifier()
        self._filters = _static(spark, leaf.partitionPruningPred())
        self.table = _metastore_name(self._identifier)
        self.keys = tuple(str(column.name()) for column in query_plans.elements(leaf.relation().partitionCols()))

    def filters(self) -> Filters:
        return _texts(self._filters)

    def list_partitions(self) -> tuple[str, ...] | None:
        return _in_metastore(self._spark, self._identifier, self._filters) if self.keys else ("",)


class _IcebergScan(Scan):
    """An Iceberg table, whose own code decides what of a condition reaches its partitions, transformed or not."""

    def __init__(self, spark: Any, leaf: Any) -> None:
        self._iceberg = spark._jvm.org.apache.iceberg
        self._spark_table = leaf.table()
        self._table = leaf.table().table()
        self._filters = query_plans.elements(query_plans.hidden(spark, leaf.scan(), "filters"))
        fields = query_plans.elements(self._table.spec().fields())
        schema = self._table.schema()
        self.keys = tuple(str(schema.findColumnName(field.sourceId())) for field in fields)
        self.table = _short(str(self._spark_table.name()))

    def filters(self) -> Filters:
        projection = self._iceberg.expressions.Projections.inclusive(self._table.spec(), False)
        return frozenset(
            str(condition.toString())
            for condition in self._filters
            if condition.op().name() != "NOT_NULL" and projection.project(condition).op().name() != "TRUE"
        )

    def list_partitions(self) -> tuple[str, ...] | None:
        scan = self._table.newScan()
        if self._spark_table.snapshotId() is not None:
            scan = scan.useSnapshot(self._spark_table.snapshotId())
        for condition in self._filters:
            scan = scan.filter(condition)
        tasks = scan.planFiles()
        try:
            paths = {str(task.spec().partitionToPath(task.file().partition())) for task in query_plans.elements(tasks)}
        finally:
            tasks.close()
        return tuple(sorted(map(_renamed, paths)))


class _OtherScan(Scan):
    """A source that this library knows nothing of."""

    def __init__(self, leaf: Any) -> None:
        self.table = str(leaf.nodeName())
        is_batch = query_plans.kind_of(leaf) == "BatchScanExec"
        if is_batch:
            self.table = _short(str(leaf.table().name()))
        self.keys = () if is_batch and not list(leaf.table().partitioning()) else None

    def filters(self) -> Filters:
        return frozenset()

    def list_partitions(self) -> tuple[str, ...] | None:
        return None


def _static(spark: Any, filters: Any) -> list[Any]:
    """The conditions that are known before anything runs, without those that Spark infers itself."""
    subqueries = spark._jvm.org.apache.spark.sql.catalyst.expressions.SubqueryExpression
    return [
        condition
        for condition in query_plans.elements(filters)
        if query_plans.kind_of(condition) != "IsNotNull" and not subqueries.hasSubquery(condition)
    ]


def _texts(filters: list[Any]) -> Filters:
    return frozenset(str(condition.sql()) for condition in filters)


def _in_metastore(spark: Any, identifier: Any, filters: list[Any]) -> tuple[str, ...]:
    """The names of a Hive table's partitions for which these conditions hold; no files are listed."""
    database, table = identifier.database().get(), identifier.table()
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    zone = spark.conf.get("spark.sql.session.timeZone")
    # Called from outside a query, Hive's client would go by the settings of another session.
    with (
        active(spark, spark._jsparkSession),
        query_plans.metastore_failures(f"the partitions of {_metastore_name(identifier)} were listed"),
    ):
        found = catalog.listPartitionsByFilter(database, table, query_plans.sequence(spark, filters), zone)
    keys = [str(name) for name in query_plans.elements(catalog.getTable(database, table).partitionColumnNames())]
    specs = (partition.spec() for partition in query_plans.elements(found))
    return tuple(
        sorted("/".join(f"{escape(key.lower())}={_escaped(spec.apply(key))}" for key in keys) for spec in specs)
    )


def _escaped(value: str | None) -> str:
    return escape(value) if value else DEFAULT_PARTITION


def _spelled(value: Any, type_: str) -> str:
    """A value of one of Spark's own rows as it stands in the name of a partition."""
    if value is None:
        return DEFAULT_PARTITION
    text = date.fromordinal(_EPOCH + value).isoformat() if type_ == "date" else str(value)
    typed = typed_value(text.lower() if type_ == "boolean" else text, type_)
    return _escaped(text if typed is None else spelled(typed, parse_hive_type(type_)))


def _renamed(path: str) -> str:
    """An Iceberg partition's path, in which values are encoded as in a URL, escaped as Hive escapes."""
    if not path:
        return ""
    pairs = (part.partition("=") for part in path.split("/"))
    return "/".join(
        f"{escape(unquote_plus(key).lower())}={DEFAULT_PARTITION if value == 'null' else escape(unquote_plus(value))}"
        for key, _, value in pairs
    )


def _metastore_name(identifier: Any) -> str:
    return f"{identifier.database().get()}.{identifier.table()}"


def _catalog_name(node: Any) -> str:
    catalog, identifier = query_plans.optional(node.catalog()), query_plans.optional(node.identifier())
    if catalog is None or identifier is None:
        return _short(str(node.table().name()))
    return _short(".".join([str(catalog.name()), *map(str, identifier.namespace()), str(identifier.name())]))


def _short(name: str) -> str:
    """A name without the catalog that is the metastore."""
    return name.removeprefix(f"{_OWN_CATALOG}.")


def _unnamed(relation: Any) -> tuple[str, str]:
    """Location and format of a table that is read by its location, or the kind of another source."""
    if query_plans.kind_of(relation) != "HadoopFsRelation":
        return query_plans.kind_of(relation), query_plans.kind_of(relation)
    [location, *_] = query_plans.elements(relation.location().rootPaths())
    format_ = "delta" if ".delta." in str(relation.location().getClass().getName()) else str(relation.toString())
    return str(location), format_.lower()
