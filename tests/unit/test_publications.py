"""Files of publications, and which publications go together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.port import PartitionListing
from hive_views.errors import InvalidIdentifierError, InvalidInputError
from hive_views.publishing.batch.publication import Publication, check_publications, chosen, in_waves
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.readiness.conditions import conditions_of
from hive_views.readiness.rules import (
    AllOf,
    AnyOf,
    Rule,
    When,
    column,
    committed_with,
    has_at_least,
    marked_done,
    negate,
    quiet_for,
    requires,
    timestamp,
    values_of,
    watermark_passed,
)
from hive_views.readiness.text_form import read_partition, read_requirement
from tests.unit import publishing_plans
from tests.unit.publishing_plans import planned

DS, HR = column("ds"), column("hr")
FIRST = {"ds": "2013-01-01", "hr": "0"}

FULL = """
[defaults]
app_id = "nightly"
parameters = { team = "web" }

[[publication]]
view = "Sales.Daily"
requires = ["web.clicks ds=ds hr=00..01", "web.users ds=ds"]
since = "ds=2026-08-01"
until = { ds = 2026-08-31 }
run_version = 7
retract = true
record_reads = true

  [[publication.rule]]
  any_of = ["web.calls ds=ds", { rule = "requires", table = "web.no_calls ds=ds", format = "hive" }]

[[publication]]
name = "closed days"
view = "sales.closed"
app_id = "hourly"
partitions = ["ds=2026-08-21,hr=7", { ds = "2026-08-22", hr = 8 }]
rule = [{ rule = "when", function = "tests.unit.test_publications:is_closed", reason = "the day is open" }]
"""


def is_closed(values: Any) -> bool:
    return bool(values)


def is_open(values: Any) -> bool:
    return not values


def publication(view: str = "sales.daily", **options: Any) -> Publication:
    return Publication(view, [requires("web.clicks", ds=column("ds"))], **options)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "publications.toml"


def refusal(file: Path, text: str) -> str:
    file.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        read_publications(file)
    return str(caught.value)


def one(keys: str, requires_: str = '["web.clicks ds=ds"]') -> str:
    return (
        f'[[publication]]\nview = "sales.first"\nrequires = ["web.c"]\n[[publication]]\nrequires = {requires_}\n{keys}'
    )


class TestFile:
    def test_it_says_all_that_publish_takes(self, file: Path) -> None:
        file.write_text(FULL)
        first, second = read_publications(file)
        assert (first.name, first.view, first.app_id, first.run_version) == ("sales.daily", "sales.daily", "nightly", 7)
        assert first.since == {"ds": "2026-08-01"}
        assert str((first.until or {})["ds"]) == "2026-08-31"
        assert (first.retract, first.strict, first.parameters) == (True, False, {"team": "web"})
        assert (first.record_reads, second.record_reads) == (True, False)
        clicks, users, calls = first.rules
        assert [required.table for required in clicks.requirements()] == ["web.clicks"]
        assert [required.table for required in users.requirements()] == ["web.users"]
        assert isinstance(calls, AnyOf)
        assert [(r.table, r.format) for r in calls.requirements()] == [("web.calls", None), ("web.no_calls", "hive")]
        assert (second.name, second.app_id, second.run_version) == ("closed days", "hourly", None)
        assert second.candidates == [{"ds": "2026-08-21", "hr": "7"}, {"ds": "2026-08-22", "hr": 8}]
        [closed] = second.rules
        assert isinstance(closed, When)
        assert (closed.function, closed.reason) == (is_closed, "the day is open")

    @pytest.mark.parametrize(
        ("written", "strict"),
        [
            ("true", True),
            ("false", False),
            ('{ region = "eu", hr = 7 }', {"region": "eu", "hr": 7}),
            ('"region=eu,hr=7"', {"region": "eu", "hr": "7"}),
        ],
    )
    def test_strict_is_yes_or_no_or_the_values_to_judge_by(self, file: Path, written: str, strict: object) -> None:
        file.write_text("[defaults]\nstrict = true\n" + one(f"view = 's.v'\nstrict = {written}"))
        assert [publication.strict for publication in read_publications(file)] == [True, strict]

    def test_rules_compose_inside_each_other(self, file: Path) -> None:
        file.write_text(one('view = "s.v"\nrule = [{ all_of = ["w.a", { any_of = ["w.b", "w.c"] }] }]', "[]"))
        [rule] = read_publications(file)[1].rules
        assert isinstance(rule, AllOf)
        assert [required.table for required in rule.requirements()] == ["w.a", "w.b", "w.c"]

    @pytest.mark.parametrize(
        ("written", "rule"),
        [
            ('{ rule = "has_at_least", table = "w.a ds=ds", records = 7 }', has_at_least("w.a", ds=DS, records=7)),
            (
                '{ rule = "has_at_least", table = "w.a ds=ds format=delta", records = 7 }',
                has_at_least("w.a", ds=DS, records=7, format="delta"),
            ),
            (
                '{ rule = "marked_done", table = "w.a ds=ds known_empty=[ds=1; ds=2]", by = "event" }',
                marked_done("w.a", ds=DS, by="event", known_empty=[{"ds": "1"}, {"ds": "2"}]),
            ),
            ('{ rule = "quiet_for", table = "w.a ds=ds", seconds = 60 }', quiet_for("w.a", ds=DS, seconds=60)),
            (
                '{ rule = "marked_done", table = "w.a ds=ds", by = "event", known_empty = ["ds=1"] }',
                marked_done("w.a", ds=DS, by="event", known_empty=[{"ds": "1"}]),
            ),
            (
                '{ rule = "committed_with", table = "w.a job=[nightly] ds=ds" }',
                committed_with("w.a", {"job": ["nightly"], "ds": DS}),
            ),
            ('{ rule = "watermark_passed", table = "w.a", timestamp = "ds" }', watermark_passed("w.a", DS)),
            (
                '{ rule = "watermark_passed", table = "w.a", timestamp = {date="ds", hour="hr"}, delay_seconds = 5 }',
                watermark_passed("w.a", timestamp(DS, hour=column("hr")), delay_seconds=5),
            ),
            ('{ negate = "w.a ds=ds" }', negate(requires("w.a", ds=DS))),
        ],
    )
    def test_every_rule_of_python_can_be_written(self, file: Path, written: str, rule: Rule) -> None:
        file.write_text(one(f'view = "s.v"\nrule = [{written}]', "[]"))
        [found] = read_publications(file)[1].rules
        assert (type(found), repr(found)) == (type(rule), repr(rule))

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("[[publication", "Cannot read the publications"),
            ("", "there is no [[publication]]"),
            ("[[publications]]", "no key 'publications' at the top. Did you mean 'publication'?"),
            ("publication = 3", "publications are written [[publication]]"),
            ("[defaults]\nview = 'a.b'\n[[publication]]", "defaults: there is no key 'view'"),
            ("[defaults]\nsinse = 'ds=1'\n[[publication]]", "defaults: there is no key 'sinse'. Did you mean 'since'?"),
            (one("view = 's.v'\nrequire = ['web.c']"), "2 (s.v): there is no key 'require'. Did you mean 'requires'?"),
            (one(""), "publication 2, key view: Field required."),
            (one("view = 3"), "publication 2, key view: Input should be a valid string."),
            (one("view = 's.v'\nrun_version = '7'"), "2 (s.v), key run_version: Input should be a valid integer."),
            (one("view = 's.v'\nretract = 'yes'"), "2 (s.v), key retract: Input should be a valid boolean."),
            (one("view = 's.v'\nrecord_reads = 1"), "2 (s.v), key record_reads: Input should be a valid boolean."),
            (one("view = 's.v'\nrecord_read = true"), "no key 'record_read'. Did you mean 'record_reads'?"),
            (
                one("view = 's.v'\nstrict = 'yes'"),
                "2 (s.v), key strict: it is true, false, or values",
            ),
            (one("view = 's.v'\nstrict = 1"), "2 (s.v), key strict: it is true, false, or values"),
            (one("view = 's.v'\nstrict = {}"), "2 (s.v): strict is true, false, or values"),
            (one("view = 's.v'\nstric = true"), "2 (s.v): there is no key 'stric'. Did you mean 'strict'?"),
            (one("view = 's.v'\nsince = 5"), "2 (s.v), key since: Input should be a valid dictionary."),
            (one("view = 's.v'\nsince = 'ds'"), "2 (s.v), key since: 'ds' is not COLUMN=VALUE"),
            (one("view = 's.v'\nparameters = {n = 1}"), "2 (s.v), key parameters: Input should be a valid string."),
            (one("view = 's'"), "publication 2 (s): "),
            (one("view = 's.v'", "[]"), "publication 2 (s.v): "),
            (one("view = 's.v'", "['w.a', 'w.b ds']"), "2 (s.v), key requires[2]: cannot read 'ds'"),
            (one("view = 's.v'", "['w.a ds=1 ds=2']"), "key requires[1]: '1' is no column"),
            (one("view = 's.v'", "['w.a ds=ds ds=hr']"), "key requires[1]: 'w.a ds=ds ds=hr' has two conditions"),
            (one("view = 's.v'", "['w.a hr=23..00']"), "key requires[1]: '23..00' is no range"),
            (one("view = 's.v'", "['w.a hr=0..99999999']"), "key requires[1]: '0..99999999' is no range"),
            (one("view = 's.v'", "[7]"), "key requires[1]: a requirement is a text"),
            (one("view = 's.v'\nrule = [7]"), "2 (s.v), key rule[1]: a rule is a text"),
            (one("view = 's.v'\nrule = [{anyof = []}]"), "key rule[1]: a rule's table has one of the keys"),
            (one("view = 's.v'\nrule = [{any_of = []}]"), "key rule[1]: any_of() takes one or more rules"),
            (one("view = 's.v'\nrule = [{any_of = 'w.a'}]"), "key rule[1]: any_of takes a list"),
            (one("view = 's.v'\nrule = [{any_of = ['w.a'], x = 1}]"), "key rule[1]: any_of stands alone"),
            (one("view = 's.v'\nrule = [{rule = 'require'}]"), "no rule 'require'. Did you mean 'requires'?"),
            (one("view = 's.v'\nrule = [{rule = 'requires'}]"), "the rule requires needs the key 'table'"),
            (one("view = 's.v'\nrule = [{rule = 'requires', table = 1}]"), "key rule[1]: the key table is a text"),
            (one("view = 's.v'\nrule = [{rule = 'quiet_for', table = 'w.a'}]"), "needs the key 'seconds'"),
            (one("view = 's.v'\nrule = [{rule = 'quiet_for', table = 'w.a', secs = 1}]"), "Did you mean 'seconds'?"),
            (
                one("view = 's.v'\nrule = [{rule = 'watermark_passed', table = 'w.a', timestamp = 3}]"),
                "the key timestamp is",
            ),
            (one("view = 's.v'\nrule = [{rule = 'marked_done', table = 'w.a', by = 'me'}]"), "key rule[1]: "),
            (
                one("view = 's.v'\nrule = [{rule = 'quiet_for', table = 'w.a known_empty=[ds=1]', seconds = 1}]"),
                "key rule[1]: the rule quiet_for has no key 'known_empty'",
            ),
            (
                one("view = 's.v'\nrule = [{rule = 'requires', table = 'w.a format=hive', format = 'hive'}]"),
                "say it once",
            ),
            (one("view = 's.v'\nrule = [{negate = ['w.a']}]"), "key rule[1]: a rule is a text"),
            (one("view = 's.v'\nrule = [{rule = 'requires', tabel = 'w.a'}]"), "'tabel'. Did you mean 'table'?"),
            (one("view = 's.v'\nrule = [{rule = 'when', function = 'x'}]"), "written 'package.module:function'"),
            (one("view = 's.v'\nrule = [{rule = 'when', function = 'no.such:f'}]"), "cannot import the function"),
        ],
    )
    def test_what_is_wrong_is_told_by_file_publication_and_key(self, file: Path, text: str, told: str) -> None:
        message = refusal(file, text)
        assert told in message
        assert str(file) in message

    def test_a_file_that_is_not_there_is_named(self, file: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"publications\.toml"):
            read_publications(file)

    def test_two_publications_of_one_view_that_contradict_each_other_are_named(self, file: Path) -> None:
        again = '[[publication]]\nview = "SALES.first"\nrequires = ["web.d"]\n'
        assert "Publications 1 and 3 are both of sales.first" in refusal(file, one('view = "s.v"\n' + again))

    def test_a_version_may_be_left_to_the_run_but_not_to_nobody(self, file: Path) -> None:
        file.write_text(one('view = "s.v"\napp_id = "nightly"'))
        found = read_publications(file)
        check_publications([publication.as_run("nightly", 3) for publication in found])
        with pytest.raises(InvalidInputError, match=r"Publication 2 \(s\.v\): Give app_id and run_version together"):
            check_publications(found)


class TestTogether:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"until": {"ds": "2026-07-31"}}, {"since": {"ds": "2026-08-01"}}),
            ({"since": {"ds": "2026-08-01"}}, {"until": {"DS": "2026-07-31"}}),
            ({"until": {"n": "9"}}, {"since": {"n": 10}}),
            ({"candidates": [{"hr": "7"}]}, {"candidates": [{"hr": "8"}, {"hr": "9"}]}),
        ],
    )
    def test_two_of_one_view_are_apart_by_bounds_or_partitions(
        self, first: dict[str, Any], second: dict[str, Any]
    ) -> None:
        check_publications([publication(name="old", **first), publication(name="new", **second)])

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({}, {}),
            ({"since": {"ds": "2026-08-01"}}, {"since": {"ds": "2026-08-02"}}),
            ({"until": {"ds": "2026-08-01"}}, {"since": {"ds": "2026-08-01"}}),
            ({"until": {"n": "10"}}, {"since": {"n": "9"}}),
            ({"until": {"n": "9"}}, {"since": {"n": "a"}}),
            ({"until": {"ds": "2026-07-31"}}, {"since": {"hr": "9"}}),
            ({"until": {"a": 1, "z": 9}}, {"since": {"a": 2, "z": 1}}),
            ({"candidates": [{"hr": "07"}]}, {"candidates": [{"HR": 7}]}),
            ({"candidates": [{"hr": "07"}]}, {}),
            # A date column takes a date however it is written.
            ({"until": {"ds": "2026-10-1"}}, {"since": {"ds": "2026-9-2"}}),
            ({"candidates": [{"ds": "2026-8-1"}]}, {"candidates": [{"ds": "2026-08-01"}]}),
        ],
    )
    def test_two_of_one_view_that_may_meet_are_refused(self, first: dict[str, Any], second: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError, match=r"1 and 2 are both of sales\.daily and may judge"):
            check_publications([publication(name="old", **first), publication(name="new", **second)])

    def test_two_of_one_view_are_not_one_application(self) -> None:
        old = publication(name="old", until={"ds": "1"}, app_id="nightly", run_version=1)
        new = publication(name="new", since={"ds": "2"}, app_id="nightly", run_version=1)
        with pytest.raises(InvalidInputError, match="second run of a version does nothing"):
            check_publications([old, new])

    def test_a_name_is_one_publication_s(self) -> None:
        with pytest.raises(InvalidInputError, match="1 and 2 are both called 'x'"):
            check_publications([publication("a.b", name="x"), publication("a.c", name="x")])

    def test_some_are_chosen_by_name_or_by_view(self) -> None:
        all_ = [publication("a.b", name="x"), publication("a.c"), publication("a.d")]
        assert chosen(all_, []) == all_
        assert chosen(all_, ["a.c", "x"]) == all_[:2]
        assert chosen(all_, ["a.b"]) == all_[:1]
        with pytest.raises(InvalidInputError, match=r"no publication 'a\.cc'. Did you mean 'a\.c'\?"):
            chosen(all_, ["a.cc"])

    def test_a_publication_comes_behind_those_whose_views_it_requires(self) -> None:
        top = Publication("s.top", [requires("s.middle") | requires("web.clicks")])
        middle = Publication("s.middle", [requires("web.clicks"), requires("S.Low")])
        low, other = publication("s.low"), Publication("s.other", [requires("s.other"), requires("web.clicks")])
        assert in_waves([top, middle, low, other]) == [[low, other], [middle], [top]]

    def test_publications_that_wait_for_each_other_are_refused(self) -> None:
        circle = [Publication("s.a", [requires("s.b")]), Publication("s.b", [requires("s.a")]), publication("s.c")]
        with pytest.raises(InvalidInputError, match=r"in a circle: among s\.a, s\.b\."):
            in_waves(circle)

    def test_a_publication_has_a_view_and_a_rule(self) -> None:
        with pytest.raises(InvalidIdentifierError):
            publication("daily")
        with pytest.raises(InvalidInputError, match="one or more rules"):
            Publication("sales.daily", [])

    def test_strict_without_a_value_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="strict is true, false, or values"):
            publication(strict={})


class TestTextForm:
    def test_a_partition_has_one_value_for_a_column(self) -> None:
        with pytest.raises(InvalidInputError, match="two values for 'ds'"):
            read_partition("ds=1,ds=2")

    def test_a_range_keeps_the_first_number_s_width(self) -> None:
        [requirement] = read_requirement("web.clicks hr=08..11").requirements()
        assert requirement.conditions == next(requires("w.c", hr=["08", "09", "10", "11"]).requirements()).conditions

    @pytest.mark.parametrize(
        ("text", "conditions"),
        [
            ("day=ds.formatted(yyyyMMdd)", {"day": DS.formatted("yyyyMMdd")}),
            ("at=ds.formatted(yyyy-MM-dd HH)", {"at": DS.formatted("yyyy-MM-dd HH")}),
            ("y=ds.year m=ds.month d=ds.day", {"y": DS.year, "m": DS.month, "d": DS.day}),
            ("ds=dt.parsed(yyyyMMdd).date hr=[1]", {"ds": column("dt").parsed("yyyyMMdd").date, "hr": ["1"]}),
            ("city='Paris, TX' region=['a, b', c ,d]", {"city": "Paris, TX", "region": ["a, b", "c", "d"]}),
            ("region=values_of(web.regions, region) ds=ds", {"region": values_of("web.regions", "region"), "ds": DS}),
        ],
    )
    def test_columns_have_the_words_of_python(self, text: str, conditions: dict[str, object]) -> None:
        [requirement] = read_requirement(f"web.clicks {text}").requirements()
        assert requirement.conditions == next(requires("web.clicks", conditions).requirements()).conditions

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("timestamp(ds,hour=hr)", timestamp(DS, hour=HR)),
            ("timestamp(ds, hour=hr).formatted(yyyy-MM-dd HH)", timestamp(DS, hour=HR).formatted("yyyy-MM-dd HH")),
            ("timestamp(ds,hour=0..23).formatted(yyyyMMddHH)", timestamp(DS, hour=range(24)).formatted("yyyyMMddHH")),
            ("timestamp(ds,hour=[0, 12])", timestamp(DS, hour=[0, 12])),
            (
                "timestamp(year=y, month=m.parsed(MM), day=d)",
                timestamp(year=column("y"), month=column("m").parsed("MM"), day=column("d")),
            ),
            ("timestamp(dt.parsed(yyyyMMdd), hour=hr)", timestamp(column("dt").parsed("yyyyMMdd"), hour=HR)),
        ],
    )
    def test_a_moment_has_the_words_of_python(self, text: str, expected: object) -> None:
        [requirement] = read_requirement(f"web.clicks at={text} region=[eu]").requirements()
        assert requirement.conditions == conditions_of("web.clicks", {"at": expected, "region": "eu"}, {})

    @pytest.mark.parametrize(
        ("text", "known_empty", "format_"),
        [
            ("known_empty=[ds=2013-01-01,hr=0; ds=2013-02-21/hr=0]", [FIRST, {"ds": "2013-02-21", "hr": "0"}], None),
            ("known_empty=ds=2013-01-01,hr=0 format=iceberg", [FIRST], "iceberg"),
            ("known_empty='ds=2013-01-01,hr=0'", [FIRST], None),
            ("format=delta", [], "delta"),
        ],
    )
    def test_holes_and_formats_have_the_words_of_python(
        self, text: str, known_empty: list[dict[str, str]], format_: str | None
    ) -> None:
        [requirement] = read_requirement(f"web.clicks ds=ds {text} hr=0..23").requirements()
        holes = [{name: one.values[0] for name, one in hole.items()} for hole in requirement.known_empty]
        assert (holes, requirement.format) == (known_empty, format_)
        assert sorted(requirement.conditions) == ["ds", "hr"]

    def test_a_partition_column_that_is_called_as_an_option_is_quoted(self) -> None:
        [requirement] = read_requirement("web.files `format`=[csv] `known_empty`=ds format=hive").requirements()
        expected = conditions_of("web.files", {"format": "csv", "known_empty": DS}, {})
        assert (requirement.conditions, requirement.format) == (expected, "hive")

    def test_known_empty_partitions_of_text_are_holes(self) -> None:
        days = [("2013-01-01", "1"), ("2013-01-02", "1")]
        hours = PartitionListing("web.clicks", "hive", (publishing_plans.DS, publishing_plans.HR), days)
        rule = read_requirement("web.clicks ds=ds hr=0..1 known_empty=[ds=2013-01-01,hr=0]")
        assert list(planned(rule, hours).ready) == ["ds=2013-01-01"]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("ds=ds.hours", "cannot read .hours in 'ds.hours'. Did you mean 'hour'?"),
            ("at=timestmp(ds,hour=hr)", "there is no timestmp() in a requirement. Did you mean 'timestamp'?"),
            ("at=timestamp(ds,hours=hr)", "Did you mean 'hour'?"),
            ("at=timestamp(ds,hour=hr,hour=hr)", "has hour twice"),
            ("at=timestamp(ds,dt)", "has a date twice"),
            ("at=timestamp(ds,hour=)", "cannot read 'hour='"),
            ("at=timestamp(ds,hour=7)", "write a value as [7]"),
            ("at=timestamp(ds,hour=[a])", "as in hour=0..23"),
            ("at=timestamp(ds,hour=ds.year)", "in timestamp()"),
            ("at=timestamp()", "cannot read '' in 'timestamp()'"),
            ("at=timestamp(ds[)", "'ds[' is no column of the view"),
            ("at=timestamp(hour=[a,b],ds.parsed(yyyy,MM),)", "as in hour=0..23"),
            ("at=timestamp(ds,)", "cannot read ''"),
            ("at=timestamp(ds,day=d)", "in timestamp()"),
            ("at=timestamp(ds,hour=hr).hour", "a timestamp(...) by .formatted(PATTERN)"),
            ("known_empty=[ds]", "'ds' is not COLUMN=VALUE"),
            ("format=[csv]", "written `format`=[csv]"),
            ("format=hive format=hive", "say it once"),
            ("ds=ds.week", "cannot read .week in 'ds.week'"),
            ("ds=ds.formatted", "cannot read .formatted"),
            ("ds=ds.formatted()", "cannot read .formatted"),
            ("ds=ds.year(yyyy)", "cannot read .year"),
            ("ds=ds.year.parsed(yyyy)", "cannot read .parsed"),
            ("ds=ds.name", "cannot read .name"),
            ("ds=ds.formatted(bb)", "pattern"),
            ("ds=values_of(web.regions)", "is no column of the view"),
            ("ds=ds.formatted(yyyy", "is no column of the view"),
        ],
    )
    def test_other_words_are_refused(self, text: str, told: str) -> None:
        with pytest.raises(InvalidInputError, match=re.escape(told)):
            read_requirement(f"web.clicks {text}")
