"""The update rules of the view spec, on the cases by which Iceberg Java proves its own (spec/updates.py)."""

from __future__ import annotations

import pytest

from hive_views.errors import DialectDroppedError, InvalidInputError, NoSuchVersionError
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewVersion
from hive_views.spec.schema import NestedField, Schema
from hive_views.spec.updates import (
    DROP_DIALECT_ALLOWED,
    HISTORY_SIZE,
    LAST_ADDED,
    AddSchema,
    AddViewVersion,
    AssignUUID,
    RemoveProperties,
    SetCurrentViewVersion,
    SetLocation,
    SetProperties,
    Update,
    UpgradeFormatVersion,
    apply_updates,
)

UUID = "fa6506c3-7681-40c8-86dc-e36561f83385"
NOW_MS = 10_000


def schema(*names: str, schema_id: int = 0) -> Schema:
    fields = tuple(NestedField(id=i, name=name, type="long") for i, name in enumerate(names, start=1))
    return Schema(schema_id=schema_id, fields=fields)


def version(
    version_id: int = 1,
    *,
    sql: str = "select 1",
    dialects: tuple[str, ...] = ("spark",),
    at_ms: int = 5,
    schema_id: int = 0,
    summary: dict[str, str] | None = None,
) -> ViewVersion:
    return ViewVersion(
        version_id=version_id,
        timestamp_ms=at_ms,
        schema_id=schema_id,
        summary=summary or {},
        default_namespace=("ns",),
        representations=tuple(SQLViewRepresentation(sql=f"{sql} -- {name}", dialect=name) for name in dialects),
    )


def new_view(*updates: Update, history: int | None = None) -> ViewMetadata:
    head: list[Update] = [AssignUUID(UUID), SetLocation("s3://bucket/view"), AddSchema(schema("x"))]
    if history is not None:
        head.append(SetProperties({HISTORY_SIZE: str(history)}))
    return apply_updates(None, [*head, *updates], now_ms=NOW_MS)


def with_versions(*texts: str, current: int | None = None, history: int | None = None) -> ViewMetadata:
    updates: list[Update] = []
    for number, text in enumerate(texts, start=1):
        updates += [AddViewVersion(version(number, sql=text)), SetCurrentViewVersion(number)]
    if current is not None:
        updates.append(SetCurrentViewVersion(current))
    return new_view(*updates, history=history)


def ids(metadata: ViewMetadata) -> list[int]:
    return [v.version_id for v in metadata.versions]


def logged(metadata: ViewMetadata) -> list[int]:
    return [entry.version_id for entry in metadata.version_log]


def test_schema_ids_are_assigned_from_zero_whatever_the_caller_says() -> None:
    metadata = new_view(
        AddSchema(schema("y", schema_id=7)),
        AddSchema(schema("z", schema_id=9)),
        AddViewVersion(version()),
        SetCurrentViewVersion(1),
    )
    assert [s.schema_id for s in metadata.schemas] == [0, 1, 2]


def test_an_equal_schema_is_reused() -> None:
    metadata = new_view(AddSchema(schema("x", schema_id=5)), AddViewVersion(version()), SetCurrentViewVersion(1))
    assert [s.schema_id for s in metadata.schemas] == [0]


def test_a_schema_that_differs_only_in_a_comment_is_another() -> None:
    commented = Schema(schema_id=0, fields=(NestedField(id=1, name="x", type="long", doc="who"),))
    metadata = new_view(AddSchema(commented), AddViewVersion(version()), SetCurrentViewVersion(1))
    assert len(metadata.schemas) == 2


def test_version_ids_are_reassigned_when_the_given_one_is_taken() -> None:
    metadata = new_view(
        AddViewVersion(version(1, sql="a")),
        AddViewVersion(version(1, sql="b")),
        AddViewVersion(version(1, sql="c")),
        SetCurrentViewVersion(3),
    )
    assert ids(metadata) == [1, 2, 3]


def test_a_given_version_id_above_the_highest_is_kept() -> None:
    metadata = new_view(AddViewVersion(version(7)), SetCurrentViewVersion(7))
    assert ids(metadata) == [7]


def test_a_version_equal_but_for_its_time_is_the_same_version() -> None:
    metadata = new_view(
        AddViewVersion(version(1, at_ms=5)), AddViewVersion(version(2, at_ms=6)), SetCurrentViewVersion(LAST_ADDED)
    )
    assert ids(metadata) == [1]
    assert metadata.current_version.timestamp_ms == 5


def test_a_version_with_another_summary_is_another_version() -> None:
    metadata = new_view(
        AddViewVersion(version(1)), AddViewVersion(version(1, summary={"user": "x"})), SetCurrentViewVersion(2)
    )
    assert ids(metadata) == [1, 2]


def test_the_last_added_schema_is_taken_for_minus_one_also_when_it_was_reused() -> None:
    metadata = new_view(
        AddSchema(schema("y")),
        AddSchema(schema("x")),
        AddViewVersion(version(schema_id=LAST_ADDED)),
        SetCurrentViewVersion(LAST_ADDED),
    )
    assert metadata.current_version.schema_id == 0


def test_minus_one_without_an_added_schema_is_refused() -> None:
    base = with_versions("a")
    with pytest.raises(InvalidInputError, match="adds no schema"):
        apply_updates(base, [AddViewVersion(version(schema_id=LAST_ADDED))], now_ms=NOW_MS)


def test_minus_one_without_an_added_version_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="adds no version"):
        apply_updates(with_versions("a"), [SetCurrentViewVersion(LAST_ADDED)], now_ms=NOW_MS)


def test_a_version_on_an_unknown_schema_is_refused() -> None:
    with pytest.raises(NoSuchVersionError, match="schema 42"):
        new_view(AddViewVersion(version(schema_id=42)))


def test_two_texts_for_one_dialect_are_refused_whatever_their_case() -> None:
    with pytest.raises(InvalidInputError, match="Cannot add multiple queries for dialect spark"):
        new_view(AddViewVersion(version(dialects=("spark", "SpArK"))), SetCurrentViewVersion(1))


def test_activating_an_unknown_version_names_those_there_are() -> None:
    with pytest.raises(NoSuchVersionError, match=r"\[1, 2\]"):
        apply_updates(with_versions("a", "b"), [SetCurrentViewVersion(23)], now_ms=NOW_MS)


def test_activating_the_current_version_changes_nothing_and_gives_the_base_back() -> None:
    base = with_versions("a", "b")
    assert apply_updates(base, [SetCurrentViewVersion(2)], now_ms=NOW_MS) is base


def test_only_the_last_of_several_activations_is_logged() -> None:
    assert logged(with_versions("a", "b", "c")) == [3]


def test_an_added_version_is_logged_with_its_own_time_and_a_reactivated_one_with_the_present() -> None:
    first = with_versions("a")
    second = apply_updates(
        first, [AddViewVersion(version(sql="b", at_ms=77)), SetCurrentViewVersion(LAST_ADDED)], now_ms=1_000
    )
    third = apply_updates(second, [SetCurrentViewVersion(1)], now_ms=2_000)
    assert [(e.version_id, e.timestamp_ms) for e in third.version_log] == [(1, 5), (2, 77), (1, 2_000)]


def test_versions_added_in_one_change_are_all_kept_and_the_next_change_trims_them() -> None:
    first = with_versions("a", "b", "c", history=2)
    assert ids(first) == [1, 2, 3]
    second = apply_updates(first, [SetProperties({"k": "v"})], now_ms=NOW_MS)
    assert ids(second) == [3, 2]


def test_the_highest_version_ids_survive_whatever_their_times() -> None:
    metadata = with_versions("a", history=3)
    for number, text in enumerate("bcde"):
        updates = [AddViewVersion(version(sql=text, at_ms=100 - number)), SetCurrentViewVersion(LAST_ADDED)]
        metadata = apply_updates(metadata, updates, now_ms=NOW_MS)
    assert ids(metadata) == [5, 4, 3]
    assert logged(metadata) == [3, 4, 5]


def test_the_current_version_never_expires() -> None:
    base = with_versions("a", "b", "c", current=1)
    trimmed = apply_updates(base, [SetProperties({HISTORY_SIZE: "1"})], now_ms=NOW_MS)
    assert ids(trimmed) == [1]
    assert trimmed.current_version_id == 1


def test_ids_of_expired_versions_are_given_again() -> None:
    base = apply_updates(with_versions("a", "b", "c", current=1), [SetProperties({HISTORY_SIZE: "1"})], now_ms=NOW_MS)
    updates = [AddViewVersion(version(sql="d")), SetCurrentViewVersion(LAST_ADDED)]
    assert apply_updates(base, updates, now_ms=NOW_MS).current_version_id == 2


def test_the_log_keeps_only_what_follows_its_last_expired_entry() -> None:
    metadata = with_versions("a", history=2)
    for text in ("b", "a", "c"):
        updates = [AddViewVersion(version(sql=text)), SetCurrentViewVersion(LAST_ADDED)]
        metadata = apply_updates(metadata, updates, now_ms=NOW_MS)
    # The versions were current in the order 1, 2, 1, 3; version 1 expired.
    assert ids(metadata) == [3, 2]
    assert logged(metadata) == [3]


@pytest.mark.parametrize("size", ["0", "-1", "many", "1.5", ""])
def test_a_history_size_that_is_no_positive_number_is_refused(size: str) -> None:
    with pytest.raises(InvalidInputError, match=r"version\.history\.num-entries"):
        apply_updates(with_versions("a"), [SetProperties({HISTORY_SIZE: size})], now_ms=NOW_MS)


def test_dropping_a_dialect_is_refused_by_name() -> None:
    base = new_view(AddViewVersion(version(dialects=("spark", "trino"))), SetCurrentViewVersion(1))
    updates = [AddViewVersion(version(sql="b", dialects=("spark",))), SetCurrentViewVersion(LAST_ADDED)]
    with pytest.raises(DialectDroppedError, match="trino") as refused:
        apply_updates(base, updates, now_ms=NOW_MS)
    assert refused.value.dialects == ["trino"]


def test_dropping_a_dialect_is_allowed_by_a_property_of_the_same_change() -> None:
    base = new_view(AddViewVersion(version(dialects=("spark", "trino"))), SetCurrentViewVersion(1))
    updates = [
        SetProperties({DROP_DIALECT_ALLOWED: "true"}),
        AddViewVersion(version(sql="b", dialects=("spark",))),
        SetCurrentViewVersion(LAST_ADDED),
    ]
    assert apply_updates(base, updates, now_ms=NOW_MS).current_version.dialects == ("spark",)


def test_an_activation_in_between_does_not_count_as_a_dropped_dialect() -> None:
    base = new_view(AddViewVersion(version(dialects=("spark", "trino"))), SetCurrentViewVersion(1))
    updates = [
        AddViewVersion(version(sql="b", dialects=("spark",))),
        SetCurrentViewVersion(LAST_ADDED),
        SetCurrentViewVersion(1),
    ]
    assert apply_updates(base, updates, now_ms=NOW_MS).current_version_id == 1


def test_adding_a_dialect_is_no_drop() -> None:
    base = with_versions("a")
    updates = [AddViewVersion(version(sql="a", dialects=("SPARK", "trino"))), SetCurrentViewVersion(LAST_ADDED)]
    assert apply_updates(base, updates, now_ms=NOW_MS).current_version.dialects == ("spark", "trino")


def test_a_view_keeps_its_uuid() -> None:
    base = with_versions("a")
    assert apply_updates(base, [AssignUUID(UUID.upper())], now_ms=NOW_MS).view_uuid == UUID
    with pytest.raises(InvalidInputError, match="uuid of a view never changes"):
        apply_updates(base, [AssignUUID("00000000-0000-0000-0000-000000000001")], now_ms=NOW_MS)


def test_a_uuid_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="not a UUID"):
        apply_updates(None, [AssignUUID("seven")], now_ms=NOW_MS)


@pytest.mark.parametrize(
    ("updates", "lacks"),
    [
        ([], "uuid"),
        ([AssignUUID(UUID)], "location"),
        ([AssignUUID(UUID), SetLocation("file:///x")], "current version"),
        ([AssignUUID(UUID), SetLocation("file:///x"), AddSchema(schema("x")), AddViewVersion(version())], "current"),
    ],
)
def test_a_view_without_its_essentials_is_refused(updates: list[Update], lacks: str) -> None:
    with pytest.raises(InvalidInputError, match=lacks):
        apply_updates(None, updates, now_ms=NOW_MS)


def test_properties_are_merged_and_removed_and_unknown_removals_do_not_matter() -> None:
    base = apply_updates(with_versions("a"), [SetProperties({"a": "1", "b": "2"})], now_ms=NOW_MS)
    after = apply_updates(base, [SetProperties({"a": "3"}), RemoveProperties(["b", "nope"])], now_ms=NOW_MS)
    assert after.properties == {"a": "3"}


def test_a_property_that_is_no_string_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="strings"):
        apply_updates(with_versions("a"), [SetProperties({"a": 1})], now_ms=NOW_MS)  # type: ignore[dict-item]


def test_an_empty_location_is_refused_and_a_trailing_slash_is_dropped() -> None:
    base = with_versions("a")
    assert apply_updates(base, [SetLocation("s3://b/v2/")], now_ms=NOW_MS).location == "s3://b/v2"
    with pytest.raises(InvalidInputError, match="empty location"):
        apply_updates(base, [SetLocation("")], now_ms=NOW_MS)


def test_only_format_version_one_is_known() -> None:
    base = with_versions("a")
    assert apply_updates(base, [UpgradeFormatVersion(1)], now_ms=NOW_MS) is base
    with pytest.raises(InvalidInputError, match="format-version 2"):
        apply_updates(base, [UpgradeFormatVersion(2)], now_ms=NOW_MS)


def test_a_change_that_comes_back_to_the_base_gives_the_base_itself() -> None:
    base = apply_updates(with_versions("a"), [SetProperties({"a": "1"})], now_ms=NOW_MS)
    assert apply_updates(base, [RemoveProperties(["a"]), SetProperties({"a": "1"})], now_ms=NOW_MS) is base


def test_fields_we_do_not_know_survive_a_change() -> None:
    base = with_versions("a").model_copy()
    base = ViewMetadata.model_validate({**base.model_dump(), "from-the-future": {"deep": [None, 1]}})
    after = apply_updates(base, [SetProperties({"a": "1"})], now_ms=NOW_MS)
    assert after.model_dump()["from-the-future"] == {"deep": [None, 1]}
