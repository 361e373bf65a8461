"""How Hive and Spark quote names and string literals."""

from __future__ import annotations

import re

from hive_views.sql import parser
from hive_views.sql.dialects import require_row_dialect
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MALFORMED_UNICODE_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?![0-9A-Fa-f]{4})")
_ESCAPE_OTHER_THAN_OF_A_QUOTE = re.compile(r"\\(?!')")
_UNSAFE_OR_ESCAPE = re.compile(r"\\?([^\x00-\x7f]|\$(?=\{))|\\.", re.DOTALL)


def quote_identifier(name: str) -> str:
    """The name in backticks, as Hive, Spark and Impala write it."""
    return "`" + name.replace("`", "``") + "`"


def quote_literal(text: str) -> str:
    """The text as a string literal in printable ASCII that Hive and Spark read back the same."""
    plain = "'" + "".join(_ESCAPES.get(char) or (char if " " <= char <= "~" else _escaped(char)) for char in text) + "'"
    return _safe_literal(plain)


def safe_literals(query: QueryText) -> QueryText:
    r"""The text with string literals that no reader and no database changes.

    Non-ASCII characters in them are written as ``\uXXXX``, which a metastore on a latin1 database keeps. So is the
    dollar of ``${``, because Spark substitutes variables in every text that it reads, including that of a view. Hive
    and Spark read such literals back the same. Names and comments are not changed, nor is a literal with a malformed
    ``\u`` escape, which the two engines read differently.

    Raises:
        SQLSyntaxError: the text cannot be split into tokens.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    require_row_dialect(query.dialect)
    if query.isascii() and "${" not in query:
        return query
    literals = parser.string_literals(query.tokens)
    edits = [Edit(start, end, _safe_literal(query[start:end])) for start, end in literals]
    return QueryText(edited(query, edits), query.dialect)


def literals_that_coral_misreads(query: QueryText) -> list[str]:
    r"""The string literals with backslashes other than in ``\'``.

    Coral, with which Trino translates Hive views unless ``hive.hive-views.legacy-translation`` is set, takes escapes
    literally: ``'\n'`` is two characters there and ``'\u03A9'`` six, without an error. Seen with Trino 476.

    Raises:
        SQLSyntaxError: the text cannot be split into tokens.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    require_row_dialect(query.dialect)
    if "\\" not in query:
        return []
    literals = (query[start:end] for start, end in parser.string_literals(query.tokens))
    return [literal for literal in literals if _ESCAPE_OTHER_THAN_OF_A_QUOTE.search(literal)]


def _safe_literal(literal: str) -> str:
    if _MALFORMED_UNICODE_ESCAPE.search(literal):
        return literal
    # A backslash before a character that needs none means the character itself, so the escape replaces both.
    return _UNSAFE_OR_ESCAPE.sub(lambda match: _escaped(match[1]) if match[1] else match[0], literal)


def _escaped(char: str) -> str:
    """The UTF-16 units of the character, as Java's string escapes count them."""
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
