"""Rules as texts: reading them, where a mistake is shown, and that writing is the inverse of reading."""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.errors import InvalidInputError, RuleSyntaxError
from hive_views.readiness.language import read_rule, rule_text
from hive_views.readiness.rules import (
    Rule,
    all_of,
    any_of,
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
    when,
)

DS, HR = column("ds"), column("hr")


def is_closed(values: Mapping[str, Any]) -> bool:
    return bool(values)


class Calendar:
    def __init__(self, region: str = "") -> None:
        self.region = region

    def is_known(self, values: Mapping[str, Any]) -> bool:
        return self.region in values.values()

    @classmethod
    def is_any(cls, values: Mapping[str, Any]) -> bool:
        return bool(values) and cls is Calendar

    @staticmethod
    def is_open(values: Mapping[str, Any]) -> bool:
        return not values


def fields_of(value: object) -> object:
    """All that a rule holds, with the type of each part: equality of texts must not hide a difference."""
    if dataclasses.is_dataclass(value):
        return type(value), [fields_of(getattr(value, one.name)) for one in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        return [(name, fields_of(one)) for name, one in value.items()]
    if isinstance(value, tuple):
        return [fields_of(one) for one in value]
    return type(value), value


class TestReading:
    @pytest.mark.parametrize(
        ("text", "rule"),
        [
            ('requires("web.clicks")', requires("web.clicks")),
            ('requires("web.clicks", ds=column("ds"), hr=range(24))', requires("web.clicks", ds=DS, hr=range(24))),
            ("requires('web.c', region=['eu', 'us'])", requires("web.c", region=["eu", "us"])),
            ("requires('web.c', region=('eu', 'us'))", requires("web.c", region=["eu", "us"])),
            ("requires('web.c', n={-1, 2})", requires("web.c", n=[-1, 2])),
            ("requires('web.c', ds=date(2026, 8, 1))", requires("web.c", ds=date(2026, 8, 1))),
            ("requires('web.c', at=datetime(2026, 8, 1, hour=7))", requires("web.c", at=datetime(2026, 8, 1, 7))),  # noqa: DTZ001 - no zone
            ("requires('web.c', n=Decimal('1.50'))", requires("web.c", n=Decimal("1.50"))),
            (
                "requires('web.c', {'format': column('f')}, format='hive')",
                requires("web.c", {"format": column("f")}, format="hive"),
            ),
            (
                "requires('web.c', day=column('ds').formatted('yyyyMMdd'))",
                requires("web.c", day=DS.formatted("yyyyMMdd")),
            ),
            (
                "requires('web.c', y=column('dt').parsed('yyyyMMdd').year)",
                requires("web.c", y=column("dt").parsed("yyyyMMdd").year),
            ),
            (
                "requires('web.c', at=timestamp(column('ds'), hour=range(24)).formatted('yyyy-MM-dd-HH'))",
                requires("web.c", at=timestamp(DS, hour=range(24)).formatted("yyyy-MM-dd-HH")),
            ),
            (
                "requires('web.c', r=values_of('web.regions', 'region', {'kind': 'eu'}))",
                requires("web.c", r=values_of("web.regions", "region", {"kind": "eu"})),
            ),
            (
                "requires('web.c', ds=column('ds'), known_empty=[{'ds': '2013-01-01', 'hr': [0, 1]}])",
                requires("web.c", ds=DS, known_empty=[{"ds": "2013-01-01", "hr": [0, 1]}]),
            ),
            ("has_at_least('web.c', ds=column('ds'), records=7)", has_at_least("web.c", ds=DS, records=7)),
            ("quiet_for('web.c', ds=column('ds'), seconds=0.5)", quiet_for("web.c", ds=DS, seconds=0.5)),
            (
                "marked_done('web.c', by='parameter', name='n', value=True)",
                marked_done("web.c", by="parameter", name="n", value=True),
            ),
            (
                "committed_with('web.c', {'job': 'nightly', 'ds': column('ds')})",
                committed_with("web.c", {"job": "nightly", "ds": DS}),
            ),
            (
                "watermark_passed('web.c', timestamp(column('ds'), hour=column('hr')), delay_seconds=5)",
                watermark_passed("web.c", timestamp(DS, hour=HR), delay_seconds=5),
            ),
            (
                "when('tests.unit.readiness.test_rule_language:is_closed', reason='open')",
                when(is_closed, reason="open"),
            ),
            ("when('tests.unit.readiness.test_rule_language:Calendar.is_open')", when(Calendar.is_open)),
            ("requires('w.a') & requires('w.b')", requires("w.a") & requires("w.b")),
            ("requires('w.a') | ~requires('w.b')", requires("w.a") | ~requires("w.b")),
            (
                "all_of(requires('w.a'), any_of(requires('w.b'), requires('w.c')))",
                requires("w.a") & (requires("w.b") | requires("w.c")),
            ),
            ("negate(requires('w.a'))", negate(requires("w.a"))),
            ("\n  requires('w.a')  # the clicks\n  & requires('w.b')\n", all_of(requires("w.a"), requires("w.b"))),
        ],
    )
    def test_a_text_makes_the_rule_that_python_makes_of_it(self, text: str, rule: Rule) -> None:
        assert fields_of(read_rule(text)) == fields_of(rule)

    @pytest.mark.parametrize("name", ["columns", "table", "format", "known_empty"])
    def test_a_column_may_have_the_name_of_an_argument(self, name: str) -> None:
        rule = requires("web.clicks", {name: DS, "hr": 7})
        assert read_rule(rule_text(rule)) == rule
        if name in ("columns", "table"):
            assert read_rule(f"requires('web.clicks', {name}=column('ds'), hr=7)") == rule

    @pytest.mark.parametrize("text", ["__import__('os').getcwd()", "requires('a.b').__class__", "[].append(1)", "open"])
    def test_nothing_is_evaluated(self, text: str) -> None:
        with pytest.raises(RuleSyntaxError):
            read_rule(text)

    def test_a_function_is_imported_only_where_that_is_allowed(self) -> None:
        with pytest.raises(RuleSyntaxError, match=r"column 21: when\(\) imports a function, which is not"):
            read_rule("requires('a.b') &   when('no.such:module')", imports=False)


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "problem", "shown"),
        [
            ("requirs('a.b')", "there is no requirs(). Did you mean 'requires'?", ("requirs('a.b')", 0)),
            ("requires('a.b',\n  ds=colum('ds'))", "Did you mean 'column'?", ("  ds=colum('ds'))", 5)),
            ("requires('a.b', ds=column('ds').yeer)", "there is no .yeer. Did you mean 'year'?", (None, 32)),
            ("requires('a.b', ds=column('ds').year())", "written .year, without brackets", (None, 32)),
            ("requires('a.b', ds=column('ds').parsed)", "written .parsed('yyyyMMdd')", (None, 32)),
            ("requires('a.b', ds=column('ds').parsed('x'))", "as a pattern", (None, 39)),
            ("requires('a.b', ds=(column('ds') . parsed('a', 'b')))", "takes one pattern", (None, 35)),
            ("requires('a.b', ds=column('ds').\uff59\uff45\uff45\uff52)", "there is no .yeer", (None, 32)),
            ("requires('\xe4.b', x='\xe4\\x')", "this text cannot be read", (None, 18)),
            ("requires('a.b',\n\tds='\xe4' '\\N{no}')", "this text cannot be read", ("\tds='\xe4' '\\N{no}')", None)),
            ("requires('a.b', ds='\xe4' f'{x y}')", "an f-string", (None, 23)),
            ("requires('a.b',\r\n x=y)", "y stands alone", (" x=y)", 3)),
            ("requires('a.b', ds=column('ds').parsed())", "takes one pattern", (None, 32)),
            ("requires('a.b').year", "follows a column of the view", (None, 16)),
            ("requires('a.b', ds=ds)", "Write column('ds') for a column of the view", (None, 19)),
            ("requires('a.b', ds=column)", "column is a function; write column(...)", (None, 19)),
            ("requires('a.b', ds='ä') & 'ü' & ds", "this is a text, not a rule", (None, 26)),
            ("quiet_for('a.b', secnds=5)", "takes no secnds=. Did you mean 'seconds'?", (None, 17)),
            ("quiet_for('a.b')", "missing a required argument: 'seconds'", (None, 0)),
            ("column('ds', x=1)", "column() takes no x=", (None, 13)),
            ("committed_with('a.b', {'ds': 1}, formt='hive')", "Did you mean 'format'?", (None, 33)),
            ("requires('a.b', ds=1, hr=None)", "NULL is not a value", (None, 22)),
            ("requires('a.b', ds=1, DS=2)", "give each column once", (None, 0)),
            ("requires('a.b', ds=1, ds=2)", "ds is given twice", (None, 22)),
            ("requires('a.b', {'a': 1, 'a': 2})", "a key must be a string, and occur once", (None, 25)),
            ("requires('a.b', **{'a': 1})", "it is not read from **", (None, 16)),
            ("requires(*['a.b'])", "cannot be part of a rule", (None, 9)),
            ("requires('clicks')", "a namespace and a name", (None, 0)),
            ("requires(7)", "Cannot use 7 as a table", (None, 0)),
            ("requires('a.b', ['ds'])", "give conditions by column", (None, 0)),
            ("requires('a.b', ds=date(2026, 13, 1))", "There is no date(2026, 13, 1)", (None, 19)),
            ("requires('a.b', ds=range(0, 9, 0))", "There is no range(0, 9, 0)", (None, 19)),
            ("requires('a.b', ds=range('9'))", "There is no range('9')", (None, 19)),
            ("requires('a.b', ds=Decimal('x'))", "There is no Decimal('x')", (None, 19)),
            ("requires('a.b', ds={[1]})", "unhashable", (None, 19)),
            ("requires('a.b', hr=range(1000000000000000000000))", "100,000 values at most", (None, 0)),
            ("requires('a.b', at=timestamp(hour=range(10 ** 9)))", "cannot be part of a rule", (None, 40)),
            ("requires('a.b', at=timestamp(hour=range(1000000)))", "100,000 values at most", (None, 19)),
            ("requires('a.b', ds=b'x')", "cannot be part of a rule", (None, 19)),
            ("requires('a.b', ds=f'x')", "an f-string cannot be part of a rule", (None, 19)),
            ("requires('a.b') and requires('a.c')", "joined by &", (None, 16)),
            ("(requires('a.b') # and\n) and requires('a.c')", "joined by &", (") and requires('a.c')", 2)),
            ("requires('a.b') or requires('a.c')", "joined by |", (None, 16)),
            ("not requires('a.b')", "is ~, or negate", (None, 0)),
            ("when(lambda values: True)", "when('package.module:function')", (None, 5)),
            ("when('x')", "written 'package.module:function'", (None, 0)),
            ("when('no.such:f')", "Cannot import the function", (None, 0)),
            ("when('tests.unit.readiness.test_rule_language:f')", "Cannot import the function", (None, 0)),
            ("web.clicks ds=ds", "A rule is a Python expression, as in requires(", (None, 0)),
            ("requires('a.b' ds=1)", "A rule is a Python expression", (None, 9)),
            ("requires('a.b'\n, ds=)", "A rule is a Python expression", (", ds=)", None)),
            ("requires('a.b'", "'(' is never closed", (None, 8)),
            ("requires('a.b')\n)", "no opening bracket for ')'", (")", 0)),
            ("requires(['a.b')", "no opening bracket for ')'", (None, 15)),
            ("requires('a.b)", "this string is not closed", (None, 9)),
            ("requires('a.b'); x", "A rule is a Python expression", (None, None)),
            ("requires('a.b\0')", "cannot occur in a rule", (None, None)),
            ("requires('a.b\ud800')", "cannot occur in a rule", (None, None)),
            (f"requires('a.b', ds={'9' * 5000})", "too many digits", (None, None)),
            (f"requires('a.b', ds=0x{'f' * 5000})", "too many digits", (None, None)),
            (f"requires('a.b', ds=[-0x{'f' * 5000}])", "too many digits", (None, None)),
            (f"marked_done('a.b', by='parameter', name='n', value=0x{'f' * 5000})", "too many digits", (None, None)),
            (f"requires('a.b', ds=date(0x{'f' * 5000}, 1, 1))", "too many digits", (None, None)),
            ("requires('a.b', ds=Decimal('sNaN'))", "Cannot require ds=Decimal('sNaN')", (None, 16)),
            ("requires('a.b', ds=Decimal('1e999999999'))", "Cannot require ds=Decimal", (None, 16)),
            ("quiet_for('a.b', seconds=1e308)", "up to 1,000,000,000,000", (None, 0)),
            ("", "there is no rule", ("", 0)),
            (" # nothing", "there is no rule", (None, None)),
            ("column('ds')", "this is a column of the view, not a rule", (None, 0)),
            ("requires('a.b'),", "this is a list, not a rule", (None, 0)),
        ],
    )
    def test_a_mistake_is_shown_at_its_place(
        self, text: str, problem: str, shown: tuple[str | None, int | None]
    ) -> None:
        with pytest.raises(RuleSyntaxError) as caught:
            read_rule(text)
        message, *excerpt = str(caught.value).split("\n")
        assert problem in message
        line, at = shown
        if line is not None or at is not None:
            assert excerpt[0] == (text if line is None else line)
        if at is not None:
            assert excerpt[1] == " " * at + "^"
            assert caught.value.column == at + 1
            assert text.split("\n")[caught.value.line - 1] == excerpt[0]

    @pytest.mark.parametrize(
        "text",
        [
            "(" * 100_000,
            "(" * 300 + "requires('a.b')" + ")" * 300,
            "~" * 100_000 + "requires('a.b')",
            "-" * 100_000 + "1",
            "not " * 100_000 + "1",
            "requires('a.b')" + " & requires('a.b')" * 100_000,
            "column('a')" + ".year" * 100_000,
            "f" + "()" * 100_000,
            "1" + " if 1 else 1" * 100_000,
            "lambda: " * 100_000 + "1",
            "[" * 90 + "~" * 890 + "x" + "]" * 90,
            "x" * 2_000_000,
        ],
        ids=lambda text: text[:12],
    )
    def test_what_is_nested_too_deeply_or_too_long_is_refused(self, text: str) -> None:
        with pytest.raises(RuleSyntaxError, match=r"nested|at most|never closed|cannot be part of a rule"):
            read_rule(text)

    def test_a_hundred_rules_in_a_row_are_not_too_many(self) -> None:
        tables = [f"w.t{number}" for number in range(100)]
        rule = read_rule(" & ".join(f"requires({table!r}, ds=column('ds'))" for table in tables))
        assert [one.table for one in rule.requirements()] == tables

    @pytest.mark.parametrize(
        "call",
        [
            "requires('a.b', ds=column('ds'), format={})",
            "has_at_least('a.b', records=1, format={})",
            "quiet_for('a.b', seconds=1, format={})",
            "marked_done('a.b', by='event', format={})",
            "committed_with('a.b', {{'ds': 1}}, format={})",
            "watermark_passed('a.b', column('ds'), format={})",
            "requires('a.b', ds=values_of('a.c', 'ds', format={}))",
        ],
    )
    @pytest.mark.parametrize("given", ["[1]", "{'a': 1}", "7", "column('f')"])
    def test_a_format_is_a_name(self, call: str, given: str) -> None:
        with pytest.raises(RuleSyntaxError, match="Cannot use format="):
            read_rule(call.format(given))

    def test_ranges_together_are_bounded(self) -> None:
        of = [f"requires('w.t', hr=range({number}, {number + 100_000}))" for number in range(6)]
        assert read_rule(f"all_of({', '.join(of[:5])})")
        with pytest.raises(RuleSyntaxError, match="500,000 values together at most") as caught:
            read_rule(f"all_of({', '.join(of)})")
        assert caught.value.offset == len(f"all_of({', '.join(of)})") - len("range(5, 100005)))")

    @pytest.mark.parametrize(
        "make",
        [
            lambda huge: requires("w.c", ds=huge),
            lambda huge: requires("w.c", ds={huge, 1}),
            lambda huge: requires("w.c", huge),
            requires,
            lambda huge: requires("w.c", known_empty=huge),
            lambda huge: requires("w.c", at=timestamp(hour=huge)),
            lambda huge: has_at_least("w.c", records=huge),
            lambda huge: quiet_for("w.c", seconds=huge),
            lambda huge: marked_done("w.c", by="parameter", name="n", value=huge),
            lambda huge: marked_done("w.c", by=huge),
            lambda huge: committed_with("w.c", huge),
            lambda huge: watermark_passed("w.c", DS, delay_seconds=huge),
            lambda huge: watermark_passed("w.c", DS, time_zone=huge),
            column,
            DS.formatted,
            when,
            all_of,
        ],
    )
    def test_a_number_that_python_cannot_write_is_refused(self, make: Callable[[Any], Rule]) -> None:
        with pytest.raises(
            InvalidInputError, match=r"<int>|<set>|<tuple>|at least 1 and below|of type int as a pattern"
        ):
            make(10**5000)

    def test_only_texts_are_read(self) -> None:
        with pytest.raises(InvalidInputError, match="Cannot read 7 as a rule"):
            read_rule(7)  # type: ignore[arg-type]


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
"""Keywords of Python and of the functions are among them."""
column_names = names | st.sampled_from(
    ["format", "known_empty", "class", "from", "None", "name", "by", "é", "\ufb01", "a b", "\u017f"]
)
tables = st.builds("{}.{}".format, st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True), names) | st.sampled_from(
    ["s3://bucket/a b/c'd", "/data/x", "db.t.branch_audit"]
)
formats = st.none() | st.sampled_from(["hive", "delta"])
values = (
    st.text(max_size=5)
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.dates()
    | st.datetimes()
)
expected = values | st.lists(values, min_size=1, max_size=4) | st.sets(values, min_size=1, max_size=3)
expected |= st.builds(range, st.integers(-5, 5), st.integers(6, 40))
patterns = st.sampled_from(["yyyyMMdd", "yyyy-MM-dd-HH", "yyyy-MM-dd'T'HH", "M/d"])
view_columns = st.builds(column, column_names) | st.builds(
    lambda name, text: column(name).parsed(text), column_names, patterns
)
timestamps = (
    st.builds(
        timestamp,
        view_columns,
        hour=view_columns | st.integers(0, 23) | st.just(range(24)),
        minute=st.sets(st.integers(0, 59), min_size=1),
    )
    | st.builds(timestamp, view_columns)
    | st.builds(lambda one: timestamp(year=one, month=one), view_columns)
)
of_a_column = st.builds(getattr, view_columns, st.sampled_from(["date", "year", "month", "day", "hour"]))
formatted = st.builds(lambda one, text: one.formatted(text), view_columns | timestamps, patterns)
plain = st.dictionaries(column_names, expected, min_size=1, max_size=2)
of_tables = st.builds(
    lambda table, name, only, format_: values_of(table, name, only, format=format_),
    tables,
    column_names,
    st.none() | plain,
    formats,
)
asked = expected | view_columns | timestamps | of_a_column | formatted | of_tables
columns = st.dictionaries(column_names, asked, max_size=3)
known_empty = st.lists(plain, max_size=2)
zones = st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata"])


def made(
    make: Callable[..., Rule], described: st.SearchStrategy[dict[str, Any]], **options: Any
) -> st.SearchStrategy[Rule]:
    def rule(table: str, given: dict[str, Any], options: dict[str, Any]) -> Rule:
        return make(table, given, **options)

    return st.builds(rule, tables, described, st.fixed_dictionaries({}, optional=options))


amounts = st.integers(1, 10**12)
rules = (
    made(requires, columns, known_empty=known_empty, format=formats)
    | made(
        lambda *of, **options: has_at_least(*of, files=3, **options),
        columns,
        records=amounts,
        bytes=amounts,
        format=formats,
    )
    | made(
        lambda *of, **options: quiet_for(*of, **{"seconds": 1, **options}),
        columns,
        seconds=st.integers(1, 9) | st.floats(0.001, 1e9),
    )
    | made(
        lambda *of, **options: marked_done(*of, **{"by": "event", **options}),
        columns,
        by=st.sampled_from(["event", "paimon", "success-file"]),
        known_empty=known_empty,
        format=formats,
    )
    | made(
        lambda *of, **options: marked_done(*of, by="parameter", **{"name": "n", "value": "v", **options}),
        columns,
        name=st.text(min_size=1),
        value=st.text() | st.booleans() | st.integers(),
    )
    | made(lambda *of, **options: marked_done(*of, by="success-file", **options), columns, name=names)
    | made(
        committed_with,
        st.dictionaries(column_names, expected | view_columns | formatted, min_size=1, max_size=3),
        format=formats,
    )
    | st.builds(
        lambda table, passed, delay, zone: watermark_passed(table, passed, delay_seconds=delay, time_zone=zone),
        tables,
        view_columns | st.builds(lambda one: timestamp(one, hour=one), view_columns),
        st.integers(0, 10**6) | st.floats(0, 1e8),
        zones,
    )
    | st.builds(when, st.sampled_from([is_closed, Calendar.is_open]), reason=st.none() | st.text(min_size=1))
)


class TestWriting:
    @settings(max_examples=150, deadline=None)
    @given(st.data())
    def test_reading_is_the_inverse_of_writing(self, data: st.DataObject) -> None:
        try:
            rule = data.draw(
                st.recursive(
                    rules,
                    lambda of: st.builds(all_of, of, of) | st.builds(any_of, of, of, of) | st.builds(negate, of),
                    max_leaves=5,
                )
            )
        except InvalidInputError:
            return  # two names of columns that differ in case
        text = rule_text(rule)
        again = read_rule(text)
        assert again == rule
        assert hash(again) == hash(rule)
        assert fields_of(again) == fields_of(rule)
        assert str(rule) == repr(rule) == text

    def test_a_rule_is_written_as_a_user_writes_it(self) -> None:
        rule = requires("web.clicks", ds=DS, hr=range(24), known_empty=[{"ds": "2013-01-01", "hr": 0}]) & when(
            is_closed
        )
        assert rule_text(rule) == (
            'all_of(requires("web.clicks", ds=column("ds"), hr=range(24), '
            'known_empty=[{"ds": "2013-01-01", "hr": 0}]), when("tests.unit.readiness.test_rule_language:is_closed"))'
        )

    @pytest.mark.parametrize("function", [lambda values: True, Calendar().__class__, print, iter([True]).__next__])
    def test_a_function_without_a_name_that_others_can_import_has_no_text(self, function: Any) -> None:
        rule = requires("web.clicks") & when(function)
        if function in (Calendar, print):
            assert read_rule(rule_text(rule)) == rule
        else:
            with pytest.raises(InvalidInputError, match="no string form that can be read back"):
                rule_text(rule)
            assert "when(<" in repr(rule)

    @pytest.mark.parametrize(("join", "make"), [(operator.and_, all_of), (operator.or_, any_of)])
    def test_a_row_of_rules_is_one_composition(
        self, join: Callable[[Rule, Rule], Rule], make: Callable[..., Rule]
    ) -> None:
        of = [requires(f"w.t{number}") for number in range(2_000)]
        rule = functools.reduce(join, of)
        assert fields_of(rule) == fields_of(make(*of))
        assert fields_of(make(make(*of[:2]), make(make(*of[2:4]), of[4]))) == fields_of(make(*of[:5]))
        assert fields_of(read_rule(rule_text(rule))) == fields_of(rule)

    def test_what_is_nested_too_deeply_has_no_text(self) -> None:
        rule = requires("w.a")
        for _ in range(400):
            rule = (rule & requires("w.b")) | requires("w.c")
        for write in (rule_text, repr, hash, lambda one: one == requires("w.a")):
            with pytest.raises(InvalidInputError, match="nested too deeply"):
                write(rule)

    def test_a_function_is_named_only_by_what_leads_to_it(self) -> None:
        first, second = when(Calendar("eu").is_known), when(Calendar("us").is_known)
        assert first != second
        for rule in (first, second, when(functools.wraps(is_closed)(lambda values: not values))):
            with pytest.raises(InvalidInputError, match="no string form that can be read back"):
                rule_text(rule)
        of_class = when(Calendar.is_any)
        assert read_rule(rule_text(of_class)) == of_class

    def test_nothing_is_imported_to_write_a_rule(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "calendar_of_a_test.py").write_text("def is_open(values):\n    return True\n")
        monkeypatch.syspath_prepend(tmp_path)
        rule = read_rule("when('calendar_of_a_test:is_open')")
        monkeypatch.delitem(sys.modules, "calendar_of_a_test")
        with pytest.raises(InvalidInputError, match="no string form that can be read back"):
            rule_text(rule)
        assert "calendar_of_a_test" not in sys.modules

    def test_what_is_no_rule_has_no_text(self) -> None:
        with pytest.raises(InvalidInputError, match="Cannot write 7 as a rule"):
            rule_text(7)  # type: ignore[arg-type]

    def test_rules_are_equal_that_are_written_the_same(self) -> None:
        assert requires("web.clicks", ds=DS, hr=range(3)) == requires("WEB.clicks", DS=DS, hr=[0, 1, 2])
        assert requires("web.clicks", n=1) != requires("web.clicks", n=True)
        assert requires("web.clicks", n=1) != requires("web.clicks", n=1.0)
        assert requires("web.clicks") != "requires"
        assert len({requires("web.clicks"), requires("web.clicks"), requires("web.users")}) == 2
