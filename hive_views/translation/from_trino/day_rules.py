"""Functions of days and times."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from hive_views.sql.quoting import quote_literal
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.constant_rules import written_number, written_text
from hive_views.translation.from_trino.target_terms import CallRules, Compiling, NodeRules, Term, called, cast
from hive_views.translation.from_trino.text_rules import arguments
from hive_views.translation.reading_nodes import Call

_OF_DAYS = {
    **{name: name for name in ("year", "month", "day", "quarter")},
    "day_of_month": "day",
    **dict.fromkeys(("week", "week_of_year"), "weekofyear"),
}
_OF_TIMES = {name: name for name in ("hour", "minute", "second")}
_PARTS = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%i": "mm", "%s": "ss"}
_FORMAT = re.compile(r"(?:%[YmdHis]|[-/:. ])+")
_MOST_DAYS = 1_000_000
_UNITS = {"month": "MM", "year": "YEAR", "quarter": "QUARTER"}


def _part(name: str, day: Any, node: Any, compiling: Compiling) -> Term:
    term = compiling.term(day)
    function = _OF_DAYS.get(name) or (_OF_TIMES.get(name) if term.type == "timestamp" else None)
    if function is None or term.type not in ("date", "timestamp"):
        raise compiling.refused(node, reasons.TYPES.because(f"{name} of {term.type}"))
    return cast(called(function, "int", term), "bigint")


def _called_part(call: Call, compiling: Compiling) -> Term:
    (day,) = arguments(call, 1, 1, compiling)
    return _part(call.name, day, call.node, compiling)


def _extracted(node: exp.Extract, compiling: Compiling) -> Term:
    return _part(node.this.name.lower(), node.expression, node, compiling)


def _weekday(call: Call, compiling: Compiling) -> Term:
    """From Monday; Hive and Spark count from Sunday."""
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.type not in ("date", "timestamp"):
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    return cast(Term(f"(dayofweek({term.sql}) + 5) % 7 + 1", "int"), "bigint")


def _truncated(call: Call, compiling: Compiling) -> Term:
    unit, day = arguments(call, 2, 2, compiling)
    term, word = compiling.term(day), (written_text(unit) or "").lower()
    if term.type not in ("date", "timestamp") or word not in ("day", *_UNITS):
        raise compiling.refused(call.node, reasons.TYPES.because(f"date_trunc of {term.type}, to this unit"))
    start = term if term.type == "date" else cast(term, "date")
    if word != "day":
        start = cast(called("trunc", "date", start, f"'{_UNITS[word]}'"), "date")
    return start if term.type == "date" else cast(start, "timestamp")


def _end_of_month(call: Call, compiling: Compiling) -> Term:
    return cast(called("last_day", "date", _day(call, compiling)), "date")


def _day_of_year(call: Call, compiling: Compiling) -> Term:
    day = _day(call, compiling)
    return cast(Term(f"datediff({day.sql}, trunc({day.sql}, 'YEAR')) + 1", "int"), "bigint")


def _day(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.type not in ("date", "timestamp"):
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    return term if term.type == "date" else cast(term, "date")


def _formatted(call: Call, compiling: Compiling) -> Term:
    one, written = arguments(call, 2, 2, compiling)
    term, pattern = compiling.term(one), written_text(written) or ""
    if term.type not in ("date", "timestamp") or not _FORMAT.fullmatch(pattern):
        raise compiling.refused(
            call.node, reasons.NOT_KNOWN.because("a pattern with other parts than %Y %m %d %H %i %s")
        )
    for part, letters in _PARTS.items():
        pattern = pattern.replace(part, letters)
    return called("date_format", "string", term, quote_literal(pattern))


def _added(call: Call, compiling: Compiling) -> Term:
    unit, count, day = arguments(call, 3, 3, compiling)
    return _moved(day, written_number(count), (written_text(unit) or "").lower(), call.node, compiling)


def days_later(node: Any, compiling: Compiling) -> Term:
    """A day with an interval of whole days behind + or -."""
    interval: Any = node.expression
    text, unit = written_text(interval.this), interval.args.get("unit")
    count = int(text) if text is not None and re.fullmatch("-?[0-9]{1,7}", text) else None
    if count is not None and isinstance(node, exp.Sub):
        count = -count
    return _moved(node.this, count, unit.name.lower() if isinstance(unit, exp.Var) else "", node, compiling)


def _moved(day: Any, count: int | None, unit: str, node: Any, compiling: Compiling) -> Term:
    term, days = compiling.term(day), {"day": 1, "week": 7}.get(unit)
    if term.type != "date" or count is None or days is None or abs(count) > _MOST_DAYS:
        raise compiling.refused(node, reasons.TYPES.because(f"{term.type}, and a number of {unit or 'unit'}s"))
    return cast(called("date_add", "date", term, str(count * days)), "date")


def _between(call: Call, compiling: Compiling) -> Term:
    unit, start, end = arguments(call, 3, 3, compiling)
    terms = [compiling.term(one) for one in (start, end)]
    if (written_text(unit) or "").lower() != "day" or {term.type for term in terms} != {"date"}:
        raise compiling.refused(call.node, reasons.TYPES.because("date_diff, but of days between dates"))
    return cast(called("datediff", "int", terms[1], terms[0]), "bigint")


NODES: NodeRules = {exp.Extract: _extracted}
CALLS: CallRules = {
    **dict.fromkeys((*_OF_DAYS, *_OF_TIMES), _called_part),
    **dict.fromkeys(("day_of_week", "dow"), _weekday),
    "date_trunc": _truncated,
    "last_day_of_month": _end_of_month,
    **dict.fromkeys(("day_of_year", "doy"), _day_of_year),
    "date_format": _formatted,
    "date_add": _added,
    "date_diff": _between,
}
