"""Functions of users (UDFs), which the setting ``udfs`` maps to functions of Trino."""

from __future__ import annotations

import re

from hive_views.translation.mapped_names import mapped_name
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.terms import Compiling, Term, called, quoted
from hive_views.translation.translation_findings import Reason
from hive_views.translation.user_functions import UserFunction

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def called_function(call: Call, function: UserFunction, compiling: Compiling) -> Term:
    """A call of a function of a user, its arguments converted to the types that it takes.

    Raises:
        RefusedError: it has no name in Trino, takes other arguments, or is called as only aggregates are.
    """
    name = mapped_name(call, function, "trino")
    if isinstance(name, Reason):
        raise compiling.refused(call.node, name)
    pairs = zip(call.arguments, function.arguments, strict=True)
    given = [compiling.converted(argument, type_) for argument, type_ in pairs]
    written = ".".join(part if _PLAIN.fullmatch(part) else quoted(part) for part in name.split("."))
    return called(written, compiling.type_of(call.node), *given)
