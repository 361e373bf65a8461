"""What an example starts and cleans up: a directory of its own, the command, the server."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.examples.screen import Screen

_COMMAND = (sys.executable, "-c", "from hive_views.cli import main; main()")


@contextmanager
def home_directory(keep: Path | None) -> Iterator[Path]:
    """The empty directory ``keep``, which is made where it is missing; without it, one that is removed in the end.

    Raises:
        InvalidInputError: it is not empty.
    """
    if keep is None:
        with TemporaryDirectory(prefix="hive_views-demo-") as directory:
            yield Path(directory).resolve()
        return
    keep.mkdir(parents=True, exist_ok=True)
    if any(keep.iterdir()):
        raise InvalidInputError(f"Cannot keep everything in {keep}: it is not empty. Specify a new directory.")
    yield keep.resolve()


@contextmanager
def clean_exit_on_sigterm() -> Iterator[None]:
    """SIGTERM, as from a time limit, shuts down like Ctrl-C: in order, with nothing left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_command(screen: Screen, home: Path, *arguments: str) -> None:
    """Run ``hive-views`` on the metastore in this directory, as a process of its own, and show what it prints.

    Raises:
        HiveViewsError: it fails.
    """
    screen.code(f"$ {shlex.join(('hive-views', *arguments))}", "console")
    done = subprocess.run(  # noqa: S603 - this interpreter, this package
        [*_COMMAND, *arguments], cwd=home, env=_environment(home), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise HiveViewsError(f"The demonstration failed: {done.stderr}")
    screen.code(done.stdout, "diff")


@contextmanager
def serving(screen: Screen, home: Path) -> Iterator[str]:
    """Run ``hive-views serve`` on a free port meanwhile, and give its address.

    Raises:
        HiveViewsError: it does not start.
    """
    screen.code("$ hive-views serve --port 0", "console")
    with subprocess.Popen(  # noqa: S603 - this interpreter, this package
        [*_COMMAND, "serve", "--port", "0"], cwd=home, env=_environment(home), stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        try:
            said = server.stderr.readline()
            served = re.search(r"https?://\S+", said)
            if not served:
                raise HiveViewsError(f"The demonstration failed: {said}{server.stderr.read()}")
            screen.code(said, "text")
            yield served[0]
        finally:
            server.terminate()


def _environment(home: Path) -> dict[str, str]:
    # What this machine has configured elsewhere must not matter, and the package is found where this process found it.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HIVE_VIEWS_")}
    import_path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    return {**clean, "HIVE_VIEWS_URI": f"local://{home}", "XDG_CONFIG_HOME": str(home), "PYTHONPATH": import_path}
