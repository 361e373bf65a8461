"""Engines that answer one query: ``python -m tests.support.translation.bench`` starts them, and serves until it ends.

While it runs, ``... bench ask "SELECT ..."`` prints what each engine answers (``-`` reads the query from standard
input), and ``... bench values "expression" ...`` what expressions are on the rows of ``bench.t``. Scripts ask by
``Bench.connect()``.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Thread

from hive_views.metastore.embedded.java import find_java
from tests.support.containers.engines import start_hive, start_trino
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import Session, connect
from tests.support.java.hive_2 import hive_2
from tests.support.translation.answers import Answer, Refused
from tests.support.translation.asking import SOCKET, Bench, Values
from tests.support.translation.comparing import differing, differing_types, differing_values
from tests.support.translation.engines import SparkWorker, all_engines, asking_hive_2

_LONGEST = 300


@contextmanager
def started(directory: Path, zone: str = "UTC") -> Iterator[Bench]:
    """All engines, which end with the block.

    Args:
        directory: for files, which containers see.
        zone: the time zone of all engines, and of their sessions.
    """
    files, scratch = directory / "files", directory / "hive-2"
    files.mkdir()
    scratch.mkdir()
    with ExitStack() as stack, ThreadPoolExecutor(1) as one_thread:
        spark = stack.enter_context(closing(SparkWorker(files, zone)))
        # A session of Hive is of a thread.
        hive_2_3 = stack.enter_context(hive_2(find_java(), scratch, zone=zone))
        session = stack.enter_context(closing(Session(connect(), directory)))
        servers = stack.enter_context(closing(MetastoreServers(session)))
        server = stack.enter_context(servers.own("4.0.1", "derby"))
        with ThreadPoolExecutor(2) as pool:
            hive = pool.submit(start_hive, session, server, zone)
            trino = pool.submit(start_trino, session, server, zone=zone)
            spark.wait()
            embedded = one_thread.submit(asking_hive_2, hive_2_3, files).result()
            addresses = (hive.result().address, trino.result().address)

        def ask_hive_2(sql: str) -> Answer:
            return one_thread.submit(embedded, sql).result()

        yield Bench.of(*all_engines(stack, files, spark, ask_hive_2, *addresses, zone))


def serve(socket: Path, zone: str) -> None:
    """Start the engines in a time zone, and answer on a socket until a signal ends it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        # Who runs in a container is not always who runs this.
        Path(directory).chmod(0o755)
        begun = time.monotonic()
        with started(Path(directory), zone) as bench:
            socket.unlink(missing_ok=True)
            before = os.umask(0o077)
            listener = Listener(str(socket), "AF_UNIX", backlog=64)
            os.umask(before)
            print(f"serves at {socket} after {time.monotonic() - begun:.0f} s", flush=True)
            with listener:
                while True:
                    try:
                        connection = listener.accept()
                    except OSError:
                        continue
                    Thread(target=_answer, args=(bench, connection), daemon=True).start()


def _answer(bench: Bench, connection: Connection) -> None:
    with connection:
        try:
            request = connection.recv()
            answer: object = bench.ask(*request) if request else bench.engines
        except Exception as error:  # noqa: BLE001 - whoever asked gets it
            answer = error if isinstance(error, Refused) else RuntimeError(repr(error))
        with suppress(BrokenPipeError):
            connection.send(answer)


def _print_answers(bench: Bench, sql: str, engines: list[str] | None) -> None:
    first: Answer | None = None
    for engine, answer in bench.ask_all(sql, engines).items():
        if isinstance(answer, Refused):
            print(f"{engine}: refuses {str(answer)[:_LONGEST]}")
            continue
        same = "" if first is None else _compared(differing(first, answer), differing_types(first, answer))
        print(f"{engine}: {len(answer.rows)} rows{same}\n  {', '.join(map(' '.join, answer.columns))}")
        for row in answer.rows[:30] if same != " (the same)" else ():
            print(f"  {row!r}"[:_LONGEST])
        first = first or answer


def _compared(rows: str | None, types: str | None) -> str:
    if not rows:
        return f" (the same, but types: {types})" if types else " (the same)"
    return f" (differs: {rows[:_LONGEST]})"


def _print_values(bench: Bench, expressions: list[str], engines: list[str] | None) -> None:
    found = bench.values_of_all(expressions, engines=engines)
    for at, expression in enumerate(expressions):
        print(expression)
        first: Values | None = None
        for engine, values in found.items():
            value = values[at]
            if isinstance(value, Refused):
                print(f"  {engine}: refuses {str(value)[:_LONGEST]}")
                continue
            difference = differing_values(first, value) if first else None
            same = bool(first) and not difference
            print(f"  {engine}: {value.type}: {'the same' if same else list(value.values)!r}")
            if difference:
                print(f"    differs: {difference}")
            first = first or value


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket", type=Path, default=SOCKET, help=f"where it serves, by default {SOCKET}")
    parser.add_argument("--zone", default="UTC", help="the time zone of the engines that it starts")
    commands = parser.add_subparsers(dest="command")
    printing: dict[str, Callable[[Bench, argparse.Namespace], None]] = {
        "ask": lambda bench, chosen: _print_answers(bench, _text(chosen.sql), chosen.engine),
        "values": lambda bench, chosen: _print_values(bench, chosen.expressions, chosen.engine),
    }
    ask = commands.add_parser("ask", help="print what each engine answers")
    ask.add_argument("sql", help="a query, or - to read it")
    values = commands.add_parser("values", help="print what expressions are on the rows of bench.t")
    values.add_argument("expressions", nargs="+")
    for command in (ask, values):
        command.add_argument("--engine", action="append", help="only this one; several times for several")
    chosen = parser.parse_args()
    if chosen.command:
        printing[chosen.command](Bench.connect(chosen.socket), chosen)
    else:
        serve(chosen.socket, chosen.zone)


def _text(given: str) -> str:
    return sys.stdin.read() if given == "-" else given


if __name__ == "__main__":
    main()
