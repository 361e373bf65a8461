"""Published partitions as OpenLineage events, for Marquez, DataHub and other catalogs."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from hive_views.analysis.query_analysis import Clause
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.spark.analyser.query_inputs import InputTable
from hive_views.spark.publishing.recording import OnPublished, PublishedPartition

_PRODUCER = "https://pypi.org/project/hive_views"
_LONGEST_CLOSING_S = 60.0
# https://openlineage.io/docs/spec/facets/dataset-facets/column_lineage_facet
_SUBTYPES = {
    Clause.JOIN: "JOIN",
    Clause.WHERE: "FILTER",
    Clause.HAVING: "FILTER",
    Clause.GROUP_BY: "GROUP_BY",
    Clause.ORDER_BY: "SORT",
}


def openlineage_events(
    dataset_namespace: str, *, client: Any = None, job_namespace: str = "hive_views", job: str | None = None
) -> OnPublished:
    """A callback for ``on_published`` of ``publish`` and ``publish_all`` that reports each partition as a run of its
    own.

    A run starts and completes at once, with the tables and views that were read, their partitions where they are known,
    the partition that was published, and the columns of the view with those of tables they are made of (DIRECT); those
    that decide about rows (INDIRECT) are said of the partition as a whole.

    Args:
        dataset_namespace: what OpenLineage calls the metastore: ``hive://metastore:9083``.
        client: an ``OpenLineageClient``; by default one that is configured as OpenLineage's own documents say
            (``OPENLINEAGE_URL``, ``openlineage.yml``).
        job_namespace: where the job is.
        job: its name; by default ``publish.<view>``.

    Raises:
        UnsupportedFeatureError: the package is missing.
    """
    try:
        from openlineage.client import OpenLineageClient  # noqa: PLC0415 - an optional package
        from openlineage.client.event_v2 import Job, Run, RunEvent, RunState  # noqa: PLC0415 - likewise
        from openlineage.client.uuid import generate_new_uuid  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"OpenLineage events need the package openlineage-python, which cannot be imported ({error}). "
            f'Install it with: pip install "hive_views[lineage]"'
        ) from error
    sender = client or OpenLineageClient()
    if client is None:
        # Some transports queue, and lose what is queued at the end of the process.
        atexit.register(sender.close, _LONGEST_CLOSING_S)

    def send(published: PublishedPartition) -> None:
        run = Run(runId=str(generate_new_uuid()))
        doer = Job(namespace=job_namespace, name=job or f"publish.{published.view}")
        read = [_input(table, dataset_namespace) for table in published.inputs.tables]
        written = [_output(published, dataset_namespace)]
        for state in (RunState.START, RunState.COMPLETE):
            now = datetime.now(timezone.utc).isoformat()
            sender.emit(
                RunEvent(
                    eventTime=now,
                    producer=_PRODUCER,
                    run=run,
                    job=doer,
                    eventType=state,
                    inputs=read,
                    outputs=written,
                )
            )

    return send


def _input(table: InputTable, namespace: str) -> Any:
    from openlineage.client.event_v2 import InputDataset  # noqa: PLC0415 - an optional package
    from openlineage.client.facet_v2 import base_subset_dataset as subset  # noqa: PLC0415 - likewise

    # A table without partition columns is read as a whole.
    named = [name for name in table.partitions or () if name]
    facets: dict[str, Any] = (
        {"subset": subset.InputSubsetInputDatasetFacet(inputCondition=_condition(named))} if named else {}
    )
    return InputDataset(namespace=namespace, name=table.name, inputFacets=facets)


def _output(published: PublishedPartition, namespace: str) -> Any:
    from openlineage.client.event_v2 import OutputDataset  # noqa: PLC0415 - an optional package
    from openlineage.client.facet_v2 import base_subset_dataset as subset  # noqa: PLC0415 - likewise
    from openlineage.client.facet_v2 import column_lineage_dataset as lineage  # noqa: PLC0415 - likewise

    condition = _condition([published.partition])

    def read(column: tuple[str, str], *transformations: lineage.Transformation) -> lineage.InputField:
        table, name = column
        return lineage.InputField(namespace=namespace, name=table, field=name, transformations=[*transformations])

    direct = lineage.Transformation(type="DIRECT")
    fields = {
        name: lineage.Fields(inputFields=[read(column, direct) for column in columns])
        for name, columns in published.inputs.columns.items()
    }
    deciding = [
        read(column, *(lineage.Transformation(type="INDIRECT", subtype=_SUBTYPES.get(one)) for one in clauses))
        for column, clauses in published.inputs.filters.items()
    ]
    return OutputDataset(
        namespace=namespace,
        name=published.view,
        facets={"columnLineage": lineage.ColumnLineageDatasetFacet(fields=fields, dataset=deciding)},
        outputFacets={"subset": subset.OutputSubsetOutputDatasetFacet(outputCondition=condition)},
    )


def _condition(names: Sequence[str]) -> Any:
    from openlineage.client.facet_v2 import base_subset_dataset as subset  # noqa: PLC0415 - an optional package

    partitions = [subset.Partition(dimensions=dict(parse_partition_name(name)), identifier=name) for name in names]
    return subset.PartitionSubsetCondition(partitions=partitions)
