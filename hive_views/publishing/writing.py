"""Writing what a plan says: partitions are declared and retracted, and the run is recorded.

Declaring a partition twice does no harm: an interrupted run is completed by running it again, and of two concurrent
runs each declares what the other has not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from hive_views.errors import HiveViewsError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.messages.logs import logger_of
from hive_views.persisted import INPUTS, PUBLISHED_BY, PUBLISHED_RULE, PUBLISHED_VERSION
from hive_views.publishing.ledger.fencing import Run
from hive_views.publishing.ledger.recorded_rules import RecordedRules
from hive_views.publishing.plan import Plan
from hive_views.publishing.retraction import still_as_judged
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.changing import commit_own_properties
from hive_views.views.partitions.batches import batches
from hive_views.views.partitions.view_partitions import ViewPartitions, check_parameters
from hive_views.views.view import View

log = logger_of("hive_views.publishing")


@dataclass(frozen=True)
class Writing:
    """The writes of one run to one view; a later run of the application that begins meanwhile stops them.

    ``published_by`` is whose the partitions are: an application that has declared some in a run may declare others
    without one, as for a backfill.
    """

    catalog: ViewCatalog
    partitions: ViewPartitions
    plan: Plan
    run: Run | None
    published_by: str

    def begin(self, rules: RecordedRules | None) -> bool:
        """Record that the run has begun, with its rules where they are known; False if it is done already.

        So ``status`` shows an application whose first run did not end. The guarded swap that records it is the last
        look at who else is running: nothing is read between it and the first partition. CommitFailedError: a later run
        has begun.
        """
        run = self.run
        if run is None:
            return True

        def begun(properties: Mapping[str, str]) -> dict[str, str]:
            begins = run.begun(properties)
            return {**begins, **rules.to_set(properties)} if rules and begins else begins

        return not run.is_done(self._commit(begun))

    def declare(self, parameters: Mapping[str, str], described: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Declare what is ready, in batches, with these parameters and those described by name; returns what was
        really added.

        Raises:
            InvalidPartitionError: a name of the plan is no partition of the view; nothing was added.
            CommitFailedError: a later run has begun. What was added before any error is in its field ``added``.
        """
        ready = {name: parse_partition_name(name) for name in self.plan.ready}
        for spec in ready.values():
            self.partitions.name_of(spec)
        common = {**parameters, PUBLISHED_BY: self.published_by}
        if self.plan.rule:
            common[PUBLISHED_RULE] = self.plan.rule
        if self.run:
            common[PUBLISHED_VERSION] = str(self.run.version)
        for of_one in described.values():
            check_parameters(of_one)
        added: list[str] = []
        try:
            for number, names in enumerate(batches(list(ready))):
                if number:
                    self._refuse_if_overtaken()
                added += self.partitions.add(
                    [ready[name] for name in names],
                    if_not_exists=True,
                    parameters=lambda name: {**described.get(name, {}), **common, INPUTS: self.plan.inputs_of(name)},
                )
        except HiveViewsError as e:
            e.added = [*added, *e.added]
            raise
        return added

    def retract(self, names: Collection[str]) -> list[str]:
        """Drop those of the plan's partitions to retract that are in ``names``, in batches; returns what was dropped.

        Raises:
            CommitFailedError: a later run has begun. What was dropped before any error is in its field ``dropped``.
        """
        retracted: list[str] = []
        try:
            for batch in batches([name for name in self.plan.retract if name in names]):
                self._refuse_if_overtaken()
                # As the last thing before: what was published again meanwhile stays.
                still = still_as_judged(self.partitions, self.plan, batch, self.published_by)
                gone = [parse_partition_name(name) for name in still]
                retracted += self.partitions.drop(gone, if_exists=True) if gone else []
        except HiveViewsError as e:
            e.dropped = [*retracted, *e.dropped]
            raise
        return retracted

    def finish(self, rules: RecordedRules | None) -> None:
        """Record that the run is done, and with which rules; commits nothing if all of that is recorded already.

        A run without an application needs no other commit, so a failure to record its rules does not fail it.
        """
        run = self.run
        if run is None:
            self._record(rules)
            return

        def finished(properties: Mapping[str, str]) -> dict[str, str]:
            done = run.finished(properties)
            # A later run that has begun meanwhile has recorded rules of its own.
            return {**done, **rules.to_set(properties)} if rules and done else done

        later = run.overtaken_by(self._commit(finished))
        if later is not None:
            log.warning(
                "view %s: run %d of %s began while run %d was adding partitions",
                self.plan.view,
                later,
                run.app_id,
                run.version,
            )

    def _record(self, rules: RecordedRules | None) -> None:
        if rules and rules.to_set(self.partitions.view.metadata.properties):
            try:
                self._commit(rules.to_set)
            except HiveViewsError as e:
                log.warning("view %s: the rules of this run were not recorded: %s", self.plan.view, e)

    def _commit(self, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> View:
        return commit_own_properties(self.catalog.engine, self.plan.view, change)

    def _refuse_if_overtaken(self) -> None:
        if self.run:
            self.run.is_done(self.catalog.load_view(self.plan.view))
