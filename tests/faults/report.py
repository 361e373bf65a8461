"""``python -m tests.faults.report``: every cell of the matrix of faults, and REPORT.md of what came of them.

All cells are run on the twin; on real metastores some of each verb, fault and protection, as a seed says: on the
embedded one, and on a 3.1.3 in a container where an engine answers. Fails where something is lost, a phantom, or known
otherwise than promised, and leaves the report alone then.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tests.faults import on_twin, on_wire
from tests.faults.listener import Orders, compile_listeners, listening, listening_metastore
from tests.faults.matrix import PROMISES, Cell, Protection, Verdict
from tests.faults.on_twin import PROTECTIONS, Twin
from tests.faults.on_wire import Server, Wire
from tests.faults.tally import REPORT, Tally, read, written
from tests.faults.verbs import VERBS
from tests.support.containers.images import base_image
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import NoEngineError, Session, connect

ENOUGH = 10_000
_PROCESSES = 2
_OF_EACH = {"2.3.10": 2, "3.1.3": 1}
_SEED = 11

Group = tuple[str, Protection, str, str]


def chosen(cells: Sequence[Cell], count: int, seed: int) -> list[Cell]:
    """Some of the cells of one verb, fault and protection, the same ones for the same seed."""
    first = cells[0]
    key = f"{seed} {first.server} {first.protection.value} {first.verb} {first.fault}"
    return random.Random(key).sample(cells, min(count, len(cells)))


def groups_on_twin(verbs: Iterable[str]) -> list[Group]:
    return [
        (server, protection, verb, fault)
        for server, protections in PROTECTIONS.items()
        for protection, verb, fault in itertools.product(protections, verbs, PROMISES)
    ]


def run_on_twin(group: Group) -> Tally:
    """All cells of a group, in a process of its own or this one."""
    logging.getLogger("hive_views").setLevel(logging.CRITICAL)
    tally = Tally()
    twin = Twin()
    for cell in on_twin.cells(twin, *group):
        outcome = twin.run(cell)
        if outcome is not None:
            tally.add(cell, outcome)
    return tally


def run_on_wire(server: Server, directory: Path, verbs: Iterable[str], seed: int, say: Callable[[str], None]) -> Tally:
    tally = Tally()
    with closing(Wire(server, directory)) as wire:
        for protection, verb in itertools.product(server.protections, verbs):
            for fault in PROMISES:
                cells = list(on_wire.cells(wire, protection, verb, fault))
                for cell in chosen(cells, _OF_EACH[server.name], seed):
                    outcome = wire.run(cell)
                    if outcome is not None:
                        tally.add(cell, outcome)
            say(f"{server.name}: {verb}, {protection.value}: {tally.injected} injections")
    return tally


@contextmanager
def server_in_container(servers: MetastoreServers, directory: Path) -> Iterator[Server]:
    """A Hive 3.1.3, which checks no swap, with the listeners."""
    orders = Orders(directory / "orders")
    with servers.own("3.1.3", "postgres", settings=listening(orders), jar=compile_listeners(directory)) as server:
        yield Server("3.1.3", server.uri, orders, (Protection.LOCK,))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.report", description=__doc__)
    parser.add_argument("--seed", type=int, default=_SEED, help="chooses the cells that real metastores see")
    parser.add_argument("--verb", action="append", choices=[*VERBS], help="only this one; the others' results stay")
    asked = parser.parse_args(arguments)
    seed, verbs = asked.seed, asked.verb or [*VERBS]
    started_s = time.monotonic()
    logging.getLogger("hive_views").setLevel(logging.CRITICAL)

    def say(what: str) -> None:
        print(f"{time.monotonic() - started_s:6.0f} s  {what}", file=sys.stderr, flush=True)

    say(f"seed {seed}")
    tally = read(REPORT.read_text(encoding="utf-8")).without(verbs) if asked.verb else Tally()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        groups = groups_on_twin(verbs)
        with multiprocessing.get_context("forkserver").Pool(_PROCESSES) as pool:
            for number, part in enumerate(pool.imap_unordered(run_on_twin, groups), 1):
                tally.merge(part)
                if number % 50 == 0 or number == len(groups):
                    say(f"twin: {number} of {len(groups)} groups, {tally.injected} injections")
        embedded = directory / "embedded"
        embedded.mkdir()
        with listening_metastore(embedded) as (uri, orders):
            server = Server("2.3.10", uri, orders, (Protection.LOCK_AND_SWAP, Protection.SWAP))
            tally.merge(run_on_wire(server, embedded / "files", verbs, seed, say))
        try:
            tally.merge(_in_container(directory, verbs, seed, say))
        except NoEngineError as error:
            say(f"3.1.3 is left out: {error}")
    print("\n".join(tally.failures))
    say(
        f"{tally.injected} injections: "
        + ", ".join(f"{tally.total(v)} {v.value}" for v in Verdict if v is not Verdict.KEPT)
    )
    if tally.failures or tally.missing() or tally.injected < ENOUGH:
        print("\n".join(tally.missing()))
        return 1
    REPORT.write_text(written(tally, seed), encoding="utf-8")
    return 0


def _in_container(directory: Path, verbs: Iterable[str], seed: int, say: Callable[[str], None]) -> Tally:
    client = connect()
    base_image(client)
    session = Session(client, directory)
    servers = MetastoreServers(session)
    try:
        place = directory / "container"
        place.mkdir()
        with server_in_container(servers, place) as server:
            return run_on_wire(server, place / "files", verbs, seed, say)
    finally:
        servers.close()
        session.close()


if __name__ == "__main__":
    sys.exit(main())
