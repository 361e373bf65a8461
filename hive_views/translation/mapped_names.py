"""The names of functions of users (UDFs) in the dialect that is wanted."""

from __future__ import annotations

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Reason
from hive_views.translation.user_functions import UDF, UserFunction

_OF_AGGREGATES = (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def mapped_name(call: Call, function: UserFunction, dialect: str) -> str | Reason:
    """The name by which a dialect knows a function that is called, or why the call cannot be made there."""
    if call.is_distinct or isinstance(call.node.parent, _OF_AGGREGATES):
        return UDF.because("it is called as only aggregates are, and udfs has functions of values")
    expected, given = len(function.arguments), len(call.arguments)
    if expected != given:
        return UDF.because(f"its entry {function.entry!r} has {expected} argument(s), and the call {given}")
    names = function.names.get(dialect)
    return names[0] if names else UDF.because(f'add {dialect} = "..." to its entry {function.entry!r}')
