"""What the catalog does with declared partitions, and what it refuses to do to a view that has some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from hive_views.errors import (
    CommitFailedError,
    CorruptMetadataError,
    InvalidPartitionError,
    InvalidSchemaError,
    NoSuchPartitionError,
    PartitionAlreadyExistsError,
)
from hive_views.hive.row import Column, Partition
from hive_views.persisted import PARTITION_DESCRIPTOR
from hive_views.storage.ownership import incarnation_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.partition_orphans import orphans_among
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.view import View
from tests.support.views.catalog_setup import (
    BETTER,
    COLUMNS,
    SELECT,
    WIDER,
    WIDER_COLUMNS,
    CatalogSetup,
    create,
    nothing_written,
)

TYPED = "SELECT user_id, d, hr, price FROM web.clicks"
TYPED_COLUMNS = [("user_id", "bigint"), ("d", "date"), ("hr", "int"), ("price", "decimal(6,2)")]
DAYS = [{"ds": f"2026-08-{day}"} for day in (21, 22, 23)]
AWKWARD = ["a/b", "a=b", "100%", "10:30", "Größe", "Ω", "日本", "a b", "a'b", 'a"b', "a\\b", "😀", "_", "a&b?c#d"]

WRONG_SPECS: dict[str, Any] = {
    "no values": {},
    "a column missing": {"d": "2026-08-21", "hr": 1},
    "an unknown column": {"d": "2026-08-21", "hr": 1, "price": 1, "day": "x"},
    "a location": {"d": "2026-08-21", "hr": 1, "price": 1, "location": "file:///x"},
    "no int": {"d": "2026-08-21", "hr": "abc", "price": 1},
    "no date": {"d": "2026-02-30", "hr": 1, "price": 1},
    "no decimal": {"d": "2026-08-21", "hr": 1, "price": "much"},
    "too large a decimal": {"d": "2026-08-21", "hr": 1, "price": "123456"},
    "NULL": {"d": None, "hr": 1, "price": 1},
    "empty": {"d": "", "hr": 1, "price": 1},
    "no mapping": "d=2026-08-21/hr=1/price=1",
}
WRONG_TEXTS = {
    "NULL": None,
    "empty": "",
    "a blank at its end": "a ",
    "what Hive writes for NULL": "__HIVE_DEFAULT_PARTITION__",
    "reserved": "x_INTERMEDIATE_ORIGINALx",
    "too long": "x" * 257,
    "bytes": b"a",
    "half a character": "\ud800",
}


class PartitionsContract(CatalogSetup):
    @pytest.fixture
    def days(self, catalog: ViewCatalog, partitioned: View) -> ViewPartitions:
        """The partitions of a view on ``ds``: three days of August."""
        partitions = catalog.partitions(partitioned.identifier)
        partitions.add(DAYS)
        return partitions

    @pytest.fixture
    def typed(self, catalog: ViewCatalog, namespace: str) -> ViewPartitions:
        """No partitions yet, of a view on a date, an int and a decimal."""
        create(
            catalog, f"{namespace}.t", sql={"hive": TYPED}, schema=TYPED_COLUMNS, partitioned_on=["d", "hr", "price"]
        )
        return catalog.partitions(f"{namespace}.t")

    # -- add ---------------------------------------------------------------------------------------------------------

    def test_added_partitions_are_listed_and_make_no_version(self, catalog: ViewCatalog, partitioned: View) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        assert partitions.names() == []
        assert partitions.add(DAYS) == ["ds=2026-08-21", "ds=2026-08-22", "ds=2026-08-23"]
        assert partitions.names() == ["ds=2026-08-21", "ds=2026-08-22", "ds=2026-08-23"]
        assert partitions.values() == DAYS
        loaded = catalog.load_view(partitioned.identifier)
        assert loaded.history == partitioned.history
        assert loaded.differences == ()

    def test_partitions_have_no_place_and_the_parameters_given(self, catalog: ViewCatalog, partitioned: View) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        partitions.add([{"ds": "a"}], parameters={"run": "7"})
        ((name, partition),) = partitions.load()
        assert (name, partition.values) == ("ds=a", ("a",))
        assert partition.parameters["run"] == "7"
        assert partition.has_descriptor is self.stores_descriptors
        stored = catalog.load_view(partitioned.identifier).metadata.properties.get(PARTITION_DESCRIPTOR)
        assert stored == ("empty" if self.stores_descriptors else None)

    def test_values_are_stored_as_hive_s_sql_stores_them(self, typed: ViewPartitions) -> None:
        spellings: list[Mapping[str, object]] = [
            {"d": "2026-8-1", "hr": "07", "price": "1.50"},
            {"D": date(2026, 8, 2), "HR": 7, "Price": Decimal("1.00")},
            {"price": 2, "hr": "-3", "d": "2026-08-03"},
        ]
        assert typed.add(spellings) == [
            "d=2026-08-01/hr=7/price=1.5",
            "d=2026-08-02/hr=7/price=1",
            "d=2026-08-03/hr=-3/price=2",
        ]
        assert typed.name_of({"d": "2026-08-01", "hr": 7.0, "price": "01.5"}) == "d=2026-08-01/hr=7/price=1.5"

    def test_awkward_texts_are_values_like_others(self, catalog: ViewCatalog, partitioned: View) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        held = AWKWARD
        if not self.holds_any_text:
            held = [value for value in AWKWARD if value == value.encode("latin-1", "replace").decode("latin-1")]
            for refused in {*AWKWARD} - {*held}:
                with pytest.raises(InvalidPartitionError):
                    partitions.add([{"ds": "a"}, {"ds": refused}])
            assert partitions.names() == []
        partitions.add([{"ds": value} for value in held])
        assert sorted(found["ds"] for found in partitions.values()) == sorted(held)
        for value in held:
            assert partitions.names({"ds": value}) == [partitions.name_of({"ds": value})]
        partitions.drop([{"ds": value} for value in held])
        assert partitions.names() == []

    def test_existing_partitions_are_refused_and_none_is_added(self, days: ViewPartitions) -> None:
        with pytest.raises(PartitionAlreadyExistsError) as refusal:
            days.add([{"ds": "2026-08-24"}, *DAYS[:2]])
        assert refusal.value.partitions == ["ds=2026-08-21", "ds=2026-08-22"]
        assert refusal.value.added == []
        assert days.values() == DAYS

    def test_existing_partitions_are_left_as_they_are_on_demand(self, days: ViewPartitions) -> None:
        assert days.add([*DAYS, {"ds": "2026-08-24"}], if_not_exists=True, parameters={"run": "2"}) == ["ds=2026-08-24"]
        assert {name: partition.parameters.get("run") for name, partition in days.load()} == {
            "ds=2026-08-21": None,
            "ds=2026-08-22": None,
            "ds=2026-08-23": None,
            "ds=2026-08-24": "2",
        }

    def test_adding_nothing_adds_nothing(self, catalog: ViewCatalog, days: ViewPartitions) -> None:
        with nothing_written(catalog, days.view.identifier):
            assert days.add([]) == []
        row = catalog.metastore.load_row(days.view.identifier)
        assert days.add(DAYS, if_not_exists=True) == []
        assert catalog.metastore.load_row(days.view.identifier) == row

    @pytest.mark.parametrize("spec", WRONG_SPECS.values(), ids=WRONG_SPECS)
    def test_values_that_do_not_fit_are_refused_and_none_is_added(
        self, catalog: ViewCatalog, typed: ViewPartitions, spec: Any
    ) -> None:
        good = {"d": "2026-08-21", "hr": 1, "price": 1}
        with nothing_written(catalog, typed.view.identifier), pytest.raises(InvalidPartitionError):
            typed.add([good, spec])
        assert typed.names() == []

    @pytest.mark.parametrize("value", WRONG_TEXTS.values(), ids=WRONG_TEXTS)
    def test_texts_that_no_metastore_keeps_are_refused(
        self, catalog: ViewCatalog, partitioned: View, value: object
    ) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        with nothing_written(catalog, partitioned.identifier), pytest.raises(InvalidPartitionError):
            partitions.add([{"ds": value}])
        assert partitions.names() == []

    def test_too_long_a_name_is_refused(self, catalog: ViewCatalog, partitioned: View) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        with pytest.raises(InvalidPartitionError, match="767"):
            partitions.add([{"ds": "%" * 255}])

    def test_a_partition_given_twice_is_refused(self, typed: ViewPartitions) -> None:
        same = [{"d": "2026-08-21", "hr": hour, "price": 1} for hour in ("1", "01")]
        with pytest.raises(InvalidPartitionError, match="twice"):
            typed.add(same, if_not_exists=True)
        assert typed.names() == []

    def test_parameters_hold_4000_ascii_characters(self, catalog: ViewCatalog, partitioned: View) -> None:
        partitions = catalog.partitions(partitioned.identifier)
        for wrong in ({"a": "x" * 4001}, {"a": "Ω"}, {"Ω": "a"}, {"x" * 257: "a"}):
            with pytest.raises(InvalidPartitionError, match="4000 ASCII"):
                partitions.add([{"ds": "a"}], parameters=wrong)
        assert partitions.names() == []
        partitions.add([{"ds": "a"}], parameters={"a": "x" * 4000})
        ((_, partition),) = partitions.load()
        assert partition.parameters["a"] == "x" * 4000
        with pytest.raises(InvalidPartitionError, match="4000 ASCII"):
            partitions.set_parameters(["ds=a"], {"a": "x" * 4001})

    def test_a_view_without_keys_has_no_partitions(self, catalog: ViewCatalog, view: View) -> None:
        with pytest.raises(InvalidPartitionError, match="partitioned_on"):
            catalog.partitions(view.identifier)

    # -- list and change ---------------------------------------------------------------------------------------------

    def test_names_are_filtered_by_some_columns(self, typed: ViewPartitions) -> None:
        typed.add([{"d": f"2026-08-0{day}", "hr": hour, "price": 1} for day in (1, 2) for hour in (7, 8)])
        assert sorted(typed.names({"d": "2026-8-1"})) == ["d=2026-08-01/hr=7/price=1", "d=2026-08-01/hr=8/price=1"]
        assert sorted(typed.names({"hr": "08"})) == ["d=2026-08-01/hr=8/price=1", "d=2026-08-02/hr=8/price=1"]
        assert typed.names({"hr": 9}) == []
        with pytest.raises(InvalidPartitionError, match="day"):
            typed.names({"day": 1})

    def test_those_that_are_gone_are_left_out_of_what_is_loaded(self, days: ViewPartitions) -> None:
        assert [name for name, _ in days.load(["ds=2026-08-22", "ds=gone"])] == ["ds=2026-08-22"]

    def test_parameters_of_partitions_are_set_beside_the_others(self, days: ViewPartitions) -> None:
        days.set_parameters(["ds=2026-08-21", "ds=2026-08-22"], {"a": "1"})
        days.set_parameters(["ds=2026-08-22"], {"b": "2"})
        found = {name: partition.parameters for name, partition in days.load()}
        assert found["ds=2026-08-21"]["a"] == "1"
        assert (found["ds=2026-08-22"]["a"], found["ds=2026-08-22"]["b"]) == ("1", "2")
        assert "a" not in found["ds=2026-08-23"]
        with pytest.raises(NoSuchPartitionError) as refusal:
            days.set_parameters(["ds=2026-08-21", "ds=gone"], {"a": "2"})
        assert refusal.value.partitions == ["ds=gone"]

    # -- drop --------------------------------------------------------------------------------------------------------

    def test_partitions_are_dropped_by_their_values(self, days: ViewPartitions) -> None:
        assert days.drop(DAYS[:2]) == ["ds=2026-08-21", "ds=2026-08-22"]
        assert days.values() == DAYS[2:]

    def test_partitions_are_dropped_by_values_of_some_columns(self, typed: ViewPartitions) -> None:
        typed.add([{"d": f"2026-08-0{day}", "hr": hour, "price": 1} for day in (1, 2) for hour in (7, 8)])
        assert sorted(typed.drop([{"hr": 7}, {"d": "2026-08-01"}])) == [
            "d=2026-08-01/hr=7/price=1",
            "d=2026-08-01/hr=8/price=1",
            "d=2026-08-02/hr=7/price=1",
        ]
        assert typed.names() == ["d=2026-08-02/hr=8/price=1"]

    def test_partitions_are_dropped_by_a_question_to_typed_values(self, typed: ViewPartitions) -> None:
        typed.add([{"d": "2026-08-01", "hr": hour, "price": "9.5"} for hour in (7, 8, 10)])
        seen: list[Mapping[str, Any]] = []

        def late(values: Mapping[str, Any]) -> bool:
            seen.append(values)
            return bool(values["hr"] > 7)

        assert sorted(typed.drop(where=late)) == ["d=2026-08-01/hr=10/price=9.5", "d=2026-08-01/hr=8/price=9.5"]
        assert {"d": date(2026, 8, 1), "hr": 7, "price": Decimal("9.5")} in seen
        assert typed.names() == ["d=2026-08-01/hr=7/price=9.5"]

    def test_dropping_what_is_not_there_is_refused_and_drops_nothing(self, days: ViewPartitions) -> None:
        with pytest.raises(NoSuchPartitionError) as refusal:
            days.drop([DAYS[0], {"ds": "gone"}])
        assert refusal.value.partitions == ["ds=gone"]
        assert days.values() == DAYS
        assert days.drop([DAYS[0], {"ds": "gone"}], if_exists=True) == ["ds=2026-08-21"]

    def test_a_drop_must_say_what(self, days: ViewPartitions) -> None:
        with pytest.raises(InvalidPartitionError, match="Say which"):
            days.drop()
        assert days.values() == DAYS

    def test_a_drop_by_some_columns_that_fit_nothing_is_refused(self, typed: ViewPartitions) -> None:
        with pytest.raises(NoSuchPartitionError, match="hr=9"):
            typed.drop([{"hr": 9}])
        assert typed.drop([{"hr": 9}], if_exists=True) == []

    # -- the view around them ----------------------------------------------------------------------------------------

    def test_partitions_stay_when_the_view_is_replaced_and_rolled_back(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        catalog.replace_view(name, sql={"hive": BETTER, "trino": BETTER})
        assert catalog.partitions(name).values() == DAYS
        wider = catalog.replace_view(name, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS)
        assert [column.name for column in wider.columns] == ["user_id", "country", "clicks", "ds"]
        assert catalog.partitions(name).values() == DAYS
        catalog.roll_back_view(name, to_version=1)
        assert catalog.partitions(name).values() == DAYS
        assert catalog.load_view(name).differences == ()
        catalog.partitions(name).add([{"ds": "2026-08-24"}])
        catalog.drop_view(name)

    @pytest.mark.parametrize(
        "changes",
        [
            {"partitioned_on": []},
            {"partitioned_on": ["clicks", "ds"]},
            {"schema": [*COLUMNS[:2], ("day", "string")], "partitioned_on": ["day"]},
            {"schema": [*COLUMNS[:2], ("ds", "date")]},
        ],
        ids=["no keys", "more keys", "another name", "another type"],
    )
    def test_keys_do_not_change_while_there_are_partitions(
        self, catalog: ViewCatalog, days: ViewPartitions, changes: Any
    ) -> None:
        name = days.view.identifier
        sql = {"hive": SELECT, "trino": SELECT}
        with nothing_written(catalog, name), pytest.raises(InvalidSchemaError, match="10217"):
            catalog.replace_view(name, sql=sql, **changes)
        days.drop(DAYS)
        catalog.replace_view(name, sql=sql, **changes)
        assert catalog.load_view(name).differences == ()

    def test_the_comment_of_a_key_changes_while_there_are_partitions_and_a_roll_back_brings_the_old_one(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        sql = {"hive": SELECT, "trino": SELECT}
        catalog.replace_view(name, sql=sql, schema=[*COLUMNS[:2], ("ds", "string", "day")])
        assert catalog.metastore.load_row(name).partition_keys == (Column("ds", "string", "day"),)
        catalog.roll_back_view(name, to_version=1)
        assert catalog.metastore.load_row(name).partition_keys == (Column("ds", "string"),)
        assert catalog.partitions(name).values() == DAYS
        assert catalog.load_view(name).differences == ()

    def test_a_roll_back_does_not_change_keys_while_there_are_partitions(
        self, catalog: ViewCatalog, partitioned: View
    ) -> None:
        name, sql = partitioned.identifier, {"hive": SELECT, "trino": SELECT}
        catalog.replace_view(name, sql=sql, schema=[*COLUMNS[:2], ("ds", "date")])
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        with nothing_written(catalog, name), pytest.raises(InvalidSchemaError, match="10217"):
            catalog.roll_back_view(name, to_version=1)

    def test_a_file_with_other_keys_is_not_registered_over_partitions(
        self, catalog: ViewCatalog, days: ViewPartitions, view: View
    ) -> None:
        name = days.view.identifier
        with nothing_written(catalog, name), pytest.raises(InvalidSchemaError, match="10217"):
            catalog.register_view(name, view.metadata_location, overwrite=True)

    def test_partitions_go_along_when_the_view_is_renamed(self, catalog: ViewCatalog, days: ViewPartitions) -> None:
        target = f"{days.view.identifier.namespace}.renamed"
        catalog.rename_view(days.view.identifier, target)
        assert catalog.partitions(target).values() == DAYS

    def test_partitions_of_a_dropped_view_are_restored_from_the_journal(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        days.drop([DAYS[1]])
        days.add([{"ds": "2026-08-24"}])
        days.drop([{"ds": "2026-08-24"}])
        days.add([{"ds": "2026-08-24"}])
        catalog.drop_view(name)
        catalog.register_view(name, days.view.metadata_location)
        partitions = catalog.partitions(name)
        assert partitions.names() == []
        assert partitions.restore().added == ["ds=2026-08-21", "ds=2026-08-23", "ds=2026-08-24"]
        assert partitions.names() == ["ds=2026-08-21", "ds=2026-08-23", "ds=2026-08-24"]
        assert partitions.restore().added == []

    def test_the_journal_of_another_view_in_the_same_place_is_not_ours(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        catalog.drop_view(name)
        create(catalog, str(name), partitioned_on=["ds"])
        assert catalog.partitions(name).restore().added == []

    def test_the_journal_goes_along_when_the_location_changes(
        self, catalog: ViewCatalog, days: ViewPartitions, warehouse: str
    ) -> None:
        name = days.view.identifier
        moved = catalog.alter_view(name, location=f"{warehouse}/moved")
        catalog.partitions(name).add([{"ds": "2026-08-24"}])
        catalog.drop_view(name)
        catalog.register_view(name, moved.metadata_location)
        assert catalog.partitions(name).restore().added == [f"ds=2026-08-2{day}" for day in (1, 2, 3, 4)]

    def test_an_entry_of_the_journal_that_was_changed_is_named(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        changed = f"{days.view.location}/partitions/{incarnation_of(days.view.metadata)}-{9:012d}-x.partitions"
        catalog.storage.write_bytes(changed, b"{}\n")
        with pytest.raises(CorruptMetadataError) as refusal:
            days.restore()
        assert refusal.value.location == changed

    # -- other writers -----------------------------------------------------------------------------------------------

    def test_what_others_declared_and_dropped_is_in_the_journal_once_it_is_seen(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        theirs = [Partition((day,), has_descriptor=self.stores_descriptors) for day in ("2026-08-25", "2026-08-26")]
        catalog.metastore.add_partitions(name, theirs, if_not_exists=False)
        catalog.metastore.drop_partitions(name, ["ds=2026-08-21"], if_exists=False)
        assert catalog.partitions(name).drop(where=lambda values: values["ds"] == "2026-08-26") == ["ds=2026-08-26"]
        catalog.drop_view(name)
        catalog.register_view(name, days.view.metadata_location)
        assert catalog.partitions(name).restore().added == [f"ds=2026-08-2{day}" for day in (2, 3, 5)]

    def test_what_another_engine_dropped_from_the_row_as_it_is_does_not_come_back(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        catalog.metastore.drop_partitions(days.view.identifier, ["ds=2026-08-21"], if_exists=False)
        restored = days.restore()
        assert restored.added == []
        assert list(restored.left_out) == ["ds=2026-08-21"]
        assert days.restore().left_out == {}
        assert days.names() == ["ds=2026-08-22", "ds=2026-08-23"]

    def test_a_name_that_does_not_fit_any_more_is_left_out_of_what_is_restored_and_reported(
        self, catalog: ViewCatalog, typed: ViewPartitions
    ) -> None:
        name = typed.view.identifier
        theirs = Partition(("2026-08-21", "x", "1"), has_descriptor=self.stores_descriptors)
        typed.add([{"d": "2026-08-20", "hr": 1, "price": 1}])
        catalog.metastore.add_partitions(name, [theirs], if_not_exists=False)
        typed.drop(where=lambda values: False)
        catalog.drop_view(name)
        catalog.register_view(name, typed.view.metadata_location)
        restored = catalog.partitions(name).restore()
        assert restored.added == ["d=2026-08-20/hr=1/price=1"]
        assert list(restored.left_out) == ["d=2026-08-21/hr=x/price=1"]

    def test_partitions_added_by_an_object_from_before_the_location_changed_are_restored(
        self, catalog: ViewCatalog, days: ViewPartitions, warehouse: str
    ) -> None:
        name = days.view.identifier
        catalog.alter_view(name, location=f"{warehouse}/moved")
        days.add([{"ds": "2026-08-24"}])
        assert days.view.location.endswith("/moved")
        last = catalog.load_view(name).metadata_location
        catalog.drop_view(name)
        catalog.register_view(name, last)
        assert catalog.partitions(name).restore().added == [f"ds=2026-08-2{day}" for day in (1, 2, 3, 4)]

    def test_nothing_is_added_under_keys_that_changed_since_the_partitions_were_asked_for(
        self, catalog: ViewCatalog, partitioned: View
    ) -> None:
        name = partitioned.identifier
        held = catalog.partitions(name)
        sql = {"hive": SELECT, "trino": SELECT}
        catalog.replace_view(name, sql=sql, schema=[*COLUMNS[:2], ("region", "string")], partitioned_on=["region"])
        with pytest.raises(InvalidPartitionError, match=r"from \(ds string\) to \(region string\)"):
            held.add([{"ds": "2026-08-21"}])
        assert catalog.partitions(name).names() == []
        assert catalog.partitions(name).restore().added == []

    def test_partitions_of_a_view_that_was_recreated_are_not_those_that_were_asked_for(
        self, catalog: ViewCatalog, days: ViewPartitions
    ) -> None:
        name = days.view.identifier
        catalog.drop_view(name)
        create(catalog, str(name), partitioned_on=["ds"])
        catalog.partitions(name).add(DAYS)
        for change in (
            lambda: days.add([{"ds": "a"}]),
            lambda: days.drop(DAYS[:1]),
            lambda: days.set_parameters(["ds=2026-08-21"], {"a": "1"}),
            days.restore,
        ):
            with pytest.raises(CommitFailedError, match="recreated"):
                change()
        assert catalog.partitions(name).values() == DAYS

    @pytest.mark.parametrize("keys", [(), ("hr",), ("region", "hr"), ("hr", "d"), ("d", "hr", "price", "more")])
    def test_partitions_that_an_alter_left_behind_are_reported_loaded_and_dropped(
        self, catalog: ViewCatalog, typed: ViewPartitions, keys: tuple[str, ...]
    ) -> None:
        name, left = self.left_behind(catalog, typed, keys)
        assert [(found, one.values) for found, one in typed.load()] == [(left, ("2026-08-21", "1", "1"))]
        assert orphans_among(typed.names(), catalog.metastore.load_row(name).partition_keys) == [left]
        assert typed.drop([{"d": "2026-08-21", "hr": 1, "price": 1}]) == [left]
        assert typed.names() == []

    @pytest.mark.parametrize("keys", [(), ("hr",), ("region", "hr", "price"), ("hr", "d", "price")])
    @pytest.mark.parametrize("purge", [False, True])
    def test_a_view_is_dropped_with_the_partitions_that_an_alter_left_behind(
        self, catalog: ViewCatalog, typed: ViewPartitions, keys: tuple[str, ...], purge: bool
    ) -> None:
        """A Hive 2.3 would look for them under other names for ever."""
        name, _ = self.left_behind(catalog, typed, keys)
        catalog.drop_view(name, purge=purge)
        assert not catalog.view_exists(name)

    def test_partitions_left_behind_are_dropped_alone(self, catalog: ViewCatalog, typed: ViewPartitions) -> None:
        name = typed.view.identifier
        row = catalog.metastore.load_row(name)
        others = (Column("region", "string"), *row.partition_keys[1:])
        catalog.metastore.swap_row(replace(row, partition_keys=others), expected=None)
        stray = Partition(("eu", "1", "1"), has_descriptor=self.stores_descriptors)
        catalog.metastore.add_partitions(name, [stray], if_not_exists=False)
        catalog.metastore.swap_row(row, expected=None)
        partitions = catalog.partitions(name)
        catalog.metastore.add_partitions(name, [replace(stray, values=("2026-08-21", "1", "1"))], if_not_exists=False)
        assert partitions.orphans() == ["region=eu/hr=1/price=1"]
        assert partitions.drop_orphans() == ["region=eu/hr=1/price=1"]
        assert partitions.names() == ["d=2026-08-21/hr=1/price=1"]

    def left_behind(self, catalog: ViewCatalog, typed: ViewPartitions, keys: tuple[str, ...]) -> tuple[Any, str]:
        """One partition, and a row with these keys, as an ALTER over Thrift makes it."""
        name = typed.view.identifier
        typed.add([{"d": "2026-08-21", "hr": 1, "price": 1}])
        row = catalog.metastore.load_row(name)
        changed = replace(row, partition_keys=tuple(Column(key, "string") for key in keys))
        catalog.metastore.swap_row(changed, expected=None)
        return name, "d=2026-08-21/hr=1/price=1"
