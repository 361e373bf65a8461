"""Which deletes of an Iceberg table count, by the rules of its spec."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import NestedField, StringType

from hive_views.base_tables.iceberg.keys import PartitionKeys
from hive_views.base_tables.iceberg.manifests import Content, Entry, Manifest, ManifestEntries, Status
from hive_views.base_tables.iceberg.tally import Growth, listed

SPECS = [PartitionSpec(spec_id=0), PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "ds"), spec_id=1)]
SCHEMA = Schema(NestedField(1, "ds", StringType()))
KEYS = PartitionKeys(
    SimpleNamespace(spec=lambda: SPECS[1], partition_specs=SPECS, schema=lambda: SCHEMA, schemas=[SCHEMA])
)


def entry(content: Content, sequence: int, records: int, **fields: Any) -> Entry:
    defaults = {
        "status": Status.ADDED,
        "snapshot_id": 1,
        "written_at": sequence,
        "partition": ("a",),
        "location": "f",
        "bytes": 1,
        "deletes_from": None,
        "is_vector": False,
    }
    return Entry(**(defaults | fields), content=content, sequence_number=sequence, records=records)


def data(sequence: int, records: int, **fields: Any) -> Entry:
    return entry(Content.DATA, sequence, records, **fields)


def positions(sequence: int, records: int, **fields: Any) -> Entry:
    return entry(Content.POSITION_DELETES, sequence, records, **fields)


def equality(sequence: int, **fields: Any) -> Entry:
    return entry(Content.EQUALITY_DELETES, sequence, 1, **fields)


def records(*entries: Entry) -> dict[str | None, int | None]:
    """What is left, by partition."""

    def manifest(one: Entry) -> ManifestEntries:
        spec = 1 if one.partition else 0
        described = Manifest("m", 0, spec, one.content != Content.DATA, one.sequence_number, 1, True, True)
        return ManifestEntries(described, (1000,) if one.partition else (), iter([one]))

    deletes = [manifest(one) for one in entries if one.content != Content.DATA]
    found = listed(deletes, [manifest(one) for one in entries if one.content == Content.DATA], KEYS, lambda _: 0)
    return {values[0]: tally.records for values, tally in found.items()}


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        pytest.param([data(1, 9), positions(2, 3)], 6, id="later"),
        pytest.param([data(2, 9), positions(2, 3)], 6, id="of the same commit"),
        pytest.param([data(3, 9), positions(2, 3)], 9, id="from before all data"),
        pytest.param([data(1, 9, written_at=3), positions(2, 3)], None, id="perhaps applied by a compaction"),
        pytest.param([data(1, 9), positions(2, 3, deletes_from="f")], 6, id="of a file"),
        pytest.param([data(1, 9), positions(2, 3, deletes_from="gone")], 9, id="of a file that is gone"),
        pytest.param([data(1, 9), positions(2, 3, status=Status.DELETED)], 9, id="taken back"),
        pytest.param([data(1, 9), positions(2, 3, partition=("b",))], 9, id="of another partition"),
        pytest.param(
            [data(1, 9), positions(2, 3, deletes_from="f"), positions(3, 4, deletes_from="f", is_vector=True)],
            5,
            id="a deletion vector has those of before in it",
        ),
        pytest.param(
            [data(1, 9), positions(2, 3), positions(3, 4, deletes_from="f", is_vector=True)],
            5,
            id="a deletion vector has those of the whole partition in it",
        ),
        pytest.param(
            [data(1, 9), data(1, 9, location="g"), positions(2, 3), positions(3, 4, deletes_from="f", is_vector=True)],
            None,
            id="of the whole partition, of which one file has a deletion vector",
        ),
        pytest.param(
            [data(3, 9), data(1, 9, location="g"), positions(2, 3), positions(4, 4, deletes_from="f", is_vector=True)],
            11,
            id="from before a file that has a deletion vector",
        ),
    ],
)
def test_position_deletes_that_count_are_subtracted(entries: list[Entry], left: int | None) -> None:
    assert records(*entries)["a"] == left


@pytest.mark.parametrize(
    ("entries", "is_known"),
    [
        pytest.param([data(1, 9), equality(2)], False, id="later"),
        pytest.param([data(2, 9), equality(2)], True, id="of the same commit"),
        pytest.param([data(1, 9), equality(2, partition=("b",))], True, id="of another partition"),
        pytest.param([data(1, 9), equality(2, partition=())], False, id="of an unpartitioned spec"),
        pytest.param([data(3, 9), equality(2, partition=())], True, id="of an unpartitioned spec, before"),
    ],
)
def test_equality_deletes_of_older_data_make_records_unknown(entries: list[Entry], is_known: bool) -> None:
    assert (records(*entries)["a"] is not None) == is_known


def test_files_of_several_specs_count_together_where_their_values_are_equal() -> None:
    assert records(data(1, 9, partition=()), data(2, 3), data(3, 4, partition=(None,))) == {None: 13, "a": 3}


@pytest.mark.parametrize(
    ("entries", "is_rewrite", "has_deletes", "grown"),
    [
        ([data(2, 9), data(1, 4, status=Status.DELETED)], False, False, (0, 5, True)),
        ([data(2, 9), data(1, 4, status=Status.DELETED)], False, True, (0, None, True)),
        ([data(2, 2), data(1, 4, status=Status.DELETED)], True, True, (0, 0, False)),
        ([positions(2, 5), positions(1, 3, status=Status.DELETED)], False, True, (0, -2, False)),
        ([equality(2)], False, True, (0, None, False)),
        ([equality(2, status=Status.DELETED)], True, True, (0, 0, False)),
    ],
)
def test_what_a_commit_did_is_reported_as_far_as_it_is_certain(
    entries: list[Entry], is_rewrite: bool, has_deletes: bool, grown: tuple[int, int | None, bool]
) -> None:
    growth = Growth()
    for one in entries:
        growth.add(one, is_rewrite=is_rewrite, has_deletes=has_deletes)
    assert (growth.files, growth.records, growth.has_new_data) == grown


@pytest.mark.parametrize(
    ("entries", "had_deletes", "records"),
    [
        pytest.param([positions(2, 3, deletes_from="f", is_vector=True)], False, -3, id="the first deletes"),
        pytest.param([positions(2, 3, deletes_from="f", is_vector=True)], True, None, id="perhaps deleted before"),
        pytest.param(
            [
                positions(1, 1, deletes_from="f", is_vector=True, status=Status.DELETED),
                positions(2, 3, deletes_from="f", is_vector=True),
            ],
            True,
            -2,
            id="in place of one",
        ),
        pytest.param([positions(2, 3, deletes_from="f")], True, -3, id="no deletion vector"),
    ],
)
def test_rows_in_a_first_deletion_vector_may_have_been_deleted_before(
    entries: list[Entry], had_deletes: bool, records: int | None
) -> None:
    growth = Growth()
    for one in entries:
        growth.add(one, is_rewrite=False, has_deletes=True)
    growth.settle(had_deletes=had_deletes)
    assert growth.records == records
