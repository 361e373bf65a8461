"""The states of the base tables that a view's rules are about, as one run sees them: each read once.

What lives here: reading them, and the questions that runs ask of what was read. What must not: judging
(publishing/judging.py, publishing/since_published.py), writing to the metastore.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.port import BaseTable, PartitionListing, TableWithFingerprints, TableWithHistory
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_spec
from hive_views.hive.row import Column
from hive_views.publishing.ledger.inputs import fingerprint_of
from hive_views.publishing.listings.narrowing import part_enough
from hive_views.publishing.listings.reading import open_tables, read_details
from hive_views.publishing.listings.remembered import RememberedListings
from hive_views.publishing.plan import Plan
from hive_views.publishing.scope import Scope
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.evidence import Asked, Evidence
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Requirement, Rule
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions import ViewPartitions

# A first run may declare years; the objects of so many partitions take a metastore some ten seconds.
_MOST_FINGERPRINTS = 50_000


@dataclass(frozen=True)
class BaseTableStates:
    """What the base tables of a rule held when they were read.

    Attributes:
        partitions: those of the view.
        rule: what is about the tables.
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

    @property
    def evidence(self) -> Evidence:
        """What rules judge by, without what they ask for beyond the listings."""
        return Evidence(self.partitions.keys, self.listings, self.coverages, self.listed_at_ms)

    def with_details(self, asked: Asked) -> Evidence:
        """What rules judge by, with what they ask for beyond the listings, which is read now.

        Raises:
            UnavailableError: it cannot be read.
        """
        return replace(self.evidence, details=read_details(self.tables, self.listings, asked))

    def required(self) -> dict[str, list[Coverage]]:
        """The coverages of each table that partitions are required of."""
        by_table: dict[str, list[Coverage]] = {}
        for requirement, coverage in self.coverages.items():
            by_table.setdefault(requirement.table, []).append(coverage)
        return by_table

    def with_inputs(self, plan: Plan, *, fingerprints: bool) -> Plan:
        """The plan with what is recorded of the base partitions that its ready ones depend on, to find out later
        whether they are the same: what each rule found of them and, where tables have no history, fingerprints.

        Args:
            plan: made of these states.
            fingerprints: whether to read fingerprints; of a great many partitions the newest get one.
        """
        keys = self.partitions.keys
        candidates = {name: normalise_spec(parse_partition_name(name), keys) for name in plan.ready}
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


def read_base_tables(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    rule: Rule,
    scope: Scope,
    base_tables: Mapping[str, BaseTable] | None,
) -> BaseTableStates:
    """Open and list each table that a rule is about, once.

    Args:
        catalog: where the tables are.
        partitions: those of the view.
        rule: what is about the tables.
        scope: the partitions of the view that are asked about; of others, tables may be left unread.
        base_tables: readers to be used for some of the tables.

    Raises:
        NoSuchTableError, UnsupportedFeatureError, InvalidInputError, UnavailableError: a table cannot be read, or a
            rule does not fit it.
        InvalidPartitionError: a candidate or bound is no value of the view's partition columns.
    """
    settings, keys = catalog.settings, partitions.keys
    memory = RememberedListings(
        catalog.storage, partitions.view.metadata, clock_ms=settings.clock_ms, new_uuid=settings.new_uuid
    )
    listed_at_ms = settings.clock_ms()
    tables = open_tables(catalog.metastore, rule, base_tables, files=catalog.storage.files)
    listings: dict[str, PartitionListing] = {}
    for name, table in tables.items():
        part = part_enough(table, name, rule, keys, scope) if isinstance(table, HiveBaseTable) else None
        if isinstance(table, HiveBaseTable) and part is not None:
            listings[name] = table.list_within(part)
        else:
            listings[name] = memory.list_partitions(table)
    return BaseTableStates(partitions, rule, tables, listings, coverages_of(rule, listings, keys), listed_at_ms, memory)


def coverages_of(
    rule: Rule, listings: Mapping[str, PartitionListing], keys: Sequence[Column]
) -> dict[Requirement, Coverage]:
    """What the tables hold of each rule inside that asks for partitions of one.

    Args:
        rule: the rule.
        listings: what the tables hold, by the names that the rule calls them.
        keys: the partition columns of the view.

    Raises:
        InvalidInputError: a rule does not fit its table or the view.
    """
    return {one: one.cover(listings, keys) for one in rule.requirements() if isinstance(one, Requirement)}


def _fingerprints_of(
    reader: TableWithFingerprints, coverages: Sequence[Coverage], candidates: Mapping[str, Candidate]
) -> dict[str, str]:
    """By name of candidate, in their order as far as the number of base partitions goes."""
    needed, total = {}, 0
    for name, candidate in candidates.items():
        partitions = dict.fromkeys(values for one in coverages for values in one.partitions(candidate))
        total += len(partitions)
        if total > _MOST_FINGERPRINTS:
            break
        if partitions:
            needed[name] = partitions
    asked = dict.fromkeys(values for partitions in needed.values() for values in partitions)
    found = reader.fingerprints(asked) if asked else {}
    return {
        name: fingerprint_of({one: found.get(one, "") for one in partitions}) for name, partitions in needed.items()
    }
