"""Loads, lists and commits over REST beside Iceberg's reference server, on one metastore, in turns.

Both servers load the same view of the same file. The reference server is Iceberg's own HiveCatalog behind a servlet, so
that it does what any Java client of the metastore does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path

from hive_views.metastore.embedded.java import find_java
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.benchmarks.figures import Figure, in_turns
from tests.benchmarks.reference_server import reference_server
from tests.benchmarks.rest_client import RestClient
from tests.support.processes.rest_server import rest_server

CLIENTS = 8
VERSIONS = (1, 10, 100)
VIEWS = 1_000
_NAMESPACE, _LISTED = "rest", "rest_listed"
# Java compiles what it does often.
_WARMING = "warming"

# Requests of each client in a turn.
_IN_A_ROW = 20


def measure_rest(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    with (
        rest_server(uri, directory / "serve") as ours,
        reference_server(find_java(), uri, directory / "reference") as theirs,
        ViewCatalog.connect(uri) as catalog,
        ExitStack() as stack,
    ):
        sides = [stack.enter_context(RestClient(address, _NAMESPACE)) for address in (ours.address, theirs)]
        catalog.create_namespace(_NAMESPACE, location=f"file:{directory}/rest")
        sides[0].create(_WARMING)
        _by_crowds(sides, 5, lambda client, _: partial(_load, client, _WARMING))
        for versions in VERSIONS:
            yield from _loads(sides, catalog, versions, rounds)
        yield from _commits(sides, rounds)
        yield from _lists(sides, catalog, directory, rounds)


def _loads(sides: list[RestClient], catalog: ViewCatalog, versions: int, rounds: int) -> Iterator[Figure]:
    what, name = f"REST: load a view of {versions} versions", f"of_{versions}"
    sides[0].create(name, versions_kept=versions)
    for number in range(1, versions):
        sides[0].commit(name, number)
    yield Figure(what, *in_turns(rounds * 5, *(partial(_load, side, name) for side in sides)), 1.0)
    crowded = _by_crowds(sides, rounds, lambda client, _: partial(_load, client, name))
    yield Figure(f"{what}, {CLIENTS} clients", *crowded, 1.0)
    over, within = in_turns(
        rounds * 5, partial(_load, sides[0], name), lambda _: catalog.load_view(f"{_NAMESPACE}.{name}")
    )
    beyond = [one - other for one, other in zip(over, within, strict=True)]
    yield Figure(f"{what}, beyond load_view of Python", beyond, [], 0.003)


def _load(side: RestClient, name: str, _: int) -> object:
    return side.load(name)


def _commits(sides: list[RestClient], rounds: int) -> Iterator[Figure]:
    """Each server commits to views of its own: what one has written would be news to the other."""
    commits = [_committing(side, f"of_{side.port}") for side in sides]
    yield Figure("REST: commit a version", *in_turns(rounds * 2, *commits), 1.0)
    rounds = max(2, rounds // 5)
    crowded = _by_crowds(sides, rounds, lambda client, number: _committing(client, f"of_{client.port}_{number}"))
    yield Figure(f"REST: commit a version, {CLIENTS} clients, each to its own view", *crowded, 1.0)


def _committing(client: RestClient, name: str) -> Callable[[int], None]:
    client.create(name)
    numbers = count(1)
    return lambda _: client.commit(name, next(numbers))


def _by_crowds(
    sides: list[RestClient], rounds: int, action_of: Callable[[RestClient, int], Callable[[int], object]]
) -> tuple[list[float], list[float]]:
    """Seconds of each request of some clients at once, at one server and then at the other; the first turn warms up."""
    seconds: list[list[float]] = [[], []]
    with ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as threads:
        crowds = [[stack.enter_context(side.another()) for _ in range(CLIENTS)] for side in sides]
        actions = [[action_of(client, number) for number, client in enumerate(crowd)] for crowd in crowds]
        for turn in range(rounds + 1):
            for found, crowd in zip(seconds, actions, strict=True):
                asked = list(threads.map(_seconds, crowd))
                found.extend(chain.from_iterable(asked if turn else ()))
    return seconds[0], seconds[1]


def _seconds(action: Callable[[int], object]) -> list[float]:
    found = []
    for turn in range(_IN_A_ROW):
        started = time.perf_counter()
        action(turn)
        found.append(time.perf_counter() - started)
    return found


def _lists(sides: list[RestClient], catalog: ViewCatalog, directory: Path, rounds: int) -> Iterator[Figure]:
    catalog.create_namespace(_LISTED, location=f"file:{directory}/{_LISTED}")
    row = catalog.load_view(f"{_NAMESPACE}.of_1").row
    for number in range(VIEWS):
        catalog.metastore.create_row(replace(row, identifier=TableIdentifier(_LISTED, f"v{number:04d}"), native=None))
    lists = [partial(_list, side) for side in sides]
    yield Figure(f"REST: list {VIEWS:,} views", *in_turns(max(2, rounds // 5), *lists), None)


def _list(side: RestClient, _: int) -> None:
    assert len(side.list(_LISTED)["identifiers"]) == VIEWS
