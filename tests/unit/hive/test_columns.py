"""Columns as a caller gives them, and the partition columns among them (hive/columns.py)."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.errors import InvalidSchemaError
from hive_views.hive.columns import check_partitioned_on, schema_from
from hive_views.hive.row import Column
from hive_views.spec.schema import ListType, MapType, NestedField, Schema, StructType

CLICKS = [("user_id", "bigint"), ("clicks", "bigint", "how often"), ("ds", "string")]


def schema_of(*columns: tuple[str, str]) -> Schema:
    return schema_from(columns)[0]


def test_columns_by_name_and_type_get_ids_from_one() -> None:
    schema, hive_types = schema_from(CLICKS)
    assert schema == Schema(
        schema_id=0,
        fields=(
            NestedField(id=1, name="user_id", type="long"),
            NestedField(id=2, name="clicks", type="long", doc="how often"),
            NestedField(id=3, name="ds", type="string"),
        ),
    )
    assert hive_types == {}


@pytest.mark.parametrize(
    "columns",
    [
        [["user_id", "bigint"], ["clicks", "bigint", "how often"], ["ds", "string", None]],
        (("user_id", "BIGINT", ""), ("clicks", " bigint ", "how often"), ("ds", "string")),
        [Column("user_id", "bigint"), Column("clicks", "bigint", "how often"), Column("ds", "string")],
    ],
)
def test_columns_are_given_as_lists_tuples_or_a_rows_columns(columns: Any) -> None:
    assert schema_from(columns) == schema_from(CLICKS)


def test_types_that_iceberg_widens_are_given_beside_the_schema() -> None:
    columns = [
        ("Code", "VARCHAR(7)"),
        ("n", "tinyint"),
        ("names", "array<char(3)>"),
        ("m", "int"),
        ("at", "timestamptz"),
    ]
    schema, hive_types = schema_from(columns)
    assert [field.type for field in schema.fields] == [
        "string",
        "int",
        ListType(element_id=6, element="string"),
        "int",
        "timestamptz",
    ]
    assert hive_types == {"code": "varchar(7)", "n": "tinyint", "names": "array<char(3)>"}


def test_the_ids_of_one_level_come_before_those_below() -> None:
    schema = schema_of(("a", "struct<x:array<int>,y:int>"), ("b", "map<string,int>"))
    assert schema.fields == (
        NestedField(
            id=1,
            name="a",
            type=StructType(
                fields=(
                    NestedField(id=3, name="x", type=ListType(element_id=5, element="int")),
                    NestedField(id=4, name="y", type="int"),
                )
            ),
        ),
        NestedField(id=2, name="b", type=MapType(key_id=6, key="string", value_id=7, value="int")),
    )


def test_columns_keep_the_ids_of_the_base_by_name_and_new_ones_get_the_next() -> None:
    base = Schema(
        schema_id=3,
        fields=(
            NestedField(id=0, name="User_Id", type="long"),
            NestedField(id=7, name="clicks", type="int"),
            NestedField(id=4, name="ds", type="string"),
        ),
    )
    schema, _ = schema_from([("new", "int"), ("ds", "string"), ("clicks", "bigint"), ("USER_ID", "bigint")], base=base)
    assert [(field.name, field.id, field.type) for field in schema.fields] == [
        ("new", 8, "int"),
        ("ds", 4, "string"),
        ("clicks", 7, "long"),
        ("USER_ID", 0, "long"),
    ]


def test_nested_fields_keep_the_ids_of_the_base_by_path() -> None:
    base = schema_of(("a", "struct<x:int,y:array<struct<z:int>>>"), ("m", "map<string,struct<v:int>>"))
    columns = [("m", "map<string,struct<w:int,v:int>>"), ("a", "struct<y:array<struct<Z:bigint,q:int>>,X:int>")]
    schema, _ = schema_from(columns, base=base)
    same, _ = schema_from(
        [("a", "struct<x:int,y:array<struct<z:int>>>"), ("m", "map<string,struct<v:int>>")], base=base
    )
    assert same == base
    assert base.fields == (
        NestedField(
            id=1,
            name="a",
            type=StructType(
                fields=(
                    NestedField(id=3, name="x", type="int"),
                    NestedField(
                        id=4,
                        name="y",
                        type=ListType(
                            element_id=5, element=StructType(fields=(NestedField(id=6, name="z", type="int"),))
                        ),
                    ),
                )
            ),
        ),
        NestedField(
            id=2,
            name="m",
            type=MapType(
                key_id=7, key="string", value_id=8, value=StructType(fields=(NestedField(id=9, name="v", type="int"),))
            ),
        ),
    )
    assert schema.fields[0].type == MapType(
        key_id=7,
        key="string",
        value_id=8,
        value=StructType(fields=(NestedField(id=10, name="w", type="int"), NestedField(id=9, name="v", type="int"))),
    )
    element = StructType(fields=(NestedField(id=6, name="Z", type="long"), NestedField(id=11, name="q", type="int")))
    assert schema.fields[1].type == StructType(
        fields=(
            NestedField(id=4, name="y", type=ListType(element_id=5, element=element)),
            NestedField(id=3, name="X", type="int"),
        )
    )


def test_a_schema_and_nested_fields_keep_their_ids() -> None:
    fields = [
        NestedField(id=5, name="a", type="time", required=True),
        NestedField(id=2, name="b", type="uuid", doc="who"),
    ]
    schema = Schema(schema_id=4, fields=tuple(fields))
    base = schema_of(("a", "string"), ("b", "string"))
    assert schema_from(schema, base=base) == (schema, {})
    assert schema_from(fields, base=base) == (Schema(schema_id=0, fields=tuple(fields)), {})


def test_nested_fields_with_one_id_are_refused() -> None:
    fields = [NestedField(id=1, name="a", type="int"), NestedField(id=1, name="b", type="int")]
    with pytest.raises(InvalidSchemaError, match="field id 1 is used twice"):
        schema_from(fields)


def test_nested_fields_beside_columns_without_ids_are_refused() -> None:
    with pytest.raises(InvalidSchemaError, match="Give all columns as NestedFields"):
        schema_from([NestedField(id=1, name="a", type="int"), ("b", "int")])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "columns",
    [
        *(
            "user_id bigint",
            ["user_id"],
            ["user_id bigint"],
            [("user_id",)],
            [("a", "int", "c", "d")],
            [("a", 1)],
            None,
            7,
        ),
        *([(1, "int")], [("a", "int", 3)], {"a": "int"}, [{"name": "a"}], [None], [("a", None)]),
    ],
)
def test_what_is_no_list_of_columns_is_refused_with_an_example(columns: Any) -> None:
    with pytest.raises(InvalidSchemaError, match=r"as columns: give names and Hive types.*\('user_id', 'bigint'\)"):
        schema_from(columns)


@pytest.mark.parametrize("columns", [[], (), Schema(schema_id=0, fields=())])
def test_a_view_needs_a_column(columns: Any) -> None:
    with pytest.raises(InvalidSchemaError, match="at least one column"):
        schema_from(columns)


def in_three_forms(*names: str, doc: str | None = None) -> list[Any]:
    fields = [NestedField(id=i, name=name, type="int", doc=doc) for i, name in enumerate(names)]
    return [[(name, "int", doc) for name in names], fields, Schema(schema_id=0, fields=tuple(fields))]


@pytest.mark.parametrize("columns", [*in_three_forms("clicks", "Clicks"), *in_three_forms("clicks", "clicks")])
def test_names_that_differ_in_case_only_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidSchemaError, match=r"Columns 'clicks' and '[Cc]licks' have the same name"):
        schema_from(columns)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "it is empty"),
        (" a", "begins or ends with a space"),
        ("a ", "begins or ends with a space"),
        ("a\nb", "control characters"),
        ("a\0b", "control characters"),
        ("a\ud800", "an unpaired surrogate"),
        ("x" * 768, "holds 767 characters, it has 768"),
        ("😀" * 384, "it has 768"),
    ],
)
def test_a_name_that_the_metastore_cannot_hold_is_refused(name: str, problem: str) -> None:
    for columns in in_three_forms("ok", name):
        with pytest.raises(InvalidSchemaError, match=problem) as error:
            schema_from(columns)
        assert error.value.columns == [name]


@pytest.mark.parametrize("name", ["a b", "a,b", "a-b", "a`b", "a.b", "_c1", "日本", "😀", "x" * 767, "SELECT"])
def test_any_other_name_is_kept_as_given(name: str) -> None:
    for columns in in_three_forms("ok", name):
        assert schema_from(columns)[0].names == ("ok", name)


def test_a_comment_has_at_most_256_characters() -> None:
    for columns in in_three_forms("clicks", doc="x" * 256):
        assert schema_from(columns)[0].fields[0].doc == "x" * 256
    for doc in ("x" * 257, "😀" * 129):
        for columns in in_three_forms("clicks", doc=doc):
            with pytest.raises(InvalidSchemaError, match=r"comment of column clicks has 25[78] characters"):
                schema_from(columns)


def test_a_type_without_counterpart_is_refused_with_the_column() -> None:
    with pytest.raises(InvalidSchemaError, match="Column payload has a part of Hive's type void"):
        schema_from([("a", "int"), ("payload", "void")])
    with pytest.raises(InvalidSchemaError, match="Column payload: Cannot read 'long'"):
        schema_from([("payload", "long")])
    for columns in ([NestedField(id=1, name="payload", type="variant")],):
        with pytest.raises(InvalidSchemaError, match="Column payload has a part of Iceberg's type variant"):
            schema_from(columns)
        with pytest.raises(InvalidSchemaError, match="Column payload has a part of Iceberg's type variant"):
            schema_from(Schema(schema_id=0, fields=tuple(columns)))


DAILY, _ = schema_from([("n", "int"), ("Ds", "string"), ("hr", "int")])


@pytest.mark.parametrize(
    ("given", "keys"), [([], ()), (["hr"], ("hr",)), (["ds", "hr"], ("ds", "hr")), (("DS", "Hr"), ("ds", "hr"))]
)
def test_partition_columns_are_the_last_columns_in_lower_case(given: list[str], keys: tuple[str, ...]) -> None:
    assert check_partitioned_on(DAILY, {}, given) == keys


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["day"], r"partition the view on \(day\): the view has no column day.*10093.* columns are \(n, ds, hr\)"),
        (["hr", "hr"], "named twice.*10093"),
        (["hr", "HR"], "named twice.*10093"),
        (["n", "ds", "hr"], "Hive error 10092"),
        (["hr", "ds"], "Hive error 10093"),
        (["ds"], "Hive error 10093"),
        (["n", "hr"], "Hive error 10093"),
        ("hr", r"Give the partition columns as a list, \['hr'\]"),
    ],
)
def test_partition_columns_in_another_place_are_refused(given: Any, problem: str) -> None:
    with pytest.raises(InvalidSchemaError, match=problem):
        check_partitioned_on(DAILY, {}, given)


@pytest.mark.parametrize("type_", ["binary", "array<int>", "struct<a:int>", "map<string,int>", "timestamptz"])
def test_a_column_of_a_type_without_text_cannot_be_a_partition_column(type_: str) -> None:
    schema, hive_types = schema_from([("n", "int"), ("k", type_)])
    with pytest.raises(InvalidSchemaError, match=r"Column k .* cannot be a partition column"):
        check_partitioned_on(schema, hive_types, ["k"])


@pytest.mark.parametrize("type_", ["tinyint", "varchar(3)", "char(3)", "date", "timestamp", "decimal(10,2)", "boolean"])
def test_a_column_of_a_type_with_text_can_be_a_partition_column(type_: str) -> None:
    schema, hive_types = schema_from([("n", "int"), ("k", type_)])
    assert check_partitioned_on(schema, hive_types, ["k"]) == ("k",)


def test_the_name_of_a_partition_column_has_at_most_128_characters() -> None:
    assert check_partitioned_on(schema_of(("n", "int"), ("k" * 128, "int")), {}, ["k" * 128]) == ("k" * 128,)
    with pytest.raises(InvalidSchemaError, match="a name of 129 characters; the metastore holds 128"):
        check_partitioned_on(schema_of(("n", "int"), ("k" * 129, "int")), {}, ["k" * 129])
