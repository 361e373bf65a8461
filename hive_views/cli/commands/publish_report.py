"""What ``publish`` reports, as JSON and as text, and the partitions of one publication for ``status``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.calendar import Sign, calendar_of
from hive_views.cli.shell.output import table_of
from hive_views.publishing.report import PublishReport
from hive_views.publishing.status import PublicationStatus

_WAITING, _RETRACTED, _READY, _ADDED, _DECLARED = "waiting", "retracted", "ready", "declared now", "declared"
_LATE, _DUE, _SKIPPED = "late", "due", "known to be empty"

# A day with several partitions shows the worst state: it is declared once all of them are.
_SIGNS = (
    Sign(_LATE, "!", "bold red"),
    Sign(_DUE, "d", "yellow"),
    Sign(_WAITING, "w", "yellow"),
    Sign(_RETRACTED, "-", "red"),
    Sign(_READY, "+", "bold green"),
    Sign(_ADDED, "+", "bold green"),
    Sign(_DECLARED, "#", "green"),
    Sign(_SKIPPED, "o", "dim"),
)


def document_of(report: PublishReport) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "identifier": report.view,
        "added": list(report.added),
        "already_published": list(report.already_published),
        "waiting": {name: list(reasons) for name, reasons in report.waiting.items()},
        "retracted": list(report.retracted),
        "kept": dict(report.kept),
        "unnamed": {
            table: {"partitions": one.partitions, "examples": list(one.examples)}
            for table, one in report.unnamed.items()
        },
        "late_since_s": dict(report.late),
        "known_empty": list(report.known_empty),
        "dry_run": report.dry_run,
        "skipped": report.skipped,
    }


def printed(report: PublishReport) -> Iterator[str | Table | Text]:
    """The report as text: a summary, what is waiting and why, and a calendar."""
    if report.skipped:
        yield f"{report.view}: this run was already completed; nothing was read."
        return
    would_be = "would be " if report.dry_run else ""
    retracted = f"{len(report.retracted)} {would_be}retracted, " if report.retracted else ""
    late = f", {len(report.late)} of them late" if report.late else ""
    yield (
        f"{report.view}: {len(report.added)} {would_be}declared, {retracted}{len(report.already_published)} already "
        f"published, {len(report.waiting)} waiting{late}."
    )
    rows = [(name, f"{would_be}declared", "") for name in report.added]
    rows += [(name, f"{would_be}retracted", "") for name in report.retracted]
    rows += [(name, "kept", f"the rules no longer hold, but {reason}") for name, reason in report.kept.items()]
    rows += [
        (name, _LATE if name in report.late else "waiting", "; ".join(reasons))
        for name, reasons in report.waiting.items()
    ]
    if rows:
        yield table_of(("PARTITION", "STATE", "WHY"), rows)
    yield from (f"{table}: {unnamed}." for table, unnamed in report.unnamed.items())
    calendar = calendar_of(_states(report), _SIGNS)
    if calendar:
        yield ""
        yield from calendar


def printed_status(status: PublicationStatus) -> Iterator[str | Table | Text]:
    """The partitions of one publication that are late, due, waiting or ready, and a calendar of all."""
    rows = status.unpublished()
    if rows:
        yield ""
        yield table_of(("PARTITION", "STATE", "SINCE", "WHY"), rows)
    calendar = calendar_of(status.states, _SIGNS)
    if calendar:
        yield ""
        yield from calendar


def _states(report: PublishReport) -> dict[str, str]:
    return {
        **dict.fromkeys((*report.already_published, *report.kept), _DECLARED),
        **dict.fromkeys(report.added, _READY if report.dry_run else _ADDED),
        **dict.fromkeys(report.retracted, _RETRACTED),
        **dict.fromkeys(report.waiting, _WAITING),
        **dict.fromkeys(report.late, _LATE),
        **dict.fromkeys(report.known_empty, _SKIPPED),
    }
