"""Publishing: declare the partitions of a view whose ground is complete.

What lives here: the run, from reading base tables to the report. What must not: looking at tables
(publishing/listings/base_table_state.py), rules (rules/), how a partition is declared (views/partitions.py).

A run reads each base table once, decides, and only then writes. Declaring a partition twice does no harm, so a run that
was interrupted is completed by running it again, and of two at once each declares what the other has not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hive_views.base_tables.port import BaseTable
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.persisted import INPUTS, OWN_PREFIX, PUBLISHED_BY, PUBLISHED_VERSION
from hive_views.publishing.ledger.fencing import Run, run_of
from hive_views.publishing.listings.base_table_state import Ground, look_at_ground
from hive_views.publishing.plan import Plan, Spec
from hive_views.publishing.retraction import still_as_judged, with_retraction
from hive_views.readiness.coverage import Unnamed
from hive_views.readiness.rules import Rule, all_of
from hive_views.views.catalog import Identifier, ViewCatalog
from hive_views.views.partition_batches import batches
from hive_views.views.partitions import ViewPartitions, check_parameters

log = logging.getLogger("hive_views.publishing")


Describe = Callable[[Sequence[str]], Mapping[str, Mapping[str, str]]]
"""Further parameters of partitions: given the names of all that are about to be declared, those of each by name."""


@dataclass(frozen=True)
class PublishReport:
    """What a run did, by names of partitions.

    Attributes:
        view: its name.
        added: declared by this run; in a dry run, what would have been.
        already: candidates that were declared before, or by somebody else meanwhile.
        waiting: what is not ready, and why.
        dry_run: nothing was written.
        skipped: this version of the application was published before; nothing was looked at.
        retracted: withdrawn by this run, since their ground is gone; in a dry run, what would have been.
        kept: declared partitions for which the rules do not hold any more, and why they were not withdrawn.
        unnamed: by table, its partitions that are asked for and name no partition of the view.
    """

    view: str
    added: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    waiting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dry_run: bool = False
    skipped: bool = False
    retracted: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    unnamed: Mapping[str, Unnamed] = field(default_factory=dict)


def publish(
    catalog: ViewCatalog,
    identifier: Identifier,
    *rules: Rule,
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
    dry_run: bool = False,
    app_id: str | None = None,
    version: int | None = None,
    parameters: Mapping[str, str] | None = None,
    describe: Describe | None = None,
    base_tables: Mapping[str, BaseTable] | None = None,
    retract: bool = False,
    fingerprints: bool = True,
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
        app_id: the name of the job. Together with ``version`` it makes a run happen once: a version that was completed
            is skipped, one that was interrupted is continued, one below the latest is refused.
        version: rises from run to run: a build number, a time.
        parameters: stored with each partition that is added, beside our own.
        describe: called once, before anything is written, if there are partitions to add; what it answers is stored
            with each of them as well. What it raises ends the run with nothing declared.
        base_tables: readers for tables that this library cannot read itself, by the names the rules call them.
        retract: withdraw published partitions, of the candidates and within the bounds, whose ground is gone: the rules
            do not hold for them any more because one that was met when they were published, and asks the same today,
            is not met any more by the base partitions that are left of those it was met by. Left alone, with the reason
            in the field ``kept``, is what others declared, what fails for any other reason (late data, other values
            asked for, a function), and everything on a table that has no partitions at all or was made anew: it may be
            about to be loaded again. ``partitions(...).drop`` takes those away.
        fingerprints: record with each partition a fingerprint of its base partitions in Hive tables, for
            ``revalidate``. It asks the metastore for their objects, which takes longer than their names.

    Raises:
        NoSuchViewError, NoSuchTableError: the view or a base table does not exist.
        InvalidInputError: a rule does not fit a table or the view; nothing was declared. InvalidPartitionError: the
            view is not partitioned, or a candidate or bound is no value of its columns.
        UnsupportedFeatureError: the format of a base table.
        CommitFailedError: a later version of the application has begun. ViewDriftedError: versions cannot be recorded
            while the view's row is drifted.
        CommitStateUnknownError, UnavailableError: run it again. What was declared before is in the field ``added``.
    """
    run = run_of(app_id, version)
    rule = all_of(*rules)
    given = None if candidates is None else list(candidates)
    _check_parameters(parameters)
    partitions = catalog.partitions(identifier)
    if run and run.is_done(partitions.view):
        return PublishReport(str(partitions.view.identifier), dry_run=dry_run, skipped=True)
    ground, plan, declared = _planned(catalog, partitions, rule, given, since, until, base_tables, retract=retract)
    if dry_run:
        return PublishReport(
            plan.view,
            tuple(plan.ready),
            plan.declared,
            plan.waiting,
            True,
            False,
            plan.retract,
            plan.kept,
            plan.unnamed,
        )
    partitions.note_others(declared)
    plan = ground.recorded(plan, fingerprints=fingerprints)
    described = describe(list(plan.ready)) if describe and plan.ready else {}

    def look_again() -> Plan:
        return _planned(catalog, partitions, rule, given, since, until, base_tables, retract=True)[1]

    report = _apply(catalog, partitions, plan, run, parameters, described, look_again)
    ground.memory.save()
    return report


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
) -> Plan:
    """What ``publish`` would declare and withdraw, to be printed, saved, and applied later with ``apply_plan``.

    A plan takes the names of Hive partitions alone. One that is to be applied should ask for ``fingerprints``: without
    them ``revalidate`` cannot tell what became of the Hive partitions below, and ``retract`` does not see one that is
    gone with another in its place.

    Raises:
        as ``publish`` before it writes.
    """
    rule = all_of(*rules)
    partitions = catalog.partitions(identifier)
    ground, plan, _ = _planned(catalog, partitions, rule, candidates, since, until, base_tables, retract=retract)
    return ground.recorded(plan, fingerprints=True) if fingerprints else plan


def _planned(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    rule: Rule,
    candidates: Iterable[Spec] | None,
    since: Spec | None,
    until: Spec | None,
    base_tables: Mapping[str, BaseTable] | None,
    *,
    retract: bool,
) -> tuple[Ground, Plan, list[str]]:
    """What was seen, what follows from it before fingerprints are asked for, and all partitions that are declared."""
    given = None if candidates is None else list(candidates)
    # What is withdrawn is decided by all that the tables hold.
    looked_at = (None, None, None) if retract else (given, since, until)
    ground = look_at_ground(catalog, partitions, rule, base_tables, *looked_at)
    declared = partitions.names()
    plan = ground.plan(declared, given, since, until)
    if retract:
        plan = with_retraction(plan, ground, declared, given, since, until)
    return ground, plan, declared


def apply_plan(
    catalog: ViewCatalog,
    plan: Plan,
    *,
    app_id: str | None = None,
    version: int | None = None,
    parameters: Mapping[str, str] | None = None,
) -> PublishReport:
    """Declare what a plan found ready, without looking at the base tables again.

    Raises:
        InvalidInputError: the plan was made for another view that had this name.
        NoSuchViewError, InvalidPartitionError, CommitFailedError, CommitStateUnknownError, UnavailableError: as
            ``publish``.
    """
    run = run_of(app_id, version)
    _check_parameters(parameters)
    partitions = catalog.partitions(plan.view)
    if partitions.view.uuid != plan.view_uuid:
        raise InvalidInputError(
            f"The plan was made for view {plan.view_uuid}; {plan.view} is view {partitions.view.uuid} now. "
            f"Make a new plan.",
            identifier=plan.view,
        )
    if run and run.is_done(partitions.view):
        return PublishReport(plan.view, skipped=True)
    return _apply(catalog, partitions, plan, run, parameters, {})


def published_by(app_id: str | None) -> str:
    """What the parameter ``hive-views.published-by`` says of partitions that are added for this application."""
    return app_id or "hive_views"


def _apply(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    plan: Plan,
    run: Run | None,
    parameters: Mapping[str, str] | None,
    described: Mapping[str, Mapping[str, str]],
    look_again: Callable[[], Plan] | None = None,
) -> PublishReport:
    # The guarded swap that records the beginning is the last look at who else is running: nothing is read in between.
    if run and run.is_done(catalog.commit_own_properties(plan.view, run.begun)):
        return PublishReport(plan.view, skipped=True)
    common = {**(parameters or {}), PUBLISHED_BY: published_by(run.app_id if run else None)}
    if run:
        common[PUBLISHED_VERSION] = str(run.version)

    def may_go_on() -> None:
        if run:
            run.is_done(catalog.load_view(plan.view))

    added = partitions.add(
        [parse_partition_name(name) for name in plan.ready],
        if_not_exists=True,
        parameters=lambda name: {**described.get(name, {}), **common, INPUTS: plan.inputs_of(name)},
        between_batches=may_go_on,
    )
    try:
        retracted = _retract(partitions, plan, may_go_on, look_again) if plan.retract else []
        later = run.overtaken_by(catalog.commit_own_properties(plan.view, run.finished)) if run else None
    except HiveViewsError as e:
        e.added = added
        raise
    if run and later is not None:
        log.warning("view %s: run %d of %s began while run %d added", plan.view, later, run.app_id, run.version)
    new = set(added)
    already = (*plan.declared, *(name for name in plan.ready if name not in new))
    log.info(
        "published %s: %d added, %d withdrawn, %d waiting", plan.view, len(added), len(retracted), len(plan.waiting)
    )
    return PublishReport(
        plan.view,
        tuple(added),
        already,
        plan.waiting,
        retracted=tuple(retracted),
        kept=plan.kept,
        unnamed=plan.unnamed,
    )


def _retract(
    partitions: ViewPartitions, plan: Plan, may_go_on: Callable[[], None], look_again: Callable[[], Plan] | None
) -> list[str]:
    if look_again:
        # Adding may have taken minutes, in which their ground may have come back, and others been told so.
        again = look_again()
        plan = replace(plan, retract=tuple(name for name in plan.retract if name in again.judged))
    retracted: list[str] = []
    try:
        for batch in batches(plan.retract):
            may_go_on()
            # As the last thing before: what was published again meanwhile stays.
            gone = [parse_partition_name(name) for name in still_as_judged(partitions, plan, batch)]
            retracted += partitions.drop(gone, if_exists=True) if gone else []
    except HiveViewsError as e:
        e.dropped = [*retracted, *e.dropped]
        raise
    return retracted


def _check_parameters(parameters: Mapping[str, str] | None) -> None:
    check_parameters(parameters or {})
    for key in parameters or {}:
        if key.startswith(OWN_PREFIX):
            raise InvalidInputError(
                f"Cannot set the partition parameter {key!r}: names starting with {OWN_PREFIX} are ours.", key=key
            )
