"""Functions of users (UDFs), which the setting ``udfs`` maps to functions of the other engine."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.casts import in_spark
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.sql.hive_grammar.words import is_plain_name
from hive_views.sql.quoting import quote_identifier
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import WHOLE, Patching, rename
from hive_views.translation.mapped_names import mapped_name
from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Reason
from hive_views.translation.user_functions import UDF, UserFunction


def call_other(call: Call, function: UserFunction, patching: Patching) -> None:
    """Call a function of a user by its name in the other engine.

    Raises:
        RefusedError: it has none, takes other arguments, or is called as only aggregates are.
    """
    name = mapped_name(call, function, patching.target)
    if isinstance(name, Reason):
        raise patching.refused(call.node, name)
    for argument, type_ in zip(call.arguments, function.arguments, strict=True):
        _check(argument, type_, function, patching)
    start, end = patching.places.of_name(call.node)
    if str(patching.query.text)[start:end].lower() != name.lower():
        parts = name.split(".")
        rename(call.node, patching, ".".join(part if is_plain_name(part) else quote_identifier(part) for part in parts))


def _check(argument: Any, type_: str, function: UserFunction, patching: Patching) -> None:
    """Refuse an argument of another type, which each engine would convert by rules of its own."""
    if isinstance(argument.unnest(), exp.Null):
        return
    derived = patching.type_of(argument)
    found = derived.hive if patching.source == "hive" else derived.spark
    if found is None:
        raise patching.refused(argument, reasons.TYPE_NOT_KNOWN.because(derived.why or "there is no rule for it"))
    if found.startswith("char("):
        raise patching.refused(argument, reasons.PADDED)
    if in_spark(found) != in_spark(type_) and not _is_wider(parse_hive_type(type_), parse_hive_type(found)):
        because = f"its entry {function.entry!r} has {type_} here, and the call has {found}; write a CAST"
        raise patching.refused(argument, UDF.because(because))


def _is_wider(type_: HiveType, other: HiveType) -> bool:
    """Whether both engines convert each value of the other type to the same of this one."""
    if type_.name in WHOLE and other.name in WHOLE:
        return WHOLE.index(type_.name) > WHOLE.index(other.name)
    return (type_.name, other.name) == ("double", "float")
