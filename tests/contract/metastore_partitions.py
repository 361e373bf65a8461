"""What every metastore does with the partitions of a view."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from hive_views.errors import (
    HiveViewsError,
    InvalidPartitionError,
    NoSuchPartitionError,
    NoSuchTableError,
    PartitionAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.hive.partition_names import DEFAULT_PARTITION, parse_partition_name
from hive_views.hive.row import DDL_TIME, Column
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.port import AddedPartitions, Metastore, Swap
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.metastore_setup import (
    DS,
    HR,
    MetastoreSetup,
    in_threads,
    location,
    partition,
    pointing_to,
    values,
    view_row,
    without_server_fields,
)


class PartitionsOfAMetastore(MetastoreSetup):
    # -- partitions --------------------------------------------------------------------------------------------------

    def test_partitions_come_back_with_values_parameters_and_time(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        added = metastore.add_partitions(
            partitioned, [self.bare("2026-08-21", "7", publisher="nightly"), self.bare("b", "1")], if_not_exists=False
        )
        assert values(added.partitions) == [("2026-08-21", "7"), ("b", "1")]
        assert metastore.partition_names(partitioned) == ["ds=2026-08-21/hr=7", "ds=b/hr=1"]
        (found,) = metastore.load_partitions(partitioned, ["ds=2026-08-21/hr=7"])
        assert found.values == ("2026-08-21", "7")
        assert without_server_fields(dict(found.parameters)) == {"publisher": "nightly"}
        assert abs(found.create_time_s - time.time()) < 600
        assert found.has_descriptor is not self.takes_bare_partitions

    def test_values_with_any_characters_come_back_and_names_are_escaped(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        awkward = {"a/b=c": "ds=a%2Fb%3Dc/hr=1", "50%:x": "ds=50%25%3Ax/hr=1", "a b'\"*?": "ds=a b%27%22%2A%3F/hr=1"}
        if self.holds_any_text:
            awkward["Köln 東京"] = "ds=Köln 東京/hr=1"
        metastore.add_partitions(partitioned, [self.bare(value, "1") for value in awkward], if_not_exists=False)
        assert sorted(metastore.partition_names(partitioned)) == sorted(awkward.values())
        for value, name in awkward.items():
            assert values(metastore.load_partitions(partitioned, [name])) == [(value, "1")]
            assert metastore.partition_names(partitioned, {"ds": value}) == [name]
        metastore.drop_partitions(partitioned, list(awkward.values()), if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_names_are_filtered_by_the_values_of_any_columns(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [
            ("2026", "1"),
            ("2026", "10"),
            ("2026", "2"),
            ("20", "1"),
            ("2026-1", "1"),
            ("x.26", "1"),
            ("xx26", "1"),
        ]
        metastore.add_partitions(partitioned, [self.bare(*one) for one in given], if_not_exists=False)

        def names(**prefix: str) -> list[str]:
            return sorted(metastore.partition_names(partitioned, prefix))

        assert names(ds="2026") == ["ds=2026/hr=1", "ds=2026/hr=10", "ds=2026/hr=2"]
        assert names(ds="20") == ["ds=20/hr=1"]
        assert names(ds="x.26") == ["ds=x.26/hr=1"]
        assert names(hr="10") == ["ds=2026/hr=10"]
        assert names(ds="2026", hr="1") == ["ds=2026/hr=1"]
        assert names(ds="2027") == []
        assert len(names()) == len(given)

    def test_a_filter_by_an_unknown_column_is_refused(self, metastore: Metastore, partitioned: TableIdentifier) -> None:
        with pytest.raises(InvalidPartitionError):
            metastore.partition_names(partitioned, {"day": "a"})

    def test_names_are_filtered_by_a_range_of_the_first_value_as_text(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        days = [f"2026-08-{day:02d}" for day in range(1, 21)]
        given = [(day, hour) for day in [*days, DEFAULT_PARTITION] for hour in ("7", "08")]
        metastore.add_partitions(partitioned, [self.bare(*one) for one in given], if_not_exists=False)

        def found(low: str | None, high: str | None) -> list[tuple[str, ...]]:
            names = metastore.partition_names_within(partitioned, ["ds", "hr"], ValueRange(low, high))
            return sorted(tuple(parse_partition_name(name).values()) for name in names)

        def of(*chosen: str) -> list[tuple[str, ...]]:
            return sorted((day, hour) for day in chosen for hour in ("7", "08"))

        assert found("2026-08-19", None) == of(*days[18:])
        assert found(None, "2026-08-02") == of(*days[:2])
        assert found("2026-08-07", "2026-08-08") == of(*days[6:8])
        assert found("2026-08-1", "2026-08-10") == of("2026-08-10")
        assert found("2026-08-02x", "2026-08-04") == of(*days[2:4])
        assert found("2026-08-02", None) == of(*days[1:])
        assert found("2026-08-08", "2026-08-07") == found("2026-09", None) == []

    def test_a_range_finds_the_same_whatever_a_database_takes_for_equal_or_orders_otherwise(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        """Derby and MariaDB take a text with blanks at its end for the one without, and report one of them."""
        days = [f"2026-08-{day:02d}" for day in range(1, 21)]
        awkward = ["2026-08-19 ", "2026_08_19", "2026/08/19", "a", "B", "_", "~", "it's", 'q"q']
        for number, more in enumerate([["2026-08-19 "], awkward]):
            values = [*days, *more]
            given = [self.bare(text, str(number)) for text in values]
            metastore.add_partitions(partitioned, given, if_not_exists=False)
            for low in ("2026-08-19", "2026-08-2", "A", "it's", '"'):
                names = metastore.partition_names_within(partitioned, ["ds", "hr"], ValueRange(low))
                assert {parse_partition_name(name)["ds"] for name in names} == {text for text in values if text >= low}

    @pytest.mark.parametrize("keys", [("date", "hr"), ("ds",)])
    def test_a_range_is_found_of_any_first_column(
        self, metastore: Metastore, namespace: str, keys: tuple[str, ...]
    ) -> None:
        row = view_row(namespace, "p", partition_keys=tuple(Column(key, "string") for key in keys))
        metastore.create_row(row)
        given = [self.bare(*(f"2026-08-{day:02d}", "7")[: len(keys)]) for day in range(1, 9)]
        metastore.add_partitions(row.identifier, given, if_not_exists=False)
        names = metastore.partition_names_within(row.identifier, keys, ValueRange("2026-08-08"))
        assert [parse_partition_name(name)[keys[0]] for name in names] == ["2026-08-08"]

    def test_listing_partitions_of_a_missing_view(self, metastore: Metastore, namespace: str) -> None:
        missing = TableIdentifier(namespace, "missing")
        if self.reports_missing_table_when_listing:
            with pytest.raises(NoSuchTableError):
                metastore.partition_names(missing)
            with pytest.raises(NoSuchTableError):
                metastore.partition_names_within(missing, ["ds", "hr"], ValueRange("2026"))
        else:
            assert metastore.partition_names(missing) == []
            assert metastore.partition_names_within(missing, ["ds", "hr"], ValueRange("2026")) == []

    def test_missing_partitions_are_left_out_when_loading(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1"), self.bare("b", "1")], if_not_exists=False)
        found = metastore.load_partitions(partitioned, ["ds=b/hr=1", "ds=c/hr=1", "ds=a/hr=1"])
        assert values(found) == [("a", "1"), ("b", "1")]
        assert metastore.load_partitions(partitioned, []) == []

    def test_an_existing_partition_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", first="yes")], if_not_exists=False)
        with pytest.raises(PartitionAlreadyExistsError):
            metastore.add_partitions(partitioned, [self.bare("b", "1"), self.bare("a", "1")], if_not_exists=False)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_if_not_exists_adds_the_missing_ones_and_returns_only_them(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", first="yes")], if_not_exists=False)
        again = [self.bare("a", "1", first="no"), self.bare("b", "1")]
        assert values(metastore.add_partitions(partitioned, again, if_not_exists=True).partitions) == [("b", "1")]
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["first"] == "yes"
        assert metastore.add_partitions(partitioned, again, if_not_exists=True) == AddedPartitions()

    @pytest.mark.parametrize("if_not_exists", [False, True])
    def test_a_partition_given_twice_in_one_call_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier, if_not_exists: bool
    ) -> None:
        twice = [self.bare("a", "1"), self.bare("b", "1"), self.bare("a", "1")]
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, twice, if_not_exists=if_not_exists)
        assert metastore.partition_names(partitioned) == []

    @pytest.mark.parametrize("wrong", [("a",), ("a", "1", "x")])
    def test_a_wrong_number_of_values_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier, wrong: tuple[str, ...]
    ) -> None:
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, [self.bare("b", "1"), self.bare(*wrong)], if_not_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_no_partition_without_a_descriptor_is_added_while_the_row_has_a_location(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        row = metastore.load_row(partitioned)
        place = f"{metastore.load_namespace(partitioned.namespace).location}/p"
        metastore.swap_row(pointing_to(replace(row, location=place), location(1)), expected=location(0))
        with pytest.raises(UnsupportedFeatureError):
            metastore.add_partitions(partitioned, [partition("a", "1")], if_not_exists=True)
        assert metastore.partition_names(partitioned) == []
        mended = replace(metastore.load_row(partitioned), location=None)
        metastore.swap_row(pointing_to(mended, location(2)), expected=location(1))
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=True)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_a_partition_with_an_empty_descriptor_is_distinguished_from_one_without(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        described = replace(partition("a", "1"), has_descriptor=True)
        metastore.add_partitions(partitioned, [described], if_not_exists=False)
        assert [found.has_descriptor for found in metastore.load_partitions(partitioned, ["ds=a/hr=1"])] == [True]
        if self.takes_bare_partitions:
            metastore.add_partitions(partitioned, [partition("b", "1")], if_not_exists=False)
            return
        refused = metastore.add_partitions(partitioned, [partition("b", "1")], if_not_exists=False)
        assert refused == AddedPartitions(needs_descriptors=True)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_a_parameter_of_4000_characters_fits_a_partition(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", pins="x" * 4_000)], if_not_exists=False)
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert found.parameters["pins"] == "x" * 4_000

    @pytest.mark.parametrize(("day", "pins"), [("a", "x" * 4_001), ("d" * 256, "x")])
    def test_what_is_too_long_for_a_partition_is_stored_whole_or_nothing_is_added(
        self, metastore: Metastore, partitioned: TableIdentifier, day: str, pins: str
    ) -> None:
        given = [self.bare("ok", "1"), self.bare(day, "1", pins=pins)]
        try:
            metastore.add_partitions(partitioned, given, if_not_exists=False)
        except HiveViewsError:
            assert metastore.partition_names(partitioned) == []
        else:
            (found,) = metastore.load_partitions(partitioned, [f"ds={day}/hr=1"])
            assert (found.values, found.parameters["pins"]) == ((day, "1"), pins)

    def test_altering_replaces_the_parameters_and_nothing_else(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(
            partitioned, [self.bare("a", "1", old="1"), self.bare("b", "1", old="1")], if_not_exists=False
        )
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        metastore.alter_partitions(partitioned, [replace(found, parameters={"new": "2"})])
        after = metastore.load_partitions(partitioned, ["ds=a/hr=1", "ds=b/hr=1"])
        reported = {one.values: without_server_fields(dict(one.parameters)) for one in after}
        assert reported == {("a", "1"): {"new": "2"}, ("b", "1"): {"old": "1"}}
        assert {one.has_descriptor for one in after} == {not self.takes_bare_partitions}

    def test_altering_sets_the_time_of_the_last_change(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        metastore.alter_partitions(partitioned, [replace(found, parameters={DDL_TIME: "1"})])
        (after,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert int(after.parameters[DDL_TIME]) >= int(found.parameters[DDL_TIME])

    def test_altering_a_missing_partition_changes_nothing(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", old="1")], if_not_exists=False)
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        changed = [replace(found, parameters={"new": "2"}), self.bare("missing", "1")]
        with pytest.raises(NoSuchPartitionError):
            metastore.alter_partitions(partitioned, changed)
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["old"] == "1"

    def test_dropping_is_all_or_nothing(self, metastore: Metastore, partitioned: TableIdentifier) -> None:
        given = [self.bare(day, "1") for day in "abc"]
        metastore.add_partitions(partitioned, given, if_not_exists=False)
        with pytest.raises(NoSuchPartitionError):
            metastore.drop_partitions(partitioned, ["ds=a/hr=1", "ds=missing/hr=1"], if_exists=False)
        assert len(metastore.partition_names(partitioned)) == 3
        metastore.drop_partitions(partitioned, ["ds=a/hr=1", "ds=missing/hr=1"], if_exists=True)
        assert metastore.partition_names(partitioned) == ["ds=b/hr=1", "ds=c/hr=1"]
        metastore.drop_partitions(partitioned, ["ds=b/hr=1", "ds=c/hr=1"], if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_a_partition_is_noted_as_loaded_by_its_name_alone(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        name = "ds=a%2Fb%3Dc/hr=1"
        assert not metastore.is_load_done(partitioned, name)
        metastore.mark_load_done(partitioned, name)
        metastore.mark_load_done(partitioned, name)
        assert metastore.is_load_done(partitioned, name)
        assert not metastore.is_load_done(partitioned, "ds=a%2Fb%3Dc/hr=2")
        assert metastore.partition_names(partitioned) == [], "a note is not a partition"

    def test_the_note_that_a_partition_is_loaded_outlives_it(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        metastore.mark_load_done(partitioned, "ds=a/hr=1")
        metastore.drop_partitions(partitioned, ["ds=a/hr=1"], if_exists=False)
        assert metastore.is_load_done(partitioned, "ds=a/hr=1")

    def test_notes_of_loading_separate_values_by_commas(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.mark_load_done(partitioned, "ds=a,b/hr=c")
        assert metastore.is_load_done(partitioned, "ds=a/hr=b,c")

    @pytest.mark.parametrize("name", ["ds=a", "ds=a/other=1"])
    def test_a_note_of_loading_takes_a_value_for_each_partition_column(
        self, metastore: Metastore, partitioned: TableIdentifier, name: str
    ) -> None:
        for verb in (metastore.mark_load_done, metastore.is_load_done):
            with pytest.raises(InvalidPartitionError):
                verb(partitioned, name)

    def test_a_note_of_loading_needs_the_table(self, metastore: Metastore, namespace: str) -> None:
        missing = TableIdentifier(namespace, "missing")
        for verb in (metastore.mark_load_done, metastore.is_load_done):
            with pytest.raises(NoSuchTableError):
                verb(missing, "ds=a/hr=1")

    def test_1200_partitions_are_added_listed_loaded_and_dropped_in_batches(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare(f"d{number:04d}", "0") for number in range(1_200)]
        names = [f"ds=d{number:04d}/hr=0" for number in range(1_200)]
        for start in range(0, 1_200, 500):
            metastore.add_partitions(partitioned, given[start : start + 500], if_not_exists=False)
        assert metastore.partition_names(partitioned) == names
        assert len(metastore.load_partitions(partitioned, names[:500])) == 500
        for start in range(0, 1_200, 500):
            metastore.drop_partitions(partitioned, names[start : start + 500], if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_concurrent_writers_declaring_the_same_partitions_declare_each_once(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare(f"d{number}", "0") for number in range(20)]
        added = in_threads([lambda: metastore.add_partitions(partitioned, given, if_not_exists=True)] * 4)
        assert values(one for each in added for one in each.partitions) == values(given)
        assert len(metastore.partition_names(partitioned)) == 20

    # -- rows that have partitions -----------------------------------------------------------------------------------

    def test_a_swap_that_leaves_the_columns_keeps_the_partitions(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", publisher="me")], if_not_exists=False)
        row = metastore.load_row(partitioned)
        metastore.swap_row(pointing_to(replace(row, expanded_text="SELECT 3"), location(1)), expected=location(0))
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["publisher"] == "me"

    def test_columns_change_in_one_swap_or_the_swap_is_refused_whole(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        before = metastore.load_row(partitioned)
        changed = pointing_to(replace(before, columns=(Column("other", "date"),)), location(1))
        if self.changes_columns_in_one_call or not self.takes_bare_partitions:
            metastore.swap_row(changed, expected=location(0))
            assert metastore.load_row(partitioned).columns == (Column("other", "date"),)
        else:
            assert metastore.swap_row(changed, expected=location(0)) is Swap.CANNOT_CHANGE_COLUMNS
            assert metastore.load_row(partitioned) == before
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_columns_change_in_two_swaps_with_the_partition_columns_away_in_between(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare("a", "1", publisher="me"), self.bare("b", "2")]
        metastore.add_partitions(partitioned, given, if_not_exists=False)
        before = metastore.load_row(partitioned)

        metastore.swap_row(pointing_to(replace(before, partition_keys=()), location(1)), expected=location(0))
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1", "ds=b/hr=2"]
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, [self.bare("c", "3")], if_not_exists=False)
        metastore.drop_partitions(partitioned, ["ds=b/hr=2"], if_exists=False)

        columns = (Column("other", "date", "changed"), Column("more", "array<string>"))
        metastore.swap_row(pointing_to(replace(before, columns=columns), location(2)), expected=location(1))
        after = metastore.load_row(partitioned)
        assert (after.columns, after.partition_keys) == (columns, (DS, HR))
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert (kept.values, kept.parameters["publisher"]) == (("a", "1"), "me")
        metastore.add_partitions(partitioned, [self.bare("c", "3")], if_not_exists=False)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1", "ds=c/hr=3"]

    def test_a_row_that_lost_a_partition_column_is_dropped_whole_or_once_the_column_is_back(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        row = metastore.load_row(partitioned)
        metastore.swap_row(pointing_to(replace(row, partition_keys=(DS,)), location(1)), expected=location(0))
        if not self.drops_row_that_lost_a_key:
            with pytest.raises(HiveViewsError):
                metastore.drop_row(partitioned)
            metastore.swap_row(pointing_to(row, location(2)), expected=location(1))
        metastore.drop_row(partitioned)
        assert metastore.list_view_names(partitioned.namespace) == []
        metastore.create_row(row)
        assert metastore.partition_names(partitioned) == []
