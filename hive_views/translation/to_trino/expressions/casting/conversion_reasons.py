"""What is told of conversions, or why they are refused."""

from __future__ import annotations

from hive_views.translation.translation_findings import Kind, Reason

OVERFLOW = Reason(
    "overflow",
    Kind.STRICTER,
    "it fails for a number that is too large for the type",
    (("Hive, Spark", "make another number of it"), ("Trino", "fails")),
)
BLANKS = Reason(
    "blanks-around-number",
    Kind.EDGE,
    "blanks around a whole number, and digits of other scripts, are read differently",
    (("Hive 2", "makes NULL of ' 7'"), ("Hive 4, Trino", "read it as 7"), ("Trino", "also reads other digits")),
)
NEGATIVE_ZERO = Reason(
    "negative-zero-text",
    Kind.UNSUPPORTED,
    "releases read the text differently as a number: write -0.0, or 0",
    (("Hive 2", "-0.0"), ("Hive 4", "0.0")),
)
WIDENED_FLOAT = Reason(
    "widened-float",
    Kind.EDGE,
    "where the float becomes a double, whole numbers beyond 2^24 differ in their last digits",
    (("Spark", "leaves the float out, and has all digits"), ("Trino", "those of the float")),
)
OTHER_DIGITS = Reason(
    "other-digits",
    Kind.EDGE,
    "digits of other scripts, such as Arabic ones, are read differently",
    (("Hive, Spark", "make NULL of them"), ("Trino", "reads them")),
)
NAMES_OF_NUMBERS = Reason(
    "names-of-numbers",
    Kind.EDGE,
    "texts such as 'inf' and 'nan' are read differently",
    (("Spark", "reads them in small and capital letters, and inf"), ("Trino", "reads Infinity and NaN only")),
)
LARGE_DECIMAL = Reason(
    "large-decimal",
    Kind.EDGE,
    "decimals of 27 and more digits before the point are read differently",
    (("Hive", "makes NULL of them"), ("Trino", "makes the nearest double")),
)
TINY_DOUBLE = Reason(
    "tiny-double",
    Kind.EDGE,
    "a double that is nearly 0 is read differently",
    (("Hive", "makes NULL of 4.9E-324"), ("Trino", "makes 0")),
)
DATE_TEXT = Reason(
    "date-text",
    Kind.STRICTER,
    "it fails for texts that start as a date or a time does, and are neither a day nor a day with a time to the second:"
    " releases of Hive differ on them; of other texts it makes NULL, as Hive does",
    (
        ("Hive 2", "makes 2020-03-01 of '2020-02-30', and NULL of '2020-01-31T10:11:12' and '10:11'"),
        ("Hive 4", "makes NULL, 2020-01-31, and the day of today"),
        ("Trino", "fails"),
    ),
)
LONG_YEAR = Reason(
    "long-year",
    Kind.EDGE,
    "years of more or fewer than four digits are read differently",
    (("Spark", "reads years of four to seven digits, and a sign"), ("Trino", "makes NULL")),
)
TIMESTAMP_TEXT = Reason(
    "timestamp-text",
    Kind.STRICTER,
    "it fails for texts that start as a date or a time does, and are no day with a time, or have a time zone, or more"
    " than six digits behind the second; of other texts it makes NULL, as Spark does",
    (
        ("Spark", "makes NULL of those that are no time, shifts those with a zone, and takes the day of today"),
        ("Trino", "fails"),
    ),
)
BOOLEAN_TEXT = Reason(
    "boolean-text",
    Kind.DIFFERENT,
    "releases of Hive differ on whether a text is true",
    (
        ("Hive 2", "every text but '' is true"),
        ("Hive 4, Trino", "'', 'false', 'no', 'off' and '0' are false, and every other text is true"),
    ),
)
DECIMAL_TEXT = Reason(
    "decimal-text",
    Kind.DIFFERENT,
    "a decimal is written differently",
    (("Hive 2", "writes 1.5"), ("Hive 4, Trino", "write 1.50, with all digits of the type")),
)
SMALL_DECIMAL_TEXT = Reason(
    "decimal-text",
    Kind.DIFFERENT,
    "a decimal with more than six digits behind the point is written differently",
    (("Spark", "writes 0E-10 and 1E-10"), ("Trino", "writes 0.0000000000 and 0.0000000001")),
)
IMPLICIT_BOOLEAN = Reason(
    "boolean-as-text",
    Kind.DIFFERENT,
    "releases of Hive write a boolean differently, unless it is cast",
    (("Hive 2", "writes true"), ("Hive 4, Trino", "write TRUE")),
)
INVALID_BYTES = Reason(
    "invalid-bytes",
    Kind.EDGE,
    "bytes that are no text in UTF-8 are replaced, which the source does only where they are shown",
)
ANSI_BRANCHES = Reason(
    "ansi-types",
    Kind.UNSUPPORTED,
    "the type of a text beside another value depends on whether Spark follows the rules of ANSI: cast one of them",
    (("Spark", "coalesce('a', 1) is a string"), ("Spark, ANSI", "it is a bigint")),
)
EPOCH = Reason(
    "epoch",
    Kind.UNSUPPORTED,
    "between numbers and times, the result depends on the time zone of the session",
    (
        ("Hive 2", "reads a number as milliseconds"),
        ("Hive 4", "refuses it"),
        ("Spark", "reads it as seconds"),
        ("Trino", "has no such cast"),
    ),
)
TIME_LITERAL = Reason(
    "time-literal",
    Kind.UNSUPPORTED,
    "it is not a day of the calendar, or a day and a time to the second, that all releases read alike",
)
NESTED_CAST = Reason(
    "nested-cast",
    Kind.UNSUPPORTED,
    "Hive has no cast to arrays, maps and structs",
    (("Hive 2", "does not read it"), ("Hive 4", "makes NULL of an array")),
)
NESTED_TEXT = Reason(
    "nested-text",
    Kind.UNSUPPORTED,
    "Trino writes no arrays, maps and structs as texts",
)
