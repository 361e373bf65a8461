"""FROM in Trino: tables, subqueries, lists of values and joins, in the order of the text."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.from_clause import start_of_entry
from hive_views.analysis.tree.sources import Source
from hive_views.sql.dialects import METASTORE_CATALOGS
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.using import equal_sides
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries, refuse_others
from hive_views.translation.to_trino.queries.generators_in_select import joined_generator
from hive_views.translation.to_trino.queries.lateral_views import lateral_view
from hive_views.translation.to_trino.terms import Term, quoted
from hive_views.translation.translation_findings import Kind, Reason

SAMPLE = Reason("sample", Kind.UNSUPPORTED, "which rows a sample has does not follow from the data alone")
NATURAL = Reason("natural-join", Kind.UNSUPPORTED, "Trino has no NATURAL JOIN: write ON or USING")

_SIDES = ("LEFT", "RIGHT", "FULL")
_HALVES = {"SEMI": "EXISTS", "ANTI": "NOT EXISTS"}


def from_(select: exp.Select, compiling: CompilingQueries) -> str:
    """The FROM clause, with the line break before it; empty if there is none.

    Raises:
        RefusedError: it cannot be translated.
    """
    clause = select.args.get("from_")
    if clause is None:
        rows = joined_generator(select, compiling)
        return f'\nFROM (VALUES 1) AS "one" ("row"){rows}' if rows else ""
    parts = [f"\nFROM {_source(clause.this, select, compiling)}"]
    entries = [*(select.args.get("joins") or ()), *(select.args.get("laterals") or ())]
    for entry in sorted(entries, key=start_of_entry):
        with compiling.going_on():
            if isinstance(entry, exp.Lateral):
                parts.append(lateral_view(entry, compiling))
            elif _kind(entry) not in _HALVES:
                parts.append(_join(entry, select, compiling))
    with compiling.going_on():
        parts.append(joined_generator(select, compiling))
    return "".join(parts)


def half_joins(select: exp.Select, compiling: CompilingQueries) -> list[Term]:
    """The conditions of LEFT SEMI JOIN and LEFT ANTI JOIN, which take rows of what is on their left.

    Raises:
        RefusedError: they cannot be translated.
    """
    found = []
    joins = select.args.get("joins") or ()
    for number, join in enumerate(joins):
        if _kind(join) not in _HALVES:
            continue
        refuse_others(join, ("this", "side", "kind", "on", "using"), compiling)
        if any(_side(later) in ("RIGHT", "FULL") for later in joins[number + 1 :]):
            raise compiling.refused(join, reasons.PART_OF_QUERY.because("RIGHT or FULL JOIN behind it"))
        source = _source(join.this, select, compiling)
        condition = f"\nWHERE {_condition(join, select, compiling).sql}"
        text = f"{_HALVES[_kind(join)]} (\nSELECT 1\nFROM {source}{condition}\n)"
        found.append(Term(text, "boolean", is_whole=True))
    return found


def _source(node: Any, select: exp.Select, compiling: CompilingQueries) -> str:
    if node.args.get("sample"):
        raise compiling.refused(node, SAMPLE)
    if isinstance(node, exp.Table):
        refuse_others(node, ("this", "db", "catalog", "alias"), compiling)
        text = _table_name(node, compiling)
    elif isinstance(node, exp.Values):
        return _values(node, select, compiling)
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
        return _in_brackets(node, select, compiling)
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
        refuse_others(node, ("this", "alias"), compiling)
        text = f"(\n{compiling.subquery(node.this)}\n)"
    else:
        raise compiling.refused(node, reasons.PART_OF_QUERY)
    alias = node.args.get("alias")
    if alias is None:
        return text
    names = ", ".join(quoted(name.name) for name in alias.args.get("columns") or ())
    return f"{text} AS {quoted(alias.name)}{f' ({names})' if names else ''}"


def _in_brackets(node: exp.Subquery, select: exp.Select, compiling: CompilingQueries) -> str:
    """A table or joins in brackets."""
    refuse_others(node, ("this",), compiling)
    table = node.this.copy()
    joins = node.this.args.get("joins") or ()
    table.set("joins", None)
    for join in joins:
        if _kind(join) in _HALVES or join.args.get("using"):
            raise compiling.refused(join, reasons.PART_OF_QUERY.because("in brackets"))
    text = _source(table, select, compiling) + "".join(_join(one, select, compiling) for one in joins)
    return f"({text})" if joins else text


def _table_name(table: exp.Table, compiling: CompilingQueries) -> str:
    if not all(isinstance(part, exp.Identifier) for part in table.parts):
        raise compiling.refused(table, reasons.PART_OF_QUERY)
    parts = [part.name for part in table.parts]
    if len(parts) == 3 and parts[0].lower() in METASTORE_CATALOGS:
        parts = parts[1:]
    if len(parts) > 2:
        raise compiling.refused(table, reasons.PART_OF_QUERY.because("a catalog that is not the metastore"))
    return ".".join(quoted(part.lower()) for part in parts)


def _values(node: exp.Values, select: exp.Select, compiling: CompilingQueries) -> str:
    refuse_others(node, ("expressions", "alias"), compiling)
    source = _named(node.alias_or_name.lower(), select, compiling)
    if source is None or source.columns is None:
        raise compiling.refused(node, reasons.PART_OF_QUERY.because("VALUES"))
    types = [one.derived.spark for one in source.columns]
    lines = []
    for row in node.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple) else [row]
        terms = []
        for cell, type_ in zip(cells, types, strict=True):
            if type_ is None:
                raise compiling.refused(cell, reasons.UNKNOWN_TYPE)
            terms.append(compiling.converted(cell, type_).sql)
        lines.append(f"({', '.join(terms)})")
    names = ", ".join(quoted((one.name or "").lower()) for one in source.columns)
    return f"(\nVALUES\n  {f',{chr(10)}  '.join(lines)}\n) AS {quoted(source.name)} ({names})"


def _named(name: str, select: exp.Select, compiling: CompilingQueries) -> Source | None:
    scope = compiling.query.scope_of(select)
    found = [one for one in (*scope.sources, *scope.only_in_joins) if one.name == name]
    return found[0] if len(found) == 1 and name else None


def _kind(join: Any) -> str:
    return str(join.args.get("kind") or "").upper()


def _side(join: Any) -> str:
    return str(join.args.get("side") or "").upper()


def _join(join: Any, select: exp.Select, compiling: CompilingQueries) -> str:
    if join.args.get("method"):
        raise compiling.refused(join, NATURAL)
    refuse_others(join, ("this", "side", "kind", "on", "using"), compiling)
    side, kind = _side(join), _kind(join)
    if side not in ("", *_SIDES) or kind not in ("", "INNER", "OUTER", "CROSS"):
        raise compiling.refused(join, reasons.PART_OF_QUERY.because(f"{side} {kind} JOIN"))
    right = _source(join.this, select, compiling)
    if join.args.get("on") is None and not join.args.get("using"):
        if side:
            raise compiling.refused(join, reasons.PART_OF_QUERY.because(f"{side} JOIN without ON"))
        # A comma binds looser than JOIN in Trino, and as close as it in Hive and Spark.
        return f"\nCROSS JOIN {right}"
    return f"\n{f'{side} ' if side else ''}JOIN {right} ON {_condition(join, select, compiling).sql}"


def _condition(join: Any, select: exp.Select, compiling: CompilingQueries) -> Term:
    using = join.args.get("using")
    if using:
        return equal_sides(using, join, select, compiling)
    on = join.args.get("on")
    if on is None:
        raise compiling.refused(join, reasons.PART_OF_QUERY.because("a join without a condition"))
    return compiling.converted(on, "boolean")
