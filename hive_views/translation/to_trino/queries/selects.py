"""One SELECT in Trino."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hive_views.hive.row import Column
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries, refuse_others
from hive_views.translation.to_trino.queries.filters_of_lateral_views import check_filters
from hive_views.translation.to_trino.queries.from_clause import from_, half_joins
from hive_views.translation.to_trino.queries.grouping import group_by, having
from hive_views.translation.to_trino.queries.select_lists import select_list
from hive_views.translation.to_trino.queries.sorting import limited, order_by
from hive_views.translation.translation_findings import Kind, Reason

NO_TRUTH = Reason(
    "condition",
    Kind.UNSUPPORTED,
    "the condition is no boolean, of which Hive chooses other rows than a CAST of it says: write a comparison",
)
_KNOWN = (
    *("with_", "expressions", "distinct", "from_", "joins", "laterals", "where", "group", "having", "order", "limit"),
    # Hints change no rows; nor does the order in which rows are written to files, without LIMIT.
    *("offset", "hint", "sort", "cluster", "distribute"),
    # Windows are written where they are used.
    "windows",
)


def of_select(select: exp.Select, compiling: CompilingQueries, columns: Sequence[Column] | None) -> str:
    """A SELECT in Trino, without its WITH.

    Args:
        select: its node.
        compiling: the translation.
        columns: names and types that its outputs get; by default their own.

    Raises:
        RefusedError: it cannot be translated.
    """
    known = _KNOWN if not select.args.get("limit") else tuple(one for one in _KNOWN if one not in ("sort", "cluster"))
    refuse_others(select, known, compiling)
    parts = []
    with compiling.going_on():
        parts.append(select_list(select, compiling, columns))
    with compiling.going_on():
        parts.append(from_(select, compiling))
    with compiling.going_on():
        parts.append(_where(select, compiling))
    with compiling.going_on():
        parts.append(group_by(select, compiling))
    with compiling.going_on():
        parts.append(having(select, compiling))
    with compiling.going_on():
        parts.append(order_by(select, compiling))
    return "".join(parts) + limited(select, compiling)


def _where(select: exp.Select, compiling: CompilingQueries) -> str:
    check_filters(select, compiling)
    conditions = half_joins(select, compiling)
    where = select.args.get("where")
    if where is not None:
        if compiling.source == "hive" and compiling.type_of(where.this) not in ("boolean", "void"):
            raise compiling.refused(where.this, NO_TRUTH)
        conditions.insert(0, compiling.converted(where.this, "boolean"))
    if len(conditions) < 2:
        return "".join(f"\nWHERE {one.sql}" for one in conditions)
    return "\nWHERE " + " AND ".join(one.operand for one in conditions)
