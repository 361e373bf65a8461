"""GROUP BY and HAVING in Trino."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.sort_keys import has_grouping_sets
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries, refuse_others
from hive_views.translation.to_trino.queries.equal_rows import report_zeros
from hive_views.translation.to_trino.terms import Term, cast
from hive_views.translation.translation_findings import Kind, Reason

SETS_OF_EXPRESSIONS = Reason(
    "grouping-sets", Kind.UNSUPPORTED, "in ROLLUP, CUBE and GROUPING SETS, Trino takes columns only"
)
GROUPS_OF_NOTHING = Reason(
    "groups-of-nothing",
    Kind.EDGE,
    "the row of all rows together, where there are no rows",
    (("Hive", "there is one from release 4 on, and none before"), ("Trino", "there is one")),
)
_WORDS = {"rollup": "ROLLUP", "cube": "CUBE", "grouping_sets": "GROUPING SETS"}
_KINDS: dict[type[exp.Expr], str] = {exp.Rollup: "ROLLUP", exp.Cube: "CUBE", exp.GroupingSets: "GROUPING SETS"}


def group_by(select: exp.Select, compiling: CompilingQueries) -> str:
    """The GROUP BY clause, with the line break before it; empty if there is none.

    Raises:
        RefusedError: it cannot be translated.
    """
    clause = select.args.get("group")
    if clause is None:
        return ""
    refuse_others(clause, ("expressions", *_WORDS), compiling)
    if has_grouping_sets(select) and compiling.source == "hive":
        compiling.report(clause, GROUPS_OF_NOTHING)
    behind = [(name, one) for name in _WORDS for one in clause.args.get(name) or ()]
    if not behind:
        return "\nGROUP BY " + ", ".join(_key(one, select, compiling) for one in clause.expressions)
    if len(behind) > 1:
        raise compiling.refused(clause, reasons.PART_OF_QUERY)
    name, sets = behind[0]
    # Behind the keys stand the sets that they make; in Trino, that would be other sets.
    for one in clause.expressions:
        _key(one, select, compiling)
    if name == "grouping_sets":
        return f"\nGROUP BY {_sets(sets, select, compiling)}"
    if sets.expressions:
        raise compiling.refused(clause, reasons.PART_OF_QUERY)
    return f"\nGROUP BY {_WORDS[name]} ({', '.join(_column(one, select, compiling) for one in clause.expressions)})"


def _key(key: Any, select: exp.Select, compiling: CompilingQueries) -> str:
    if type(key) in _KINDS:
        return _sets(key, select, compiling)
    number = key.unnest()
    if isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit():
        place = int(number.name)
        if compiling.source == "hive" or not 0 < place <= len(select.expressions):
            raise compiling.refused(key, reasons.ORDINAL)
        key = select.expressions[place - 1].unalias()
    term = compiling.term(key)
    if not isinstance(key, exp.Literal):
        report_zeros([term.type], key, compiling)
    # A plain number would be the place of an output.
    return cast(term, term.type).sql if term.sql.removeprefix("-").isdigit() else term.sql


def _sets(sets: Any, select: exp.Select, compiling: CompilingQueries) -> str:
    word = _KINDS[type(sets)]
    found = []
    for one in sets.expressions:
        if type(one) in _KINDS:
            raise compiling.refused(sets, reasons.PART_OF_QUERY)
        columns = [_column(part, select, compiling) for part in _parts(one)]
        is_set = word == "GROUPING SETS" or isinstance(one, exp.Tuple)
        found.append(f"({', '.join(columns)})" if is_set else columns[0])
    return f"{word} ({', '.join(found)})"


def _parts(one: Any) -> list[Any]:
    return list(one.expressions) if isinstance(one, exp.Tuple) else [one.unnest()]


def _column(key: Any, select: exp.Select, compiling: CompilingQueries) -> str:
    if isinstance(key, exp.Column) and compiling.query.is_alias(key):
        raise compiling.refused(key, SETS_OF_EXPRESSIONS)
    if not isinstance(key.unnest(), exp.Column):
        raise compiling.refused(key, SETS_OF_EXPRESSIONS)
    return _key(key, select, compiling)


def having(select: exp.Select, compiling: CompilingQueries) -> str:
    """The HAVING clause, with the line break before it; empty if there is none.

    Raises:
        RefusedError: it cannot be translated.
    """
    clause = select.args.get("having")
    conditions = [] if clause is None else [compiling.converted(clause.this, "boolean")]
    if has_grouping_sets(select) and compiling.source == "spark":
        # Of no rows, Trino makes the group of all rows together.
        conditions.append(Term("count(*) > 0", "boolean", is_whole=False))
    return f"\nHAVING {' AND '.join(_beside(one, conditions) for one in conditions)}" if conditions else ""


def _beside(term: Term, others: list[Term]) -> str:
    return term.sql if len(others) == 1 else term.operand
