"""A query of Trino, written as a query of Hive or Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from typing import Any

from hive_views.analysis.tree import TypedQuery
from hive_views.hive.row import Column
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino import value_rules
from hive_views.translation.from_trino.named_sources import Named, Names
from hive_views.translation.from_trino.query_rules import whole_query
from hive_views.translation.from_trino.target_terms import Term
from hive_views.translation.reading_nodes import read_call, shown, start_of
from hive_views.translation.translation_findings import Findings, Kind, Reason, RefusedError

_LONGEST = 100_000
_TOO_LONG = Reason("too-long", Kind.UNSUPPORTED, f"in the other dialect it has more than {_LONGEST:,} characters")


class Compiler:
    """The translation of one query: see ``target_terms.Compiling`` and ``made_queries.Queries``."""

    def __init__(self, query: TypedQuery, target: str, findings: Findings) -> None:
        self.query = query
        self.target = target
        self.names = Names()
        self.definitions: Mapping[str, tuple[Named, ...]] = {}
        self._findings = findings
        self._terms: dict[int, Term] = {}

    def within(self, names: Names) -> Compiler:
        """See ``Queries.within``."""
        inside = copy(self)
        inside.names = names
        return inside

    def defining(self, name: str, columns: tuple[Named, ...]) -> Compiler:
        """See ``Queries.defining``."""
        inside = copy(self)
        inside.definitions = {**self.definitions, name: columns}
        return inside

    def term(self, node: Any) -> Term:
        """See ``Compiling.term``."""
        # Rules ask for a part of theirs several times, and so do those of its parts.
        known = self._terms.get(id(node))
        if known is not None:
            return known
        found = self._terms[id(node)] = self._compiled(node)
        # Some rules write a part of theirs twice, which doubles with each level.
        if len(found.sql) > _LONGEST:
            raise self.refused(node, _TOO_LONG)
        return found

    def _compiled(self, node: Any) -> Term:
        rule = value_rules.NODES.get(type(node))
        if rule is not None:
            return rule(node, self)
        call = read_call(node, self.query.text)
        if call is None:
            raise self.refused(node, reasons.NOT_KNOWN)
        call_rule = value_rules.CALLS.get(call.name)
        if call_rule is None:
            raise self.refused(node, reasons.NO_RULE_FOR_FUNCTION.because(call.name))
        return call_rule(call, self)

    def report(self, node: Any, reason: Reason) -> None:
        """See ``Compiling.report``."""
        self._findings.report(reason, shown(node, "trino"), start_of(node))

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """See ``Compiling.refused``."""
        return self._findings.refused(reason, shown(node, "trino"), start_of(node))

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """See ``Queries.going_on``."""
        with suppress(RefusedError):
            yield


def compile_from_trino(
    query: TypedQuery, columns: Sequence[Column] | None, findings: Findings, *, target: str
) -> str | None:
    """The query in Hive or Spark; None where it is refused, for reasons that are in ``findings`` then.

    Args:
        query: of Trino.
        columns: names and types of the view's columns, which its outputs then have; by default those of the query.
        findings: to which is added what is found.
        target: ``hive`` or ``spark``.
    """
    compiler = Compiler(query, target, findings)
    with compiler.going_on():
        text = whole_query(query.tree, compiler, columns)
        if findings.refuses:
            return None
        if target == "hive":
            try:
                read_query(text)
            except NotHiveError as error:
                raise compiler.refused(query.tree, reasons.NOT_HIVE.because(str(error))) from None
        return text
    return None
