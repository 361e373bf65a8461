"""What a published partition depends on, as it is stored with it: written, read back, and what others wrote."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive_views.base_tables.port import PartitionValues, Snapshot
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.publishing.ledger.inputs import Input, fingerprint_of, read_inputs, write_inputs
from hive_views.readiness.dependency_digest import DependencyDigest

ASKED = "0a1b2c3d"
HOURS: list[PartitionValues] = [("20", "00"), ("20", None)]
CLICKS = Input("hive", 24, 1_787_270_400_000, fingerprint="f00d", asked={ASKED: DependencyDigest.on(HOURS)})
ORDERS = Input("delta", 1, 1_787_270_400_000, Snapshot("12", "2b7c-ä"))


def test_what_is_written_is_read_back() -> None:
    inputs = {"web.clicks": CLICKS, "s3://lake/größe": ORDERS, "web.users": Input("view", 0, 5)}
    text = write_inputs(inputs)
    assert text.isascii()
    assert read_inputs(text) == inputs


def test_pins_and_fingerprints_are_where_programs_find_them() -> None:
    document = json.loads(write_inputs({"web.clicks": CLICKS, "shop.orders": ORDERS}))
    assert document["web.clicks"] == {
        "format": "hive",
        "partitions": 24,
        "listed-at-ms": 1_787_270_400_000,
        "fingerprint": "f00d",
        "asked": {"0a1b2c3d": "2:b1ccef66"},
    }
    assert (document["shop.orders"]["snapshot"], document["shop.orders"]["table-id"]) == ("12", "2b7c-ä")


def test_of_too_many_tables_only_totals_are_kept_in_what_a_metastore_can_hold() -> None:
    text = write_inputs({f"web.table_{number}": ORDERS for number in range(100)})
    assert json.loads(text) == {"tables": 100, "partitions": 100}
    assert read_inputs(text) is None


def test_of_many_tables_names_are_left_out_before_all_else() -> None:
    for number in range(20, 60):
        tables = {f"web.table_{at}": ORDERS for at in range(number)}
        named = {table: replace(one, asked={ASKED: DependencyDigest.on(HOURS)}) for table, one in tables.items()}
        text = write_inputs(named)
        assert len(text) <= MAX_PARTITION_PARAMETER
        if read_inputs(text) != named:
            break
    assert read_inputs(text) == tables
    assert number > 25, "a few bytes for each"


def test_names_are_distinguished_in_any_order() -> None:
    assert DependencyDigest.on(HOURS) == DependencyDigest.on(HOURS[::-1])
    others: list[list[PartitionValues]] = [
        [], [("20", "00")], [("20", "00"), ("20", "")], [("20", "00"), (None, "20")], [*HOURS, ("20", "01")],
        [("200", "0"), ("20", None)], [("\udce4", "00"), ("20", None)],
    ]  # fmt: skip
    assert len({DependencyDigest.on(one) for one in [HOURS, *others]}) == len(others) + 1


@pytest.mark.parametrize("is_all", [True, False])
def test_what_was_found_is_reported_in_a_short_text(is_all: bool) -> None:
    digest = DependencyDigest.on(HOURS, is_all=is_all)
    assert DependencyDigest.read(str(digest)) == digest


@pytest.mark.parametrize(
    ("left", "lost"),
    [
        ([("a",), ("b",), ("c",)], False),
        ([("a",), ("b",), ("d",)], True),
        ([("a",), ("b",)], True),
        ([("a",), ("b",), ("d",), ("e",)], False),
    ],
    ids=["the same", "another in place of one", "fewer", "more, of which nobody knows"],
)
def test_one_is_gone_where_fewer_are_there_or_others_and_no_more(left: list[PartitionValues], lost: bool) -> None:
    assert DependencyDigest.on([("a",), ("b",), ("c",)]).has_lost(DependencyDigest.on(left)) is lost


@pytest.mark.parametrize("text", ["", "x", "2", "2:", "2:0c7a3af0:all", "-1:0c7a3af0", "2:0C7A3AF0", 2, None])
def test_texts_that_no_version_wrote_are_nothing_that_was_asked(text: object) -> None:
    document = {"web.clicks": {"format": "hive", "partitions": 3, "listed-at-ms": 7, "asked": {ASKED: text}}}
    assert read_inputs(json.dumps(document)) == {"web.clicks": Input("hive", 3, 7)}


@pytest.mark.parametrize("asked", [None, 7, "x", [], {"no question": "2:0c7a3af0"}])
def test_what_is_no_question_is_nothing_that_was_asked(asked: object) -> None:
    document = {"web.clicks": {"format": "hive", "partitions": 3, "listed-at-ms": 7, "asked": asked}}
    assert read_inputs(json.dumps(document)) == {"web.clicks": Input("hive", 3, 7)}


def test_what_a_version_without_formats_wrote_is_read() -> None:
    text = '{"web.clicks":{"partitions":3,"listed-at-ms":7}}'
    assert read_inputs(text) == {"web.clicks": Input("hive", 3, 7)}


@pytest.mark.parametrize("text", [None, "", "x", "[]", "7", '{"a":{}}', '{"a":{"partitions":"1","listed-at-ms":1}}'])
def test_what_somebody_else_wrote_is_nothing(text: str | None) -> None:
    assert read_inputs(text) is None


@pytest.mark.parametrize(
    "other",
    [
        {("20", "00"): "a"},
        {("20", "00"): "a", ("20", "01"): "c"},
        {("20", "00"): "b", ("20", "01"): "a"},
        {("20", "00"): "a", ("20", "01"): ""},
        {("20", "00"): "a", ("20", None): "b"},
        {("20", "00"): "a", ("20", "01"): "b", ("20", "02"): "c"},
    ],
)
def test_a_fingerprint_differs_once_one_partition_does(other: dict[tuple[str | None, ...], str]) -> None:
    there = {("20", "00"): "a", ("20", "01"): "b"}
    assert fingerprint_of(there) == fingerprint_of(dict(reversed(there.items())))
    assert fingerprint_of(there) != fingerprint_of(other)
