"""What a run of ``publish`` did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_views.hive.partition_dates import calendar_for_notebooks
from hive_views.messages.html import Tone, badge, html_block, table
from hive_views.readiness.coverage import UnnamedPartitions

_TONES: Mapping[str, Tone] = {
    "late": "bad",
    "waiting": "warn",
    "retracted": "bad",
    "declared": "new",
    "kept": "soft",
    "published": "good",
}


@dataclass(frozen=True)
class PublishReport:
    """What a run did, by names of partitions.

    Attributes:
        view: its name.
        added: declared by this run; in a dry run, what would have been.
        already_published: candidates that were declared before, or by somebody else in the meantime.
        waiting: what is not ready, and why.
        dry_run: nothing was written.
        skipped: this version of the application was already completed; nothing was read.
        retracted: retracted by this run, because base partitions that they need are gone; in a dry run, what would have
            been.
        kept: declared partitions for which the rules no longer hold, and why they were not retracted.
        unnamed: by table, its partitions that are asked for and name no partition of the view.
        late: expected partitions that are still not declared although they are late, and since when, in seconds since
            1970.
        known_empty: those that will never come, although their time has passed.
    """

    view: str
    added: tuple[str, ...] = ()
    already_published: tuple[str, ...] = ()
    waiting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dry_run: bool = False
    skipped: bool = False
    retracted: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    unnamed: Mapping[str, UnnamedPartitions] = field(default_factory=dict)
    late: Mapping[str, int] = field(default_factory=dict)
    known_empty: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        if self.skipped:
            return html_block(f"{self.view}: this run was already completed; nothing was read.")
        would_be = "would be " if self.dry_run else ""
        rows = [(name, "declared", "") for name in self.added]
        rows += [(name, "retracted", "") for name in self.retracted]
        rows += [(name, "kept", reason) for name, reason in self.kept.items()]
        rows += [
            (name, "late" if name in self.late else "waiting", "; ".join(reasons))
            for name, reasons in self.waiting.items()
        ]
        states = {**dict.fromkeys(self.already_published, "published"), **{name: state for name, state, _ in rows}}
        rows += [(name, "unnamed", str(unnamed)) for name, unnamed in self.unnamed.items()]
        words = {"declared": f"{would_be}declared", "retracted": f"{would_be}retracted"}
        shown = [(name, badge(words.get(state, state), _TONES.get(state, "soft")), why) for name, state, why in rows]
        heading = (
            f"{self.view}: {len(self.added)} {would_be}declared, {len(self.already_published)} already published, "
            f"{len(self.waiting)} waiting"
        )
        return html_block(
            heading,
            calendar_for_notebooks(states, _TONES),
            table(("partition", "state", "why"), shown),
        )
