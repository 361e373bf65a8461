"""Random typed expressions and queries over the bench, and what engines say of their translations.

``python -m tests.support.translation.random_expressions --pair hive trino --count 2000 --seed 1`` prints those whose
translation answers something else without a finding that says so, and failures of the library. ``--queries`` makes
queries; ``--told`` prints differences that findings explain as well.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from hive_views.errors import SQLSyntaxError
from tests.support.translation import random_grammar, random_trino
from tests.support.translation.asking import Bench
from tests.support.translation.verdicts import Judged, judge_query, judge_values, translated

_PART = re.compile(r"<([a-z_]+|#)>")
_TEXT = re.compile(r"[\w.']+|\w+\(.*\)|'[^']*'", re.DOTALL)
_BATCH = 40
_INVALID = "the text is refused"
"""How a judgement begins of a text that its own engine refuses."""


class RandomExpressions:
    """Expressions and queries of a dialect, which follow from a seed."""

    def __init__(self, seed: int, dialect: str) -> None:
        self._random = random.Random(seed)
        self._dialect = dialect
        self._of: ModuleType = random_trino if dialect == "trino" else random_grammar

    def expression(self, depth: int | None = None) -> str:
        """An expression over ``bench.t`` with so many levels; of none, 1 to 4."""
        return self._made(self._random.choice(self._of.TOPS), depth or self._random.choice((1, 1, 2, 2, 2, 3, 3, 4)))

    def query(self) -> str:
        """A query over the tables of the bench."""
        form, same = self._random.choice(self._of.QUERIES), ""

        def part(found: re.Match[str]) -> str:
            nonlocal same
            match found[1]:
                case "agg":
                    return self._filled(self._random.choice(self._of.AGGREGATES), self._random.choice((1, 1, 2)))
                case "same":
                    return same
                case "tx":
                    made = self._made("x", 2)
                    return "t.s" if re.search(r"\b(id|x)\b", made) else made
                case kind:
                    made = self._made(kind, self._random.choice((1, 1, 2)))
                    same = same or (made if kind == "x" else "")
                    return made

        return _PART.sub(part, form)

    def _made(self, kind: str, depth: int) -> str:
        kind = self._kind(kind)
        if depth == 0 or kind not in self._of.FORMS or self._random.random() < 0.1:
            leaves: Mapping[str, Sequence[str]] = self._of.LEAVES
            return self._random.choice(leaves.get(kind, leaves["frac"]))
        forms = [*self._of.FORMS[kind][""], *self._of.FORMS[kind].get(self._dialect, ())]
        return self._filled(self._random.choice(forms), depth)

    def _kind(self, kind: str) -> str:
        if kind == "x":
            return str(self._random.choice(self._of.ANY))
        if kind == "num":
            return str(self._random.choice(self._of.NUMBERS))
        if kind in self._of.FORMS and self._random.random() < 0.03:
            return str(self._random.choice(self._of.ANY))
        return kind

    def _filled(self, form: str, depth: int) -> str:
        parts = _PART.split(form)
        alone = parts[0].endswith("(") and form.endswith(")")
        made = []
        for at, part in enumerate(parts):
            if at % 2 == 0:
                made.append(part)
                continue
            # One of the parts is as deep as it can be.
            text = self._made(part, self._random.randint(0, depth - 1) if at > 1 else depth - 1)
            is_apart = alone or _TEXT.fullmatch(text) or self._random.random() < 0.15
            made.append(
                text if is_apart and not (text.startswith("-") and parts[at - 1].endswith("-")) else f"({text})"
            )
        return "".join(made)


@dataclass
class Hunt:
    """What was judged of one pair.

    Attributes:
        judged: how many, by verdict; ``invalid``: the engine of the source refuses it.
        wrong: what is different without a finding that says so, and failures of the library.
        told: what is different as a finding says.
        codes: how often something was refused for a reason.
    """

    judged: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    told: list[Judged] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)

    def add(self, found: Judged) -> None:
        """Count a judgement."""
        verdict = "invalid" if found.differences and found.differences[0].startswith(_INVALID) else found.verdict
        self.judged[verdict] += 1
        if verdict == "refused":
            self.codes.update(found.codes)
        elif verdict == "different":
            self.wrong.append(str(found))
        elif verdict == "told":
            self.told.append(found)

    def translatable(self, texts: Iterable[str], pair: tuple[str, str], *, are_queries: bool = False) -> list[str]:
        """Those that are translated; others are counted as refused."""
        kept = []
        for text in texts:
            query = text if are_queries else f"SELECT id AS id, {text} AS c1 FROM bench.t"
            try:
                found = translated(query, *pair)
            except SQLSyntaxError:
                self.judged["no query"] += 1
            except Exception:  # noqa: BLE001 - any of them is a defect
                self.judged["failed"] += 1
                self.wrong.append(f"failed: {text}\n{traceback.format_exc(limit=-4)}")
            else:
                if found.text is None:
                    self.add(Judged(text, found))
                else:
                    kept.append(text)
        return kept


def hunt_expressions(bench: Bench, pair: tuple[str, str], texts: Sequence[str]) -> Hunt:
    """Judge expressions."""
    hunt = Hunt()
    kept = hunt.translatable(dict.fromkeys(texts), pair)
    for one in judge_values(bench, *pair, kept):
        hunt.add(one)
    return hunt


def hunt_queries(bench: Bench, pair: tuple[str, str], texts: Sequence[str]) -> Hunt:
    """Judge queries."""
    hunt = Hunt()
    for text in hunt.translatable(dict.fromkeys(texts), pair, are_queries=True):
        hunt.add(judge_query(bench, *pair, text))
    return hunt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--pair", nargs=2, default=["hive", "trino"])
    parser.add_argument("--count", type=int, default=1000, help="expressions, of which refused ones are some")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depth", type=int)
    parser.add_argument("--queries", action="store_true")
    parser.add_argument("--told", action="store_true", help="print explained differences as well")
    chosen = parser.parse_args()
    pair = (chosen.pair[0], chosen.pair[1])
    made, bench = RandomExpressions(chosen.seed, pair[0]), Bench.connect()
    sums, codes = Counter[str](), Counter[str]()
    for _ in range(0, chosen.count, 5 * _BATCH):
        size = min(5 * _BATCH, chosen.count)
        texts = [made.query() if chosen.queries else made.expression(chosen.depth) for _ in range(size)]
        found = (hunt_queries if chosen.queries else hunt_expressions)(bench, pair, texts)
        sums.update(found.judged)
        codes.update(found.codes)
        print(*found.wrong, *(found.told if chosen.told else ()), sep="\n", flush=True)
        print(dict(sums), file=sys.stderr, flush=True)
    print(f"seed {chosen.seed}, {' to '.join(pair)}: {dict(sums)}; refused: {dict(codes.most_common(20))}")


if __name__ == "__main__":
    main()
