"""Literals, operators, branches and windows, with their types in each engine; tests/interop asks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.texts.typed_functions import listed

COLUMNS = {
    "tiny": "tinyint",
    "small": "smallint",
    "n": "int",
    "big": "bigint",
    "real32": "float",
    "real64": "double",
    "price": "decimal(10,2)",
    "d72": "decimal(7,2)",
    "d20": "decimal(20,0)",
    "d38": "decimal(38,10)",
    "d3818": "decimal(38,18)",
    "d1515": "decimal(15,15)",
    "s": "string",
    "code": "varchar(7)",
    "code9": "varchar(9)",
    "mark": "char(3)",
    "mark5": "char(5)",
    "day": "date",
    "at": "timestamp",
    "flag": "boolean",
    "bytes": "binary",
    "tags": "array<string>",
    "nums": "array<int>",
    "m": "map<string,int>",
    "st": "struct<a:int,b:string>",
}

CERTAIN = {
    "bigint": """
        10L; 2147483648; 9223372036854775807; ~big; -10L; tiny + big; n div 2; tiny div tiny; big div 2; n | big
        big ^ n; 1+10L; n*2147483648; bigint(s); if(flag, n, big); if(flag, big, 1)
        case when flag then n else big end; case when flag then 1 else 2147483648 end; coalesce(n, big)
        coalesce(big, 0); nvl(n, big); nvl(big, n); greatest(n, big); cast(1 as bigint); cast(1 as bigint) + n
        if(1=1,n,big); nvl(1, big); coalesce(n, 1, big); coalesce(NULL, n, big); nvl(NULL, big); if(null,n,big)
        greatest(1,big); if(flag and false, n, big); n + 1L; n*1L; n+cast(1 as bigint); coalesce(cast(1 as bigint), n)
        if(flag, n, cast(1 as bigint)); n % 5L; small + 1L; coalesce(n, 2147483648); greatest(cast(1 as bigint), n)
        big & 1L; case when flag then tiny else cast(1 as bigint) end; pmod(n,2L); lead(big, 1, 0) over (order by n)
        sum(n) over (); count(*) over ()
    """,
    "smallint": """
        7S; ~small; small*tiny; pmod(tiny,small); smallint(s); if(flag, tiny, small); greatest(tiny,small)
        cast(1 as smallint); cast(null as smallint); case when flag then tiny else cast(1 as smallint) end
        tiny + cast(1 as smallint)
    """,
    "tinyint": """
        7Y; -tiny; +tiny; ~tiny; -7Y; tiny + tiny; tiny % tiny; tiny & tiny; cast(s as tinyint); tinyint(s)
        cast(1 as tinyint); if(flag, cast(1 as tinyint), tiny); lead(tiny,1,1Y) over (order by n)
        lead(tiny, 1, 1) over (order by n)
    """,
    "decimal(2,1)": "1.5; 1.5BD; -1.5; -(1.5)",
    "double": """
        1.5D; 1e3; 1.5e3; 1e-2; -s; 1.23e1; 1E10; -1.5D; n + real64; n/2; n/n; tiny/tiny; big/big; real32/real32
        real64/2; s/2; s*price; real64 % 2; price*real64; price + 1e3; 1/2; 1.5+1e0; 10/3; 7L/2; price*1e0; s*1.5
        code*price; price*'2'; double(s); if(flag, real64, price); if(flag, real32, real64); coalesce(real64,price)
        greatest(real32, real64); greatest(price, real64); cast(1 as double); price/real32; real32/price; s/price
        -code; -mark; price+'1.5'; cast(n as double) * price; coalesce(cast(1 as double), n); coalesce(1D, n)
        coalesce(1.5D, real32); if(flag, real32, 1.5D); percent_rank() over (order by n)
        cume_dist() over (order by n); avg(n) over (order by n); stddev(n) over (); row_number() over (order by n) / 2
        sum(real32) over (); avg(tiny) over (); percent_rank() over (order by n) * 100
    """,
    "decimal(1,1)": "00.5; 0.5BD",
    "string": """
        'x'; 'a' || 'b'; n || s; mark || 'x'; n || n; price || s; day || s; NULL || s; flag || s; cast(s as string)
        cast(bytes as string); string(n); if(flag, code, s); if(flag, mark, code); if(flag, mark, s)
        if(flag, code, 'x'); case when flag then code else s end; case when flag then code else 'x' end
        case when flag then mark else 'x' end; case n when 1 then 'a' end; case when flag then 'x' else mark end
        case when flag then code else mark end; coalesce(code, s); coalesce(mark,code); coalesce(code,'x')
        coalesce(mark,'x'); nvl(code, s); nvl(code, 'x'); nvl(mark, 'x'); nullif(s, ''); greatest(s, 'a')
        greatest(code, 'a'); least(s, 'a'); least(code, s); greatest(code,mark); s || 1; code || 'x'
        lag(s, 1, 'x') over (order by n); first_value(s) over (partition by s); lag(s,1,n) over (order by n)
    """,
    "date": """
        DATE '2026-08-01'; day + INTERVAL '1' MONTH; cast(at as date); date(s); cast('2020-01-01' as date)
        day + INTERVAL 3 MONTH; day - INTERVAL 1 YEAR; if(flag, day, cast('2020-01-01' as date))
        lead(day,1,s) over (order by n)
    """,
    "timestamp": """
        TIMESTAMP '2026-08-01 10:00:00'; at + INTERVAL '1' DAY; day + INTERVAL '1' HOUR; timestamp(s)
        greatest(day, at); at + INTERVAL 1 MONTH; at - INTERVAL 5 HOUR; INTERVAL 1 DAY + at; at + (at - at)
        at + (day - day)
    """,
    "int": """
        -1; +1; -n; +n; ~n; 0; 007; n + 1; n + n; tiny + n; pmod(n,2); n % 2; n & 1; tiny & n; 1+1; tiny*1; 1Y+1
        cast(s as integer); cast(NULL as int); int(s); if(flag, 1, 2); if(flag, n, NULL); if(flag, tiny, 1)
        case when flag then 1 else 2 end; case when flag then tiny else 1 end; coalesce(n, 1); coalesce(NULL, n)
        coalesce(n, NULL); coalesce(tiny, 1); coalesce(n); nvl(n, 1); nvl(NULL, n); nvl(n, NULL); nvl(tiny, 1)
        nullif(n, 1); nullif(n, big); nullif(0, n); nullif(1, price); greatest(n, 1); greatest(tiny, 1)
        greatest(n, NULL); least(n, 1); case when flag then 1 end; nullif(1,2); n+1S; row_number() over (order by n)
        rank() over (order by n); dense_rank() over (order by n); ntile(4) over (order by n); lag(n) over (order by n)
        lag(n, 1, 0) over (order by n); lead(n, 2) over (order by n); lead(n, 1, big) over (order by n)
        lag(n,1,NULL) over (order by n); first_value(n) over (order by n); rank() over (order by n) + 1
    """,
    "decimal(19,0)": "9223372036854775808",
    "decimal(20,0)": "99999999999999999999",
    "decimal(30,0)": "123456789012345678901234567890",
    "decimal(10,2)": """
        -price; price % price; pmod(price, price); case when flag then price end
        case when flag then price else NULL end; nullif(price, 0); greatest(price,price); greatest(d72,price)
        cast(1.5 as decimal(10,2)); coalesce(price, 0.50); if(flag, price, 0.50); greatest(price, 0.50)
        nvl(price, 0.50); n % price; price % n; lag(price, 1, 0) over (order by n)
        lag(price, 1, 0.0) over (order by n); max(price) over (order by n rows between 1 preceding and current row)
        lead(price,1,0) over (order by n)
    """,
    "float": """
        -real32; real32+real32; cast(s as float); float(s); nullif(real32, 0); cast(1.5 as float); cast(1 as float)
        case when flag then real32 else cast(1 as float) end; lag(real32,1,0) over (order by n)
    """,
    "decimal(21,1)": "12345678901234567890.5",
    "decimal(13,2)": "n + price; price*10L; (price + 1) * 2",
    "decimal(12,1)": "n + 1.5; n*0.5",
    "decimal(11,2)": """
        price + 1; price + price; price - price; price + tiny; price + small; d72*100; 1 - price; price+10BD
        price+0.0; price - -1
    """,
    "decimal(12,2)": """
        price * 2; price*-1; price*(-1); price*007; price*0; if(flag, n, price); if(flag,price,n); coalesce(price, n)
        nvl(price, 0); nvl(n, price); greatest(n, price); greatest(price, 0); -price * 2; price * - 2; nvl(1, price)
    """,
    "decimal(21,4)": "price * price",
    "decimal(23,13)": "price / price",
    "decimal(38,9)": "d38 + d38; d1515+d38",
    "decimal(38,6)": "d38 * d38; d38 / d38; d3818*d3818; d3818/d3818",
    "decimal(38,10)": """
        d38 % d38; if(flag, price, d38); if(flag, d38, d3818); if(flag, d38, d20)
        case when flag then d72 when n = 1 then d38 end; coalesce(price, d38); nvl(price, d38); greatest(price, d38)
        if(true, n, d38); coalesce(1, n, d38)
    """,
    "decimal(31,30)": "d1515*d1515",
    "decimal(38,23)": "d1515/d1515",
    "decimal(14,6)": "price/2; price/7Y; avg(price) over (order by n)",
    "decimal(21,13)": "price/n",
    "decimal(23,11)": "n/price",
    "decimal(13,3)": "price*1.5; price*-1.5; price*(1.5)",
    "decimal(14,2)": "price*100; 100*price",
    "decimal(21,0)": "d20+d20; d20+1; d20+big",
    "decimal(38,0)": "d20*d20",
    "decimal(38,18)": "d20/d20",
    "decimal(31,0)": "d20*n",
    "decimal(31,11)": "d20/n",
    "decimal(18,2)": "d72*n",
    "decimal(10,3)": "d72*1.2",
    "decimal(11,6)": "d72/100",
    "decimal(13,1)": "1.2*n; n*1.5; 1.5 + n + 1; ntile(3) over (order by n) * 1.5",
    "decimal(5,1)": "tiny*0.5",
    "decimal(17,4)": "(1 - d72)*(1 + d72)",
    "decimal(25,6)": "d72 * (1-d72) * (1+d72)",
    "decimal(21,2)": "price * 2147483648",
    "decimal(15,4)": "price*0.05*2",
    "decimal(20,3)": "d72*0.5*n",
    "decimal(35,20)": "cast(n as decimal(15,4))/cast(big as decimal(15,4))",
    "boolean": """
        price = 1; cast(s as boolean); boolean(s); n = 1; s = 1; n <> 1; n != 1; n <=> 1; n == 1; flag and flag
        not flag; !flag; s is null; s is not null; n in (1,2); n not in (1,2); n between 1 and 2
        n not between 1 and 2; s like 'a'; s not like 'a'; s rlike 'a'; s regexp 'a'; flag = true; day = s
        (n, s) in ((1,'a')); true; false; s like n
    """,
    "decimal(10,0)": "cast(s as decimal)",
    "decimal(5,0)": "cast(s as decimal(5))",
    "decimal(5,2)": "cast(s as decimal(5,2))",
    "binary": "cast(s as binary); binary(s)",
    "array<string>": """
        if(flag, tags, NULL); if(flag, tags, tags); collect_set(s) over (partition by n); lag(tags) over (order by n)
    """,
    "decimal(35,15)": "if(flag, d1515, d20)",
    "decimal(4,2)": "case when flag then 1.5 else 22.25 end",
    "decimal(22,2)": "case when flag then d20 else price end",
    "decimal(11,1)": "coalesce(n, 1.5); greatest(n, 1.5); coalesce(1.5,n)",
    "decimal(7,2)": """
        nullif(d72, 0.0); cast(1 as decimal(7,2)); cast(null as decimal(7,2)); case when flag then d72 else 1.5 end
        case when flag then d72 else 1.50 end; price % d72; lag(d72,1,price) over (order by n)
        lag(d72) over (order by n)
    """,
    "decimal(5,3)": "cast('1.5' as decimal(5,3))",
    "decimal(3,2)": "coalesce(1.5, 2.25); price % 7; 7 % price",
    "decimal(17,10)": "d72 / nullif(d72, 0)",
    "decimal(15,3)": "cast(n as decimal(12,2)) * 1.1",
    "decimal(15,10)": "d38 % d72",
    "decimal(15,15)": "d1515 % price",
    "decimal(20,2)": "sum(price) over (partition by s)",
    "array<int>": "collect_list(n) over ()",
    "decimal(28,6)": "sum(price) over () * 100 / 2",
}
"""On which both engines agree, by their type."""

BY_ENGINE = {
    ("decimal(2,1)", "decimal(3,2)"): """
        1.50; -1.50; case when flag then 1.50 else 2.5 end; lag(1.50) over (order by n)
    """,
    ("decimal(1,1)", "decimal(2,2)"): "0.10",
    ("bigint", "int"): "-2147483648",
    ("string", "double"): "+s",
    ("decimal(3,1)", "decimal(4,2)"): "10.50BD",
    ("float", "double"): """
        price + real32; if(flag, real32, price); if(flag,real32,1.5); case when flag then real32 else price end
        coalesce(real32, price); price % real32
    """,
    ("decimal(22,2)", "decimal(23,2)"): "price + big",
    ("decimal(30,2)", "decimal(31,2)"): "price * big",
    ("decimal(12,2)", "decimal(14,2)"): "price*7Y",
    ("decimal(12,3)", "decimal(13,4)"): "price * 0.10; price*-0.50",
    ("timestamp", "date"): """
        day + INTERVAL '1' DAY; day - INTERVAL '1' DAY; INTERVAL '1' DAY + day; day + INTERVAL 1 DAY
        cast(s as date) + INTERVAL 30 DAY
    """,
    ("decimal(21,1)", "decimal(22,1)"): "big*0.5",
    ("decimal(14,2)", "decimal(15,3)"): "price*100.0; 100.0*price",
    ("decimal(12,2)", "decimal(13,4)"): "price*0.00",
    ("decimal(11,0)", "decimal(12,1)"): "n+100.0",
    ("decimal(12,0)", "decimal(13,1)"): "n*1.0",
    ("decimal(12,0)", "decimal(14,2)"): "n*1.00",
    ("decimal(21,0)", "decimal(23,1)"): "big*2.0",
    ("varchar(10)", "string"): "code || mark",
    ("varchar(14)", "string"): "code || code",
    ("char(6)", "string"): "mark || mark",
    ("varchar(5)", "string"): "cast(s as varchar(5)); cast('a' as varchar(5))",
    ("char(5)", "string"): "cast(s as char(5)); cast('a' as char(5))",
    ("varchar(7)", "string"): """
        if(flag, code, code); case when flag then code end; coalesce(code, code); nvl(code,code); nullif(code, '')
        nullif(code, code9); least(code, code); lag(code) over (order by n); lag(code, 1, 'x') over (order by n)
        last_value(code) over (order by n); max(code) over ()
    """,
    ("decimal(21,2)", "decimal(22,2)"): """
        if(flag, big, price); case when flag then big else price end; coalesce(big,price)
    """,
    ("char(3)", "string"): """
        case when flag then mark end; nvl(mark, mark); nullif(mark,'x'); greatest(mark,mark)
        lag(mark,1) over (order by n); min(mark) over (); lead(mark,1,'x') over (order by n)
    """,
    ("decimal(10,2)", "decimal(3,2)"): "pmod(price, 7); pmod(7,price); pmod(price,7.0); pmod(price,1.5)",
    ("varchar(13)", "string"): "mark || code || mark",
    ("decimal(13,1)", "decimal(14,2)"): "n*1.10",
    ("decimal(38,10)", "decimal(15,10)"): "pmod(d38,d72)",
    ("decimal(38,10)", "decimal(18,10)"): "pmod(price,d38)",
    ("decimal(22,2)", "decimal(10,2)"): "pmod(d20,price)",
    ("decimal(10,2)", "decimal(7,2)"): "pmod(price,d72); pmod(d72,price)",
    ("decimal(12,2)", "decimal(10,2)"): "pmod(n,price); pmod(price,n)",
    ("decimal(21,2)", "decimal(10,2)"): "pmod(price,big)",
    ("decimal(23,15)", "decimal(15,15)"): "pmod(d1515,price)",
    ("decimal(29,10)", "decimal(30,10)"): "big % d38; d38 % big",
    ("decimal(38,10)", "decimal(30,10)"): "pmod(big,d38)",
}
"""On which Hive and Spark differ, by what each gives."""

BY_MODE = {
    ("float", "float", "double"): """
        n + real32; big+real32; real32 % 2; if(flag, real32, n); if(flag, real32, big)
        case when flag then real32 else n end; coalesce(real32, n); nvl(real32, n); greatest(real32, n)
        cast(1 as float) + n; if(flag,cast(1 as float),n)
    """,
    ("double", "double", "bigint"): "s+1; s-n; s % 2; pmod(s,2); code + 1; mark + 1; s*2; n*'2'",
    ("string", "string", "bigint"): """
        if(flag, n, s); if(flag, s, n); if(flag, n, 'x'); if(flag,1,'x'); case when flag then s else n end
        case when flag then n else s end; coalesce(n, s); coalesce(s, n); coalesce(n, 'x'); nvl(s, n); nvl(n, s)
    """,
    ("string", "string", "date"): """
        if(flag, day, s); if(flag, s, day); case when flag then day else s end; coalesce(day, s); nvl(day, s)
        nvl(s, day)
    """,
    ("string", "string", "timestamp"): "if(flag, at, s)",
    ("string", "string", "double"): "if(flag, price, '0'); if(flag,real64,s)",
}
"""Whose type in Spark depends on the mode, by what Hive gives, Spark without ANSI mode, and with it."""

BY_RELEASE = {
    ("int", "decimal(2,0)", "decimal(2,0)"): "10BD; -10BD",
    ("int", "decimal(1,0)", "decimal(1,0)"): "1.",
    ("int", "decimal(1,0)", "decimal(2,2)"): "0.00",
    ("int", "decimal(3,0)", "decimal(4,1)"): "100.0",
    ("double", "int", "int"): "n + NULL; n%NULL",
    ("double", "void", "double"): "NULL + NULL",
    ("decimal(13,2)", "decimal(5,2)", "decimal(5,2)"): "2*3.14",
    ("decimal(12,2)", "decimal(21,2)", "decimal(21,2)"): "price*(1+1); price*(2*3)",
    ("decimal(13,3)", "decimal(16,5)", "decimal(16,5)"): "price*cast('1.5' as decimal(5,3))",
    ("int", "tinyint", "tinyint"): """
        tiny+1Y; case when flag then tiny else 1Y end; coalesce(tiny, 1Y); nvl(tiny, 1Y); pmod(tiny,7Y)
    """,
    ("int", "smallint", "smallint"): "small*7S",
    ("decimal(16,6)", "decimal(8,6)", "decimal(9,6)"): "10/4.0",
    ("binary", "string", "binary"): "bytes || bytes",
    ("decimal(11,1)", "decimal(2,1)", "decimal(11,1)"): """
        if(flag, 1, 1.5); case when flag then 1 else 0.5 end; case when flag then 1.5 else 2 end
    """,
    ("decimal(12,2)", "decimal(10,2)", "decimal(12,2)"): """
        if(flag, price, 0); if(flag, 0, price); case when flag then price else 0 end
        case when flag then 0 else price end; case when flag then price else 1 end; coalesce(price, 0)
    """,
    ("decimal(12,2)", "decimal(10,2)", "decimal(10,2)"): """
        if(flag, price, 0.0); coalesce(price, 0.0); nvl(price, 0.0); least(price, 0.0); if(flag, 0.00, price)
        greatest(price, 0.0)
    """,
    ("string", "varchar(9)", "string"): """
        if(flag, code, code9); case when flag then code else code9 end; coalesce(code, code9); nvl(code, code9)
    """,
    ("string", "char(5)", "string"): """
        if(flag, mark, mark5); case when flag then mark else mark5 end; coalesce(mark, mark5)
    """,
    ("decimal(9,2)", "decimal(7,2)", "decimal(9,2)"): "case when flag then d72 else cast(0 as decimal(9,2)) end",
    ("decimal(9,4)", "decimal(7,2)", "decimal(9,4)"): """
        case when flag then d72 else cast(0 as decimal(9,4)) end; nvl(d72, cast(0 as decimal(9,4)))
    """,
    ("decimal(12,2)", "decimal(7,2)", "decimal(7,2)"): """
        coalesce(d72,0.00); case when flag then d72 else 0.00 end; case when flag then d72 else 100.0 end
    """,
    ("int", "decimal(10,0)", "decimal(11,1)"): """
        case when flag then n else 0.0 end; case when flag then 1.0 else n end
    """,
    ("int", "decimal(1,0)", "decimal(3,2)"): "case when flag then 0.00 else 1.0 end",
    ("decimal(12,2)", "decimal(18,4)", "decimal(18,4)"): "cast(1 as decimal(7,2)) * price",
    ("int", "bigint", "bigint"): """
        case when true then n else big end; case when false then n else big end; case when 1=2 then n else big end
        case 1 when 1 then n else big end; lag(1L) over (order by n); nullif(1L, n); n & 1L
        case when flag then 1L end; case when flag then 1L else 2L end
    """,
    ("int", "decimal(38,10)", "decimal(38,10)"): "case when flag then n when false then d38 end",
    ("bigint", "decimal(38,10)", "decimal(38,10)"): "case when flag then n when true then big else d38 end",
}
"""On which releases of Hive differ, by what Hive 2.3, Hive 4 and Spark give."""

NEW_IN_HIVE_4 = {
    "date": "day + 1; day - 1; day + n; day - 5",
    "float": "cast(s as real)",
    "decimal(5,1)": "cast(s as numeric(5,1)); cast(s as dec(5,1))",
    "array<int>": "cast(tags as array<int>)",
    "map<string,string>": "cast(m as map<string,string>)",
    "struct<x:bigint,y:string>": "cast(st as struct<x:bigint,y:string>)",
    "timestamp": """
        if(flag, day, at); case when flag then at else day end; coalesce(day, at); nvl(day, at)
    """,
    "decimal(10,0)": "cast(s as numeric)",
    "boolean": """
        flag is true; flag is not false; flag is unknown; n is distinct from 1; n is not distinct from 1; flag or null
    """,
}
"""Which Hive 2.3 refuses, by the type that Hive 4 and Spark give."""

ONLY_IN_SPARK = {
    "bigint": """
        price div 2; price div price; s div 2; price div 7; approx_count_distinct(n); count_if(flag); bit_xor(big)
    """,
    "array<string>": "tags || tags",
    "binary": "if(flag, bytes, s)",
    "boolean": """
        if(flag, flag, s); coalesce(flag, s); every(flag); some(flag); any(flag); bool_and(flag); bool_or(flag)
    """,
    "int": """
        ifnull(n, 1); nth_value(n, 2) over (order by n); first(n) over (order by n); any_value(n) over ()
        mode(n); first(n); last(n); first_value(n); last_value(n); any_value(n)
        max_by(n, s); bit_and(n)
    """,
    "date": "day + INTERVAL 1 WEEK",
    "string": """
        last(mark) over (order by n); first(code); first_value(code); any_value(mark); min_by(code, n); listagg(s)
        string_agg(s, ','); listagg(code)
    """,
    "double": "skewness(n); kurtosis(n); median(n); median(price)",
    "array<int>": "array_agg(n)",
    "tinyint": "bit_or(tiny)",
}
"""Which Hive does not have, by what Spark gives."""


def of_hive_2(texts: Any) -> dict[str, str]:
    """The types that Hive 2.3 gives the expressions of this module, or of typed_aggregates."""
    return _types(texts, engine=0, mode=0, release=None)


def released_in_hive_2(texts: Any) -> dict[str, str]:
    """Those that it gives where releases differ, in a query that its optimizer can read."""
    return _at(0, texts.BY_RELEASE)


def of_hive_4(texts: Any) -> dict[str, str]:
    """The types that Hive 4 gives."""
    return {**_types(texts, engine=0, mode=0, release=1), **_by_expression(texts.NEW_IN_HIVE_4)}


def of_spark(texts: Any, dialect: str) -> dict[str, str]:
    """The types that Spark gives, which reads texts of its own dialect in ANSI mode."""
    mode = 2 if dialect == "spark" else 1
    return {**_types(texts, engine=1, mode=mode, release=2), **_by_expression(texts.NEW_IN_HIVE_4)}


def _types(texts: Any, *, engine: int, mode: int, release: int | None) -> dict[str, str]:
    by_release = {} if release is None else _at(release, texts.BY_RELEASE)
    by_mode = _at(mode, getattr(texts, "BY_MODE", {}))
    return {**_by_expression(texts.CERTAIN), **_at(engine, texts.BY_ENGINE), **by_mode, **by_release}


def _at(place: int, table: Mapping[tuple[str, ...], str]) -> dict[str, str]:
    return {expression: types[place] for types, text in table.items() for expression in listed(text)}


def _by_expression(table: Mapping[str, str]) -> dict[str, str]:
    return {expression: type_ for type_, text in table.items() for expression in listed(text)}
