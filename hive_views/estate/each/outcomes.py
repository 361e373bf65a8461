"""The outcome of a verb for each view, and continuing after a view that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

from hive_views.errors import HiveViewsError
from hive_views.messages.counted import counted
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

    def document(self) -> dict[str, Any]:
        """The outcome as JSON holds it."""
        error_type = type(self.error).__name__ if self.error else None
        return {
            "identifier": self.view,
            "state": self.state.value,
            "reason": self.reason,
            "error_type": error_type,
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

    def word_for(self, state: State) -> str:
        """A state in words, as in "adopted", "would be adopted" or "left"."""
        words = {State.DONE: self.verb, State.PLANNED: f"would be {self.verb}"}
        return words.get(state, state.value.replace("_", " "))

    def summary(self) -> str:
        """How many views are in which state, in one sentence."""
        if not self.outcomes:
            return f"There was nothing to be {self.verb}."
        counts = Counter(one.state for one in self.outcomes)
        parts = [f"{counts[state]:,} {self.word_for(state)}" for state in State if counts[state]]
        return f"{counted(len(self.outcomes), 'view')}: {', '.join(parts)}."

    def document(self) -> dict[str, Any]:
        """All outcomes as JSON holds them."""
        counts = Counter(one.state.value for one in self.outcomes)
        return {
            "verb": self.verb,
            "dry_run": self.dry_run,
            "counts": dict(counts),
            "views": [one.document() for one in self.outcomes],
        }

    def _repr_html_(self) -> str:
        # Of many, only the first are shown.
        ordered = sorted(self.outcomes, key=lambda one: one.state not in (State.FAILED, State.NOT_TRIED))
        rows = [(one.view, badge(self.word_for(one.state), _TONES[one.state]), one.reason or "") for one in ordered]
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
