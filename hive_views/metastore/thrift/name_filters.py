"""Names of partitions, filtered by the server as far as its filters can be trusted.

A server looks for values as its database does: as patterns, or in the order of a collation, which may put ``2026_08``
before ``2026-08`` and take ``a`` for ``A``. So its answers are filtered again here, and all names are asked for where
it may have left something out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hive_views.errors import HiveViewsError, InvalidPartitionError, MetastoreUnavailableError
from hive_views.hive.partition_names import DEFAULT_PARTITION, parse_partition_name, partition_name
from hive_views.hive.row import Row
from hive_views.hive.value_range import ValueRange
from hive_views.messages.logs import logger_of
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import Call
from hive_views.spec.identifiers import TableIdentifier

log = logger_of(__name__)

_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.-]+")
# A database may take two texts for equal and return one of them: texts with letters by their case, and all by blanks at
# the end, which come before each of these characters.
_EQUAL_TO_NO_OTHER = re.compile(r"[0-9_.-]+")
# Values by column take a server up to five times as long as names.
_MOST_WORTH_A_FILTER = 1 / 4


class PartitionNames:
    """The names of a table's partitions."""

    def __init__(self, ask: Callable[..., Any], load_row: Callable[[TableIdentifier], Row]) -> None:
        self._ask = ask
        self._load_row = load_row

    def all(self, identifier: TableIdentifier) -> list[str]:
        call = Call("get_partition_names", str(identifier))
        try:
            names: list[str] = self._ask(call, identifier.namespace, identifier.name, -1)
        except MetastoreUnavailableError:
            # Hive 2.3 has no better answer where the table is missing.
            self._load_row(identifier)
            raise
        return names

    def with_values(self, identifier: TableIdentifier, wanted: Mapping[str, str]) -> list[str]:
        """Those with these values of some columns."""
        # The server matches values as patterns: it may select too many, and too few where they are not plain.
        plain = all(_PLAIN_VALUE.fullmatch(value) for value in wanted.values())
        names = self._by_leading_values(identifier, list(wanted.values())) if plain else []
        if not names or list(parse_partition_name(names[0]))[: len(wanted)] != list(wanted):
            keys = self._keys(identifier, wanted)
            selected = plain and keys[: len(wanted)] == list(wanted)
            names = [] if selected else self.all(identifier)
        return [name for name in names if wanted.items() <= parse_partition_name(name).items()]

    def within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        """Those whose value of the first of all columns is in the range."""
        names = self._filtered(identifier, keys, texts)
        return texts.select(self.all(identifier) if names is None else names, keys[0])

    def _filtered(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str] | None:
        """All names in the range, and perhaps others; None where the server does not prove that they are all, or where
        it is not worth the calls.
        """
        bounds = {operator: text for operator, text in ((">=", texts.low), ("<=", texts.high)) if text is not None}
        # The different values of an only column are as many as the names.
        if len(keys) < 2 or not all(map(_EQUAL_TO_NO_OTHER.fullmatch, bounds.values())):
            return None
        try:
            values = {row[0] for row in self._values(identifier, keys[:1], applyDistinct=True)} - {DEFAULT_PARTITION}
            wanted = {text for text in values if text in texts}
            if not all(map(_EQUAL_TO_NO_OTHER.fullmatch, values)) or len(wanted) > len(values) * _MOST_WORTH_A_FILTER:
                return None
            condition = " and ".join(f"{keys[0]} {operator} '{text}'" for operator, text in bounds.items())
            rows = self._values(identifier, keys, filter=condition) if wanted else []
            # To the server, all partitions with one value are in the range, or none is.
            if any(len(row) != len(keys) for row in rows) or not wanted <= {row[0] for row in rows}:
                return None
            return [partition_name(keys, row) for row in rows]
        except HiveViewsError as failure:
            # It does not know the call, cannot filter by this column, or breaks over it; names every server can list.
            log.debug("%s is listed as a whole: %s", identifier, failure)
            return None

    def _values(self, identifier: TableIdentifier, keys: Iterable[str], **options: object) -> list[list[str]]:
        request = ttypes.PartitionValuesRequest(
            dbName=identifier.namespace,
            tblName=identifier.name,
            partitionKeys=[ttypes.FieldSchema(name=key, type="string") for key in keys],
            **options,
        )
        answer = self._ask(Call("get_partition_values", str(identifier)), request)
        return [found.row for found in answer.partitionValues]

    def _by_leading_values(self, identifier: TableIdentifier, values: list[str]) -> list[str]:
        call = Call("get_partition_names_ps", str(identifier))
        names: list[str] = self._ask(call, identifier.namespace, identifier.name, values, -1)
        return names

    def _keys(self, identifier: TableIdentifier, wanted: Iterable[str]) -> list[str]:
        keys = [key.name for key in self._load_row(identifier).partition_keys]
        unknown = [column for column in wanted if column not in keys]
        if unknown:
            raise InvalidPartitionError(
                f"{identifier} has no partition column {', '.join(unknown)}; it has {', '.join(keys) or 'none'}.",
                identifier=str(identifier),
            )
        return keys
