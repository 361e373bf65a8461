"""Republishing: what follows from base data that has changed under published partitions, planned and carried out."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence

from typing_extensions import Unpack

from hive_views.base_tables.hive import read_names
from hive_views.base_tables.port import PartitionValues
from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.hive.partition_names import DEFAULT_PARTITION, parse_partition_name, partition_name
from hive_views.hive.row import Partition
from hive_views.persisted import INPUTS, PUBLISHED_RULE
from hive_views.publishing.downstream import required_by_views, tables_of, with_downstream
from hive_views.publishing.judging import plan_of
from hive_views.publishing.ledger.inputs import fingerprint_of
from hive_views.publishing.ledger.redeclared import RedeclaredPartitions
from hive_views.publishing.notifying.receivers import Notify, receivers_of
from hive_views.publishing.republish_plan import (
    PlannedPartition,
    RepublishPlan,
    RepublishReport,
    UpstreamPartitions,
    ViewRepublishPlan,
)
from hive_views.publishing.republish_writing import RepublishWriting, Written
from hive_views.publishing.request import RevalidateOptions, lister_of, refuse_unknown_options
from hive_views.publishing.revalidation import Examination, JudgedByRule, examine
from hive_views.publishing.scope import EVERYTHING
from hive_views.publishing.since_published import base_partitions_of
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions

_NOT_HELD = "its base data has changed, and its rules no longer hold"
_NO_TEXT = "its rules have no string form that could be recorded"
_INTERRUPTED = "an interrupted run has retracted it"


class RepublishOptions(RevalidateOptions, total=False):
    """The keyword arguments of ``plan_republish``, which explains them."""

    redeclare: bool
    downstream: bool


def plan_republish(
    catalog: ViewCatalog,
    views: Identifier | Iterable[Identifier],
    *rules: Rule,
    **options: Unpack[RepublishOptions],
) -> RepublishPlan:
    """What follows from base data that has changed under published partitions, to be carried out with
    ``apply_republish_plan``.

    Partitions that ``revalidate`` finds ``changed`` and whose rules still hold are marked: the state of their base data
    as it is now is recorded with them, so that they are ``current`` until it changes again. Those that are ``missing``
    or ``unknown``, or whose rules no longer hold, are left alone, with the reason. Partitions that are ``rewritten``
    have the same rows, so that nothing follows. Partitions of other views that are published on these (by their
    recorded rules) follow if they depend on one that is republished, or if one that they depend on was republished
    since; they come after those. Nothing is written.

    What is recorded is the state that this call reads: data that is written later is a change again.

    Args:
        catalog: where the views are.
        views: one or several partitioned views, as ``"namespace.name"``.
        rules: as for ``revalidate``; for one view only.
        options: keyword arguments as for ``revalidate``, of which the bounds and candidates apply to ``views`` only,
            and

            redeclare: retract changed partitions and declare them again, rather than mark them, so that sensors which
                wait for a partition, and listeners of the metastore, see a new one. Default: False.
            downstream: include the views that are published on these. Default: True.

    Raises:
        InvalidInputError: rules are given for several views, or views are published on each other.
        Others as ``revalidate``, if one view is given; of several, the error is in the plan.
    """
    refuse_unknown_options(options, RepublishOptions.__optional_keys__)
    redeclare, downstream = options.pop("redeclare", False), options.pop("downstream", True)
    given = [views] if isinstance(views, str | TableIdentifier) else list(views)
    selected = list(dict.fromkeys(str(TableIdentifier.of(one)) for one in given))
    if rules and len(selected) != 1:
        raise InvalidInputError("Rules can be given for one view only.")
    required = required_by_views(catalog) if downstream or len(selected) > 1 else {}
    if rules:
        required[selected[0]] = tables_of(rules)
    considered = required if downstream else {one: required.get(one, ()) for one in selected}
    unbounded: RevalidateOptions = {**options, "candidates": None, "since": None, "until": None}  # type: ignore[typeddict-unknown-key]
    planned: dict[str, ViewRepublishPlan] = {}
    for view in with_downstream(selected, considered):
        upstream = {one: planned[one].partitions.keys() for one in planned if one in required.get(view, ())}
        is_selected = view in selected
        try:
            of_view = _OfView(
                catalog, catalog.partitions(view), rules if is_selected else (), options if is_selected else unbounded
            )
            planned[view] = of_view.plan(upstream, is_selected=is_selected, redeclare=redeclare)
        except HiveViewsError as error:
            if [view] == selected:
                raise
            planned[view] = ViewRepublishPlan(view, "", error=error.message)
    return RepublishPlan(tuple(one for one in planned.values() if not one.is_empty))


def apply_republish_plan(catalog: ViewCatalog, plan: RepublishPlan, *, notify: Notify = ()) -> list[RepublishReport]:
    """Mark, or retract and declare again, what a plan says, in its order; returns a report for each view.

    A partition is left alone if it was retracted or published again since the plan was made, or if one that it depends
    on was not republished, or changed again. A run that is killed is completed by planning and applying again: what it
    has retracted and not declared is declared first of all, once its rules hold.

    Args:
        catalog: where the views are.
        plan: of ``plan_republish``.
        notify: who is sent events about partitions that are retracted and declared again, as for ``publish``. Of marked
            ones there are none: ``notify_changed`` tells that they have changed.

    Raises:
        InvalidInputError: a view is another one than when the plan was made, or somebody cannot be notified; nothing
            was written.
        NoSuchViewError, CommitFailedError, CommitStateUnknownError, UnavailableError: plan and apply again.
    """
    receivers = receivers_of(notify)
    of_views = [(one, catalog.partitions(one.view)) for one in plan.views if one.partitions or one.is_interrupted]
    for one, partitions in of_views:
        if partitions.view.uuid != one.view_uuid:
            raise InvalidInputError(
                f"The plan was made for view {one.view_uuid}; {one.view} is now view {partitions.view.uuid}. "
                f"Make a new plan.",
                identifier=one.view,
            )
    by_view = {one.view: partitions for one, partitions in of_views}
    written: Written = {}
    reports = []
    for one in plan.views:
        if one.view in by_view:
            reports.append(RepublishWriting(catalog, by_view[one.view], one, written, receivers).write())
        else:
            reports.append(RepublishReport(one.view, left=one.left, error=one.error))
    return reports


def republish(
    catalog: ViewCatalog,
    views: Identifier | Iterable[Identifier],
    *rules: Rule,
    notify: Notify = (),
    **options: Unpack[RepublishOptions],
) -> list[RepublishReport]:
    """Plan and apply at once, and again for what depends on partitions that an interrupted run had retracted.

    Args:
        catalog: where the views are.
        views: as for ``plan_republish``.
        rules: as for ``plan_republish``.
        notify: as for ``apply_republish_plan``.
        options: as for ``plan_republish``.

    Raises:
        as ``plan_republish`` and ``apply_republish_plan``.
    """
    given = [views] if isinstance(views, str | TableIdentifier) else list(views)
    together: dict[str, RepublishReport] = {}
    before, completed = set[str](), {""}
    while completed - before:
        plan = plan_republish(catalog, given, *rules, **options)
        reports = apply_republish_plan(catalog, plan, notify=notify)
        for one in reports:
            together[one.view] = together[one.view].then(one) if one.view in together else one
        # What depends on them could not be judged while they were not declared.
        before, completed = completed, {f"{one.view} {name}" for one in reports for name in one.completed}
    return list(together.values())


class _OfView:
    """What has happened below one view, and what follows for its partitions; raises as ``revalidate``."""

    def __init__(
        self, catalog: ViewCatalog, partitions: ViewPartitions, rules: Sequence[Rule], options: RevalidateOptions
    ) -> None:
        self._partitions, self._options = partitions, options
        noted = RedeclaredPartitions(catalog, partitions.view).read()
        self._is_interrupted = bool(noted)
        noted = {name: parameters for name, parameters in noted.items() if partitions.fits(name)}
        there = {name for name, _ in partitions.load(list(noted))} if noted else set()
        self._retracted = {
            name: Partition(tuple(parse_partition_name(name).values()), parameters)
            for name, parameters in noted.items()
            if name not in there
        }
        self._examined: Examination = examine(catalog, partitions, rules, options, self._retracted)

    def plan(self, upstream: Mapping[str, Collection[str]], *, is_selected: bool, redeclare: bool) -> ViewRepublishPlan:
        """The plan; ``upstream`` has the partitions that are republished before, by view."""
        found = self._examined.found
        wanted: dict[str, PlannedPartition] = {}
        left: dict[str, tuple[str, ...]] = {}
        if is_selected:
            left = {name: one.reasons for name, one in found.items() if one.state in ("missing", "unknown")}
        elif any(upstream.values()):
            by_a_rule = {name for one in self._examined.by_rule for name in one.candidates}
            left = {name: one.reasons for name, one in found.items() if name not in by_a_rule}
        for of_rule in self._examined.by_rule:
            views = {
                one: _Upstream(of_rule, one, names)
                for one, names in upstream.items()
                if one in of_rule.tables and of_rule.states.tables[one].format == "view"
            }
            follow: dict[str, Candidate] = {}
            for name, candidate in of_rule.candidates.items():
                follows = any(one.is_followed_by(candidate) for one in views.values())
                if found[name].state in ("missing", "unknown"):
                    if follows:
                        left[name] = found[name].reasons
                elif follows or (is_selected and found[name].state == "changed"):
                    follow[name] = candidate
                if name in self._retracted:
                    follow[name] = candidate
            ready, waiting = self._judged(of_rule, follow)
            for one in views.values():
                one.read([follow[name] for name in ready])
            left |= {name: (f"{_NOT_HELD}: {'; '.join(reasons)}",) for name, reasons in waiting.items()}
            for name, record in ready.items():
                wanted[name] = self._planned(name, record, follow[name], views, redeclare=redeclare)
        left |= {name: (_INTERRUPTED, *left.get(name, ())) for name in self._retracted if name not in wanted}
        left = {name: reasons for name, reasons in left.items() if name not in wanted}
        view = self._partitions.view
        return ViewRepublishPlan(str(view.identifier), view.uuid, wanted, left, is_interrupted=self._is_interrupted)

    def _judged(
        self, of_rule: JudgedByRule, follow: Mapping[str, Candidate]
    ) -> tuple[dict[str, Mapping[str, str]], dict[str, tuple[str, ...]]]:
        """What is to be recorded with each partition whose rules hold now; and the others, and why."""
        if not follow:
            return {}, {}
        states = of_rule.states
        if not states.rule_text[0]:
            return {}, dict.fromkeys(follow, (_NO_TEXT,))
        # Before they are judged, as in a run of publishing.
        fingerprints = states.fingerprints(follow, sys.maxsize, lister_of(self._options))
        plan = states.with_inputs(plan_of(states, (), follow, EVERYTHING), fingerprints)
        record: dict[str, Mapping[str, str]]
        record = {name: {INPUTS: plan.inputs_of(name), PUBLISHED_RULE: plan.rule} for name in plan.ready}
        return record, dict(plan.waiting)

    def _planned(
        self,
        name: str,
        record: Mapping[str, str],
        candidate: Candidate,
        views: Mapping[str, _Upstream],
        *,
        redeclare: bool,
    ) -> PlannedPartition:
        upstream = {one: of for one, reads in views.items() if (of := reads.partitions_of(candidate)) is not None}
        reasons = self._examined.found[name].reasons
        reasons += tuple(f"{one}: {_named(of.republished)} republished before" for one, of in upstream.items())
        judged = self._examined.recorded[name].hash
        if name in self._retracted:
            return PlannedPartition("complete", (_INTERRUPTED, *reasons), record, judged, upstream)
        return PlannedPartition("redeclare" if redeclare else "mark", reasons, record, judged, upstream)


def _named(names: Sequence[str]) -> str:
    return f"{names[0]} is" if len(names) == 1 else f"{len(names)} partitions are"


class _Upstream:
    """A view that partitions are published on, and those of its partitions that are republished before them."""

    def __init__(self, of_rule: JudgedByRule, view: str, republished: Collection[str]) -> None:
        self._coverages, self._since = of_rule.states.required()[view], of_rule.tables[view]
        self._reader = of_rule.states.tables[view].fingerprints
        self._keys = of_rule.states.observed.listings[view].keys
        self._republished = set(read_names(view, self._keys, republished))
        self._texts: dict[PartitionValues, str] = {}

    def is_followed_by(self, candidate: Candidate) -> bool:
        """Whether a partition depends on one that is republished, or on one that was republished since."""
        needed = base_partitions_of(self._coverages, [candidate])
        return not self._republished.isdisjoint(needed) or (
            bool(needed) and self._since.judge(candidate).state == "changed"
        )

    def read(self, candidates: Iterable[Candidate]) -> None:
        """Read what the metastore has of those that these depend on, and that are not republished."""
        needed = [one for one in base_partitions_of(self._coverages, candidates) if one not in self._republished]
        if self._reader is not None and needed:
            self._texts = {values: one.fingerprint for values, one in self._reader.registered(needed).items()}

    def partitions_of(self, candidate: Candidate) -> UpstreamPartitions | None:
        """Those that a partition depends on; None where none of them is republished."""
        needed = base_partitions_of(self._coverages, [candidate])
        others = [one for one in needed if one not in self._republished]
        if len(others) == len(needed):
            return None
        return UpstreamPartitions(
            tuple(self._name(one) for one in needed if one in self._republished),
            tuple(self._name(one) for one in others),
            fingerprint_of({one: self._texts.get(one, "") for one in others}),
        )

    def _name(self, values: PartitionValues) -> str:
        return partition_name(
            [key.name for key in self._keys], [DEFAULT_PARTITION if one is None else one for one in values]
        )
