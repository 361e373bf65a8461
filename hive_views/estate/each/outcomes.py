"""The outcome of a verb for each view, and continuing after a view that failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

from hive_views.errors import HiveViewsError
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of
from hive_views.messages.html import Tone, badge, html_table
from hive_views.messages.logs import logger_of
from hive_views.messages.notebooks import with_progress_bar
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import fetch_ahead
from hive_views.storage.object_stores import object_store_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import gives_no_answer

log = logger_of(__name__)

# A view that is written waits for an object store several times, one after the other.
_WRITTEN_AT_ONCE = 8
_Item = TypeVar("_Item")
# Of more views that are alike, only these are named; JSON has them all.
NAMES_TOLD = 10
_NAME = re.compile(r"\b\w+\.(\w+)\b")


class State(str, Enum):
    """How a verb ended for one view."""

    DONE = "done"
    PLANNED = "planned"
    """It would be done; of a dry run."""
    UNCHANGED = "unchanged"
    """There was nothing to do, as after an earlier run."""
    LEFT = "left"
    """The verb is not for it, for the reason that is given."""
    FAILED = "failed"
    """It could not be done, for the reason that is given; a later run may do it."""
    NOT_TRIED = "not_tried"
    """The metastore went away before it."""


_TONES: Mapping[State, Tone] = {
    State.DONE: "good",
    State.PLANNED: "new",
    State.UNCHANGED: "soft",
    State.LEFT: "soft",
    State.FAILED: "bad",
    State.NOT_TRIED: "bad",
}


@dataclass(frozen=True)
class Outcome:
    """The outcome for one view.

    Attributes:
        view: ``namespace.name``.
        state: how it ended.
        reason: for a view that was left, failed or was not tried, why; otherwise what was done, if there is something
            to say. Whole sentences.
        error: why it failed; None for the others.
        details: what a verb reports besides, as values that JSON has.
    """

    view: str
    state: State
    reason: str | None = None
    error: HiveViewsError | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_failed(self) -> bool:
        """Whether it failed, or was not tried."""
        return self.state in (State.FAILED, State.NOT_TRIED)

    @property
    def error_type(self) -> str | None:
        """The name of the class of the error; None if there is none."""
        return type(self.error).__name__ if self.error else None

    @property
    def likeness(self) -> tuple[State, str | None, str]:
        """What two outcomes have in common that differ in the names and files of their views only."""
        name = self.view.rpartition(".")[2]
        reason = " ".join("FILE" if "/" in word else word for word in (self.reason or "").split())
        reason = _NAME.sub(lambda found: "NAME" if found[1] == name else found[0], reason)
        return self.state, self.error_type, reason

    def document(self) -> dict[str, Any]:
        """The outcome as JSON holds it."""
        return {
            "identifier": self.view,
            "state": self.state.value,
            "reason": self.reason,
            "error_type": self.error_type,
            **self.details,
        }


@dataclass(frozen=True)
class Outcomes(Sequence[Outcome]):
    """The outcomes of a verb in the order of the views; a notebook shows them as a table.

    Attributes:
        verb: what was done, as in "adopted".
        outcomes: one for each view.
        dry_run: whether nothing was written.
    """

    verb: str
    outcomes: tuple[Outcome, ...]
    dry_run: bool = False

    def __getitem__(self, index: Any) -> Any:
        return self.outcomes[index]

    def __len__(self) -> int:
        return len(self.outcomes)

    def of(self, state: State) -> tuple[Outcome, ...]:
        """Those in this state."""
        return tuple(one for one in self.outcomes if one.state is state)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """Those that failed, and those that were not tried."""
        return (*self.of(State.FAILED), *self.of(State.NOT_TRIED))

    def alike(self) -> list[tuple[Outcome, ...]]:
        """The outcomes as people are told them: many that are alike as one, the others each; failed ones last."""
        groups: dict[tuple[State, str | None, str], list[Outcome]] = {}
        for one in self.outcomes:
            groups.setdefault(one.likeness, []).append(one)
        many = sorted((tuple(group) for group in groups.values() if len(group) > NAMES_TOLD), key=len)
        each = [(one,) for one in self.outcomes if len(groups[one.likeness]) <= NAMES_TOLD]
        done, failed = ([group for group in [*many, *each] if group[0].has_failed is ended] for ended in (False, True))
        return [*done, *sorted(failed, key=len)]

    @property
    def errors(self) -> dict[str, int]:
        """How many views failed by which class of error, the most frequent first."""
        return dict(Counter(one.error_type for one in self.of(State.FAILED) if one.error_type).most_common())

    def word_for(self, state: State) -> str:
        """A state in words, as in "adopted", "would be adopted" or "left"."""
        words = {State.DONE: self.verb, State.PLANNED: f"would be {self.verb}"}
        return words.get(state, state.value.replace("_", " "))

    def summary(self) -> str:
        """How many views are in which state, and by which errors views failed, in one sentence."""
        if not self.outcomes:
            return f"There was nothing to be {self.verb}."
        counts = Counter(one.state for one in self.outcomes)
        words = {state: f"{counts[state]:,} {self.word_for(state)}" for state in State if counts[state]}
        if errors := self.errors:
            is_all = max(errors.values()) == counts[State.FAILED]
            shown = ", ".join(error if is_all else f"{number:,} {error}" for error, number in errors.items())
            words[State.FAILED] += f" ({shown})"
        return f"{counted(len(self.outcomes), 'view')}: {', '.join(words.values())}."

    def document(self) -> dict[str, Any]:
        """All outcomes as JSON holds them."""
        counts = Counter(one.state.value for one in self.outcomes)
        return {
            "verb": self.verb,
            "dry_run": self.dry_run,
            "counts": dict(counts),
            "errors": self.errors,
            "views": [one.document() for one in self.outcomes],
        }

    def _repr_html_(self) -> str:
        # Of many rows a notebook hides the last: what failed is first.
        rows = [
            (
                first_of([one.view for one in alike], NAMES_TOLD),
                badge(self.word_for(alike[0].state), _TONES[alike[0].state]),
                alike[0].reason or "",
            )
            for alike in sorted(self.alike(), key=lambda alike: not alike[0].has_failed)
        ]
        return html_table(self.summary(), ("view", "state", "reason"), rows)


def in_sentences(*parts: str | None) -> str | None:
    """A reason of several sentences, of which some may be wanting; None where all are."""
    return " ".join(filter(None, parts)) or None


OnOutcome = Callable[[Outcome, int, int], None]
"""Called with each outcome as soon as it is known, how many there are so far, and the total."""


def ignore(_: Outcome, __: int, ___: int) -> None:
    """What is done with an outcome where nobody wants to see it at once."""


def with_bar(items: Iterable[_Item], total: int, on_outcome: OnOutcome) -> Iterable[_Item]:
    """The items, with a progress bar in a notebook, unless the caller wants to see the outcomes."""
    return with_progress_bar(items, total, "view") if on_outcome is ignore else items


def is_unreachable(error: HiveViewsError, *catalogs: ViewCatalog) -> bool:
    """Whether the metastore cannot be asked any more; one that answers with an error fails a single view by it.

    Args:
        error: what a call ended with.
        catalogs: those that may have been called. Where no answer came, their metastores are asked for something that
            is cheap: if they answer, it was that one call which took too long. Without any, it is not looked at again.
    """
    return gives_no_answer(error) and not (catalogs and all(map(_answers, catalogs)))


def _answers(catalog: ViewCatalog) -> bool:
    try:
        catalog.list_namespaces()
    except HiveViewsError:
        return False
    return True


def each(
    items: Sequence[_Item],
    name_of: Callable[[_Item], str],
    do: Callable[[_Item], Outcome],
    on_outcome: OnOutcome,
    *catalogs: ViewCatalog,
    unreadable: Mapping[TableIdentifier, HiveViewsError] = MappingProxyType({}),
    at_once: int = 1,
) -> tuple[Outcome, ...]:
    """One outcome for each item, in their order; an error of this library is the outcome of its item.

    Where the metastore is gone, the rest is not tried: each would wait for it in vain.

    Args:
        items: what the verb is for.
        name_of: their names.
        do: what is done with each.
        on_outcome: called with each outcome as soon as it is known.
        catalogs: those that are asked; where one gives no answer to what was done with an item, but to another
            question, that item alone has failed.
        unreadable: views that failed already, since their rows cannot be read; they come first.
        at_once: with how many something is done at the same time, in threads.
    """
    failed = (Outcome(str(name), State.FAILED, str(error), error) for name, error in unreadable.items())
    outcomes: list[Outcome] = []
    total = len(unreadable) + len(items)
    for outcome in with_bar(chain(failed, _each(items, name_of, do, catalogs, at_once)), total, on_outcome):
        outcomes.append(outcome)
        on_outcome(outcome, len(outcomes), total)
    return tuple(outcomes)


def written_at_once(locations: Iterable[str]) -> int:
    """How many views whose files are at these locations are written at the same time: several on an object store."""
    return _WRITTEN_AT_ONCE if any(map(object_store_of, locations)) else 1


def _each(
    items: Sequence[_Item],
    name_of: Callable[[_Item], str],
    do: Callable[[_Item], Outcome],
    catalogs: Sequence[ViewCatalog],
    at_once: int,
) -> Iterator[Outcome]:
    gone: list[HiveViewsError] = []

    def outcome_of(item: _Item) -> Outcome:
        name = name_of(item)
        if gone:
            return Outcome(name, State.NOT_TRIED, f"The metastore does not respond: {gone[0]}", gone[0])
        try:
            return do(item)
        except HiveViewsError as error:
            log.debug("%s failed", name, exc_info=error)
            if is_unreachable(error, *catalogs):
                gone.append(error)
            return Outcome(name, State.FAILED, str(error), error)

    return map(outcome_of, items) if at_once == 1 else fetch_ahead(outcome_of, items, at_once)
