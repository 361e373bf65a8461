"""What is made of each construct for each pair of dialects, as a table: tests/interop/translation.md.

``python -m tests.interop.constructs.table`` writes it; tests/interop/test_translation_table.py fails where it is not
current. No engine is asked for it: it says what translations make of the cases, and the tests of these cases ask
engines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.interop.constructs.gathering import AGGREGATES, Outcome, Pair, all_cases, outcomes_of
from tests.interop.constructs.shares import tpc_shares
from tests.interop.tpc_tables import EMPTY, SCALE

FILE = Path(__file__).parents[1] / "translation.md"

_FAMILIES = {
    "clauses": "Clauses and subqueries",
    "aggregates": "Aggregates",
    "windows": "Windows",
    "casting": "Literals and casts",
    "comparisons": "Comparisons, conditions and choices",
    "numbers": "Numbers",
    "strings": "Strings and bytes",
    "patterns": "Patterns, JSON and URLs",
    "dates": "Dates and times",
    "nested": "Arrays, maps and structs",
    "others": "Others",
}
_HEADER = """\
# What translations make of each construct

Written by `pytest --compatibility=write`, and alone by `python -m tests.interop.constructs.table`; not edited by hand,
and a test fails where it is not current. It is made of the {cases:,} cases in `tests/support/translation/cases/`, and
of the queries of TPC-DS and TPC-H; no engine is asked for it.

| in a cell | what it means |
|---|---|
| same | the construct has the same words in the other dialect; to Trino, names get quotes and outputs an alias |
| rewritten | it has other words there, such as another function, or a conversion that the source does by itself |
| same or rewritten | it depends on the types, or on the values that are written |
| refused: `code` | some uses of it are refused; all that there are cases of, where the cell says nothing else |
| | there is no case of it between these dialects |

What has no rule is refused. `hive-views translate` says why, with the place in the text;
[Translation](../../hive_views/translation/README.md) says what to do about frequent codes, and which kinds of findings
there are: this table only has those that refuse, and no finding is accepted (`--allow`) for it.

**What engines say of it.** Each case that is translated is run with its translation by the tests in
`tests/interop/engines/translation/`: on Hive 2.3.10 and 4.0.1, on Spark without and with ANSI mode, and on Trino 476,
over rows with NULL, extremes, and dirty texts, numbers and dates. A test fails unless all answer the same, or a finding
says that they may not. A run asks each sixth case, `TRANSLATIONS=all` all of them. Of a case that is refused only the
code is checked.
"""
_TPC = """\
## The queries of TPC-DS and TPC-H

So many are translated, and so many are refused for a reason, some for several. `test_tpc.py` runs those that are
translated to Trino without any difference allowed, on the rows of scale {scale}, and fails unless Trino returns what
Spark returns: each fifth query in a run, and all with `TRANSLATIONS=all`, where Spark in ANSI mode and Hive 4.0.1 are
asked too. {empty} of the queries have no rows at this scale, and prove little. The other lines are counted, not run.
"""


def text() -> str:
    """The whole file."""
    cases = all_cases()
    outcomes = [one for case in cases for one in outcomes_of(case)]
    pairs = sorted({one.pair for one in outcomes}, key=lambda pair: (pair[1] != "trino", pair))
    of_tpc = _TPC.format(scale=SCALE, empty=len(EMPTY))
    return "\n".join([_HEADER.format(cases=len(cases)), of_tpc, tpc_shares(pairs), *_tables(outcomes, pairs)])


def _tables(outcomes: Iterable[Outcome], pairs: Sequence[Pair]) -> Iterator[str]:
    of_constructs: dict[str, dict[Pair, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for one in outcomes:
        of_constructs[one.construct][one.pair].append(one)
    families: dict[str, list[str]] = defaultdict(list)
    for construct, found in of_constructs.items():
        families[_family(construct, [one for several in found.values() for one in several])].append(construct)
    for family, title in _FAMILIES.items():
        if families[family]:
            yield _table(title, pairs, {one: of_constructs[one] for one in sorted(families[family])})


def _family(construct: str, outcomes: Sequence[Outcome]) -> str:
    if construct.endswith(" OVER (...)"):
        return "windows"
    if construct in AGGREGATES:
        return "aggregates"
    named = Counter(one.family for one in outcomes if one.family in _FAMILIES)
    return max(named, key=lambda family: (named[family], family), default="others")


def _table(title: str, pairs: Sequence[Pair], rows: Mapping[str, Mapping[Pair, Sequence[Outcome]]]) -> str:
    lines = [f"## {title}", "", f"| | {' | '.join(f'{source} to {target}' for source, target in pairs)} |"]
    lines.append("|---|" + "---|" * len(pairs))
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for construct, found in rows.items():
        alike[tuple(_cell(found.get(pair, ())) for pair in pairs)].append(construct)
    for cells, constructs in alike.items():
        lines.append(f"| {', '.join(map(_code, constructs))} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _code(construct: str) -> str:
    escaped = construct.replace("|", "\\|")
    return f"`{escaped}`"


def _cell(outcomes: Sequence[Outcome]) -> str:
    is_there = [one for one in outcomes if one.status != "refused"]
    simple = [one for one in is_there if one.is_simple] or is_there
    said = [" or ".join(sorted({one.status for one in simple}, reverse=True))] if simple else []
    refused = Counter(one.code for one in outcomes if one.status == "refused")
    if refused:
        codes = sorted(refused, key=lambda code: (-refused[code], code))
        said.append(f"refused: {', '.join(f'`{code}`' for code in codes)}")
    return "; ".join(said)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
