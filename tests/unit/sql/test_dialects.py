"""Names of dialects, and quoting for Hive and Spark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.errors import InvalidInputError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.dialects import (
    PARSED_DIALECTS,
    canonical_dialect,
    check_dialect,
    require_row_dialect,
    written_dialect,
)
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import literals_that_coral_misreads, quote_identifier, quote_literal, safe_literals


@pytest.mark.parametrize(
    ("name", "canonical"), [("hive", "hive"), (" Spark ", "spark"), ("other:my_Engine-2", "my_engine-2")]
)
def test_a_dialect_has_one_spelling(name: str, canonical: str) -> None:
    assert check_dialect(name) == canonical


@pytest.mark.parametrize("name", ["", "2x", "hive 3", "hive,spark", "é", "-"])
def test_what_is_no_name_is_no_dialect(name: str) -> None:
    with pytest.raises(InvalidInputError, match="as a SQL dialect") as error:
        check_dialect(name)
    assert error.value.dialect == name


def test_a_row_carries_only_what_plain_readers_take_for_hiveql() -> None:
    assert [require_row_dialect(name) for name in ("HIVE", "spark")] == ["hive", "spark"]
    with pytest.raises(UnsupportedFeatureError, match="cannot hold trino SQL"):
        require_row_dialect("trino")


@pytest.mark.parametrize(
    ("name", "quoted"), [("a", "`a`"), ("A b.c", "`A b.c`"), ("a`b``", "`a``b`````"), ("é", "`é`")]
)
def test_an_identifier_stands_in_back_quotes_and_doubles_its_own(name: str, quoted: str) -> None:
    assert quote_identifier(name) == quoted


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("", "''"),
        ("it's", r"'it\'s'"),
        ('"', "'\"'"),
        ("a\\n", r"'a\\n'"),
        ("a\nb\tc\rd", r"'a\nb\tc\rd'"),
        # `\0` before a digit would be an octal escape.
        ("\x0012", r"'\u000012'"),
        ("\x7f", r"'\u007f'"),
        ("é", r"'\u00e9'"),
        ("😀", r"'\ud83d\ude00'"),
        ("${x}", r"'\u0024{x}'"),
        ("$x", "'$x'"),
    ],
)
def test_a_literal_is_printable_ascii(text: str, literal: str) -> None:
    assert quote_literal(text) == literal


@given(st.text())
def test_every_text_has_a_literal_of_printable_ascii_without_variables(text: str) -> None:
    literal = quote_literal(text)
    assert all(" " <= char <= "~" for char in literal)
    assert "${" not in literal


@pytest.mark.parametrize(
    ("sql", "safe"),
    [
        ("SELECT 'é', \"é\"", r"""SELECT '\u00e9', "\u00e9" """.rstrip()),
        ("SELECT `é` /* é */ -- é", "SELECT `é` /* é */ -- é"),
        (r"SELECT '\é'", r"SELECT '\u00e9'"),
        (r"SELECT '\\é'", r"SELECT '\\\u00e9'"),
        (r"SELECT '\\\é'", r"SELECT '\\\u00e9'"),
        (r"SELECT '\'é\n'", r"SELECT '\'\u00e9\n'"),
        (r"SELECT '\u00e9é'", r"SELECT '\u00e9\u00e9'"),
        (r"SELECT '\u12é4'", r"SELECT '\u12é4'"),
        (r"SELECT '\\u12é4'", r"SELECT '\\u12\u00e94'"),
        ("SELECT '${ds}', '\\${x}', '$', '{'", r"SELECT '\u0024{ds}', '\u0024{x}', '$', '{'"),
        ("SELECT 'plain'", "SELECT 'plain'"),
        ("SELECT '--', 'é' -- 'é'\n, 'é'", "SELECT '--', '\\u00e9' -- 'é'\n, '\\u00e9'"),
    ],
)
def test_literals_become_safe_and_all_else_stays(sql: str, safe: str) -> None:
    assert safe_literals(QueryText(sql, "hive")) == safe
    assert safe_literals(QueryText(safe, "hive")) == safe


@pytest.mark.parametrize(
    ("sql", "misread"),
    [
        (r"SELECT 'it\'s', 'plain' -- '\n'", []),
        (r"SELECT '\u03A9', 'a\nb', `a\b`", [r"'\u03A9'", r"'a\nb'"]),
        (r"""SELECT 'a\\', "\\d" """, [r"'a\\'", r'"\\d"']),
        (r"SELECT 'it\'s \t'", [r"'it\'s \t'"]),
    ],
)
def test_coral_misreads_literals_with_escapes_but_of_a_single_quote(sql: str, misread: list[str]) -> None:
    assert literals_that_coral_misreads(QueryText(sql, "hive")) == misread


def test_raw_literals_of_spark_stay() -> None:
    assert safe_literals(QueryText("SELECT r'é', 'é'", "spark")) == r"SELECT r'é', '\u00e9'"


def test_literals_of_other_dialects_are_refused() -> None:
    with pytest.raises(UnsupportedFeatureError):
        safe_literals(QueryText("SELECT 'é'", "trino"))


def test_a_literal_that_is_not_closed_is_refused() -> None:
    with pytest.raises(SQLSyntaxError, match="the ' that opens here is not closed"):
        safe_literals(QueryText("SELECT 'é", "hive"))


class TestUnknownNames:
    def test_the_names_that_are_parsed_are_those_of_the_parser(self) -> None:
        from sqlglot import Dialects

        assert {dialect.value for dialect in Dialects if dialect.value} == PARSED_DIALECTS

    @pytest.mark.parametrize(
        ("name", "nearest"), [("trnio", "'trino'"), ("Spark-SQL", "'spark'"), ("sparksql", "spark")]
    )
    def test_a_name_that_nobody_knows_is_refused_with_the_nearest(self, name: str, nearest: str) -> None:
        with pytest.raises(InvalidInputError, match="Did you mean") as error:
            check_dialect(name)
        assert nearest in str(error.value)
        assert f"without parsing, write other:{name.lower()}" in str(error.value)

    @pytest.mark.parametrize("name", ["impala", "Flink", "DremioSQL", "other:acme", "Other:ACME", "other:hive"])
    def test_what_other_engines_write_and_what_is_meant_is_taken(self, name: str) -> None:
        checked = check_dialect(name)
        assert checked == name.lower().removeprefix("other:")
        assert check_dialect(checked) == checked
        assert check_dialect(written_dialect(checked)) == checked

    def test_a_name_in_a_file_needs_no_sign(self) -> None:
        assert canonical_dialect("ACME") == "acme"
        QueryText("anything at all", "acme").check()
