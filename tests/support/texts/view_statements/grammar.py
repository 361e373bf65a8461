"""Statements by the thousand, valid, and broken by one or more steps."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(
    [
        *(
            "v",
            "d",
            "ds",
            "hr",
            "V2",
            "x_",
            "2024_clicks",
            "1e",
            "10La",
            "0xzz",
            "`a b`",
            "`a``b`",
            "`é 😀`",
            "`select`",
        ),
        *(
            "view",
            "views",
            "add",
            "as_of",
            "comment",
            "partitions",
            "formatted",
            "schema",
            "pretty",
            "replace",
            "purge",
        ),
        *("columns", "tblproperties", "rename", "location", "unset", "dialect", "roll", "desc", "show", "$key$", "day"),
    ]
)
STRINGS = st.sampled_from(
    [
        *(
            "'a'",
            '"b"',
            "''",
            "'it''s'",
            "'a'\"b\"'c'",
            r"'it\'s'",
            r"'\\'",
            "'k'",
            "'x;y'",
            "'--'",
            "'/*'",
            "'é😀'",
            "'`'",
        ),
        *(r"'\n\t\r\b\0\Z\%\_\q'", r"'\001\177\200\08'", r"'\u00e9\ud83d\ude00'", "'two\nlines'", r'"\""', "'a*|b'"),
    ]
)
CONSTANTS = st.one_of(
    STRINGS,
    st.lists(STRINGS, min_size=2, max_size=3).map(" ".join),
    st.from_regex(r"[0-9]{1,12}(\.[0-9]{0,5})?([eE][+-]?[0-9]{1,2})?[dD]?", fullmatch=True),
    st.from_regex(r"[0-9]{1,12}(\.[0-9]{0,5})?([eE][+-]?[0-9])?BD", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}[LSY]?", fullmatch=True),
    st.sampled_from(["true", "FALSE", "null", "date '2026-8-1'", 'DATE"2026-08-01"', "timestamp '2026-08-01 1:2:3.5'"]),
)
QUERIES = st.sampled_from(
    [
        *("SELECT 1", "select a, b as c from t where ds = ';'", "SELECT a FROM d.t -- it's\n", "(SELECT 1)"),
        *("WITH c AS (SELECT 1 AS a) SELECT a FROM c", "SELECT /*+ MAPJOIN(t) */ 'it\\'s', \"é\" FROM t /* end */"),
        *("SELECT a FROM t UNION ALL SELECT b FROM u", "SELECT `é`, 10L, 1.5BD FROM `t u`"),
    ]
)
STRAYS = st.one_of(
    NAMES,
    STRINGS,
    CONSTANTS,
    QUERIES,
    st.sampled_from(
        [
            *(
                "(",
                ")",
                ",",
                ".",
                "=",
                "==",
                "<>",
                "!=",
                "<",
                "<=",
                ">",
                ">=",
                "<=>",
                "!",
                "-",
                "+",
                "*",
                "[",
                "@",
                "#",
                "\\",
            ),
            *(
                "CREATE",
                "OR",
                "REPLACE",
                "VIEW",
                "IF",
                "NOT",
                "EXISTS",
                "COMMENT",
                "PARTITIONED",
                "ON",
                "TBLPROPERTIES",
            ),
            *(
                "AS",
                "ALTER",
                "SET",
                "UNSET",
                "RENAME",
                "TO",
                "ADD",
                "DROP",
                "PARTITION",
                "LOCATION '/x'",
                "PURGE",
                "IN",
            ),
            *(
                "SHOW",
                "FROM",
                "LIKE",
                "COLUMNS",
                "TABLE",
                "DESCRIBE",
                "EXTENDED",
                "FORMATTED",
                "PRETTY",
                "USE",
                "SELECT",
            ),
            *(
                "FOR REPLICATION ('x')",
                "current_date",
                "_utf8 0x41",
                "_x",
                "é",
                "12",
                "1K",
                "0x1F",
                ".5",
                "'",
                "`",
                '"',
                "/*",
            ),
            *(
                "/*+ x */",
                "date",
                "interval '1' day",
                "timestamp",
                "WHERE ds = '1'",
                "DATABASE",
                "FUNCTION",
                "\0",
                "\v",
                "😀",
            ),
        ]
    ),
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\t", "\r\n", " /* ; ' */ ", " -- it's ;\n", "/* a /* b */ */"])

Words = list[str]


@st.composite
def names(draw: st.DrawFn) -> Words:
    return [draw(NAMES), ".", draw(NAMES)] if draw(st.booleans()) else [draw(NAMES)]


@st.composite
def listed(draw: st.DrawFn, *part: str | st.SearchStrategy[str]) -> Words:
    """One to three parts with commas between, in brackets."""
    found: Words = ["("]
    for place in range(draw(st.integers(1, 3))):
        found += [","] * (place > 0)
        found += [word if isinstance(word, str) else draw(word) for word in part]
    return [*found, ")"]


@st.composite
def specs(draw: st.DrawFn) -> Words:
    """``PARTITION`` with a value for each of one to three columns."""
    columns = draw(st.lists(NAMES, min_size=1, max_size=3, unique_by=str.lower))
    pairs = [[",", column, "=", draw(CONSTANTS)] for column in columns]
    return ["PARTITION", "(", *[word for pair in pairs for word in pair][1:], ")"]


@st.composite
def valid_words(draw: st.DrawFn) -> Words:
    """The words of one statement of Hive's."""

    def maybe(*words: str) -> Words:
        return list(words) if draw(st.booleans()) else []

    def some(part: st.SearchStrategy[Words], *before: str) -> Words:
        return [*before, *draw(part)] if draw(st.booleans()) else []

    name = draw(names())
    spec = specs()
    filters = st.builds(
        lambda words: ["PARTITION", *words],
        listed(NAMES, st.sampled_from(["=", "==", "<>", "!=", "<", "<=", ">", ">="]), CONSTANTS),
    )
    properties = listed(STRINGS, st.sampled_from(["=", "=="]), STRINGS)
    match draw(st.integers(0, 12)):
        case 0 | 1:
            exclusive = draw(st.sampled_from([[], ["OR", "REPLACE"], ["IF", "NOT", "EXISTS"]]))
            before, behind = (exclusive, []) if exclusive[:1] == ["OR"] else ([], exclusive)
            columns = st.one_of(listed(NAMES), listed(NAMES, "COMMENT", STRINGS))
            clauses = [
                *some(columns),
                *some(st.builds(lambda text: [text], STRINGS), "COMMENT"),
                *some(listed(NAMES), "PARTITIONED", "ON"),
                *some(properties, "TBLPROPERTIES"),
            ]
            return ["CREATE", *before, "VIEW", *behind, *name, *clauses, "AS", draw(QUERIES)]
        case 2:
            return ["ALTER", "VIEW", *name, *maybe("AS"), draw(QUERIES)]
        case 3:
            return ["ALTER", "VIEW", *name, *maybe("AS"), "SET", "TBLPROPERTIES", *draw(properties)]
        case 4:
            keys = draw(st.one_of(listed(STRINGS), properties))
            return ["ALTER", "VIEW", *name, *maybe("AS"), "UNSET", "TBLPROPERTIES", *maybe("IF", "EXISTS"), *keys]
        case 5:
            return ["ALTER", "VIEW", *name, *maybe("AS"), "RENAME", "TO", *draw(names())]
        case 6:
            added = [word for words in draw(st.lists(spec, min_size=1, max_size=3)) for word in words]
            return ["ALTER", "VIEW", *name, *maybe("AS"), "ADD", *maybe("IF", "NOT", "EXISTS"), *added]
        case 7:
            first, *others = draw(st.lists(filters, min_size=1, max_size=3))
            more = [word for words in others for word in (",", *words)]
            return [
                "ALTER",
                "VIEW",
                *name,
                *maybe("AS"),
                "DROP",
                *maybe("IF", "EXISTS"),
                *first,
                *more,
                *maybe("PURGE"),
            ]
        case 8:
            return ["DROP", "VIEW", *maybe("IF", "EXISTS"), *name]
        case 9:
            pattern = st.builds(lambda text: [text], st.one_of(NAMES, STRINGS))
            database = [draw(st.sampled_from(["IN", "FROM"])), draw(NAMES)] if draw(st.booleans()) else []
            return ["SHOW", "VIEWS", *database, *(some(pattern, "LIKE") or some(pattern))]
        case 10:
            key = [] if draw(st.booleans()) else ["(", draw(STRINGS), ")"]
            columns_of = [draw(st.sampled_from(["IN", "FROM"])), *(name if draw(st.booleans()) else name[:1])]
            shown = [["PARTITIONS", *name, *some(spec)], ["TBLPROPERTIES", *name, *key], ["CREATE", "TABLE", *name]]
            return ["SHOW", *draw(st.sampled_from([*shown, ["COLUMNS", *columns_of]]))]
        case 11:
            head = [
                draw(st.sampled_from(["DESCRIBE", "DESC"])),
                *draw(st.sampled_from([[], ["EXTENDED"], ["FORMATTED"]])),
            ]
            # These two are names there only where nothing follows.
            described = ["d", ".", *name[-1:]] if name[0] in ("schema", "pretty") else name
            return [*head, *described, *some(spec), *some(names())]
        case _:
            return ["USE", draw(NAMES)]


@st.composite
def broken_words(draw: st.DrawFn) -> Words:
    """A valid statement after one to three steps: a word dropped, doubled, moved, replaced, put in; the rest cut."""
    words = draw(valid_words())
    for _ in range(draw(st.integers(1, 3))):
        if not words:
            break
        place = draw(st.integers(0, len(words) - 1))
        match draw(st.integers(0, 6)):
            case 0:
                del words[place]
            case 1:
                words.insert(place, words[place])
            case 2:
                other = draw(st.integers(0, len(words) - 1))
                words[place], words[other] = words[other], words[place]
            case 3:
                words[place] = draw(STRAYS)
            case 4:
                words.insert(place, draw(STRAYS))
            case 5:
                del words[place:]
            case _:
                words[place] = words[place][: draw(st.integers(0, len(words[place])))]
    return words


@st.composite
def _spaced(draw: st.DrawFn, words: Words) -> str:
    return "".join(part for word in words for part in (word, draw(SPACES))).rstrip()


def valid() -> st.SearchStrategy[str]:
    """Statements of Hive's grammar."""
    return valid_words().flatmap(_spaced)


def broken() -> st.SearchStrategy[str]:
    """Statements a few steps away from Hive's grammar; some are in it still."""
    return broken_words().flatmap(_spaced)
