"""How servers of tests start and end: none is used before it answers, and one that does not shows its log."""

from __future__ import annotations

import random
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

START_TIMEOUT_S = 120.0
END_TIMEOUT_S = 60.0
# Hypothesis seeds that of the module, in each process alike.
_RANDOM = random.SystemRandom()


def address_of(
    process: subprocess.Popen[bytes], log: Path, listens: re.Pattern[str], answers: Callable[[str], bool]
) -> str:
    """The address that a server has logged, once it answers there.

    A server takes a free port itself and says which: one that a test had looked for could be somebody else's by then.

    Args:
        process: the server.
        log: the file that it logs to.
        listens: the line with its address, the first group.
        answers: whether the server at an address answers.

    Raises:
        RuntimeError: it ended, or did not answer in time; with its log.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        found = listens.search(log.read_text(errors="replace"))
        if found and answers(found[1]):
            return found[1]
        time.sleep(0.05)
    how = "does not answer in time" if process.poll() is None else f"ended with code {process.returncode}"
    raise RuntimeError(f"the server {how}:\n{log.read_text(errors='replace')}")


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process with the block, if it still runs.

    Raises:
        subprocess.TimeoutExpired: it had to be killed.
    """
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def accepts(address: str) -> bool:
    """Whether somebody can connect; a request would be counted by some servers."""
    split = urlsplit(address)
    with closing(socket.socket()) as tried:
        return tried.connect_ex((split.hostname, split.port)) == 0


def free_port() -> int:
    """A port of this machine that nobody uses now, for a server that cannot take a free one itself.

    It is none of those that systems give to whoever asks for any, such as each client that connects: before the
    server listens, and while it restarts, one of them could take the port.
    """
    while True:
        port = _RANDOM.randrange(15_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("", port))
            return port
