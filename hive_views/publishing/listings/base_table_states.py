"""The base tables of a view's rules, as one run sees them: each opened and listed once, and asked for details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from hive_views.base_tables.opening import check_format, open_base_table, table_name
from hive_views.base_tables.port import (
    BaseTable,
    Commit,
    MetastoreReader,
    PartitionListing,
    PartitionValues,
    Statistics,
)
from hive_views.errors import CorruptMetadataError, InvalidInputError, UnsupportedFeatureError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_spec
from hive_views.hive.row import Column
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.publishing.directory_contents import ListDirectories, directories_of, text_of
from hive_views.publishing.ledger.inputs import fingerprint_of
from hive_views.publishing.ledger.recorded_rules import text_of_rule
from hive_views.publishing.listings.narrowing import part_enough
from hive_views.publishing.listings.remembered import RememberedListings
from hive_views.publishing.plan import Plan
from hive_views.publishing.scope import Scope
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest, Details, LateChanges, Mark, Need, Observations
from hive_views.readiness.rules import Requirement, Rule
from hive_views.readiness.rules.requirements import may_hold
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions

log = logger_of("hive_views.publishing")

Listings = Mapping[str, PartitionListing]

# What is written every few seconds takes longer to ask about a day than to wait for.
_MOST_COMMITS = 1_000


@dataclass(frozen=True)
class Fingerprints:
    """What distinguishes base partitions without history, by name of the candidate that depends on them and by table.

    Attributes:
        registered: of what the metastore has of them.
        directories: of what lies in their directories; of candidates where that is known.
    """

    registered: dict[str, dict[str, str]] = field(default_factory=dict)
    directories: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class BaseTableStates:
    """What the base tables of a rule held when they were read.

    Attributes:
        partitions: those of the view.
        rule: what is about the tables.
        tables: by the names that the rule calls them.
        observed: what the rule judges by, without the details that it asks for beyond the listings.
        memory: what is to be saved of it once the run is done.
        files: the storage that tables without history have their files on.
    """

    partitions: ViewPartitions
    rule: Rule
    tables: Mapping[str, BaseTable]
    observed: Observations
    memory: RememberedListings
    files: Files

    @cached_property
    def rule_text(self) -> tuple[str, str]:
        """The expression of the rule, and why it has none: one of both is empty."""
        return text_of_rule(self.rule)

    def with_details(self, request: DetailRequest) -> Observations:
        """What rules judge by, with the details they ask for, which are read now and may raise UnavailableError."""
        return replace(self.observed, details=read_details(self.tables, self.observed.listings, request))

    def required(self) -> dict[str, list[Coverage]]:
        """The coverages of each table that a requirement is about."""
        by_table: dict[str, list[Coverage]] = {}
        for requirement, coverage in self.observed.coverages.items():
            by_table.setdefault(requirement.table, []).append(coverage)
        return by_table

    def fingerprints(
        self, candidates: Mapping[str, Candidate], most: int, list_directories: ListDirectories | None
    ) -> Fingerprints:
        """What distinguishes the base partitions in tables without history that candidates depend on.

        It is read before anything else is asked of the tables than their partitions, so that what is written after a
        candidate was judged is never taken for what it was judged by.

        Args:
            candidates: by name, ascending; those that may be ready by the partitions that are listed get one.
            most: of how many base partitions they are read at most; of more, the newest candidates get one.
            list_directories: what lists their directories; None: nothing does.
        """
        readers = {
            table: (reader, coverages)
            for table, coverages in self.required().items()
            if (reader := self.tables[table].fingerprints) is not None and self.tables[table].history is None
        }
        needed: dict[str, dict[str, dict[PartitionValues, None]]] = {table: {} for table in readers}
        asked: dict[str, dict[PartitionValues, None]] = {table: {} for table in readers}
        may_be_ready = may_hold(self.rule, self.observed)
        for name, candidate in reversed(list(candidates.items())) if readers and most else ():
            if not may_be_ready(candidate):
                continue
            of_tables = {
                table: dict.fromkeys(values for one in coverages for values in one.partitions(candidate))
                for table, (_, coverages) in readers.items()
            }
            # Not as sets: their difference looks at all that was asked before.
            new = sum(one not in asked[table] for table, values in of_tables.items() for one in values)
            if new + sum(map(len, asked.values())) > most:
                said = "no fingerprints are recorded for partitions up to %s: a run reads at most %d (max_fingerprints)"
                log.warning(said, name, most)
                break
            for table, values in of_tables.items():
                if values:
                    needed[table][name] = values
                    asked[table] |= values
        found = Fingerprints()
        for table, (reader, _) in readers.items():
            if asked[table]:
                registered = reader.registered(asked[table])
                directories = directories_of(registered, self.files, list_directories) if list_directories else {}
                for name, values in needed[table].items():
                    texts = {one: registered[one].fingerprint if one in registered else "" for one in values}
                    found.registered.setdefault(name, {})[table] = fingerprint_of(texts)
                    lies = text_of(directories, values)
                    if lies.text:
                        found.directories.setdefault(name, {})[table] = lies.text
        return found

    def with_inputs(self, plan: Plan, fingerprints: Fingerprints) -> Plan:
        """The plan with a record of what its ready partitions depend on, to find out later whether it has changed.

        The record is what each rule found and, for tables without history, fingerprints.
        """
        keys = self.partitions.keys
        candidates = {name: normalise_spec(parse_partition_name(name), keys) for name in plan.ready}
        required = self.required()
        asked = {
            name: {
                table: {one.question(candidate): str(one.digest(candidate)) for one in coverages}
                for table, coverages in required.items()
            }
            for name, candidate in candidates.items()
        }
        return replace(
            plan,
            asked=asked,
            fingerprints={name: one for name, one in fingerprints.registered.items() if name in candidates},
            directories={name: one for name, one in fingerprints.directories.items() if name in candidates},
        )


def read_base_tables(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    rule: Rule,
    scope: Scope,
    base_tables: Mapping[str, BaseTable] | None,
    listed: dict[str, PartitionListing] | None = None,
) -> BaseTableStates:
    """Open and list each table that a rule is about, once.

    Args:
        catalog: where the tables are.
        partitions: those of the view.
        rule: what is about the tables.
        scope: the partitions of the view that are considered; what only others need may be left unread.
        base_tables: readers to be used for some of the tables.
        listed: whole listings of tables by name that others have read, which are taken as they are; those that are read
            here are added.

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
        filterable = table.filterable
        part = None if filterable is None else part_enough(filterable, name, rule, keys, scope)
        if filterable is not None and part is not None:
            listings[name] = filterable.list_within(part)
        elif listed is not None and name in listed:
            listings[name] = listed[name]
        else:
            listings[name] = memory.list_partitions(table)
            if listed is not None:
                listed[name] = listings[name]
    observed = observe(rule, listings, keys, listed_at_ms)
    return BaseTableStates(partitions, rule, tables, observed, memory, catalog.storage.files)


def observe(
    rule: Rule, listings: Mapping[str, PartitionListing], keys: Sequence[Column], listed_at_ms: int
) -> Observations:
    """What a rule judges by, given the listings. InvalidInputError: a rule does not fit its table or the view."""
    coverages = {one: one.cover(listings, keys) for one in rule.requirements() if isinstance(one, Requirement)}
    return Observations(tuple(keys), listings, coverages, listed_at_ms)


def open_tables(
    metastore: MetastoreReader,
    rule: Rule,
    given: Mapping[str, BaseTable] | None = None,
    *,
    files: Files | None = None,
) -> dict[str, BaseTable]:
    """Each table that the rule is about, by its name in the rule; ``given`` readers are used for tables of these names.

    Raises:
        InvalidInputError: a table has another format than the rule says, or does not report what the rule asks for; or
            a reader is no ``BaseTable``.
        NoSuchTableError, UnsupportedFeatureError: as ``open_base_table``.
    """
    readers = {table_name(name): _checked(name, table) for name, table in (given or {}).items()}
    tables: dict[str, BaseTable] = {}
    for named in (table for required in rule.requirements() for table in required.tables()):
        if named.name not in tables:
            reader = readers.get(named.name)
            if reader is None:
                reader = open_base_table(metastore, named.name, named.format, files=files)
            tables[named.name] = reader
        table = tables[named.name]
        check_format(named.name, table.format, named.format)
        if named.needs and not _reports(table, named.needs):
            raise _does_not_report(named.name, table, named.needs)
    return tables


def _checked(name: str, table: BaseTable) -> BaseTable:
    if not isinstance(table, BaseTable):
        raise InvalidInputError(
            f"Cannot read {name} with a {type(table).__name__}: a reader in base_tables= derives from BaseTable of "
            f"hive_views.base_tables.port.",
            table=name,
        )
    return table


def read_details(tables: Mapping[str, BaseTable], listings: Listings, request: DetailRequest) -> Details:
    """Read what rules ask for beyond the listings of the tables, as of these listings; UnavailableError: it cannot be
    read.
    """
    return Details(
        statistics={name: _statistics(tables[name], list(values)) for name, values in request.statistics.items()},
        marked={
            (name, mark): _marked(tables[name], mark, list(values)) for (name, mark), values in request.marks.items()
        },
        commits={name: _commits(tables[name], listings[name]) for name in request.commits},
        changes={
            (name, after_ms): _changes_after(tables[name], listings[name], after_ms)
            for name, after_ms in request.changes
        },
    )


_UNKNOWN: Mapping[Need, str] = {
    "statistics": "does not report how much data its partitions have",
    "parameters": "has no partitions with parameters in the metastore",
    "marks": "has no done markers that this library knows",
    "commits": "has no commits",
    "snapshot": "has no snapshots and so no watermark",
}


def _reports(table: BaseTable, need: Need) -> bool:
    match need:
        case "statistics":
            return table.fingerprints is not None or table.history is not None
        case "parameters":
            return table.fingerprints is not None
        case "marks":
            return table.markers is not None
        case "commits" | "snapshot":
            return table.history is not None


def _does_not_report(name: str, table: BaseTable, need: Need) -> InvalidInputError:
    reason = f"{name} is a {table.format} table, which {_UNKNOWN[need]}"
    if table.read_through and need in ("statistics", "parameters", "marks"):
        remedy = Remedy(
            in_python="Leave it out of base_tables= to have it read directly, or use another rule.",
            in_shell="Leave the rule out, or use another.",
        )
        return InvalidInputError(f"{reason}, as it is read through {table.read_through}.", remedy=remedy, table=name)
    return InvalidInputError(f"{reason}. Leave the rule out, or use another.", table=name)


# open_tables has refused the tables that do not report what is read below.


def _statistics(table: BaseTable, values: list[PartitionValues]) -> Mapping[PartitionValues, Statistics]:
    return table.fingerprints.load_statistics(values) if values and table.fingerprints is not None else {}


def _marked(table: BaseTable, mark: Mark, values: list[PartitionValues]) -> frozenset[PartitionValues]:
    if values and mark.by == "parameter" and table.fingerprints is not None:
        parameters = table.fingerprints.load_parameters(values)
        return frozenset(one for one in values if parameters.get(one, {}).get(mark.name, "").lower() == mark.value)
    if not values or table.markers is None:
        return frozenset()
    if mark.by == "event":
        return table.markers.done_events(values)
    if mark.by == "success-file":
        return table.markers.done_files(values, mark.name)
    return table.markers.done_partitions(values)


def _commits(table: BaseTable, listing: PartitionListing) -> list[Commit]:
    # A table without any commit has no snapshot.
    return list(table.history.commits(listing.snapshot)) if table.history is not None and listing.snapshot else []


def _changes_after(table: BaseTable, listing: PartitionListing, after_ms: int) -> LateChanges:
    """What the commits after a timestamp did up to the listing; all of them, if the one before them is known too."""
    until = listing.snapshot
    history = table.history
    if until is None or history is None:
        return LateChanges()
    first, is_all = until, False
    with suppress(CorruptMetadataError, UnsupportedFeatureError):
        for commit in islice(history.commits(until), _MOST_COMMITS):
            first = commit.snapshot
            is_all = first.committed_at_ms is not None and first.committed_at_ms <= after_ms
            if is_all:
                break
    changes = history.changes(first, until)
    return LateChanges(changes.partitions, is_all) if changes.unknown is None else LateChanges()
