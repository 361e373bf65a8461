"""Many plain views are adopted and released: what each becomes, and what is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    MetastoreUnavailableError,
    NoSuchViewError,
    ReleasedViewError,
)
from hive_views.estate import adopt, hand_back, undrop
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.hive.row import POINTER, TABLE_TYPE, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.plain_rows import VIEWS, PlainView, fill, identifier, plain_views
from tests.support.plain_rows.broken import BROKEN, sound_row
from tests.support.views.catalog_setup import plain_view_row
from tests.support.views.quick_catalog import catalog_on

ALL = f"{VIEWS}.*"


def filled(views: tuple[PlainView, ...]) -> ViewCatalog:
    metastore = MemoryMetastore()
    fill(metastore, views)
    return catalog_on(metastore)


def rows_of(catalog: ViewCatalog) -> dict[str, Row]:
    names = catalog.metastore.list_view_names(VIEWS)
    return {row.identifier.name: row for row in catalog.metastore.load_rows(VIEWS, names)}


# By the view, a type that neither Hive nor Iceberg has.
UNLIKE_ANY = {
    "of_constants": "void",
    "types_of_trino": "interval",
    "not_of_hive": "interval",
    "variant": "variant",
}


@pytest.mark.parametrize("maker", ["hive-4.0.1", "trino-476", "spark-4.1.4", "spark-3.5.8", "by-hand"])
def test_every_recorded_view_is_adopted_once_and_can_be_released(maker: str) -> None:
    views = tuple(view for view in plain_views(maker) if view.name not in UNLIKE_ANY)
    catalog = filled(views)
    before = rows_of(catalog)

    planned = adopt(catalog, ALL, dry_run=True)
    assert {one.view: one.reason for one in planned if one.state is not State.PLANNED} == {}
    assert rows_of(catalog) == before

    outcomes = adopt(catalog, ALL)
    assert {one.view: one.reason for one in outcomes if one.state is not State.DONE} == {}
    assert [one.details["dialect"] for one in outcomes] == [one.details["dialect"] for one in planned]
    assert [one.view for one in outcomes] == [f"{VIEWS}.{name}" for name in before]
    for name, row in rows_of(catalog).items():
        assert content(row) == content(before[name])
        assert catalog.load_view(identifier(name)).differences == ()

    assert {one.state for one in adopt(catalog, ALL)} == {State.UNCHANGED}

    assert {one.state for one in hand_back(catalog, ALL)} == {State.DONE}
    assert {name: content(row, row.parameters) for name, row in rows_of(catalog).items()} == {
        name: content(row, row.parameters) for name, row in before.items()
    }
    assert {one.state for one in hand_back(catalog, ALL)} == {State.UNCHANGED}


@pytest.mark.parametrize("view", [view for view in plain_views() if view.name in UNLIKE_ANY], ids=lambda view: view.id)
def test_a_view_that_no_view_of_ours_can_be_is_left_with_the_reason(view: PlainView) -> None:
    catalog = filled((view,))
    before = rows_of(catalog)
    (outcome,) = adopt(catalog, ALL)
    assert outcome.state is State.LEFT
    assert UNLIKE_ANY[view.name] in outcome.reason
    assert rows_of(catalog) == before


def content(row: Row, parameters: object = None) -> Row:
    """A row without its time and, unless they are given, its parameters."""
    kept = {key: value for key, value in (parameters or {}).items() if key != "transient_lastDdlTime"}  # type: ignore[attr-defined]
    return replace(row, parameters=kept, create_time_s=0, native=None)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_view_is_named_with_the_reason_and_left_and_the_others_are_adopted(kind: str) -> None:
    catalog = filled(())
    broken = BROKEN[kind](identifier("broken"))
    for row in (sound_row(identifier("a")), broken, sound_row(identifier("c"))):
        catalog.metastore.create_row(row)
    found = rows_of(catalog)["broken"]
    for dry_run, state in ((True, State.PLANNED), (False, State.DONE)):
        outcomes = adopt(catalog, ALL, dry_run=dry_run)
        assert [one.state for one in outcomes] == [state, State.FAILED, state]
        assert outcomes[1].view == f"{VIEWS}.broken"
        assert "broken" in outcomes[1].reason
    assert rows_of(catalog)["broken"] == found


def test_what_is_no_plain_view_is_left_with_the_reason() -> None:
    catalog = filled(())
    pointer = {TABLE_TYPE: "ICEBERG-VIEW", POINTER: "file:///nowhere/00000.metadata.json"}
    for name, changes in {
        "a_table": {"table_type": "EXTERNAL_TABLE", "original_text": None, "expanded_text": None},
        "b_materialized": {"table_type": "MATERIALIZED_VIEW"},
        "c_iceberg": {"parameters": pointer},
    }.items():
        catalog.metastore.create_row(replace(sound_row(identifier(name)), **changes))  # type: ignore[arg-type]
    names = ("a_table", "b_materialized", "c_iceberg")
    outcomes = adopt(catalog, *(f"{VIEWS}.{name}" for name in names))
    assert [(one.view, one.state) for one in outcomes] == [(f"{VIEWS}.{name}", State.LEFT) for name in names]
    for outcome, word in zip(outcomes, ("table", "materialized", "managed"), strict=True):
        assert word in outcome.reason
    assert not outcomes.failed


def test_an_interrupted_run_is_finished_by_the_next() -> None:
    catalog = filled(())
    for number in range(5):
        catalog.metastore.create_row(sound_row(identifier(f"v{number}")))

    def interrupt(_: Outcome, so_far: int, of: int) -> None:
        assert of == 5
        if so_far == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adopt(catalog, ALL, on_outcome=interrupt)
    states = [one.state for one in adopt(catalog, ALL)]
    assert states == [State.UNCHANGED] * 2 + [State.DONE] * 3


def test_where_the_metastore_goes_away_the_rest_is_not_tried() -> None:
    gone = [False]

    def answer(verb: str) -> None:
        if gone[0] and verb != "close":
            raise MetastoreUnavailableError("No answer.")

    metastore = MemoryMetastore(on_call=answer)
    fill(metastore, ())
    catalog = catalog_on(metastore)
    for number in range(3):
        metastore.create_row(sound_row(identifier(f"v{number}")))

    def stop(_: Outcome, so_far: int, __: int) -> None:
        gone[0] = so_far == 1 or gone[0]

    states = [one.state for one in adopt(catalog, ALL, on_outcome=stop)]
    assert states == [State.DONE, State.FAILED, State.NOT_TRIED]
    gone[0] = False
    assert [one.state for one in adopt(catalog, ALL)] == [State.UNCHANGED, State.DONE, State.DONE]


def test_a_view_that_was_changed_after_it_was_listed_is_adopted_as_it_is_now() -> None:
    catalog = filled(())
    for name in ("a", "b"):
        catalog.metastore.create_row(sound_row(identifier(name)))
    changed = replace(sound_row(identifier("b"), 7), parameters={"comment": "another", "transient_lastDdlTime": "9"})

    def change(_: Outcome, so_far: int, __: int) -> None:
        if so_far == 1:
            catalog.metastore.swap_row(changed, expected=None)

    assert not adopt(catalog, ALL, on_outcome=change).failed
    view = catalog.load_view(identifier("b"))
    assert view.comment == "another"
    assert "7 AS `n`" in view.sql_for("hive").sql
    assert view.differences == ()


def test_a_view_that_is_dropped_after_it_was_listed_fails_and_comes_not_back() -> None:
    catalog = filled(())
    for name in ("a", "b"):
        catalog.metastore.create_row(sound_row(identifier(name)))

    def drop(_: Outcome, so_far: int, __: int) -> None:
        if so_far == 1:
            catalog.metastore.drop_row(identifier("b"))

    outcomes = adopt(catalog, ALL, on_outcome=drop)
    assert [one.state for one in outcomes] == [State.DONE, State.FAILED]
    assert isinstance(outcomes[1].error, NoSuchViewError)
    assert catalog.metastore.list_view_names(VIEWS) == ["a"]


@pytest.fixture
def released() -> ViewCatalog:
    """``sales.kept`` was adopted and released again; ``sales.other`` is a plain view."""
    catalog = catalog_on(MemoryMetastore())
    for name in ("kept", "other"):
        catalog.metastore.create_row(plain_view_row("sales", name))
    adopt(catalog, "sales.kept")
    hand_back(catalog, "sales.kept")
    return catalog


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_view_that_was_released_is_left_night_after_night(released: ViewCatalog, dry_run: bool) -> None:
    before = released.metastore.load_row(TableIdentifier("sales", "kept"))
    outcomes = adopt(released, "*.*", dry_run=dry_run)
    states = {one.view: one.state for one in outcomes}
    assert states == {"sales.kept": State.LEFT, "sales.other": State.PLANNED if dry_run else State.DONE}
    assert "was handed back" in str(outcomes[0].reason)
    assert "hive_views.estate.undrop(catalog, 'sales.kept')" in str(outcomes[0].reason)
    assert released.metastore.load_row(before.identifier) == before
    again = adopt(released, "sales.kept", new_history=True)
    assert again[0].state is State.DONE


@pytest.mark.parametrize("where", ["elsewhere", "under another name"])
def test_a_released_view_is_left_wherever_its_files_are(where: str, tmp_path: Path) -> None:
    catalog = catalog_on(MemoryMetastore())
    made: dict[str, Any] = {"sql": {"hive": "SELECT 1 AS a"}, "schema": [("a", "int")]}
    if where == "elsewhere":
        view = catalog.create_view("sales.v", **made, location=f"file://{tmp_path}/v")
    else:
        view = catalog.create_view("sales.before", **made)
        catalog.rename_view("sales.before", "sales.v")
    hand_back(catalog, "sales.v")
    (outcome,) = adopt(catalog, "*.*")
    assert (outcome.state, type(outcome.error)) == (State.LEFT, ReleasedViewError)
    assert undrop(catalog, "sales.v").failed == ()
    assert catalog.load_view("sales.v").uuid == view.uuid


def test_what_another_engine_has_put_in_the_place_of_a_view_is_no_released_one(released: ViewCatalog) -> None:
    row = released.metastore.load_row(TableIdentifier("sales", "kept"))
    released.metastore.swap_row(
        replace(row, expanded_text=str(row.expanded_text).replace("`web`", "`shop`")), expected=None
    )
    (outcome,) = adopt(released, "sales.kept")
    assert (outcome.state, type(outcome.error)) == (State.FAILED, AlreadyExistsError)


def test_some_views_can_be_excluded(released: ViewCatalog) -> None:
    assert [one.view for one in adopt(released, "*.*", exclude="sales.k*", dry_run=True)] == ["sales.other"]
    assert [one.view for one in adopt(released, "*.*", exclude=["web.*", "sales.*"])] == []
    with pytest.raises(InvalidInputError, match="'other' as"):
        adopt(released, "*.*", exclude=["other"])
    assert not released.view_exists("sales.other")


def test_the_former_name_of_hand_back_works_with_a_warning(released: ViewCatalog) -> None:
    with pytest.warns(DeprecationWarning, match="is now hive_views.estate.hand_back"):
        (outcome,) = hive_views.release(released, "sales.kept")
    assert outcome.state is State.UNCHANGED
