"""Reasons that are not of one family of constructs."""

from __future__ import annotations

from hive_views.translation.translation_findings import Kind, Reason

NOT_KNOWN = Reason("not-known", Kind.UNSUPPORTED, "it is not known how to say this in Trino")
NO_RULE_FOR_FUNCTION = Reason("function", Kind.UNSUPPORTED, "it is not known which function of Trino answers the same")
UNKNOWN_TYPE = Reason("unknown-type", Kind.UNSUPPORTED, "its type is not certain, and Trino converts nothing by itself")
CONVERSION = Reason("conversion", Kind.UNSUPPORTED, "it is not known how to convert it in Trino as the source does")
STAR = Reason("star", Kind.UNSUPPORTED, "the columns that it stands for are not known")
ORDINAL = Reason(
    "ordinal",
    Kind.UNSUPPORTED,
    "a number is the place of an output column for some releases of Hive, and a constant for others",
)
PART_OF_QUERY = Reason("clause", Kind.UNSUPPORTED, "it is not known how to say this part of a query in Trino")
NONDETERMINISTIC = Reason("nondeterministic", Kind.UNSUPPORTED, "its result does not follow from the data alone")
