"""What a rule is, and how rules compose."""

from __future__ import annotations

import importlib
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest, Need, Observations, TableReference
from hive_views.readiness.rule_expressions import call_text, function_name, shown, value_text
from hive_views.readiness.rules.truth import HOLDS, Judged, Truth, all_hold, fails, one_holds

_FUNCTION = re.compile(r"\w+(?:\.\w+)*:\w+(?:\.\w+)*")

Waiting = dict[Candidate, tuple[str, ...]]
"""Why, for each candidate that is not ready."""


class Rule(ABC):
    """A condition for a partition of a view to be declared; rules compose with ``&``, ``|`` and ``~``.

    ``repr`` is the Python expression that makes it, and rules are equal that are written the same.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        try:
            return self.written()
        except RecursionError:
            raise InvalidInputError(
                "This rule is nested too deeply to be written: compose fewer rules inside each other, or write several."
            ) from None

    @abstractmethod
    def written(self) -> str:
        """The Python expression that makes this rule."""

    def __and__(self, other: Rule) -> Rule:
        return all_of(self, other)

    def __or__(self, other: Rule) -> Rule:
        return any_of(self, other)

    def __invert__(self) -> Rule:
        return negate(self)

    @property
    def is_costly(self) -> bool:
        """Whether it is asked last, and only about what may still become ready: it reads more than listings."""
        return False

    @abstractmethod
    def requirements(self) -> Iterator[TableRule]:
        """All conditions on tables inside this rule."""

    def naming(self) -> Iterator[TableRule]:
        """Those whose tables say which partitions of the view there may be."""
        return self.requirements()

    @abstractmethod
    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        """Add what must be read beyond the listings to judge these candidates."""

    @abstractmethod
    def waiting(self, candidates: Sequence[Candidate], observed: Observations) -> Waiting:
        """Which of the candidates are not ready, and why; all others are."""

    @abstractmethod
    def truth(self, of: Callable[[SimpleRule], Truth]) -> Truth:
        """What follows of the rule where this is known of its conditions."""

    @abstractmethod
    def negated(self) -> Rule:
        """The rule that is ready when this one certainly is not."""


class SimpleRule(Rule):
    """A rule that does not consist of others."""

    @abstractmethod
    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        """What says of a candidate whether the condition holds, and if it does not, why."""

    @abstractmethod
    def held(self, candidate: Candidate, observed: Observations) -> str:
        """That the condition holds, for people."""

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        pass

    def waiting(self, candidates: Sequence[Candidate], observed: Observations) -> Waiting:
        judge = self.judge(observed)
        judged = ((candidate, judge(candidate)) for candidate in candidates)
        return {candidate: (one.reason,) for candidate, one in judged if one.truth is not Truth.YES}

    def truth(self, of: Callable[[SimpleRule], Truth]) -> Truth:
        return of(self)

    def negated(self) -> Rule:
        return Negation(self)


class TableRule(SimpleRule):
    """A condition on one table."""

    table: str
    format: str | None

    def requirements(self) -> Iterator[TableRule]:
        yield self

    @property
    @abstractmethod
    def needs(self) -> Need | None:
        """What the table must report beside its partitions."""

    def tables(self) -> Iterator[TableReference]:
        """All tables that it is about; others only say what is expected of the one."""
        yield TableReference(self.table, self.format, self.needs)


@dataclass(frozen=True, eq=False, repr=False)
class Negation(Rule):
    """Ready when a condition certainly does not hold."""

    rule: SimpleRule

    def written(self) -> str:
        return call_text("negate", self.rule)

    @property
    def is_costly(self) -> bool:
        return self.rule.is_costly

    def requirements(self) -> Iterator[TableRule]:
        return self.rule.requirements()

    def naming(self) -> Iterator[TableRule]:
        # What a table must not have names no partition that could become ready.
        yield from ()

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        self.rule.request_details(candidates, observed, request)

    def waiting(self, candidates: Sequence[Candidate], observed: Observations) -> Waiting:
        judge = self.rule.judge(observed)
        waiting: Waiting = {}
        for candidate in candidates:
            judged = judge(candidate)
            if judged.truth is Truth.YES:
                waiting[candidate] = (self.rule.held(candidate, observed),)
            elif judged.truth is Truth.UNKNOWN:
                waiting[candidate] = (judged.reason,)
        return waiting

    def truth(self, of: Callable[[SimpleRule], Truth]) -> Truth:
        return ~of(self.rule)

    def negated(self) -> Rule:
        return self.rule


@dataclass(frozen=True, eq=False, repr=False)
class _Composition(Rule):
    rules: tuple[Rule, ...]

    @property
    def is_costly(self) -> bool:
        return any(rule.is_costly for rule in self.rules)

    def requirements(self) -> Iterator[TableRule]:
        for rule in self.rules:
            yield from rule.requirements()

    def naming(self) -> Iterator[TableRule]:
        for rule in self.rules:
            yield from rule.naming()

    def _by_cost(self) -> Iterable[Rule]:
        return sorted(self.rules, key=lambda rule: rule.is_costly)


@dataclass(frozen=True, eq=False, repr=False)
class AllOf(_Composition):
    """Ready when each of the rules holds. Made by ``all_of``."""

    def written(self) -> str:
        return call_text("all_of", *self.rules)

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        if self.is_costly:
            still = list(candidates)
            for rule in self._by_cost():
                if rule.is_costly:
                    rule.request_details(still, observed, request)
                else:
                    waiting = rule.waiting(still, observed)
                    still = [one for one in still if one not in waiting]

    def waiting(self, candidates: Sequence[Candidate], observed: Observations) -> Waiting:
        waiting: Waiting = {}
        for rule in self._by_cost():
            # What was not asked for is unknown, and a function may be expensive.
            judged = [one for one in candidates if one not in waiting] if rule.is_costly else candidates
            for candidate, reasons in rule.waiting(judged, observed).items():
                waiting[candidate] = (*waiting.get(candidate, ()), *reasons)
        return waiting

    def truth(self, of: Callable[[SimpleRule], Truth]) -> Truth:
        return all_hold(rule.truth(of) for rule in self.rules)

    def negated(self) -> Rule:
        return any_of(*[rule.negated() for rule in self.rules])


@dataclass(frozen=True, eq=False, repr=False)
class AnyOf(_Composition):
    """Ready when one of the rules holds. Made by ``any_of``."""

    def written(self) -> str:
        return call_text("any_of", *self.rules)

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        if self.is_costly:
            still = list(candidates)
            for rule in self._by_cost():
                if rule.is_costly:
                    rule.request_details(still, observed, request)
                else:
                    still = list(rule.waiting(still, observed))

    def waiting(self, candidates: Sequence[Candidate], observed: Observations) -> Waiting:
        waiting: Waiting = dict.fromkeys(candidates, ())
        for rule in self._by_cost():
            still = rule.waiting(list(waiting), observed)
            waiting = {one: (*waiting[one], " and ".join(reasons)) for one, reasons in still.items()}
        return {candidate: (", or ".join(reasons),) for candidate, reasons in waiting.items()}

    def truth(self, of: Callable[[SimpleRule], Truth]) -> Truth:
        return one_holds(rule.truth(of) for rule in self.rules)

    def negated(self) -> Rule:
        return all_of(*[rule.negated() for rule in self.rules])


@dataclass(frozen=True, eq=False, repr=False)
class When(SimpleRule):
    """Ready when a function says so. Made by ``when``."""

    function: Callable[[Mapping[str, Any]], bool | str]
    reason: str

    def written(self) -> str:
        name = function_name(self.function)
        reason = None if self.reason == _reason_of(self.function) else self.reason
        if name:
            return call_text("when", name, reason=reason)
        return f"when(<{_name_of(self.function)} at {id(self.function):#x}>, reason={value_text(reason)})"

    @property
    def is_costly(self) -> bool:
        return True

    def requirements(self) -> Iterator[TableRule]:
        yield from ()

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        def judged(candidate: Candidate) -> Judged:
            answer = self.function(observed.typed(candidate))
            if answer is None:
                raise InvalidInputError(
                    f"{_name_of(self.function)}, given to when(), returned None: it must return True, False, or why "
                    f"the partition waits."
                )
            return fails(answer or self.reason) if isinstance(answer, str) or not answer else HOLDS

        return judged

    def held(self, candidate: Candidate, observed: Observations) -> str:  # noqa: ARG002 - the same for all
        return f"{_name_of(self.function)} says that it is ready"


def all_of(*rules: Rule) -> Rule:
    """Ready when all the rules hold. A function in ``when`` is only asked about what the others let pass, and so are
    statistics, marks and commits.
    """
    return _combined("all_of", rules) or AllOf(_flat(AllOf, rules))


def any_of(*rules: Rule) -> Rule:
    """Ready when one of the rules holds; those that need more than the tables' partitions are asked last."""
    return _combined("any_of", rules) or AnyOf(_flat(AnyOf, rules))


def negate(rule: Rule) -> Rule:
    """Ready when the rule certainly does not hold; unknown state blocks publication, negated or not.

    The tables of a negated rule do not name candidates.

    Raises:
        InvalidInputError: it is no rule.
    """
    _combined("negate", (rule,))
    return rule.negated()


def when(function: Callable[[Mapping[str, Any]], bool | str] | str, *, reason: str | None = None) -> Rule:
    """Ready when the function says so.

    Args:
        function: given the values of the view's partition by column, typed as the column (int, date, Decimal, str,
            ...); returns True, False, or why the partition waits. What it raises ends the run before anything is
            declared. A function of a module may be given by its name, ``"package.module:function"``, and is imported.
        reason: why a partition waits for which it returns False.

    Raises:
        InvalidInputError: it is no function, or cannot be imported.
    """
    if isinstance(function, str):
        function = _imported(function)
    if not callable(function):
        raise InvalidInputError(f"when() takes a function of the partition's values, not {shown(function)}.")
    if not isinstance(reason, (str, type(None))):
        raise InvalidInputError(f"when() takes a string as reason, not {shown(reason)}.")
    return When(function, reason or _reason_of(function))


def _combined(name: str, rules: tuple[Rule, ...]) -> Rule | None:
    """The rule itself if it is the only one. InvalidInputError: there is none, or something else among them."""
    if not rules or not all(isinstance(rule, Rule) for rule in rules):
        raise InvalidInputError(
            f"{name}() takes one or more rules, made with requires(), when(), all_of() or any_of(); not {shown(rules)}."
        )
    return rules[0] if len(rules) == 1 else None


def _flat(of: type[_Composition], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, with compositions of this kind replaced by their parts: a chain of ``&`` is one."""
    return tuple([part for rule in rules for part in (rule.rules if isinstance(rule, of) else (rule,))])


def _imported(name: str) -> Callable[..., Any]:
    if not _FUNCTION.fullmatch(name):
        raise InvalidInputError(f"A function is written 'package.module:function', not {shown(name)}.")
    module, _, path = name.partition(":")
    try:
        found: Callable[..., Any] = operator.attrgetter(path)(importlib.import_module(module))
    except (ImportError, AttributeError) as error:
        raise InvalidInputError(f"Cannot import the function {shown(name)}: {error}.") from error
    return found


def _reason_of(function: Callable[..., Any]) -> str:
    return f"{_name_of(function)} says that it is not ready"


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or type(function).__name__
