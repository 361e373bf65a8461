"""The functions that a query calls, and those among them whose result does not follow from the data alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

_NONDETERMINISTIC = """
    rand random randn randstr uniform uuid shuffle surrogate_key aes_encrypt
    monotonically_increasing_id spark_partition_id input_file_name input_file_block_start input_file_block_length
    current_date curdate current_timestamp current_time now localtime localtimestamp current_timezone
    current_user session_user user logged_in_user current_groups current_authorizer
    current_database current_schema current_catalog version
    reflect reflect2 java_method try_reflect
"""
NONDETERMINISTIC = frozenset(_NONDETERMINISTIC.split())
"""Chance, the clock, the session, how rows are spread; and Java methods, of which nothing is known."""

_ORDER_DEPENDENT = """
    array_agg collect_list collect_set first first_value last last_value any_value listagg string_agg
"""
ORDER_DEPENDENT = frozenset(_ORDER_DEPENDENT.split())
"""Aggregates whose result depends on the order in which rows come, which is not defined."""

_WITHOUT_PLACE: dict[type[exp.Expr], str] = {
    exp.ApproxQuantile: "percentile_approx",
    exp.ArgMax: "max_by",
    exp.ArgMin: "min_by",
    exp.Ceil: "ceil",
    exp.Chr: "chr",
    exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp",
    exp.CurrentUser: "current_user",
    exp.Decode: "decode",
    exp.DecodeCase: "decode",
    exp.Extract: "extract",
    exp.Floor: "floor",
    exp.GroupConcat: "listagg",
    exp.If: "if",
    exp.Initcap: "initcap",
    exp.Overlay: "overlay",
    exp.Quantile: "percentile",
    exp.StrPosition: "position",
    exp.Substring: "substring",
    exp.Transform: "transform",
    exp.Trim: "trim",
}
"""Nodes for which the tree does not say where they are in the text."""


_CALLS = (exp.Func, exp.Binary, exp.Bracket, exp.Paren, exp.AtTimeZone, exp.FromTimeZone)
"""What calls become: functions, or operators that have the place of the function's name."""


@dataclass(frozen=True)
class FunctionCalls:
    """The names of functions, in lower case as written, each once, sorted.

    Attributes:
        all: all that are called; those of a database as ``database.name``.
        nondeterministic: those that may return something else for the same data.
        order_dependent: those whose result depends on the order of rows.
    """

    all: tuple[str, ...]
    nondeterministic: tuple[str, ...]
    order_dependent: tuple[str, ...]


def functions_called(tree: exp.Expr, text: str) -> FunctionCalls:
    """The functions that are called anywhere in a tree; operators, CASE, CAST and EXISTS are none."""
    called, chance, order = set(), set(), set()
    for node, name in _calls(tree, text):
        called.add(name)
        if name in NONDETERMINISTIC or (name == "unix_timestamp" and _is_of_now(node)):
            chance.add(name)
        if name in ORDER_DEPENDENT and not isinstance(node.parent, exp.Window):
            order.add(name)
    return FunctionCalls(*(tuple(sorted(names)) for names in (called, chance, order)))


def _calls(tree: exp.Expr, text: str) -> Iterator[tuple[exp.Expr, str]]:
    # sqlglot reads hints apart, so that their places are not in the text.
    for node in tree.walk(prune=lambda node: isinstance(node, exp.Hint)):
        if not isinstance(node, _CALLS):
            continue
        start = node.meta.get("start")
        if start is not None:
            name = text[start : node.meta["end"] + 1].strip('`"').lower()
            yield node, f"{_database(node)}{name}"
        elif type(node) in _WITHOUT_PLACE and not _is_implied(node):
            yield node, _WITHOUT_PLACE[type(node)]


def _database(function: exp.Expr) -> str:
    """The names before that of the function, each with its dot."""
    parent = function.parent
    if isinstance(parent, exp.Dot) and parent.expression is function:
        return "".join(f"{one.name.lower()}." for one in parent.this.find_all(exp.Identifier, bfs=False))
    return ""


def _is_implied(node: exp.Expr) -> bool:
    """Whether sqlglot has added the node: a branch of CASE, the time of ``unix_timestamp()``."""
    return isinstance(node.parent, exp.Case if isinstance(node, exp.If) else exp.StrToUnix)


def _is_of_now(unix_timestamp: exp.Expr) -> bool:
    return isinstance(unix_timestamp.args.get("this"), (exp.CurrentTimestamp, type(None)))
