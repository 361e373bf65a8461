"""A plan as Markdown, for a comment on a pull request: nothing in it ends a block, mentions anybody, or is too long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hive_views.messages.counted import counted
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.messages.legible import legible, legible_line
from hive_views.project.directory.file_error import FileError
from hive_views.project.plans.project_plan import Plan, Step
from hive_views.project.plans.sentences import (
    breaks_by,
    column_changes,
    not_known,
    notes,
    other_findings,
    shown_differences,
)

MOST_CHARACTERS = 65_536
"""Of a comment on GitHub."""

_OF_A_PART = 12_000
_OF_THE_LAST_SENTENCE = 300
_LINES_OF_A_STEP = 50
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&]|^[+-])")
_REFERENCE = re.compile(r"([@#]|\bGH-|:(?=//))(?=[\w/])", re.IGNORECASE)
_ZERO_WIDTH_SPACE = "\u200b"
_BACKTICKS = re.compile(r"`+")


def as_markdown(plan: Plan) -> str:
    """The plan as GitHub's Markdown, of at most 65,536 characters: of a longer one, it says what is left out.

    Diffs are folded. Texts of queries, messages and names are shown as they are, whatever they contain.
    """
    shown: list[str] = []
    left, missing = MOST_CHARACTERS - _OF_THE_LAST_SENTENCE, 0
    for part in _parts(plan):
        if len(part) + 2 > left:
            missing += 1
            continue
        left -= len(part) + 2
        shown.append(part)
    if missing:
        shown.append(
            f"**{counted(missing, 'part')} of this plan left out**, as a comment holds {MOST_CHARACTERS:,} characters: "
            f"`hive-views plan` shows all of it."
        )
    return "\n\n".join(shown) + "\n"


def _parts(plan: Plan) -> Iterator[str]:
    yield f"### Plan of {_code(plan.project)}: {_plain(plan.summary())}"
    if plan.refusals:
        yield "**It cannot be applied as it is.**"
        yield from (f"- {_plain(one.in_shell)}" for one in plan.refusals)
    if plan.errors:
        yield "**Errors in files**"
        yield from map(_error, plan.errors)
    if plan.breakages:
        yield "**Views that would break**"
        yield from (
            f"- {_code(one.view)}{' (allowed)' if one.is_allowed else ''}: {_plain(breaks_by(one))}"
            for one in plan.breakages
        )
    if found := other_findings(plan):
        yield "**What `hive-views check` would find besides**"
        yield from (f"- {_code(one.view)} ({one.code}): {_plain(one.problem)}" for one in found)
    if plan.impact and plan.impact.type_changes:
        yield "**Other types in Hive, which returns that of the query**"
        yield from (
            f"- {_code(f'{one.view}.{one.column}')}: {_code(one.before)} -> {_plain(one.after or 'not certain')}"
            for one in plan.impact.type_changes
        )
    if unknown := not_known(plan):
        first, views = unknown[0], counted(len({one.view for one in unknown}), "view")
        yield f"**Not known of {views}**, such as {_code(first.view)}: {_plain(first.reason)}"
    if plan.steps:
        yield "**Steps**"
        yield from map(_step, plan.steps)
    left = sorted(set(plan.leftover) - {step.view for step in plan.steps})
    if left:
        yield f"Without a file, and not dropped without `--prune`: {_code(first_of(list(map(str, left)), 20))}"


def _error(one: FileError) -> str:
    shown = f"- {_code(one.place)} {_plain(one.message)}"
    return f"{shown}\n\n{_fenced(one.excerpt.splitlines())}" if one.excerpt else shown


def _step(step: Step) -> str:
    said = [*column_changes(step), *notes(step)]
    lines = [line for one in shown_differences(step) for line in one.for_people()]
    if not said and not lines:
        return f"- {step.action.value} {_code(str(step.view))}"
    # In HTML no Markdown is read; the name of a view has letters, digits and underscores.
    heading = f"{step.action.value} <code>{step.view}</code>"
    body = [f"- {_plain(line)}" for line in said[:_LINES_OF_A_STEP]]
    if more := len(said) - len(body):
        body.append(f"- ... and {counted(more, 'more line')}")
    if lines:
        body += ["", _fenced(lines, "diff")]
    return "\n".join((f"<details><summary>{heading}</summary>", "", *body, "", "</details>"))


def _fenced(lines: Sequence[str], language: str = "") -> str:
    """Lines in a fence that is longer than any in them, cut where they are many."""
    shown: list[str] = []
    left = _OF_A_PART
    for line in lines:
        clean = legible_line(hide_credentials(line))
        if len(clean) + 1 > left:
            shown.append(f"... and {counted(len(lines) - len(shown), 'more line')}")
            break
        left -= len(clean) + 1
        shown.append(clean)
    fence = _longer_than(shown, 3)
    return "\n".join((f"{fence}{language}", *shown, fence))


def _longer_than(texts: Iterable[str], least: int) -> str:
    runs = (len(run) for text in texts for run in _BACKTICKS.findall(text))
    return "`" * max(least, max(runs, default=0) + 1)


def _code(text: str) -> str:
    """A text as code within a line."""
    clean = " ".join(legible(hide_credentials(text)).split())
    mark = _longer_than((clean,), 1)
    space = " " if "`" in clean else ""
    return f"{mark}{space}{clean}{space}{mark}"


def _plain(text: str) -> str:
    """A text as a part of a line: no markup, no mention, no link, no number of an issue (which would list it)."""
    clean = " ".join(legible(hide_credentials(text[:_OF_A_PART])).split())
    return _REFERENCE.sub(rf"\1{_ZERO_WIDTH_SPACE}", _MARKUP.sub(r"\\\1", clean))
