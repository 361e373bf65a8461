"""Random queries over tables with columns of all types, which Spark's analyser takes, and most of them Hive's too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

TABLES = {
    "t": (
        "tiny tinyint; small smallint; n int; big bigint; real32 float; real64 double; d5 decimal(5,2); "
        "d10 decimal(10,0); d20 decimal(20,4); d38 decimal(38,10); s string; code varchar(7); mark char(3); day date; "
        "at timestamp; flag boolean; bytes binary; tags array<string>; nums array<int>; m map<string,int>; "
        "md map<string,decimal(10,2)>; st struct<a:int,b:string,c:date>; ast array<struct<x:int,y:string>>"
    ),
    "u": (
        "n int; s string; k bigint; price decimal(7,2); rate decimal(18,6); whole decimal(38,0); label varchar(20); "
        "since date; seen timestamp; ok boolean; w double; prices array<decimal(7,2)>; counts map<string,bigint>; "
        "info struct<p:decimal(12,3),q:string,r:timestamp>"
    ),
}
"""The columns of each table, with semicolons between them."""

_FAMILIES = {
    "array<string>": "strings",
    "array<int>": "numbers",
    "array<decimal(7,2)>": "numbers",
    "map<string,int>": "map",
    "map<string,decimal(10,2)>": "map",
    "map<string,bigint>": "map",
    **dict.fromkeys(("string", "varchar(7)", "varchar(20)", "char(3)"), "string"),
    **dict.fromkeys(("date", "timestamp", "boolean", "binary"), ""),
}
_SIMPLE = ("number", "number", "number", "string", "boolean", "date", "timestamp")
_FAMILY_OF_FIELD = {"a": "number", "b": "string", "c": "date", "p": "number", "q": "string", "r": "timestamp"}
_NUMBERS = ("1", "7", "100", "12345678901", "0.5", "12.34", "100.0", "1e3", "2.5")
_NUMBER_TYPES = (
    "int",
    "bigint",
    "smallint",
    "tinyint",
    "float",
    "double",
    "decimal(12,3)",
    "decimal(38,20)",
    "decimal",
)

# By the family of the result: {number} and the like stand for expressions of that family.
_PLAIN = {
    "number": """
        {number} + {number}; {number} - {number}; {number} * {number}; {number} / {number}; {number} % {number}
        ({number} + {number}) * {number}; {number} - {number} / {number}; -{number}; cast({number} AS bigint) div 7
        pmod({number}, {number}); abs({number}); round({number}); round({number}, 1); floor({number}); ceil({number})
        cast({number} AS {type}); cast({string} AS {type}); length({string}); year({date}); month({date}); day({date})
        hour({timestamp}); minute({timestamp}); datediff({date}, {date}); size({strings}); instr({string}, 'a')
        locate('a', {string}); ascii({string}); sqrt({number}); power({number}, {number}); exp({number}); ln({number})
        months_between({date}, {date}); unix_timestamp({timestamp}); {map}['a']; {numbers}[0]; size({map})
        greatest({number}, {number}); least({number}, {number}); sign({number}); quarter({date}); weekofyear({date})
        cast({boolean} AS int); levenshtein({string}, {string}); crc32({string}); shiftleft(3, 2); dayofmonth({date})
        bround({number}, 1); named_struct('x', {number}, 'y', {string}).x; factorial(5); log10({number}); pi()
    """,
    "string": """
        concat({string}, {string}); {string} || {string}; substr({string}, 2); substring({string}, 1, 3)
        upper({string}); lower({string}); trim({string}); cast({number} AS string); cast({date} AS string)
        date_format({timestamp}, 'yyyy-MM'); concat_ws('-', {string}, {string}); regexp_replace({string}, 'a', 'b')
        regexp_extract({string}, '(a)', 1); lpad({string}, 5, 'x'); rpad({string}, 5, 'x'); repeat({string}, 2)
        reverse({string}); split({string}, ',')[0]; {strings}[0]; get_json_object({string}, '$.a')
        from_unixtime(1234567); translate({string}, 'a', 'b'); initcap({string}); space(3); hex({string})
        cast({string} AS varchar(5)); cast({string} AS char(4)); cast({timestamp} AS string); md5({string})
        cast({boolean} AS string); ltrim({string}); substring_index({string}, '.', 1); sha2({string}, 256)
        base64({binary})
        named_struct('x', {number}, 'y', {string}).y; concat({string}, {number}); soundex({string})
    """,
    "boolean": """
        {number} = {number}; {number} < {number}; {string} <> {string}; {date} >= {date}; {string} LIKE 'a%'
        {number} IN (1, 2); {number} BETWEEN 1 AND 2; {string} IS NULL; {date} IS NOT NULL; NOT {boolean}
        {boolean} AND {boolean}; {boolean} OR {boolean}; array_contains({strings}, 'a'); {string} RLIKE 'a'
        {number} <=> {number}; {timestamp} > {timestamp}; isnull({number}); isnotnull({string})
    """,
    "date": """
        to_date({string}); date_add({date}, 3); date_sub({date}, 3); last_day({date}); next_day({date}, 'MO')
        add_months({date}, 1); trunc({date}, 'MM'); cast({timestamp} AS date); cast({string} AS date); current_date
        to_date({timestamp}); {date} + INTERVAL 1 DAY; current_date()
    """,
    "timestamp": """
        cast({string} AS timestamp); cast({date} AS timestamp); from_utc_timestamp({timestamp}, 'UTC')
        current_timestamp; to_utc_timestamp({timestamp}, 'UTC'); {timestamp} + INTERVAL 1 HOUR
        {timestamp} - INTERVAL 2 DAYS
    """,
    "binary": "cast({string} AS binary); unhex({string}); unbase64({string})",
    "strings": """
        split({string}, ','); array({string}, {string}); sort_array({strings}); map_keys({map})
        array({string}, {string}, {string})
    """,
    "numbers": "array({number}, {number}); map_values({map}); sort_array({numbers}); array({number})",
    "map": "map('a', {number}); map('a', {number}, 'b', {number}); map({string}, {number})",
    "struct": "named_struct('a', {number}, 'b', {string}); struct({number}, {date})",
}
_ANY = """
    coalesce({x}, {x}); CASE WHEN {boolean} THEN {x} ELSE {x} END; if({boolean}, {x}, {x}); nvl({x}, {x})
    coalesce({x}, NULL)
    CASE WHEN {boolean} THEN {x} WHEN {boolean} THEN {x} END; CASE {number} WHEN 1 THEN {x} ELSE {x} END
    CASE WHEN {boolean} THEN NULL ELSE {x} END; coalesce({x}, {x}, {x}); nullif({x}, {x})
"""
_LITERALS = {
    "string": ("'x'", "''", "'2026-08-01'", "'12'"),
    "boolean": ("true", "false"),
    "date": ("DATE '2026-08-01'",),
    "timestamp": ("TIMESTAMP '2026-08-01 10:00:00'",),
    "binary": ("cast('x' AS binary)",),
    "strings": ("array('a', 'b')",),
    "numbers": ("array(1, 2)",),
    "map": ("map('a', 1)",),
    "struct": ("named_struct('a', 1, 'b', 'x')",),
}
_AGGREGATES = {
    "number": """
        count(*); count({x}); count(DISTINCT {x}); sum({number}); sum({number}); avg({number}); avg({number})
        sum(DISTINCT {number}); stddev({number}); stddev_pop({number}); stddev_samp({number}); variance({number})
        var_samp({number}); corr({number}, {number}); covar_pop({number}, {number}); min({number}); max({number})
        sum({number}) / count({number}); avg({number}) * 1.2; sum({number}) - min({number}); 100 * sum({number})
        coalesce(sum({number}), 0); round(avg({number}), 2); percentile({number}, 0.5)
        sum(CASE WHEN {boolean} THEN {number} ELSE 0 END)
        size(collect_set({string})); sum(cast({number} AS {type}))
    """,
    "string": "min({string}); max({string}); concat_ws(',', collect_list({string})); concat(min({string}), 'x')",
    "date": "min({date}); max({date})",
    "timestamp": "min({timestamp}); max({timestamp})",
    "boolean": "count(*) > 1; max({number}) > min({number}); min({boolean})",
    "strings": "collect_list({string}); collect_set({string})",
    "numbers": "collect_list({number}); collect_set({number})",
}
_WINDOWED = {
    "number": """
        row_number() OVER (ORDER BY {key}); rank() OVER (PARTITION BY {key} ORDER BY {key})
        ntile(4) OVER (ORDER BY {key})
        dense_rank() OVER (ORDER BY {key} DESC); sum({number}) OVER (PARTITION BY {key})
        avg({number}) OVER (ORDER BY {key}); count(*) OVER (PARTITION BY {key})
        lag({number}) OVER (ORDER BY {key}); lead({number}, 2) OVER (ORDER BY {key})
        max({number}) OVER (PARTITION BY {key}); percent_rank() OVER (ORDER BY {key}); cume_dist() OVER (ORDER BY {key})
        sum({number}) OVER (PARTITION BY {key} ORDER BY {key} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
        {number} / sum({number}) OVER (PARTITION BY {key}); lag({number}, 1, 0) OVER (ORDER BY {key})
        {number} - avg({number}) OVER (PARTITION BY {key})
    """,
    "string": """
        first_value({string}) OVER (ORDER BY {key}); min({string}) OVER (PARTITION BY {key})
        lead({string}) OVER (ORDER BY {key})
    """,
    "date": """
        last_value({date}) OVER (ORDER BY {key}); max({date}) OVER (PARTITION BY {key})
        lag({date}) OVER (ORDER BY {key})
    """,
}


def _listed(text: str) -> list[str]:
    return [one.strip() for line in text.split("\n") for one in line.split(";") if one.strip()]


_BY_FAMILY = {
    kind: {family: _listed(text) for family, text in texts.items()}
    for kind, texts in (("plain", _PLAIN), ("aggregate", _AGGREGATES), ("windowed", _WINDOWED))
}
_OF_ANY = _listed(_ANY)


@dataclass(frozen=True)
class _Column:
    """What an expression can name."""

    text: str
    family: str


def columns_of(table: str) -> list[tuple[str, str]]:
    """Names and types of a table's columns."""
    pairs = (one.split() for one in TABLES[table].split("; "))
    return [(name, type_) for name, type_ in pairs]


def family_of(type_: str) -> str:
    """What kind of value a type is."""
    if type_ in _FAMILIES:
        return _FAMILIES[type_] or type_
    if type_.startswith("array<struct"):
        return "structs"
    return "struct" if type_.startswith("struct") else "number"


class RandomQueries:
    """A source of random queries; the same seed gives the same ones.

    Args:
        seed: of the random numbers.
        in_hive: without what Hive 2.3 or Hive 4 does not read at all.
    """

    def __init__(self, seed: int, *, in_hive: bool = False) -> None:
        self._random = random.Random(seed)
        self._in_hive = in_hive

    def query(self) -> str:
        """The next one."""
        roll = self._random.random()
        if roll < 0.12:
            word = self._random.choice(["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
            families = self._families(simple=True)
            left, right = (self._select_from(*self._from(0), families, is_plain=True)[0] for _ in range(2))
            return f"{left} {word} {right}"
        if roll < 0.24:
            inner, columns = self._select(self._families())
            read = [_Column(f"x.{one.text}", one.family) for one in columns]
            outer, _ = self._select_from("x", read, self._families())
            return f"WITH x AS ({inner}) {outer}"
        return self._select(self._families())[0]

    def _families(self, *, simple: bool = False) -> list[str]:
        kinds = _SIMPLE if simple else (*_SIMPLE, *_SIMPLE, "binary", "strings", "numbers", "map", "struct")
        return [self._random.choice(kinds) for _ in range(self._random.randint(2, 5))]

    def _select(self, families: Sequence[str], depth: int = 0) -> tuple[str, list[_Column]]:
        from_, columns = self._from(depth)
        return self._select_from(from_, columns, families)

    def _select_from(
        self, from_: str, columns: Sequence[_Column], families: Sequence[str], *, is_plain: bool = False
    ) -> tuple[str, list[_Column]]:
        roll = 1.0 if is_plain else self._random.random()
        where = f" WHERE {self._plain('boolean', columns)}" if self._random.random() < 0.2 else ""
        if where and self._random.random() < 0.2:
            where = f" WHERE {self._plain('number', columns)} IN (SELECT k FROM u WHERE ok)"
        if roll < 0.3:
            return self._grouped(from_, columns, families, where)
        make = self._windowed if roll < 0.45 else self._plain
        made = [make(family, columns) for family in families]
        if self._random.random() < 0.1 and not self._in_hive and not is_plain:
            made.append(f"(SELECT {self._random.choice(['max(k)', 'sum(price)', 'avg(rate)', 'count(*)'])} FROM u)")
            families = [*families, "number"]
        distinct = "DISTINCT " if self._random.random() < 0.05 and not {"map", "struct"} & set(families) else ""
        return f"SELECT {distinct}{_aliased(made)} FROM {from_}{where}", _named(families)

    def _grouped(
        self, from_: str, columns: Sequence[_Column], families: Sequence[str], where: str
    ) -> tuple[str, list[_Column]]:
        candidates = [one for one in columns if one.family in ("number", "string", "date", "boolean")]
        keys = self._random.sample(candidates, min(len(candidates), self._random.randint(1, 2)))
        names = ", ".join(one.text for one in keys)
        roll, grouping = self._random.random(), []
        by = f"{names}"
        if roll < 0.25 and keys:
            by = self._random.choice([f"{names} WITH ROLLUP", f"{names} WITH CUBE"])
            if roll < 0.12:
                by = f"{names} GROUPING SETS (({names}), ({keys[0].text}))"
            grouping = [f"grouping({keys[0].text})"]
        kinds = [family for family in families if family in _AGGREGATES] or ["number"]
        made = [one.text for one in keys] + grouping
        made += [self._filled(self._choose("aggregate", kind), kind, columns, 1) for kind in kinds]
        found = [*(one.family for one in keys), *("number" for _ in grouping), *kinds]
        having = " HAVING count(*) > 1" if self._random.random() < 0.15 else ""
        group_by = f" GROUP BY {by}" if keys else ""
        return f"SELECT {_aliased(made)} FROM {from_}{where}{group_by}{having}", _named(found)

    def _from(self, depth: int) -> tuple[str, list[_Column]]:
        roll = self._random.random()
        t, u = (partial(_of_table, table) for table in ("t", "u"))
        if roll < 0.35 or depth > 1:
            return "t", t("t")
        if roll < 0.55:
            join = self._random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN"])
            return f"t a {join} u b ON a.n = b.n", t("a") + u("b")
        if roll < 0.6 and not self._in_hive:
            join = self._random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN"])
            shared = [_Column("n", "number"), _Column("s", "string")]
            return f"t a {join} u b USING (n, s)", [*shared, *t("a")[4:9], *u("b")[2:]]
        if roll < 0.65:
            kind = "SEMI" if self._in_hive else self._random.choice(["SEMI", "ANTI"])
            return f"u LEFT {kind} JOIN t ON u.n = t.n", u("u")
        if roll < 0.8:
            view, generated = self._random.choice(_LATERAL)
            return f"t LATERAL VIEW {view}", [*t("t"), *generated]
        inner, columns = self._select(self._families(), depth + 1)
        if roll < 0.9:
            return f"({inner}) q", [_Column(f"q.{one.text}", one.family) for one in columns]
        return f"({inner}) q JOIN u b ON b.n = 1", [_Column(f"q.{one.text}", one.family) for one in columns] + u("b")

    def _plain(self, family: str, columns: Sequence[_Column], depth: int = 0) -> str:
        roll = self._random.random()
        matching = [one.text for one in columns if one.family == family]
        if family == "number":
            matching += [f"{one.text}.a" for one in columns if one.text.endswith(".st")]
        if matching and roll < (0.2, 0.55, 0.8, 1)[min(depth, 3)]:
            return self._random.choice(matching)
        if depth > 2 or roll > 0.9:
            return self._random.choice(_NUMBERS if family == "number" else _LITERALS[family])
        if roll > 0.72 and family not in ("boolean", "struct"):
            of_any = _OF_ANY[:-1] if family == "map" else _OF_ANY
            return self._filled(self._random.choice(of_any), family, columns, depth + 1)
        return self._filled(self._choose("plain", family), family, columns, depth + 1)

    def _windowed(self, family: str, columns: Sequence[_Column]) -> str:
        if family not in _WINDOWED:
            return self._plain(family, columns)
        return self._filled(self._choose("windowed", family), family, columns, 1)

    def _choose(self, kind: str, family: str) -> str:
        return self._random.choice(_BY_FAMILY[kind][family])

    def _filled(self, template: str, family: str, columns: Sequence[_Column], depth: int) -> str:
        def part(name: str) -> str:
            if name == "type":
                return self._random.choice(_NUMBER_TYPES)
            if name == "key":
                keys = [one.text for one in columns if one.family in ("number", "string", "date")]
                return self._random.choice(keys or ["1"])
            made = self._plain(family if name == "x" else name, columns, depth)
            is_simple = made.isalnum() or (made.endswith(")") and made.count("(") == 1 and made[0].isalpha())
            return made if is_simple else f"({made})"

        pieces = template.split("{")
        return pieces[0] + "".join(part(piece.split("}", 1)[0]) + piece.split("}", 1)[1] for piece in pieces[1:])


_LATERAL: list[tuple[str, list[_Column]]] = [
    ("explode(tags) e AS tag", [_Column("tag", "string")]),
    ("explode(nums) e AS num", [_Column("e.num", "number")]),
    ("OUTER explode(m) e AS k0, v0", [_Column("k0", "string"), _Column("v0", "number")]),
    ("explode(md) e AS k0, v0", [_Column("e.k0", "string"), _Column("e.v0", "number")]),
    ("posexplode(tags) e AS pos0, tag", [_Column("pos0", "number"), _Column("e.tag", "string")]),
    ("explode(ast) e AS item", [_Column("item.x", "number"), _Column("e.item.y", "string")]),
    ("inline(ast) e AS x0, y0", [_Column("x0", "number"), _Column("y0", "string")]),
    ("explode(array(n, 2)) e AS num", [_Column("num", "number")]),
    ("json_tuple(s, 'a', 'b') e AS ja, jb", [_Column("ja", "string"), _Column("e.jb", "string")]),
    (
        "explode(split(s, ',')) e AS word LATERAL VIEW explode(nums) f AS num",
        [_Column("word", "string"), _Column("num", "number")],
    ),
]


def _of_table(table: str, alias: str) -> list[_Column]:
    columns = [_Column(f"{alias}.{name}", family_of(type_)) for name, type_ in columns_of(table)]
    fields = [
        _Column(f"{alias}.{name}.{field}", _FAMILY_OF_FIELD[field])
        for name, type_ in columns_of(table)
        if type_.startswith("struct")
        for field in ("abc" if name == "st" else "pqr")
    ]
    return columns + fields


def _aliased(made: Sequence[str]) -> str:
    return ", ".join(f"{one} AS c{number}" for number, one in enumerate(made))


def _named(families: Sequence[str]) -> list[_Column]:
    return [_Column(f"c{number}", family) for number, family in enumerate(families)]
