"""Waiting for partitions: which are missing, and the trigger that asks until none is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from hive_views.airflow.hook import HiveViewsHook
from hive_views.airflow.task_arguments import Partition, spec_of
from hive_views.errors import HiveViewsError, NotFoundError, UnavailableError
from hive_views.hive.partition_names import partition_name
from hive_views.hive.partition_values import normalise_spec
from hive_views.messages.enumerated import first_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

SHOWN = 20
"""How many names a line of the log has."""


def missing_partitions(catalog: ViewCatalog, view: str, partitions: Sequence[Partition]) -> list[str]:
    """The names of those partitions that a view (or table) does not have, in two calls on one connection.

    The connection is closed: a metastore keeps a thread for each open one, and many sensors wait at once.

    Raises:
        NoSuchTableError: there is no such view.
        InvalidInputError: a partition is not given by values of the view's partition columns.
        UnavailableError: the metastore does not answer.
    """
    identifier = TableIdentifier.of(view)
    with catalog:
        keys = catalog.metastore.load_row(identifier).partition_keys
        columns = [key.name for key in keys]
        names = [partition_name(columns, normalise_spec(spec_of(one), keys)) for one in partitions]
        there = catalog.metastore.load_partitions(identifier, names)
    declared = {partition_name(columns, one.values) for one in there}
    return [name for name in names if name not in declared]


class ViewPartitionTrigger(BaseTrigger):  # type: ignore[misc]
    """Fires when a view has all of these partitions; what ``ViewPartitionSensor`` is deferred to.

    While the metastore cannot be asked, or has no such view, it waits: the timeout of the task ends that.

    Args:
        view: ``namespace.name`` of a view or table.
        partitions: names or values.
        metastore_conn_id: the connection.
        poke_interval: seconds from one look to the next.
    """

    def __init__(
        self, view: str, partitions: Sequence[Partition], metastore_conn_id: str, poke_interval: float
    ) -> None:
        super().__init__()
        self.view = view
        self.partitions = partitions
        self.metastore_conn_id = metastore_conn_id
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The path of the class, and the arguments to make it again in a triggerer."""
        return f"{type(self).__module__}.{type(self).__qualname__}", {
            "view": self.view,
            "partitions": list(self.partitions),
            "metastore_conn_id": self.metastore_conn_id,
            "poke_interval": self.poke_interval,
        }

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until all partitions are there; an event with ``error`` says why that can never be."""
        while True:
            try:
                catalog = await HiveViewsHook(self.metastore_conn_id).aget_conn()
                missing = await asyncio.to_thread(missing_partitions, catalog, self.view, self.partitions)
            except (UnavailableError, NotFoundError) as error:
                # Spark replaces a view by dropping it.
                self.log.warning("Cannot see the partitions of %s, and will look again: %s", self.view, error)
            except HiveViewsError as error:
                yield TriggerEvent({"error": str(error)})
                return
            else:
                if not missing:
                    yield TriggerEvent({})
                    return
                self.log.info("%s: these partitions are missing: %s", self.view, first_of(missing, SHOWN))
            await asyncio.sleep(self.poke_interval)
