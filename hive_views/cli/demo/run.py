"""The beginning and the end of the demonstration: its directory, the metastore, Spark, and what stays behind."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from hive_views.cli.demo import steps
from hive_views.cli.demo.data import find_files
from hive_views.cli.demo.screen import Screen
from hive_views.cli.demo.steps import Stage
from hive_views.errors import InvalidInputError
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.spark.sessions.local_session import local_session


def run_demo(keep: Path | None, console: Console) -> None:
    """Show the library on real data, on an embedded metastore and a local Spark.

    Args:
        keep: an empty or new directory to leave everything in; None: one that is removed in the end.
        console: where it is shown.

    Raises:
        InvalidInputError: ``keep`` is not empty.
        UnsupportedFeatureError: Java, PySpark or the data are missing.
        HiveViewsError: something did not turn out as it is described.
    """
    began = time.monotonic()
    files = find_files()
    screen = Screen(console)
    with ExitStack() as stack:
        stack.enter_context(_ending_in_order())
        home = stack.enter_context(_home(keep))
        catalog = stack.enter_context(steps.start(screen, f"local://{home}"))
        with screen.working("Starting Spark"):
            server = stack.enter_context(LocalMetastore(home))
            assert server.uri
            spark = stack.enter_context(local_session(server.uri, home / "warehouse", app_name="hive-views demo"))
        stage = Stage(screen, home, catalog, spark, *files)
        steps.load(stage)
        for step in steps.STORY:
            step(stage)
        screen.step("That was it")
        steps.sum_up(stage)
        with screen.working("Ending Spark and the metastore"):
            stack.close()
    screen.good(f"All in {time.monotonic() - began:.0f} seconds. No process is left{'.' if keep else ', and no file.'}")
    if keep is not None:
        steps.invite(stage)


@contextmanager
def _home(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with TemporaryDirectory(prefix="hive_views-demo-") as directory:
            yield Path(directory).resolve()
        return
    keep.mkdir(parents=True, exist_ok=True)
    if any(keep.iterdir()):
        raise InvalidInputError(f"Cannot leave everything in {keep}: it is not empty. Give a new directory.")
    yield keep.resolve()


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Being terminated, as by a time limit, ends like Ctrl-C does: in order, with nothing left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
