"""Names of views, tables and namespaces (spec/identifiers.py)."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.errors import InvalidIdentifierError
from hive_views.spec.identifiers import TableIdentifier, check_namespace, split_name

DAILY = TableIdentifier("sales", "daily")


@pytest.mark.parametrize(
    "name",
    [
        "sales.daily",
        "Sales.DAILY",
        "`sales`.`daily`",
        "`Sales`.daily",
        " sales . daily ",
        "sales.daily\n",
        ("sales", "daily"),
        ("SALES", "Daily"),
        DAILY,
    ],
)
def test_a_view_is_named_in_any_case_with_or_without_back_quotes(name: str | tuple[str, str] | TableIdentifier) -> None:
    assert TableIdentifier.of(name) == DAILY


def test_an_identifier_reads_as_its_two_parts() -> None:
    assert str(DAILY) == "sales.daily"
    assert (DAILY.namespace, DAILY.name) == ("sales", "daily")
    assert pickle.loads(pickle.dumps(DAILY)) == DAILY


def test_identifiers_sort_by_namespace_and_name() -> None:
    assert sorted([TableIdentifier("b", "a"), TableIdentifier("a", "z"), TableIdentifier("a", "b")]) == [
        TableIdentifier("a", "b"),
        TableIdentifier("a", "z"),
        TableIdentifier("b", "a"),
    ]


@pytest.mark.parametrize("name", ["daily", "lake.sales.daily", ("sales",), ("lake", "sales", "daily"), ()])
def test_a_name_has_exactly_two_parts(name: str | tuple[str, ...]) -> None:
    with pytest.raises(InvalidIdentifierError, match="exactly two parts"):
        TableIdentifier.of(name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "sales.", ".daily", "sales..daily", "sales.`daily", "`sales.daily", "``.daily", "sales daily.x"],
)
def test_what_is_no_dotted_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidIdentifierError, match=r"as a name: write it as namespace\.name"):
        TableIdentifier.of(name)


@pytest.mark.parametrize("part", ["d-4", "d 4", "d.4", "dé4", "日本", "d`4", "", "d\n", "d;4", "٣"])
def test_a_part_has_only_characters_that_every_metastore_takes(part: str) -> None:
    with pytest.raises(InvalidIdentifierError, match="ASCII letters, digits and '_' only") as error:
        TableIdentifier("sales", part)
    assert error.value.name == part
    with pytest.raises(InvalidIdentifierError, match="as a namespace"):
        check_namespace(part)


def test_a_part_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidIdentifierError, match="Cannot use None as a name"):
        TableIdentifier("sales", None)  # type: ignore[arg-type]


def test_a_part_has_at_most_128_characters() -> None:
    assert TableIdentifier("n" * 128, "v" * 128).name == "v" * 128
    with pytest.raises(InvalidIdentifierError, match="a name of 129 characters"):
        TableIdentifier("sales", "v" * 129)
    with pytest.raises(InvalidIdentifierError, match="a namespace of 129 characters"):
        check_namespace("n" * 129)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ("`a.b`.c", ("a.b", "c")),
        ("`a``b`.c", ("a`b", "c")),
        ("` a `.b", (" a ", "b")),
        ("täglich.x-y", ("täglich", "x-y")),
    ],
)
def test_a_name_is_split_at_the_dots_outside_back_quotes(name: str, parts: tuple[str, ...]) -> None:
    assert split_name(name) == parts


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3))
def test_any_parts_in_back_quotes_are_read_back(parts: list[str]) -> None:
    quoted = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    assert split_name(quoted) == tuple(parts)
