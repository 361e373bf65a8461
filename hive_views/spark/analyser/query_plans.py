"""The way into Spark's plans: what the analyser understood of a query, and how its tables would be scanned.

The shapes are those of Spark 4.1, and of Hive tables in 4.3. Names of plan nodes are internal to Spark, so every reader
ends in an error or in "unknown" at a node that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hive_views.errors import UnavailableError, UnsupportedFeatureError
from hive_views.spark.analyser.query_schema import error_of
from hive_views.spark.sessions.local_session import errors_not_logged
from hive_views.spark.sessions.session_beside import is_connect, session_beside

# These rules list the files of every partition that a predicate leaves, which takes seconds; the scans show the
# predicates without them.
_FILE_LISTING_RULES = (
    "org.apache.spark.sql.execution.datasources.PruneFileSourcePartitions",
    "org.apache.spark.sql.hive.execution.PruneHiveTablePartitions",
)
_EXCLUDED_RULES = "spark.sql.optimizer.excludedRules"
_PRUNING_FALLBACK = "spark.sql.hive.metastorePartitionPruningFallbackOnException"
# What one side of a join says about the other when a query runs; such a filter scans its side once more.
_WITHOUT_RUNTIME_FILTERS = {
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
}


def check_classic(spark: Any, what: str) -> None:
    """Raise an UnsupportedFeatureError for a Spark Connect client, which has no plans."""
    if is_connect(spark):
        raise UnsupportedFeatureError(
            f"{what} reads Spark's plans, which a Spark Connect client does not have. Use a classic SparkSession, as "
            f"spark-submit and SparkSession.builder.master(...) make it.",
        )


def frame(spark: Any, query: str) -> Any:
    """The analysed query as a DataFrame; raises SQLSyntaxError, NoSuchTableError and UnavailableError as
    ``schema_of``.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    try:
        with errors_not_logged():
            made = spark.sql(query)
            # A Connect client analyses no sooner than it is asked.
            made.schema  # noqa: B018
            return made
    except AnalysisException as error:
        raise error_of(error, "spark") from error


@contextmanager
def metastore_failures(doing: str) -> Iterator[None]:
    """Raise an UnavailableError for what Spark raises where its metastore fails, as at a filter on partitions.

    A metastore whose direct SQL is switched off, or fails, filters partition columns of strings only.

    Args:
        doing: what is done in the block, as it follows "while": ``the partitions of web.clicks were listed``.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    try:
        with errors_not_logged():
            yield
    except AnalysisException as error:
        reason = str(error).strip().splitlines()[0].partition(". ")[0].rstrip(".")
        raise UnavailableError(
            f"The metastore failed while {doing}: {reason}. If it cannot filter partitions, set "
            f"{_PRUNING_FALLBACK}=true in the Spark session, which then lists all of them and filters them itself."
        ) from error


def analyzed(frame_: Any) -> Any:
    """The logical plan with every view and table in it, also those that the optimiser removes."""
    return frame_._jdf.queryExecution().analyzed()


def scans(spark: Any, frame_: Any) -> list[Any]:
    """The leaves of the physical plan, of subqueries as well; nothing runs, and no files are listed.

    Planned beside the cache: CACHE TABLE would hide the tables.
    """
    answer = spark._jvm.org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer
    excluded = [spark.conf.get(_EXCLUDED_RULES, None), *_FILE_LISTING_RULES]
    planned_with = {**_WITHOUT_RUNTIME_FILTERS, _EXCLUDED_RULES: ",".join(filter(None, excluded))}
    with session_beside(spark, planned_with) as beside:
        state = beside.java.sessionState()
        optimised = state.optimizer().execute(analyzed(frame_))
        logical = [optimised, *elements(optimised.subqueriesAll())]
        physical = [state.planner().plan(answer(plan)).next() for plan in logical]
    return [leaf for plan in physical for leaf in elements(plan.collectLeaves())]


def in_session(spark: Any, frame_: Any) -> Any:
    """What a session beside has analysed, as a DataFrame of the session."""
    made = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, analyzed(frame_))
    return type(frame_)(made, spark)


def partition_columns(spark: Any, name: str) -> list[tuple[str, str]]:
    """Names and types of the partition columns that the metastore has of a view or table, in their order."""
    state = spark._jsparkSession.sessionState()
    identifier = state.sqlParser().parseTableIdentifier(name)
    row = state.catalog().getTableMetadata(identifier)
    return [(str(field.name()), str(field.dataType().simpleString())) for field in elements(row.partitionSchema())]


def walk(plan: Any) -> Iterator[Any]:
    """A logical plan's nodes from the top, with those of its subqueries."""
    yield plan
    for child in (*elements(plan.children()), *elements(plan.subqueries())):
        yield from walk(child)


def kind_of(node: Any) -> str:
    """The name of a node's class."""
    return str(node.getClass().getSimpleName())


def elements(sequence: Any) -> list[Any]:
    """What a collection of Scala or Java holds."""
    iterator, found = sequence.iterator(), []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


def sequence(spark: Any, items: list[Any]) -> Any:
    """The items as a Scala Seq."""
    java_list = spark._jvm.java.util.ArrayList()
    for item in items:
        java_list.add(item)
    return spark._jvm.org.apache.spark.api.python.PythonUtils.toSeq(java_list)


def optional(option: Any) -> Any:
    """What a Scala Option holds, or None."""
    return option.get() if option.isDefined() else None


def hidden(spark: Any, target: Any, method: str) -> Any:
    """Call a method without arguments of a Java object that is not public, of its class or one above it.

    Raises:
        UnsupportedFeatureError: there is no such method; another version of the connector has other ones.
    """
    array = spark.sparkContext._gateway.new_array
    class_ = target.getClass()
    while class_ is not None:
        for candidate in class_.getDeclaredMethods():
            if candidate.getName() == method and candidate.getParameterCount() == 0:
                candidate.setAccessible(True)
                return candidate.invoke(target, array(spark._jvm.java.lang.Object, 0))
        class_ = class_.getSuperclass()
    raise UnsupportedFeatureError(
        f"It is unknown what {kind_of(target)} is filtered by: this version of the connector does not show it as the "
        f"one for Spark 4.1 does."
    )
