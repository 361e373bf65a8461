"""Statements about views, mutated at random for as long as one likes; Hive's own parser judges where there is a Java.

``python -m tests.fuzz.view_statements --minutes 10`` starts from all forms, refusals and the corpus, and looks for
texts on which the reading crashes or takes too long, or which Hive reads otherwise. A text whose answer is of a new
kind is mutated further; with ``--keep`` it joins the corpus, which a unit test replays. Exit code 1: something found.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from hive_views.errors import HiveViewsError
from hive_views.metastore.embedded.java import find_java
from tests.support.java.hive_java import hive_java
from tests.support.java.hive_statements import HiveParser
from tests.support.java.statement_verdicts import disagreement
from tests.support.texts.found_statements import CORPUS, answer, load_corpus
from tests.support.texts.view_statements import FORMS, OURS, REFUSED, STRICTER

LONGEST = 2_000
KEPT = 400

_WORDS = re.compile(r"\s+|\w+|'[^']*'|.", re.DOTALL)
_SPICE = [
    *(
        "'",
        '"',
        "`",
        "\\",
        "\\u",
        "\\ud83d",
        "/*",
        "*/",
        "--",
        "\n",
        ";",
        "(",
        ")",
        ",",
        ".",
        "=",
        "<>",
        "!",
        "-",
        "$",
        "\0",
    ),
    *(
        "é",
        "😀",
        "\u0301",
        "\ud800",
        "\ufeff",
        "0x1",
        "1e9",
        "1.",
        "9" * 40,
        "/*+",
        "r'",
        "AS",
        "IN",
        "TO",
        "NULL",
        "DATE",
    ),
]


def mutated(pool: list[str], chance: random.Random) -> str:
    """A text of the pool with one to four changes."""
    words = _WORDS.findall(chance.choice(pool)) or [""]
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(words) + 1)
        step = chance.randrange(6)
        if step == 0:
            del words[place : place + chance.randint(1, 3)]
        elif step == 1:
            words.insert(place, chance.choice(_SPICE))
        elif step == 2:
            words[place:place] = _WORDS.findall(chance.choice(pool))[: chance.randint(1, 12)]
        elif step == 3:
            words[place:place] = words[place : place + 5] * chance.randint(1, 40)
        elif step == 4 and place < len(words):
            at = chance.randrange(len(words[place]) + 1)
            words[place] = words[place][:at] + chance.choice(_SPICE) + words[place][at + 1 :]
        else:
            chance.shuffle(words[place : place + 6])
            words[place : place + 6] = reversed(words[place : place + 6])
    return "".join(words)[:LONGEST]


def search(minutes: float, seed: int, judge: Callable[[str], str | None]) -> tuple[list[str], list[str]]:
    """The problems found, and the texts with answers of a new kind."""
    chance = random.Random(seed)
    cases = [case.sql for case in [*REFUSED, *STRICTER.values()]]
    pool = [*(sql for sql, _ in [*FORMS, *OURS]), *cases, *load_corpus()]
    kinds = {answer(sql) for sql in pool}
    known = len(pool)
    problems: list[str] = []
    started, tried = time.monotonic(), 0
    while time.monotonic() - started < minutes * 60 and len(problems) < 20:
        sql = mutated(pool, chance)
        tried += 1
        try:
            kind = answer(sql)
            problem = judge(sql)
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            kind, problem = type(error).__name__, f"{sql!r}\n{type(error).__name__}: {error}"
        if problem:
            problems.append(problem)
            print(problem, file=sys.stderr)
        if kind not in kinds:
            kinds.add(kind)
            pool.append(sql)
    summary = f"{tried:,} texts, {len(kinds)} kinds of answers, {len(pool) - known} new"
    print(f"{summary}, {len(problems)} problems (seed {seed})")
    return problems, pool[known:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--keep", action="store_true", help="add texts with answers of a new kind to the corpus")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        judge: Callable[[str], str | None] = lambda _: None  # noqa: E731
        try:
            java = find_java()
        except HiveViewsError as error:
            print(f"Without Hive's parser: {error}", file=sys.stderr)
        else:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            hive = HiveParser(stack.enter_context(hive_java(java)), scratch)
            judge = lambda sql: disagreement(hive, sql)  # noqa: E731
        problems, new = search(chosen.minutes, chosen.seed, judge)
    if chosen.keep and new:
        kept = [*load_corpus(), *sorted(new, key=len)][:KEPT]
        CORPUS.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
