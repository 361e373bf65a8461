"""Whether a partition was published by a rule, or by one for which the same base partitions suffice.

Its parameter has a hash of the rule; of a partition that was published before that was recorded, the questions are
known that were asked of each table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hive_views.hive.row import Partition
from hive_views.persisted import INPUTS, PUBLISHED_BY, PUBLISHED_RULE
from hive_views.publishing.ledger.inputs import Input, hash_of_inputs, read_inputs
from hive_views.publishing.ledger.recorded_rules import hash_of_rule, text_of_rule
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.dependency_digest import DependencyDigest
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Requirement, Rule, SimpleRule, Truth


@dataclass(frozen=True)
class PartitionRecord:
    """What is recorded with a declared partition.

    Attributes:
        inputs: by base table; None where nothing of ours is recorded.
        published_by: the application; None where that is not recorded.
        rule: a hash of the rule (``hash_of_rule``); "" where that is not recorded, or the rule had no text.
        hash: of the text of the inputs: it differs once the partition was published again.
    """

    inputs: Mapping[str, Input] | None
    published_by: str | None
    rule: str
    hash: str

    @classmethod
    def of(cls, partition: Partition) -> PartitionRecord:
        found = partition.parameters
        return cls(
            read_inputs(found.get(INPUTS)),
            found.get(PUBLISHED_BY),
            found.get(PUBLISHED_RULE, ""),
            hash_of_inputs(found),
        )


@dataclass(frozen=True)
class CurrentRule:
    """A rule, to be compared with those that partitions were published by.

    Attributes:
        rule: the rule.
        coverages: what the tables hold of each part of it, for the questions that it asks.
    """

    rule: Rule
    coverages: Mapping[Requirement, Coverage]

    @cached_property
    def _hash(self) -> str:
        return hash_of_rule(text_of_rule(self.rule)[0])

    def was_met(self, candidate: Candidate, published: PartitionRecord) -> bool:
        """Whether this very rule was certainly met by what the partition was published on."""
        if published.rule and published.rule == self._hash and self.first_asked_otherwise(candidate, published) is None:
            return True
        return self._truth_then(candidate, published) is Truth.YES

    def may_be_that_of(self, candidate: Candidate, published: PartitionRecord) -> bool:
        """Whether a partition of which no rule is recorded may have been published by this one, by what was asked."""
        tables = {one.table for one in self.coverages}
        return (
            tables >= (published.inputs or {}).keys()
            and self.first_asked_otherwise(candidate, published) is None
            and self._truth_then(candidate, published) is not Truth.NO
        )

    def first_asked_otherwise(self, candidate: Candidate, published: PartitionRecord) -> str | None:
        """The first table of which it asks what was not asked then, or was not recorded; None if there is none."""
        return next(
            (
                one.table
                for one, coverage in self.coverages.items()
                if coverage.question(candidate) not in _asked_of(one, published)
            ),
            None,
        )

    def _truth_then(self, candidate: Candidate, published: PartitionRecord) -> Truth:
        def truth_of(rule: SimpleRule) -> Truth:
            if not isinstance(rule, Requirement):
                return Truth.UNKNOWN
            before = _asked_of(rule, published).get(self.coverages[rule].question(candidate))
            if before is None:
                return Truth.UNKNOWN
            if not before.is_all:
                return Truth.NO
            return Truth.YES if rule.is_of_partitions_alone else Truth.UNKNOWN

        return self.rule.truth(truth_of)


def _asked_of(requirement: Requirement, published: PartitionRecord) -> Mapping[str, DependencyDigest]:
    found = (published.inputs or {}).get(requirement.table)
    return found.asked if found else {}
