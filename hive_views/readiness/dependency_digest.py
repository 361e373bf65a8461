"""The partitions of a base table that a partition of a view depends on by one rule, as a short text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hive_views.base_tables.port import PartitionValues

_STANDING = re.compile(r"([0-9]{1,18}):([0-9a-f]{8})(:part)?")


@dataclass(frozen=True)
class DependencyDigest:
    """The partitions of a table that a partition of a view depends on by one rule.

    Attributes:
        partitions: how many.
        names: a hash of their values, in any order.
        is_all: they are all that the rule asks for.
    """

    partitions: int
    names: str
    is_all: bool = True

    @classmethod
    def on(cls, partitions: Collection[PartitionValues], *, is_all: bool = True) -> DependencyDigest:
        # Not as JSON, which takes many times as long: a first run may declare years of hours.
        try:
            names = sorted(map("\0".join, partitions))  # type: ignore[arg-type]  # NULL is rare, and tried first as a text
        except TypeError:
            names = sorted("\0".join("\1" if text is None else text for text in values) for values in partitions)
        digest = hashlib.sha256(chr(2).join(names).encode("utf-8", "surrogatepass")).hexdigest()
        return cls(len(names), digest[:8], is_all)

    @classmethod
    def read(cls, text: object) -> DependencyDigest | None:
        """What ``str`` made of one; None of anything else."""
        found = _STANDING.fullmatch(text) if isinstance(text, str) else None
        return cls(int(found[1]), found[2], found[3] is None) if found else None

    @classmethod
    def read_all(cls, texts: Mapping[str, object]) -> dict[str, DependencyDigest]:
        """What ``str`` made of some, by question; anything else is left out."""
        return {question: digest for question, text in texts.items() if (digest := cls.read(text))}

    def __str__(self) -> str:
        return f"{self.partitions}:{self.names}{'' if self.is_all else ':part'}"

    def is_on_other_than(self, other: DependencyDigest) -> bool:
        return (self.partitions, self.names) != (other.partitions, other.names)

    def has_lost(self, now: DependencyDigest) -> bool:
        """Whether one of these partitions is certainly gone, given those there are now.

        If there are more than before, names do not say whether one is gone besides those that were added.
        """
        return now.partitions <= self.partitions and self.is_on_other_than(now)
