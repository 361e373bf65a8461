"""Aggregates, with their types in each engine: as in typed_expressions.py, and over its columns."""

from __future__ import annotations

CERTAIN = {
    "smallint": "max(cast(1 as smallint))",
    "bigint": """
        sum(case when flag then 1 else 0 end); sum(1L); sum(1Y); count(*); count(n); count(distinct n)
        count(distinct n, s); sum(tiny); sum(small); sum(n); sum(big); sum(n + 1); sum(1); regr_count(n, n)
    """,
    "decimal(14,6)": "avg(case when flag then price else null end); avg(price)",
    "double": """
        sum(n) / count(*); stddev(n)/avg(n); sum(real32); sum(real64); sum(s); sum(code); sum(mark); avg(tiny)
        avg(small); avg(n); avg(big); avg(real32); avg(real64); avg(s); avg(code); avg(n+1); avg(1); avg(distinct n)
        avg(mark); stddev(n); stddev_pop(n); stddev_samp(n); std(n); variance(n); var_pop(n); var_samp(n)
        stddev(price); stddev_samp(price); variance(s); stddev_samp(d72); corr(n, big); covar_pop(n, n)
        covar_samp(price, price); corr(price, n); regr_slope(n, n); regr_avgx(n, n); regr_avgy(n,n); regr_r2(n, n)
        regr_intercept(n,n); regr_sxx(n,n); regr_sxy(n,n); regr_syy(n,n); percentile(n, 0.5)
        percentile_approx(real64, 0.5)
    """,
    "decimal(38,20)": "sum(price) / count(*)",
    "decimal(38,18)": "sum(price)/sum(d72); sum(d3818)",
    "decimal(18,6)": "avg(price) * 100",
    "decimal(32,18)": "avg(price)/avg(d72)",
    "decimal(20,2)": "sum(price); sum(distinct price)",
    "decimal(17,2)": "sum(d72)",
    "decimal(30,0)": "sum(d20)",
    "decimal(38,10)": "sum(d38)",
    "decimal(25,15)": "sum(d1515)",
    "decimal(12,1)": "sum(1.5)",
    "decimal(31,2)": "sum(price*n)",
    "decimal(32,4)": "sum(price*(1-price))",
    "decimal(24,6)": "sum(price)/2",
    "decimal(23,3)": "sum(price)*1.5",
    "decimal(11,6)": "avg(d72)",
    "decimal(24,4)": "avg(d20)",
    "decimal(19,19)": "avg(d1515)",
    "decimal(6,5)": "avg(1.5)",
    "decimal(25,8)": "avg(price*price)",
    "int": "min(n); max(1)",
    "string": "min(s)",
    "decimal(10,2)": "min(price)",
    "date": "min(day)",
    "timestamp": "min(at)",
    "boolean": "min(flag)",
    "binary": "min(bytes)",
    "float": "max(real32)",
    "tinyint": "max(tiny)",
    "decimal(2,1)": "max(1.5)",
    "array<string>": "max(tags); collect_set(s)",
    "struct<a:int,b:string>": "max(st)",
    "array<int>": "collect_list(n); collect_list(distinct n)",
    "array<decimal(10,2)>": "collect_list(price)",
    "array<date>": "collect_set(day)",
    "array<array<string>>": "collect_list(tags)",
    "array<struct<a:int,b:string>>": "collect_list(st)",
    "array<double>": "percentile(n, array(0.5, 0.9))",
    "array<struct<x:double,y:double>>": "histogram_numeric(real64, 3)",
}
"""Aggregates on which both engines agree, by their type."""

BY_ENGINE = {
    ("decimal(21,6)", "decimal(22,6)"): "sum(d72)/7.0",
    ("decimal(21,0)", "decimal(23,1)"): "sum(n)*1.0",
    ("decimal(22,1)", "decimal(23,1)"): "count(*) * 1.5",
    ("decimal(11,1)", "decimal(12,2)"): "sum(0.10)",
    ("decimal(22,2)", "decimal(23,2)"): "sum(price)+sum(n)",
    ("decimal(38,10)", "decimal(38,14)"): "avg(d38)",
    ("decimal(38,18)", "decimal(38,22)"): "avg(d3818)",
    ("decimal(5,5)", "decimal(6,6)"): "avg(0.10)",
    ("varchar(7)", "string"): "min(code)",
    ("char(3)", "string"): "min(mark)",
    ("decimal(1,1)", "decimal(2,2)"): "max(0.10)",
    ("array<varchar(7)>", "array<string>"): "collect_list(code)",
    ("array<char(3)>", "array<string>"): "collect_set(mark)",
    ("array<decimal(2,1)>", "array<decimal(3,2)>"): "collect_list(1.50)",
    ("array<struct<col1:int,col2:string>>", "array<struct<n:int,s:string>>"): "collect_list(struct(n,s))",
    ("double", "int"): "percentile_approx(n, 0.5); percentile_approx(n, 0.5, 100)",
    ("double", "decimal(10,2)"): "percentile_approx(price, 0.5)",
    ("array<double>", "array<int>"): "percentile_approx(n, array(0.5))",
    ("double", "bigint"): "percentile_approx(big,0.5)",
    ("array<struct<x:double,y:double>>", "array<struct<x:int,y:double>>"): "histogram_numeric(n, 3)",
    ("array<struct<x:double,y:double>>", "array<struct<x:decimal(10,2),y:double>>"): "histogram_numeric(price, 3)",
}
"""Aggregates on which Hive and Spark differ, by what each gives."""

BY_RELEASE = {
    ("decimal(11,0)", "decimal(17,2)", "decimal(17,2)"): "sum(cast(1 as decimal(7,2)))",
    ("decimal(22,2)", "decimal(20,2)", "decimal(22,2)"): "sum(case when flag then price else 0 end)",
    ("decimal(22,2)", "decimal(20,2)", "decimal(20,2)"): "sum(case when flag then price else 0.00 end)",
    ("bigint", "decimal(13,0)", "decimal(14,1)"): "sum(100.0)",
    ("double", "decimal(7,4)", "decimal(8,5)"): "avg(100.0)",
}
"""On which releases of Hive differ, by what Hive 2.3, Hive 4 and Spark give."""

NEW_IN_HIVE_4 = {
    "decimal(24,6)": "avg(sum(price)) over ()",
    "double": """
        percentile_cont(0.5) within group (order by n); percentile_disc(0.5) within group (order by price)
    """,
}
"""Which Hive 2.3 refuses, by the type that Hive 4 and Spark give."""
