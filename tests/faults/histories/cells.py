"""One cell: clients change views of a metastore at once; some are killed, answers are lost, clocks are set."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hive_views.metastore.port import Metastore
from tests.faults.histories.history import Judge, Judgement, lines
from tests.faults.histories.worker import Order
from tests.support.failing.http_proxy import HttpProxy
from tests.support.failing.killing import SWAP
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.processes.rest_server import Server, rest_server

_ROOT = Path(__file__).parents[3]
_ROUND_TIMEOUT_S = 300.0
_STEPS_S = (0, 40, -40, 3600, -3600, 3 * 86400, -2 * 86400)
STEPPED = Path(__file__).with_name("stepped_clock")
_CALLS_OF_EACH = 30
_LOST = (SWAP, SWAP, SWAP, "create_table", "drop_table", "get_table_req")


@dataclass(frozen=True)
class Place:
    """Where a cell runs.

    Attributes:
        metastore: of the coordinator, which makes the namespace.
        uri: of it.
        warehouse: where files of views go.
        environment: what clients find their storage by.
        java: properties of Iceberg's catalog.
        jars: Iceberg's.
        hive_3: the jars of a client of Hive 3, for a metastore that Spark's cannot ask.
    """

    metastore: Metastore
    uri: str
    warehouse: str
    environment: Mapping[str, str] = field(default_factory=dict)
    java: Mapping[str, str] = field(default_factory=dict)
    jars: Sequence[Path] = ()
    hive_3: Path | None = None


@dataclass(frozen=True)
class Cell:
    """What is run.

    Attributes:
        server: the metastore.
        store: the storage.
        protection: ``locks``, or ``swaps`` where half of the writers rely on the metastore's check alone.
        clients: how many there are of each kind.
        calls: of all clients together, at least; on one view after the other, of which each is called a few dozen times
            by each client.
    """

    server: str
    store: str
    protection: str
    clients: Mapping[str, int]
    calls: int

    @property
    def name(self) -> str:
        return f"{self.server}, {self.store}"


CLIENTS = {"ours": 3, "REST": 2, "Java": 1}
CALLS = 2_300
EMBEDDED = "2.3.10 (embedded)"
CELLS = [
    Cell(EMBEDDED, "local", "locks", CLIENTS, CALLS),
    Cell("2.3.10", "local", "locks", CLIENTS, CALLS),
    Cell("2.3.10", "S3", "swaps", CLIENTS, CALLS),
    Cell("3.1.3", "local", "locks", CLIENTS, CALLS),
    Cell("3.1.3", "S3", "locks", CLIENTS, CALLS),
    Cell("4.0.1", "local", "locks", CLIENTS, CALLS),
    Cell("4.0.1", "S3", "swaps", CLIENTS, CALLS),
    Cell("4.2.1", "local", "locks", CLIENTS, CALLS),
    Cell("4.2.1", "S3", "swaps", CLIENTS, CALLS),
]


@dataclass(frozen=True)
class Result:
    """What came of it: how often each outcome and each fault, and what the judge says."""

    judgement: Judgement
    outcomes: Counter[str]
    errors: Counter[str]
    faults: Counter[str]


class _Clock:
    """The clock of a process of Python, which is set while that runs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._set(0)
        path = os.pathsep.join((str(STEPPED), str(_ROOT), *filter(None, sys.path)))
        self.environment = {"PYTHONPATH": path, "STEPPED_CLOCK": str(file)}

    def step(self, chance: random.Random) -> None:
        self._set(chance.choice(_STEPS_S))

    def _set(self, ahead_s: int) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(str(ahead_s))
        new.replace(self._file)


class _Worker:
    """A client's process, in a group of its own with what it starts."""

    def __init__(self, order: Order, environment: Mapping[str, str]) -> None:
        self.order = order
        self._errors = Path(order.history).with_suffix(".err")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.histories.worker", json.dumps(asdict(order))],
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._is_ready = False
        self.is_killed = False

    def run(self, view: str, calls: int) -> None:
        """Return when it has done so many things to a view, or was killed."""
        assert self._process.stdin
        assert self._process.stdout
        try:
            if not self._is_ready:
                self._is_ready = self._process.stdout.readline() == "ready\n"
            self._process.stdin.write(f"{view} {calls}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        if answer != "done\n" and not self.is_killed:
            raise RuntimeError(f"{self.order} failed:\n{self._errors.read_text()[-4000:]}")

    def kill(self) -> None:
        self.is_killed = True
        os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):  # it has ended by itself
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        finally:
            self._process.stdout.close()


class Run:
    """A cell being run; its files are in a directory."""

    def __init__(self, cell: Cell, place: Place, directory: Path, seed: int) -> None:
        self.cell, self.place, self.directory = cell, place, directory
        self.faults: Counter[str] = Counter()
        self._chance = random.Random(f"{seed} {cell}")
        self._space = f"histories_{time.time_ns():x}"
        self._clocks: list[_Clock] = []
        self._started = 0

    def __call__(self, judge: Judge) -> Result:
        self.directory.mkdir(parents=True)
        # What lies on a store of objects is not the metastore's affair.
        self.place.metastore.create_namespace(self._space, location=f"file:{self.directory / 'space'}")
        with ExitStack() as stack:
            self._wire = stack.enter_context(WireProxy.before_uri(self.place.uri))
            self._server = stack.enter_context(self._serve())
            self._http = stack.enter_context(HttpProxy(self._server.address))
            kinds = [kind for kind, count in self.cell.clients.items() for _ in range(count)]
            self._workers = [self._start(kind, number) for number, kind in enumerate(kinds)]
            stack.callback(lambda: [worker.end() for worker in self._workers])
            with ThreadPoolExecutor(len(kinds)) as pool:
                for number in itertools.count():
                    self._round(pool, f"{self._space}.v{number}")
                    if len(lines(self.directory.glob("*.jsonl"))) >= 2 * self.cell.calls:
                        break
            self.faults["lost in HTTP"] -= not self._http.is_lost()
        files = sorted(self.directory.glob("*.jsonl"))
        written = lines(files)
        calls = {line["id"]: line for line in written if "op" in line}
        ended = {line["id"]: line for line in written if "outcome" in line}
        outcomes = Counter(
            ended[name]["outcome"] if name in ended else "unknown"
            for name, call in calls.items()
            # A read without an answer is none.
            if call["op"] != "read" or (name in ended and ended[name]["outcome"] != "unknown")
        )
        errors = Counter(
            f"{calls[name]['op']}: {line['error']} ({line['outcome']})" for name, line in ended.items() if line["error"]
        )
        return Result(judge.judge(files, pictures=self.directory), outcomes, errors, self.faults)

    def _round(self, pool: ThreadPoolExecutor, view: str) -> None:
        """All clients at one view; each fault at some time in it."""
        deadline = time.monotonic() + _ROUND_TIMEOUT_S
        running = [pool.submit(worker.run, view, _CALLS_OF_EACH) for worker in self._workers]
        todo = [self._lose_on_the_wire, self._lose_in_http, self._step_a_clock]
        # A dead writer may leave its lock, for which others wait until the view is left.
        todo += [self._chance.choice((self._kill_a_writer, self._kill_a_server))] * (self._chance.random() < 0.6)
        self._chance.shuffle(todo)
        todo += [self._lose_on_the_wire, self._step_a_clock]
        try:
            while not all(future.done() for future in running):
                assert time.monotonic() < deadline, f"{view} takes too long"
                time.sleep(self._chance.uniform(0.05, 0.3))
                if todo:
                    todo.pop()()
        except BaseException:
            # The pool waits for them.
            for worker in self._workers:
                worker.kill()
            raise
        for future in running:
            future.result()
        self.faults["lost on the wire"] -= self._wire.faults_to_come()
        self._wire.clear()
        for number, worker in enumerate(self._workers):
            if worker.is_killed:
                worker.end()
                self._workers[number] = self._start(worker.order.kind, number)

    def _serve(self) -> AbstractContextManager[Server]:
        variables = {
            **self.place.environment,
            **self._clock("server").environment,
            "HIVE_VIEWS_WAREHOUSE": self.place.warehouse,
            "HIVE_VIEWS_LOCK": "never" if self.cell.protection == "swaps" else "auto",
            "HIVE_VIEWS_LOCK_TIMEOUT_S": "1.5",
            "HIVE_VIEWS_RETRY_TIMEOUT_S": "3",
        }
        return rest_server(self._wire.uri, self.directory / "server", "--workers", "2", **variables)

    def _clock(self, name: str) -> _Clock:
        clock = _Clock(self.directory / f"clock-{name}")
        self._clocks.append(clock)
        return clock

    def _start(self, kind: str, number: int) -> _Worker:
        self._started += 1
        is_java = kind == "Java"
        order = Order(
            client=self._started,
            kind=kind,
            address=self._http.address if kind == "REST" else self._wire.uri,
            warehouse=self.place.warehouse,
            lock="never" if self.cell.protection == "swaps" and (number % 2 or is_java) else "auto",
            history=str(self.directory / f"client-{self._started}.jsonl"),
            jars=tuple(map(str, (*self.place.jars, *([self.place.hive_3 / "*"] if self.place.hive_3 else [])))),
            has_hive_3=self.place.hive_3 is not None,
            java=tuple(self.place.java.items()),
        )
        # That of Java and of a client over REST writes nothing; the clock of the server does.
        clock = self._clock(str(self._started)) if kind == "ours" else None
        return _Worker(order, {**self.place.environment, **(clock.environment if clock else {})})

    def _lose_on_the_wire(self) -> None:
        how = self._chance.choice((self._wire.drop_answer, self._wire.cut_answer, self._wire.drop_request))
        how(self._chance.choice(_LOST))
        self.faults["lost on the wire"] += 1

    def _lose_in_http(self) -> None:
        if self._http.is_lost():
            self._http.lose(self._chance.choice(("answer", "request", "half")), lambda line: not line.startswith("GET"))
            self.faults["lost in HTTP"] += 1

    def _step_a_clock(self) -> None:
        self._chance.choice(self._clocks).step(self._chance)
        self.faults["clock steps"] += 1

    def _kill_a_writer(self) -> None:
        worker = self._chance.choice(self._workers)
        if worker.order.kind == "Java" and self._chance.random() < 0.5:  # it takes long to start
            return
        worker.kill()
        self.faults["writers killed"] += 1

    def _kill_a_server(self) -> None:
        workers = self._server.workers()
        if len(workers) == 2:
            os.kill(self._chance.choice(workers), signal.SIGKILL)
            self.faults["server processes killed"] += 1
