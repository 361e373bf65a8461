"""Why a text of Trino is refused, or answers something else in Hive or Spark."""

from __future__ import annotations

from hive_views.translation.translation_findings import Kind, Reason

NOT_KNOWN = Reason("not-known", Kind.UNSUPPORTED, "it is not known how to say this in Hive and Spark")
NO_RULE_FOR_FUNCTION = Reason(
    "function", Kind.UNSUPPORTED, "it is not known which function of Hive and Spark answers the same"
)
TYPES = Reason("types", Kind.UNSUPPORTED, "it is not known to be the same for these types")
UNKNOWN_TYPE = Reason("unknown-type", Kind.UNSUPPORTED, "its type is not certain: give the columns of the table")
UNKNOWN_NAME = Reason("name", Kind.UNSUPPORTED, "it is not known which column this is")
ODD_NAME = Reason("odd-name", Kind.UNSUPPORTED, "a name with other characters than letters, digits and _ of ASCII")
CONVERSION = Reason("conversion", Kind.UNSUPPORTED, "it is not known to be converted as Trino does")
STAR = Reason("star", Kind.UNSUPPORTED, "the columns that it stands for are not known")
PART_OF_QUERY = Reason("clause", Kind.UNSUPPORTED, "it is not known how to say this part of a query in Hive and Spark")
CATALOG = Reason("catalog", Kind.UNSUPPORTED, "the table is in a catalog that is not the metastore")
NAME_IN_WITH = Reason("name-in-with", Kind.UNSUPPORTED, "a name in WITH is that of a table, too: rename it")
SORT_KEY = Reason("sort-key", Kind.UNSUPPORTED, "not every Hive sorts by what is no output: add it to the SELECT list")
NOT_HIVE = Reason("not-in-hive-grammar", Kind.UNSUPPORTED, "not every release of Hive from 2.3 on can read this")
DECIMAL_SIZES = Reason(
    "decimal-sizes", Kind.UNSUPPORTED, "engines make decimals of other sizes of these: write a CAST to a double"
)
DECIMAL_QUOTIENT = Reason(
    "decimal-quotient",
    Kind.UNSUPPORTED,
    "the quotient of decimals: write a CAST to a double",
    (
        ("Trino", "rounds it to the digits of its operands"),
        ("Hive, Spark", "keep at least six digits behind the point"),
    ),
)
LOST_CAST = Reason(
    "lost-cast",
    Kind.UNSUPPORTED,
    "releases of Hive leave out the CAST that gives this decimal its size: write a CAST to a double",
)
REAL = Reason(
    "real", Kind.UNSUPPORTED, "Trino computes with reals, Hive and Spark with doubles: write a CAST to a double"
)
CHAR = Reason(
    "char",
    Kind.UNSUPPORTED,
    "engines differ on the blanks at the end of a char: write a CAST to varchar, or compare it",
)
OVERFLOW = Reason(
    "overflow",
    Kind.EDGE,
    "where the result is too large for its type",
    (("Trino", "fails"), ("Hive", "NULL, or another number"), ("Spark", "NULL or another number; fails in ANSI mode")),
)
WHOLE_BY_ZERO = Reason(
    "division-by-zero",
    Kind.EDGE,
    "where the divisor is zero",
    (("Trino", "fails"), ("Hive", "NULL"), ("Spark", "NULL; fails in ANSI mode")),
)
DOUBLE_BY_ZERO = Reason(
    "double-by-zero",
    Kind.DIFFERENT,
    "where the divisor is zero: write nullif(x, 0)",
    (("Trino", "an infinity, or NaN"), ("Hive", "NULL"), ("Spark", "NULL; fails in ANSI mode")),
)
CAST_FAILS = Reason(
    "cast-fails",
    Kind.EDGE,
    "where the value is none of the type",
    (("Trino", "fails"), ("Hive", "NULL, or a part of it"), ("Spark", "NULL, or a part of it; fails in ANSI mode")),
)
SAME_VALUE = Reason(
    "case-of-itself",
    Kind.UNSUPPORTED,
    "CASE of a value WHEN that value, which may be NULL",
    (("Trino", "takes NULL for equal to itself"), ("Hive, Spark", "do not")),
)
OUT_OF_BOUNDS = Reason(
    "out-of-bounds",
    Kind.EDGE,
    "where there is no such element",
    (("Trino", "fails; write element_at for NULL"), ("Hive, Spark", "NULL")),
)
