"""Many publications as one Spark job: a task for a few of them, each executor on a metastore connection of its own.

Spark repeats the tasks of an executor that is lost, and may run one twice at once. Neither does harm: of two that
publish the same, each declares what the other has not.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.publishing.batch.publication import Publication, check_publications, in_waves
from hive_views.publishing.batch.publish_each import Attempt, PublicationOutcome, columns_of_views, publish_one
from hive_views.publishing.notifying.receivers import receivers_of
from hive_views.publishing.publish import publish_request
from hive_views.spark.publishing.recording import OnPublished, Recording
from hive_views.spark.publishing.strict import check_strict_to_publish
from hive_views.spark.sessions.session_beside import is_connect
from hive_views.views.catalog import ViewCatalog

OUTCOMES = (
    "name string, view string, state string, added array<string>, retracted array<string>, "
    "waiting map<string, array<string>>, already_published bigint, error string, error_type string, seconds double, "
    "started_at_ms bigint, process string"
)
"""The columns of the result: the fields of PublicationOutcome, but ``late``, which tables that exist do not have."""
_LATE = "late map<string, bigint>"

# A slice is what a lost executor makes Spark repeat, and costs some milliseconds of its own.
_SLICE = 20
_FEW = 64


def publish_all(
    spark: Any,
    catalog: ViewCatalog,
    publications: Sequence[Publication],
    *,
    dry_run: bool = False,
    table: str | None = None,
    slices: int | None = None,
    on_published: OnPublished | None = None,
) -> Any:
    """Carry out publications on the executors; one that fails does not stop the others. Classic Spark and Connect.

    hive_views must be installed where the executors run, and they must reach the metastore with the settings of the
    catalog, which are sent to them with its passwords. Each Python process of an executor keeps its connection for
    all the publications that it gets.

    A publication with ``record_reads`` is carried out by the driver, one after the other, since only a session knows
    what a query reads; it takes a classic session on the metastore of the catalog, and tenths of a second for each
    partition that is added.

    Args:
        spark: a session.
        catalog: where the views are.
        publications: of ``read_publications``, or made in Python; their functions must be picklable by PySpark. Strict
            ones fail with Connect, which does not show Spark's plans.
        dry_run: decide and report, and write nothing.
        table: a table to append the result to, beside returning it; it is created when missing.
        slices: how many tasks; by default one for each publication, or for 20 of them when there are many.
        on_published: called by the driver for each partition that was added, as by ``hive_views.spark.publish``. All
            publications are carried out as if they had ``record_reads``. If it raises, the publication has failed.

    Returns:
        A DataFrame with the columns of OUTCOMES and a row for each publication, in their order, but after those
        whose views they require. All work is done when it is returned; reading it again publishes nothing.

    Raises:
        InvalidInputError: publications exclude each other, there is none, one that executors carry out notifies a
            local file, or the catalog is one of this process only;
            nothing was published.
        PySparkException: the job failed as a whole, as when hive_views is missing on the executors.
    """
    outcomes = publish_as_job(spark, catalog, publications, dry_run=dry_run, slices=slices, on_published=on_published)
    return as_dataframe(spark, outcomes, table)


def as_dataframe(spark: Any, outcomes: Sequence[PublicationOutcome], table: str | None) -> Any:
    """Outcomes as a DataFrame, appended to a table if one is named, which is created if it is missing."""
    result = spark.createDataFrame([_row(one)[:-1] for one in outcomes], OUTCOMES)
    if table is not None:
        result.write.mode("append").saveAsTable(table)
    return result


def publish_as_job(
    spark: Any,
    catalog: ViewCatalog,
    publications: Sequence[Publication],
    *,
    dry_run: bool = False,
    slices: int | None = None,
    on_published: OnPublished | None = None,
) -> list[PublicationOutcome]:
    """What ``publish_all`` does, with the outcomes as they are; the arguments are those of ``publish_all``."""
    if not publications:
        raise InvalidInputError("There is no publication to carry out.")
    check_publications(publications, columns_of_views(catalog))
    _refuse_files_of_executors([one for one in publications if not one.record_reads and on_published is None])
    if on_published is not None:
        publications = [replace(one, record_reads=True) for one in publications]
    waves, task = in_waves(publications), _task(_pickled(catalog), dry_run)

    def on_driver(one: Publication) -> PublicationOutcome:
        return _on_driver(spark, catalog, one, dry_run, on_published)

    return [outcome for wave in waves for outcome in _carried_out(spark, catalog, task, on_driver, wave, slices)]


def _refuse_files_of_executors(publications: Sequence[Publication]) -> None:
    for one in publications:
        if file := next((receiver for receiver in receivers_of(one.notify) if receiver.is_file), None):
            raise InvalidInputError(
                f"Publication {one.name} notifies {file}, which each executor would write on its own machine. Notify "
                f"an http(s) URL, or run it without executors.",
            )


def _carried_out(
    spark: Any,
    catalog: ViewCatalog,
    task: Callable[[bytes], tuple[Any, ...]],
    on_driver: Callable[[Publication], PublicationOutcome],
    publications: Sequence[Publication],
    slices: int | None,
) -> list[PublicationOutcome]:
    """The outcomes in their order; plans that strict ones are judged by are the driver's, which has the session."""
    refused = {one.name: failed for one in publications if (failed := _not_strict(spark, catalog, one))}
    fine = [one for one in publications if one.name not in refused]
    sent = [one for one in fine if not one.record_reads]
    done = _on_executors(spark, task, sent, slices) if sent else []
    done += [on_driver(one) for one in fine if one.record_reads]
    found = {**refused, **{outcome.name: outcome for outcome in done}}
    return [found[one.name] for one in publications]


def _not_strict(spark: Any, catalog: ViewCatalog, publication: Publication) -> PublicationOutcome | None:
    attempt = Attempt(publication)
    try:
        check_strict_to_publish(spark, catalog, publication.view, publication.strict)
    except Exception as error:  # noqa: BLE001 - what Spark says of a broken view stops no other
        return attempt.failed(error)
    return None


def _on_driver(
    spark: Any, catalog: ViewCatalog, publication: Publication, dry_run: bool, on_published: OnPublished | None
) -> PublicationOutcome:
    attempt = Attempt(publication)
    try:
        request = publication.request(dry_run=dry_run)
        recording = Recording(spark, catalog, request, on_published)
        outcome = attempt.succeeded(publish_request(catalog, request, recording.record))
    except Exception as error:  # noqa: BLE001 - what one publication raises stops no other
        return attempt.failed(error)
    if dry_run:
        return outcome
    try:
        recording.report()
    except Exception as error:  # noqa: BLE001 - what one publication's callback raises stops no other
        failed = attempt.failed(error)
        return replace(outcome, state=failed.state, error=failed.error, error_type=failed.error_type)
    return outcome


def _on_executors(
    spark: Any, task: Callable[[bytes], tuple[Any, ...]], publications: Sequence[Publication], slices: int | None
) -> list[PublicationOutcome]:
    from pyspark import cloudpickle  # noqa: PLC0415 - an optional package

    # PySpark chooses by the process, which may have sessions of both kinds.
    functions = import_module(f"pyspark.sql{'.connect' if is_connect(spark) else ''}.functions")
    # Without Arrow, which executors may lack. Spark evaluates what it takes for repeatable wherever a plan needs it.
    carry_out = functions.udf(task, f"{OUTCOMES}, {_LATE}", useArrow=False).asNondeterministic()
    rows = [(number, bytearray(cloudpickle.dumps(one))) for number, one in enumerate(publications)]
    # By range, since round robin begins anywhere and gives some tasks twice as much as others.
    tasks = spark.createDataFrame(rows, "number int, publication binary").repartitionByRange(
        slices or _slices(len(rows)), "number"
    )
    done = tasks.select("number", carry_out("publication").alias("outcome")).collect()
    return [_outcome(row["outcome"].asDict()) for row in sorted(done, key=lambda row: row["number"])]


def _slices(publications: int) -> int:
    return min(publications, max(_FEW, math.ceil(publications / _SLICE)))


def _pickled(catalog: ViewCatalog) -> bytes:
    try:
        return pickle.dumps(catalog)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise InvalidInputError(
            f"{catalog.metastore!r} exists only in this process, and executors run in others: {error}. Use a metastore "
            f"at thrift://."
        ) from error


def _task(pickled: bytes, dry_run: bool) -> Callable[[bytes], tuple[Any, ...]]:
    def carry_out(publication: bytes) -> tuple[Any, ...]:
        return _row(publish_one(_catalog(pickled), pickle.loads(publication), dry_run=dry_run))  # noqa: S301 - our own

    return carry_out


@lru_cache(maxsize=4)
def _catalog(pickled: bytes) -> ViewCatalog:
    """The catalog of this process, with its connections, for as long as the process lives."""
    catalog: ViewCatalog = pickle.loads(pickled)  # noqa: S301 - our own
    return catalog


def _row(outcome: PublicationOutcome) -> tuple[Any, ...]:
    waiting = {name: list(reasons) for name, reasons in outcome.waiting.items()}
    lists = {"added": list(outcome.added), "retracted": list(outcome.retracted)}
    return tuple({**outcome.document(), **lists, "waiting": waiting}.values())


def _outcome(row: dict[str, Any]) -> PublicationOutcome:
    waiting = {name: tuple(reasons) for name, reasons in row["waiting"].items()}
    lists = {"added": tuple(row["added"]), "retracted": tuple(row["retracted"])}
    return PublicationOutcome(**{**row, **lists, "waiting": waiting})
