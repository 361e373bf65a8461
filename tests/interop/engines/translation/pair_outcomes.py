"""What became of texts that were translated and run: each by one word, and how many there are of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hive_views.translation import Status
from tests.support.translation.verdicts import Judged

OUTCOMES = ("same", "rewritten", "renamed", "told", "fails", "refused", "not run", "different")
"""The same rows of the text itself, or of another one; the same under other names, other rows, or an error instead, as
findings say; no translation; a text that its own engine does not run; other rows without a finding: a fault."""


@dataclass(frozen=True)
class Outcome:
    """What became of one text.

    Attributes:
        number: of the pair.
        acceptable: whether it must not be refused without need.
        word: one of ``OUTCOMES``.
        codes: of the refusals, each once.
        said: the text, its translation and all that was found.
    """

    number: int
    acceptable: bool
    word: str
    codes: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class Figures:
    """Counts of outcomes, for a report.

    Attributes:
        texts: how many there are.
        words: of each of ``OUTCOMES``, where there are any.
        refused_by: how many are refused for a reason, by its code; one may be for several.
        acceptable: how many must not be refused without need.
        acceptable_refused: how many of these are.
    """

    texts: int
    words: dict[str, int]
    refused_by: dict[str, int]
    acceptable: int
    acceptable_refused: int

    @property
    def share(self) -> float:
        """The share of the acceptable ones that are not refused; 1 where there are none."""
        return 1 - self.acceptable_refused / self.acceptable if self.acceptable else 1.0


def outcome(number: int, acceptable: bool, judged: Judged) -> Outcome:
    """The outcome of a text that was judged."""
    codes = tuple(sorted({one.reason.code for one in judged.translation.refusals}))
    return Outcome(number, acceptable, _word(judged), codes, f"{number}: {judged}")


def _word(judged: Judged) -> str:
    if judged.not_run:
        return "not run"
    if judged.verdict == "same":
        return "same" if judged.translation.status is Status.UNCHANGED else "rewritten"
    is_renamed = judged.verdict == "told" and all(" is called " in one for one in judged.differences)
    return "renamed" if is_renamed else judged.verdict


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The counts."""
    words = Counter(one.word for one in outcomes)
    acceptable = [one for one in outcomes if one.acceptable]
    return Figures(
        texts=len(outcomes),
        words={word: words[word] for word in OUTCOMES if words[word]},
        refused_by=dict(Counter(code for one in outcomes for code in one.codes).most_common()),
        acceptable=len(acceptable),
        acceptable_refused=sum(one.word == "refused" for one in acceptable),
    )
