"""Functions that Hive and Spark answer differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_views.translation.in_place.kinds_of_nodes.casts_alike import DECIMAL_AS_TEXT, NUMBER_AS_TIME, TEXT_AS_DATE
from hive_views.translation.in_place.kinds_of_nodes.conditions_alike import NULL_COLLECTION
from hive_views.translation.time_zones import SESSION_ZONE
from hive_views.translation.translation_findings import Kind, Reason

HASH = Reason(
    "hash", Kind.UNSUPPORTED, "engines compute other hashes", (("Hive", "hash('a') = 97"), ("Spark", "1485273170"))
)
OUTSIDE = Reason(
    "outside-of-domain",
    Kind.DIFFERENT,
    "of a number outside of -1 to 1",
    (("Hive 2", "NaN"), ("Hive 4", "NULL"), ("Spark", "NaN")),
)
NOT_ASCII = Reason(
    "not-ascii",
    Kind.EDGE,
    "of a text that begins with a character outside of ASCII",
    (("Hive", "the first byte"), ("Spark", "the number of the character")),
)
WORDS = Reason(
    "words",
    Kind.EDGE,
    "a letter behind a tab or the end of a line",
    (("Hive", "is made a capital"), ("Spark", "is not: words end at blanks")),
)
IN_PLACE = Reason(
    "sorts-in-place",
    Kind.EDGE,
    "of an array that another expression of the query reads too",
    (("Hive", "sorts it for that one too"), ("Spark", "does not")),
)
SIGN_OF_NAN = Reason("sign-of-nan", Kind.EDGE, "of NaN and -0.0, the sign is another number")
SOUNDEX = Reason(
    "soundex", Kind.UNSUPPORTED, "a text that does not begin with a letter has another code in each engine"
)
LARGE_NUMBERS = Reason(
    "large-numbers",
    Kind.EDGE,
    "of a bigint beyond 2^53",
    (("Hive", "makes a double of it, without its last digits"), ("Spark", "keeps it")),
)

ALWAYS: Mapping[str, Reason] = {"hash": HASH, "soundex": SOUNDEX}

TOLD: Mapping[str, Reason] = dict.fromkeys(("from_unixtime", "unix_timestamp", "to_unix_timestamp"), SESSION_ZONE)
"""What is told of calls that are accepted otherwise."""

FOR_TYPES: Mapping[str, Sequence[tuple[str, Reason]]] = {
    **dict.fromkeys(("acos", "asin"), (("wlf", OUTSIDE),)),
    **dict.fromkeys(("isnull", "isnotnull"), (("amr", NULL_COLLECTION),)),
    "sort_array": (("a", IN_PLACE),),
    "sign": (("f", SIGN_OF_NAN),),
    "ascii": (("s", NOT_ASCII),),
    "initcap": (("s", WORDS),),
    **dict.fromkeys(("ceil", "ceiling", "floor"), (("l", LARGE_NUMBERS),)),
    **dict.fromkeys(
        (
            *("year", "month", "day", "dayofmonth", "dayofweek", "weekofyear", "quarter", "hour", "minute", "second"),
            *("to_date", "date", "unix_timestamp", "to_unix_timestamp"),
        ),
        (("s", TEXT_AS_DATE),),
    ),
    **dict.fromkeys(("lower", "lcase", "upper", "ucase", "reverse"), (("n", DECIMAL_AS_TEXT),)),
    "concat": (("swlfdtn0 swlfdtn0+", DECIMAL_AS_TEXT),),
    **dict.fromkeys(("datediff", "months_between"), (("dt@s dt@s", TEXT_AS_DATE),)),
    **dict.fromkeys(("date_add", "date_sub"), (("s w#", TEXT_AS_DATE),)),
    **dict.fromkeys(("from_utc_timestamp", "to_utc_timestamp"), (("wlfn s", NUMBER_AS_TIME),)),
}
