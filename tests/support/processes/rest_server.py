"""``hive-views serve`` as a process of its own, as a user starts it, and as a test ends or kills it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.support.processes.starting import END_TIMEOUT_S, address_of, ended

_COMMAND = (sys.executable, "-c", "from hive_views.cli import main; main()")
_LISTENS = re.compile(r"^Serving .* at (\S+) until ", re.MULTILINE)


@dataclass
class Server:
    """A server: its process, where it listens, and its log."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]

    def answers(self) -> bool:
        """Whether it answers a request on a new connection."""
        return _answers(self.address)

    def end(self) -> int:
        """End it, and return its exit code."""
        self.process.terminate()
        return self.process.wait(END_TIMEOUT_S)


@contextmanager
def rest_server(source: str | Path, scratch: Path, *options: str, **variables: str) -> Iterator[Server]:
    """A server of the views of a metastore, which answers; it is ended with the block if it still runs.

    Args:
        source: the URI of the metastore, or the configuration file with catalogs that ``options`` name.
        scratch: a directory for its log, where it runs.
        options: of ``serve``.
        variables: of its environment.

    Raises:
        RuntimeError: it does not answer; with its log.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    log = scratch / f"serve-{uuid.uuid4().hex[:8]}.log"
    # Settings of whoever runs the tests are not its own.
    own = {key: text for key, text in os.environ.items() if not key.startswith("HIVE_VIEWS_")}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    served = ("--config", str(source)) if isinstance(source, Path) else ("--uri", source)
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*_COMMAND, *served, "serve", "--port", "0", *options],
            env={**own, "PYTHONPATH": path, "XDG_CONFIG_HOME": str(scratch), **variables},
            cwd=scratch,
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    with ended(process):
        yield Server(process, address_of(process, log, _LISTENS, _answers), log)


def _answers(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/healthz", timeout=5).status_code == 200
    except httpx2.TransportError:
        return False
