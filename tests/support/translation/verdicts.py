"""What engines say of a translation: whether the text and its translation answer the same on the rows of the bench."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from hive_views.hive.row import Column
from hive_views.translation import Kind, Translation, translate
from tests.support.translation.answers import Refused
from tests.support.translation.asking import Bench, Values
from tests.support.translation.comparing import differing, differing_types, differing_values, same_value
from tests.support.translation.rows import COUNT, DATABASE, TABLES
from tests.support.translation.value_types import read_type, same_types

ENGINES = {"hive": ("hive-2.3", "hive-4.0"), "spark": ("spark", "spark-ansi"), "trino": ("trino",)}
"""The engines that read a dialect. What the first one answers is what a text means; the others must not contradict."""

_TABLES = {(DATABASE, name): [Column(*one) for one in columns] for name, columns in TABLES.items()}
_WRITTEN_BEFORE = "SELECT\n  `t`.`id` AS `id`,\n  "
_BEFORE, _BEHIND = "SELECT id AS id, ", f" AS c1 FROM {DATABASE}.t"


@dataclass(frozen=True)
class Judged:
    """One text, its translation, and where they answer differently.

    Attributes:
        text: a query, or an expression over the rows of ``bench.t``.
        translation: of it.
        differences: what differs, in words; () where all engines answer the same.
        rows: the ids of the rows that differ, where it is an expression.
        fails: whether an engine answers the translation for no row, as a finding says: it proves nothing.
        not_run: whether no engine answers the query itself.
    """

    text: str
    translation: Translation
    differences: tuple[str, ...] = ()
    rows: frozenset[int] = field(default_factory=frozenset)
    fails: bool = False
    not_run: bool = False

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, each once, sorted."""
        return tuple(sorted({one.reason.code for one in self.translation.findings}))

    @property
    def verdict(self) -> str:
        """``refused``, ``same``, ``fails``, ``different``, or ``told``: different, as a finding says that it may be."""
        if self.translation.text is None:
            return "refused"
        if not self.differences:
            return "fails" if self.fails else "same"
        kinds = {one.reason.kind for one in self.translation.findings}
        return "told" if kinds & {Kind.DIFFERENT, Kind.EDGE} else "different"

    def __str__(self) -> str:
        said = [*map(str, self.translation.findings), *self.differences]
        return "\n    ".join([f"{self.verdict}: {self.text}", *filter(None, [self.translation.text]), *said])


def wrong_among(judged: Sequence[Judged]) -> str:
    """Those of which any engine answers something else, or that are refused; empty where there are none."""
    return "\n".join(str(one) for one in judged if one.verdict != "same")


def translated(
    query: str, source: str, target: str, allow: Collection[str] = (), udfs: Mapping[str, Any] = MappingProxyType({})
) -> Translation:
    """The translation of a query on the tables of the bench."""
    return translate(query, source, target, tables=_TABLES, namespace=DATABASE, allow=allow, udfs=udfs)


def judge_query(
    bench: Bench, source: str, target: str, query: str, *, allow: Collection[str] = (), in_order: bool = False
) -> Judged:
    """Run a query and its translation."""
    return judge_translation(bench, query, translated(query, source, target, allow), in_order=in_order)


def judge_translation(bench: Bench, query: str, found: Translation, *, in_order: bool = False) -> Judged:
    """Run a query on any tables of the engines, and its translation."""
    if found.text is None:
        return Judged(query, found)
    asked = bench.ask_all(query, ENGINES[found.source])
    # Hive 2.3 is asked without its cost-based optimizer, and refuses some subqueries then.
    answers = {engine: answer for engine, answer in asked.items() if not isinstance(answer, Refused)}
    if not answers:
        return Judged(query, found, (f"the text is refused: {next(iter(asked.values()))}",), not_run=True)
    is_stricter = any(one.reason.kind is Kind.STRICTER for one in found.findings)
    theirs = {
        engine: answer
        for engine, answer in bench.ask_all(found.text, ENGINES[found.target]).items()
        if not (isinstance(answer, Refused) and answer.at_run and is_stricter)
    }
    if not theirs:
        return Judged(query, found, fails=True)
    meant = next(iter(answers.values()))
    said = [
        f"{engine} reads the text otherwise: {difference}"
        for engine, other in list(answers.items())[1:]
        if (difference := differing(meant, other, in_order=in_order))
    ]
    for engine, answer in theirs.items():
        difference = differing(meant, answer, in_order=in_order)
        if difference is None and not isinstance(answer, Refused):
            difference = differing_types(meant, answer) or _differing_names(meant.columns, answer.columns)
        if difference:
            said.append(f"{engine}: {difference}")
    return Judged(query, found, tuple(said))


def _differing_names(mine: Sequence[tuple[str, str]], theirs: Sequence[tuple[str, str]]) -> str | None:
    pairs = [
        (one.rpartition(".")[2].lower(), other.rpartition(".")[2].lower())
        for (one, _), (other, _) in zip(mine, theirs, strict=True)
    ]
    return next((f"column {one} is called {other}" for one, other in pairs if one != other), None)


def judge_values(
    bench: Bench,
    source: str,
    target: str,
    expressions: Sequence[str],
    *,
    allow: Collection[str] = (),
    udfs: Mapping[str, Any] = MappingProxyType({}),
) -> list[Judged]:
    """Run expressions over the rows of ``bench.t``, and their translations."""
    found = [translated(f"{_BEFORE}{one}{_BEHIND}", source, target, allow, udfs) for one in expressions]
    kept = [at for at, one in enumerate(found) if one.text is not None]
    meant = {
        engine: dict(zip(kept, bench.values(engine, [expressions[at] for at in kept]), strict=True))
        for engine in ENGINES[source]
    }
    texts = [translated_expression(found[at].text or "", target) for at in kept]
    answers = {engine: dict(zip(kept, bench.values(engine, texts), strict=True)) for engine in ENGINES[target]}
    judged = []
    for at, expression in enumerate(expressions):
        if at not in kept:
            judged.append(Judged(expression, found[at]))
            continue
        said: list[str] = []
        rows: set[int] = set()
        failing: set[int] = set()
        fails = False
        first, *others = (meant[engine][at] for engine in ENGINES[source])
        unanswered: set[int] = set()
        kinds = {one.reason.kind for one in found[at].findings}
        if isinstance(first, Refused) and first.at_run and Kind.EDGE in kinds:
            # Trino fails for values of which Hive and Spark make NULL.
            first, unanswered = _by_row(bench, ENGINES[source][0], expression, Values("", (None,) * COUNT))
        if isinstance(first, Refused) or not first.type:
            judged.append(Judged(expression, found[at], (f"the text is refused: {first}",)))
            continue
        for engine in ENGINES[target]:
            answer = answers[engine][at]
            if isinstance(answer, Refused) and answer.at_run and (Kind.STRICTER in kinds or unanswered):
                answer, failing = _by_row(bench, engine, texts[kept.index(at)], first)
                fails = fails or len(failing) == COUNT
                if Kind.STRICTER not in kinds and not failing <= unanswered:
                    said.append(f"{engine} fails for rows {sorted(failing - unanswered)}")
            if isinstance(answer, Values):
                answer = _with_rows_of(first, answer, unanswered)
            if difference := _differing(first, answer):
                said.append(f"{engine}: {difference}")
                rows |= _differing_rows(first, answer)
        for engine, other in zip(ENGINES[source][1:], others, strict=True):
            # Spark by the rules of ANSI fails where it otherwise answers NULL.
            if isinstance(other, Refused):
                continue
            # A translation that fails where engines differ says so.
            compared = _with_rows_of(first, other, failing)
            if difference := differing_values(first, compared):
                said.append(f"{engine} reads the text otherwise: {difference}")
                rows |= _differing_rows(first, compared)
        judged.append(Judged(expression, found[at], tuple(said), frozenset(rows), fails))
    return judged


def translated_expression(text: str, target: str) -> str:
    """The translated expression, without the query around it."""
    if target == "trino":
        before, behind = 'SELECT\n  "t"."id" AS "id",\n  ', f' AS "c1"\nFROM "{DATABASE}"."t"'
    elif text.startswith(_WRITTEN_BEFORE):
        before, behind = _WRITTEN_BEFORE, f" AS `c1`\nFROM `{DATABASE}`.`t` `t`"
    else:
        before, behind = _BEFORE, _BEHIND
    assert text.startswith(before), text
    assert text.endswith(behind), text
    return text[len(before) : -len(behind)]


def _by_row(bench: Bench, engine: str, expression: str, meant: Values) -> tuple[Values, set[int]]:
    """What an engine answers for the rows for which it does not fail, and what is meant for the others; and those."""
    values, type_, failing = [], meant.type, set()
    for row in range(1, COUNT + 1):
        answer = bench.ask_all(f"SELECT {expression} AS c1 FROM {DATABASE}.t WHERE id = {row}", [engine])[engine]
        if isinstance(answer, Refused):
            values.append(meant.values[row - 1])
            failing.add(row)
        else:
            values.append(answer.rows[0][0])
            type_ = answer.columns[0][1]
    return Values(type_, tuple(values)), failing


def _with_rows_of(meant: Values, answer: Values, rows: set[int]) -> Values:
    pairs = zip(meant.values, answer.values, strict=True)
    return Values(answer.type, tuple(one if row in rows else other for row, (one, other) in enumerate(pairs, 1)))


def _differing(meant: Values, answer: Values | Refused) -> str | None:
    difference = differing_values(meant, answer)
    if difference or isinstance(answer, Refused) or same_types(read_type(meant.type), read_type(answer.type)):
        return difference
    return f"type {meant.type} and {answer.type}"


def _differing_rows(meant: Values, answer: Values | Refused) -> set[int]:
    if isinstance(answer, Refused):
        return set(range(1, COUNT + 1))
    pairs = zip(meant.values, answer.values, strict=True)
    return {row for row, pair in enumerate(pairs, 1) if not same_value(*pair)}


def main() -> None:
    """``python -m tests.support.translation.verdicts hive trino [--query] [--allow CODE] TEXT ...`` prints verdicts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument(
        "texts", nargs="+", help="expressions over the rows of bench.t, or - to read one from each line"
    )
    parser.add_argument("--query", action="store_true", help="the texts are queries")
    parser.add_argument("--in-order", action="store_true", help="the order of rows is compared")
    parser.add_argument("--allow", action="append", default=[])
    chosen = parser.parse_args()
    bench = Bench.connect()
    texts = [one for one in map(str.strip, sys.stdin) if one] if chosen.texts == ["-"] else chosen.texts
    if chosen.query:
        for text in texts:
            judged = judge_query(
                bench, chosen.source, chosen.target, text, allow=chosen.allow, in_order=chosen.in_order
            )
            print(judged)
    else:
        print(*judge_values(bench, chosen.source, chosen.target, texts, allow=chosen.allow), sep="\n")


if __name__ == "__main__":
    main()
