"""Revalidating, and planning what follows, with Spark: directories listed by the executors, many in each task."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from typing_extensions import Unpack

from hive_views.publishing.directory_contents import Directory, ListDirectories, list_directories
from hive_views.publishing.republish import RepublishOptions
from hive_views.publishing.republish import plan_republish as plan_republish_here
from hive_views.publishing.republish_plan import RepublishPlan
from hive_views.publishing.request import RevalidateOptions
from hive_views.publishing.revalidation import RevalidationReport
from hive_views.publishing.revalidation import revalidate as revalidate_here
from hive_views.readiness.rules import Rule
from hive_views.spark.sessions.session_beside import is_connect
from hive_views.spec.identifiers import Identifier
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog

_SLICE = 500
# Fewer take longer to be handed out than to be listed here.
_FEW = 64
_FOUND = "array<struct<text: string, unknown: string, is_refused: boolean>>"


def revalidate(
    spark: Any, catalog: ViewCatalog, identifier: Identifier, *rules: Rule, **options: Unpack[RevalidateOptions]
) -> RevalidationReport:
    """``hive_views.revalidate``, whose directories of Hive partitions are listed by the executors.

    They need hive_views and the packages of the storage, and get the catalog's ``storage_options``. Tables with history
    are read by the driver. Classic Spark and Connect.

    Args:
        spark: a session.
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: as for ``hive_views.revalidate``.
        options: the others of ``hive_views.revalidate``.

    Raises:
        HiveViewsError: as ``hive_views.revalidate``.
        PySparkException: the job failed as a whole, as when hive_views is missing on the executors.
    """
    options.setdefault("list_directories", by_executors(spark))
    return revalidate_here(catalog, identifier, *rules, **options)


def plan_republish(
    spark: Any,
    catalog: ViewCatalog,
    views: Identifier | Iterable[Identifier],
    *rules: Rule,
    **options: Unpack[RepublishOptions],
) -> RepublishPlan:
    """``hive_views.plan_republish``, whose directories of Hive partitions are listed by the executors.

    The plan is carried out by ``hive_views.apply_republish_plan``, which lists none.

    Args:
        spark: a session.
        catalog: where the views are.
        views: as for ``hive_views.plan_republish``.
        rules: as for ``hive_views.plan_republish``.
        options: the others of ``hive_views.plan_republish``.

    Raises:
        HiveViewsError: as ``hive_views.plan_republish``.
        PySparkException: as ``revalidate``.
    """
    options.setdefault("list_directories", by_executors(spark))
    return plan_republish_here(catalog, views, *rules, **options)


def by_executors(spark: Any) -> ListDirectories:
    """What has the executors list directories; a few are listed here."""

    def list_there(files: Files, locations: Sequence[str]) -> Sequence[Directory]:
        if len(locations) < _FEW:
            return list(list_directories(files, locations))
        # PySpark chooses by the process, which may have sessions of both kinds.
        functions = import_module(f"pyspark.sql{'.connect' if is_connect(spark) else ''}.functions")
        pickled = pickle.dumps(files)

        def list_slice(some: list[str]) -> list[tuple[str | None, str, bool]]:
            found = list_directories(pickle.loads(pickled), some)  # noqa: S301 - our own
            return [(one.text, one.unknown, one.is_refused) for one in found]

        # Without Arrow, which executors may lack. Spark evaluates what is repeatable wherever a plan needs it.
        listing = functions.udf(list_slice, _FOUND, useArrow=False).asNondeterministic()
        size = min(_SLICE, -(-len(locations) // _FEW))
        rows = [(at, list(locations[at : at + size])) for at in range(0, len(locations), size)]
        slices = spark.createDataFrame(rows, "first int, locations array<string>")
        done = slices.repartitionByRange(len(rows), "first").select("first", listing("locations").alias("found"))
        by_first = {row["first"]: row["found"] for row in done.collect()}
        return [Directory(*one) for at, _ in rows for one in by_first[at]]

    return list_there
