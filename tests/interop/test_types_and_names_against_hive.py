"""Type strings and partition names, judged by Hive 2.3.10's own readers and writers of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from hive_views.errors import InvalidPartitionError, InvalidSchemaError
from hive_views.hive.partition_names import escape, parse_partition_name, partition_name, unescape
from hive_views.hive.types import HiveType, hive_type, parse_hive_type
from hive_views.spec.schema import NestedField, StructType

SLOW_PEER = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
EVERY_TYPE = [
    *("tinyint", "smallint", "int", "bigint", "boolean", "float", "double", "string", "char(255)", "varchar(65535)"),
    *("date", "timestamp", "binary", "decimal(38,38)", "decimal(10,0)", "array<int>", "map<string,array<date>>"),
    *("struct<a:int,b:struct<c:varchar(7)>>", "struct<>", "uniontype<int,string>", "void", "interval_year_month"),
    "interval_day_time",
]


def read_by_hive(jvm: Any, text: str) -> str | None:
    from py4j.protocol import Py4JJavaError

    try:
        return str(
            jvm.org.apache.hadoop.hive.serde2.typeinfo.TypeInfoUtils.getTypeInfoFromTypeString(text).getTypeName()
        )
    except Py4JJavaError:
        return None


def nested(parts: st.SearchStrategy[HiveType]) -> st.SearchStrategy[HiveType]:
    names = st.lists(st.from_regex(r"[A-Za-z0-9_.$]{1,6}", fullmatch=True), min_size=1, max_size=3, unique_by=str.lower)
    structs = names.flatmap(
        lambda found: st.tuples(*[parts] * len(found)).map(
            lambda types: HiveType("struct", parts=types, field_names=tuple(found))
        )
    )
    keys = st.sampled_from(["string", "int", "date"]).map(HiveType)
    return st.one_of(
        parts.map(lambda part: HiveType("array", parts=(part,))),
        st.tuples(keys, parts).map(lambda pair: HiveType("map", parts=pair)),
        structs,
    )


types = st.recursive(st.sampled_from(EVERY_TYPE[:15]).map(parse_hive_type), nested, max_leaves=8)


@pytest.mark.parametrize("text", EVERY_TYPE)
def test_every_type_is_spelled_as_hive_spells_it(hive_jvm: Any, text: str) -> None:
    assert str(parse_hive_type(text)) == text == read_by_hive(hive_jvm, text)


@SLOW_PEER
@given(type_=types)
def test_any_type_is_written_so_that_hive_reads_the_same(hive_jvm: Any, type_: HiveType) -> None:
    assert read_by_hive(hive_jvm, str(type_)) == str(type_)
    assert parse_hive_type(str(type_)) == type_


@pytest.mark.parametrize(
    "text",
    [
        *(
            "decimal(39,1)",
            "decimal(5,6)",
            "decimal(0,0)",
            "varchar(0)",
            "varchar(65536)",
            "varchar",
            "char",
            "char(256)",
        ),
        *("unknown", "varchar(+3)", "decimal(5,-2)", "array<int>>", "struct<a:int", "struct<a,b:int>", "map<int>"),
    ],
)
def test_what_hive_cannot_read_is_refused(hive_jvm: Any, text: str) -> None:
    assert read_by_hive(hive_jvm, text) is None
    with pytest.raises(InvalidSchemaError):
        parse_hive_type(text)


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        *(("INT", "int"), ("integer", "int"), ("Double Precision", "double"), ("numeric(5,2)", "decimal(5,2)")),
        *(
            ("decimal(10, 2)", "decimal(10,2)"),
            ("array< int >", "array<int>"),
            ("struct<`a b`: int>", "struct<a b:int>"),
        ),
    ],
)
def test_what_only_sql_spells_so_is_rewritten_for_hives_type_reader(hive_jvm: Any, typed: str, written: str) -> None:
    assert read_by_hive(hive_jvm, typed) is None
    assert read_by_hive(hive_jvm, str(parse_hive_type(typed))) == written


def test_decimal_with_a_precision_alone_is_written_in_full_because_hive_2_drops_the_precision(hive_jvm: Any) -> None:
    assert read_by_hive(hive_jvm, "decimal(5)") == "decimal(10,0)"
    assert read_by_hive(hive_jvm, str(parse_hive_type("decimal(5)"))) == "decimal(5,0)"


def test_timestamp_with_time_zone_is_written_as_timestamp_because_hive_2_cannot_read_it(hive_jvm: Any) -> None:
    assert read_by_hive(hive_jvm, "timestamp with local time zone") is None
    assert hive_type("timestamptz", column="c") == "timestamp"


@SLOW_PEER
@given(name=st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=3))
@example(name="a-b")
@example(name="a b")
@example(name="a/b")
@example(name="é日")
@example(name="😀")
@example(name="²")
@example(name="٣")
def test_a_struct_field_has_a_name_exactly_when_hive_reads_it(hive_jvm: Any, name: str) -> None:
    struct = StructType(fields=(NestedField(id=1, name=name, type="int"),))
    is_read = read_by_hive(hive_jvm, f"struct<{name}:int>") == f"struct<{name}:int>"
    try:
        assert hive_type(struct, column="c") == f"struct<{name}:int>"
    except InvalidSchemaError:
        assert not is_read
    else:
        assert is_read


@SLOW_PEER
@given(text=st.text(min_size=1, max_size=30) | st.text("aB%=/:'\"\\[]{}^*?# \x00\x1f\x7f\x80~", min_size=1))
@example(text="".join(map(chr, range(1, 256))))
def test_names_are_escaped_as_hive_escapes_them(hive_jvm: Any, text: str) -> None:
    files = hive_jvm.org.apache.hadoop.hive.common.FileUtils
    assert escape(text) == files.escapePathName(text)
    assert unescape(escape(text)) == files.unescapePathName(escape(text)) == text


@SLOW_PEER
@given(text=st.text("%0123456789ABCDEFabcdefgz =-", max_size=12))
@example(text="%4")
@example(text="%zz%25%")
@example(text="%C3%A9")
def test_names_are_unescaped_as_leniently_as_hive_does(hive_jvm: Any, text: str) -> None:
    assert unescape(text) == hive_jvm.org.apache.hadoop.hive.common.FileUtils.unescapePathName(text)


@pytest.mark.parametrize(("text", "in_hive"), [("%+1", "\x01"), ("%٣٣", "3")])
def test_only_hex_digits_are_an_escape_although_java_parses_more(hive_jvm: Any, text: str, in_hive: str) -> None:
    assert hive_jvm.org.apache.hadoop.hive.common.FileUtils.unescapePathName(text) == in_hive
    assert unescape(text) == text


keys = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), min_size=1, max_size=3, unique_by=str.lower
)


@SLOW_PEER
@given(data=st.data(), names=keys)
def test_a_partition_has_the_name_that_the_metastore_gives_it(
    hive_jvm: Any, data: st.DataObject, names: list[str]
) -> None:
    # Java and Python have different Unicode versions; what matters is that both fold the letters people use.
    assume(all(name.lower() == hive_jvm.org.apache.commons.lang3.StringUtils.lowerCase(name) for name in names))
    values = data.draw(st.lists(st.text(max_size=8), min_size=len(names), max_size=len(names)))
    warehouse = hive_jvm.org.apache.hadoop.hive.metastore.Warehouse
    columns = [hive_jvm.org.apache.hadoop.hive.metastore.api.FieldSchema(name, "string", None) for name in names]
    theirs = warehouse.makePartName(columns, values)
    assert partition_name(names, values) == theirs
    assert parse_partition_name(theirs) == dict(warehouse.makeSpecFromName(theirs))


@pytest.mark.parametrize("name", ["ds", "ds=", "=1", "ds=1/", "/ds=1", "ds=1/x", "ds=a=b", "ds=1/ds=2", "ds=1//hr=2"])
def test_a_name_that_hive_reads_only_in_part_is_refused(hive_jvm: Any, name: str) -> None:
    spec = dict(hive_jvm.org.apache.hadoop.hive.metastore.Warehouse.makeSpecFromName(name))
    assert "/".join(f"{escape(key)}={escape(value)}" for key, value in spec.items()) != name
    with pytest.raises(InvalidPartitionError):
        parse_partition_name(name)
