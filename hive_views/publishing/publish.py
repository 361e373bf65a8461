"""Publishing: declare the partitions of a view whose base tables have all that they depend on.

read     publishing/listings/base_table_states.py    what the base tables hold, each read once
judge    judging.py, retraction.py        what is ready, what waits and why, what is to be retracted
write    writing.py                       partitions declared and retracted, the run recorded
report   report.py                        what was done
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hive_views.base_tables.port import BaseTable
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.messages.logs import logger_of
from hive_views.publishing.directory_contents import ListDirectories
from hive_views.publishing.directory_contents import list_directories as list_locally
from hive_views.publishing.judging import find_candidates, plan_of
from hive_views.publishing.ledger.fencing import published_by, run_of
from hive_views.publishing.ledger.recorded_rules import RecordedRules, rules_to_record
from hive_views.publishing.listings.base_table_states import BaseTableStates, Fingerprints, read_base_tables
from hive_views.publishing.plan import Plan
from hive_views.publishing.report import PublishReport
from hive_views.publishing.request import MAX_FINGERPRINTS, PublishRequest, checked_parameters
from hive_views.publishing.retraction import find_retractable
from hive_views.publishing.scope import EVERYTHING
from hive_views.publishing.writing import Writing
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Rule
from hive_views.views.catalog import Identifier, ViewCatalog
from hive_views.views.partitions.view_partitions import Spec, ViewPartitions

log = logger_of("hive_views.publishing")


def publish(
    catalog: ViewCatalog,
    identifier: Identifier,
    *rules: Rule,
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
    dry_run: bool = False,
    app_id: str | None = None,
    run_version: int | None = None,
    publication: str | None = None,
    parameters: Mapping[str, str] | None = None,
    base_tables: Mapping[str, BaseTable] | None = None,
    retract: bool = False,
    fingerprints: bool = True,
    metastore_only: bool = False,
    max_fingerprints: int = MAX_FINGERPRINTS,
    list_directories: ListDirectories = list_locally,
) -> PublishReport:
    """Declare the partitions of a view for which all rules say that they are ready.

    Args:
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: made with ``requires``, ``when``, ``all_of`` and ``any_of``; several: all of them.
        candidates: the partitions to look at, by values; by default those named by the partitions of the tables whose
            requirements say ``column(...)`` for each partition column of the view.
        since: values of some partition columns; earlier candidates are left out. Compared by type, as a whole in the
            columns' order.
        until: the same for later ones. The values themselves are in.
        dry_run: decide and report, and write nothing.
        app_id: the name of the job. Together with ``run_version`` it makes a run happen once: a version that was
            completed is skipped, one that was interrupted is continued, one below the latest is refused.
        run_version: rises from run to run: a build number, a time.
        publication: the name that the rules and bounds are recorded under in the view's properties, for ``revalidate``
            and ``status``; by default ``app_id``. It is needed where several publications of a view have no
            application. Recording takes a commit to the view where rules or bounds differ from those recorded; a run
            with neither name nor application commits only where its rules differ, or it looks at partitions outside
            the recorded bounds.
        parameters: stored with each partition that is added, beside our own.
        base_tables: readers for tables that this library cannot read itself, by the names the rules call them.
        retract: drop published partitions, of the candidates and within the bounds, that have lost base partitions
            which they need: these very rules were met by what they were published on, and are not any more because a
            rule in them that asks the same today is not met by the base partitions that are left of those it was met
            by. Left alone, with the reason in the field ``kept``, is what others declared, another application of ours
            included; what these rules did not hold for when it was published, or nobody knows whether they did; what
            fails for any other reason (late data, other values asked for, a function), and everything on a table that
            has no partitions at all or was recreated: it may be about to be loaded again. ``partitions(...).drop``
            drops those.
        fingerprints: record with each partition fingerprints of its base partitions in Hive tables, for ``revalidate``:
            of what the metastore has of them, which asks for their objects, and of what lies in their directories,
            which takes one listing for each that a new partition depends on.
        metastore_only: list no directories; of these partitions ``revalidate`` says ``current by the metastore`` at
            best.
        max_fingerprints: of how many base partitions the run reads fingerprints; of more, the newest partitions of the
            view get one, and the others are ``unknown`` to ``revalidate``.
        list_directories: what lists directories; ``hive_views.spark.publish`` has executors do it.

    Raises:
        NoSuchViewError, NoSuchTableError: the view or a base table does not exist.
        InvalidInputError: a rule does not fit a table or the view; nothing was declared. InvalidPartitionError: the
            view is not partitioned, or a candidate or bound is no value of its columns.
        UnsupportedFeatureError: the format of a base table.
        CommitFailedError: a later version of the application has begun. ViewDriftedError: versions cannot be recorded
            while the view's row is drifted.
        CommitStateUnknownError, UnavailableError: run it again. What was declared before is in the field ``added``.
    """
    request = PublishRequest.of(
        identifier,
        *rules,
        candidates=candidates,
        since=since,
        until=until,
        dry_run=dry_run,
        app_id=app_id,
        run_version=run_version,
        publication=publication,
        parameters=parameters,
        base_tables=base_tables,
        retract=retract,
        fingerprints=fingerprints,
        metastore_only=metastore_only,
        max_fingerprints=max_fingerprints,
        list_directories=list_directories,
    )
    prepared = prepare(catalog, request)
    return prepared if isinstance(prepared, PublishReport) else write(prepared)


def plan_publish(
    catalog: ViewCatalog,
    identifier: Identifier,
    *rules: Rule,
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
    base_tables: Mapping[str, BaseTable] | None = None,
    retract: bool = False,
    fingerprints: bool = False,
    metastore_only: bool = False,
    max_fingerprints: int = MAX_FINGERPRINTS,
    app_id: str | None = None,
) -> Plan:
    """What ``publish`` would declare and retract, to be printed, saved, and applied later with ``apply_plan``.

    Args:
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: as for ``publish``.
        candidates: the partitions to look at; as for ``publish``.
        since: leave out earlier ones.
        until: leave out later ones.
        base_tables: readers for tables, by the names the rules call them.
        retract: plan to drop published partitions that have lost base partitions which they need.
        fingerprints: as for ``publish``. A plan that is to be applied should have them: without them ``revalidate``
            cannot say what happened to the Hive partitions below, and ``retract`` does not see one that is gone with
            another in its place.
        metastore_only: as for ``publish``.
        max_fingerprints: as for ``publish``.
        app_id: the application that the plan is for; it retracts only what that has declared.

    Raises:
        as ``publish`` before it writes.
    """
    request = PublishRequest.of(
        identifier,
        *rules,
        candidates=candidates,
        since=since,
        until=until,
        base_tables=base_tables,
        retract=retract,
        fingerprints=fingerprints,
        metastore_only=metastore_only,
        max_fingerprints=max_fingerprints,
    )
    by = published_by(app_id)
    return _read_and_judge(catalog, catalog.partitions(identifier), request, by, with_inputs=fingerprints).plan


def apply_plan(
    catalog: ViewCatalog,
    plan: Plan,
    *,
    app_id: str | None = None,
    run_version: int | None = None,
    parameters: Mapping[str, str] | None = None,
) -> PublishReport:
    """Declare what a plan found ready, and retract what it found lost, without looking at the base tables again.

    Args:
        catalog: where the view is.
        plan: of ``plan_publish``.
        app_id: the name of the job, as for ``publish``.
        run_version: rises from run to run, as for ``publish``.
        parameters: stored with each partition that is added.

    Raises:
        InvalidInputError: the plan was made for another view that had this name.
        NoSuchViewError, InvalidPartitionError, CommitFailedError, CommitStateUnknownError, UnavailableError: as
            ``publish``.
    """
    run = run_of(app_id, run_version)
    parameters = checked_parameters(parameters)
    partitions = catalog.partitions(plan.view)
    if partitions.view.uuid != plan.view_uuid:
        raise InvalidInputError(
            f"The plan was made for view {plan.view_uuid}; {plan.view} is view {partitions.view.uuid} now. "
            f"Make a new plan.",
            identifier=plan.view,
        )
    writing = Writing(catalog, partitions, plan, run)
    if (run and run.is_done(partitions.view)) or not writing.begin(None):
        return PublishReport(plan.view, skipped=True)
    added = writing.declare(parameters, {})
    try:
        retracted = writing.retract(set(plan.retract))
        writing.finish(None)
    except HiveViewsError as e:
        e.added = added
        raise
    return _report(plan, added, retracted)


@dataclass(frozen=True)
class Prepared:
    """A run that has read and judged, and is about to write.

    Attributes:
        catalog: where the view is.
        request: what the run was asked to do.
        partitions: those of the view.
        declared: the names of all that the view had when they were judged.
        states: what the base tables hold.
        plan: what is to be written.
        rules: what is recorded of its rules and bounds.
    """

    catalog: ViewCatalog
    request: PublishRequest
    partitions: ViewPartitions
    declared: list[str]
    states: BaseTableStates
    plan: Plan
    rules: RecordedRules


def prepare(catalog: ViewCatalog, request: PublishRequest) -> Prepared | PublishReport:
    """The first half of ``publish``: all that is done before anything is written.

    Returns:
        What ``write`` takes; or the report where nothing is to be written: of a dry run, or a run that is done already.

    Raises:
        as ``publish`` before it writes.
    """
    partitions = catalog.partitions(request.view)
    if request.run and request.run.is_done(partitions.view):
        return PublishReport(str(partitions.view.identifier), dry_run=request.dry_run, skipped=True)
    judged = _read_and_judge(catalog, partitions, request, request.published_by, with_inputs=not request.dry_run)
    plan = judged.plan
    if request.dry_run:
        return _report(plan, list(plan.ready), list(plan.retract), dry_run=True)
    rules = rules_to_record(
        request.rule,
        request.scope,
        publication=request.publication,
        app_id=request.run.app_id if request.run else None,
        keys=partitions.keys,
        properties=partitions.view.metadata.properties,
        looked_at=list(judged.candidates.values()),
    )
    return Prepared(catalog, request, partitions, judged.declared, judged.states, plan, rules)


def write(prepared: Prepared, described: Mapping[str, Mapping[str, str]] | None = None) -> PublishReport:
    """The second half of ``publish``: write what was prepared.

    Args:
        prepared: of ``prepare``.
        described: further parameters of partitions that are added, by name.

    Raises:
        as ``publish``.
    """
    request, partitions, plan = prepared.request, prepared.partitions, prepared.plan
    partitions.note_others(prepared.declared)
    writing = Writing(prepared.catalog, partitions, plan, request.run)
    if not writing.begin(prepared.rules):
        return PublishReport(plan.view, skipped=True)
    added = writing.declare(request.parameters, described or {})
    try:
        retracted = writing.retract(_still_lost(prepared)) if plan.retract else []
        writing.finish(prepared.rules)
    except HiveViewsError as e:
        e.added = added
        raise
    prepared.states.memory.save()
    return _report(plan, added, retracted)


@dataclass(frozen=True)
class _Judged:
    """What was read, and the plan that follows from it."""

    declared: list[str]
    states: BaseTableStates
    candidates: Mapping[str, Candidate]
    plan: Plan


def _read_and_judge(
    catalog: ViewCatalog, partitions: ViewPartitions, request: PublishRequest, by: str, *, with_inputs: bool
) -> _Judged:
    states = read_base_tables(catalog, partitions, request.rule, request.scope_to_read, request.base_tables)
    declared = partitions.names()
    candidates = find_candidates(request.rule, states.evidence, request.scope)
    fingerprints = Fingerprints()
    if with_inputs:
        existing = set(declared)
        new = {name: candidate for name, candidate in candidates.items() if name not in existing}
        # Before they are judged, so that what is written meanwhile is a change.
        fingerprints = states.fingerprints(new, request.max_fingerprints, request.list_directories)
    plan = plan_of(states, declared, candidates, request.scope)
    if with_inputs:
        plan = states.with_inputs(plan, fingerprints)
    if request.retract:
        plan = find_retractable(states, declared, request.scope, by).applied_to(plan)
    return _Judged(declared, states, candidates, plan)


def _still_lost(prepared: Prepared) -> Mapping[str, str]:
    """What is to be retracted by what the base tables hold now.

    Adding may have taken minutes, in which base partitions may have come back, and others seen that they are ready.
    """
    request, partitions = prepared.request, prepared.partitions
    states = read_base_tables(prepared.catalog, partitions, request.rule, EVERYTHING, request.base_tables)
    return find_retractable(states, partitions.names(), request.scope, request.published_by).judged


def _report(plan: Plan, added: list[str], retracted: list[str], *, dry_run: bool = False) -> PublishReport:
    new = set(added)
    if not dry_run:
        log.info(
            "published %s: %d added, %d retracted, %d waiting", plan.view, len(new), len(retracted), len(plan.waiting)
        )
    return PublishReport(
        view=plan.view,
        added=tuple(added),
        already_published=(*plan.already_published, *(name for name in plan.ready if name not in new)),
        waiting=plan.waiting,
        dry_run=dry_run,
        retracted=tuple(retracted),
        kept=plan.kept,
        unnamed=plan.unnamed,
    )
