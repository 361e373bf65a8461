r"""What random expressions are made of: leaves and forms, by the kind of value that they are.

A form is a text with the kinds of its parts in angle brackets. Lines of ``FORMS`` are forms of one kind, with three
blanks or more between them. Kinds of parts: those of ``LEAVES``, and

num     a number of any type             x    a value of any kind
lit     any literal                      #    a small number that is written
"""

from __future__ import annotations

_ALL, _HIVE, _SPARK = "", "hive", "spark"


def listed(text: str) -> tuple[str, ...]:
    """The forms of a text."""
    return tuple(one for line in text.splitlines() for one in map(str.strip, line.split("   ")) if one)


LEAVES: dict[str, tuple[str, ...]] = {
    "bool": listed("b   b   b   true   false   NULL"),
    "small": listed("ti   si   ti % 10   id   cast(i % 20 as int)   3   0   -1   100"),
    "int": listed("i   j   i   j   si   ti   id   0   1   -1   7   100   2147483647   -2147483648   1000   3S   5Y"),
    "long": listed("l   l   l   0L   -1L   9223372036854775807L   10000000000   l % 1000"),
    "frac": listed("d   d2   f   d   f   0e0   1.5e0   -2.5e0   1e-3   1e20   cast(0.1 as float)   5e-1"),
    "dec": listed("n   n2   n   0.5   1.50   -2.5   100.00   0.01   12345.678   0.0"),
    "str": listed(r"""
        s   s   s2   v   c   ds   s2   s   v   ''   ' '   'abc'   'ABC'   'grüße'   '12'   ' 7 '   '-0'   '1.5'   'a_b'
        '1e3'   '100%'   'NULL'   'true'   '2020-01-31'   '2020-02-30'   '2020-01-31 10:11:12'   'it\'s'   '😀'   'a,b'
        'back\\slash'   'a\tb'   'x  '   '+5'   '0x10'   'Infinity'   'NaN'   '.5'   '007'
    """),
    "date": listed("dt   dt   dt   date '2020-02-29'   date '1970-01-01'   cast('2020-01-31' as date)   to_date(ts)"),
    "ts": listed("ts   ts   ts   timestamp '2020-02-29 12:34:56'   cast(dt as timestamp)"),
    "bin": listed("bin   bin   cast(s as binary)   unhex('ff00')   encode(s, 'UTF-8')"),
    "#": listed("0   1   2   3   -1   -2   5   10"),
    "month": listed("0   1   -1   2   12   -13   100"),
    "times": listed("0   1   2   3   -1   7"),
    "lit": listed("NULL   0   -1   1.5   2e0   ''   'abc'   '12'   true   date '2020-01-31'   9223372036854775807"),
    "pattern": listed(
        r"'%a%'   'a_b'   '%'   ''   '_'   '100\%'   'ABC%'   '%\\\\%'   '__'   s   v   '%ß%'   'abc'   '%\_b'"
    ),
    "regex": listed(r"""
        'a'   '^a'   '[a-c]+'   '\\d+'   'b$'   '.'   '(a)(b)?'   '[^a-z]'   '\\s'   'a|b'   '\\w+'   '^$'   'x*'   'ß'
        '\\.'   '(?i)ABC'   '[0-9]{2}'   ','
    """),
    "time_pattern": listed("""
        'yyyy-MM-dd'   'yyyy-MM-dd HH:mm:ss'   'yyyyMMdd'   'dd/MM/yyyy'   'HH:mm'   'yyyy'   'MM'   'EEE'   'D'   'yy'
        'MMM d, yyyy'   'hh:mm a'   'u'   'w'   'S'   'SSS'   'yyyy-MM'
    """),
    "unit": listed("'MM'   'YEAR'   'Q'   'MONTH'   'year'   'mon'   'WEEK'   'DD'   'xyz'"),
    "day": listed("'MO'   'Tue'   'SUNDAY'   'fr'   'xx'"),
    "zone": listed("'UTC'   'America/New_York'   'Europe/Berlin'   'PST'   '+02:00'   'Asia/Kolkata'   ''"),
    "type": listed("""
        int   bigint   tinyint   smallint   double   float   string   boolean   date   timestamp   decimal(10,2)
        decimal(38,10)   decimal(5,0)   varchar(3)   char(5)   varchar(10)   binary   decimal(4,4)   decimal(20,3)
    """),
}

_KINDS = ("bool", "int", "long", "frac", "dec", "str", "date", "ts")

_OF_ANY = """
    if(<bool>, <{0}>, <{0}>)   CASE WHEN <bool> THEN <{0}> ELSE <{0}> END   CASE WHEN <bool> THEN <{0}> END
    coalesce(<{0}>, <{0}>)   nvl(<{0}>, <{0}>)   nullif(<{0}>, <{0}>)   coalesce(<{0}>, <{0}>, <lit>)
    CASE <x> WHEN <x> THEN <{0}> WHEN <x> THEN <{0}> ELSE <{0}> END   CASE <int> WHEN <num> THEN <{0}> ELSE <{0}> END
    greatest(<{0}>, <{0}>)   least(<{0}>, <{0}>)   if(<bool>, <{0}>, <x>)   coalesce(<{0}>, <x>)
    CASE WHEN <bool> THEN <x> WHEN <bool> THEN <{0}> ELSE NULL END   nvl(<{0}>, <lit>)   greatest(<{0}>, <{0}>, <x>)
"""

FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    kind: {
        dialect: (*(listed(_OF_ANY.format(kind)) if dialect == _ALL and kind in _KINDS else ()), *listed(text))
        for dialect, text in by_dialect.items()
    }
    for kind, by_dialect in {
        "bool": {
            _ALL: r"""
                <num> = <num>   <num> < <num>   <num> >= <num>   <num> <> <num>   <str> = <str>   <str> < <str>
                <str> > <str>   <date> = <date>   <date> < <ts>   <ts> >= <ts>   <ts> = <date>   <x> = <x>   <x> < <x>
                <x> <> <x>   <num> = <str>   <str> < <num>   <date> = <str>   <ts> > <str>   <bin> = <bin>
                <x> <=> <x>
                <bool> = <bool>   <bool> <> <x>   <x> = <lit>   <lit> < <x>   <num> <=> <num>   <x> != <lit>
                <bool> AND <bool>   <bool> OR <bool>   NOT <bool>   <bool> AND NOT <bool>   <x> IS NULL
                <x> IS NOT NULL   isnull(<x>)   isnotnull(<x>)   <str> LIKE <pattern>   <str> NOT LIKE <pattern>
                <str> RLIKE <regex>   <num> IN (<num>, <#>, <#>)   <str> IN ('abc', <str>, '')   <x> IN (<x>, <lit>)
                <num> NOT IN (<#>, <num>)   <date> IN (<date>, <date>)   <str> NOT IN (<str>, NULL)   <x> IN (<lit>)
                <num> BETWEEN <num> AND <num>   <str> BETWEEN <str> AND <str>   <date> BETWEEN <date> AND <date>
                <x> NOT BETWEEN <lit> AND <x>   <ts> BETWEEN <date> AND <ts>   cast(<x> as boolean)
                cast(<num> as boolean)   cast(<str> as boolean)   <bool> IS TRUE   <num> LIKE <pattern>
                <int> IN (<lit>, <lit>)
            """,
            _SPARK: r"""
                <str> ILIKE <pattern>   startswith(<str>, <str>)   endswith(<str>, <str>)   contains(<str>, <str>)
                isnan(<frac>)   <bool> IS NOT TRUE   <x> IS DISTINCT FROM <x>   regexp_like(<str>, <regex>)
                equal_null(<x>, <x>)
                <x> == <x>   NOT <x> <=> <x>
            """,
        },
        "int": {
            _ALL: """
                <int> + <int>   <int> - <int>   <int> * <#>   <int> % <int>   <small> * <small>   -<int>
                <int> & <int>
                <int> | <int>   <int> ^ <int>   ~<int>   pmod(<int>, <int>)   abs(<int>)   length(<str>)
                <small> + <small>
                instr(<str>, <str>)   locate(<str>, <str>)   locate(<str>, <str>, <#>)   year(<date>)   month(<date>)
                day(<ts>)   dayofmonth(<date>)   quarter(<ts>)   weekofyear(<date>)   dayofweek(<date>)   hour(<ts>)
                minute(<ts>)   second(<ts>)   datediff(<date>, <date>)   datediff(<ts>, <date>)   ascii(<str>)
                find_in_set(<str>, <str>)   cast(<x> as int)   cast(<str> as int)   cast(<num> as int)
                cast(<num> as tinyint)   cast(<num> as smallint)   cast(<str> as tinyint)   cast(<bool> as int)
                levenshtein(<str>, <str>)   year(<str>)   datediff(<str>, <date>)   shiftleft(<int>, <#>)
                shiftright(<int>, <#>)   shiftrightunsigned(<int>, <#>)   sign(<int>)   round(<int>)
                octet_length(<str>)
                hour(<str>)   extract(year from <date>)   extract(hour from <ts>)   month(<str>)   positive(<int>)
                <int> div <small>   length(<x>)   character_length(<str>)   crc32(<str>)
            """,
            _SPARK: """
                dayofyear(<date>)   weekday(<date>)   unix_date(<date>)   position(<str> in <str>)   len(<str>)
                bit_count(<int>)   date_part('month', <ts>)   char_length(<str>)   <int> << 2
                regexp_count(<str>, <regex>)
                bit_length(<str>)   getbit(<int>, 1)   width_bucket(<frac>, 0, 10, 5)   position(<str>, <str>)
            """,
        },
        "long": {
            _ALL: """
                <long> + <int>   <long> - <long>   <long> % <int>   <int> div <int>   <long> div <int>
                <long> & <long>
                ~<long>   pmod(<long>, <#>)   cast(<x> as bigint)   cast(<str> as bigint)   cast(<num> as bigint)
                floor(<frac>)   ceil(<frac>)   ceil(<int>)   floor(<long>)   -<long>   abs(<long>)   round(<long>, <#>)
                unix_timestamp(<ts>)   factorial(<small>)   unix_timestamp(<date>)   shiftleft(<long>, <#>)
                unix_timestamp(<str>, <time_pattern>)   crc32(<str>)   ceil(<str>)   round(<long>)
            """,
            _SPARK: "timestampdiff(day, <ts>, <ts>)   unix_seconds(<ts>)   floor(<num>)   unix_millis(<ts>)",
        },
        "frac": {
            _ALL: """
                <frac> + <num>   <num> / <num>   <frac> * <num>   <frac> - <frac>   <num> % <frac>   -<frac>
                abs(<frac>)
                sign(<num>)   round(<frac>)   round(<frac>, <#>)
                cast(<x> as double)
                cast(<str> as double)   cast(<num> as float)   cast(<str> as float)   cast(<num> as double)
                pi()   <str> + <num>
                <int> / <int>   <num> * <str>   pmod(<frac>, <num>)   bround(<frac>, <#>)   <str> / <str>
                positive(<frac>)
            """,
            _SPARK: "signum(<num>)",
        },
        "inexact": {
            _ALL: """
                sqrt(<num>)   exp(<num> % 10)   ln(<num>)   log10(<frac>)   log2(<num>)   log(<num>, <num>)
                pow(<num>, <#>)   power(<frac>, <frac>)   sin(<num>)   cos(<frac>)   tan(<frac>)   atan(<num>)
                asin(<frac>)   acos(<frac>)   degrees(<frac>)   radians(<num>)   cbrt(<frac>)
                months_between(<date>, <date>)   months_between(<ts>, <date>)
            """,
            _SPARK: "cot(<frac>)   sinh(<frac>)   tanh(<num>)   atan2(<frac>, <num>)",
        },
        "dec": {
            _ALL: """
                <dec> + <dec>   <dec> - <int>   <dec> * <int>   <dec> * <dec>   <dec> / <dec>   <dec> % <dec>   -<dec>
                abs(<dec>)   round(<dec>)   round(<dec>, <#>)   ceil(<dec>)   floor(<dec>)   cast(<x> as decimal(10,2))
                cast(<str> as decimal(38,10))   cast(<num> as decimal(5,0))   cast(<num> as decimal(20,3))
                <int> / <dec>
                cast(<frac> as decimal(10,2))   cast(<dec> as decimal(4,4))   <dec> + <int>   pmod(<dec>, <dec>)
                cast(<str> as decimal(10,2))   bround(<dec>, <#>)   <long> * <dec>   cast(<frac> as decimal(38,18))
            """,
        },
        "str": {
            _ALL: r"""
                concat(<str>, <str>)   concat(<x>, <str>)   concat_ws(<str>, <str>, <str>)
                concat_ws(',', <str>, NULL)
                upper(<str>)   lower(<str>)   trim(<str>)   ltrim(<str>)   rtrim(<str>)   substr(<str>, <#>)
                substr(<str>, <#>, <#>)   substring(<str>, <small>, <small>)   substring(<str>, <int>, <#>)
                reverse(<str>)   replace(<str>, <str>, <str>)   translate(<str>, 'abc', 'x')   initcap(<str>)
                lpad(<str>, <times>, 'ab')   rpad(<str>, <times>, ' ')   repeat(<str>, <times>)   space(<times>)
                substring_index(<str>, ',', <#>)   regexp_replace(<str>, <regex>, 'x')
                regexp_extract(<str>, <regex>, 0)
                substring_index(<str>, <str>, <#>)   regexp_extract(<str>, '(a)(b)?', 1)   md5(<str>)   sha1(<str>)
                sha2(<str>, 256)   hex(<str>)   hex(<int>)   bin(<int>)   base64(<bin>)   cast(<x> as string)
                cast(<num> as string)   cast(<ts> as string)   cast(<date> as string)   cast(<dec> as string)
                cast(<bool> as string)   cast(<str> as varchar(3))   cast(<str> as char(5))   cast(<bin> as string)
                date_format(<ts>, <time_pattern>)   date_format(<date>, <time_pattern>)   from_unixtime(<int>)
                date_format(<str>, <time_pattern>)   cast(<num> as char(5))   cast(<x> as varchar(10))   <str> || <str>
                from_unixtime(<long> % 10000000, <time_pattern>)   conv(<int>, 10, 16)   conv(<str>, 16, 10)
                format_number(<int>, <#>)   format_number(<dec>, 2)   elt(<#>, <str>, <str>)   decode(<bin>, 'UTF-8')
                get_json_object(<str>, '$.a')   parse_url(<str>, 'HOST')   concat(<str>, <str>, <num>)   <num> || <str>
                cast(<frac> as string)   replace(<str>, 'a', <str>)   regexp_replace(<str>, <regex>, <str>)
                split(<str>, ',')[0]   split(<str>, <regex>)[1]   printf('%s-%s', <str>, <int>)
                translate(<str>, <str>, <str>)
                concat_ws(<str>, <str>)   unhex(<str>)   upper(<x>)   nvl(<str>, <num>)   substr(<x>, 2, 3)
            """,
            _HIVE: """
                add_months(<date>, <month>)   last_day(<date>)   next_day(<date>, <day>)   trunc(<date>, <unit>)
                add_months(<str>, <month>)   last_day(<ts>)
            """,
            _SPARK: r"""
                left(<str>, <#>)   right(<str>, <#>)   split_part(<str>, ',', 1)   chr(<int>)   btrim(<str>)
                overlay(<str> placing 'xy' from 2)   regexp_substr(<str>, <regex>)   trim(both 'a' from <str>)
                url_encode(<str>)   substring(<str> from 2 for 3)   ltrim('a', <str>)   string(<x>)
                split_part(<str>, <str>, <#>)
                left(<str>, <small>)   char(<small>)
            """,
        },
        "date": {
            _ALL: """
                to_date(<ts>)   to_date(<str>)   cast(<str> as date)   cast(<ts> as date)   date_add(<date>, <#>)
                date_sub(<date>, <small>)   date_add(<ts>, <small>)   date_add(<str>, <#>)   cast(<x> as date)
                date_add(<date>, <small>)   <date> + interval '1' month   <date> - interval 2 day   date(<ts>)
                cast(last_day(<date>) as date)   cast(next_day(<date>, 'MO') as date)   <date> + interval '3' year
                cast(trunc(<date>, 'MM') as date)   cast(add_months(<date>, <#>) as date)
            """,
            _SPARK: """
                add_months(<date>, <month>)   last_day(<date>)   next_day(<date>, <day>)   trunc(<date>, <unit>)
                to_date(<str>, <time_pattern>)   make_date(2020, <#>, <#>)   <date> + <#>   date_from_unix_date(<int>)
                add_months(<ts>, <small>)   last_day(<str>)   <date> - <small>
            """,
        },
        "ts": {
            _ALL: """
                cast(<str> as timestamp)   cast(<date> as timestamp)   <ts> + interval '1' day
                <ts> - interval '2' hour
                from_utc_timestamp(<ts>, <zone>)   to_utc_timestamp(<ts>, <zone>)   <ts> + interval '1' month
                cast(<x> as timestamp)   <ts> + interval 5 minutes   cast(<date> as timestamp)
            """,
            _SPARK: """
                date_trunc('HOUR', <ts>)   date_trunc('MONTH', <date>)   to_timestamp(<str>)   date_trunc('week', <ts>)
                to_timestamp(<str>, <time_pattern>)   timestampadd(month, <#>, <ts>)   dateadd(day, <#>, <ts>)
                timestamp_seconds(<int>)   <ts> + interval '1 02:03:04' day to second
            """,
        },
        "bin": {_ALL: "unhex(<str>)   unbase64(<str>)   encode(<str>, 'UTF-8')   cast(<str> as binary)"},
    }.items()
}
"""By kind, and by the dialect that reads them; of '' all do."""

TOPS = (*("bool", "int", "long", "frac", "dec", "str", "str", "date", "ts", "bin"), "inexact")
"""Kinds of whole expressions: the last digits of the inexact ones, which depend on a Java, are in no others."""

ANY = ("bool", "int", "long", "frac", "dec", "str", "str", "date", "ts", "bin")
NUMBERS = ("int", "int", "long", "frac", "dec", "small")

QUERIES = listed("""
    SELECT id, <x> AS c1 FROM bench.t WHERE <bool>
    SELECT id FROM bench.t WHERE <bool> AND NOT (<bool>)
    SELECT id, <x> AS c1, <x> AS c2 FROM bench.t WHERE <bool> OR <bool>
    SELECT <x> AS c1, count(*) AS c2 FROM bench.t GROUP BY <same>
    SELECT <x> AS c1, <agg> AS c2, <agg> AS c3 FROM bench.t GROUP BY <same>
    SELECT <x> AS c1, <agg> AS c2 FROM bench.t WHERE <bool> GROUP BY <same> HAVING count(*) > 1
    SELECT <agg> AS c1, <agg> AS c2, <agg> AS c3 FROM bench.t
    SELECT <agg> AS c1, <agg> AS c2 FROM bench.t WHERE <bool>
    SELECT <agg> + <agg> AS c1 FROM bench.t WHERE <bool>
    SELECT DISTINCT <x> AS c1 FROM bench.t
    SELECT DISTINCT <bool> AS c1, <bool> AS c2 FROM bench.t
    SELECT id, <x> AS c1 FROM bench.t ORDER BY id DESC NULLS LAST LIMIT 7
    SELECT id, <x> AS c1 FROM bench.t ORDER BY <same> NULLS FIRST, id NULLS FIRST LIMIT 9
    SELECT id, <x> AS c1 FROM bench.t WHERE <bool> ORDER BY c1 DESC NULLS LAST, id NULLS LAST LIMIT 5
    SELECT id FROM bench.t WHERE id IS NOT NULL ORDER BY id LIMIT 3
    SELECT t.id, u.x, <tx> AS c1 FROM bench.t t JOIN bench.u u ON t.id = u.id
    SELECT t.id, u.x FROM bench.t t LEFT JOIN bench.u u ON t.id = u.id AND u.x > 10 WHERE u.k IS NULL
    SELECT t.id, u.k FROM bench.t t JOIN bench.u u ON t.s = u.k
    SELECT t.id, u.id AS uid, u.x FROM bench.t t FULL JOIN bench.u u ON t.i = u.id
    SELECT t.id, u.x FROM bench.t t RIGHT JOIN bench.u u ON t.j = u.id AND t.ti = u.id
    SELECT id, <x> AS c1 FROM bench.t UNION ALL SELECT id, <x> AS c1 FROM bench.t
    SELECT <num> AS c1 FROM bench.t UNION ALL SELECT <num> AS c1 FROM bench.t
    SELECT <x> AS c1 FROM bench.t UNION SELECT <x> AS c1 FROM bench.t
    SELECT <str> AS c1 FROM bench.t UNION ALL SELECT <lit> AS c1
    SELECT id, row_number() OVER (PARTITION BY <x> ORDER BY id NULLS LAST) AS c1 FROM bench.t
    SELECT id, <agg> OVER (PARTITION BY <x>) AS c1 FROM bench.t
    SELECT id, <agg> OVER (ORDER BY id NULLS FIRST) AS c1 FROM bench.t
    SELECT id, rank() OVER (ORDER BY <x> NULLS LAST) AS c1 FROM bench.t
    SELECT id, lag(<x>, 1) OVER (ORDER BY id NULLS FIRST) AS c1 FROM bench.t
    SELECT id, first_value(<x>) OVER (PARTITION BY b ORDER BY id NULLS FIRST) AS c1 FROM bench.t
    SELECT id, last_value(<x>) OVER (ORDER BY id NULLS FIRST ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) c1 FROM bench.t
    SELECT id FROM bench.t WHERE id IN (SELECT id FROM bench.u WHERE x > 10)
    SELECT id FROM bench.t WHERE <int> IN (SELECT x FROM bench.u)
    SELECT id FROM bench.t t WHERE EXISTS (SELECT 1 FROM bench.u u WHERE u.id = t.id AND u.x > 10)
    SELECT id FROM bench.t t WHERE NOT EXISTS (SELECT 1 FROM bench.u u WHERE u.id = t.i)
    SELECT c1, count(*) AS n FROM (SELECT <x> AS c1 FROM bench.t WHERE <bool>) q GROUP BY c1
    SELECT q.id, q.c1 FROM (SELECT id, <x> AS c1 FROM bench.t) q WHERE q.c1 IS NOT NULL
    WITH q AS (SELECT id, <x> AS c1 FROM bench.t) SELECT q.c1, u.x FROM q JOIN bench.u u ON q.id = u.id
    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY <x> ORDER BY id NULLS LAST) r FROM bench.t) q WHERE r = 1
""")
"""``<same>`` is what ``<x>`` is in the same query; ``<tx>`` has no columns that another table has, too."""

AGGREGATES = listed("""
    count(*)   count(<x>)   count(DISTINCT <x>)   sum(<int>)   sum(<dec>)   sum(<frac>)   avg(<int>)   avg(<dec>)
    max(<x>)
    min(<x>)   max(<str>)   min(<num>)   sum(<num>)   avg(<num>)   min(<date>)   max(<ts>)   sum(if(<bool>, 1, 0))
    sum(CASE WHEN <bool> THEN <num> END)   stddev_pop(<int>)   var_pop(<dec>)   sum(DISTINCT <int>)   max(<bool>)
    count(DISTINCT <bool>, <x>)   avg(<str>)   sum(<str>)   min(<bin>)   corr(ti, id)
""")
