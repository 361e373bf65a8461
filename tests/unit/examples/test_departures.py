"""The parts of the demonstration that need no Spark: its looks, its reading of plans, the calls that it shows."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from hive_views.errors import HiveViewsError, InvalidInputError, UnsupportedFeatureError
from hive_views.examples import flight_data as data
from hive_views.examples.departures import Stage, run_demo
from hive_views.examples.explained import Scan, scans_of
from hive_views.examples.processes import home_directory
from hive_views.examples.screen import Screen

PLAN = """\
== Physical Plan ==
AdaptiveSparkPlan (11)
+- BroadcastHashJoin LeftOuter BuildRight (5)
   :- Scan parquet spark_catalog.nyc.flights (1)
   +- BroadcastExchange (4)

(1) Scan parquet spark_catalog.nyc.flights
Output [4]: [origin#12, hr#15, dep_delay#16, ds#18]
Location: InMemoryFileIndex [file:/w/nyc.db/flights/ds=2013-01-06]
PartitionFilters: [isnotnull(ds#18), (ds#18 = 2013-01-06)]
ReadSchema: struct<origin:string,hr:int,dep_delay:double>

(3) Scan parquet spark_catalog.nyc.weather
Output [5]: [origin#19, wind_speed#21, visib#23, ds#24, hr#25]
Location: InMemoryFileIndex [file:/w/nyc.db/weather/ds=2013-01-06/hr=0, ... 23 entries]
PartitionFilters: [(ds#24 = 2013-01-06), dynamicpruningexpression(hr#25 IN dynamicpruning#40)]

(4) Scan parquet spark_catalog.nyc.airports
Output [1]: [origin#30]

===== Subqueries =====

(12) Scan parquet spark_catalog.nyc.flights
Location: InMemoryFileIndex [file:/w/nyc.db/flights/ds=2013-01-06]
PartitionFilters: []
"""


def a_screen(**options: object) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    return Screen(Console(file=out, width=60, **options)), out  # type: ignore[arg-type]


class TestScreen:
    def test_blocks_are_kept_apart_by_one_empty_line(self) -> None:
        screen, out = a_screen()
        screen.step("One")
        screen.say("word " * 20)
        screen.code("a = 1\n\nb = [2]\n", "python")
        screen.table(("A", "B"), [("[red]x", None), (1, "y")])
        screen.good("Well done.")
        screen.step("Two")
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        assert lines[:2] == ["1. One", "------"]
        assert max(map(len, lines)) <= 60
        assert lines[4:] == [
            "",
            "    a = 1",
            "",
            "    b = [2]",
            "",
            "    A       B",
            "    [red]x",
            "    1       y",
            "",
            "ok  Well done.",
            "",
            "2. Two",
            "------",
        ]

    def test_code_is_never_wrapped(self) -> None:
        screen, out = a_screen()
        screen.code("x" * 200, "text")
        assert " " * 4 + "x" * 200 in out.getvalue()

    def test_a_pipe_gets_a_line_before_and_after_what_takes_long(self) -> None:
        screen, out = a_screen()
        with screen.working("Loading"):
            assert out.getvalue() == "Loading ...\n"
        assert out.getvalue().splitlines()[1].startswith("Loading: 0.")

    def test_a_terminal_gets_a_sign_that_goes_away(self) -> None:
        screen, out = a_screen(force_terminal=True)
        with screen.working("Loading"):
            pass
        assert "\x1b[?25l" in out.getvalue()
        assert "\x1b[?25h" in out.getvalue()
        assert "Loading: 0." in out.getvalue()


class TestPlan:
    def test_scans_report_how_many_partitions_they_read_and_why(self) -> None:
        scans = scans_of(PLAN)
        assert [(scan.table, scan.partitions, scan.filter_on("ds")) for scan in scans] == [
            ("nyc.flights", 1, "ds = 2013-01-06"),
            ("nyc.weather", 24, "ds = 2013-01-06"),
            ("nyc.airports", 0, ""),
        ]

    def test_a_filter_on_another_column_is_none_on_this(self) -> None:
        assert Scan("t", 1, "(hr#1 = 7), (dsx#2 = 8)").filter_on("ds") == ""


class TestShownCode:
    def test_what_is_shown_is_the_block_that_runs(self) -> None:
        screen, out = a_screen()
        with screen.shown_code(), screen.working("Adding"):
            added = sum(
                [1, 2],
            )
        assert added == 3
        assert [line.rstrip() for line in out.getvalue().splitlines()][:4] == [
            "    added = sum(",
            "        [1, 2],",
            "    )",
            "",
        ]

    def test_the_correction_is_one_word(self) -> None:
        assert data.SELECT.replace("JOIN", "LEFT JOIN") == data.BETTER
        assert data.BETTER.count("LEFT JOIN") == 1


class TestBeginning:
    def test_a_claim_that_does_not_hold_ends_the_demonstration(self, tmp_path: Path) -> None:
        screen, out = a_screen()
        stage = Stage(screen, tmp_path, None, None)  # type: ignore[arg-type]
        stage.check(True, "This holds.", None)
        with pytest.raises(HiveViewsError, match=r"This does not\. Found: \[1\]"):
            stage.check(False, "This does not.", [1])
        assert out.getvalue() == "ok  This holds.\n"

    def test_missing_data_are_reported_before_anything_starts(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        out = io.StringIO()
        with pytest.raises(UnsupportedFeatureError, match=r"pip install 'hive_views\[demo\]'"):
            run_demo(tmp_path / "kept", Console(file=out))
        assert out.getvalue() == ""
        assert not (tmp_path / "kept").exists()

    def test_a_directory_to_keep_must_be_empty(self, tmp_path: Path) -> None:
        with home_directory(tmp_path / "new" / "kept") as home:
            assert home.is_dir()
        (home / "precious").touch()
        with pytest.raises(InvalidInputError, match="is not empty"), home_directory(home):
            raise AssertionError("it was taken")

    def test_a_directory_that_is_not_kept_is_removed(self) -> None:
        with home_directory(None) as home:
            (home / "file").touch()
        assert not home.exists()
