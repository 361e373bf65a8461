"""Files of publications, and which publications go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import InvalidIdentifierError, InvalidInputError
from hive_views.hive.partition_names import read_partition
from hive_views.hive.row import Column
from hive_views.publishing.batch.publication import Publication, check_publications, chosen, in_waves
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.readiness.language import rule_text
from hive_views.readiness.rules import (
    AnyOf,
    When,
    column,
    has_at_least,
    requires,
)

DS, HR = column("ds"), column("hr")
FIRST = {"ds": "2013-01-01", "hr": "0"}

FULL = '''
[defaults]
app_id = "nightly"
parameters = { team = "web" }

[[publication]]
view = "Sales.Daily"
rules = [
    'requires("web.clicks", ds=column("ds"), hr=range(2))',
    'requires("web.users", ds=column("ds"))',
    """
    requires("web.calls", ds=column("ds"))                      # one of both
    | requires("web.no_calls", ds=column("ds"), format="hive")
    """,
]
since = "ds=2026-08-01"
until = { ds = 2026-08-31 }
run_version = 7
retract = true
record_reads = true
metastore_only = true
max_fingerprints = 7

[[publication]]
name = "closed days"
view = "sales.closed"
app_id = "hourly"
partitions = ["ds=2026-08-21,hr=7", { ds = "2026-08-22", hr = 8 }]
rules = ["when('tests.unit.publishing.test_publications:is_closed', reason='the day is open')"]
'''


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


def one(keys: str, *rules: str) -> str:
    written = [f"'''{rule}'''" for rule in rules or ["requires('web.clicks', ds=column('ds'))"]]
    first = """[[publication]]\nview = "sales.first"\nrules = ["requires('web.c')"]\n"""
    return f"{first}[[publication]]\nrules = [{', '.join(written)}]\n{keys}"


class TestFile:
    def test_it_says_all_that_publish_takes(self, file: Path) -> None:
        file.write_text(FULL)
        first, second = read_publications(file)
        assert (first.name, first.view, first.app_id, first.run_version) == ("sales.daily", "sales.daily", "nightly", 7)
        assert first.since == {"ds": "2026-08-01"}
        assert str((first.until or {})["ds"]) == "2026-08-31"
        assert (first.retract, first.strict, first.parameters) == (True, False, {"team": "web"})
        assert (first.record_reads, second.record_reads) == (True, False)
        asked = first.request()
        assert (asked.list_directories, asked.max_fingerprints) == (None, 7)
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

    def test_a_rule_is_the_python_expression_that_makes_it(self, file: Path) -> None:
        rule = requires("w.a", ds=DS, hr=range(24)) & has_at_least("w.b", ds=DS, records=7)
        file.write_text(one("view = 's.v'", rule_text(rule), "requires('w.c')"))
        assert read_publications(file)[1].rules == [rule, requires("w.c")]

    def test_a_mistake_in_a_rule_is_shown_at_its_place(self, file: Path) -> None:
        message = refusal(file, one("view = 's.v'", "requires('w.a')", "\nrequires('w.b',\n    ds=colum('ds'))"))
        assert f"{file}, publication 2 (s.v), key rules[2]: Cannot read the rule at line 2, column 8: " in message
        assert message.endswith("Did you mean 'column'?\n    ds=colum('ds'))\n       ^")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("[[publication", "Cannot read the publications"),
            ("", "there is no [[publication]]"),
            ("[[publications]]", "no key 'publications' at the top. Did you mean 'publication'?"),
            ("publication = 3", "write publications as [[publication]]"),
            ("[defaults]\nview = 'a.b'\n[[publication]]", "defaults: there is no key 'view'"),
            ("[defaults]\nsinse = 'ds=1'\n[[publication]]", "defaults: there is no key 'sinse'. Did you mean 'since'?"),
            (one("view = 's.v'\nrule = ['web.c']"), "2 (s.v): there is no key 'rule'. Did you mean 'rules'?"),
            (one(""), "publication 2, key view: Field required."),
            (one("view = 3"), "publication 2, key view: Input should be a valid string."),
            (one("view = 's.v'\nrun_version = '7'"), "2 (s.v), key run_version: Input should be a valid integer."),
            (one("view = 's.v'\nretract = 'yes'"), "2 (s.v), key retract: Input should be a valid boolean."),
            (one("view = 's.v'\nrecord_reads = 1"), "2 (s.v), key record_reads: Input should be a valid boolean."),
            (one("view = 's.v'\nrecord_read = true"), "no key 'record_read'. Did you mean 'record_reads'?"),
            (
                one("view = 's.v'\nstrict = 'yes'"),
                "2 (s.v), key strict: it must be true, false, or values",
            ),
            (one("view = 's.v'\nstrict = 1"), "2 (s.v), key strict: it must be true, false, or values"),
            (one("view = 's.v'\nstrict = {}"), "2 (s.v): strict must be true, false, or values"),
            (one("view = 's.v'\nstric = true"), "2 (s.v): there is no key 'stric'. Did you mean 'strict'?"),
            (one("view = 's.v'\nsince = 5"), "2 (s.v), key since: Input should be a valid dictionary."),
            (one("view = 's.v'\nsince = 'ds'"), "2 (s.v), key since: 'ds' is not COLUMN=VALUE"),
            (one("view = 's.v'\nparameters = {n = 1}"), "2 (s.v), key parameters: Input should be a valid string."),
            (one("view = 's'"), "publication 2 (s): "),
            ("[[publication]]\nview = 's.v'", "publication 1 (s.v): "),
            ("[[publication]]\nview = 's.v'\nrules = 'requires(1)'", "key rules: Input should be a valid list."),
            ("[[publication]]\nview = 's.v'\nrules = [7]", "key rules[1]: Cannot read 7 as a rule"),
            (one("view = 's.v'", "w.a ds=ds"), "A rule is a Python expression, as in requires("),
            (one("view = 's.v'", "when('no.such:f')"), "Cannot import the function 'no.such:f'"),
        ],
    )
    def test_what_is_wrong_is_reported_by_file_publication_and_key(self, file: Path, text: str, expected: str) -> None:
        message = refusal(file, text)
        assert expected in message
        assert str(file) in message

    def test_a_file_that_is_not_there_is_named(self, file: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"publications\.toml"):
            read_publications(file)

    def test_two_publications_of_one_view_that_contradict_each_other_are_named(self, file: Path) -> None:
        again = """[[publication]]\nview = "SALES.first"\nrules = ["requires('web.d')"]\n"""
        assert "Publications 1 and 3 both publish sales.first" in refusal(file, one('view = "s.v"\n' + again))

    def test_a_version_may_be_left_to_the_run_but_not_to_nobody(self, file: Path) -> None:
        file.write_text(one('view = "s.v"\napp_id = "nightly"'))
        found = read_publications(file)
        check_publications([publication.as_run("nightly", 3) for publication in found])
        with pytest.raises(InvalidInputError, match=r"Publication 2 \(s\.v\): .* Give both app_id and run_version"):
            check_publications(found)


class TestTogether:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"until": {"ds": "2026-07-31"}}, {"since": {"ds": "2026-08-01"}}),
            ({"since": {"ds": "2026-08-01"}}, {"until": {"DS": "2026-07-31"}}),
            ({"until": {"n": "9"}}, {"since": {"n": 10}}),
            ({"until": {"n": "-5"}}, {"since": {"n": "-1"}}),
            ({"until": {"n": "9"}}, {"since": {"n": "a"}}),
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
            ({"until": {"ds": "2026-07-31"}}, {"since": {"hr": "9"}}),
            ({"until": {"a": 1, "z": 9}}, {"since": {"a": 2, "z": 1}}),
            ({"candidates": [{"hr": "07"}]}, {"candidates": [{"HR": 7}]}),
            ({"candidates": [{"hr": "07"}]}, {}),
            ({"candidates": [{"n": "1.0"}]}, {"candidates": [{"n": 1}]}),
            ({"until": {"n": "-1"}}, {"since": {"n": "-5"}}),
            ({"until": {"n": "10.5"}}, {"since": {"n": "9.5"}}),
            # A date column takes a date however it is written.
            ({"until": {"ds": "2026-10-1"}}, {"since": {"ds": "2026-9-2"}}),
            ({"candidates": [{"ds": "2026-8-1"}]}, {"candidates": [{"ds": "2026-08-01"}]}),
        ],
    )
    def test_two_of_one_view_that_may_meet_are_refused(self, first: dict[str, Any], second: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError, match=r"1 and 2 both publish sales\.daily and may judge"):
            check_publications([publication(name="old", **first), publication(name="new", **second)])

    @pytest.mark.parametrize(
        ("type_", "first", "second", "meet"),
        [
            ("int", "9", "10", False),
            ("string", "9", "10", True),
            ("string", "09", "10", False),
            ("date", "2026-9-30", "2026-10-01", False),
            ("string", "2026-9-30", "2026-10-01", True),
            ("string", "-5", "-1", True),
        ],
    )
    def test_bounds_that_are_apart_by_the_look_of_them_are_compared_by_the_type_of_the_column(
        self, type_: str, first: str, second: str, meet: bool
    ) -> None:
        both = [publication(name="old", until={"n": first}), publication(name="new", since={"N": second})]
        if not meet:
            check_publications(both, lambda _: [Column("n", type_)])
            return
        with pytest.raises(InvalidInputError, match=r"both publish sales\.daily and may judge"):
            check_publications(both, lambda _: [Column("n", type_)])

    def test_two_of_one_view_are_not_one_application(self) -> None:
        old = publication(name="old", until={"ds": "1"}, app_id="nightly", run_version=1)
        new = publication(name="new", since={"ds": "2"}, app_id="nightly", run_version=1)
        with pytest.raises(InvalidInputError, match="second run of a version does nothing"):
            check_publications([old, new])

    def test_a_name_belongs_to_one_publication(self) -> None:
        with pytest.raises(InvalidInputError, match="1 and 2 are both called 'x'"):
            check_publications([publication("a.b", name="x"), publication("a.c", name="x")])

    def test_some_are_chosen_by_name_or_by_view(self) -> None:
        all_ = [publication("a.b", name="x"), publication("a.c"), publication("a.d")]
        assert chosen(all_, []) == all_
        assert chosen(all_, ["a.c", "x"]) == all_[:2]
        assert chosen(all_, ["a.b"]) == all_[:1]
        with pytest.raises(InvalidInputError, match=r"no publication 'a\.cc'. Did you mean 'a\.c'\?"):
            chosen(all_, ["a.cc"])

    def test_a_publication_runs_after_those_whose_views_it_requires(self) -> None:
        top = Publication("s.top", [requires("s.middle") | requires("web.clicks")])
        middle = Publication("s.middle", [requires("web.clicks"), requires("S.Low")])
        low, other = publication("s.low"), Publication("s.other", [requires("s.other"), requires("web.clicks")])
        assert in_waves([top, middle, low, other]) == [[low, other], [middle], [top]]

    def test_publications_that_wait_for_each_other_are_refused(self) -> None:
        circle = [Publication("s.a", [requires("s.b")]), Publication("s.b", [requires("s.a")]), publication("s.c")]
        with pytest.raises(InvalidInputError, match=r"Circular dependency: the publications s\.a, s\.b require"):
            in_waves(circle)

    def test_a_publication_has_a_view_and_a_rule(self) -> None:
        with pytest.raises(InvalidIdentifierError):
            publication("daily")
        with pytest.raises(InvalidInputError, match="one or more rules"):
            Publication("sales.daily", [])

    def test_strict_without_a_value_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="strict must be true, false, or values"):
            publication(strict={})


def test_a_partition_has_one_value_for_a_column() -> None:
    with pytest.raises(InvalidInputError, match="two values for 'ds'"):
        read_partition("ds=1,ds=2")
