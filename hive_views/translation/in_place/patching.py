"""The author's text with edits, for the other one of Hive and Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree import TypedQuery
from hive_views.hive.row import Column
from hive_views.sql.text_edits import Edit, edited
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place import kinds_of_nodes as nodes
from hive_views.translation.in_place import known_functions as functions
from hive_views.translation.in_place.named_outputs import name_outputs
from hive_views.translation.in_place.only_in_one import edits_for_target, refuse_names
from hive_views.translation.in_place.text_places import NoPlaceError, Places
from hive_views.translation.reading_nodes import read_call, shown, start_of
from hive_views.translation.translation_findings import Findings, Reason, RefusedError
from hive_views.translation.user_functions import UserFunction


def edit_in_place(
    query: TypedQuery,
    columns: Sequence[Column] | None,
    functions: Mapping[str, UserFunction],
    findings: Findings,
) -> str | None:
    """The text for the other engine; None where it is refused, for reasons that are in ``findings`` then."""
    patcher = Patcher(query, functions, findings)
    with suppress(RefusedError):
        refuse_names(patcher)
    with suppress(RefusedError):
        name_outputs(patcher, columns)
    patcher.visit(query.tree)
    if findings.refuses:
        return None
    with suppress(RefusedError):
        return edits_for_target(patcher)
    return None


class Patcher:
    """The edits of one text: see ``patching_rules.Patching``."""

    def __init__(self, query: TypedQuery, functions: Mapping[str, UserFunction], findings: Findings) -> None:
        self.query = query
        self._own = functions
        self.source: str = query.text.dialect
        self.target = "spark" if self.source == "hive" else "hive"
        self.places = Places(query.text, query.tree)
        self._closing: list[Edit] = []
        self._aliases: list[Edit] = []
        self._others: list[Edit] = []
        self._findings = findings
        self._settled: set[int] = set()

    @property
    def all_edits(self) -> list[Edit]:
        """All edits; of those at one place, in the order in which their texts follow."""
        return list(dict.fromkeys([*self._closing, *self._aliases, *self._others]))

    @property
    def text(self) -> str:
        """The text with all edits."""
        return edited(str(self.query.text), self.all_edits)

    def type_of(self, node: Any) -> DerivedType:
        """See ``Patching.type_of``."""
        return self.query.type_of(node)

    def kind(self, node: Any) -> str:
        """See ``Patching.kind``."""
        derived = self.type_of(node)
        type_ = derived.hive if self.source == "hive" else derived.spark
        return (type_ or "").partition("(")[0].partition("<")[0]

    def edit(self, edit: Edit) -> None:
        """See ``Patching.edit``."""
        self._others.append(edit)

    def wrap(self, start: int, end: int, before: str, behind: str) -> None:
        """See ``Patching.wrap``."""
        self._others.insert(0, Edit(start, start, before))
        self._closing.append(Edit(end, end, behind))

    def alias(self, edit: Edit) -> None:
        """Put an alias behind an expression."""
        self._aliases.append(edit)

    def report_at(self, reason: Reason, construct: str, start: int) -> None:
        """Record a finding about a part of the text of which no node is known."""
        self._findings.report(reason, _short(construct), start)

    def refused_at(self, reason: Reason, construct: str, start: int) -> RefusedError:
        """Likewise; what is raised then."""
        return self._findings.refused(reason, _short(construct), start)

    def settle(self, node: Any) -> None:
        """See ``Patching.settle``."""
        self._settled.add(id(node))

    def is_settled(self, node: Any) -> bool:
        """See ``Patching.is_settled``."""
        return id(node) in self._settled

    def report(self, node: Any, reason: Reason) -> None:
        """See ``Patching.report``."""
        self._findings.report(reason, shown(node, self.source), start_of(node))

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """See ``Patching.refused``."""
        return self._findings.refused(reason, shown(node, self.source), start_of(node))

    def visit(self, root: exp.Expr) -> None:
        """Apply the rules to a part of the tree, and all parts of it."""
        ahead: list[Any] = [root]
        values: list[Any] = []
        while ahead:
            node = ahead.pop()
            parts: Any = None
            try:
                parts = self._apply(node, values)
            except RefusedError:
                pass
            except NoPlaceError:
                self.report(node, reasons.NOT_KNOWN)
            ahead += reversed(list(node.iter_expressions()) if parts is None else parts)
        for node in values:
            with suppress(RefusedError):
                nodes.check_type(node, self)

    def _apply(self, node: Any, values: list[Any]) -> Any:
        rule = nodes.rule_of(node)
        if rule is not None:
            parts = rule(node, self)
            if type(node) in nodes.VALUES:
                values.append(node)
            return parts
        call = read_call(node, str(self.query.text))
        if call is None:
            raise self.refused(node, reasons.NOT_KNOWN)
        if call.name in self._own:
            functions.call_other(call, self._own[call.name], self)
        else:
            functions.apply(call, self)
        values.append(node)
        return call.arguments


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:60]}..."
