"""Columns that USING merges: Trino would forget those that are merged, so that its joins are written with ON."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.sources import Source
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import Compiling, Term, called, operation, quoted


def merged_column(name: str, select: exp.Select, node: Any, compiling: Compiling) -> Term:
    """The value of a merged column behind all joins of a SELECT.

    Raises:
        RefusedError: it is not known what is merged.
    """
    return _merged(name, select, None, node, compiling)


def equal_sides(names: list[Any], join: Any, select: exp.Select, compiling: Compiling) -> Term:
    """The condition that a join with USING has.

    Raises:
        RefusedError: it is not known what is compared, or how.
    """
    parts: list[str | Term] = []
    for one in names:
        name = one.name.lower()
        left = _merged(name, select, join, join, compiling)
        right = _side(name, _right(join, select, compiling), join, compiling)
        if left.type != right.type or left.type in ("float", "double"):
            raise compiling.refused(join, reasons.CONVERSION.because(f"USING {left.type} and {right.type}"))
        equal = operation("boolean", left, "=", right)
        parts += ["AND", equal.sql] if parts else [equal.sql]
    return operation("boolean", *parts)


def _merged(name: str, select: exp.Select, until: Any, node: Any, compiling: Compiling) -> Term:
    """The value of a column behind the joins before one of them."""
    joins = list(select.args.get("joins") or ())
    value: Term | None = None
    for join in joins:
        if join is until:
            break
        if name not in [one.name.lower() for one in join.args.get("using") or ()]:
            continue
        right = _right(join, select, compiling)
        if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            continue
        if value is None:
            value = _first(name, joins[joins.index(join) :], select, node, compiling)
        other = _side(name, right, node, compiling)
        side = str(join.args.get("side") or "").upper()
        # Of a FULL JOIN, Hive keeps the left column, also in rows of the right side.
        if side == "FULL" and compiling.source == "spark":
            if value.type != other.type:
                raise compiling.refused(node, reasons.CONVERSION.because(f"USING {value.type} and {other.type}"))
            value = called("coalesce", value.type, value, other)
        elif side == "RIGHT":
            value = other
    if value is not None:
        return value
    if until is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return _first(name, joins[joins.index(until) :], select, node, compiling)


def _first(name: str, later: list[Any], select: exp.Select, node: Any, compiling: Compiling) -> Term:
    """The column of the one source before these joins that has it."""
    behind = {join.this.alias_or_name.lower() for join in later}
    sources = compiling.query.scope_of(select).sources
    found = [source for source in sources if name in source.by_name and source.name not in behind]
    if len(found) != 1:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return _side(name, found[0], node, compiling)


def _right(join: Any, select: exp.Select, compiling: Compiling) -> Source:
    scope = compiling.query.scope_of(select)
    name = join.this.alias_or_name.lower()
    found = [one for one in (*scope.sources, *scope.only_in_joins) if one.name == name]
    if len(found) != 1 or not name:
        raise compiling.refused(join, reasons.PART_OF_QUERY.because("USING"))
    return found[0]


def _side(name: str, source: Source, node: Any, compiling: Compiling) -> Term:
    columns = source.by_name.get(name, ())
    derived = columns[0].derived if len(columns) == 1 else None
    type_ = None if derived is None else derived.hive if compiling.source == "hive" else derived.spark
    if type_ is None or not source.name:
        raise compiling.refused(node, reasons.UNKNOWN_TYPE.because(f"column {name}"))
    return Term(f"{quoted(source.name)}.{quoted(name)}", type_)
