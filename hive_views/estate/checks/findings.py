"""What a check found: a finding, what is unknown, and the report."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.estate.checks.codes import CODES, Severity
from hive_views.messages.counted import counted
from hive_views.messages.html import Tone, badge, folded, html_block, table
from hive_views.messages.remedy import Remedy

# What a finding is about besides its view; other details change from check to check.
_SUBJECTS = ("dialect", "source", "column", "property")


@dataclass(frozen=True)
class Finding:
    """One problem of one view.

    Attributes:
        code: its kind, as in ``hive_views.estate.checks.codes.CODES``.
        view: ``namespace.name``.
        problem: what was found, in one sentence.
        remedy: how to repair it.
        details: what was found, as values that JSON has.
    """

    code: str
    view: str
    problem: str
    remedy: Remedy
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return CODES[self.code].severity

    @property
    def engines(self) -> str:
        """What an engine does with such a view."""
        return CODES[self.code].engines

    @property
    def fixable(self) -> bool:
        """Whether ``fix`` repairs it, because that loses nothing."""
        return CODES[self.code].fixable

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that stay the same from check to check, however the problem is worded.

        Two findings have the same one if they have the same code, view, and dialect, table, column or property.
        """
        about = {key: str(self.details[key]) for key in _SUBJECTS if self.details.get(key) is not None}
        return hashlib.sha256(json.dumps([self.code, self.view, about]).encode()).hexdigest()[:32]

    def document(self) -> dict[str, Any]:
        """The finding as JSON holds it."""
        return {
            "fingerprint": self.fingerprint,
            "code": self.code,
            "severity": self.severity,
            "identifier": self.view,
            "problem": self.problem,
            "engines": self.engines,
            "remedy": str(self.remedy),
            "fixable": self.fixable,
            "details": dict(self.details),
        }


@dataclass(frozen=True)
class NotKnown:
    """A question about one view that was not answered.

    Attributes:
        view: ``namespace.name``.
        about: the question: ``columns``, ``sources``, ``file``, ``text``, ``partitions``, ...
        reason: why there is no answer.
    """

    view: str
    about: str
    reason: str


@dataclass(frozen=True)
class CheckReport:
    """Everything that a check found; a notebook shows it as a table.

    Attributes:
        views: the names of the views that were checked.
        findings: by view; those of a view are in the order of ``CODES``.
        not_known: the questions that could not be answered.
    """

    views: tuple[str, ...]
    findings: tuple[Finding, ...]
    not_known: tuple[NotKnown, ...] = ()

    def of(self, *codes: str) -> tuple[Finding, ...]:
        """The findings with one of these codes."""
        return tuple(one for one in self.findings if one.code in codes)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each code, in the order of ``CODES``."""
        numbers = Counter(one.code for one in self.findings)
        return {code: numbers[code] for code in CODES if numbers[code]}

    def summary(self, *, new: bool = False) -> str:
        """What was found, in one sentence; ``new`` says that it is what a baseline does not have."""
        views, word = counted(len(self.views), "view"), "new " if new else ""
        if not self.findings:
            return f"{views}: nothing {word}found."
        bad = len({one.view for one in self.findings})
        codes = ", ".join(f"{number:,} {code}" for code, number in self.counts.items())
        return f"{views}, {bad:,} with {word}findings: {codes}."

    def document(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        return {
            "views": len(self.views),
            "counts": self.counts,
            "findings": [one.document() for one in self.findings],
            "not_known": [{"identifier": one.view, "about": one.about, "reason": one.reason} for one in self.not_known],
        }

    def _repr_html_(self) -> str:
        tones: Mapping[Severity, Tone] = {"error": "bad", "warning": "warn"}
        rows = [
            (one.view, badge(one.code, tones[one.severity]), one.problem, one.engines, str(one.remedy))
            for one in sorted(self.findings, key=lambda one: one.severity)
        ]
        unknown = table(("view", "question", "why"), [(one.view, one.about, one.reason) for one in self.not_known])
        return html_block(
            self.summary(),
            table(("view", "code", "problem", "what engines do", "remedy"), rows),
            *([folded(f"{counted(len(self.not_known), 'question')} not answered", unknown)] if self.not_known else []),
        )


def replace_query(view: str, source: str | None = None, *, is_plain: bool) -> Remedy:
    """Engines cannot read the view by its text, or not as it was meant.

    Args:
        view: its name.
        source: what it reads and what is missing, if that is the reason.
        is_plain: whether it has no metadata file, so that only the engine that made it can replace it.
    """
    otherwise = f"Create {source} again, or change the SQL of the view: " if source else ""
    if is_plain:
        create, where = "CREATE OR REPLACE VIEW", "in the engine that made it."
        return Remedy.of_view(
            view,
            in_python=f"{otherwise}execute {create} {view} {where}",
            in_shell=f"{otherwise}{create} {view} {where}",
            for_views=f"{otherwise}{create} NAME {where}",
        )
    return Remedy.of_view(
        view,
        in_python=f"{otherwise}replace_view('{view}', sql={{...}}) replaces the SQL.",
        in_shell=f"{otherwise}`hive-views replace {view}` replaces the SQL.",
        for_views=f"{otherwise}`hive-views replace NAME` replaces the SQL.",
    )


def restore_file(view: str, metadata_location: str) -> Remedy:
    """The file of a view cannot be used, and no other one is found."""
    back = "`hive-views restore ARCHIVE {views} --on-conflict replace` brings the view back from an archive."
    plain = "or `hive-views hand-back {views}` makes it a plain view, which reads as its row does now."
    return Remedy.of_view(
        view,
        in_python=f"hive_views.estate.restore(catalog, archive, '{view}', on_conflict='replace') brings the view back "
        f"from an archive. No other file of the view was found: restore {metadata_location} from a backup of the "
        f"storage; or hive_views.estate.hand_back(catalog, '{view}') makes it a plain view, which reads as its row "
        f"does now.",
        in_shell=f"{back} No other file of the view is found: restore {metadata_location} from a backup of the "
        f"storage; {plain}",
        for_views=f"{back} No other file of the view is found: restore the file from a backup of the storage; {plain}",
    )
