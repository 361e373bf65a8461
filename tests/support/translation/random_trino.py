r"""What random expressions of Trino are made of, as ``random_grammar.py`` says for Hive and Spark.

Numbers are small enough that Trino, which fails where a result is too large, answers most of them.
"""

from __future__ import annotations

from tests.support.translation.random_grammar import listed

LEAVES: dict[str, tuple[str, ...]] = {
    "bool": listed("b   b   b   true   false   NULL"),
    "small": listed("ti   id   cast(id as tinyint)   id % 5   3   0   1"),
    "int": listed("id   ti   si   id % 7   1   7   100   0   cast(id as smallint)"),
    "long": listed("cast(id as bigint)   10000000000   l % 1000   cast(ti as bigint)"),
    "frac": listed("d   d   1.5e0   25e-1   cast(id as double)   d2"),
    "dec": listed("n   n   n2   0.5   1.50   2.5   cast(id as decimal(10,0))   cast(ti as decimal(5,1))"),
    "str": listed("s   s   s2   v   ds   ''   ' '   'abc'   'grüße'   'it''s'   '😀'   'a,b'   'back\\slash'   'x  '"),
    "date": listed("dt   dt   dt   date '2020-02-29'   date '1970-01-01'   cast(ts as date)"),
    "ts": listed(
        "ts   ts   timestamp '2020-02-29 12:34:56'   timestamp '2020-02-29 12:34:56.789'   cast(dt as timestamp)"
    ),
    "#": listed("1   2   3   5   10"),
    "lit": listed("NULL   0   -1   1.5   2e0   ''   'abc'   true   date '2020-01-31'"),
    "pattern": listed("'%a%'   'a_b'   '%'   ''   '_'   'ABC%'   '__'   '%ß%'   'abc'"),
    "unit": listed("'month'   'year'   'quarter'"),
}

_KINDS = ("bool", "int", "long", "frac", "dec", "str", "date", "ts")
_OF_ANY = """
    if(<bool>, <{0}>, <{0}>)   CASE WHEN <bool> THEN <{0}> ELSE <{0}> END   CASE WHEN <bool> THEN <{0}> END
    coalesce(<{0}>, <{0}>)   nullif(<{0}>, <{0}>)   coalesce(<{0}>, <{0}>, <lit>)   greatest(<{0}>, <{0}>)
    CASE <int> WHEN <int> THEN <{0}> WHEN <#> THEN <{0}> ELSE <{0}> END   least(<{0}>, <{0}>)   coalesce(<{0}>, <x>)
    CASE <str> WHEN <str> THEN <{0}> END   CASE WHEN <bool> THEN NULL WHEN <bool> THEN <{0}> ELSE <{0}> END
"""
_FORMS = {
    "bool": """
        <num> = <num>   <num> < <num>   <num> >= <num>   <num> <> <num>   <str> = <str>   <str> < <str>   NOT <bool>
        <date> = <date>   <date> < <ts>   <ts> >= <ts>   <bool> = <bool>   <x> = <x>   <bool> AND <bool>
        <bool> OR <bool>   <x> IS NULL   <x> IS NOT NULL   <str> LIKE <pattern>   <str> NOT LIKE <pattern>
        <num> IN (<num>, <#>, <#>)   <str> IN ('abc', <str>, '')   <num> NOT IN (<#>, <num>)
        <date> IN (<date>, <date>)
        <num> BETWEEN <num> AND <num>   <str> NOT BETWEEN <str> AND <str>   <date> BETWEEN <date> AND <ts>
        <num> IS DISTINCT FROM <num>   <str> IS NOT DISTINCT FROM <str>   starts_with(<str>, 'a')
        regexp_like(<str>, '^[a-c]+')   <dec> = <num>
    """,
    "int": """
        <small> + <int>   <small> - <small>   <small> * <#>   <int> % <#>   <int> / <#>   -<small>   abs(<small>)
        <int> / nullif(<int>, 0)   <int> % nullif(<int>, 0)   mod(<int>, <#>)   cast(<int> as integer)
        cast(<dec> as integer)   sign(<int>)   round(<int>)
    """,
    "long": """
        <long> + <int>   <int> - <long>   <long> / <#>   <long> % <#>   length(<str>)   cardinality(ai)   year(<date>)
        month(<ts>)   day(<date>)   quarter(<date>)   week(<date>)   day_of_week(<date>)   hour(<ts>)   minute(<ts>)
        second(<ts>)   date_diff('day', <date>, <date>)   strpos(<str>, 'a')   cast(<int> as bigint)   -<long>
        extract(year from <date>)   day_of_year(<ts>)   <long> / nullif(<long>, 0)   abs(<long>)
    """,
    "frac": """
        <frac> + <num>   <frac> / 2   <frac> * <frac>   <frac> - <num>   -<frac>   abs(<frac>)   cast(<num> as double)
        <frac> / nullif(<num>, 0)   <num> / 2e0   round(<frac>)   power(<small>, 2)
    """,
    "dec": """
        <dec> + <dec>   <dec> - <int>   <dec> * <#>   <dec> * <dec>   -<dec>   abs(<dec>)   cast(<int> as decimal(12,2))
        cast(<dec> as decimal(38,10))   cast(<dec> as decimal(20,1))   <dec> + <dec> + <dec>
        round(<dec>)   floor(<dec>)   ceil(<dec>)
    """,
    "str": """
        concat(<str>, <str>)   <str> || <str>   upper(<str>)   lower(<str>)   trim(<str>)   ltrim(<str>)   rtrim(<str>)
        substr(<str>, <#>)   substr(<str>, <#>, <#>)   reverse(<str>)   cast(<int> as varchar)   cast(<long> as varchar)
        cast(<date> as varchar)   cast(<bool> as varchar)   element_at(ast, 1)   st.b
        replace(<str>, 'a', 'xy')   concat_ws('-', <str>, <str>)   lpad(<str>, 5, 'ab')
        date_format(<ts>, '%Y-%m-%d %H:%i')
    """,
    "date": """
        cast(<ts> as date)   date_add('day', <#>, <date>)   date_trunc(<unit>, <date>)   <date> + interval '1' day
        <date> - interval '14' day   date_add('week', -1, <date>)   last_day_of_month(<date>)
    """,
    "ts": "cast(<date> as timestamp)   date_trunc(<unit>, <ts>)   date_trunc('day', <ts>)",
}
FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    kind: {"": (*(listed(_OF_ANY.format(kind)) if kind in _KINDS else ()), *listed(text))}
    for kind, text in _FORMS.items()
}
TOPS = (*_KINDS, "str")
ANY = (*_KINDS, "str")
NUMBERS = ("int", "int", "long", "frac", "dec", "small")
AGGREGATES = listed("""
    count(*)   count(<x>)   count(DISTINCT <x>)   sum(<small>)   sum(<dec>)   sum(<frac>)   avg(<int>)   avg(<frac>)
    max(<x>)   min(<x>)   count_if(<bool>)   count(*) FILTER (WHERE <bool>)   sum(<int>) FILTER (WHERE <bool>)
""")
QUERIES = listed("""
    SELECT id, <x> AS c1 FROM bench.t WHERE <bool>
    SELECT id, <x> AS c1, <x> AS c2 FROM bench.t WHERE <bool> OR <bool>
    SELECT <x> AS c1, count(*) AS c2 FROM bench.t GROUP BY <same>
    SELECT <x> AS c1, <agg> AS c2, <agg> AS c3 FROM bench.t GROUP BY 1
    SELECT <x> AS c1, <agg> AS c2 FROM bench.t WHERE <bool> GROUP BY <same> HAVING count(*) > 1
    SELECT <agg> AS c1, <agg> AS c2, <agg> AS c3 FROM bench.t
    SELECT DISTINCT <x> AS c1 FROM bench.t
    SELECT id, <x> AS c1 FROM bench.t ORDER BY <same> NULLS FIRST, id LIMIT 9
    SELECT id, <x> AS c1 FROM bench.t WHERE <bool> ORDER BY c1 DESC, id LIMIT 5
    SELECT t.id, u.x FROM bench.t t LEFT JOIN bench.u u ON t.id = u.id WHERE u.k IS NULL
    SELECT <num> AS c1 FROM bench.t UNION ALL SELECT <num> AS c1 FROM bench.t
    SELECT <x> AS c1 FROM bench.t UNION SELECT <x> AS c1 FROM bench.t
    SELECT id, row_number() OVER (PARTITION BY <x> ORDER BY id) AS c1 FROM bench.t
    SELECT q.id, q.c1 FROM (SELECT id, <x> AS c1 FROM bench.t) q WHERE q.c1 IS NOT NULL
    SELECT id, <x> AS c1, e FROM bench.t CROSS JOIN UNNEST(ai) AS z (e) WHERE <bool>
    WITH q AS (SELECT id, <x> AS c1 FROM bench.t) SELECT q.c1, u.x FROM q JOIN bench.u u ON q.id = u.id
""")
