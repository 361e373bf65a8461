"""Functions that make rows, as UNNEST in FROM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call, read_call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.strings.literal_values import whole_number_of
from hive_views.translation.to_trino.expressions.strings.patterns_and_json import value_of_key
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.to_trino.terms import Term, listed, quoted
from hive_views.translation.translation_findings import RefusedError


@dataclass(frozen=True)
class Generated:
    """What a function makes of one row.

    Attributes:
        arrays: the arguments of UNNEST.
        columns: default names, and types.
        has_position: whether the place from 0 on is a column in front of these.
    """

    arrays: str
    columns: tuple[tuple[str, str], ...]
    has_position: bool = False

    def joined(self, alias: str, names: Sequence[str], *, is_outer: bool) -> str:
        """The join that makes the rows, with the line break before it.

        Args:
            alias: of the rows.
            names: of the columns.
            is_outer: whether there is a row of NULLs where there is none.
        """
        columns = ", ".join(quoted(name.lower()) for name in names)
        rows = f"UNNEST({self.arrays})"
        if self.has_position:
            inner = ", ".join(f'"c{number}"' for number in range(len(names) - 1))
            rows = (
                f'LATERAL (\nSELECT CAST("n" - 1 AS integer), {inner}\n'
                f'FROM {rows} WITH ORDINALITY AS "u" ({inner}, "n")\n)'
            )
        start, end = ("LEFT JOIN", " ON TRUE") if is_outer else ("CROSS JOIN", "")
        return f"\n{start} {rows} AS {quoted(alias)} ({columns}){end}"


def generated(function: Any, compiling: CompilingQueries) -> tuple[Generated, bool]:
    """What a function makes, and whether its name ends with ``_outer``.

    Raises:
        RefusedError: it is not known.
    """
    call = read_call(function, compiling.query.text)
    if call is None:
        raise compiling.refused(function, reasons.PART_OF_QUERY)
    is_outer = call.name.endswith("_outer")
    if is_outer and compiling.source == "hive":
        raise _refused(call, compiling)
    rule = _RULES.get(call.name.removesuffix("_outer"))
    if rule is None:
        raise _refused(call, compiling)
    return rule(call, compiling), is_outer


def _refused(call: Call, compiling: CompilingQueries) -> RefusedError:
    return compiling.refused(call.node, reasons.NO_RULE_FOR_FUNCTION.because(call.name))


def _collection(call: Call, compiling: CompilingQueries) -> tuple[Term, HiveType]:
    if len(call.arguments) != 1:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    term = compiling.term(call.arguments[0])
    type_ = parse_hive_type(term.type)
    if type_.name not in ("array", "map"):
        raise compiling.refused(call.node, reasons.CONVERSION.because(term.type))
    return term, type_


def _exploded(call: Call, compiling: CompilingQueries) -> Generated:
    term, type_ = _collection(call, compiling)
    if type_.name == "map":
        key, value = map(str, type_.parts)
        return Generated(term.sql, (("key", key), ("value", value)))
    element = type_.parts[0]
    # Of rows, UNNEST makes a column of each part.
    arrays = f"transform({term.sql}, e -> ROW(e))" if element.name == "struct" else term.sql
    return Generated(arrays, (("col", str(element)),))


def _with_position(call: Call, compiling: CompilingQueries) -> Generated:
    found = _exploded(call, compiling)
    columns = found.columns
    if len(columns) == 2 and compiling.source == "hive":
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    if len(columns) == 1 and compiling.source == "hive":
        columns = (("val", columns[0][1]),)
    return Generated(found.arrays, (("pos", "int"), *columns), has_position=True)


def _inlined(call: Call, compiling: CompilingQueries) -> Generated:
    term, type_ = _collection(call, compiling)
    struct = type_.parts[0]
    if type_.name != "array" or struct.name != "struct":
        raise compiling.refused(call.node, reasons.CONVERSION.because(term.type))
    fields = zip(struct.field_names, struct.parts, strict=True)
    return Generated(term.sql, tuple((name, str(part)) for name, part in fields))


def _stacked(call: Call, compiling: CompilingQueries) -> Generated:
    count = whole_number_of(call.arguments[0]) if call.arguments else None
    values = call.arguments[1:]
    if not count or count < 0 or not values:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    width = -(-len(values) // count)
    terms = [compiling.term(value) for value in values]
    terms += [Term("NULL", "void")] * (count * width - len(terms))
    arrays, columns = [], []
    for at in range(width):
        column = terms[at::width]
        types = {term.type for term in column} - {"void"}
        if len(types) != 1:
            raise compiling.refused(call.node, reasons.UNKNOWN_TYPE.because("the rows have different types"))
        arrays.append(f"ARRAY[{listed(column)}]")
        columns.append((f"col{at}", types.pop()))
    return Generated(", ".join(arrays), tuple(columns))


def _of_json(call: Call, compiling: CompilingQueries) -> Generated:
    if len(call.arguments) < 2:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    subject, *keys = call.arguments
    values = [value_of_key(subject, key, call.node, compiling) for key in keys]
    arrays = ", ".join(f"ARRAY[{value.sql}]" for value in values)
    return Generated(arrays, tuple((f"c{number}", "string") for number in range(len(values))))


_RULES: dict[str, Callable[[Call, CompilingQueries], Generated]] = {
    "explode": _exploded,
    "posexplode": _with_position,
    "inline": _inlined,
    "stack": _stacked,
    "json_tuple": _of_json,
}
