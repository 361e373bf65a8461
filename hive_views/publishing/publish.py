"""Publishing a view: read its base tables, judge which partitions are ready, write those, and report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import Unpack

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.messages.logs import logger_of
from hive_views.publishing.expected_partitions import NOTHING, ExpectedPartitions, expected_by
from hive_views.publishing.judging import find_candidates, plan_of, refuse_outside, warn_of_misspelt
from hive_views.publishing.ledger.fencing import NO_APPLICATION, published_by, run_of
from hive_views.publishing.ledger.recorded_rules import RecordedRules, rules_to_record
from hive_views.publishing.listings.base_table_states import BaseTableStates, read_base_tables
from hive_views.publishing.notifying.receivers import Notify, receivers_of
from hive_views.publishing.notifying.telling import Telling
from hive_views.publishing.plan import Plan
from hive_views.publishing.report import PublishReport
from hive_views.publishing.request import PlanOptions, PublishOptions, PublishRequest, checked_parameters
from hive_views.publishing.retraction import find_retractable
from hive_views.publishing.scope import EVERYTHING, values_of
from hive_views.publishing.writing import Writing
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import Identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions

log = logger_of("hive_views.publishing")

Describe = Callable[[Sequence[str]], Mapping[str, Mapping[str, str]]]
"""Given the names of the partitions that are about to be declared, returns further parameters of each, by name."""


def publish(
    catalog: ViewCatalog, identifier: Identifier, *rules: Rule, **options: Unpack[PublishOptions]
) -> PublishReport:
    """Declare the partitions of a view for which all rules hold.

    Args:
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: made with ``requires``, ``when``, ``all_of`` and ``any_of``; several: all of them must hold. None: the
            rules and bounds that were recorded when the view was last published; nothing is recorded then, and
            partitions belong to the application of the record, also without ``run_version``.
        options: keyword arguments, each with a default. Without rules, ``since`` and ``until`` take the place of the
            recorded bounds, and ``candidates`` of both, for this call.

            candidates: the partitions to consider, by values. Default: those named by the partitions of the tables
                whose requirements say ``column(...)`` for each partition column of the view.
            since: values of some partition columns; earlier candidates are left out. Compared by type, as a whole, in
                the order of the columns.
            until: the same for later candidates. Both bounds are inclusive.
            dry_run: judge and report; write nothing.
            app_id: the name of the job. Together with ``run_version`` it makes a run happen once: a version that was
                completed is skipped, one that was interrupted is continued, one below the latest is refused.
            run_version: a number that rises from run to run, such as a build number or a time.
            publication: with rules, the name under which they and the bounds are recorded in the view's properties, for
                ``revalidate``, ``status`` and calls without rules. Default: ``app_id``. It is needed if several
                publications of a view have no application. Recording commits to the view only if rules or bounds differ
                from those that are recorded; a run with neither name nor application, only if its rules differ or it
                considers partitions outside the recorded bounds. Without rules, the recorded publication to run, if
                there are several.
            parameters: stored with each partition that is added, beside our own.
            notify: a local file or an http(s) URL, or several, or ``Receiver`` objects, that get an event for each
                partition that was declared or retracted or is late, at least once: what a run could not tell, or was
                killed before it told, the next run with the same receiver tells. Its failures are logged, and fail no
                run.
            base_tables: readers for tables that this library cannot read itself, by the names that the rules use.
            expected: the partitions that have to be declared by now (``Expectation``). They are considered even if no
                base partition names them, and those that are late are in the field ``late``. Recorded with the rules.
            retract: drop published partitions, among the candidates and within the bounds, that have lost base
                partitions which they need: these very rules held when they were published, and now fail because one of
                them, asking the same as then, no longer holds for the base partitions that are left. Kept, with the
                reason in the field ``kept``: partitions that others declared, also another application of ours; those
                for which these rules did not hold when they were published, or for which that is unknown; those that
                fail for any other reason (late data, other values asked for, a function); and all on a table that has
                no partitions at all or was recreated, because it may be about to be reloaded. To drop those, use
                ``partitions(...).drop``.
            fingerprints: record with each partition fingerprints of its base partitions in Hive tables, for
                ``revalidate``: of what the metastore knows of them, which loads these partitions, and of the files in
                their directories, which takes one listing for each. Default: True.
            metastore_only: list no directories; ``revalidate`` then says ``current by the metastore`` at best.
            max_fingerprints: the number of base partitions that a run reads fingerprints of, at most. Beyond it, the
                newest partitions of the view get fingerprints, and ``revalidate`` says ``unknown`` of the others.
                Default: 50,000.
            list_directories: what lists directories; ``hive_views.spark.publish`` has executors do it.

    Raises:
        NoSuchViewError, NoSuchTableError: the view or a base table does not exist.
        InvalidInputError: a rule does not fit a table or the view; nothing was declared. Without rules: none are
            recorded, or those of several publications, or rules that cannot be used (too long, a function); the record
            is of given candidates, and there are none; or a partition is outside the recorded bounds of a view with
            several publications, and may be another one's.
        InvalidPartitionError: the view is not partitioned, or a candidate or bound is no value of its columns.
        UnsupportedFeatureError: the format of a base table.
        CommitFailedError: a later version of the application has begun. ViewDriftedError: versions cannot be recorded
            while the view's row has drifted.
        CommitStateUnknownError, UnavailableError: run it again. What was declared before is in the field ``added``.
    """
    if rules:
        return publish_request(catalog, PublishRequest.of(identifier, *rules, **options))
    partitions = catalog.partitions(identifier)
    return publish_partitions(catalog, partitions, PublishRequest.by_record(partitions.view, **options))


def plan_publish(catalog: ViewCatalog, identifier: Identifier, *rules: Rule, **options: Unpack[PlanOptions]) -> Plan:
    """What ``publish`` would declare and retract, to be printed, saved, and applied later with ``apply_plan``.

    Args:
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: as for ``publish``.
        options: keyword arguments as for ``publish``: ``candidates``, ``since``, ``until``, ``base_tables``,
            ``expected``, ``retract``, ``metastore_only``, ``max_fingerprints``, ``list_directories``, and

            fingerprints: as for ``publish``, but False by default. A plan that is to be applied should have them:
                without them ``revalidate`` cannot say what happened to the Hive partitions below, and ``retract`` does
                not notice a base partition that was replaced by another one.
            app_id: the application that the plan is for; only what it has declared is retracted.

    Raises:
        as ``publish`` before it writes.
    """
    request = PublishRequest.of_plan(identifier, *rules, **options)
    return _judged(catalog, catalog.partitions(identifier), request).plan


def apply_plan(
    catalog: ViewCatalog,
    plan: Plan,
    *,
    app_id: str | None = None,
    run_version: int | None = None,
    parameters: Mapping[str, str] | None = None,
    notify: Notify = None,
) -> PublishReport:
    """Declare what a plan found ready, and retract what it found lost, without reading the base tables again.

    Args:
        catalog: where the view is.
        plan: of ``plan_publish``.
        app_id: the name of the job, as for ``publish``.
        run_version: rises from run to run, as for ``publish``.
        parameters: stored with each partition that is added.
        notify: who is told, as for ``publish``.

    Raises:
        InvalidInputError: the plan was made for another view that had this name.
        NoSuchViewError, InvalidPartitionError, CommitFailedError, CommitStateUnknownError, UnavailableError: as
            ``publish``.
    """
    run, receivers = run_of(app_id, run_version), receivers_of(notify)
    parameters = checked_parameters(parameters)
    partitions = catalog.partitions(plan.view)
    if partitions.view.uuid != plan.view_uuid:
        raise InvalidInputError(
            f"The plan was made for view {plan.view_uuid}; {plan.view} is now view {partitions.view.uuid}. "
            f"Make a new plan.",
            identifier=plan.view,
        )
    telling = Telling(catalog, partitions, receivers, app_id, published_by(app_id))
    telling.tell_noted()
    if run and run.is_done(partitions.view):
        return PublishReport(plan.view, skipped=True)
    writing = Writing(catalog, partitions, plan, run, published_by(app_id))
    return _write(writing, None, parameters, {}, lambda: set(plan.retract), telling)


def publish_request(catalog: ViewCatalog, request: PublishRequest, describe: Describe = lambda _: {}) -> PublishReport:
    """Carry out a request of ``publish``; raises as that, and what ``describe`` raises before anything is written."""
    return publish_partitions(catalog, catalog.partitions(request.view), request, describe)


def publish_partitions(
    catalog: ViewCatalog, partitions: ViewPartitions, request: PublishRequest, describe: Describe = lambda _: {}
) -> PublishReport:
    """``publish_request`` for a view that has been loaded just now."""
    telling = Telling(catalog, partitions, request.receivers, request.publication, request.published_by)
    if not request.dry_run:
        # Before anything is done again that an earlier run has undone, and also where this run is done already.
        telling.tell_noted()
    if request.run and request.run.is_done(partitions.view):
        return PublishReport(str(partitions.view.identifier), dry_run=request.dry_run, skipped=True)
    judged = _judged(catalog, partitions, request)
    plan = judged.plan
    if request.dry_run:
        return _report(plan, list(plan.ready), list(plan.retract), judged.expected, dry_run=True)
    rules = None
    if request.recorded_scope is not None:
        rules = rules_to_record(
            judged.states.rule_text,
            request.recorded_scope,
            name=request.publication or (None if request.published_by == NO_APPLICATION else request.published_by),
            published_by=request.published_by,
            partitions=partitions,
            considered=list(judged.candidates.values()),
            expected=request.expected,
        )
    described = describe(list(plan.ready))
    partitions.note_others(judged.declared)

    def still_lost() -> Collection[str]:
        # Adding may have taken minutes, in which base partitions may have come back.
        states = read_base_tables(catalog, partitions, request.rule, EVERYTHING, request.base_tables)
        return find_retractable(states, partitions.names(), request.scope, request.published_by).judged

    writing = Writing(catalog, partitions, plan, request.run, request.published_by)
    report = _write(writing, rules, request.parameters, described, still_lost, telling, judged.expected)
    if not report.skipped:
        judged.states.memory.save()
    return report


@dataclass(frozen=True)
class _Judged:
    """What was read, and the plan that follows from it."""

    declared: list[str]
    expected: ExpectedPartitions
    states: BaseTableStates
    candidates: Mapping[str, Candidate]
    plan: Plan


def _judged(catalog: ViewCatalog, partitions: ViewPartitions, request: PublishRequest) -> _Judged:
    states = read_base_tables(catalog, partitions, request.rule, request.scope_to_read, request.base_tables)
    declared = partitions.names()
    if request.scope.candidates is not None:
        warn_of_misspelt(request.scope.written(), values_of(partitions, declared), partitions.keys)
    expected = expected_by(request.expected, partitions, declared, request.scope, catalog.settings.clock_ms())
    candidates = find_candidates(request.rule, states.observed, request.scope, expected)
    if request.within is not None:
        refuse_outside(request.within, partitions, candidates)
    existing = set(declared)
    new = {name: candidate for name, candidate in candidates.items() if name not in existing}
    # Before they are judged, so that what is written meanwhile is a change.
    fingerprints = None
    if request.record_inputs:
        fingerprints = states.fingerprints(new, request.max_fingerprints, request.list_directories)
    plan = plan_of(states, declared, candidates, request.scope)
    if fingerprints is not None:
        plan = states.with_inputs(plan, fingerprints)
    if request.retract:
        plan = find_retractable(states, declared, request.scope, request.published_by).applied_to(plan)
    return _Judged(declared, expected, states, candidates, plan)


def _write(
    writing: Writing,
    rules: RecordedRules | None,
    parameters: Mapping[str, str],
    described: Mapping[str, Mapping[str, str]],
    still_lost: Callable[[], Collection[str]],
    telling: Telling,
    expected: ExpectedPartitions = NOTHING,
) -> PublishReport:
    plan = writing.plan
    if not writing.begin(rules):
        return PublishReport(plan.view, skipped=True)
    telling.note(plan.ready, plan.retract)
    added = writing.declare(parameters, described)
    try:
        retracted = writing.retract(still_lost()) if plan.retract else []
        writing.finish(rules)
    except HiveViewsError as e:
        e.added = added
        raise
    report = _report(plan, added, retracted, expected)
    telling.tell_done({*added, *retracted}, report.late, report.waiting)
    return report


def _report(
    plan: Plan, added: list[str], retracted: list[str], expected: ExpectedPartitions, *, dry_run: bool = False
) -> PublishReport:
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
        known_empty=expected.skipped,
        late=expected.late({*plan.already_published, *plan.ready} if dry_run else {*plan.already_published, *new}),
    )
