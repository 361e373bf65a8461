"""How many of the queries of TPC-DS and TPC-H are translated, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hive_views.translation import Status, Translation, translate
from tests.interop.constructs.gathering import Pair
from tests.interop.tpc_tables import Tpc, tpc

_ALLOWED = "null-order"
"""The difference that most queries of Hive are refused for."""


def tpc_shares(pairs: Sequence[Pair]) -> str:
    """A table with a line for each pair of dialects."""
    made = tpc()
    lines = [
        f"| | {' | '.join(_title(name, made) for name in made.databases)} | refused (queries) |",
        "|---" * (len(made.databases) + 2) + "|",
        *_lines(made, pairs),
    ]
    return "\n".join([*lines, ""])


def _title(name: str, made: Tpc) -> str:
    return f"{name.upper().replace('TPC', 'TPC-')}: of {len(_of(name, made))}"


def _of(name: str, made: Tpc) -> list[str]:
    return [text for query, text in made.queries.items() if query.startswith(f"{name} ")]


def _lines(made: Tpc, pairs: Sequence[Pair]) -> Iterator[str]:
    for source, target in pairs:
        if source == "trino":
            # The texts are for Spark, and Hive reads them alike.
            continue
        found = {name: _translated(made, name, source, target) for name in made.databases}
        yield _line(f"{source} to {target}", found)
        if (source, target) == ("hive", "trino"):
            yield _line(
                f"{source} to {target}, `{_ALLOWED}` allowed",
                {name: _translated(made, name, source, target, _ALLOWED) for name in made.databases},
            )


def _translated(made: Tpc, name: str, source: str, target: str, *allow: str) -> list[Translation]:
    return [translate(text, source, target, tables=made.columns, allow=allow) for text in _of(name, made)]


def _line(title: str, found: dict[str, list[Translation]]) -> str:
    cells = [_cell(translations) for translations in found.values()]
    refused = Counter(
        code
        for translations in found.values()
        for one in translations
        for code in {finding.reason.code for finding in one.refusals}
    )
    codes = sorted(refused, key=lambda code: (-refused[code], code))
    return f"| {title} | {' | '.join(cells)} | {', '.join(f'`{code}` ({refused[code]})' for code in codes)} |"


def _cell(translations: Sequence[Translation]) -> str:
    unchanged = sum(one.status is Status.UNCHANGED for one in translations)
    translated = sum(one.status is not Status.REFUSED for one in translations)
    return f"{translated}, {unchanged} unchanged" if unchanged else str(translated)
