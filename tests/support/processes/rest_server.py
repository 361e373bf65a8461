"""``hive-views serve`` as a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_TIMEOUT_S = 60.0
_COMMAND = (sys.executable, "-c", "from hive_views.cli import main; main()")


@contextmanager
def rest_server(source: str | Path, scratch: Path, *options: str) -> Iterator[str]:
    """A server of the views of a metastore, until the block ends; its address.

    Args:
        source: the URI of the metastore, or the configuration file with catalogs that ``options`` name.
        scratch: a directory for its log, ``serve.log``.
        options: of ``serve``.
    """
    log = scratch / "serve.log"
    scratch.mkdir(parents=True, exist_ok=True)
    # Settings of whoever runs the tests are not its own.
    own = {key: text for key, text in os.environ.items() if not key.startswith("HIVE_VIEWS_")}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    served = ("--config", str(source)) if isinstance(source, Path) else ("--uri", source)
    with log.open("w") as file:
        process = subprocess.Popen(
            [*_COMMAND, *served, "serve", "--port", "0", *options],
            env={**own, "PYTHONPATH": path, "XDG_CONFIG_HOME": str(scratch)},
            cwd=scratch,
            stderr=file,
        )
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"^Serving .* at (\S+) until ", log.read_text(), re.MULTILINE)
        if found:
            return found[1]
        time.sleep(0.05)
    raise RuntimeError(f"the server does not start:\n{log.read_text()}")
