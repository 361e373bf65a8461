"""Assets: what Airflow knows a view by, and the events about its partitions that start other DAGs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import Asset, AssetAlias

from hive_views.airflow.hook import DEFAULT_CONNECTION
from hive_views.spec.identifiers import TableIdentifier

# An outlet that is an asset sends an event whenever its task succeeds, though nothing was declared. One that is an
# alias sends those that the task adds.
EVENTS = AssetAlias("hive_views")


def view_asset(view: str, metastore_conn_id: str = DEFAULT_CONNECTION) -> Asset:
    """The asset of a view, for ``schedule=[view_asset("sales.daily")]``.

    Its URI is ``hive-views://metastore_default/sales/daily``.

    Args:
        view: ``namespace.name``.
        metastore_conn_id: the connection that ``PublishOperator`` uses.
    """
    identifier = TableIdentifier.of(view)
    return Asset(f"hive-views://{metastore_conn_id}/{identifier.namespace}/{identifier.name}")


def send_event(context: Any, asset: Asset, partitions: Sequence[str], *, per_partition: bool) -> None:
    """Have an event sent when the task succeeds, with the names of partitions.

    Args:
        context: of the task.
        asset: of the view.
        partitions: their names.
        per_partition: send an event for each partition instead, whose partition key is the partition's name.
    """
    if not partitions:
        return
    if not per_partition:
        context["outlet_events"][EVENTS].add(asset, extra={"partitions": list(partitions)})
        return
    # An alias has no partition keys. The outlets of the task that runs are sent with its success.
    context["task"].outlets = [*context["task"].outlets, asset]
    context["outlet_events"][asset].add_partitions(list(partitions))
