"""A query of Hive or Spark with types, written as a query of Trino."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hive_views.analysis.tree import TypedQuery
from hive_views.hive.row import Column
from hive_views.translation.reading_nodes import read_call, shown, start_of
from hive_views.translation.to_trino import expressions
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.mapped_calls import called_function
from hive_views.translation.to_trino.queries import of_query
from hive_views.translation.to_trino.terms import Term
from hive_views.translation.translation_findings import Findings, Kind, Reason, RefusedError
from hive_views.translation.user_functions import UserFunction, unknown_function

_LONGEST = 100_000
_TOO_LONG = Reason("too-long", Kind.UNSUPPORTED, f"in Trino it has more than {_LONGEST:,} characters")


class Compiler:
    """The translation of one query: see ``terms.Compiling`` and ``queries.Queries``."""

    def __init__(self, query: TypedQuery, functions: Mapping[str, UserFunction], findings: Findings) -> None:
        self.query = query
        self._functions = functions
        self.source: str = query.text.dialect
        self._findings = findings
        self._terms: dict[int, Term] = {}

    def term(self, node: Any) -> Term:
        """See ``Compiling.term``."""
        # Rules ask for a part of theirs several times, and so do those of its parts.
        found = self._terms.get(id(node))
        if found is None:
            found = self._terms[id(node)] = self._compiled(node)
            # Some rules write a part of theirs twice, which doubles with each level.
            if len(found.sql) > _LONGEST:
                raise self.refused(node, _TOO_LONG)
        return found

    def _compiled(self, node: Any) -> Term:
        rule = expressions.NODES.get(type(node))
        if rule is not None:
            return rule(node, self)
        call = read_call(node, self.query.text)
        if call is None:
            raise self.refused(node, reasons.NOT_KNOWN)
        if call.name in self._functions:
            return called_function(call, self._functions[call.name], self)
        call_rule = expressions.CALLS.get(call.name)
        if call_rule is None:
            raise self.refused(
                node, unknown_function(call.name, self.source) or reasons.NO_RULE_FOR_FUNCTION.because(call.name)
            )
        return call_rule(call, self)

    def converted(self, node: Any, type_: str) -> Term:
        """See ``Compiling.converted``."""
        return expressions.converted(node, type_, self)

    def type_of(self, node: Any) -> str:
        """See ``Compiling.type_of``."""
        derived = self.query.type_of(node)
        found = derived.hive if self.source == "hive" else derived.spark
        if found is None:
            raise self.refused(node, reasons.UNKNOWN_TYPE.because(derived.why) if derived.why else reasons.UNKNOWN_TYPE)
        return found

    def subquery(self, node: Any) -> str:
        """See ``Compiling.subquery``."""
        return of_query(node, self, None)

    def report(self, node: Any, reason: Reason) -> None:
        """See ``Compiling.report``."""
        self._findings.report(reason, shown(node, self.source), start_of(node))

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """See ``Compiling.refused``."""
        return self._findings.refused(reason, shown(node, self.source), start_of(node))

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Ends a refusal inside, so that all findings of a query are found at once; there is no text in the end."""
        with suppress(RefusedError):
            yield


def compile_to_trino(
    query: TypedQuery,
    columns: Sequence[Column] | None,
    functions: Mapping[str, UserFunction],
    findings: Findings,
) -> str | None:
    """The query in Trino; None where it is refused, for reasons that are in ``findings`` then.

    Args:
        query: of Hive or Spark.
        columns: names and types of the view's columns, which its outputs then have; by default those of the query.
        functions: those of users, by the names that the text may call them by.
        findings: to which is added what is found.
    """
    compiler = Compiler(query, functions, findings)
    with compiler.going_on():
        text = of_query(query.tree, compiler, columns)
        return None if findings.refuses else text
    return None
