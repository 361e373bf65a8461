"""Parts of URLs, by regular expressions: Trino's own functions decode them."""

from __future__ import annotations

import re
from typing import Any

from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.strings.literal_values import text_of
from hive_views.translation.to_trino.expressions.strings.string_arguments import ARGUMENTS, count_arguments, text
from hive_views.translation.to_trino.terms import Compiling, Term, called, string
from hive_views.translation.translation_findings import Kind, Reason

NOT_A_URL = Reason(
    "not-a-url",
    Kind.EDGE,
    "texts that are no URLs are taken apart all the same",
    (("Hive", "NULL unless it is of http, https, ftp or file"), ("Spark", "NULL or an error"), ("Trino", "a part")),
)

_IN_HIVE = "^(?i:https?|ftp|file):"
_IN_SPARK = "^[A-Za-z][A-Za-z0-9+.\\-]*:"
_PARTS = {
    "HOST": r"//(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:\[]*)",
    "PATH": r"//[^/?#]*([^?#]*)",
    "QUERY": r"[^?#]*\?([^#]*)",
    "REF": r"[^#]*#([\s\S]*)",
    "FILE": r"//[^/?#]*([^#]*)",
    "AUTHORITY": r"//([^/?#]*)",
    "USERINFO": r"//([^/?#@]*)@",
}
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def parse_url(call: Call, compiling: Compiling) -> Term:
    """A part of a URL that is named by a literal."""
    count_arguments(call, compiling, 2, 3)
    url, part, *keys = call.arguments
    written = text_of(part) or ""
    value = text(url, compiling)
    scheme = _IN_HIVE if compiling.source == "hive" else _IN_SPARK
    if keys:
        pattern = _of_key(keys[0], written)
    elif written == "PROTOCOL":
        pattern = f"{scheme[:1]}({scheme[1:-1]}):" if compiling.source == "spark" else "^((?i:https?|ftp|file)):"
    else:
        pattern = _PARTS.get(written)
    if pattern is None:
        raise compiling.refused(call.node, ARGUMENTS)
    compiling.report(call.node, NOT_A_URL)
    if written == "PROTOCOL":
        found = called("regexp_extract", "string", value, string(pattern), "1")
        return called("lower", "string", found) if compiling.source == "hive" else found
    return called("regexp_extract", "string", value, string(scheme + pattern), "1")


def _of_key(key: Any, part: str) -> str | None:
    name = text_of(key) or ""
    if part != "QUERY" or not _KEY.fullmatch(name):
        return None
    return rf"[^?#]*\?(?:[^#]*?&)??{name}=([^&#]*)"


def url_encode(call: Call, compiling: Compiling) -> Term:
    """A string as part of a URL."""
    count_arguments(call, compiling, 1)
    return called("url_encode", "string", text(call.arguments[0], compiling))


def url_decode(call: Call, compiling: Compiling) -> Term:
    """A part of a URL as a string."""
    count_arguments(call, compiling, 1)
    return called("url_decode", "string", text(call.arguments[0], compiling))
