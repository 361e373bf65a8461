"""Functions between strings and bytes, digests, and strings by a format."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from hive_views.hive.types import parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.branches import decoded
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of, whole_number_of
from hive_views.translation.to_trino.expressions.strings.string_arguments import (
    ARGUMENTS,
    count_arguments,
    hive_counts_in_utf_16,
    integer,
    only_in,
    text,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, string
from hive_views.translation.translation_findings import Kind, Reason

BASE64_LINES = Reason(
    "base64-lines",
    Kind.DIFFERENT,
    "releases of Spark write a line break after each 76 digits, Trino none",
)
BASE64_DIGITS = Reason(
    "base64-digits", Kind.STRICTER, "of a string with other characters than digits of base 64, Trino makes an error"
)
CHARSET = Reason("charset", Kind.UNSUPPORTED, "Trino knows no charset but UTF-8")
SOUNDEX = Reason("soundex", Kind.UNSUPPORTED, "of other characters than letters, each engine makes something else")
FORMAT = Reason("format", Kind.UNSUPPORTED, "it is not known whether Trino formats it in the same way")
HASH = Reason("hash", Kind.UNSUPPORTED, "each engine computes another number")

_PLACEHOLDER = re.compile(r"%(?:(\d+)\$)?([-+ 0,(#]*)(\d+)?(\.\d+)?([a-zA-Z%])")
_AS_THEY_ARE = frozenset(("string", "varchar", "double", "float", "boolean"))
_WHOLE = frozenset(("tinyint", "smallint", "int", "bigint"))


def _bytes_of(node: Any, compiling: Compiling) -> Term:
    if compiling.type_of(node) == "binary":
        return compiling.term(node)
    return called("to_utf8", "binary", text(node, compiling))


def _base64(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    if compiling.source == "spark":
        compiling.report(call.node, BASE64_LINES)
    return called("to_base64", "string", _bytes_of(call.arguments[0], compiling))


def _unbase64(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    compiling.report(call.node, BASE64_DIGITS)
    return called("from_base64", "binary", text(call.arguments[0], compiling))


def _encode(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    _check_charset(call, compiling)
    return called("to_utf8", "binary", text(call.arguments[0], compiling))


def _decode(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) > 2 and compiling.source == "spark":
        return decoded(call, compiling)
    count_arguments(call, compiling, 2)
    _check_charset(call, compiling)
    return called("from_utf8", "string", compiling.converted(call.arguments[0], "binary"))


def _check_charset(call: Call, compiling: Compiling) -> None:
    if (text_of(call.arguments[1]) or "").lower() not in ("utf-8", "utf8"):
        raise compiling.refused(call.node, CHARSET)


def _digest(function: str, call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    return _hexadecimal(function, call.arguments[0], compiling)


def _hexadecimal(function: str, node: Any, compiling: Compiling) -> Term:
    return Term(f"lower(to_hex({function}({_bytes_of(node, compiling).sql})))", "string")


def _sha2(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    function = {0: "sha256", 256: "sha256", 512: "sha512"}.get(whole_number_of(call.arguments[1]) or 0)
    if function is None or whole_number_of(call.arguments[1]) is None:
        raise compiling.refused(call.node, ARGUMENTS.because("Trino has SHA-256 and SHA-512"))
    return _hexadecimal(function, call.arguments[0], compiling)


def _crc32(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 1)
    return called("crc32", "bigint", _bytes_of(call.arguments[0], compiling))


def _levenshtein(call: Call, compiling: Compiling) -> Term:
    count_arguments(call, compiling, 2)
    hive_counts_in_utf_16(call.node, compiling, *call.arguments)
    return integer(called("levenshtein_distance", "bigint", *(text(one, compiling) for one in call.arguments)))


def _formatted(call: Call, compiling: Compiling) -> Term:
    written = text_of(call.arguments[0]) if call.arguments else None
    if written is None:
        raise compiling.refused(call.node, FORMAT.because("the format is not written there"))
    given = call.arguments[1:]
    uses, rest, at = [], written, 0
    for found in _PLACEHOLDER.finditer(written):
        rest = rest.replace(found[0], "", 1)
        if found[5] in "%n":
            continue
        if found[1] is None:
            at += 1
        uses.append((int(found[1] or at) - 1, found))
    if "%" in rest or any(not 0 <= place < len(given) for place, _ in uses):
        raise compiling.refused(call.node, FORMAT)
    terms = [
        _formatted_value(one, [found for at, found in uses if at == place], call, compiling)
        for place, one in enumerate(given)
    ]
    if not terms:
        return Term(string(written.replace("%%", "%").replace("%n", "\n")), "string")
    return called("format", "string", string(written), *terms)


def _formatted_value(node: Any, uses: list[re.Match[str]], call: Call, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    for found in uses:
        if not _is_formatted_alike(found[5], found[2], parse_hive_type(type_).name, compiling.source):
            raise compiling.refused(call.node, FORMAT.because(f"%{found[5]} of {type_}"))
    term = compiling.term(node)
    # Hive takes a decimal for a double.
    return Term(f"CAST({term.sql} AS double)", "double") if type_.startswith("decimal") else term


def _is_formatted_alike(conversion: str, flags: str, type_: str, source: str) -> bool:
    if conversion == "s":
        return "#" not in flags and (type_ in _WHOLE or type_ in _AS_THEY_ARE)
    if conversion == "d":
        return type_ in _WHOLE
    if conversion in "xX":
        # Trino has a bigint of every whole number.
        return type_ == "bigint"
    return conversion in "feE" and type_ in ("double", "float", *(["decimal"] if source == "hive" else []))


def _refused(reason: Reason, call: Call, compiling: Compiling) -> Term:
    raise compiling.refused(call.node, reason)


NODES: NodeRules = {}
CALLS: CallRules = {
    "base64": _base64,
    "unbase64": _unbase64,
    "encode": _encode,
    "decode": _decode,
    "md5": partial(_digest, "md5"),
    **dict.fromkeys(("sha", "sha1"), partial(_digest, "sha1")),
    "sha2": _sha2,
    "crc32": _crc32,
    "levenshtein": _levenshtein,
    "printf": _formatted,
    **only_in("spark", {"format_string": _formatted}),
    "soundex": partial(_refused, SOUNDEX),
    **dict.fromkeys(("hash", "murmur_hash", "xxhash64"), partial(_refused, HASH)),
}
