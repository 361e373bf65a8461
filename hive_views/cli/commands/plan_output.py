"""A plan as ``plan`` and ``apply`` print it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rich.table import Table
from rich.text import Text

from hive_views.cli.commands.findings_output import printed_unknown
from hive_views.cli.shell.output import table_of
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.messages.legible import legible, legible_line
from hive_views.project.plans.project_plan import Plan, Step
from hive_views.project.plans.sentences import (
    SIGNS,
    breaks_by,
    column_changes,
    not_known,
    notes,
    other_findings,
    shown_differences,
)

_STYLES = {"+": "green", "-": "red", "~": "yellow"}
_WORDS = re.compile(r"\[-.*?-\]|\{\+.*?\+\}")
_SHOWN = 20


def printed_plan(plan: Plan) -> Iterator[str | Text | Table]:
    """The steps with what they change, what they do to others, errors in files, and why it cannot be applied."""
    for step in plan.steps:
        yield from _step(step)
    if plan.breakages:
        yield Text("Views that would break", "bold")
        rows = [
            (
                one.view,
                breaks_by(one),
                first_of([str(cause) for cause in one.causes], 3),
                "yes" if one.is_allowed else "no",
            )
            for one in plan.breakages
        ]
        yield table_of(("VIEW", "PROBLEM", "BY THE CHANGE OF", "ALLOWED"), rows)
        yield ""
    if found := other_findings(plan):
        yield Text("What `hive-views check` would find besides", "bold")
        yield table_of(("VIEW", "CODE", "PROBLEM"), [(one.view, one.code, one.problem) for one in found])
        yield ""
    if plan.impact and plan.impact.type_changes:
        yield Text("Other types", "bold")
        yield "Hive returns the type of the query, Spark the one that the view declares."
        changes = [
            (one.view, one.column, f"{one.before} -> {one.after or 'not certain'}", one.declared)
            for one in plan.impact.type_changes
        ]
        yield table_of(("VIEW", "COLUMN", "QUERY", "VIEW"), changes)
        yield ""
    if plan.impact:
        yield from printed_unknown(replace(plan.impact, not_known=tuple(not_known(plan))))
    left = sorted(map(str, set(plan.leftover) - {step.view for step in plan.steps}))
    if left:
        yield f"Without a file, and kept: {first_of(left, _SHOWN)}. --prune drops them."
    for error in plan.errors:
        yield Text.assemble((error.place, "bold"), ": ", legible(hide_credentials(error.message)))
        if error.excerpt:
            yield error.excerpt
    for refusal in plan.refusals:
        yield Text.assemble(("Cannot be applied: ", "bold red"), legible(hide_credentials(refusal.in_shell)))
    yield plan.summary()


def _step(step: Step) -> Iterator[str | Text]:
    sign = SIGNS[step.action]
    file = f"  {legible(step.definition.file)}" if step.definition else ""
    yield Text.assemble((f"{sign} {step.action.value} {step.view}", f"bold {_STYLES[sign]}"), file)
    said = [f"    {line}" for line in (*column_changes(step), *notes(step))]
    yield from said
    differences = shown_differences(step)
    for one in differences:
        yield Text(f"    {one.heading}", "bold")
        yield Text("\n").join(_diff_line(line) for line in one.by_words())
    if said or differences:
        yield ""


def _diff_line(line: str) -> Text:
    clean = legible_line(hide_credentials(line))
    if not line.startswith("~"):
        return Text(f"    {clean}", "cyan" if line.startswith("@@ ") else _STYLES.get(line[:1], ""))
    text = Text(f"    {clean}")
    for found in _WORDS.finditer(text.plain):
        text.stylize("red" if found[0].startswith("[") else "green", *found.span())
    text.stylize(_STYLES["~"], 4, 5)
    return text
