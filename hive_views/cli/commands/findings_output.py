"""The findings of a report as the commands ``check`` and ``impact`` print them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.output import table_of
from hive_views.estate.checks.ci_formats import as_junit, as_sarif
from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.findings import CheckReport, Finding
from hive_views.messages.enumerated import first_of
from hive_views.messages.remedy import with_views

# Of more names, the shell would hardly show or accept the line.
_NAMES_IN_A_COMMAND = 1_000
FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "sarif": lambda report: json.dumps(as_sarif(report), indent=2),
    "junit": as_junit,
}
"""Formats for CI, by the values of ``--output``."""


def findings_document(report: CheckReport) -> dict[str, Any]:
    """The report as JSON, with remedies in the words of the shell."""
    document = report.document()
    for one, shown in zip(report.findings, document["findings"], strict=True):
        shown["remedy"] = one.remedy.in_shell
    return document


def printed_findings(report: CheckReport) -> Iterator[str | Text | Table]:
    """The findings by code."""
    for code in report.counts:
        yield Text(f"{code} ({CODES[code].severity})", "bold")
        yield f"{CODES[code].means} {CODES[code].engines}"
        yield from _of_code(report.of(code))
        yield ""


def printed_unknown(report: CheckReport) -> Iterator[str]:
    """What could not be answered, in a line."""
    if report.not_known:
        numbers = Counter(one.about for one in report.not_known)
        listed = ", ".join(f"{about} of {number:,}" for about, number in numbers.items())
        first = report.not_known[0]
        yield f"Not checked: {listed}. The first: {first.view}: {first.reason} Use --output json to list all."


def _of_code(findings: Sequence[Finding]) -> Iterator[str | Table]:
    """A line for each finding, and below them once what is the remedy of several."""
    together: dict[str, list[Finding]] = {}
    for one in findings:
        together.setdefault(one.remedy.shared_by(one.view), []).append(one)
    alone = {id(alike[0]) for alike in together.values() if len(alike) == 1}
    rows = [(one.view, f"{one.problem} {one.remedy.in_shell}" if id(one) in alone else one.problem) for one in findings]
    yield table_of(("VIEW", "PROBLEM AND REMEDY" if alone else "PROBLEM"), rows)
    for remedy, alike in together.items():
        for start in range(0, len(alike) if len(alike) > 1 else 0, _NAMES_IN_A_COMMAND):
            part = alike[start : start + _NAMES_IN_A_COMMAND]
            views = dict.fromkeys(one.remedy.view or one.view for one in part)
            yield f"Remedy for {first_of([one.view for one in part], 3)}: {with_views(remedy, views)}"
