"""Functions of strings and bytes: expressions over ``bench.t`` that must be the same in Trino, or are refused."""

from __future__ import annotations

_IN_BOTH = (
    *(
        "concat(s, s2)",
        "concat(s)",
        "concat(s, NULL)",
        "concat(i, 'a')",
        "concat(v, v)",
        "concat(c, c)",
        "concat(c, 'x')",
    ),
    *("concat(bin, 'a')", "concat(s, ts, dt)", "concat(s, d)", "concat(i, l, ti)", "concat('a', 'b', 'c')"),
    *("s || s2 || 'x'", "c || 'x'", "i || s", "concat(s, 'a') || trim(s2)"),
    *(
        "concat_ws(',', s, s2)",
        "concat_ws(s, 'a', NULL, 'b')",
        "concat_ws(',', c, 'x')",
        "concat_ws(NULL, 'a', 'x')",
        "concat_ws('', NULL, ast)",
    ),
    *("concat_ws(',', ast)", "concat_ws(',', ast, 'x')", "concat_ws(',', s, ast, v)", "concat_ws('-', split(s, ','))"),
    *("upper(v)", "lower(v)", "ucase(c)", "lcase(i)", "upper('abc')", "lower(ts)"),
    *("length(s)", "length(c)", "length(v)", "length(bin)", "char_length(s)", "character_length(c)", "octet_length(s)"),
    *("octet_length(c)", "length('e😀')", "length(trim(s)) > 3"),
    *("trim(s)", "ltrim(s)", "rtrim(s)", "trim(c)", "ltrim(c)", "rtrim(c)", "trim('\\t a \\n')", "trim(v)"),
    *(
        "lpad(i, 5, '0')",
        "lpad(s, 0, 'x')",
        "rpad(c, 7, 'x')",
        "rpad(dt, 3, 'xy')",
        "lpad(i, 5, 0)",
        "rpad('ab', 5, '')",
    ),
    *("repeat(s, 2)", "repeat(c, 2)", "repeat('-', 3)", "repeat(s, -1)", "repeat('ab', ti)", "space(3)", "space(-1)"),
    *("space(ti)", "reverse(s)", "reverse(c)", "reverse(i)"),
    *(
        "replace(s, 'a', 'x')",
        "replace(s, 'a', '')",
        "replace(c, 'b', 'x')",
        "replace(i, 1, 2)",
        "replace(s, NULL, 'x')",
    ),
    *("translate(s, 'abc', 'xy')", "translate(s, 'aab', 'xyz')", "translate(s, s2, 'x')", "translate(c, 'a', 'x')"),
    *("translate(s, 'e', '😀')", "initcap(c)", "ascii(i)", "ascii('')", "chr(65)", "chr(0)", "chr(233)"),
    *("substr(v, 2, 3)", "substr(c, 2)", "substr(c, 1, 4)", "substr(i, 2)", "substr(ts, 1, 10)", "substr(d, 1, 3)"),
    *("substr(dt, 1, 7)", "substr('abc', 0, 2)", "substr('abc', 2, -1)", "substr('abc', 9)"),
    *("substr(bin, 2)", "substr(bin, 0, 1)", "substr(bin, -2)", "substr(bin, -2, 1)", "substr(bin, i, j)"),
    *("substr(i, -3, 20)", "substr(l, -3, 2)", "substr(dt, i, j)", "substring(dt, 6, 2)", "substr(dt, NULL)"),
    *("substring_index(s, '.', 1)", "substring_index(s, '.', 2)", "substring_index(s, '.', -1)"),
    *("substring_index(s, 'a', -2)", "substring_index(s, '.', 0)", "substring_index(s, 'an', 1)"),
    *(
        "instr(i, 1)",
        "instr(c, ' ')",
        "instr('abc', s2)",
        "locate('b', s, si)",
        "locate('b', s, 0)",
        "locate(v, s, NULL)",
        "printf('%s|%.2f', f, f)",
        "locate('b', s)",
        "locate('b', s, 4)",
        "locate(1, i)",
    ),
    *("find_in_set(s, 'abc,a_b,,x')", "find_in_set('c', s)", "find_in_set('', '')", "find_in_set(c, 'abc,a b')"),
    *("elt(1, s, s2)", "elt(3, s, s2)", "elt(i, s, s2)", "elt(1, i, s)", "elt(2, c, v)", "elt(NULL, s, s2)"),
    *("unbase64('YWJj')", "encode(s, 'UTF-8')"),
    *(
        "decode(encode(s, 'utf-8'), 'UTF-8')",
        "md5(concat_ws('|', s, s2, cast(i as string)))",
        "upper(substr(c, 1, 1))",
        "length(regexp_replace(v, '[^a-z]', ''))",
        "nvl(regexp_extract(s, '([a-z]+)', 1), 'none')",
        "md5(s)",
        "md5(c)",
        "md5(bin)",
        "sha(s)",
        "sha1(bin)",
        "sha2(s, 256)",
    ),
    *("sha2(s, 0)", "sha2(bin, 512)", "crc32(s)", "crc32(bin)", "levenshtein(s, s2)"),
    *("printf('%s-%d', s, i)", "printf('%05d|%10s', i, s)", "printf('%x', l)", "printf('%5.2f|%e', d, d)"),
    *("printf('%s', d)", "printf('%s %s', v, b)", "printf('%2$s %1$s', s, s2)", "printf('100%%')", "printf('%,d', l)"),
)
_NULLS = (
    *("concat(NULL, NULL)", "upper(NULL)", "repeat(s, NULL)", "repeat(NULL, 2)", "space(NULL)", "elt(2, s, NULL)"),
    *("concat_ws(',', s, NULL)", "find_in_set(NULL, s)", "instr(NULL, 'a')", "md5(NULL)", "substr(s, 1, NULL)"),
    *("lpad(NULL, 3, 'x')", "translate(s, NULL, 'x')", "replace(s, 'a', NULL)"),
)
_NESTED = (
    *("concat(upper(c), 'x')", "concat(c || c, 'x')", "length(c || c)", "initcap('hELLO wORLD a b c  d')"),
    *("locate('smile', s, 2)", "printf('%d%%', i)", "printf('%+d|%-5d|%08.3f', i, i, d)"),
)
_NOT_IN_SPARK = (
    "printf('%.1f', n)",
    "unbase64(s)",
    "base64(bin)",
    "base64(encode('abc', 'UTF-8'))",
    "md5(i)",
    "field(s, 'abc', 'ABC abc', NULL)",
    "field(i, 1, 7)",
    "field('a', s, 'a')",
)
_NOT_IN_HIVE = (
    *("trim(BOTH '' FROM s)", "right(s, NULL)", "contains(s, NULL)", "endswith(NULL, 'a')", "overlay(NULL, 'a', 2)"),
    *("split_part(NULL, '.', 2)", "locate('b', s, NULL)", "chr(NULL)", "length(NULL)", "trim(NULL)", "upper(b)"),
    *("concat_ws(',', b, n, d)", "substr(n, 1, 3)", "concat(n, '|', f, '|', b)", "lpad(s, NULL, 'x')"),
    *(
        "concat(ai, ai)",
        "concat(bin, bin)",
        "bin || bin",
        "concat(s, b)",
        "concat_ws(',', i, 'x')",
        "length(i)",
        "len(s)",
    ),
    *(
        "octet_length(bin)",
        "bit_length(s)",
        "char(66)",
        "chr(i)",
        "chr(l)",
        "reverse(ai)",
    ),
    *("substr(s, 2)", "substr(s, 0, 2)", "substr(s, 1, 1)", "substr(s, -2)", "substr(s, -3, 2)", "substr(s, -8, 6)"),
    *("substr(s, -3, 20)", "substr(s, i, j)", "substr(s, '2')", "substring(bin, 2, 3)", "substr(bin, -8, 7)"),
    *("substring(s from 2 for 3)", "substring(s from 2)", "substring_index(s, 'an', -2)"),
    *("left(s, 2)", "left(s, -1)", "left(s, i)", "right(s, 2)", "right(s, 0)", "right(s, i)"),
    *("instr(s, 'a')", "instr(s, '')", "instr(s, s2)", "position('b' in s)", "position('b', s)"),
    *("btrim(s)", "btrim(s, 'ab')", "trim('ab', s)", "ltrim('ab', s)", "rtrim('c', s)", "trim(BOTH 'a' FROM s)"),
    *("trim(LEADING 'a' FROM s)", "trim(TRAILING FROM s)", "trim(FROM s)", "trim(BOTH s2 FROM s)", "trim(i)"),
    *("lpad(s, 5, 'xy')", "lpad(s, 5, '')", "rpad(s, 5)", "rpad(s, -1, 'x')", "rpad(s, 5, s2)", "lpad(s, ti, 'x')"),
    *("replace(s, 'a')", "replace(s, '', 'x')", "replace(s, s2, 'x')", "ascii(s)", "levenshtein(s, '😀')"),
    *("format_string('%05d|%10s', i, s)", "startswith(s, 'a')", "startswith(s, NULL)", "endswith(s, 'c')"),
    *(
        "endswith(s, '')",
        "endswith(s, s2)",
        "contains(s, 'b')",
        "contains(s, s2)",
        "not endswith(s, 'c') and contains(s, 'a')",
    ),
    *("split_part(s, '.', 1)", "split_part(s, '.', 2)", "split_part(s, '.', -2)", "split_part(s, '.', 9)"),
    *("overlay(s placing 'XX' from 2)", "overlay(s placing 'XX' from 2 for 1)", "overlay(s, 'XX', 2, 0)"),
    *("overlay(s, s2, 1)",),
)
SAME = {
    ("hive", "trino"): (*_IN_BOTH, *_NULLS, *_NESTED, *_NOT_IN_SPARK),
    ("spark", "trino"): (*_IN_BOTH, *_NULLS, *_NESTED, *_NOT_IN_HIVE),
}
"""What must be the same on every row."""

_EMOJI = frozenset((18,))
TOLD = {
    ("hive", "trino"): {
        **dict.fromkeys(("substr(s, 2)", "substr(s, 0, 2)", "substr(s, 1, 1)", "substring(s, 2, 3)"), _EMOJI),
        **dict.fromkeys(("substr(s, -8, 6)", "substr(s, i, 3)", "substr(s, length(s))"), _EMOJI),
        **dict.fromkeys(("lpad(s, 5, 'xy')", "rpad(s, 5, s2)", "lpad(s, 5, '')", "replace(s, '', 'x')"), _EMOJI),
        **dict.fromkeys(("instr(s, 'smile')", "instr(s, 'a')"), _EMOJI),
        "instr(s, '')": frozenset((6,)),
        "levenshtein(s, '😀')": frozenset((6, 7)),
        "ascii(s)": frozenset((17, 18, 20)),
        **dict.fromkeys(("upper(s)", "lower(s)", "initcap(s)"), frozenset((16, 17))),
    },
    ("spark", "trino"): dict.fromkeys(("upper(s)", "lower(s)", "initcap(s)"), frozenset((16, 17))),
}
"""What a finding says to differ for values that hardly occur: the rows on which it may."""

_REFUSED_IN_BOTH = {
    **dict.fromkeys(("substring_index(s, s2, 1)", "substring_index(s, 'aa', 2)"), "arguments"),
    **dict.fromkeys(("sha2(s, 224)", "lpad(bin, 5, bin)", "locate('', s, 2)"), "arguments"),
    **dict.fromkeys(("encode(s, 'UTF-16')", "decode(bin, 'US-ASCII')", "encode(s, s2)"), "charset"),
    **dict.fromkeys(
        ("printf(s, i)", "printf('%c', i)", "printf('%s', dt)", "printf('%x', i)", "printf('%s')"), "format"
    ),
    **dict.fromkeys(("current_database()", "uuid()", "current_user()"), "nondeterministic"),
    "soundex(s)": "soundex",
    "hash(s)": "hash",
    **dict.fromkeys(("mask(s)", "sentences(s)", "xpath_string(s, 'a')", "quote(s)"), "function"),
}
REFUSED = {
    ("hive", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("concat(s, b)", "substr(b, 1, 2)", "b || 'x'", "upper(b)"), "boolean-text"),
        **dict.fromkeys(("chr(i)", "chr(256)", "octet_length(bin)"), "arguments"),
        **dict.fromkeys(("concat(bin, bin)", "substring(bin, 2)"), "unknown-type"),
        "concat(s, n)": "decimal-text",
        **dict.fromkeys(
            ("split_part(s, '.', 1)", "contains(s, 'a')", "btrim(s)", "format_string('%s', s)"), "function"
        ),
    },
    ("spark", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(
            ("overlay(s, 'XX', 0)", "split_part(s, '', 1)", "left(bin, 2)", "levenshtein(s, s2, 2)"), "arguments"
        ),
        "base64(bin)": "base64-lines",
        "field('a', s)": "function",
        "printf('%.1f', n)": "format",
    },
}
"""What is refused, and the code of the reason."""
