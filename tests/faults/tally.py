"""What came of many injections, as a table (REPORT.md), and the table read again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.matrix import PROMISES, Cell, Outcome, Protection, Reported, Verdict
from tests.faults.verbs import VERBS

REPORT = Path(__file__).with_name("REPORT.md")
_HEAD = """\
# What was injected, and what came of it

Written by `python -m tests.faults.report`, not by hand; the last run took seed {seed}. A fault is injected in a verb at
each of its writes. What the caller was told (done, refused, unknown; nothing where it was killed) is held against what
a bystander sees then, after a request that was late has arrived, and after another writer has gone on. Lost: told done
and not there, a row whose file is gone, or an acknowledged change overwritten. Phantom: told not applied and there, at
once or later. Unpromised: told less than could be known.
"""
_COLUMNS = (
    "injected",
    *(reported.value for reported in Reported),
    *(v.value for v in Verdict if v is not Verdict.KEPT),
)
_FAULTS = "| verb | " + " | ".join(PROMISES) + " |"
_WORDS = (*Reported, *(verdict for verdict in Verdict if verdict is not Verdict.KEPT))


@dataclass(frozen=True, order=True)
class Place:
    """A server and how it is protected."""

    protection: str
    server: str

    def __str__(self) -> str:
        return f"{self.protection}: {self.server}"


@dataclass
class Tally:
    """How often each report to the caller had each outcome, by place, verb and fault; one example of each failure."""

    counts: dict[tuple[Place, str, str], Counter[str]] = field(default_factory=dict)
    examples: dict[tuple[Place, str, str], str] = field(default_factory=dict)

    def add(self, cell: Cell, outcome: Outcome) -> None:
        key = Place(cell.protection.value, cell.server), cell.verb, cell.fault
        counter = self.counts.setdefault(key, Counter())
        counter[outcome.reported.value] += 1
        if outcome.verdict is not Verdict.KEPT:
            counter[outcome.verdict.value] += 1
            self.examples.setdefault(key, f"{cell}\n  {outcome.verdict.value}: {outcome.why}")

    def merge(self, other: Tally) -> None:
        for key, counter in other.counts.items():
            self.counts.setdefault(key, Counter()).update(counter)
        self.examples = {**other.examples, **self.examples}

    def without(self, verbs: Iterable[str]) -> Tally:
        """The same but for some verbs."""
        left_out = set(verbs)
        return Tally({key: counter for key, counter in self.counts.items() if key[1] not in left_out})

    @property
    def injected(self) -> int:
        return sum(_injected(counter) for counter in self.counts.values())

    @property
    def failures(self) -> list[str]:
        """An example of what failed in each verb, by each fault, at each place."""
        return list(self.examples.values())

    def total(self, verdict: Verdict) -> int:
        return sum(counter[verdict.value] for counter in self.counts.values())

    def missing(self) -> list[str]:
        """Verbs, faults and protections that nothing was injected for."""
        made = {(place.protection, verb, fault) for place, verb, fault in self.counts}
        wanted = ((p.value, verb, fault) for p in Protection for verb in VERBS for fault in PROMISES)
        return [", ".join(each) for each in wanted if each not in made]

    def places(self) -> list[Place]:
        order = [protection.value for protection in Protection]
        return sorted({key[0] for key in self.counts}, key=lambda place: (order.index(place.protection), place.server))


def written(tally: Tally, seed: int) -> str:
    """The table: a line for each place, then for each place what came of each fault in each verb."""
    lines = [_HEAD.format(seed=seed), "| place | " + " | ".join(_COLUMNS) + " |", "|---|" + "---:|" * len(_COLUMNS)]
    lines += [_line(str(place), _sum(_of(tally, place))) for place in tally.places()]
    lines.append(_line("all", _sum(tally.counts.values())))
    for place in tally.places():
        lines += ["", f"## {place}", "", _FAULTS, "|---|" + "---|" * len(PROMISES)]
        for verb in VERBS:
            cells = (_cell(tally.counts.get((place, verb, fault), Counter())) for fault in PROMISES)
            lines.append(f"| {verb} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _of(tally: Tally, place: Place) -> list[Counter[str]]:
    return [counter for key, counter in tally.counts.items() if key[0] == place]


def read(text: str) -> Tally:
    """What a table says.

    Raises:
        ValueError: it is none.
    """
    tally = Tally()
    place = None
    for line in text.splitlines():
        if line.startswith("## "):
            protection, _, server = line.removeprefix("## ").partition(": ")
            place = Place(protection, server)
        elif place and line.startswith("| ") and line != _FAULTS:
            verb, *cells = line.strip("| ").split(" | ")
            for fault, cell in zip(PROMISES, cells, strict=True):
                if counter := _counter(cell):
                    tally.counts[place, verb, fault] = counter
    if not tally.counts:
        raise ValueError("there is no table in it")
    return tally


def _line(name: str, counter: Mapping[str, int]) -> str:
    numbers = [_injected(counter), *(counter.get(word.value, 0) for word in _WORDS)]
    return f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + " |"


def _cell(counter: Counter[str]) -> str:
    return ", ".join(f"{counter[word.value]} {word.value}" for word in _WORDS if counter[word.value]) or "-"


def _counter(cell: str) -> Counter[str]:
    return Counter({word: int(number) for number, word in re.findall(r"(\d+) (\w+)", cell)})


def _injected(counter: Mapping[str, int]) -> int:
    return sum(counter.get(reported.value, 0) for reported in Reported)


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total
