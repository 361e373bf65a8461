"""Regular expressions, JSON and URLs: expressions over ``bench.t`` that must be the same in Trino, or are refused."""

from __future__ import annotations

_URL = "'http://u:p@h.com:80/p/a?q=1&r=a%20b#f'"
_URLS = (
    *(
        "parse_url('http://h.com/p;x=1?q', 'PATH')",
        "parse_url('https://h.com:8080', 'HOST')",
        "parse_url(NULL, 'HOST')",
    ),
    *("parse_url('http://h.com/a@b', 'HOST')", "parse_url('http://u@h.com/a@b:c', 'HOST')"),
    *("parse_url('http://u@h.com/a@b:c', 'AUTHORITY')", "parse_url('http://h.com/a?b?c', 'QUERY')"),
    *(f"parse_url({_URL}, '{part}')" for part in ("HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY")),
    *(f"parse_url({_URL}, 'USERINFO')", f"parse_url({_URL}, 'QUERY', 'r')", f"parse_url({_URL}, 'QUERY', 'x')"),
    *("parse_url('http://h.com', 'PATH')", "parse_url('http://h.com', 'QUERY')", "parse_url('http://h.com', 'REF')"),
    *(
        "parse_url('http://h.com', 'USERINFO')",
        "parse_url('http://h.com?', 'QUERY')",
        "parse_url('HTTP://H.com/a', 'HOST')",
    ),
    *("parse_url('HTTP://H.com/a', 'PROTOCOL')", "parse_url('http://h.com?x', 'FILE')", "parse_url('h.com/a', 'HOST')"),
    *("parse_url('http://h.com#a?b', 'QUERY')", "parse_url('ftp://h.com/a', 'HOST')"),
    *("parse_url('http://[::1]:80/a', 'HOST')", "parse_url('http://h.com/?k=1&k=2', 'QUERY', 'k')"),
    *("parse_url('http://h.com/?a=1&ak=2&k=3', 'QUERY', 'k')", "parse_url('http://h.com/?k=&b=2', 'QUERY', 'k')"),
    *("parse_url('http://h.com/?k&b=2', 'QUERY', 'k')",),
)
_JSON = (
    *("""get_json_object('{"a": 1e-400}', '$.a')""", "get_json_object(NULL, '$.a')"),
    """get_json_object('{"a": 123456789012345678901234567890.5}', '$.a')""",
    *(f"get_json_object(s, '{path}')" for path in ("$.a", "$.b", "$.c", "$.c[0]", "$.c[1]", "$.c[7]", "$.d")),
    """get_json_object('{"a": {"b": 1, "c": [1, 2.50, "x"]}}', '$.a')""",
    """get_json_object('{"a": {"b": 1, "c": [1, 2.50, "x"]}}', '$.a.c')""",
    """get_json_object('{"a": {"b": 1}}', '$.a.b')""",
    *(
        f"""get_json_object('{{"a": {value}}}', '$.a')"""
        for value in (
            *("1.50", "1e3", "12345678901234567890", "0.1000000000000000000000000001", "-0", "100000000.0", "0.00001"),
            *(
                "true",
                "null",
                '"null"',
                '""',
                '"\\\\"x"',
                '"x\\\\ny"',
                '"\\\\u00e9"',
                "01",
                "NaN",
                '"{\\\\"b\\\\":1}"',
                "{}",
            ),
            '{"é":"ü/\\\\"<\\\\u0001\\\\u007f"}',
            "[1.50, 1e3, 100000000.0, 12345678901234567890]",
        )
    ),
    *("""get_json_object('{"a": [1, null]}', '$.a[0]')""", """get_json_object('{"a": [1, null]}', '$.a[1]')"""),
    *("""get_json_object('{"a": [{"b": 1}]}', '$.a[0].b')""", """get_json_object('{"a": {"b": 1}}', '$.a[0]')"""),
    *("get_json_object('[1, 2]', '$[0]')", "get_json_object('{a: 1}', '$.a')", "get_json_object('', '$.a')"),
    *("""get_json_object('{"a": 1} x', '$.a')""", """get_json_object('{"A": 1}', '$.a')"""),
    *("""get_json_object('{"a.b": 1}', '$.a.b')""", """get_json_object('{"a b": 1}', '$.a b')"""),
    *("""get_json_object('{"a-b": 1}', '$.a-b')""", """get_json_object('{"a_1": 1}', '$.a_1')"""),
)
_REPLACED = (
    *("'a', 'x'", "'([a-z])', '<$1>'", r"'([a-z])', '<\\1>'", "'(a)', '$10'", "'(a)(b)?', '$2-$1'", r"'a', '\\$\\\\'"),
    *("'a', '$0$0'", r"'\\s+', ' '", "'[^a-zA-Z0-9]', ''", "'.', 'x'", "'$', 'x'", "'^', 'x'", r"'\\W', ''", "'a', v"),
    *(r"'[\\w.-]+', 'w'", r"'[-a\"]|\\u00e9|\\x41', 'w'", "'^(?:.*?)(l+)', '$1'", "'(?i)ABC', 'x'", "'l{2}', '|'"),
    *(r"'[\\]\\[{}]', '|'", "'o(?!o)', '|'", "'o(?=o)', '|'", r"'\\\\', '/'", r"'[\\\\\"]', '/'", r"'\\A.', '/'"),
    *(r"'.\\z', '/'", "'a', NULL", "'o{1,2}?', '|'", r"'[\\d\\s]', '#'", "'l+o|o', '#'"),
)
_MORE = (
    r"""regexp_replace('a\u0085b\u2003c\u3000d\u1680e\u180ef\u001cg\u200bh\ufeffi', '\\s', '#')""",
    r"""regexp_replace('a\u0085b\u2003c\u3000d\u1680e\u180ef\u001cg\u200bh\ufeffi', '\\S', '#')""",
    r"""regexp_replace('a\u203fb\u00aac\u00b2d\u0300e\u0660', '\\w', '#')""",
    r"""regexp_replace('a\u203fb\u00aac\u00b2d\u0300e\u0660', '[^\\w]', '#')""",
    r"""regexp_replace('\u0660\u0967\uff11', '\\d', '#')""",
    """regexp_extract('ab', '(?:(a)|b)*', 1)""",
    """regexp_extract('abab', '(?:(a)|(b))*', 1)""",
    """regexp_extract('aab', '(a)*b', 1)""",
    """regexp_extract('aab', '(a|ab)(c|bcd)?(d*)', 3)""",
    """regexp_extract('abcd', '(a|ab)(c|bcd)(d*)', 2)""",
    """regexp_extract('aaa', 'a{2,}?', 0)""",
    """regexp_replace('aXbxc', '(?i)[x]', '-')""",
    """regexp_replace('AbC', '(?i)[a-b]', '-')""",
    """regexp_replace('aaa', 'a??', '-')""",
    """regexp_replace('abc', '(?!b)', '-')""",
    """regexp_replace('abc', '|b', '-')""",
    """regexp_replace('foo.bar', '[.]|o+', '-')""",
    """regexp_replace('日本語abc', '[日本]', '-')""",
    """regexp_replace('日本語abc', '[一-龠]', '-')""",
    """regexp_replace('x😀y', '[😀-😎]', '-')""",
    """regexp_replace('x😀y', '.', '-')""",
    """regexp_replace('x😀y', '[^x]', '-')""",
    r"""regexp_replace('a\r\nb', '\\r\\n', '-')""",
    r"""regexp_replace('a\r\nb\n', '[\\r\\n]+', '-')""",
    """regexp_replace('a~b&c#d', '[~#]', '-')""",
    """regexp_replace('a`b<c>d=e', '[<>=`]', '-')""",
    r"""split('a, b ,c', '\\s*,\\s*')""",
    r"""split('a||b', '\\|\\|')""",
    """split('2020-01-02', '-')""",
    """split('a1b2', '[0-9]')""",
    """split('1a2', '[0-9]')""",
    """get_json_object('{"a ": 1}', '$.a ')""",
    """get_json_object('{"a": [[1,2],[3]]}', '$.a[0]')""",
    """get_json_object('{"a": [[1,2],[3]]}', '$.a[0][1]')""",
    """get_json_object('{"a": "xyz"}', '$.a[0]')""",
    """get_json_object('{"a": "xyz"}', '$.a.b')""",
    """get_json_object('{"a": 5}', '$.a.b')""",
    """get_json_object('{"a": 1.0}', '$.a')""",
    """get_json_object('{"a": -1.5}', '$.a')""",
    """get_json_object('{"a": 1.0E+2}', '$.a')""",
    """get_json_object('{"a": 123456789.123456789}', '$.a')""",
    """get_json_object('{"a": 0.1}', '$.a')""",
    """get_json_object('{"a": [true, false, null, "", {}]}', '$.a')""",
    """get_json_object('  {"a": 1}  ', '$.a')""",
    r"""get_json_object('{"a": "a/b\\/c"}', '$.a')""",
    r"""get_json_object('{"a": {"k": "a/b\\/c\\t<>&\\u2028"}}', '$.a')""",
    """get_json_object('{"b": 1}', '$.a.b.c')""",
    """get_json_object('{"a": {"b": {"c": [5, {"d": "e"}]}}}', '$.a.b.c[1].d')""",
)
_IN_BOTH = (
    *(f"regexp_replace(s, {one})" for one in _REPLACED),
    *(r"regexp_replace('a\nb', '^b', 'x')", r"regexp_replace('a\nb', 'a$', 'x')", "regexp_replace(i, '1', 'x')"),
    *("regexp_extract(s, '(b)(c)')", "regexp_extract(s, '(b)(c)', 0)", "regexp_extract(s, '(b)(c)', 2)"),
    *("regexp_extract(s, '(x)?b', 1)", "regexp_extract(s, '(x)|b', 1)", r"regexp_extract(s, '^(\\w+)', 1)"),
    *("regexp_extract(s, '^(.*?)[,.]', 1)", "regexp_extract(i, '(1)', 1)", "regexp_extract(c, '(b) *$', 1)"),
    *("s rlike 'a'", "s regexp '^a.*c$'", "not s rlike '[A-Z]'", r"s rlike '\\d'", "s rlike '(a|b)c'"),
    *(r"s2 rlike '^[+-]?\\d+(\\.\\d*)?$'", r"s2 rlike '^\\d+$'", r"ds rlike '^\\d{4}-\\d{2}-\\d{2}$'"),
    *("c rlike 'b *$'", "c rlike '^abc$'", r"v rlike '^\\d+$'", "s rlike '^a' and s2 rlike 'b|5'"),
    *(
        "split(s, ',')",
        r"split(s, '\\.')",
        "split(s, '[. ]')",
        "split(s, ' +')",
        r"split('a|b', '\\|')",
        "split(c, 'b')",
    ),
    *(
        r"split('a1b22c', '\\d+')",
        "split(',a,,b,,', ',')",
        "split(',a,,b,,', '[,]')",
        "split('', ',')",
        "split(i, '1')",
    ),
    *_JSON,
    *_MORE,
    *_URLS,
)
_NOT_IN_HIVE = (
    *("regexp_count(s, 'a')", "regexp_count(s, '[a-z]+')", "regexp_substr(s, '[a-c]+')", "regexp_substr(s, 'x?')"),
    *("regexp_substr(s, '^')", "regexp_extract_all(s, '([a-c])')", "regexp_extract_all(s, '([a-c])', 0)"),
    *("regexp_extract_all(s, '(x)|b', 1)", "regexp_extract_all(s, '(.)(.)', 2)", "json_array_length(s)"),
    *("json_array_length('[1,2,[3]]')", "json_array_length('[1')", "url_encode(s)", "url_decode(url_encode(s))"),
    *("regexp_like(s, 'a')", "regexp(s, '^a')", "rlike(s, 'c$')", "split(s, ',', 2)", "split(s, ',', -1)"),
    *(r"split(s, '\\.', 0)", "i rlike '1'", "parse_url('foo://h.com/a', 'HOST')"),
    *("""get_json_object('{"a": [{"b": 1}, {"b": 2}]}', '$.a.b')""",),
)
SAME = {
    ("hive", "trino"): (*_IN_BOTH, "parse_url('http://h_x.com/a', 'HOST')", "parse_url('http://h.com/a b', 'PATH')"),
    ("spark", "trino"): (*_IN_BOTH, *_NOT_IN_HIVE),
}
"""What must be the same on every row."""

_ALL = frozenset(range(1, 26))
_TOLD_IN_BOTH = {
    "regexp_replace(s, 'x*', '-')": frozenset((18,)),
    "regexp_replace('é', '(?i)É', 'x')": _ALL,
    r"regexp_replace('a\rb', '.', 'x')": _ALL,
    """get_json_object('{"a": 1', '$.a')""": _ALL,
    """get_json_object('{"a": 1, "a": 2}', '$.a')""": _ALL,
    """get_json_object('{"a": 1E400}', '$.a')""": _ALL,
    r"""get_json_object('{"a": "x\ty"}', '$.a')""": _ALL,
    """get_json_object("{'a': 1}", '$.a')""": _ALL,
    "parse_url('mailto:a@b', 'HOST')": _ALL,
}
TOLD = {
    ("hive", "trino"): {
        **_TOLD_IN_BOTH,
        r"regexp_replace(s, '\\b', '|')": frozenset((16, 17, 20)),
        """get_json_object('{"a": [{"b": 1}, {"b": 2}]}', '$.a.b')""": _ALL,
        """get_json_object('{"a": ["😀"]}', '$.a')""": _ALL,
    },
    ("spark", "trino"): {**_TOLD_IN_BOTH, "parse_url('http://h_x.com/a', 'HOST')": _ALL},
}
"""What a finding says to differ for values that hardly occur: the rows on which it may."""

_PATTERNS = (
    *("s rlike s2", "s rlike ''", r"regexp_replace(s, '\\p{L}', 'x')", "regexp_replace(s, '[[:alpha:]]', 'x')"),
    *("s rlike 'a++'", r"regexp_replace(s, '(a)\\1', 'x')", "s rlike '(?<=a)b'", "s rlike '[a-z&&[b]]'", "s rlike '('"),
    *(r"s rlike '\\Qa\\E'", "s rlike 'a{'"),
)
_REFUSED_IN_BOTH = {
    **dict.fromkeys(_PATTERNS, "pattern"),
    **dict.fromkeys(("regexp_extract(s, '(b)', i)", "regexp_extract(s, '(b)', 2)", "split(s, '')"), "arguments"),
    **dict.fromkeys(("split(s, 'x*')", "split(s, '^')", "parse_url(s, s2)", "parse_url(s, 'host')"), "arguments"),
    "parse_url(s, 'QUERY', s2)": "arguments",
    **dict.fromkeys((f"get_json_object(s, '{path}')" for path in ("$.c[*]", "$", "a", "$..a", "$.é")), "json-path"),
    "get_json_object(s, s2)": "json-path",
}
REFUSED = {
    ("hive", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("regexp_count(s, 'a')", "regexp_like(s, 'a')", "url_encode(s)"), "function"),
    },
    ("spark", "trino"): {
        **_REFUSED_IN_BOTH,
        **dict.fromkeys(("regexp_replace(s, 'a', 'x', 2)", "split(s, '[.]', 2)"), "arguments"),
    },
}
"""What is refused, and the code of the reason."""
