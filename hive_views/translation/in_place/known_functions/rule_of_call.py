"""The rule for one call, found by its name and the types of its arguments."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.casts_alike import is_date
from hive_views.translation.in_place.known_functions import by_argument as ruled
from hive_views.translation.in_place.known_functions import edited_calls as edited
from hive_views.translation.in_place.known_functions import other_answers as different
from hive_views.translation.in_place.known_functions import same_answers as same
from hive_views.translation.in_place.known_functions.signatures import letter, matches
from hive_views.translation.in_place.patching_rules import Patching
from hive_views.translation.reading_nodes import Call
from hive_views.translation.user_functions import unknown_function


def _written(argument: Any) -> str:
    if ruled.number(argument) is not None:
        return "#"
    text = ruled.text(argument)
    return "@" if text is not None and is_date(text) else ""


def apply(call: Call, patching: Patching) -> None:
    """Accept a call, edit it, or refuse it."""
    name = call.name
    if call.is_distinct and name not in same.DISTINCT:
        raise patching.refused(call.node, reasons.NOT_KNOWN.because("DISTINCT"))
    if name in different.ALWAYS:
        raise patching.refused(call.node, different.ALWAYS[name])
    if name in different.TOLD:
        patching.report(call.node, different.TOLD[name])
    letters = ["w" if isinstance(one, exp.Star) else letter(patching.kind(one)) for one in call.arguments]
    written = [_written(one) for one in call.arguments]
    for signatures, edit in (*edited.RULES.get(name, ()), *edited.OF_SOURCE[patching.source].get(name, ())):
        if matches(signatures, letters, written):
            edit(call, patching)
            return
    if matches(same.SAME.get(name, "-"), letters, written):
        return
    if matches(same.SAME_BUT_ANSI.get(name, "-"), letters, written):
        if patching.target == "spark":
            patching.report(call.node, reasons.ANSI)
        return
    for signatures, reason in different.FOR_TYPES.get(name, ()):
        if matches(signatures, letters, written):
            patching.report(call.node, reason)
            return
    tables = (same.SAME, same.SAME_BUT_ANSI, edited.RULES, edited.OF_SOURCE[patching.source], different.FOR_TYPES)
    if not any(name in table for table in tables):
        unknown = unknown_function(name, patching.source)
        raise patching.refused(call.node, unknown or reasons.NO_RULE_FOR_FUNCTION.because(name))
    if any(patching.kind(one) == "char" for one in call.arguments):
        raise patching.refused(call.node, reasons.PADDED)
    raise patching.refused(call.node, reasons.NOT_OF_THESE_TYPES)
