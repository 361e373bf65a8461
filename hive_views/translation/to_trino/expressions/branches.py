"""CASE, IF, COALESCE, and the largest or smallest of several values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.hive.types import parse_hive_type
from hive_views.translation.folded_branches import FOLDED, is_constant_char, may_be_folded
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.comparisons import compared_types as types
from hive_views.translation.to_trino.expressions.comparisons.compared_values import NAN, compare
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, listed, operation
from hive_views.translation.translation_findings import Kind, Reason

MIXED_IN_HIVE = Reason(
    "compared-types",
    Kind.UNSUPPORTED,
    "Hive converts one of these values to the type of the other, other than for =: write a CAST, or a condition with =",
    (("Hive 4", "CASE 1 WHEN 1.5 is true"), ("Hive 2 and 4", "NULLIF(1, 1.5) is NULL"), ("Spark", "neither")),
)
ANSI_BRANCHES = Reason(
    "ansi-types",
    Kind.UNSUPPORTED,
    "the type of its result depends on whether Spark follows the rules of ANSI: write a CAST",
    (
        ("Spark", "makes a string of 1 and 'x', and a float of a float and an int"),
        ("Spark, ANSI", "a bigint, a double"),
    ),
)
ASSERTED = Reason("assertion", Kind.UNSUPPORTED, "Trino has no function that fails where a condition is not true")


def in_one_type(nodes: Sequence[Any], type_: str, compiling: Compiling) -> list[Term]:
    """Values of which one is taken, or that are parts of one array, each in the type that the source gives them all.

    Raises:
        RefusedError: it is not known how the source converts one of them, or its type depends on modes or releases.
    """
    if compiling.source == "spark":
        _check_ansi(nodes, compiling)
    elif any(is_constant_char(node, type_, compiling.query.type_of(node).hive) for node in nodes):
        raise compiling.refused(nodes[0].parent, FOLDED)
    return [_branch(node, type_, compiling) for node in nodes]


def _check_ansi(nodes: Sequence[Any], compiling: Compiling) -> None:
    names = {types.type_beside(node, compiling).name for node in nodes} - {"void"}
    others = names - set(types.TEXTS)
    is_float = "float" in names and names & set(WHOLE) and not names & {"double", "decimal"}
    if is_float or (others and others != names):
        raise compiling.refused(nodes[0].parent, ANSI_BRANCHES)


def _branch(node: Any, type_: str, compiling: Compiling) -> Term:
    if isinstance(node.unnest(), exp.Null):
        return Term("NULL", "void")
    return compiling.converted(node, type_)


def _case(node: exp.Case, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    ifs: Any = node.args["ifs"]
    default: Any = node.args.get("default")
    nodes = [*(one.args["true"] for one in ifs), *([] if default is None else [default])]
    if compiling.source == "hive" and may_be_folded(node):
        raise compiling.refused(node, FOLDED)
    results = in_one_type(nodes, type_, compiling)
    conditions = [_condition(node, one.this, compiling) for one in ifs]
    operand, tests = "", [one.sql for one in conditions]
    if node.this is not None:
        operand, tests = _operand_form(compiling.term(node.this), tests)
    parts = [f"WHEN {test} THEN {result.sql}" for test, result in zip(tests, results, strict=False)]
    if default is not None and results[-1].type != "void":
        parts.append(f"ELSE {results[-1].sql}")
    # NULL alone has no type in Trino.
    is_null = all(result.type == "void" for result in results)
    return Term("NULL", "void") if is_null else Term(f"CASE {operand}{' '.join(parts)} END", type_)


def decoded(call: Call, compiling: Compiling) -> Term:
    """Spark's ``decode(x, 1, 'a', 2, 'b', 'c')``, for which NULL equals NULL.

    Raises:
        RefusedError: it cannot be translated.
    """
    type_ = compiling.type_of(call.node)
    value, *others = call.arguments
    default = others.pop() if len(others) % 2 else None
    sought, nodes = others[::2], [*others[1::2], *([] if default is None else [default])]
    results = in_one_type(nodes, type_, compiling)
    left, tests = compiling.term(value), [_sought(value, one, compiling) for one in sought]
    is_written = all(isinstance(one.unnest(), exp.Literal) for one in sought)
    operand = f"{left.operand} " if is_written else ""
    conditions = tests if is_written else [operation("boolean", left, "IS NOT DISTINCT FROM", one) for one in tests]
    parts = [f"WHEN {test.sql} THEN {result.sql}" for test, result in zip(conditions, results, strict=False)]
    if default is not None:
        parts.append(f"ELSE {results[-1].sql}")
    return Term(f"CASE {operand}{' '.join(parts)} END", type_)


def _sought(value: Any, node: Any, compiling: Compiling) -> Term:
    if isinstance(node.unnest(), exp.Null):
        return Term("NULL", "void")
    kinds = {parse_hive_type(compiling.type_of(one)).name.replace("varchar", "string") for one in (value, node)}
    if not kinds <= set(WHOLE) and kinds not in ({"string"}, {"date"}, {"boolean"}):
        raise compiling.refused(node, reasons.CONVERSION.because(f"decode of {' and '.join(sorted(kinds))}"))
    return compiling.term(node)


def _condition(case: exp.Case, node: Any, compiling: Compiling) -> Term:
    if case.this is None:
        return compiling.converted(node, "boolean")
    _check_mixed(case.this, node, case, compiling)
    return compare(case.this, "=", node, case, compiling)


def _operand_form(operand: Term, tests: list[str]) -> tuple[str, list[str]]:
    """The operand once, where each test is nothing but a comparison with it."""
    start = f"{operand.operand} = "
    # NULL has a type that is no other's.
    if operand.type != "void" and all(test.startswith(start) for test in tests):
        return f"{operand.sql} ", [test.removeprefix(start) for test in tests]
    return "", tests


def _check_mixed(one: Any, other: Any, node: Any, compiling: Compiling) -> None:
    """That Hive compares two values as = does."""
    if compiling.source != "hive":
        return
    names = [types.type_beside(part, compiling).name for part in (one, other)]
    if "void" in names or names[0] == names[1] or set(names) <= set(WHOLE):
        return
    if set(names) <= set(types.TEXTS) or (set(names) <= set(types.NUMBERS) and names[0] not in WHOLE):
        return
    is_case = isinstance(node, exp.Case)
    if is_case and types.is_text(other) and names[0] in (*WHOLE, *types.TIMES):
        return
    raise compiling.refused(node, MIXED_IN_HIVE)


def _if(node: exp.If, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    default: Any = node.args.get("false")
    if default is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return _chosen(compiling.converted(node.this, "boolean"), node.args["true"], default, type_, compiling)


def _chosen(condition: Term, one: Any, other: Any, type_: str, compiling: Compiling) -> Term:
    terms = in_one_type([one, other], type_, compiling)
    if all(term.type == "void" for term in terms):
        return Term("NULL", "void")
    # IF without a third value is NULL.
    return called("if", type_, condition, *(terms[:1] if terms[1].type == "void" else terms))


def _coalesce(node: exp.Coalesce, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    terms = [term for term in in_one_type([node.this, *node.expressions], type_, compiling) if term.type != "void"]
    if len(terms) > 1:
        return Term(f"coalesce({listed(terms)})", type_)
    return terms[0] if terms else Term("NULL", "void")


def _nullif(node: exp.Nullif, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    _check_mixed(node.this, node.expression, node, compiling)
    same = compare(node.this, "=", node.expression, node, compiling)
    first = compiling.converted(node.this, type_)
    start = f"{first.operand} = "
    if same.sql.startswith(start):
        return called("nullif", type_, first, same.sql.removeprefix(start))
    if first.type != compiling.term(node.this).type:
        # A char is a text with its blanks then, which Spark compares with no others.
        raise compiling.refused(node, types.COMPARED_TYPES)
    return called("if", type_, same, "NULL", first)


def _nvl2(node: exp.Nvl2, compiling: Compiling) -> Term:
    condition = operation("boolean", compiling.term(node.this), "IS NOT NULL")
    return _chosen(condition, node.args["true"], node.args["false"], compiling.type_of(node), compiling)


def _nanvl(call: Call, compiling: Compiling) -> Term:
    _check_spark(call, 2, compiling)
    terms = [compiling.term(one) for one in call.arguments]
    if all(term.type != "double" for term in terms):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    one, other = (compiling.converted(part, "double") for part in call.arguments)
    return called("if", "double", called("is_nan", "boolean", one), other, one)


def _zero(call: Call, compiling: Compiling) -> Term:
    _check_spark(call, 1, compiling)
    term = compiling.term(call.arguments[0])
    if term.type not in ("int", "bigint", "double"):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called("coalesce" if call.name == "zeroifnull" else "nullif", term.type, term, "0")


def _check_spark(call: Call, count: int, compiling: Compiling) -> None:
    if compiling.source == "hive" or len(call.arguments) != count:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)


def _extreme(function: str, node: Any, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    if parse_hive_type(type_).parts or parse_hive_type(type_).name == "char":
        raise compiling.refused(node, reasons.NOT_KNOWN)
    parts = (node.this, *node.expressions)
    if compiling.source == "hive" and any(isinstance(part.unnest(), exp.Null) for part in parts):
        # Beside NULL, a string or boolean is a double to Hive.
        raise compiling.refused(node, reasons.NOT_KNOWN)
    if compiling.source == "spark":
        _check_ansi(parts, compiling)
    terms = [compiling.converted(part, type_) for part in parts]
    if function == "greatest" and type_ in types.FRACTIONS:
        compiling.report(node, NAN)
    if compiling.source == "hive":
        return called(function, type_, *terms)
    # Spark passes over NULLs.
    if len(terms) == 2:
        pairs = zip(parts, terms, strict=True)
        written = [term for part, term in pairs if types.is_written(part, compiling)]
        return called("coalesce", type_, called(function, type_, *terms), *(written or terms))
    extreme = "array_max" if function == "greatest" else "array_min"
    return Term(f"{extreme}(filter(ARRAY[{listed(terms)}], x -> x IS NOT NULL))", type_)


def _asserted(call: Call, compiling: Compiling) -> Term:
    raise compiling.refused(call.node, ASSERTED)


NODES: NodeRules = {
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Nvl2: _nvl2,
    exp.Greatest: partial(_extreme, "greatest"),
    exp.Least: partial(_extreme, "least"),
}
CALLS: CallRules = {
    "assert_true": _asserted,
    "nanvl": _nanvl,
    "nullifzero": _zero,
    "zeroifnull": _zero,
}
