"""What is wrong with views, each kind of problem told once with the views that have it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.findings import Finding
from hive_views.estate.html_report.breakage import all_readers
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.messages.remedy import Remedy

ERROR = "error"
CAUSED_BY_ANOTHER, CIRCULAR = "source-broken", "cycle"
MOST_NAMES = 12

_LOCATION = re.compile(r"\b[a-z][a-z0-9+.-]*:/+[^\s'\"`,;()]+(?<![.:])", re.IGNORECASE)


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a view, with what an engine does with it; the code is one of ``checks.codes``.

    Attributes:
        alike: what was found and how to repair it, told without the names of the view and its file: problems for which
            it is equal are told as one.
        cause: of a view that reads a broken one, that one; else None.
    """

    view: str
    code: str
    severity: str
    what: str
    effect: str
    repair: str
    alike: tuple[str, str]
    cause: str | None = None


@dataclass(frozen=True)
class Block:
    """Equal problems of one or several views.

    Attributes:
        views: their names, in their order.
        readers: how many other views read one of these, directly or through others.
    """

    code: str
    severity: str
    what: str
    effect: str
    repair: str
    views: tuple[str, ...]
    readers: int


def problem_of(finding: Finding, in_words: Callable[[Remedy], str]) -> Problem:
    """A finding of a check as the report has it.

    Args:
        finding: of the check.
        in_words: how its repair is worded.
    """
    what, repair = hide_credentials(finding.problem), hide_credentials(in_words(finding.remedy))
    cause, shared = None, what
    if finding.code == CAUSED_BY_ANOTHER:
        cause = finding.details["path"][-1]
        why = what.partition(", which is broken: ")[2]
        shared = f"They read {cause}, directly or through other views, which is broken: {why}"
    elif finding.code == CIRCULAR:
        shared = f"Circular dependency of {first_of(sorted({*finding.details['cycle']}), MOST_NAMES)}."
    return Problem(
        finding.view,
        finding.code,
        finding.severity,
        what,
        finding.engines,
        repair,
        (_without_names(shared, finding.view), _without_names(repair, finding.view)),
        cause,
    )


def blocks_of(problems: Iterable[Problem], readers: Mapping[str, Iterable[str]]) -> tuple[Block, ...]:
    """Equal problems as one: errors first, then what concerns the most views, with those that read them.

    Args:
        problems: of all views, in their order.
        readers: by name of a view, who reads it.
    """
    equal: dict[tuple[str, tuple[str, str]], list[Problem]] = defaultdict(list)
    for one in problems:
        equal[one.code, one.alike].append(one)
    order = {code: place for place, code in enumerate(CODES)}
    return tuple(
        sorted(
            (_block(found, readers) for found in equal.values()),
            key=lambda one: (
                one.severity != ERROR,
                -len(one.views) - one.readers,
                one.code == CAUSED_BY_ANOTHER,
                order[one.code],
                one.views,
            ),
        )
    )


def _block(found: list[Problem], readers: Mapping[str, Iterable[str]]) -> Block:
    first, views = found[0], tuple(dict.fromkeys(one.view for one in found))
    what, repair = first.alike if len(views) > 1 else (first.what, first.repair)
    others = len(all_readers(views, readers)) if first.severity == ERROR else 0
    return Block(first.code, first.severity, what, first.effect, repair, views, others)


def _without_names(text: str, view: str) -> str:
    return _LOCATION.sub("FILE", re.sub(rf"(?<![\w.]){re.escape(view)}(?!\w)", "NAME", text))
