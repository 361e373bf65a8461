"""When a partition is ready, judged on listings in memory: each rule, how values compare, and a model beside it all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, PartitionValues, Snapshot
from hive_views.errors import InvalidIdentifierError, InvalidInputError
from hive_views.hive.row import Column
from hive_views.publishing.plan import Plan
from hive_views.readiness.rules import Rule, all_of, any_of, column, requires, when
from tests.support.tables.publishing_plans import planned

DS, HR = Column("ds", "string"), Column("hr", "int")
HOURS = [f"{hour:02d}" for hour in range(24)]


def listing(table: str, keys: Sequence[Column], values: Sequence[PartitionValues], **changes: Any) -> PartitionListing:
    return PartitionListing(table, "hive", tuple(keys), values, **changes)


def reasons(plan: Plan, name: str = "ds=2026-08-21") -> tuple[str, ...]:
    return plan.waiting[name]


def clicks(*values: PartitionValues, keys: Sequence[Column] = (DS, Column("hr", "string"))) -> PartitionListing:
    return listing("web.clicks", keys, values)


SAME_DAY = requires("web.clicks", ds=column("ds"), hr=HOURS)
TODAY = [{"ds": "2026-08-21"}]


# -- requirements ------------------------------------------------------------------------------------------------------


def test_a_day_is_ready_when_every_expected_hour_is_there() -> None:
    plan = planned(SAME_DAY, clicks(*[("2026-08-21", hour) for hour in HOURS]))
    assert plan.ready == {"ds=2026-08-21": {"web.clicks": 24}}
    assert plan.waiting == {}


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        (["03"], "web.clicks: hr 03 of ds=2026-08-21 is missing"),
        (["03", "17"], "web.clicks: hr 03, 17 of ds=2026-08-21 are missing"),
        (["03", "04", "05", "17", "22", "23"], "web.clicks: hr 03..05, 17, 22, 23 of ds=2026-08-21 are missing"),
        (HOURS[1:], "web.clicks: hr 01..23 of ds=2026-08-21 are missing"),
        (HOURS, "web.clicks: all 24 hr of ds=2026-08-21 are missing"),
    ],
)
def test_a_day_with_missing_hours_waits_and_names_them(missing: list[str], reason: str) -> None:
    there = [("2026-08-21", hour) for hour in HOURS if hour not in missing]
    plan = planned(SAME_DAY, clicks(*there, ("2026-08-20", "00")), candidates=TODAY)
    assert plan.ready == {}
    assert reasons(plan) == (reason,)


def test_many_missing_values_are_reported_in_part() -> None:
    countries = [a + b for a in "abcde" for b in "abcde"]
    rule = requires("web.clicks", ds=column("ds"), hr=countries)
    plan = planned(rule, clicks(("2026-08-21", "aa")))
    assert reasons(plan) == (
        "web.clicks: hr ab, ac, ad, ae, ba, bb, bc, bd, be, ca, cb, cc and 12 more of ds=2026-08-21 are missing",
    )


def test_every_combination_of_two_expected_sets_must_be_there() -> None:
    keys = (DS, Column("hr", "int"), Column("region", "string"))
    rule = requires("web.clicks", ds=column("ds"), hr=range(2), region={"us", "eu"})
    there = [("2026-08-21", "0", "eu"), ("2026-08-21", "0", "us"), ("2026-08-21", "1", "us")]
    assert reasons(planned(rule, clicks(*there, keys=keys))) == (
        "web.clicks: hr=1/region=eu of ds=2026-08-21 is missing",
    )
    plan = planned(rule, clicks(*there, ("2026-08-21", "1", "eu"), keys=keys))
    assert plan.ready == {"ds=2026-08-21": {"web.clicks": 4}}
    assert reasons(planned(rule, clicks(keys=keys), candidates=TODAY)) == (
        "web.clicks: all 4 hr/region of ds=2026-08-21 are missing",
    )


def test_only_partitions_with_the_required_constant_count() -> None:
    keys = (Column("region", "string"), DS)
    rule = requires("web.clicks", ds=column("ds"), region="eu")
    assert planned(rule, clicks(("eu", "2026-08-21"), keys=keys)).ready
    plan = planned(rule, clicks(("us", "2026-08-21"), keys=keys), candidates=TODAY)
    assert reasons(plan) == ("web.clicks: region=eu/ds=2026-08-21 is missing",)


def test_partition_columns_that_are_not_mentioned_may_have_any_value() -> None:
    plan = planned(requires("web.clicks", ds=column("ds")), clicks(("2026-08-21", "07"), ("2026-08-21", "x")))
    assert plan.ready == {"ds=2026-08-21": {"web.clicks": 2}}


def test_a_missing_partition_is_named_by_the_columns_of_the_table() -> None:
    rule = requires("web.clicks", day=column("ds"))
    plan = planned(rule, clicks(keys=(Column("day", "date"),)), candidates=TODAY)
    assert reasons(plan) == ("web.clicks: day=2026-08-21 is missing",)


def test_a_reason_names_the_snapshot_that_was_read() -> None:
    plan = planned(SAME_DAY, listing("web.clicks", (DS, HR), [], snapshot=Snapshot("8812", "t")), candidates=TODAY)
    assert reasons(plan) == ("web.clicks at snapshot 8812: all 24 hr of ds=2026-08-21 are missing",)


def test_a_table_alone_is_required_to_exist_or_to_have_a_partition() -> None:
    rule = requires("web.users")
    assert planned(rule, listing("web.users", (), [()]), candidates=TODAY).ready == {"ds=2026-08-21": {"web.users": 1}}
    assert planned(rule, listing("web.users", (DS,), [("2001-01-01",)]), candidates=TODAY).ready
    plan = planned(rule, listing("web.users", (DS,), []), candidates=TODAY)
    assert reasons(plan) == ("web.users: there is no partition",)


def test_an_expected_set_without_a_link_holds_for_every_partition() -> None:
    rule = requires("web.users", region=["eu", "us"])
    plan = planned(rule, listing("web.users", (Column("region", "string"),), [("eu",)]), candidates=TODAY)
    assert reasons(plan) == ("web.users: region us is missing",)


def test_two_columns_of_a_table_can_be_required_to_equal_one_of_the_view() -> None:
    keys = (Column("ds", "string"), Column("loaded", "string"))
    rule = requires("web.clicks", ds=column("ds"), loaded=column("ds"))
    plan = planned(rule, clicks(("2026-08-21", "2026-08-22"), ("2026-08-23", "2026-08-23"), keys=keys))
    assert list(plan.ready) == ["ds=2026-08-23"]
    assert plan.waiting == {}


def test_names_of_columns_and_tables_are_the_same_in_any_case() -> None:
    rule = requires("Web.`Clicks`", DS=column("DS"), Hr=7)
    assert planned(rule, clicks(("2026-08-21", "7"))).ready


def test_a_column_whose_name_is_a_word_of_requires_is_given_in_a_mapping() -> None:
    rule = requires("web.clicks", {"format": "csv"}, format="hive", ds=column("ds"))
    assert planned(rule, clicks(("2026-08-21", "csv"), keys=(DS, Column("format", "string")))).ready


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_type", "base", "view_type", "view"),
    [
        ("string", "07", "int", 7),
        ("int", "7", "string", "07"),
        ("int", "007", "bigint", 7),
        ("tinyint", "7", "decimal(4,2)", Decimal("7.00")),
        ("decimal(10,2)", "1.50", "double", 1.5),
        ("string", "1.50", "decimal(4,1)", "1.5"),
        ("date", "2026-08-01", "string", "2026-08-01"),
        ("string", "2026-8-1", "date", date(2026, 8, 1)),
        ("string", "2026-08-01 00:00:00", "date", date(2026, 8, 1)),
        ("timestamp", "2026-08-01 10:00:00", "timestamp", datetime.fromisoformat("2026-08-01T10:00")),
        ("string", "2026-08-01 10:00:00.0", "timestamp", datetime.fromisoformat("2026-08-01T10:00")),
        ("boolean", "true", "string", "TRUE"),
        ("varchar(9)", "eu", "string", "eu"),
        ("char(5)", "eu   ", "string", "eu"),
        ("string", "eu", "char(5)", "eu"),
    ],
)
def test_values_are_the_same_by_type_whatever_their_spelling(
    base_type: str, base: str, view_type: str, view: object
) -> None:
    table = listing("web.clicks", (Column("b", base_type),), [(base,)])
    rule = requires("web.clicks", b=column("v"))
    assert len(planned(rule, table, keys=[Column("v", view_type)], candidates=[{"v": view}]).ready) == 1
    assert len(planned(rule, table, keys=[Column("v", view_type)]).ready) == 1, "the table names the candidate, too"


@pytest.mark.parametrize(
    ("base_type", "base", "view_type", "view"),
    [
        ("string", "07", "string", "7"),
        ("string", "7x", "int", 7),
        ("string", "1.25", "decimal(4,1)", "1.3"),
        ("decimal(10,2)", "1.25", "decimal(4,1)", "1.3"),
        ("string", "2026-08-01 10:00:00", "date", "2026-08-01"),
        ("string", "EU", "string", "eu"),
        ("int", "abc", "string", "abc"),
        ("string", None, "string", "__none__"),
    ],
)
def test_values_that_only_become_the_same_by_rounding_or_cutting_are_not(
    base_type: str, base: str | None, view_type: str, view: object
) -> None:
    table = listing("web.clicks", (Column("b", base_type),), [(base,)])
    rule = requires("web.clicks", b=column("v"))
    plan = planned(rule, table, keys=[Column("v", view_type)], candidates=[{"v": view}])
    assert plan.ready == {}
    assert len(plan.waiting) == 1


@pytest.mark.parametrize("value", [None, "300", "1.25", "abc"])
def test_what_no_partition_of_the_view_can_be_is_no_candidate(value: str | None) -> None:
    table = listing("web.clicks", (Column("b", "string"),), [(value,), ("7",)])
    plan = planned(requires("web.clicks", b=column("v")), table, keys=[Column("v", "tinyint")])
    assert list(plan.ready) == ["v=7"]
    assert plan.waiting == {}


def test_values_that_hive_cannot_store_for_a_view_are_no_candidates() -> None:
    keys = (Column("a", "string"), Column("b", "string"), Column("c", "string"))
    rule = requires("web.clicks", {key.name: column(key.name) for key in keys})
    too_long_together = ("%" * 100, "%" * 100, "%" * 100)
    table = clicks(("x ", "1", "1"), ("x" * 256, "1", "1"), too_long_together, ("x", "1", "1"), keys=keys)
    plan = planned(rule, table, keys=keys)
    assert list(plan.ready) == ["a=x/b=1/c=1"]
    assert plan.waiting == {}


def test_null_satisfies_nothing() -> None:
    rule = requires("web.clicks", ds=column("ds"), hr=["00"])
    plan = planned(rule, clicks((None, "00"), ("2026-08-21", None)), candidates=TODAY)
    assert reasons(plan) == ("web.clicks: ds=2026-08-21/hr=00 is missing",)


def test_a_null_beside_a_value_names_no_candidate() -> None:
    """Nor does the NULL equal what is no number in the view."""
    rule = requires("web.clicks", ds=column("ds"), hr=column("ds"))
    plan = planned(rule, clicks(("x", None), ("x", "abc"), keys=(DS, HR)))
    assert (plan.ready, plan.waiting) == ({}, {})


def test_expected_values_are_of_the_type_of_the_tables_column() -> None:
    table = clicks(("2026-08-21", "7"), ("2026-08-21", "08"), keys=(DS, HR))
    assert planned(requires("web.clicks", ds=column("ds"), hr=["07", 8]), table).ready
    with pytest.raises(InvalidInputError, match=r"web\.clicks cannot be met.*'x'.*hr \(int\)"):
        planned(requires("web.clicks", ds=column("ds"), hr=["x"]), table)


# -- composition -------------------------------------------------------------------------------------------------------

A, B = requires("web.a", ds=column("ds")), requires("web.b", ds=column("ds"))


def two_tables(a: str, b: str) -> tuple[PartitionListing, ...]:
    return tuple(listing(f"web.{n}", (DS,), [(day,) for day in days]) for n, days in (("a", a), ("b", b)))


@pytest.mark.parametrize("rule", [all_of(A, B), A & B])
def test_all_of_is_ready_when_all_are_and_says_what_each_waits_for(rule: Rule) -> None:
    plan = planned(rule, *two_tables("12", "2"), candidates=[{"ds": day} for day in "123"])
    assert list(plan.ready) == ["ds=2"]
    assert plan.waiting == {
        "ds=1": ("web.b: ds=1 is missing",),
        "ds=3": ("web.a: ds=3 is missing", "web.b: ds=3 is missing"),
    }


@pytest.mark.parametrize("rule", [any_of(A, B), A | B])
def test_any_of_is_ready_when_one_is(rule: Rule) -> None:
    plan = planned(rule, *two_tables("1", "2"), candidates=[{"ds": day} for day in "123"])
    assert list(plan.ready) == ["ds=1", "ds=2"]
    assert plan.waiting == {"ds=3": ("web.a: ds=3 is missing, or web.b: ds=3 is missing",)}


def test_rules_nest() -> None:
    plan = planned((A & B) | when(lambda values: values["ds"] == "3"), *two_tables("12", "2"), candidates=[{"ds": "1"}])
    assert plan.waiting == {"ds=1": ("web.b: ds=1 is missing, or <lambda> says that it is not ready",)}


def test_a_function_is_given_the_values_in_their_types() -> None:
    seen: list[Mapping[str, Any]] = []

    def is_approved(values: Mapping[str, Any]) -> bool:
        seen.append(values)
        return True

    keys = (Column("ds", "date"), HR)
    assert planned(when(is_approved), keys=keys, candidates=[{"ds": "2026-08-21", "hr": "07"}]).ready
    assert seen == [{"ds": date(2026, 8, 21), "hr": 7}]


@pytest.mark.parametrize(
    ("answer", "reason"), [(False, "not signed off"), ("", "not signed off"), ("Ada is on leave", "Ada is on leave")]
)
def test_a_function_says_no_or_why(answer: bool | str, reason: str) -> None:
    rule = when(lambda _: answer, reason="not signed off")
    assert reasons(planned(rule, candidates=TODAY)) == (reason,)


def test_a_function_that_answers_nothing_is_refused() -> None:
    def forgot_to_return(values: Mapping[str, Any]) -> bool:
        print(values)  # type: ignore[return]  # the mistake

    with pytest.raises(InvalidInputError, match=r"forgot_to_return.* returned None"):
        planned(when(forgot_to_return), candidates=TODAY)


def test_a_function_is_asked_only_about_what_is_ready_apart_from_it() -> None:
    asked: list[str] = []

    def is_approved(values: Mapping[str, Any]) -> bool:
        asked.append(values["ds"])
        return True

    plan = planned(all_of(when(is_approved), A), *two_tables("1", ""), candidates=[{"ds": day} for day in "12"])
    assert list(plan.ready) == ["ds=1"]
    assert asked == ["1"]


def test_what_a_function_raises_reaches_the_caller() -> None:
    def breaks(_: Mapping[str, Any]) -> bool:
        raise ConnectionResetError("the sign-off service is away")

    with pytest.raises(ConnectionResetError, match="sign-off"):
        planned(when(breaks), candidates=TODAY)


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (requires("web.clicks", dss=column("ds")), r"web\.clicks has no partition column 'dss'; it has ds .*, hr"),
        (requires("web.clicks", ds=column("day")), r"column\('day'\).*not a partition column of the view; it has ds"),
        (
            requires("web.clicks", hr=column("ds")),
            r"Cannot compare web\.clicks\.hr \(int\) with the view's ds \(date\)",
        ),
        (requires("web.clicks", blob="x"), r"Cannot compare web\.clicks\.blob \(binary\) with anything"),
    ],
)
def test_a_rule_that_does_not_fit_table_or_view_is_refused(rule: Rule, message: str) -> None:
    table = clicks(keys=(DS, HR, Column("blob", "binary")))
    with pytest.raises(InvalidInputError, match=message):
        planned(rule, table, keys=[Column("ds", "date")], candidates=TODAY)


@pytest.mark.parametrize("kinds", list(itertools.permutations(["int", "date", "timestamp", "boolean"], 2)))
def test_columns_of_different_kinds_cannot_be_compared(kinds: tuple[str, str]) -> None:
    base, view = kinds
    with pytest.raises(InvalidInputError, match=rf"\({base}\) with the view's v \({view}\)"):
        planned(
            requires("web.clicks", b=column("v")),
            listing("web.clicks", (Column("b", base),), []),
            keys=[Column("v", view)],
        )


@pytest.mark.parametrize("value", [[], (), set(), None, [None], [["00"]], [column("ds")]])
def test_a_requirement_without_a_value_is_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match=r"Cannot require hr="):
        requires("web.clicks", hr=value)


def test_a_column_required_twice_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="give each column once"):
        requires("web.clicks", ds="1", DS="2")


@pytest.mark.parametrize("combine", [all_of, any_of])
def test_no_rule_or_something_else_cannot_be_combined(combine: Any) -> None:
    with pytest.raises(InvalidInputError, match="takes one or more rules"):
        combine()
    with pytest.raises(InvalidInputError, match="takes one or more rules"):
        combine(A, lambda _: True)


def test_names_that_are_none_are_refused_at_once() -> None:
    with pytest.raises(InvalidIdentifierError, match="clicks"):
        requires("clicks")
    with pytest.raises(InvalidInputError, match="name of a partition column"):
        column("")
    with pytest.raises(InvalidInputError, match="takes a function"):
        when(True)  # type: ignore[arg-type]  # the mistake


# -- the model ---------------------------------------------------------------------------------------------------------

TEXTS: dict[str, list[str | None]] = {
    "string": ["0", "00", "1", "01", "2", "x", None],
    "int": ["0", "1", "01", "2", None],
}
TYPES = st.sampled_from(sorted(TEXTS))
Rows = list[tuple[str | None, ...]]


def means_the_same(a: str | None, a_type: str, b: str | None, b_type: str) -> bool:
    if a is None or b is None:
        return False
    if (a_type, b_type) == ("string", "string"):
        return a == b
    return a.isdigit() and b.isdigit() and int(a) == int(b)


@st.composite
def situations(draw: st.DrawFn) -> tuple[tuple[Column, ...], list[tuple[PartitionListing, dict[str, Any]]]]:
    """Partition columns of a view, and tables with what is required of their columns."""
    keys = tuple(Column(name, draw(TYPES)) for name in ("p", "q")[: draw(st.integers(1, 2))])
    tables = []
    for number in range(draw(st.integers(1, 3))):
        columns = tuple(Column(name, draw(TYPES)) for name in ("a", "b", "c")[: draw(st.integers(1, 3))])
        row = st.tuples(*[st.sampled_from(TEXTS[one.type]) for one in columns])
        values: Rows = draw(st.lists(row, max_size=12, unique=True))
        conditions = {}
        for one in columns:
            expected = st.lists(st.sampled_from([t for t in TEXTS[one.type] if t]), min_size=1, max_size=3)
            conditions[one.name] = draw(
                st.one_of(st.none(), st.sampled_from([column(key.name) for key in keys]), expected)
            )
        tables.append((listing(f"db.t{number}", columns, values), {k: v for k, v in conditions.items() if v}))
    return keys, tables


def model_is_ready(
    candidate: Mapping[str, str], keys: Sequence[Column], table: PartitionListing, conditions: Mapping[str, Any]
) -> bool:
    """Every combination of expected values has a partition: said as it is meant, with no index and no cleverness."""
    types = {key.name: key.type for key in keys}
    expected = {name: wanted for name, wanted in conditions.items() if isinstance(wanted, list)}
    for combination in itertools.product(*expected.values()):
        wanted = dict(zip(expected, combination, strict=True))

        def fits(row: PartitionValues, wanted: Mapping[str, str] = wanted) -> bool:
            for base, text in zip(table.keys, row, strict=True):
                if base.name in wanted and not means_the_same(text, base.type, wanted[base.name], base.type):
                    return False
                link = conditions.get(base.name)
                is_link = link is not None and not isinstance(link, list)
                if is_link and not means_the_same(text, base.type, candidate[link.name], types[link.name]):
                    return False
            return True

        if not any(fits(row) for row in table.values):
            return False
    return True


@given(situation=situations(), together=st.booleans())
def test_no_partition_is_published_early_and_none_is_forgotten(
    situation: tuple[tuple[Column, ...], list[tuple[PartitionListing, dict[str, Any]]]], together: bool
) -> None:
    keys, tables = situation
    rule = (all_of if together else any_of)(*[requires(table.table, conditions) for table, conditions in tables])
    texts = [sorted({str(int(t)) if key.type == "int" else t for t in TEXTS[key.type] if t}) for key in keys]
    candidates = [dict(zip([key.name for key in keys], values, strict=True)) for values in itertools.product(*texts)]
    plan = planned(rule, *[table for table, _ in tables], keys=keys, candidates=candidates)
    combined = all if together else any
    for candidate in candidates:
        name = "/".join(f"{key}={value}" for key, value in candidate.items())
        ready = combined(model_is_ready(candidate, keys, table, conditions) for table, conditions in tables)
        assert (name in plan.ready, name in plan.waiting) == (ready, not ready)


def model_candidates(
    keys: Sequence[Column], table: PartitionListing, conditions: Mapping[str, Any]
) -> Iterator[tuple[str, ...]]:
    """For each partition that counts, the values of the view's columns as it spells them, where all columns agree."""
    expected = {name: wanted for name, wanted in conditions.items() if isinstance(wanted, list)}
    types = {base.name: base.type for base in table.keys}
    for row in table.values:
        values = dict(zip(types, row, strict=True))
        links = {name: link.name for name, link in conditions.items() if not isinstance(link, list)}
        if not all(
            any(means_the_same(values[name], types[name], one, types[name]) for one in wanted)
            for name, wanted in expected.items()
        ):
            continue
        spellings: list[set[str]] = []
        for key in keys:
            linked = {name: values[name] for name, link in links.items() if link == key.name}
            spellings.append(
                {
                    text if (types[name], key.type) == ("string", "string") else str(int(text))
                    for name, text in linked.items()
                    if text and (text.isdigit() or (types[name], key.type) == ("string", "string"))
                }
            )
        for candidate in itertools.product(*spellings):
            texts = dict(zip([key.name for key in keys], candidate, strict=True))
            if all(
                means_the_same(values[name], types[name], texts[key.name], key.type)
                for key in keys
                for name, link in links.items()
                if link == key.name
            ):
                yield candidate


@given(situation=situations())
def test_the_tables_name_every_partition_of_the_view_that_they_have(
    situation: tuple[tuple[Column, ...], list[tuple[PartitionListing, dict[str, Any]]]],
) -> None:
    keys, tables = situation
    rule = any_of(*[requires(table.table, conditions) for table, conditions in tables])
    names = {key.name for key in keys}
    naming = [
        (table, conditions)
        for table, conditions in tables
        if {link.name for link in conditions.values() if not isinstance(link, list)} == names
    ]
    if not naming:
        with pytest.raises(InvalidInputError, match="which partitions to consider"):
            planned(rule, *[table for table, _ in tables], keys=keys)
        return
    plan = planned(rule, *[table for table, _ in tables], keys=keys)
    expected = {
        "/".join(f"{key.name}={value}" for key, value in zip(keys, candidate, strict=True))
        for table, conditions in naming
        for candidate in model_candidates(keys, table, conditions)
    }
    assert {*plan.ready, *plan.waiting} == expected
