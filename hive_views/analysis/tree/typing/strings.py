"""Types of functions of strings and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hive_views.analysis.query_analysis import DerivedType, beside, both
from hive_views.analysis.tree.typing.casts import in_spark
from hive_views.analysis.tree.typing.context import Context, Rule
from hive_views.analysis.tree.typing.results import arguments, computed, fixed, of_first, plain
from hive_views.hive.types import HiveType

_LONGEST = {"char": 255, "varchar": 65535}
_STRING = HiveType("string")


def _keeps_length(given: Sequence[HiveType]) -> HiveType:
    """Of a char or varchar, Hive makes one of the same length, and a string of all else."""
    return given[0] if given[0].name in _LONGEST else _STRING


def _string(_given: Sequence[HiveType]) -> HiveType:
    return _STRING


def _bytes_or_string(given: Sequence[HiveType]) -> HiveType:
    return given[0] if given[0].name == "binary" else _STRING


def _part_in_hive(given: Sequence[HiveType]) -> HiveType | None:
    # Of NULL, Hive makes bytes.
    return None if given[0].name == "void" else _bytes_or_string(given)


def _in_hive_4_too(given: Sequence[HiveType]) -> HiveType | None:
    # Of bytes, substring makes a string since Hive 4, where substr still makes bytes.
    return None if given[0].name in ("void", "binary") else _STRING


def _string_unless_bytes(given: Sequence[HiveType]) -> HiveType | None:
    return None if given[-1].name == "binary" else _STRING


def _not_of_array(given: Sequence[HiveType]) -> HiveType | None:
    return None if given[0].name == "array" else _STRING


def _reversed_in_spark(given: Sequence[HiveType]) -> HiveType:
    return plain(given[0]) if given[0].name == "array" else _STRING


def _joined_in_hive(given: Sequence[HiveType]) -> HiveType | None:
    kinds = {type_.name for type_ in given}
    # Of bytes, it is a string since Hive 4.
    if "array" in kinds or kinds == {"binary"}:
        return None
    if kinds <= set(_LONGEST):
        name = "char" if kinds == {"char"} else "varchar"
        length = sum(type_.sizes[0] for type_ in given)
        return HiveType(name, (length,)) if length <= _LONGEST[name] else _STRING
    return _STRING


def _joined_in_spark(given: Sequence[HiveType]) -> HiveType | None:
    kinds = {type_.name for type_ in given}
    if "array" in kinds:
        return plain(given[0]) if len(set(given)) == 1 else None
    return given[0] if kinds == {"binary"} else _STRING


def _concat(node: Any, context: Context) -> DerivedType:
    why = "the result differs between releases of Hive, or from Spark"
    return computed([context.of(one) for one in arguments(node)], _joined_in_hive, _joined_in_spark, why)


def _elt(node: Any, context: Context) -> DerivedType:
    return computed([context.of(one) for one in arguments(node)[:2]], _string, _string_unless_bytes)


def _decode(node: Any, context: Context) -> DerivedType:
    """Of bytes, a text; with more arguments, in Spark, one of the values that are named behind others."""
    given = arguments(node)
    if len(given) <= 2:
        return both("string")
    results = given[2::2] + ([given[-1]] if len(given) % 2 == 0 else [])
    types = {in_spark(context.of(one).spark) for one in results}
    # What is not there for other values is a text, beside which the type depends on ANSI mode.
    is_certain = len(types) == 1 and (len(given) % 2 == 0 or types == {"string"})
    return beside(None, types.pop() if is_certain else None, "its results have several types")


NAMED: dict[str, Rule] = {
    **fixed(
        {
            "int": """length char_length character_length octet_length ascii instr locate find_in_set levenshtein
                hash""",
            "string": """trim ltrim rtrim initcap base64 hex md5 sha sha1 sha2 soundex space chr concat_ws repeat
                translate regexp_replace regexp_extract replace substring_index get_json_object parse_url conv
                format_number printf xpath_string current_user
                currentuser current_database currentdatabase version uuid reflect java_method""",
            "bigint": "crc32",
            "binary": "unbase64 unhex encode aes_encrypt aes_decrypt",
            "boolean": "xpath_boolean",
            "float": "xpath_float",
            "double": "xpath_double xpath_number",
            "smallint": "xpath_short",
        }
    ),
    **of_first(_keeps_length, _string, "upper lower ucase lcase"),
    **of_first(_part_in_hive, _bytes_or_string, "substr"),
    **of_first(_in_hive_4_too, _bytes_or_string, "substring"),
    **of_first(_string, _string_unless_bytes, "lpad rpad"),
    **of_first(_not_of_array, _reversed_in_spark, "reverse"),
    "decode": _decode,
    "elt": _elt,
    "concat": _concat,
}
