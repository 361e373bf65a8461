"""How rules compose, negation above all, beside a logic that knows the unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, PartitionValues, Statistics
from hive_views.errors import InvalidInputError
from hive_views.readiness.observations import DetailRequest, Details
from hive_views.readiness.rules import (
    Rule,
    all_of,
    any_of,
    column,
    has_at_least,
    negate,
    requires,
    when,
)
from tests.support.tables.publishing_plans import DS, ONE, hours, planned


def test_the_negation_is_ready_where_the_rule_is_not_and_says_what_is_there() -> None:
    rule = negate(requires("web.clicks", ds=column("ds")))
    plan = planned(rule, hours(1), candidates=[{"ds": "1"}, {"ds": "2"}])
    assert list(plan.ready) == ["ds=2"]
    assert plan.waiting == {"ds=1": ("web.clicks: all of ds=1 exists",)}


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (has_at_least("web.clicks", ds=column("ds"), records=5), "web.clicks: there are at least 5 records of ds=1"),
        (requires("web.clicks"), "web.clicks: there are partitions"),
        (when(lambda _: True), "<lambda> says that it is ready"),
        (negate(requires("web.clicks", ds="7")), "web.clicks: ds=7 is missing"),
    ],
)
def test_a_negated_rule_says_why_it_holds(rule: Rule, reason: str) -> None:
    assert planned(~rule, hours(5), candidates=ONE).waiting == {"ds=1": (reason,)}


def test_the_tables_of_a_negated_rule_name_no_partitions_to_look_at() -> None:
    with pytest.raises(InvalidInputError, match="Or give candidates="):
        planned(negate(requires("web.clicks", ds=column("ds"))), hours(1))


def test_a_row_of_rules_is_judged_as_one_composition() -> None:
    there, few = requires("web.clicks", ds=column("ds")), has_at_least("web.clicks", ds=column("ds"), records=5)
    also = requires("web.clicks", ds=["7", "8"])
    nested = [planned(rule, hours(1), candidates=ONE) for rule in ((few | also) | ~there, (also & few) & ~there)]
    flat = [planned(rule, hours(1), candidates=ONE) for rule in (any_of(few, also, ~there), all_of(also, few, ~there))]
    assert [plan.waiting for plan in nested] == [plan.waiting for plan in flat]
    assert all(plan.waiting for plan in nested)


def test_something_else_cannot_be_negated() -> None:
    with pytest.raises(InvalidInputError, match="takes one or more rules"):
        negate(True)  # type: ignore[arg-type]  # the mistake


TABLES = ("a", "b", "c")
LEAVES = st.sampled_from([(kind, name) for kind in ("there", "many", "asked") for name in TABLES])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("all"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("any"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("not"), inner),
    ),
    max_leaves=8,
)


def rule_of(tree: Any, approved: Mapping[str, set[str]]) -> Rule:
    match tree:
        case ("there", name):
            return requires(f"w.{name}", ds=column("ds"))
        case ("many", name):
            return has_at_least(f"w.{name}", ds=column("ds"), records=5)
        case ("asked", name):
            return when(lambda values: values["ds"] in approved[name])
        case ("all", inner):
            return all_of(*[rule_of(one, approved) for one in inner])
        case ("any", inner):
            return any_of(*[rule_of(one, approved) for one in inner])
        case (_, inner):
            return negate(rule_of(inner, approved))


def holds(tree: Any, ds: str, records: Mapping[str, Mapping[str, int | None]], approved: Mapping[str, set[str]]) -> Any:
    """Kleene's logic: True, False, and None for what is unknown."""
    match tree:
        case ("there", name):
            return ds in records[name]
        case ("many", name):
            number = records[name].get(ds, 0)
            return None if number is None else number >= 5
        case ("asked", name):
            return ds in approved[name]
        case ("not", inner):
            answer = holds(inner, ds, records, approved)
            return None if answer is None else not answer
        case (kind, inner):
            answers = [holds(one, ds, records, approved) for one in inner]
            decisive = kind == "any"
            return decisive if decisive in answers else None if None in answers else not decisive


DAYS = "123"
NOBODY: dict[str, set[str]] = {name: set() for name in TABLES}


@given(
    tree=TREES,
    records=st.fixed_dictionaries(
        {name: st.dictionaries(st.sampled_from(DAYS), st.sampled_from([None, 1, 9])) for name in TABLES}
    ),
    approved=st.fixed_dictionaries({name: st.sets(st.sampled_from(DAYS)) for name in TABLES}),
    listed=st.booleans(),
)
@example(("not", ("all", [("there", "a"), ("there", "b")])), {"a": {"1": 1}, "b": {}, "c": {}}, NOBODY, True)
@example(("not", ("any", [("there", "a"), ("there", "b")])), {"a": {"1": 1}, "b": {}, "c": {}}, NOBODY, True)
@example(("not", ("not", ("many", "a"))), {"a": {"1": None, "2": 9}, "b": {}, "c": {}}, NOBODY, False)
def test_composed_rules_hold_where_logic_says_so(
    tree: Any, records: dict[str, dict[str, int | None]], approved: dict[str, set[str]], listed: bool
) -> None:
    statistics: dict[str, dict[PartitionValues, Statistics]] = {
        f"w.{name}": {(ds,): Statistics(records=number) for ds, number in by_day.items()}
        for name, by_day in records.items()
    }
    listings = [
        PartitionListing(name, "x", (DS,), list(of), statistics=list(of.values()) if listed else None)
        for name, of in statistics.items()
    ]

    def details(asked: DetailRequest) -> Details:
        known = {
            table: {values: statistics[table][values] for values in wanted}
            for table, wanted in asked.statistics.items()
        }
        return Details(statistics=known)

    candidates = [{"ds": ds} for ds in DAYS]
    plan = planned(rule_of(tree, approved), *listings, details=details, candidates=candidates)
    expected = {f"ds={ds}" for ds in DAYS if holds(tree, ds, records, approved) is True}
    assert set(plan.ready) == expected
    assert all(reason for reasons in plan.waiting.values() for reason in reasons)
