"""Functions of strings, regular expressions, JSON and URLs, as they are written for Trino."""

from __future__ import annotations

import pytest

from hive_views.translation.to_trino.expressions.strings.java_patterns import UnknownPatternError, read_pattern
from hive_views.translation.translation_findings import Kind
from tests.support.translation.cases import patterns, strings
from tests.support.translation.verdicts import translated

_BEFORE, _BEHIND = "SELECT\n  ", ' AS "c"\nFROM "bench"."t"'


def _expression(text: str, source: str) -> str | None:
    found = translated(f"SELECT {text} AS c FROM bench.t", source, "trino").text
    return found and found.removeprefix(_BEFORE).removesuffix(_BEHIND)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("hive", "concat(s, '-', s2)", """concat("t"."s", '-', "t"."s2")"""),
        ("hive", "s || 'x' || s2", """"t"."s" || 'x' || "t"."s2\""""),
        (
            "hive",
            "concat_ws(',', ast)",
            """concat_ws(',', coalesce(transform("t"."ast", x -> coalesce(x, 'null')), ARRAY[]))""",
        ),
        ("spark", "concat_ws(',', s, ast)", """concat_ws(',', concat(ARRAY["t"."s"], coalesce("t"."ast", ARRAY[])))"""),
        ("hive", "concat_ws(',', split(s, ','))", """concat_ws(',', coalesce(split("t"."s", ','), ARRAY[]))"""),
        ("hive", "length(s)", """CAST(length("t"."s") AS integer)"""),
        ("hive", "trim(s)", """trim(BOTH ' ' FROM "t"."s")"""),
        ("hive", "substr(s, 0, 2)", """substr("t"."s", 1, 2)"""),
        ("hive", "substr(s, -3, 2)", """substr("t"."s", -3, 2)"""),
        ("spark", "right(s, 2)", """substr("t"."s", -least(2, length("t"."s")))"""),
        ("hive", "repeat('0', 5)", "rpad('', 5, '0')"),
        ("hive", "repeat(s, 2)", """replace(rpad('', 2, ' '), ' ', "t"."s")"""),
        ("hive", "space(3)", "'   '"),
        ("hive", "substring_index(s, '.', -1)", """element_at(split("t"."s", '.'), -1)"""),
        ("hive", "md5(s)", """lower(to_hex(md5(to_utf8("t"."s"))))"""),
        ("hive", "elt(2, s, s2)", """"t"."s2\""""),
        ("hive", "printf('%s-%d', s, i)", """format('%s-%d', "t"."s", "t"."i")"""),
        ("hive", "split(s, '\\\\|')", """split("t"."s", '|')"""),
        ("hive", "split(s, '[. ]+')", """regexp_split("t"."s", '[. ]+')"""),
        ("hive", "s RLIKE '^a\\\\d'", r"""regexp_like("t"."s", '^a\d')"""),
        (
            "hive",
            "regexp_extract(s, '(b)', 1)",
            """IF("t"."s" IS NOT NULL, coalesce(regexp_extract("t"."s", '(b)', 1), ''))""",
        ),
        (
            "hive",
            "regexp_extract(s, '(x)?b', 1)",
            (
                """CASE WHEN regexp_like("t"."s", '(x)?b') THEN regexp_extract("t"."s", '(x)?b', 1) """
                """WHEN "t"."s" IS NOT NULL THEN '' END"""
            ),
        ),
    ],
)
def test_what_is_written(source: str, text: str, expected: str) -> None:
    assert _expression(text, source) == expected


def test_collected_values_are_never_null() -> None:
    found = translated("SELECT concat_ws(',', collect_set(s)) AS c FROM bench.t", "hive", "trino").text
    assert found is not None
    assert "'null'" not in found


@pytest.mark.parametrize("pair", list(strings.REFUSED))
def test_what_is_refused(pair: tuple[str, str]) -> None:
    for text, code in {**strings.REFUSED[pair], **patterns.REFUSED[pair]}.items():
        found = translated(f"SELECT {text} AS c FROM bench.t", *pair)
        assert found.text is None, text
        assert code in {one.reason.code for one in found.refusals}, text


def test_the_place_of_a_refusal() -> None:
    (found,) = translated("SELECT s,\n  soundex(s) AS c FROM bench.t", "hive", "trino").findings
    assert (found.reason.code, found.construct, found.line, found.column) == ("soundex", "soundex(s)", 2, 3)


def test_line_breaks_of_spark_in_base64_may_be_allowed() -> None:
    found = translated("SELECT base64(bin) AS c FROM bench.t", "spark", "trino", allow=["base64-lines"])
    assert found.text == 'SELECT\n  to_base64("t"."bin") AS "c"\nFROM "bench"."t"'
    assert [one.allowed for one in found.findings] == [True]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("substr(s, 2)", {"supplementary-characters"}),
        ("substr(ts, 1, 10)", set()),
        ("substr('abc', 2)", set()),
        ("upper('abc')", set()),
        ("upper(s)", {"letter-case"}),
        ("instr(s, s2)", {"supplementary-characters", "empty-search"}),
        ("s rlike 'a.c$'", {"line-ends"}),
        ("s rlike '(?i)abc'", {"ignored-case"}),
        ("s rlike 'a[.$]c'", set()),
        ("unbase64(s)", {"base64-digits"}),
        ("get_json_object(s, '$.a[0]')", {"json-text"}),
        ("get_json_object(s, '$[0]')", {"json-text"}),
        ("parse_url(s, 'HOST')", {"not-a-url"}),
    ],
)
def test_what_is_told(text: str, codes: set[str]) -> None:
    found = translated(f"SELECT {text} AS c FROM bench.t", "hive", "trino")
    assert found.text is not None
    assert {one.reason.code for one in found.findings} == codes
    assert all(one.reason.kind in (Kind.EDGE, Kind.STRICTER) for one in found.findings)


def test_a_key_behind_what_may_be_an_array_is_refused_unless_it_is_allowed() -> None:
    query = "SELECT get_json_object(s, '$.a.b') AS c FROM bench.t"
    assert [one.reason.code for one in translated(query, "hive", "trino").refusals] == ["json-arrays"]
    assert translated(query, "hive", "trino", ["json-arrays"]).text == translated(query, "spark", "trino").text


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"[-a]", r"[\-a]"),
        (r"[a-z-9]", r"[a-z\-9]"),
        (r"[\w-x]", r"[\w\-x]"),
        (r"[\]\[]", r"[\]\[]"),
        (r"\-\/\"", '-/"'),
        (r"\u0041{2,}?", "A{2,}?"),
        (r"a]", r"a\]"),
    ],
)
def test_a_pattern_is_written_so_that_both_read_it_alike(pattern: str, text: str) -> None:
    assert read_pattern(pattern).text == text


def test_what_is_known_of_a_pattern() -> None:
    found = read_pattern("(a)|(?:(b)c*)?(d)")
    assert (found.groups, found.optional, found.may_be_empty, found.plain) == (3, {1, 2, 3}, False, None)
    assert read_pattern(r"a\.b").plain == "a.b"
    assert read_pattern("(?=a)").may_be_empty
    assert read_pattern("^").has_places
    assert read_pattern("(a(b)?)+").optional == {2}


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(",
            ")",
            "a)",
            "[",
            "[a",
            "[]",
            "*",
            "a**",
            "a++",
            "{1}",
            "a{1",
            "a{,2}",
            "(?<n>a)",
            "(?<=a)",
            "(?s).",
            "\\",
        ),
        *(r"\1", r"\p{L}", r"\Qa\E", r"\Z", r"\u00", r"\ud83d\ude00", "[[:alpha:]]", "[a&&b]", r"[a-\d]", "[z-a]"),
    ],
)
def test_patterns_that_are_not_known(pattern: str) -> None:
    with pytest.raises(UnknownPatternError):
        read_pattern(pattern)
