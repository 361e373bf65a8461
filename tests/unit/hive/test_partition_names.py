"""Names of partitions (hive/partition_names.py); Hive's own escaping is asked in tests/interop."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.errors import InvalidPartitionError
from hive_views.hive.partition_names import escape, parse_partition_name, partition_name, unescape

keys = st.lists(st.from_regex(r"[a-z_][a-z0-9_ /=%]{0,5}", fullmatch=True), min_size=1, max_size=4, unique=True)


@pytest.mark.parametrize(
    ("value", "escaped"),
    [
        *(
            ("[1]", "%5B1%5D"),
            ("{x}", "%7Bx}"),
            ("a\nb", "a%0Ab"),
            ("\0", "%00"),
            ("a b", "a b"),
            ("日本", "日本"),
            ("😀", "😀"),
        ),
        *(
            ("2:3+4", "2%3A3+4"),
            ("100%", "100%25"),
            ("a/b=c", "a%2Fb%3Dc"),
            ("it's", "it%27s"),
            ("~,.;&<>|$()!@`", "~,.;&<>|$()!@`"),
        ),
        *(("\x7f\x80", "%7F\x80"), ('"#*?\\^', "%22%23%2A%3F%5C%5E"), ("..", "..")),
    ],
)
def test_special_characters_become_two_hex_digits(value: str, escaped: str) -> None:
    assert escape(value) == escaped
    assert unescape(escaped) == value


def test_a_percent_sign_without_two_hex_digits_stays() -> None:
    assert unescape("100%") == "100%"
    assert unescape("%4") == "%4"
    assert unescape("%zz%25") == "%zz%"


def test_a_name_has_the_keys_in_lower_case_and_the_values_as_they_are() -> None:
    assert partition_name(["DS", "Hr"], ["2026-08-21", "A"]) == "ds=2026-08-21/hr=A"


def test_an_empty_value_has_the_name_of_null() -> None:
    assert partition_name(["ds"], [""]) == "ds=__HIVE_DEFAULT_PARTITION__"


def test_as_many_values_as_keys_are_needed() -> None:
    with pytest.raises(InvalidPartitionError, match=r"2 partition columns \(ds, hr\) and 1 values \(2026\)"):
        partition_name(["ds", "hr"], ["2026"])


def test_a_name_of_767_characters_is_the_longest() -> None:
    keys, values = list("abcd"), ["x" * 190, "x" * 190, "x" * 190, "x" * 186]
    assert len(partition_name(keys, values)) == 767
    with pytest.raises(InvalidPartitionError, match="has 768 characters"):
        partition_name(keys, [*values[:3], "x" * 187])


def test_escaped_characters_count_as_three_and_an_emoji_as_two() -> None:
    assert len(partition_name(["k"], ["%" * 255])) == 767
    with pytest.raises(InvalidPartitionError, match="has 770 characters"):
        partition_name(["k"], ["%" * 256])
    with pytest.raises(InvalidPartitionError, match="has 768 characters"):
        partition_name(["k"], ["😀" * 383])


def test_a_name_is_split_before_it_is_unescaped() -> None:
    assert parse_partition_name("ds=a%2Fb%3Dc/hr=%3D") == {"ds": "a/b=c", "hr": "="}
    assert parse_partition_name("a%3Db=c") == {"a=b": "c"}


def test_keys_are_read_in_lower_case() -> None:
    assert parse_partition_name("DS=A") == {"ds": "A"}


def test_null_is_read_as_hives_default_partition() -> None:
    assert parse_partition_name("ds=__HIVE_DEFAULT_PARTITION__") == {"ds": "__HIVE_DEFAULT_PARTITION__"}


@pytest.mark.parametrize(
    "name", ["", "ds", "ds=", "=1", "ds=1/", "/ds=1", "ds=1//hr=2", "ds=1/x", "ds=a=b", "ds=1/ds=2", "ds=1/DS=2"]
)
def test_what_is_no_name_of_a_partition_is_refused(name: str) -> None:
    with pytest.raises(InvalidPartitionError, match=r"as the name of a partition") as error:
        parse_partition_name(name)
    assert error.value.partitions == [name]


@given(keys, st.data())
def test_every_name_is_read_back_as_what_it_was_made_of(names: list[str], data: st.DataObject) -> None:
    values = [data.draw(st.text(min_size=1, max_size=20)) for _ in names]
    assert parse_partition_name(partition_name(names, values)) == dict(zip(names, values, strict=True))
