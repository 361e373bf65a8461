"""The verbs that write, as the matrix of faults needs them: what is there before, the call, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

import hive_views.views.partitions.batches
from hive_views.errors import HiveViewsError, PartitionAlreadyExistsError
from hive_views.estate.adopting import adopt, hand_back
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.each.outcomes import Outcomes
from hive_views.hive.row import OWNER, VIRTUAL_VIEW, Column, Partition, Row
from hive_views.views.catalog import ViewCatalog
from tests.faults.world import COLUMNS, WIDER, WIDER_COLUMNS, Seen, State, World, a_text
from tests.support.views import foreign_writers

IN_A_BATCH = 2
"""Partitions that go in one call while the matrix runs."""
DECLARED = {"ds=2026-08-21": None, "ds=2026-08-22": None}
DAYS = [f"2026-09-0{day}" for day in range(1, 6)]
ADDED = dict.fromkeys((f"ds={day}" for day in DAYS), None)


@contextmanager
def in_small_batches() -> Iterator[None]:
    """Several calls for the partitions of one verb."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hive_views.views.partitions.batches, "BATCH", IN_A_BATCH)
        yield


def _register_over(world: World, catalog: ViewCatalog) -> object:
    return catalog.register_view(f"{world.namespace}.daily", world.files["daily"], overwrite=True)


@dataclass(frozen=True)
class Verb:
    """A verb on the view that has one of ``subjects`` as its name.

    ``effect`` is given what is there and how many of the ``steps`` were made: batches of partitions, else one.
    """

    name: str
    prepare: Callable[[World, ViewCatalog], object]
    run: Callable[[World, ViewCatalog], object]
    effect: Callable[[State, int], State]
    subjects: tuple[str, ...] = ("daily",)
    steps: int = 1
    partitions: bool = False
    reported: Callable[[HiveViewsError], int] = lambda error: 0
    """How many steps an error says were made before what failed."""
    ends_again: bool = False
    """Whether an error may leave some of the steps made, and running it again makes the rest."""
    go_on: Callable[[World, ViewCatalog], object] = _register_over
    """What another writer does to the view where it is a plain one then; it makes all steps of this verb."""

    def subject(self, state: State) -> str | None:
        """The name that the view has now."""
        return next((name for name in self.subjects if name in state), None)


def changed(state: State, name: str, **changes: object) -> State:
    return {**state, name: replace(state[name], **changes)}  # type: ignore[arg-type]


def without(state: State, name: str) -> State:
    return {other: seen for other, seen in state.items() if other != name}


def _daily(world: World, catalog: ViewCatalog) -> None:
    """A view with two versions, two partitions and somebody else's change; and another one of its own first file."""
    view = catalog.create_view(
        f"{world.namespace}.daily",
        sql={"hive": a_text(1)},
        schema=COLUMNS,
        partitioned_on=["ds"],
        properties={"version.history.num-entries": "100"},
    )
    last = catalog.replace_view(view.identifier, sql={"hive": a_text(2)}, properties={"earlier": "1"})
    world.files["daily"] = last.metadata_location
    catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])


def _daily_and_copy(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    catalog.register_view(f"{world.namespace}.copy", world.files["daily"])


def _dropped(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    catalog.drop_view(f"{world.namespace}.daily")


def _by_another_engine(world: World, change: Callable[[Row], Row]) -> None:
    row = world.row("daily")
    world.server.drop_row(row.identifier)
    world.server.create_row(change(row))


def _replaced_by_spark(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    _by_another_engine(world, lambda row: foreign_writers.spark_create_or_replace(row, a_text(7)))


def _altered_by_spark(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    row = world.row("daily")
    columns = (*row.columns, *row.partition_keys)
    world.server.swap_row(foreign_writers.spark_alter_view_as(row, a_text(7), columns), expected=None)


def _plain(world: World, catalog: ViewCatalog) -> None:
    """A view of Hive's with two partitions."""
    row = Row(
        world.identifier("daily"),
        VIRTUAL_VIEW,
        owner="ada",
        columns=(Column("user_id", "bigint"), Column("clicks", "int")),
        partition_keys=(Column("ds", "string"),),
        original_text=a_text(1),
        expanded_text=a_text(1),
        parameters={"team": "web"},
    )
    world.server.create_row(row)
    days = [Partition(values=(name.partition("=")[2],)) for name in DECLARED]
    world.server.add_partitions(row.identifier, days, if_not_exists=False)


def _released(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    _release(world, catalog)


def _adopt(world: World, catalog: ViewCatalog) -> None:
    _done(adopt(catalog, f"{world.namespace}.daily"))


def _release(world: World, catalog: ViewCatalog) -> None:
    _done(hand_back(catalog, f"{world.namespace}.daily"))


def _undrop(world: World, catalog: ViewCatalog) -> None:
    _done(undrop(catalog, f"{world.namespace}.daily"))


def _done(outcomes: Outcomes) -> None:
    """What befell the one view is raised, as a verb on one view does."""
    for failed in outcomes.failed:
        assert failed.error is not None
        raise failed.error


def _releasing(state: State, steps: int) -> State:
    return changed(state, "daily", history=(), interrupted=steps == 1) if steps else state


def _with_days(world: World, catalog: ViewCatalog) -> None:
    _daily(world, catalog)
    catalog.partitions(f"{world.namespace}.daily").add([{"ds": day} for day in DAYS])


def _without_its_partitions(world: World, catalog: ViewCatalog) -> None:
    _with_days(world, catalog)
    catalog.drop_view(f"{world.namespace}.daily")
    catalog.register_view(f"{world.namespace}.daily", world.files["daily"])


def _restored(state: State, steps: int) -> State:
    return _adding({**DECLARED, **ADDED})(state, steps)


def _adding(partitions: Mapping[str, str | None]) -> Callable[[State, int], State]:
    def effect(state: State, steps: int) -> State:
        seen = state["daily"]
        new = dict(list(partitions.items())[: steps * IN_A_BATCH])
        return changed(state, "daily", partitions={**seen.partitions, **new})

    return effect


def _dropping(state: State, steps: int) -> State:
    seen = state["daily"]
    gone = list(ADDED)[: steps * IN_A_BATCH]
    return changed(
        state, "daily", partitions={n: parameters for n, parameters in seen.partitions.items() if n not in gone}
    )


def _purging(state: State, steps: int) -> State:
    """It gets a name of its own first, and is dropped under that."""
    if steps and "daily" in state and "daily_dropped" not in state:
        state = {**without(state, "daily"), "daily_dropped": state["daily"]}
    return without(state, "daily_dropped") if steps > 1 else state


def _batches_reported(error: HiveViewsError) -> int:
    there = [*(error.added or error.dropped)]
    if isinstance(error, PartitionAlreadyExistsError):
        # Whoever added them: it is reported that they are there.
        there += error.partitions
    return -(-len(there) // IN_A_BATCH)


def _if_made(effect: Callable[[State], State]) -> Callable[[State, int], State]:
    return lambda state, steps: effect(state) if steps else state


def _of(state: State, name: str = "daily") -> Seen:
    return state[name]


_FIRST = Seen(a_text(1), (1,))
_LAST = Seen(a_text(2), (1, 2), {"version.history.num-entries": "100", "earlier": "1"})

VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb(
            "create",
            lambda world, catalog: None,
            lambda world, catalog: catalog.create_view(
                f"{world.namespace}.fresh", sql={"hive": a_text(1)}, schema=COLUMNS
            ),
            _if_made(lambda state: {**state, "fresh": _FIRST}),
            subjects=("fresh",),
        ),
        Verb(
            "register",
            _dropped,
            lambda world, catalog: catalog.register_view(f"{world.namespace}.daily", world.files["daily"]),
            _if_made(lambda state: {**state, "daily": _LAST}),
        ),
        Verb(
            "register over another view",
            _replaced_by_spark,
            _register_over,
            _if_made(lambda state: {**state, "daily": _LAST}),
        ),
        Verb(
            "replace",
            _daily,
            lambda world, catalog: catalog.replace_view(f"{world.namespace}.daily", sql={"hive": a_text(3)}),
            _if_made(
                lambda state: changed(state, "daily", text=a_text(3), history=(*_of(state).history, 3)),
            ),
        ),
        Verb(
            "replace with other columns",
            _daily,
            lambda world, catalog: catalog.replace_view(
                f"{world.namespace}.daily", sql={"hive": WIDER}, schema=WIDER_COLUMNS
            ),
            _if_made(lambda state: changed(state, "daily", text=WIDER, history=(*_of(state).history, 3))),
        ),
        Verb(
            "alter",
            _daily,
            lambda world, catalog: catalog.alter_view(f"{world.namespace}.daily", set_properties={"mine": "1"}),
            _if_made(lambda state: changed(state, "daily", properties={**_of(state).properties, "mine": "1"})),
        ),
        Verb(
            "roll back",
            _daily,
            lambda world, catalog: catalog.roll_back_view(f"{world.namespace}.daily", to_version=1),
            _if_made(lambda state: changed(state, "daily", text=a_text(1), history=(*_of(state).history, 1))),
        ),
        Verb(
            "rename",
            _daily_and_copy,
            lambda world, catalog: catalog.rename_view(f"{world.namespace}.daily", f"{world.namespace}.renamed"),
            _if_made(lambda state: {**without(state, "daily"), "renamed": _of(state)}),
            subjects=("daily", "renamed"),
        ),
        Verb(
            "drop",
            _daily_and_copy,
            lambda world, catalog: catalog.drop_view(f"{world.namespace}.daily"),
            _if_made(lambda state: without(state, "daily")),
        ),
        Verb(
            "drop with its files",
            _daily_and_copy,
            lambda world, catalog: catalog.drop_view(f"{world.namespace}.daily", purge=True),
            _purging,
            steps=2,
            reported=lambda error: int("_dropped_" in str(error.identifier)),
        ),
        Verb(
            "repair",
            _altered_by_spark,
            lambda world, catalog: catalog.repair_view(f"{world.namespace}.daily", on_drift="overwrite"),
            _if_made(lambda state: changed(state, "daily", drifted=False)),
        ),
        Verb(
            "adopt",
            _plain,
            _adopt,
            _if_made(
                lambda state: changed(state, "daily", history=(1,), properties={**_of(state).properties, OWNER: "ada"})
            ),
            go_on=_adopt,
        ),
        Verb("release", _daily, _release, _releasing, steps=2, ends_again=True, go_on=_release),
        Verb(
            "bring back",
            _released,
            _undrop,
            _if_made(lambda state: changed(state, "daily", history=(1, 2))),
            go_on=_undrop,
        ),
        Verb(
            "add partitions",
            _daily,
            lambda world, catalog: catalog.partitions(f"{world.namespace}.daily").add([{"ds": day} for day in DAYS]),
            _adding(ADDED),
            steps=3,
            partitions=True,
            reported=_batches_reported,
        ),
        Verb(
            "change partitions",
            _daily,
            lambda world, catalog: catalog.partitions(f"{world.namespace}.daily").set_parameters(
                list(DECLARED), {"note": "1"}
            ),
            _if_made(lambda state: changed(state, "daily", partitions=dict.fromkeys(_of(state).partitions, "1"))),
            partitions=True,
        ),
        Verb(
            "drop partitions",
            _with_days,
            lambda world, catalog: catalog.partitions(f"{world.namespace}.daily").drop([{"ds": day} for day in DAYS]),
            _dropping,
            steps=3,
            partitions=True,
            reported=_batches_reported,
        ),
        Verb(
            "restore partitions",
            _without_its_partitions,
            lambda world, catalog: catalog.partitions(f"{world.namespace}.daily").restore(),
            _restored,
            steps=4,
            partitions=True,
            reported=_batches_reported,
        ),
    )
}
