r"""Comparisons, LIKE, conditions and the choice among values, over ``bench.t``."""

from __future__ import annotations

from tests.support.translation.case_lines import case_lines

Pair = tuple[str, str]
_HIVE, _SPARK = ("hive", "trino"), ("spark", "trino")


_COMPARED = case_lines("""
    ds = '2020-01-31'   dt = '2020-01-31'   dt >= '2020-01-01'   dt <> '2020-1-31'   '2020-01-31' = dt   dt = ts
    dt = '2020-01-31 10:11:12'   ts < '2020-01-01'   ts = '2020-01-31'   ts <= '2020-02-29 12:34:56.789'
    ts > date '2020-01-01'   dt < timestamp '2020-01-31 10:00:00'   i = '5'   ti < '100'   '7' >= i   l > 5   l = 10L
    ti = 300   si = 70000   i = j   ti < si   i < l   l = 9007199254740993   i < 2.5   l = 3.0   n > 1.5   n = 1.0
    n > '1.505'   n = '1.5'   n > 1   n > -1.5   n = n2   n < n2   n2 = 1.5   n2 < l   n <> i   d < 0.1   d = 0.1
    d <> 2.5e0   d < '0.5'   d = '0.1'   f = '2.5'   f = 2   f <> 2.5   n = d   i = d   f = d   d2 < 1   d2 <> 1
    d2 = 0   d2 <=> d2   d2 <=> d   d2 between 0 and 5   d2 in (1, 2)   d2 not in (1, 2)   d2 = -0.0e0
    i <=> j   i <=> null   not (i <=> 1)   s <=> v   i = null   i <> null   s = null   i == j   i != j   i = -7
    c = 'abc'   c = 'x  '   c < 'b'   c = ''   c <=> 'x'   c > 'ab'   c = s   c > s   s < c   c = v   c < v
    v = 'trail'
    v = 'trail  '   s = v   s2 = '007'   s > 'b'   s = v or s = c   'abc' = s
    b = true   b > false   b <> (i > 1)   b = (i > 1)   b <=> null   bin = bin   i + 1 = 2L
    b = 1   b = 0
""")
_IN = case_lines("""
    i in (1, 2, 7)   i not in (1, null)   i in (null, 1)   i in ('1', '7')   i in (1, '7')   i in (1, 7.0)
    l in (1, 10)
    ti in (1, 300)   s in ('abc', 'ABC abc')   s not in ('abc')   s2 in ('10', 'x')   v in ('abc', 'x')
    c in ('abc', 'x')
    dt in ('2020-01-31', '2020-02-29')   ts in ('2020-01-31 00:00:00', '2020-01-31 10:11:12')   n in (1.5, 2.50)
    n in (10, 1.5)   d in (0.1, 2.5)   f in (0.1, 2.5)   b in (true)   i in (j, 1, l)   dt in (date '2020-01-31')
    i between 1 and 7   i not between -7 and 0   i between '1' and '7'   i between 1.5 and 7.5   i between j and l
    dt between '2020-01-01' and '2020-02-01'   ts between '2020-01-01' and '2020-12-31'   s between 'a' and 'b'
    s2 between '1' and '2'   c between 'a' and 'b'   d between 0.1 and 2.5   f between 0.1 and 2.5
    l between '0' and '10'
    i in (1, 1 + 1, 7)   l not in (2 * 3, -1 + 1, 7)   i in (1, 2, null)   i not in (1, 2, null)
    l in (1, 2, 3, null) and b   ti in (1, 2, j, null)   i <> null
    i in (1, null) or i in (2, 3)   i = 1 or i = 2 or i = null   dt in (date '2020-01-31', date '2020-02-29', null)
    n in (1, 2, null)   not (si in (0, 1, null))   coalesce(i in (0, 1, null, 5), false)
    not (s between 'a' and 'b')   i in (i % 10, 2)   s in (v, 'abc')   s in (null)   5 between i and '7'   i in (1.5, 2)
""")
_LIKE = case_lines(r"""
    s like 'a%'   s like '%c'   s like '%b%'   s like ''   s like 'abc'   s not like 'a%'   not s like 'a%'
    s like null
    s like '100\\%'   s like '%😀%'   s like '%a\tb%'   i like '1%'   d like '1%'   dt like '2020%'   ts like '%00'
    c like 'x'   c like 'x%'   c like 'x  %'   v like 'trail%'   v like 'trail'   l not like '%1'
""")
_CONDITIONS = case_lines("""
    s is null   i is not null   isnull(i)   isnotnull(s)   not b   !b   not (i > 1 and b)   i > 1 and b or l < 5
    b or s is null   not (not b and i is null)   (b or i > 1) is null   (i is null) = b
    not s is null   (i > 1 or b) and not (l < 5)   i > 1 = b   (i in (1, 2)) = b
""")
_CHOSEN = case_lines("""
    case when i > 1 then 'x' else s end   case i when 1 then 'x' when 2 then 'y' end   case when b then 'a' end
    case s when 'abc' then 1 when '' then 2 else 0 end   case c when 'x  ' then 1 when 'abc' then 2 end
    case i when '1' then 1 when 7 then 2 end   case dt when '2020-01-31' then 1 else 0 end
    case i when null then 1 else 0 end
    case b when true then 1 else 0 end   case when b then d when i > 1 then 2 end   case when b then 1 else null end
    case when b then 1.5 else 2.25 end   case when i = 0 then 0 else 10 / i end
    case i when 1 then null when 2 then 'x' end
    case when i is null then 'none' when i > 5 then cast(i as string) else s end
    case l when 1 then 'a' when i then 'b' end
    if(b, i, l)   if(b, i, d)   if(b, i, null)   if(b, null, s)   if(b, 'a', 'bcd')   if(b, c, v)   if(b, c, 'x')
    if(b, n, n2)   if(b, null, null)   if(b, ai, null)   if(b, st, null)   if(i > 1 or b, 'x', 'y')   if(null, 1, 2)
    if(b, ti, 1)   if(b, dt, date '2020-01-01')   if(b, bin, null)
    coalesce(i, j, 0)   coalesce(l, 0)   coalesce(d, 0)   coalesce(d, i)   coalesce(n, i)   coalesce(n, d)
    coalesce(d, f)
    coalesce(s, v, 'x')   coalesce(c, 'x')   coalesce(c, v)   coalesce(b, false)   coalesce(null, i)   coalesce(ti, 0)
    coalesce(i, 0.5)   coalesce(n, 1.234)   coalesce(s, null)   nvl(i, 0)   nvl(s, '')   nvl(n, 0)
    nvl(dt, date '2020-01-01')
    coalesce(if(b, i, null), case when i > 3 then j end, 0)
    nullif(i, 0)   nullif(s, '')   nullif(d, 0)   nullif(n, 0)   nullif(l, 0)   nullif(ti, 5)   nullif(v, 'x')
    nullif(s, v)
    nullif(i, null)   nullif(dt, date '2020-01-31')   nullif(nullif(i, 1), 2)
    greatest(i, j)   greatest(i, 5)   least(i, j, 3)   greatest(i, l)   greatest(n, i)   greatest(s, v)
    greatest(s, 'b')
    greatest(dt, date '2020-01-01')   greatest(ts, dt)   least(b, true)   least(d2, d)   least(s, v, 'b')
    greatest(i, j, 3)
""")
_IN_HIVE = case_lines(r"""
    f = 0.1e0   f > 1e10 or f <= 0.1e0   f < 2.5e0
    f = 0.1   f > '0.1'   f = 16777217   f = i   f < n   s2 = f   s2 = n   i < '7.5'   i < '3000000000'   s2 = 5
    s2 between 1 and 128
    s like 'back\\slash'   s like 'back\\\\slash'   s like '%\\\\%'   s like '%\\'
    coalesce(i, s)   coalesce(s, 0)   coalesce(dt, '2020-01-01')   coalesce(ts, '2020-01-01')   if(b, i, s)
    if(b, d, s)
    coalesce(f, 0)   nullif(c, 'x')   nullif(f, 0.1)   case s2 when 'abc' then 1 when '10' then 2 end
""")
_IN_SPARK = case_lines(r"""
    d2 > 1   d2 >= 1D   1 < d2   not (d2 > 1)   l < d   n2 < d   f = 0.1   f <=> 0.1   f < n
    b = 'true'   b = ' No'   b <> '1'   c = 'abcdef'   bin = 'abc'   s = bin   i is distinct from j
    i is not distinct from j   b is true   b is not true   b is false   b is unknown   equal_null(i, j)
    ai = ai   ars = ars   st <> st   ai <=> ai   ast <=> ast   ai <> ai
    s like 'a\\_b'   s like 'back\\\\slash'   s like '%\\\\%'   s like 'a%c'   s like '_'   s like v
    s like concat('a', '%')
    s like 'A%' escape '/'   s like '100/%' escape '/'   s like any ('a%', 'b%')   s like all ('a%', '%c')
    s not like any ('a%', 'b%')   s not like all ('a%', 'b%')   s like any ('a%', null)   like(s, 'abc')
    case i when 1.5 then 1 when 2 then 3 end   coalesce(n, 0)   coalesce(f, 0.0)   coalesce(f, d)   coalesce(i, 0L)
    coalesce(dt, ts)   ifnull(i, 0)   nvl2(i, s, 'x')   nvl2(i, 1, 2.5)   if(b, n, 1)   if(b, 1, 2.5)   nullif(i, '1')
    nullif(dt, '2020-01-31')   nullif(f, 0.1)   greatest(i, null)   nanvl(d2, 0)   nanvl(d2, d)
    decode(i, 1, 'a', 2, 'b', 'c')   decode(i, 1, 'a', NULL, 'n')   decode(i, 1, s, j, ds, 'z')   decode(v, 'abc', 'x')
    decode(s, 'a', 'x', 'abc', 'y')   decode(s, v, 1, 0)   decode(l, 1, 'a', 'z')   decode(ti, 1, i, 2, j, 0)
    decode(dt, date '2020-01-31', 'x', NULL, 'n', 'y')   decode(b, true, 'yes', false, 'no', 'none')
    decode(decode(i, 1, 'a', 'b'), 'a', 'x', 'y')   decode(i % 3, 0, 'a', 1, 'b', 'c')
    zeroifnull(i)   nullifzero(i)   s2 = 5   s2 = l   b = s2   nullif(s2, 10)
""")
_BOTH = [*_COMPARED, *_IN, *_LIKE, *_CONDITIONS, *_CHOSEN]
SAME: dict[Pair, list[str]] = {_HIVE: [*_BOTH, *_IN_HIVE], _SPARK: [*_BOTH, *_IN_SPARK]}
"""What answers the same on every row."""

_ALL = frozenset(range(1, 26))
_NAN = frozenset((4, 5, 14, 15, 24, 25))
_NAN_TOLD = dict.fromkeys(("d2 = d2", "d2 > d", "d < d2", "d2 = cast('NaN' as double)", "greatest(d2, d)"), _NAN)
_NAN_TEXT = {"s2 > 1.2": frozenset((19,))}
TOLD: dict[Pair, dict[str, frozenset[int]]] = {
    _HIVE: {
        **_NAN_TOLD,
        **dict.fromkeys(("d2 > 1", "d2 >= 1e0", "1 < d2", "not (d2 > 1)"), _NAN),
        **_NAN_TEXT,
        "s like 'a%c'": frozenset((22,)),
        "n2 < d": frozenset((2, 3, 11, 12, 20, 21)),
    },
    _SPARK: {**_NAN_TOLD, **_NAN_TEXT, "greatest(d2, d, 1D)": _NAN},
}
"""What may answer otherwise on some rows, by their ids, and a finding says so."""

_REFUSED = {
    "i = 'abc'": "compared-text",
    "dt = '2020-02-30'": "compared-text",
    "dt < '20200131'": "compared-text",
    "ts < 5": "compared-types",
    "dt < 5": "compared-types",
    "n = 'abc'": "compared-text",
    "i in ('01')": "in-types",
    "s2 in (10, 128)": "in-types",
    "ts in ('2020-01-31')": "in-types",
    "c in ('x  ')": "compared-text",
    "ai < ai": "nested-order",
    "m = m": "nested-order",
    "ai = ast": "compared-types",
    "assert_true(i > 0)": "assertion",
}
REFUSED: dict[Pair, dict[str, str]] = {
    _HIVE: {
        **_REFUSED,
        "decode(i, 1, 'a', 'c')": "arguments",
        "b = 'true'": "compared-text",
        "s2 = true": "compared-text",
        "c = 'abcdef'": "compared-text",
        "bin = 'abc'": "compared-text",
        "s = bin": "compared-types",
        "s like any ('a%', 'b%')": "like-any",
        "case i when 1.5 then 1 end": "compared-types",
        "nullif(i, 1.5)": "compared-types",
        "cast(s as char(4)) = 'abc'": "compared-types",
        "f in (0.1e0)": "compared-types",
        "least(null, s)": "not-known",
        "nullif(i, '1')": "compared-types",
        "coalesce(n, 0)": "unknown-type",
        "if(b, n, s)": "decimal-text",
    },
    _SPARK: {
        **_REFUSED,
        "i < '7.5'": "compared-text",
        "i < '3000000000'": "compared-text",
        "f = '0.1'": "compared-types",
        "f = 16777217": "compared-types",
        "f = i": "compared-types",
        "s2 = f": "compared-types",
        r"s like 'back\\slash'": "like-escape",
        r"s like '%\\'": "like-escape",
        "i is true": "not-known",
        "coalesce(i, 'x')": "ansi-types",
        "coalesce(f, 0)": "ansi-types",
        "greatest(f, 1)": "ansi-types",
        "if(b, dt, '2020-01-01')": "ansi-types",
        "case when b then 1 else 'x' end": "ansi-types",
        "nullif(c, 'x')": "compared-types",
        **dict.fromkeys(("decode(s, 1, 'x', 'y')", "decode(c, 'abc', 1, 0)", "decode(d, 1.0D, 'a')"), "conversion"),
        **dict.fromkeys(("decode(i, 1, i, 2, l)", "decode(i, 1, 5)", "decode(i, 1, NULL, 'c')"), "unknown-type"),
    },
}
"""What is refused, with the code of the reason."""
