"""The cases of all pairs of dialects, and what is made of each construct in them."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp, parse_one

from hive_views.analysis.tree import TypedQuery, read_typed
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText
from hive_views.translation import Status, Translation
from hive_views.translation.engine_functions import engines, functions_of
from tests.interop.constructs.clauses import clauses_of
from tests.interop.constructs.naming import is_simple, name_of, name_of_construct, unwrapped
from tests.interop.constructs.wording import outputs, same_wording
from tests.support.translation import cases
from tests.support.translation.rows import DATABASE, TABLES
from tests.support.translation.verdicts import translated

Pair = tuple[str, str]
_TABLES = {(DATABASE, name): [Column(*one) for one in columns] for name, columns in TABLES.items()}
_QUERY = re.compile(r"[(\s]*(select|with|from|values)\b", re.IGNORECASE)
AGGREGATES = frozenset().union(*(functions_of(one).aggregates for one in engines()))


@dataclass(frozen=True)
class Case:
    """A text, the pair of dialects between which it is translated, and the module that has it."""

    module: str
    pair: Pair
    text: str

    @property
    def is_query(self) -> bool:
        return bool(_QUERY.match(self.text))

    @property
    def query(self) -> str:
        return self.text if self.is_query else f"SELECT id AS id, {self.text} AS c1 FROM {DATABASE}.t"


@dataclass(frozen=True)
class Outcome:
    """What is made of a construct in one case.

    Attributes:
        pair: of dialects.
        construct: its name.
        family: of the construct, or the module of the case.
        status: ``same``, ``rewritten`` or ``refused``.
        code: why it is refused.
        is_simple: it consists of nothing else that could be rewritten.
    """

    pair: Pair
    construct: str
    family: str
    status: str
    code: str = ""
    is_simple: bool = True


def all_cases() -> list[Case]:
    """Each text of the modules of cases, for each pair of dialects that it is there for."""
    found: dict[Case, None] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(cases.__path__)):
        content = vars(importlib.import_module(f"{cases.__name__}.{module}"))
        for name, texts_of_pairs in content.items():
            if name.isupper() and isinstance(texts_of_pairs, dict):
                for pair, texts in texts_of_pairs.items():
                    if isinstance(pair, tuple):
                        found |= dict.fromkeys(Case(module, pair, text) for text in texts)
    return list(found)


def outcomes_of(case: Case) -> list[Outcome]:
    """What is made of the constructs of a case."""
    found = translated(case.query, *case.pair)
    query = read_typed(QueryText(case.query, case.pair[0]), DATABASE, _TABLES)
    if found.text is None:
        return list(_refused(case, query, found))
    if not case.is_query:
        node = query.tree.selects[1]
        status = _status(case, found, 1)
        return [Outcome(case.pair, name_of(node, query), case.module, status, is_simple=is_simple(node))]
    return [*_of_clauses(case, query, found), *_of_calls(case, query, found)]


def _status(case: Case, found: Translation, at: int) -> str:
    """What became of an output."""
    if found.status is Status.UNCHANGED:
        return "same"
    written, made = outputs(case.query, case.pair[0]), outputs(found.text or "", case.pair[1])
    return "same" if len(written) == len(made) and same_wording(written[at], made[at]) else "rewritten"


def _refused(case: Case, query: TypedQuery, found: Translation) -> Iterator[Outcome]:
    for finding in found.refusals:
        name, family = name_of_construct(finding.construct, case.query), case.module
        if name is None and case.is_query:
            name, family = next(iter(clauses_of(query.tree, case.query)), None), "clauses"
        if name is None:
            name, family = name_of(query.tree.selects[-1], query), case.module
        yield Outcome(case.pair, name, family, "refused", finding.reason.code)


def _of_clauses(case: Case, query: TypedQuery, found: Translation) -> Iterator[Outcome]:
    text = found.text or ""
    kept = clauses_of(parse_one(text, read=case.pair[1]), text)
    for name in clauses_of(query.tree, case.query):
        status = "same" if found.status is Status.UNCHANGED or name in kept else "rewritten"
        yield Outcome(case.pair, name, "clauses", status)


def _of_calls(case: Case, query: TypedQuery, found: Translation) -> Iterator[Outcome]:
    """Aggregates and windows among the outputs."""
    for at, node in enumerate(query.tree.selects):
        name = name_of(node, query)
        if isinstance(unwrapped(node), exp.Window) or name in AGGREGATES:
            yield Outcome(case.pair, name, case.module, _status(case, found, at), is_simple=is_simple(node))
