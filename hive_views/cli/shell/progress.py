"""Progress on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from rich.console import Console

from hive_views.cli.shell.error_output import Interrupted
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.views.partitions.view_partitions import Progress as OnProgress


def console_for_progress() -> Console:
    """The console for everything but results: stderr."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show a spinner on stderr, if that is a terminal."""
    console = console_for_progress()
    with console.status(f"{what} ...") if console.is_terminal else nullcontext():
        yield


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, if that is a terminal; call the result with the number done and the total."""
    # Commands that read one thing show no bar, and should not import it.
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = console_for_progress()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=None)
        yield lambda completed, total: bar.update(task, completed=completed, total=total)


@contextmanager
def partition_progress(doing: str, done: str, view: str, *, again: str) -> Iterator[OnProgress]:
    """The progress callback for a change to many partitions, with a bar on a terminal.

    Args:
        doing: the label of the bar, such as "Adding".
        done: the participle, such as "added".
        view: the name of the view.
        again: how to do the rest after an interrupt.

    Raises:
        Interrupted: by the user, with what was done.
    """
    names: Sequence[str] = ()
    finished = total = 0
    with progress_bar(f"{doing} partitions") as update:

        def show(names_so_far: Sequence[str], finished_so_far: int, of: int) -> None:
            nonlocal names, finished, total
            names, finished, total = names_so_far, finished_so_far, of
            update(finished, total)

        try:
            yield show
        except KeyboardInterrupt as interrupt:
            under_way = min(PARTITIONS_IN_A_CALL, total - finished)
            raise Interrupted(
                f"Interrupted: {len(names):,} of {total:,} partitions of {view} had been {done}; the next "
                f"{under_way:,} may or may not have been {done}. {again}",
                **{done: list(names), "partitions": total},
            ) from interrupt
