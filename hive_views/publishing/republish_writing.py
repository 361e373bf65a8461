"""Writing what a plan to republish says of one view: partitions marked, or retracted and declared again.

Nothing is overwritten that was published again since the plan was made, as far as that can be seen right before; what
is recorded is what the plan has read, so that anything written later is still a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from hive_views.base_tables.hive import HiveBaseTable, read_names
from hive_views.errors import InvalidPartitionError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import DDL_TIME
from hive_views.messages.logs import logger_of
from hive_views.persisted import INPUTS, PUBLISHED_BY
from hive_views.publishing.ledger.inputs import fingerprint_of, hash_of_inputs, read_inputs, write_inputs
from hive_views.publishing.ledger.redeclared import RedeclaredPartitions
from hive_views.publishing.notifying.receivers import Receiver
from hive_views.publishing.notifying.telling import Telling
from hive_views.publishing.republish_plan import RepublishReport, UpstreamPartitions, ViewRepublishPlan
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.batches import batches
from hive_views.views.partitions.view_partitions import ViewPartitions, check_parameters

log = logger_of("hive_views.publishing")

Written = dict[str, dict[str, str]]
"""By view and name of its partition, the hash of what this run has recorded with it (``hash_of_inputs``)."""

_MEANWHILE = "it was retracted or published again since the plan was made"


class RepublishWriting:
    """The writes of one run to one view.

    Args:
        catalog: where the view is.
        partitions: those of the view.
        plan: what is to be done.
        written: what the run has written to the views before; what it writes to this one is added.
        receivers: who is told which partitions were retracted and declared again.
    """

    def __init__(
        self,
        catalog: ViewCatalog,
        partitions: ViewPartitions,
        plan: ViewRepublishPlan,
        written: Written,
        receivers: Sequence[Receiver] = (),
    ) -> None:
        self._catalog, self._partitions, self._plan = catalog, partitions, plan
        self._receivers = receivers
        self._before = written
        self._written = written.setdefault(plan.view, {})
        self._noted = RedeclaredPartitions(catalog, partitions.view)
        self._left = dict(plan.left)
        self._record = {name: one.record for name, one in plan.partitions.items()}

    def write(self) -> RepublishReport:
        """Carry out the plan.

        Raises:
            CommitFailedError, CommitStateUnknownError, UnavailableError, NoSuchViewError: what is left is found by the
                next plan.
        """
        Telling(self._catalog, self._partitions, self._receivers).tell_noted()
        self._follow_upstream()
        completed = self._complete(self._planned("complete"))
        marked = self._mark(self._planned("mark"))
        redeclared = self._redeclare(self._planned("redeclare"))
        self._forget_what_is_declared()
        for name in self._plan.partitions:
            if name not in self._written:
                self._left.setdefault(name, (_MEANWHILE,))
        log.info("republished %s: %d partitions, %d left", self._plan.view, len(self._written), len(self._left))
        return RepublishReport(self._plan.view, tuple(marked), tuple(redeclared), tuple(completed), self._left)

    def _planned(self, action: str) -> list[str]:
        planned = self._plan.partitions.items()
        return [name for name, one in planned if one.action == action and name not in self._left]

    def _is_as_judged(self, name: str, parameters: Mapping[str, str]) -> bool:
        return hash_of_inputs(parameters) == self._plan.partitions[name].judged

    def _note_written(self, names: Iterable[str]) -> list[str]:
        names = list(names)
        self._written |= {name: hash_of_inputs(self._record[name]) for name in names}
        return names

    # -- what it is published on -------------------------------------------------------------------------------------

    def _follow_upstream(self) -> None:
        """Record with each partition the state of those that were republished before it, or leave it alone."""
        by_view: dict[str, dict[str, UpstreamPartitions]] = {}
        for name, planned in self._plan.partitions.items():
            for view, upstream in planned.upstream.items():
                by_view.setdefault(view, {})[name] = upstream
        for view, upstreams in by_view.items():
            now = _Now(self._catalog, view, upstreams.values())
            for name, upstream in upstreams.items():
                otherwise = now.other_than_planned(upstream, self._before.get(view, {}))
                if otherwise:
                    self._left[name] = (otherwise,)
                    continue
                record = self._record[name]
                inputs = read_inputs(record[INPUTS])
                if inputs and view in inputs:
                    known = {**inputs, view: replace(inputs[view], fingerprint=now.fingerprint(upstream))}
                    self._record[name] = {**record, INPUTS: write_inputs(known)}

    # -- what is written ---------------------------------------------------------------------------------------------

    def _mark(self, names: Sequence[str]) -> list[str]:
        if not names:
            return []
        return self._note_written(
            self._partitions.set_parameters(names, self._record.__getitem__, where=self._is_as_judged)
        )

    def _redeclare(self, names: Sequence[str]) -> list[str]:
        redeclared: list[str] = []
        for batch in batches(names):
            found: dict[str, Mapping[str, str]] = {}
            for name, partition in self._partitions.load(batch):
                parameters = {key: value for key, value in partition.parameters.items() if key != DDL_TIME}
                if self._is_as_judged(name, parameters) and self._can_be_declared(name, parameters):
                    found[name] = parameters
            if found:
                # A note that outlives the run has what is to be declared again, whatever of it was retracted.
                location = self._noted.note(found)
                with self._told_of(found, are_retracted=True) as declared:
                    self._partitions.drop([parse_partition_name(name) for name in found], if_exists=True)
                    declared.extend(self._declare(found))
                self._noted.remove(location)
                redeclared += declared
        return redeclared

    def _can_be_declared(self, name: str, parameters: Mapping[str, str]) -> bool:
        try:
            check_parameters(parameters)
        except InvalidPartitionError as error:
            self._left[name] = (error.message,)
            return False
        return True

    def _complete(self, names: Sequence[str]) -> list[str]:
        noted = self._noted.read() if names else {}
        # If the note is gone, another run has completed it.
        found = {name: noted[name] for name in names if name in noted}
        with self._told_of(found, are_retracted=False) as declared:
            declared.extend(self._declare(found))
        return declared

    @contextmanager
    def _told_of(self, found: Mapping[str, Mapping[str, str]], *, are_retracted: bool) -> Iterator[list[str]]:
        """Note whom to tell of partitions, and tell them of those that the block puts into the list.

        A partition stays that of the application that has declared it.
        """
        names_of: dict[str | None, list[str]] = {}
        for name, parameters in found.items():
            names_of.setdefault(parameters.get(PUBLISHED_BY), []).append(name)
        tellings = [Telling(self._catalog, self._partitions, self._receivers, published_by=by) for by in names_of]
        for telling, names in zip(tellings, names_of.values(), strict=True):
            telling.note(names, names if are_retracted else ())
        declared: list[str] = []
        yield declared
        for telling in tellings:
            telling.tell_done(declared, {}, {})

    def _declare(self, partitions: Mapping[str, Mapping[str, str]]) -> list[str]:
        return self._note_written(
            self._partitions.add(
                [parse_partition_name(name) for name in partitions],
                if_not_exists=True,
                parameters=lambda name: {**partitions[name], **self._record[name]},
            )
        )

    def _forget_what_is_declared(self) -> None:
        noted = self._noted.read()
        declared = self._partitions.load(list(noted)) if noted else ()
        # One that is still as it was noted may be about to be retracted by another run.
        self._noted.forget(
            {name for name, found in declared if hash_of_inputs(found.parameters) != hash_of_inputs(noted[name])}
        )


class _Now:
    """Partitions of a view that others depend on, as the metastore has them now."""

    def __init__(self, catalog: ViewCatalog, view: str, upstreams: Iterable[UpstreamPartitions]) -> None:
        self._view = view
        names = list(dict.fromkeys(name for one in upstreams for name in (*one.republished, *one.others)))
        table = HiveBaseTable(catalog.metastore, catalog.metastore.load_row(TableIdentifier.of(view)), "view")
        self._values = dict(zip(names, read_names(view, table.keys, names), strict=True))
        registered = table.registered(self._values.values())
        self._texts = {values: one.fingerprint for values, one in registered.items()}
        # After the fingerprints, so that a record which is still as it was written shows what they are of.
        recorded = table.load_parameters(self._values.values())
        self._hashes = {values: hash_of_inputs(parameters) for values, parameters in recorded.items()}

    def other_than_planned(self, upstream: UpstreamPartitions, written: Mapping[str, str]) -> str | None:
        """Why these are not as the plan has them, with what this run has written; None where they are."""
        for name in upstream.republished:
            if name not in written:
                return f"{self._view} {name} was to be republished before it, and was left alone"
            if self._hashes.get(self._values[name]) != written[name]:
                return f"{self._view} {name} was published again meanwhile"
        if self._of(upstream.others) != upstream.fingerprint:
            return f"other partitions of {self._view} have changed since the plan was made"
        return None

    def fingerprint(self, upstream: UpstreamPartitions) -> str:
        """The fingerprint of all of these."""
        return self._of((*upstream.republished, *upstream.others))

    def _of(self, names: Iterable[str]) -> str:
        return fingerprint_of({self._values[name]: self._texts.get(self._values[name], "") for name in names})
