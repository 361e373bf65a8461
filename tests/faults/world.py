"""Views on one metastore and one storage, and how a bystander sees them, who asks the two and believes nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_views.errors import CorruptMetadataError, NoSuchTableError
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.recovered_metadata import foreign_parameters
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.row.released import is_half_released
from hive_views.views.view import is_iceberg_view, view_of

COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "string")]
WIDER_COLUMNS = [("user_id", "bigint"), ("country", "string"), ("clicks", "bigint"), ("ds", "string")]
WIDER = "SELECT user_id, country, 0 AS clicks, ds FROM web.clicks"
_OURS = "hive-views."
_DROPPED = re.compile(r"_dropped_[0-9a-f]{8}$")
"""The name that a view has while it is dropped with its files; no two are the same."""


def a_text(number: int) -> str:
    return f"SELECT user_id, {number} AS clicks, ds FROM web.clicks"


class LostError(AssertionError):
    """Something is gone that was promised to stay."""


@dataclass(frozen=True)
class Seen:
    """One view as its row, its file and its partitions have it; what this library keeps for itself is left out.

    A plain view has no history. ``interrupted`` is one whose release has still to take its pointer away.
    """

    text: str
    history: tuple[int, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    partitions: Mapping[str, str | None] = field(default_factory=dict)
    """By name what was noted with each."""
    drifted: bool = False
    interrupted: bool = False


State = Mapping[str, Seen]
"""All views of the namespace by name."""


class World:
    """The views of one namespace, seen through ``server``, which no fault stands before.

    ``lock`` is how everybody here writes, and ``checks`` whether the server checks what a swap expects.
    """

    def __init__(self, server: Metastore, namespace: str, warehouse: str, lock: LockMode, *, checks: bool) -> None:
        self.server = server
        self.namespace = namespace
        self.warehouse = warehouse
        self.lock: LockMode = lock
        self.checks = checks
        self.files: dict[str, str] = {}
        """Files that a verb is given, by the view they were written for."""

    def catalog(self, metastore: Metastore | None = None, lock: LockMode | None = None) -> ViewCatalog:
        """A newcomer, who has nothing in memory."""
        settings = CommitSettings(
            lock=lock or self.lock, retry_timeout_s=2.0, settle_timeout_s=0.3, mend_lock_timeout_s=0.0, owner="tests"
        )
        return ViewCatalog(metastore or self.server, MetadataStorage(), warehouse=self.warehouse, settings=settings)

    def identifier(self, name: str) -> TableIdentifier:
        return TableIdentifier(self.namespace, name)

    def row(self, name: str) -> Row:
        return self.server.load_row(self.identifier(name))

    def look(self) -> State:
        """What is there.

        Raises:
            LostError: a row points to a file that is missing or not its own.
        """
        state: dict[str, Seen] = {}
        storage = MetadataStorage()
        for name in self.server.list_view_names(self.namespace):
            try:
                row = self.row(name)
            except NoSuchTableError:
                continue
            seen = self._seen(row, storage) if is_iceberg_view(row) else self._plain(row)
            state[_DROPPED.sub("_dropped", name)] = seen
        return state

    def _seen(self, row: Row, storage: MetadataStorage) -> Seen:
        try:
            view = view_of(row, storage)
        except CorruptMetadataError as error:
            raise LostError(f"{row.identifier.name} points to {row.parameters[POINTER]}: {error}") from error
        return Seen(
            text=view.original_sql("hive") or "",
            history=tuple(entry.version_id for entry in view.history),
            properties={key: value for key, value in view.properties.items() if not key.startswith(_OURS)},
            partitions=self._partitions(row),
            drifted=any(difference.kind == "drifted" for difference in view.differences),
        )

    def _plain(self, row: Row) -> Seen:
        return Seen(
            text=row.original_text or "",
            history=(),
            properties=foreign_parameters(row),
            partitions=self._partitions(row),
            interrupted=is_half_released(row),
        )

    def _partitions(self, row: Row) -> dict[str, str | None]:
        reported = self.server.load_partitions(row.identifier, self.server.partition_names(row.identifier))
        keys = [column.name for column in row.partition_keys] or ["ds"]
        return {f"{keys[0]}={each.values[0]}": each.parameters.get("note") for each in reported}
