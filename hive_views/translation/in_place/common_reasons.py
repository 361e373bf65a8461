"""Why a text is not known to answer the same in Hive and Spark, and what it answers differently."""

from __future__ import annotations

from hive_views.translation.translation_findings import Kind, Reason

NOT_KNOWN = Reason("not-known", Kind.UNSUPPORTED, "it is not known whether Hive and Spark answer the same")
NO_RULE_FOR_FUNCTION = NOT_KNOWN.because("there is no rule for the function")
NOT_OF_THESE_TYPES = Reason(
    "not-known", Kind.UNSUPPORTED, "it is not known whether Hive and Spark answer the same for values of these types"
)
OTHER_TYPE = Reason("other-type", Kind.UNSUPPORTED, "it has another type in the other engine")
TYPE_NOT_KNOWN = Reason("type-not-known", Kind.UNSUPPORTED, "its type is not known")
ONLY_IN = Reason("only-in-one-engine", Kind.UNSUPPORTED, "the other engine has nothing like it")

ANSI = Reason(
    "ansi",
    Kind.STRICTER,
    "where ANSI mode is on, Spark fails for values of which Hive makes NULL, or another value",
    (("Hive", "never fails"), ("Spark", "fails where spark.sql.ansi.enabled is on, which Spark 4 has by default")),
)
OUTPUT_NAME = Reason(
    "output-name",
    Kind.UNSUPPORTED,
    "the name of this column is not the same in Hive; add AS and a name to it",
)
PADDED = Reason(
    "padded-char",
    Kind.UNSUPPORTED,
    "Hive computes with a char without the blanks at its end, and Spark with them",
    (("Hive", "length(cast('a' as char(5))) = 1"), ("Spark", "5 for a column of type char(5)")),
)
