"""LATERAL VIEW in Trino."""

from __future__ import annotations

from sqlglot import exp

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries, refuse_others
from hive_views.translation.to_trino.queries.generators import generated

_UNNAMED = "lateral_view"


def lateral_view(lateral: exp.Lateral, compiling: CompilingQueries) -> str:
    """One LATERAL VIEW, with the line break before it.

    Raises:
        RefusedError: it cannot be translated.
    """
    refuse_others(lateral, ("this", "view", "outer", "alias"), compiling)
    alias = lateral.args.get("alias")
    if not lateral.args.get("view") or not isinstance(alias, exp.TableAlias):
        raise compiling.refused(lateral, reasons.PART_OF_QUERY)
    found, is_outer = generated(lateral.this, compiling)
    written = [name.name for name in alias.args.get("columns") or ()]
    names = written or [name for name, _ in found.columns]
    if len(names) != len(found.columns):
        raise compiling.refused(lateral, reasons.PART_OF_QUERY.because("its number of columns"))
    name = alias.name.lower() or _UNNAMED
    return found.joined(name, names, is_outer=is_outer or bool(lateral.args.get("outer")))
