"""A range of partition values as texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from hive_views.hive.partition_names import DEFAULT_PARTITION, parse_partition_name


@dataclass(frozen=True)
class ValueRange:
    """The texts from ``low`` to ``high``, compared character by character; None is no bound. NULL is in no range."""

    low: str | None = None
    high: str | None = None

    def __contains__(self, text: str) -> bool:
        return (
            text != DEFAULT_PARTITION
            and (self.low is None or self.low <= text)
            and (self.high is None or text <= self.high)
        )

    def select(self, names: Iterable[str], column: str) -> list[str]:
        """Those of the names of partitions that begin with this column and have a value of it in the range."""

        @cache
        def is_within(first: str) -> bool:
            return parse_partition_name(first).get(column.lower(), DEFAULT_PARTITION) in self

        return [name for name in names if is_within(name.partition("/")[0])]
