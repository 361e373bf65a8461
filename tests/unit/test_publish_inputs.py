"""What a published partition stands on, as it is stored with it: written, read back, and what others wrote."""

from __future__ import annotations

import json

import pytest

from hive_views.base_tables.port import Snapshot
from hive_views.publishing.inputs import Input, fingerprint_of, read_inputs, write_inputs

CLICKS = Input("hive", 24, 1_787_270_400_000, fingerprint="f00d")
ORDERS = Input("delta", 1, 1_787_270_400_000, Snapshot("12", "2b7c-ä"))


def test_what_is_written_is_read_back() -> None:
    inputs = {"web.clicks": CLICKS, "s3://lake/größe": ORDERS, "web.users": Input("view", 0, 5)}
    text = write_inputs(inputs)
    assert text.isascii()
    assert read_inputs(text) == inputs


def test_pins_and_fingerprints_are_where_programs_find_them() -> None:
    told = json.loads(write_inputs({"web.clicks": CLICKS, "shop.orders": ORDERS}))
    assert told["web.clicks"] == {
        "format": "hive",
        "partitions": 24,
        "listed-at-ms": 1_787_270_400_000,
        "fingerprint": "f00d",
    }
    assert (told["shop.orders"]["snapshot"], told["shop.orders"]["table-id"]) == ("12", "2b7c-ä")


def test_of_too_many_tables_only_totals_are_kept_in_what_a_metastore_can_hold() -> None:
    text = write_inputs({f"web.table_{number}": ORDERS for number in range(100)})
    assert json.loads(text) == {"tables": 100, "partitions": 100}
    assert read_inputs(text) is None


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
