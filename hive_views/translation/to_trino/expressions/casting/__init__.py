"""CAST, and the conversions that Hive and Spark do by themselves, which Trino does not do.

written_casts.py        CAST, ``::``, try_cast and types as functions, as rules for nodes and calls
converting.py           the entry: a value converted to a type, by the rule for both types
how_converted.py        what those rules are given
conversion_reasons.py   what is told of conversions, or why they are refused
to_numbers.py           conversions to numbers
to_texts.py             to strings, varchar, char and binary
to_times.py             to dates and timestamps
to_booleans.py          to booleans
to_nested.py            arrays, maps and structs, part by part

An implicit conversion is the same as a cast, in Hive and in Spark, but for booleans as texts in Hive; ``try_cast`` of
Spark is not.

Timestamps. Hive's have nanoseconds, Spark's microseconds, and the columns that Trino reads from a metastore have the
precision of its catalog, which is milliseconds unless it is configured; the columns of a view are ``timestamp(6)`` in
the rows that are written for Trino. So a text becomes a ``timestamp(6)``, a timestamp that is written as a constant has
three digits, or six where it has more, and a date becomes a ``timestamp(3)``, as no digit is lost: Trino compares and
unites timestamps of different precision. No timestamp of a translation has fewer than three digits, on which the
conversion of timestamps to texts relies. All of them are without a time zone: the time that Hive and Spark show.
"""

from hive_views.translation.to_trino.expressions.casting.converting import converted as converted
from hive_views.translation.to_trino.expressions.casting.converting import converted_term as converted_term
from hive_views.translation.to_trino.expressions.casting.written_casts import CALLS as CALLS
from hive_views.translation.to_trino.expressions.casting.written_casts import NODES as NODES
