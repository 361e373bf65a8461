"""An engine's ALTER VIEW at any step of a verb that takes over or gives up a row: what it said is never lost.

Engines take no lock, and leave the pointer alone. Within one second, or by a client that sends the row back as it read
it, not even the time of the row's last change tells; so only the call of the swap itself is left out where nothing that
the server compares has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hive_views.errors import HiveViewsError, NoSuchTableError
from hive_views.estate.adopting import adopt, hand_back
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.transfer.copying import move_views
from hive_views.hive.row import DDL_TIME, POINTER, Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.row.released import half_released
from hive_views.views.view import is_iceberg_view
from tests.faults.saved import Saved, no_files
from tests.support.failing.faulty_metastore import FaultyMetastore
from tests.support.failing.faulty_storage import FaultyFileSystem
from tests.support.plain_rows.broken import sound_row

NAME = TableIdentifier("sales", "daily")
ALTERED = "SELECT user_id, page, 9 AS n FROM web.clicks"
SERVERS: dict[str, dict[str, bool]] = {
    "a server that checks swaps": {},
    "a server that ignores what a swap expects": {"enforces_swap": False},
    "a server that cannot compare": {"compares_swap": False},
}
PLACES = [
    ("a server that checks swaps", "auto"),
    ("a server that checks swaps", "always"),
    ("a server that checks swaps", "never"),
    ("a server that ignores what a swap expects", "auto"),
    ("a server that cannot compare", "auto"),
]
LATER_S = {"in the same second": 0, "five seconds later": 5}


@dataclass(frozen=True)
class Verb:
    """What is done to the view ``sales.daily``; ``compared`` is what its swaps have the server compare."""

    prepare: Callable[[ViewCatalog], object]
    run: Callable[[ViewCatalog], object]
    compared: str | None = DDL_TIME


def plain(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(sound_row(NAME))


def plain_with_partitions(catalog: ViewCatalog) -> None:
    row = sound_row(NAME)
    catalog.metastore.create_row(replace(row, columns=row.columns[:2], partition_keys=row.columns[2:]))
    catalog.metastore.add_partitions(NAME, [Partition(values=("0",))], if_not_exists=False)


def adopted(catalog: ViewCatalog) -> None:
    plain(catalog)
    adopt(catalog, str(NAME))


def two_versions(catalog: ViewCatalog) -> None:
    adopted(catalog)
    catalog.replace_view(NAME, sql={"hive": "SELECT user_id, page, 1 AS n FROM web.clicks"})


def released(catalog: ViewCatalog) -> None:
    two_versions(catalog)
    hand_back(catalog, str(NAME))


def killed_while_released(catalog: ViewCatalog) -> None:
    two_versions(catalog)
    catalog.metastore.swap_row(half_released(catalog.metastore.load_row(NAME)), expected=None)


def without_pointer(catalog: ViewCatalog) -> None:
    two_versions(catalog)
    row = catalog.metastore.load_row(NAME)
    parameters = {key: value for key, value in row.parameters.items() if key != POINTER}
    catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)


def dropped(catalog: ViewCatalog) -> None:
    two_versions(catalog)
    catalog.drop_view(NAME)


def move(catalog: ViewCatalog) -> object:
    target = ViewCatalog(MemoryMetastore(warehouse="memory://moved"), warehouse="memory://moved")
    target.create_namespace("sales")
    return move_views(catalog, target, str(NAME))


VERBS = {
    "adopt": Verb(plain, lambda catalog: adopt(catalog, str(NAME))),
    "adopt with partitions": Verb(plain_with_partitions, lambda catalog: adopt(catalog, str(NAME))),
    "release": Verb(two_versions, lambda catalog: hand_back(catalog, str(NAME)), POINTER),
    "release what was half released": Verb(killed_while_released, lambda catalog: catalog.release_view(NAME)),
    "move": Verb(two_versions, move, POINTER),
    "bring back what was released": Verb(released, lambda catalog: undrop(catalog, str(NAME))),
    "bring back what was half released": Verb(
        killed_while_released, lambda catalog: undrop(catalog, str(NAME)), POINTER
    ),
    "bring back what lost its pointer": Verb(without_pointer, lambda catalog: undrop(catalog, str(NAME))),
    "bring back below what is there": Verb(released, lambda catalog: undrop(catalog, str(NAME), on_drift="adopt")),
    "bring back what was dropped": Verb(dropped, lambda catalog: undrop(catalog, str(NAME)), None),
}


def a_catalog(server: MemoryMetastore, lock: str, metastore: Any = None) -> ViewCatalog:
    # The row is looked at again however fast the twin is.
    settings = CommitSettings(lock=lock, look_again_after_s=-1.0, retry_timeout_s=1.0)  # type: ignore[arg-type]
    return ViewCatalog(metastore or server, MetadataStorage(), warehouse="faulty://views", settings=settings)


def alter(server: MemoryMetastore, later_s: int) -> None:
    """As Spark does: texts and nothing else, whoever the row belongs to; or a view of this name."""
    try:
        row = server.load_row(NAME)
    except NoSuchTableError:
        server.create_row(replace(sound_row(NAME), original_text=ALTERED, expanded_text=ALTERED))
        return
    at_s = str(int(row.parameters[DDL_TIME]) + later_s)
    parameters = {**row.parameters, DDL_TIME: at_s}
    server.swap_row(replace(row, original_text=ALTERED, expanded_text=ALTERED, parameters=parameters), expected=None)


def texts_of(catalog: ViewCatalog) -> list[str]:
    """All that the row says, and the versions of its view."""
    row = catalog.metastore.load_row(NAME)
    texts = [row.original_text, row.expanded_text]
    if is_iceberg_view(row) and POINTER in row.parameters:
        metadata = catalog.storage.read(row.parameters[POINTER], cached=False)
        texts += [text.sql for version in metadata.versions for text in version.sql_representations]
    return [text for text in texts if text]


class Steps:
    """Counts what is done, and has somebody alter the row before one of these."""

    def __init__(self, server: MemoryMetastore, at: int | None, later_s: int) -> None:
        self._server = server
        self._at = at
        self._later_s = later_s
        self.seen: list[str] = []

    def __call__(self, operation: str) -> None:
        if operation == "capabilities":
            return  # it is remembered, and nobody is asked
        self.seen.append(operation)
        if len(self.seen) - 1 == self._at:
            alter(self._server, self._later_s)


def prepared(server_name: str, lock: str, verb: Verb) -> Saved:
    no_files()
    server = a_server(server_name)
    verb.prepare(a_catalog(server, lock))
    return Saved.of(server)


def a_server(name: str) -> MemoryMetastore:
    server = MemoryMetastore(**SERVERS[name], warehouse="faulty://warehouse", lock_timeout_s=0.0)  # type: ignore[arg-type]
    server.create_namespace("sales")
    return server


def attempt(
    start: Saved, server_name: str, lock: str, verb: Verb, at: int | None, later_s: int
) -> tuple[ViewCatalog, list[str]]:
    no_files()
    server = a_server(server_name)
    start.put_into(server)
    steps = Steps(server, at, later_s)
    with FaultyFileSystem.reporting_calls(steps), suppress(HiveViewsError):
        verb.run(a_catalog(server, lock, FaultyMetastore(server, on_call=steps)))
    return a_catalog(server, lock), steps.seen


@pytest.mark.parametrize("when", LATER_S)
@pytest.mark.parametrize(("server", "lock"), PLACES)
@pytest.mark.parametrize("name", VERBS)
def test_what_an_engine_alters_before_any_step_is_in_the_row_or_in_a_version(
    name: str, server: str, lock: str, when: str
) -> None:
    verb, later_s = VERBS[name], LATER_S[when]
    start = prepared(server, lock, verb)
    _, undisturbed = attempt(start, server, lock, verb, None, 0)
    assert "swap_row" in undisturbed or "create_row" in undisturbed
    lost = []
    for at in itertools.count():
        catalog, seen = attempt(start, server, lock, verb, at, later_s)
        if len(seen) <= at:
            break
        is_refused = server == PLACES[0][0] and later_s and verb.compared == DDL_TIME
        if ALTERED not in texts_of(catalog) and (seen[at] != "swap_row" or is_refused):
            lost.append(
                f"before {seen[at]} at the end of {', '.join(seen[: at + 1])}; then {', '.join(seen[at + 1 :])}"
            )
    # Of files that are read several at once, one may be in the cache already when its turn comes.
    assert at >= len([step for step in undisturbed if step not in ("connect", "read")])
    assert not lost, "\n".join(lost)
