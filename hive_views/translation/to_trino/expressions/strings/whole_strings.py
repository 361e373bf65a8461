"""Functions of strings: joining, letter case, length, blanks, padding, replacing."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.reading_nodes import Call, read_call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of, whole_number_of
from hive_views.translation.to_trino.expressions.strings.string_arguments import (
    ARGUMENTS,
    EMPTY_MATCH,
    count_arguments,
    hive_counts_in_utf_16,
    integer,
    only_in,
    text,
    whole,
)
from hive_views.translation.to_trino.terms import (
    CallRules,
    Compiling,
    NodeRules,
    Term,
    called,
    cast,
    listed,
    operation,
    string,
)
from hive_views.translation.translation_findings import Kind, Reason

LETTER_CASE = Reason(
    "letter-case",
    Kind.EDGE,
    "letters beyond ASCII that become several letters, or another one at the end of a word, stay one letter in Trino",
    (("Hive and Spark", "upper('ß') is 'SS'"), ("Trino", "upper('ß') is 'ß'")),
)
FIRST_BYTE = Reason(
    "ascii",
    Kind.EDGE,
    "of a character beyond ASCII, Hive gives the first byte as a negative number, Trino the number of the character",
)
WORDS = Reason(
    "words",
    Kind.EDGE,
    "blanks beyond ASCII are not taken for the end of a word",
)
_BLANKS_SHOWN = 20
_MOST_ARGUMENTS = 127
_OF_THE_SESSION = (
    *("current_user", "currentuser", "session_user", "user", "logged_in_user", "current_database", "currentdatabase"),
    *("current_schema", "current_catalog", "version", "uuid", "input_file_name"),
)


def _joined(node: Any, parts: list[Any], compiling: Compiling) -> tuple[str, list[Term]]:
    type_ = compiling.type_of(node)
    if type_.startswith("array"):
        terms = [compiling.term(one) for one in parts]
        if {one.type for one in terms} != {type_}:
            raise compiling.refused(node, ARGUMENTS)
        return type_, terms
    if type_ == "binary":
        return type_, [compiling.converted(one, type_) for one in parts]
    return type_, [text(one, compiling) for one in parts]


def _as_joined(term: Term, type_: str) -> Term:
    """Of values with lengths, Hive makes one with a length."""
    return cast(term, type_) if parse_hive_type(type_).name in ("char", "varchar") else term


def _concat(call: Call, compiling: Compiling) -> Term:
    type_, terms = _joined(call.node, list(call.arguments), compiling)
    if len(terms) == 1:
        return _as_joined(Term(terms[0].sql, type_, terms[0].is_whole), type_)
    if len(terms) > _MOST_ARGUMENTS:
        return _as_joined(operation(type_, " || ".join(term.operand for term in terms)), type_)
    return _as_joined(called("concat", type_, *terms), type_)


def _pipes(node: exp.DPipe, compiling: Compiling) -> Term:
    type_, terms = _joined(node, list(node.flatten(unnest=False)), compiling)
    parts: list[str | Term] = []
    for term in terms:
        parts += ["||", term] if parts else [term]
    return _as_joined(operation(type_, *parts), type_)


_COLLECTED = frozenset(("collect_set", "collect_list"))
_KEEPS_ELEMENTS = frozenset(("sort_array", "array_sort", "array_distinct"))


def _origin(node: Any, compiling: Compiling) -> str:
    """The function that makes the elements of an array, or an empty name."""
    call = read_call(node.unnest(), compiling.query.text)
    if call and call.name in _KEEPS_ELEMENTS:
        return _origin(call.arguments[0], compiling)
    return call.name if call else ""


def _concat_ws(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) < 2:
        raise compiling.refused(call.node, ARGUMENTS)
    separator = text(call.arguments[0], compiling)
    arrays = [compiling.type_of(one).startswith("array") for one in call.arguments[1:]]
    parts = [
        _array(one, compiling) if is_array else text(one, compiling)
        for one, is_array in zip(call.arguments[1:], arrays, strict=True)
    ]
    if not any(arrays):
        return called("concat_ws", "string", separator, *parts)
    if len(parts) == 1:
        return called("concat_ws", "string", separator, _or_empty(call.arguments[1], parts[0], compiling))
    if compiling.source == "hive":
        # An empty array is an empty string among others.
        strings = [
            called("concat_ws", "string", separator, part) if is_array else part
            for part, is_array in zip(parts, arrays, strict=True)
        ]
        return called("concat_ws", "string", separator, *strings)
    joined = [
        _or_empty(one, part, compiling) if is_array else Term(f"ARRAY[{part.sql}]", "array<string>")
        for one, part, is_array in zip(call.arguments[1:], parts, arrays, strict=True)
    ]
    return called("concat_ws", "string", separator, f"concat({listed(joined)})")


def _array(node: Any, compiling: Compiling) -> Term:
    term = compiling.converted(node, "array<string>")
    if compiling.source == "spark" or _origin(node, compiling) in (*_COLLECTED, "split"):
        return term
    return Term(f"transform({term.sql}, x -> coalesce(x, 'null'))", term.type)


def _or_empty(node: Any, array: Term, compiling: Compiling) -> Term:
    is_never_null = _origin(node, compiling) in _COLLECTED
    return array if is_never_null else Term(f"coalesce({array.sql}, ARRAY[])", array.type)


def _letter_case(function: str, call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (argument,) = call.arguments
    written = text_of(argument)
    if written is None or not written.isascii():
        compiling.report(call.node, LETTER_CASE)
    type_ = compiling.type_of(call.node)
    value = text(argument, compiling) if type_ == "string" else compiling.converted(argument, type_)
    return called(function, type_, value)


def _length(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (argument,) = call.arguments
    if compiling.type_of(argument) == "binary":
        return integer(called("length", "bigint", compiling.term(argument)))
    return integer(called("length", "bigint", text(argument, compiling)))


def _octet_length(factor: str, call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (argument,) = call.arguments
    if compiling.type_of(argument) == "binary":
        if compiling.source == "hive":
            raise compiling.refused(call.node, ARGUMENTS.because("Hive counts bytes of a string made of the bytes"))
        given = compiling.term(argument)
    else:
        given = called("to_utf8", "binary", text(argument, compiling))
    return Term(f"CAST({factor}length({given.sql}) AS integer)", "int")


def _trimmed(side: str, call: Call, compiling: Compiling) -> Term:
    # Both trim spaces alone; Trino's trim of one argument trims tabs and line ends, too.
    count_arguments(call, compiling, 1, 2)
    subject, *characters = call.arguments
    if characters and compiling.source == "spark" and call.name != "btrim":
        subject, characters = characters[0], [subject]
    return _trim_of(side, subject, characters[0] if characters else None, compiling)


def _trim_of(side: str, subject: Any, characters: Any, compiling: Compiling) -> Term:
    trimmed = text(subject, compiling)
    if characters is None:
        return Term(f"trim({side} ' ' FROM {trimmed.sql})", "string")
    return Term(f"trim({side} {text(characters, compiling).operand} FROM {trimmed.sql})", "string")


def _trim_syntax(node: exp.Trim, compiling: Compiling) -> Term:
    return _trim_of(str(node.args.get("position") or "BOTH").upper(), node.this, node.expression, compiling)


def _padded(function: str, call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, length = call.arguments[:2]
    padding = call.arguments[2] if len(call.arguments) == 3 else None
    if "binary" in {compiling.type_of(one) for one in (subject, *([padding] if padding is not None else []))}:
        raise compiling.refused(call.node, ARGUMENTS.because("bytes"))
    pad = " " if padding is None else text_of(padding)
    hive_counts_in_utf_16(call.node, compiling, subject, *([padding] if padding is not None else []))
    value, size = text(subject, compiling), whole(length, compiling)
    written = whole_number_of(length)
    if compiling.source == "spark" and (written is None or written < 0):
        # Of a negative length, Hive makes nothing but an error.
        size = Term(f"greatest({size.sql}, 0)", "int")
    if pad == "":
        if compiling.source == "hive":
            return Term("CAST(NULL AS varchar)", "string")
        return called("substr", "string", value, "1", size)
    if pad is not None:
        return called(function, "string", value, size, string(pad))
    given = text(padding, compiling)
    if compiling.source == "hive":
        return called(function, "string", value, size, f"nullif({given.sql}, '')")
    padded = called(function, "string", value, size, f"nullif({given.sql}, '')")
    return Term(f"IF({given.operand} = '', substr({value.sql}, 1, {size.sql}), {padded.sql})", "string")


def _count(node: Any, compiling: Compiling) -> str:
    written = whole_number_of(node)
    if written is not None:
        return str(max(written, 0))
    return f"greatest({whole(node, compiling).sql}, 0)"


def _repeat(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    subject, times = call.arguments
    written = text_of(subject)
    count = _count(times, compiling)
    if written is not None and len(written) == 1:
        return called("rpad", "string", "''", count, string(written))
    # Trino's repeat makes an array.
    return called("replace", "string", f"rpad('', {count}, ' ')", "' '", text(subject, compiling))


def _space(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (times,) = call.arguments
    written = whole_number_of(times)
    if written is not None and written <= _BLANKS_SHOWN:
        return Term(string(" " * max(written, 0)), "string")
    return called("rpad", "string", "''", _count(times, compiling), "' '")


def _reverse(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (argument,) = call.arguments
    type_ = compiling.type_of(call.node)
    value = text(argument, compiling) if type_ == "string" else compiling.converted(argument, type_)
    return called("reverse", type_, value)


def _replace(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2, 3)
    subject, search = call.arguments[:2]
    value = text(subject, compiling)
    with_ = text(call.arguments[2], compiling) if len(call.arguments) == 3 else Term("''", "string")
    written, searched = text_of(search), text(search, compiling)
    replaced = called("replace", "string", value, searched, with_)
    if compiling.source == "hive":
        if not written:
            compiling.report(call.node, EMPTY_MATCH)
        return replaced
    if written is None:
        return Term(f"IF({searched.operand} = '', {value.sql}, {replaced.sql})", "string")
    return replaced if written else value


def _translate(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 3)
    return called("translate", "string", *(text(one, compiling) for one in call.arguments))


def _initcap(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    value = text(call.arguments[0], compiling)
    compiling.report(call.node, LETTER_CASE)
    # Words end at a blank in Spark, at any white space in Hive.
    blanks = r"\s" if compiling.source == "hive" else " "
    if compiling.source == "hive":
        compiling.report(call.node, WORDS)
    pattern = f"(^|{blanks})([^{blanks}])"
    return called("regexp_replace", "string", f"lower({value.sql})", string(pattern), "x -> x[1] || upper(x[2])")


def _ascii(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    value = text(call.arguments[0], compiling)
    if compiling.source == "hive":
        compiling.report(call.node, FIRST_BYTE)
    first = f"CAST(nullif(substr({value.sql}, 1, 1), '') AS varchar(1))"
    return Term(f"coalesce(codepoint({first}), IF({value.operand} = '', 0))", "int")


def _chr(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    (argument,) = call.arguments
    written = whole_number_of(argument)
    if written is not None and 0 <= written < 256:
        return called("chr", "string", str(written))
    if compiling.source == "hive":
        raise compiling.refused(call.node, ARGUMENTS.because("Hive's chr is of numbers from 0 to 255"))
    number = compiling.converted(argument, "bigint")
    return Term(f"IF({number.operand} < 0, '', chr({number.operand} % 256))", "string")


def _chr_syntax(node: exp.Chr, compiling: Compiling) -> Term:
    return _chr(Call(node, "chr", tuple(node.expressions)), compiling)


def _refused(reason: Reason, call: Call, compiling: Compiling) -> Term:
    raise compiling.refused(call.node, reason)


NODES: NodeRules = {exp.DPipe: _pipes, exp.Trim: _trim_syntax, exp.Chr: _chr_syntax}
CALLS: CallRules = {
    "concat": _concat,
    "concat_ws": _concat_ws,
    **dict.fromkeys(("upper", "ucase"), partial(_letter_case, "upper")),
    **dict.fromkeys(("lower", "lcase"), partial(_letter_case, "lower")),
    **dict.fromkeys(("length", "char_length", "character_length"), _length),
    "octet_length": partial(_octet_length, ""),
    "trim": partial(_trimmed, "BOTH"),
    "ltrim": partial(_trimmed, "LEADING"),
    "rtrim": partial(_trimmed, "TRAILING"),
    "lpad": partial(_padded, "lpad"),
    "rpad": partial(_padded, "rpad"),
    "repeat": _repeat,
    "space": _space,
    "reverse": _reverse,
    "replace": _replace,
    "translate": _translate,
    "initcap": _initcap,
    "ascii": _ascii,
    "chr": _chr,
    **only_in(
        "spark",
        {
            "len": _length,
            "bit_length": partial(_octet_length, "8 * "),
            "btrim": partial(_trimmed, "BOTH"),
            "char": _chr,
        },
    ),
    **dict.fromkeys(_OF_THE_SESSION, partial(_refused, reasons.NONDETERMINISTIC)),
}
