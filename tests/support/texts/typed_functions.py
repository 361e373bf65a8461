"""Calls of functions and parts of nested values, with their types in each engine; tests/interop asks the engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

COLUMNS = {
    "ti": "tinyint",
    "sm": "smallint",
    "i": "int",
    "bi": "bigint",
    "fl": "float",
    "db": "double",
    "de": "decimal(10,2)",
    "whole": "decimal(5,0)",
    "long": "decimal(38,10)",
    "s": "string",
    "vc": "varchar(7)",
    "ch": "char(3)",
    "da": "date",
    "ts": "timestamp",
    "bo": "boolean",
    "bn": "binary",
    "ints": "array<int>",
    "texts": "array<string>",
    "codes": "array<varchar(7)>",
    "structs": "array<struct<x:int,y:string>>",
    "deep": "array<map<string,bigint>>",
    "m": "map<string,int>",
    "mi": "map<int,string>",
    "mv": "map<varchar(7),double>",
    "st": "struct<x:int,y:string,z:struct<w:date>,v:varchar(7),l:array<int>>",
}

CERTAIN = {
    "int": """
        length(s); length(bn); char_length(vc); character_length(ch); octet_length(s); ascii(s); instr(s, 'a')
        locate('a', vc); find_in_set(s, 'a,b'); levenshtein(s, vc); hash(s, i); xpath_int(s, 'a')
        year(da); month(s); day(ts); dayofmonth(da); dayofweek(da); weekofyear(vc); quarter(da); hour(ts); minute(s)
        second(ts); datediff(da, s); extract(year FROM da); extract(quarter FROM ts); extract(day FROM s)
        extract(dayofweek FROM da); extract(week FROM da); extract(month FROM ts); extract(hour FROM ts)
        extract(minute FROM ts); shiftleft(ti, 1); shiftright(i, 1); shiftrightunsigned(sm, i); abs(i); round(i)
        round(i, -1); size(ints); size(m); ints[0]; m['k']; m[s]; st.x; (st).x; st.l[0]; structs[0].x
        named_struct('a', i).a; map('a', 1)['a']
    """,
    "string": """
        trim(s); ltrim(vc); rtrim(ch); initcap(vc); base64(bn); hex(i); md5(s); sha(bn); sha1(vc); sha2(s, 256)
        soundex(s); space(2); chr(65); concat_ws(',', s, vc); concat_ws(',', texts, s); repeat(vc, 2)
        translate(s, 'a', 'b'); regexp_replace(s, 'a', vc); regexp_extract(s, 'a', 1); replace(vc, 'a', 'b')
        substring_index(s, ',', 1); get_json_object(s, '$.a'); parse_url(s, 'HOST'); conv(s, 10, 16)
        decode(bn, 'UTF-8'); format_number(db, 2); printf('%s', s); xpath_string(s, 'a'); current_user()
        current_database(); version(); uuid(); reflect('java.lang.Math', 'abs', 1)
        java_method('java.lang.Math', 'abs', 1); upper(s); lower(i); ucase(s); lcase(da); substr(vc, 1); substr(s, 1, 2)
        substring(ch, 1, i); substring(i, 1); lpad(vc, 5, ' '); rpad(s, i, s); reverse(vc); elt(1, vc, s)
        concat(s, vc); concat(i, ch); concat(s); concat(bn, s); concat(s, NULL); bin(i); date_format(ts, 'yyyy')
        from_unixtime(bi); from_unixtime(i, 'yyyy'); split(s, ',')[0]; str_to_map(s)['a']; st.y; structs[i].y; mi[1]
    """,
    "bigint": """
        crc32(s); unix_timestamp(); unix_timestamp(da); unix_timestamp(s, 'yyyy'); to_unix_timestamp(ts)
        factorial(i); xpath_long(s, 'a'); floor(db); ceil(i); ceiling(s); abs(bi); round(bi, 2); shiftleft(bi, 1)
        deep[0]['k']
    """,
    "binary": "unbase64(s); unhex(s); encode(s, 'UTF-8'); aes_encrypt(s, s); aes_decrypt(bn, s)",
    "boolean": "isnull(s); isnotnull(i); xpath_boolean(s, 'a'); array_contains(ints, 1)",
    "tinyint": "round(ti); bround(ti, 1)",
    "smallint": "round(sm, 2); xpath_short(s, 'a')",
    "float": "round(fl, 2); bround(fl); xpath_float(s, 'a')",
    "double": """
        sqrt(i); cbrt(de); exp(de); ln(s); log(db); log(2, i); log2(db); log10(i); pow(i, 2); power(s, de); sin(db)
        cos(i); tan(db); asin(db); acos(db); atan(s); degrees(de); radians(db); pi(); e(); rand(); rand(1)
        xpath_double(s, 'a'); xpath_number(s, 'a'); months_between(da, s); abs(db); abs(s); sign(db); sign(i); round(s)
        bround(db, -1); mv['k']; mv[vc]
    """,
    "date": """
        to_date(s); date_add(da, 1); date_add(s, i); date_sub(ts, 1); current_date; current_date(); st.z.w
    """,
    "timestamp": """
        from_utc_timestamp(s, 'UTC'); to_utc_timestamp(ts, s); current_timestamp; current_timestamp()
    """,
    "decimal(10,2)": "abs(de)",
    "decimal(9,0)": "floor(de); ceil(de); round(de); round(de, 0); round(de, -3); bround(de, -1)",
    "decimal(10,1)": "round(de, 1); bround(de, 1)",
    "decimal(29,0)": "ceil(long); round(long, -3)",
    "decimal(31,2)": "round(long, 2)",
    "decimal(38,10)": "round(long, 10)",
    "decimal(6,0)": "round(whole, -1)",
    "array<int>": "sort_array(ints); map_values(m); map_keys(mi); array(1, i); array(i, NULL); structs.x; st.l",
    "array<string>": "split(s, ','); xpath(s, 'a'); sort_array(texts); map_keys(m); map_values(mi); array('a', s)",
    "array<array<string>>": "sentences(s); array(split(s, ','), texts)",
    "map<string,string>": "str_to_map(s); str_to_map(s, ',', ':'); map('a', s)",
    "array<bigint>": "array(i, bi); array(sm, bi, NULL)",
    "array<decimal(12,2)>": "array(de, i)",
    "map<string,int>": "map(s, 1); map('a', i, 'b', NULL)",
    "struct<w:date>": "st.z",
    "struct<x:int,y:string>": "structs[0]; named_struct('x', i, 'y', s)",
    "struct<col1:int,col2:string>": "struct(1, upper(s))",
}
"""Expressions on which both engines agree, by their type."""

BY_ENGINE = {
    ("string", "date"): "add_months(da, 1); last_day(s); next_day(da, 'MO'); trunc(ts, 'MM')",
    ("int", "decimal(8,6)"): "extract(second FROM ts)",
    ("int", "tinyint"): "abs(ti)",
    ("int", "smallint"): "abs(sm)",
    ("double", "float"): "abs(fl)",
    ("int", "double"): "sign(de)",
    ("decimal(6,0)", "decimal(5,0)"): "floor(whole); ceil(whole)",
    ("decimal(5,0)", "decimal(6,0)"): "round(whole); bround(whole, 0)",
    ("decimal(10,2)", "decimal(11,2)"): "round(de, 2)",
    ("decimal(11,3)", "decimal(11,2)"): "round(de, 3)",
    ("decimal(38,20)", "decimal(38,10)"): "round(long, 20)",
    ("decimal(6,0)", "decimal(8,0)"): "round(whole, -7)",
    ("varchar(7)", "string"): "upper(vc); codes[0]; st.v; concat(vc)",
    ("char(3)", "string"): "lower(ch)",
    ("varchar(10)", "string"): "concat(vc, ch)",
    ("char(6)", "string"): "concat(ch, ch)",
    ("varchar(14)", "string"): "concat(vc, vc)",
    ("array<varchar(7)>", "array<string>"): "array(vc); sort_array(codes); map_keys(mv)",
    ("map<string,varchar(7)>", "map<string,string>"): "map('a', vc)",
    ("struct<b:int>", "struct<B:int>"): "named_struct('B', i)",
    ("struct<col1:int,col2:int>", "struct<i:int,x:int>"): "struct(i, st.x)",
    ("struct<a:varchar(7)>", "struct<a:string>"): "named_struct('a', vc)",
}
"""Expressions on which Hive and Spark differ, by what each gives."""

UNKNOWN_IN_HIVE = {
    "binary": "to_binary(s); substring(bn, 1); concat(bn, bn)",
    "array<int>": """
        concat(ints, ints); reverse(ints); array_append(ints, 1); array_prepend(ints, 1); array_compact(ints)
        array_distinct(ints); array_remove(ints, 1); array_sort(ints); slice(ints, 1, 2); array_except(ints, ints)
        array_intersect(ints, ints); array_union(ints, array(1)); array_repeat(i, 2); sequence(1, i)
        flatten(array(ints, ints))
    """,
    "array<struct<key:string,value:int>>": "map_entries(m)",
    "map<string,int>": "map_concat(m, m); map_from_arrays(texts, ints)",
    "bigint": """
        array_position(ints, 1); monotonically_increasing_id(); unix_micros(ts); unix_millis(ts); unix_seconds(ts)
        width_bucket(db, 1, 10, 5); xxhash64(s)
    """,
    "boolean": """
        arrays_overlap(ints, ints); contains(s, 'a'); endswith(s, 'a'); isnan(db); luhn_check(s)
        map_contains_key(m, 'a'); startswith(s, 'a')
    """,
    "date": "curdate(); date_from_unix_date(i); dateadd(da, 1); make_date(i, i, i)",
    "double": """
        atan2(db, db); cosh(db); cot(db); csc(db); expm1(db); hypot(db, db); log1p(db); randn(); random(); rint(db)
        sec(db); signum(i); sinh(db); tanh(db)
    """,
    "int": """
        bit_count(i); bit_length(s); cardinality(ints); dayofyear(da); json_array_length(s); regexp_count(s, 'a')
        regexp_instr(s, 'a'); spark_partition_id(); unix_date(da); weekday(da); array_max(ints); array_min(ints)
        array_size(ints); element_at(ints, 1); element_at(m, 'a'); get(ints, 0); try_element_at(ints, 1)
    """,
    "string": """
        array_join(texts, ','); btrim(s); current_timezone(); format_string('%s', s); input_file_name()
        regexp_substr(s, 'a'); schema_of_json('{}'); session_user(); split_part(s, ',', 1); to_char(de, '999')
        to_json(st); typeof(s); url_decode(s); url_encode(s)
    """,
    "timestamp": """
        date_trunc('DAY', ts); make_timestamp(i, i, i, i, i, i); now(); timestamp_micros(bi); timestamp_millis(bi)
        timestamp_seconds(bi)
    """,
    "array<string>": "regexp_extract_all(s, 'a')",
}
"""Expressions that releases of Hive type differently, or do not have, by what Spark gives."""

UNKNOWN_IN_SPARK = {
    "string": "lpad(bn, 5, bn); rpad(bn, 5, bn); elt(1, bn, bn)",
}
"""Expressions for which only the rule of Hive is known, by what Hive gives."""


def listed(text: str) -> list[str]:
    """The expressions, which have semicolons or ends of lines between them."""
    return [expression.strip() for line in text.split("\n") for expression in line.split(";") if expression.strip()]


GENERATED = {
    "explode(ints)": "col int",
    "explode(split(s, ','))": "col string",
    "explode(m)": "key string, value int",
    "inline(structs)": "x int, y string",
    "inline(array(named_struct('a', i, 'b', st.z)))": "a int, b struct<w:date>",
    "stack(2, i, s, 3, 'x')": "col0 int, col1 string",
    "stack(1, i, s, da)": "col0 int, col1 string, col2 date",
    "json_tuple(s, 'a', 'b')": "c0 string, c1 string",
}
"""Table-generating functions, with the names and types of their columns in both engines."""

ONE_ENGINE_NAMES = (
    ("posexplode(ints)", "p, v", "p int, v int"),
    ("inline(array(struct(i, s)))", "a, b", "a int, b string"),
)
"""Those whose columns Hive and Spark name differently: with names, and what is made of them then."""


def _by_expression(engine: int, *others: dict[str, str]) -> dict[str, str]:
    tables = [*CERTAIN.items(), *((types[engine], text) for types, text in BY_ENGINE.items())]
    tables += [item for other in others for item in other.items()]
    return {expression: type_ for type_, text in tables for expression in listed(text)}


IN_HIVE = _by_expression(0, UNKNOWN_IN_SPARK)
IN_SPARK = _by_expression(1, UNKNOWN_IN_HIVE)


def create_table(name: str, columns: Mapping[str, str] = COLUMNS) -> str:
    """The statement that makes the table with these columns."""
    return f"CREATE TABLE {name} ({', '.join(f'{column} {type_}' for column, type_ in columns.items())}) STORED AS ORC"


def selecting(expressions: Iterable[str], table: str) -> str:
    """A query that returns all of them."""
    return f"SELECT {', '.join(f'{one} AS c{n}' for n, one in enumerate(expressions))} FROM {table}"
