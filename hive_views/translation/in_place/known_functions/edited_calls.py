"""Functions that need another name, or another expression around them, for the other engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.hive.types import HiveType
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.branches_alike import of_one_type
from hive_views.translation.in_place.kinds_of_nodes.casts_alike import TEXT_AS_DATE, convert
from hive_views.translation.in_place.kinds_of_nodes.generators_alike import name_positions
from hive_views.translation.in_place.known_functions import by_argument as ruled
from hive_views.translation.in_place.patching_rules import CallRule, Patching, rename, wrap
from hive_views.translation.in_place.text_places import NoPlaceError
from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Kind, Reason

Rules = Mapping[str, Sequence[tuple[str, CallRule]]]
"""By the name of a function: signatures, and what is done with calls that have one of them."""

SKIPS_NULL = Reason(
    "skips-null",
    Kind.DIFFERENT,
    "where an argument is NULL",
    (("Hive", "NULL"), ("Spark", "the greatest, or least, of the others")),
)


def _renamed(name: str, call: Call, patching: Patching) -> None:
    rename(call.node, patching, name)


def _as_text(call: Call, patching: Patching) -> None:
    """Hive writes the date as a text."""
    wrap(call.node, patching, "cast(", " as string)")
    patching.settle(call.node)


def _as_date(call: Call, patching: Patching) -> None:
    wrap(call.node, patching, "cast(", " as date)")
    patching.settle(call.node)


def _of_text(rule: CallRule, call: Call, patching: Patching) -> None:
    first = call.arguments[0].unnest()
    if not isinstance(first, exp.Literal):
        patching.report(call.node, TEXT_AS_DATE)
        if patching.target == "spark":
            patching.report(call.node, reasons.ANSI)
    rule(call, patching)


def _extreme(call: Call, patching: Patching) -> None:
    """GREATEST and LEAST: of a NULL, Hive makes NULL, and Spark leaves it out."""
    of_one_type(call.node, call.arguments, patching)
    if len({patching.type_of(one).certain for one in call.arguments}) > 1:
        raise patching.refused(call.node, reasons.NOT_OF_THESE_TYPES)
    nullable = [one for one in call.arguments if not isinstance(one.unnest(), exp.Literal)]
    if not nullable:
        return
    if patching.source == "spark":
        patching.report(call.node, SKIPS_NULL)
        return
    try:
        places = [patching.places.of_column(one.unnest()) for one in nullable]
    except NoPlaceError:
        patching.report(call.node, SKIPS_NULL)
        return
    text = str(patching.query.text)
    known = " AND ".join(dict.fromkeys(f"{text[start:end]} IS NOT NULL" for start, end in places))
    wrap(call.node, patching, f"CASE WHEN {known} THEN ", " END")


def _positions(call: Call, patching: Patching) -> None:
    patching.settle(call.node)
    name_positions(call.node, patching)


def _generator(call: Call, patching: Patching) -> None:
    patching.settle(call.node)


def _branches(call: Call, patching: Patching) -> None:
    """COALESCE and its like."""
    of_one_type(call.node, call.arguments, patching)


def _same_types(call: Call, patching: Patching) -> None:
    if len({patching.type_of(one).certain for one in call.arguments}) > 1:
        raise patching.refused(call.node, reasons.NOT_OF_THESE_TYPES)


def _converted(name: str, call: Call, patching: Patching) -> None:
    """``int(x)``, which is a CAST."""
    convert(call.node, call.arguments[0], HiveType(name), patching)


_TYPES = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string")
_ANY_NUMBER = "wlfn"

RULES: Rules = {
    "greatest": (("wlfnsdt# wlfnsdt#+", _extreme),),
    "least": (("wlfnsdt# wlfnsdt#+", _extreme),),
    **dict.fromkeys(("coalesce", "nvl"), (("wlfnsdtby0 wlfnsdtby0+", _branches),)),
    **dict.fromkeys(("substr", "substring"), (("swdl w w?", ruled.substring),)),
    "instr": (("swdl s", ruled.position),),
    "locate": (("s swdl w#?", ruled.location),),
    "regexp_replace": (("s s s", ruled.pattern),),
    "split": (("s s", ruled.pattern),),
    "regexp_extract": (("s s #?", ruled.extraction),),
    "replace": (("s s s", ruled.replacement),),
    **dict.fromkeys(("lpad", "rpad"), (("swdl # s", ruled.padding),)),
    "substring_index": (("s s #", ruled.first_parts),),
    "sha2": (("sy #", ruled.digest),),
    "elt": (("w# s s+", ruled.chosen),),
    "get_json_object": (("s s", ruled.json_path),),
    "parse_url": (("s s s?", ruled.part_of_url),),
    **dict.fromkeys(("round", "bround"), (("wlfn #", ruled.rounded),)),
    "format_number": (("wlfn #", ruled.formatted),),
    "log": (("# wlf", ruled.logarithm),),
    "mod": (("wln wln, f f", ruled.divided),),
    **dict.fromkeys(("date_add", "date_sub"), (("dt@ w#", ruled.days),)),
    "date_format": (("dt s", ruled.date_pattern),),
    "from_unixtime": (("wl s", ruled.date_pattern),),
    **dict.fromkeys(("from_utc_timestamp", "to_utc_timestamp"), (("dt s", ruled.zone),)),
    "months_between": (("t dt@, d@ t", ruled.of_change),),
    "nullif": (("s s, w w, l l, d d, t t, f f", _same_types),),
    "array_contains": (("a swl#", ruled.contained),),
    "size": (("am", ruled.size),),
    **dict.fromkeys(("collect_list", "collect_set"), (("wlfnsdtb", ruled.collected),)),
    "array": (("* * *+", _branches),),
    **{name: (("*", partial(_converted, name)),) for name in _TYPES},
    "sqrt": (("wlf", ruled.root),),
    "pmod": (("wl wl", ruled.remainder),),
    "posexplode": (("a", _positions),),
    "explode": (("am", _generator),),
    "inline": (("a", _generator),),
    "json_tuple": (("s s s?+", _generator),),
    "stack": (("w# *0 *0+", _generator),),
}


def _truncated(rule: CallRule, call: Call, patching: Patching) -> None:
    ruled.truncated(call, patching)
    rule(call, patching)


def _next_day(rule: CallRule, call: Call, patching: Patching) -> None:
    if (ruled.text(call.arguments[1]) or "").upper()[:2] not in _DAYS and patching.target == "spark":
        patching.report(call.node, reasons.ANSI)
    rule(call, patching)


def _add_months(rule: CallRule, call: Call, patching: Patching) -> None:
    """Hive goes from the last day of a month to the last day of another one."""
    day = call.arguments[0]
    if patching.source == "hive" and patching.kind(day) == "date" and isinstance(day, exp.Column):
        start, end = patching.places.of_column(day)
        name = str(patching.query.text)[start:end]
        months = str(patching.query.text)[slice(*patching.places.of_call(call.node))]
        if ruled.number(call.arguments[1]) is not None:
            before = f"cast(CASE WHEN {name} = last_day({name}) THEN last_day({months}) ELSE "
            wrap(call.node, patching, before, " END as string)")
            patching.settle(call.node)
            return
    patching.report(call.node, ruled.LAST_OF_MONTH)
    rule(call, patching)


_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def _of_dates(rule: CallRule) -> dict[str, Any]:
    next_day, add_months, truncated = (partial(one, rule) for one in (_next_day, _add_months, _truncated))
    return {
        "add_months": (("dt@ w#", add_months), ("s w#", partial(_of_text, add_months))),
        "last_day": (("dt@", rule), ("s", partial(_of_text, rule))),
        "next_day": (("dt@ s", next_day), ("s s", partial(_of_text, next_day))),
        "trunc": (("dt@ s", truncated), ("s s", partial(_of_text, truncated))),
    }


OF_SOURCE: Mapping[str, Rules] = {
    "hive": {
        "stddev": ((_ANY_NUMBER, partial(_renamed, "stddev_pop")),),
        "std": ((_ANY_NUMBER, partial(_renamed, "stddev_pop")),),
        "variance": ((_ANY_NUMBER, partial(_renamed, "var_pop")),),
        **_of_dates(_as_text),
    },
    "spark": {
        "stddev": ((_ANY_NUMBER, partial(_renamed, "stddev_samp")),),
        "std": ((_ANY_NUMBER, partial(_renamed, "stddev_samp")),),
        "variance": ((_ANY_NUMBER, partial(_renamed, "var_samp")),),
        **_of_dates(_as_date),
    },
}
