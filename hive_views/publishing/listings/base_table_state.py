"""What the partitions of a view stand on, as one run sees it: the tables that its rules speak of, read once.

What lives here: looking at them, and the questions that runs ask of what was seen. What must not: judging
(publishing/plan.py, publishing/since_published.py), writing to the metastore.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.port import BaseTable, PartitionListing, TableWithFingerprints, TableWithHistory
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_spec
from hive_views.publishing.ledger.inputs import fingerprint_of
from hive_views.publishing.listings.narrowing import part_enough
from hive_views.publishing.listings.reading import open_tables, read_details
from hive_views.publishing.listings.remembered import RememberedListings
from hive_views.publishing.plan import Plan, Spec, coverages_of, make_plan
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.evidence import Asked, Evidence
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Requirement, Rule
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions import ViewPartitions

# A first run may declare years; the objects of so many partitions take a metastore some ten seconds.
_MOST_FINGERPRINTS = 50_000


@dataclass(frozen=True)
class Ground:
    """The tables of a rule at one moment.

    Attributes:
        tables: by the names that the rule calls them.
        listings: their partitions, by the same names.
        coverages: what they hold of each part of the rule that asks for partitions.
        listed_at_ms: when reading began, in milliseconds since 1970.
        memory: what is to be saved of it once the run is done.
    """

    partitions: ViewPartitions
    rule: Rule
    tables: Mapping[str, BaseTable]
    listings: Mapping[str, PartitionListing]
    coverages: Mapping[Requirement, Coverage]
    listed_at_ms: int
    memory: RememberedListings

    def plan(
        self,
        declared: Iterable[str],
        candidates: Iterable[Spec] | None = None,
        since: Spec | None = None,
        until: Spec | None = None,
    ) -> Plan:
        """
        Raises:
            as ``make_plan``.
        """
        view = self.partitions.view
        return make_plan(
            view=str(view.identifier),
            view_uuid=view.uuid,
            keys=self.partitions.keys,
            rule=self.rule,
            listings=self.listings,
            listed_at_ms=self.listed_at_ms,
            declared=declared,
            coverages=self.coverages,
            details=read_details(self.tables, self.listings),
            candidates=candidates,
            since=since,
            until=until,
        )

    def judge_declared(self, declared: Iterable[str], since: Spec | None, until: Spec | None) -> Plan:
        """A plan about declared partitions, as if they were not: what would be ``ready`` and what ``waiting`` now.

        Partitions of foreign writers whose values do not fit the columns, or are spelled otherwise, are left out.
        """
        specs = [parse_partition_name(name) for name in declared if self.partitions.fits(name)]
        return self.plan((), specs, since, until)

    def evidence_of_loss(self, candidates: Sequence[Candidate]) -> Evidence:
        """What tells whether the rules fail for these since partitions were lost (``Requirement.fails_for_loss``)."""
        evidence = Evidence(self.partitions.keys, self.listings, self.coverages, self.listed_at_ms)
        asked = Asked()
        for requirement in self.coverages:
            requirement.ask_of_lost(candidates, evidence, asked)
        return replace(evidence, details=read_details(self.tables, self.listings)(asked)) if asked else evidence

    def required(self) -> dict[str, list[Coverage]]:
        """The coverages of each table that partitions are required of."""
        by_table: dict[str, list[Coverage]] = {}
        for requirement, coverage in self.coverages.items():
            by_table.setdefault(requirement.table, []).append(coverage)
        return by_table

    def candidate_of(self, name: str) -> Candidate:
        """
        Raises:
            InvalidPartitionError: its values do not fit the view's columns.
        """
        return normalise_spec(parse_partition_name(name), self.partitions.keys)

    def recorded(self, plan: Plan, *, fingerprints: bool) -> Plan:
        """The plan with what is recorded of the base partitions under its ready ones, to tell later if they are the
        same: what each rule found of them and, where tables have no history, fingerprints of what they hold.

        Of a great many the newest get a fingerprint.
        """
        candidates = {name: self.candidate_of(name) for name in plan.ready}
        required = self.required()
        asked = {
            name: {
                table: {one.question(candidate): str(one.standing(candidate)) for one in coverages}
                for table, coverages in required.items()
            }
            for name, candidate in candidates.items()
        }
        found = self._fingerprints(candidates) if fingerprints else {}
        return replace(plan, asked=asked, fingerprints=found)

    def _fingerprints(self, candidates: Mapping[str, Candidate]) -> dict[str, dict[str, str]]:
        newest_first = dict(reversed(list(candidates.items())))
        fingerprints: dict[str, dict[str, str]] = {}
        for table, coverages in self.required().items():
            reader = self.tables[table]
            if isinstance(reader, TableWithFingerprints) and not isinstance(reader, TableWithHistory):
                for name, text in _fingerprints_of(reader, coverages, newest_first).items():
                    fingerprints.setdefault(name, {})[table] = text
        return fingerprints


def look_at_ground(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    rule: Rule,
    base_tables: Mapping[str, BaseTable] | None,
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
) -> Ground:
    """Open and list each table that a rule speaks of, once.

    Args:
        catalog: where the tables are.
        partitions: those of the view.
        rule: what speaks of the tables.
        base_tables: readers to be used for some of them.
        candidates: if nothing is asked about other partitions of the view, these.
        since: if nothing is asked about earlier partitions of the view, as in ``make_plan``.
        until: the same for later ones.

    Raises:
        NoSuchTableError, UnsupportedFeatureError, InvalidInputError, UnavailableError: a table cannot be read, or a
            rule does not fit it.
        InvalidPartitionError: a candidate or bound is no value of the view's partition columns.
    """
    settings = catalog.settings
    memory = RememberedListings(
        catalog.storage, partitions.view.metadata, clock_ms=settings.clock_ms, new_uuid=settings.new_uuid
    )
    listed_at_ms = settings.clock_ms()
    tables = open_tables(catalog.metastore, rule, base_tables, files=catalog.storage.files)
    judged = None if candidates is None else [normalise_spec(spec, partitions.keys) for spec in candidates]

    def listed(name: str, table: BaseTable) -> PartitionListing:
        if isinstance(table, HiveBaseTable):
            part = part_enough(table, name, rule, partitions.keys, judged, since, until)
            if part is not None:
                return table.list_within(part)
        return memory.list_partitions(table)

    listings = {name: listed(name, table) for name, table in tables.items()}
    coverages = coverages_of(rule, listings, partitions.keys)
    return Ground(partitions, rule, tables, listings, coverages, listed_at_ms, memory)


def _fingerprints_of(
    reader: TableWithFingerprints, coverages: Sequence[Coverage], candidates: Mapping[str, Candidate]
) -> dict[str, str]:
    """By name of candidate, in their order as far as the number of base partitions goes."""
    grounds, total = {}, 0
    for name, candidate in candidates.items():
        ground = dict.fromkeys(values for one in coverages for values in one.partitions(candidate))
        total += len(ground)
        if total > _MOST_FINGERPRINTS:
            break
        if ground:
            grounds[name] = ground
    asked = dict.fromkeys(values for ground in grounds.values() for values in ground)
    found = reader.fingerprints(asked) if asked else {}
    return {name: fingerprint_of({one: found.get(one, "") for one in ground}) for name, ground in grounds.items()}
