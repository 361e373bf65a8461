"""A whole query in Trino: WITH, set operations, brackets; LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.branches import common_type
from hive_views.hive.row import Column
from hive_views.translation.to_trino import expressions
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries, refuse_others
from hive_views.translation.to_trino.queries.equal_rows import report_zeros
from hive_views.translation.to_trino.queries.names_of_outputs import all_names
from hive_views.translation.to_trino.queries.selects import of_select
from hive_views.translation.to_trino.queries.sorting import limited, order_by
from hive_views.translation.to_trino.terms import Term, quoted
from hive_views.translation.translation_findings import Kind, Reason

OTHER_IN_HIVE = Reason(
    "name-in-with", Kind.UNSUPPORTED, "to Hive, a name in WITH means another definition than to Trino: rename one"
)

BY_MODE = Reason(
    "types-of-branches",
    Kind.UNSUPPORTED,
    "the type that Spark makes of those of the branches depends on ANSI mode, or has a length that the values do not"
    " keep: write casts",
)

_OPERATIONS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}
_AROUND = ("order", "limit", "offset", "with_")


def of_query(query: Any, compiling: CompilingQueries, columns: Sequence[Column] | None) -> str:
    """A query in Trino, without brackets around it.

    Args:
        query: its node.
        compiling: the translation.
        columns: names and types that its outputs get; by default their own.

    Raises:
        RefusedError: it cannot be translated; all findings in it are recorded.
    """
    if columns is not None and _is_other(query, columns, compiling):
        return _around(query, columns, compiling)
    if query is compiling.query.tree and compiling.source == "hive" and compiling.query.text.outline.other_in_hive:
        raise compiling.refused(query, OTHER_IN_HIVE)
    definitions = _with(query, compiling)
    if isinstance(query, exp.Select):
        body = of_select(query, compiling, columns)
    elif isinstance(query, exp.SetOperation):
        body = _set_operation(query, compiling, columns)
    elif isinstance(query, exp.Subquery):
        refuse_others(query, ("this", *_AROUND), compiling)
        inner = of_query(query.this, compiling, columns)
        has_more = any(query.args.get(part) for part in _AROUND)
        body = f"({inner})" + _sorted_and_limited(query, compiling) if has_more else inner
    else:
        raise compiling.refused(query, reasons.PART_OF_QUERY)
    return definitions + body


def _is_other(query: Any, columns: Sequence[Column], compiling: CompilingQueries) -> bool:
    """Whether a query sorts, or drops equal rows, by columns that are not those that its outputs get."""
    is_set = isinstance(query, exp.SetOperation)
    is_sorted = query.args.get("order") is not None
    if not is_set and not is_sorted and not query.args.get("distinct"):
        return False
    own = _types_of(query, compiling, None)
    same_types = [one.type for one in own] == [one.type for one in columns]
    same_names = [one.name.lower() for one in own] == [one.name.lower() for one in columns]
    return not same_types or (is_sorted and not same_names)


def _around(query: Any, columns: Sequence[Column], compiling: CompilingQueries) -> str:
    """A query in FROM of another one, which gives its columns other names and types."""
    own = _types_of(query, compiling, None)
    if len(own) != len(columns):
        raise compiling.refused(query, reasons.STAR)
    return _converted(of_query(query, compiling, None), own, columns, query, compiling)


def _converted(
    text: str, own: Sequence[Column], columns: Sequence[Column], query: Any, compiling: CompilingQueries
) -> str:
    outputs = []
    for number, (one, wanted) in enumerate(zip(own, columns, strict=True)):
        term = expressions.converted_term(Term(f'"q"."c{number}"', one.type), wanted.type, query, compiling)
        outputs.append(f"{term.sql} AS {quoted(wanted.name)}")
    names = ", ".join(f'"c{number}"' for number in range(len(own)))
    lines = ",\n  ".join(outputs)
    return f'SELECT\n  {lines}\nFROM (\n{text}\n) AS "q" ({names})'


def _with(query: Any, compiling: CompilingQueries) -> str:
    clause = query.args.get("with_")
    if clause is None:
        return ""
    refuse_others(clause, ("expressions",), compiling)
    found = []
    for one in clause.expressions:
        refuse_others(one, ("this", "alias"), compiling)
        with compiling.going_on():
            names = ", ".join(quoted(name.name) for name in one.args["alias"].args.get("columns") or ())
            inner = of_query(one.this, compiling, None)
            found.append(f"{quoted(one.alias)}{f' ({names})' if names else ''} AS (\n{inner}\n)")
    return "WITH " + ",\n".join(found) + "\n"


def _set_operation(query: exp.SetOperation, compiling: CompilingQueries, columns: Sequence[Column] | None) -> str:
    # A chain of a thousand branches is a thousand levels deep.
    chain: list[Any] = [query]
    while isinstance(chain[-1].this, exp.SetOperation) and not any(chain[-1].this.args.get(one) for one in _AROUND):
        chain.append(chain[-1].this)
    parts: list[str] = []
    before = _types_of(chain[-1], compiling, columns if chain[-1] is query else None)
    with compiling.going_on():
        parts.append(_branch(chain[-1].this, compiling, before))
    for operation in reversed(chain):
        refuse_others(operation, ("this", "expression", "distinct", *_AROUND), compiling)
        word = _OPERATIONS.get(type(operation))
        if word is None:
            raise compiling.refused(operation, reasons.PART_OF_QUERY)
        wanted = _types_of(operation, compiling, columns if operation is query else None)
        if operation.args.get("distinct") or word != "UNION":
            report_zeros([one.type for one in wanted], operation, compiling)
        with compiling.going_on():
            if parts and [one.type for one in before] != [one.type for one in wanted]:
                parts = [_converted("\n".join(parts), before, wanted, operation, compiling)]
            # INTERSECT binds closer, in all dialects: what is on the left is in brackets, unless it is the same.
            if parts and operation is not chain[-1] and type(operation) is not type(operation.this):
                parts = ["(" + "\n".join(parts) + ")"]
            parts.append(word if operation.args.get("distinct") else f"{word} ALL")
            parts.append(_branch(operation.expression, compiling, wanted))
        before = wanted
    return "\n".join(parts) + _sorted_and_limited(query, compiling)


def _types_of(query: Any, compiling: CompilingQueries, columns: Sequence[Column] | None) -> Sequence[Column]:
    """The columns that both branches get: Trino finds types for them that are not those of the source."""
    if columns is not None:
        return columns
    found = []
    if isinstance(query, exp.SetOperation) and compiling.source == "spark":
        branches = (compiling.query.columns_of(one) for one in (query.this, query.expression))
        for one, other in zip(*branches, strict=False):
            found_type = common_type([one.derived, other.derived]).spark
            if found_type is None or (
                found_type.startswith(("char", "varchar")) and one.derived.spark != other.derived.spark
            ):
                raise compiling.refused(query, BY_MODE.because(f"{one.derived.spark} and {other.derived.spark}"))
    outputs = compiling.query.columns_of(query)
    names = all_names(query, [one.name for one in outputs], compiling)
    for name, one in zip(names, outputs, strict=True):
        type_ = one.derived.hive if compiling.source == "hive" else one.derived.spark
        if type_ is None or not one.is_one:
            raise compiling.refused(query, reasons.UNKNOWN_TYPE.because(one.derived.why or f"column {name}"))
        found.append(Column(name, type_))
    return found


def _branch(query: Any, compiling: CompilingQueries, columns: Sequence[Column]) -> str:
    text = of_query(query, compiling, columns)
    is_plain = isinstance(query, exp.Select) and not any(query.args.get(one) for one in _AROUND)
    return text if is_plain else f"({text})"


def _sorted_and_limited(query: Any, compiling: CompilingQueries) -> str:
    return order_by(query, compiling) + limited(query, compiling)
