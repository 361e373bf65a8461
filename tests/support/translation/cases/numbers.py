"""Arithmetic, operators of bits, and functions of numbers, over ``bench.t``."""

from __future__ import annotations

from tests.support.translation.case_lines import case_lines

Pair = tuple[str, str]
_HIVE, _SPARK = ("hive", "trino"), ("spark", "trino")
_COLUMNS = ("ti", "si", "i", "l", "f", "d", "d2", "n", "n2")


_ARITHMETIC = case_lines("""
    i % 100 + 1   ti * 10   l % 1000 - i % 7   ti + si * 2   (i % 10 + 1) * (l % 10)   10 - 3   ti * ti + 0L
    d + 1   d - i   d * l   d2 + d   d2 * f   f + f   f * f   f - d   d2 - ti   2e0 * si
    n + 1   n - i   n * 2   n * n   n + n   2.5 * n   n - 0.01   n * ti   1 - n   n + ti   l + n   n * l % 7
    d + n   n * d   d2 - n
    i / 2   1 / 3   l / 7   f / 2   d / 3   n / 3   n / 0.5   n2 / 7   ti / 100   -7 / 2   n / 1000
    i % 7   l % -7   n % 3   n % 0.3   n2 % 3   d % 3   d2 % 2   i % 2.5   7 % 3   -7 % 3   ti % 5   mod(l, 10)
    pmod(i, 7)   pmod(l, 1000)   pmod(ti, 7)   pmod(n, 3)   pmod(d, 3)   pmod(d2, 2)   pmod(-7, 3)   pmod(-7.5e0, 3)
    pmod(7, -3)   pmod(si, -10)   pmod(d, -3)   pmod(-7, -3)
    l div 3   ti div 2   7 div 2   -7 div 2   si div -5   i div 1000
    -1   -1.5   -1e3   -(-1)   - 5L   -d   -d2   -n   -f   - (i % 10)   negative(n)   negative(d)
    +i   +d2   positive(n)   positive(3)   1L + i % 7
    ~i   ~ti   ~si   ~l   ~5   i & j   i | 255   si ^ ti   ti | l   (i & j) | ti   (l & 7) ^ 3   i & 1 & j   i + 1L & 3
    shiftleft(i, 1)   shiftleft(i, 33)   shiftleft(i, -1)   shiftleft(ti, 9)   shiftleft(l, j)   shiftleft(i, j)
    shiftright(i, 2)   shiftright(l, j)   shiftright(si, 40)   shiftright(ti, j)   shiftright(-1, 1)
    shiftrightunsigned(i, 2)   shiftrightunsigned(ti, j)   shiftrightunsigned(l, 1)   shiftrightunsigned(-1, 28)
""")
_DIVIDED = case_lines("""
    i / j   ti / f   d / d2   d2 / d   f / n   n / n   n / i   l / n   n / n2   n2 / n   n2 / si   i / 0   1e0 / 0
    i % j   d % d2   n % n   n2 % n   i % n   d2 % 0   5 % 0
    pmod(i % 100, j % 100)   pmod(ti, si)   pmod(d, d2)   pmod(n, n)   pmod(l % 100, ti)
""")
"""Spark fails by the rules of ANSI where the divisor is zero."""

_STRICTER = case_lines("""
    i + 1   n2 * n   floor(d)
""")
"""Trino fails on some of the rows, which are asked one by one."""

_FUNCTIONS = case_lines("""
    abs(i % 10)   abs(f)   abs(d)   abs(d2)   abs(n)   abs(-5)   abs(-1.5)
    ceil(n)   ceil(n2)   floor(n)   floor(n2)   ceil(i)   floor(ti)   ceiling(n)   floor(1.5)   ceil(-1.5)
    floor(d / 1e300)   ceil(i / 7)   floor(f / 1e30)   floor(2.5e0)   ceil(-2.5e0)
    round(d)   round(d2)   round(f)   round(d, 1)   round(d, 2)   round(d2, 2)   round(f, 2)   round(d / 3, 3)
    round(2.85e-1, 2)   round(1.005e0, 2)   round(5.015e0, 2)   round(-2.85e-1, 2)   round(9.995e0, 2)   round(2.5e0)
    round(-2.5e0)   round(-4e-1)   round(-4e-3, 2)   round(1e22, 2)   round(123456789012345678e0, 2)   round(-0e0)
    round(cast(2.675 as float), 2)   round(cast(1.005 as float), 2)   round(cast(-0.4 as float))
    round(1e-1 + 2e-1, 16)   round(d, -1)   round(d, -3)   round(1250e0, -2)   round(-1250e0, -2)   round(f, -1)
    round(49999e-2, -3)   round(i)   round(l, 2)   round(i % 1000, -1)   round(25, -1)   round(-25, -1)
    round(i % 1000, -2)   round(n)   round(n, 1)   round(n, 2)   round(n, 3)   round(n, -1)   round(n2, 3)
    round(1.5)   round(-2.5)   round(n2, 9)   bround(i)   bround(l, 2)
    sqrt(d)   sqrt(d2)   sqrt(i)   sqrt(4)   sqrt(f)   sqrt(n)   sqrt(-1)   cbrt(d)   cbrt(-8)
    exp(i % 100)   exp(d2)   exp(n / 1000000)   ln(d)   ln(d2)   ln(i)   ln(10)   ln(n)   ln(0)
    log(d)   log(2, d)   log(d, d2)   log(d2, d)   log(10, i)   log(2, 8)   log(0.5, 8)   log(1, d)   log2(d2)   log2(8)
    log10(d)   log10(1000)   log10(-1)
    pow(d, 2)   pow(i, 2)   pow(2, 10)   pow(f, 2)   pow(n, 2)   power(d2, d)   power(d, d2)   pow(0, 0)
    sin(d)   sin(i)   cos(d2)   tan(f)   atan(d2)   asin(1)   acos(0)   degrees(d)   radians(d)   pi()   e()
    sign(i)   sign(l)   sign(d)   sign(d2)   sign(f)   sign(n)   sign(-5)   sign(0)
    factorial(ti)   factorial(i)   factorial(5)   factorial(0)   factorial(21)
    hex(i)   hex(ti)   hex(l)   hex(255)   hex(0)   hex(-1)   hex(s)   hex(v)   hex(bin)   hex('')
    bin(i)   bin(l)   bin(ti)   bin(5)   bin(0)   bin(-1)   unhex(hex(s))   unhex('5')   unhex('zz')   unhex('')
    conv(i, 10, 16)   conv(ti, 10, 2)   conv('ff', 16, 10)   conv('zz', 36, 10)   conv('FF', 16, 2)   conv('1a', 16, 36)
    format_number(i, 2)   format_number(l, 0)   format_number(n, 2)   format_number(n, 3)   format_number(n2, 10)
    format_number(1.125, 3)   format_number(-5, 1)   format_number(1234567, 0)   format_number(-0.5, 1)
""")
_TEXTS = case_lines("""
    s2 / 2   d + s2   n + s2   f * s2   n / s2   abs(s2)   round(s2, 1)   sqrt(s2)   ln(s2)   -s2   pow(s2, 2)
    sign(s2)   d - v   exp('1')
""")
"""Strings as numbers; by the rules of ANSI, Spark fails on some of these rows."""

_PAIRS = tuple(
    f"pmod({one}, {other})" if operator == "pmod" else f"{one} {operator} {other}"
    for one in _COLUMNS
    for other in _COLUMNS
    for operator in ("/", "%", "pmod")
    if "n2" not in (one, other) and (operator == "/" or one < other) and {one, other} != {"i", "l"}
)
"""Pairs of types; of those with n2 there are some above, and beside fractions it is told of."""

_IN_HIVE = case_lines("""
    abs(ti)   abs(si)   f + i   f * l   f % 2   f + n   n * f   pmod(f, 2)   f - 1   ti - f   floor(s2)   s2 + 1
    s2 * s2   s2 % 3   '1' + 2   '1.5' * '2'   v + 1   c + 1   d % s2   pmod(s2, 3)   positive(s2)   positive(d)
    '1' || 2 + 3   -n2
""")
_IN_SPARK = case_lines("""
    (i << 2) & 7   i << 2   l >> 3   signum(d2)   signum(i)   cot(d)   sec(d)   csc(d)   sinh(d)   cosh(d2)   tanh(d)
    atan2(d, d2)   atan2(i, 2)   isnan(d2)   isnan(f)   isnan(NULL + 1e0)   bit_count(i)   bit_count(l)   bit_count(ti)
    width_bucket(d, 0, 10, 5)   width_bucket(d2, 0, 10, 5)   width_bucket(i, 0, 10, 5)   width_bucket(n, 0, 10, 3)
    asin(d)   acos(d2)   '1' || (2 + 3)   2 + 3 || '1'   f + n   n * f   f / n   abs(n % 5)   pmod(n2, 7)
""")

SAME: dict[Pair, list[str]] = {
    _HIVE: [*_ARITHMETIC, *_DIVIDED, *_FUNCTIONS, *_TEXTS, *_STRICTER, *_PAIRS, *_IN_HIVE],
    # What fails by the rules of ANSI is asked one by one, so there is less of it.
    _SPARK: [*_ARITHMETIC, *_DIVIDED[::3], *_FUNCTIONS, *_TEXTS[::3], *_STRICTER, *_IN_SPARK],
}
"""Expressions that are the same in Trino; where it fails instead, a finding says so."""

_LEAST_BIGINT = {"conv(l, 10, 16)": frozenset((10, 24)), "conv(l, 10, 2)": frozenset((10, 24))}
_LARGE_DECIMALS = frozenset((2, 3, 11, 12, 20, 21))
TOLD: dict[Pair, dict[str, frozenset[int]]] = {
    _HIVE: {
        **_LEAST_BIGINT,
        "unhex(s2)": frozenset((5, 12)),
        "d + n2": _LARGE_DECIMALS,
        "n2 * f": _LARGE_DECIMALS,
        "sqrt(n2)": _LARGE_DECIMALS,
    },
    _SPARK: _LEAST_BIGINT,
}
"""Expressions of which a finding says that they may differ, and the rows where they do."""

_REFUSED = {
    "7 ^ 2 & 3": "precedence",
    "i | j & 3": "precedence",
    "l / n2": "decimal-digits",
    "n2 / n2": "decimal-digits",
    "round(d, i)": "digits",
    "round(d, 400)": "digits",
    "bround(d)": "not-known",
    "conv(l, 10, 36)": "not-known",
    "conv(s2, i, 10)": "not-known",
    "format_number(d, 2)": "rounding-of-halves",
    "format_number(n, 1)": "rounding-of-halves",
    "hex(d)": "conversion",
    "bin(d)": "conversion",
    "rand()": "nondeterministic",
    "i + b": "unknown-type",
    "i & b": "unknown-type",
}
REFUSED: dict[Pair, dict[str, str]] = {
    _HIVE: {
        **_REFUSED,
        "2 * 3 ^ 1": "precedence",
        "asin(d)": "no-angle",
        "acos(2)": "no-angle",
        "i * 1.0": "unknown-type",
        "sinh(d)": "unknown-type",
        "signum(d)": "unknown-type",
    },
    _SPARK: {
        **_REFUSED,
        "s2 + 1": "ansi-types",
        "'1' * i": "ansi-types",
        "f + i": "ansi-types",
        "pmod(f, 2)": "ansi-types",
        "n div 2": "not-known",
        "i << 2 & 7": "precedence",
        "'1' || 2 + 3": "precedence",
        "s || i - 1": "precedence",
        "width_bucket(d, 10, 0, 5)": "not-known",
        "width_bucket(d, 0, 10, i)": "not-known",
    },
}
"""Expressions that are refused, each with the code of the reason."""
