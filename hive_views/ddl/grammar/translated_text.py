"""``DIALECT trino TRANSLATED FROM hive [ALLOW 'code', ...]``: a text translated from another one of its view."""

from __future__ import annotations

from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import TranslatedText
from hive_views.sql.hive_grammar.lexer import Token


def translated_text(
    reader: Reader, dialect: str, *, before_dialect: bool = False
) -> tuple[TranslatedText, Token] | None:
    """What follows ``DIALECT name``, with the place of its source; None if it is ``AS`` and a text.

    With ``before_dialect``, another text may follow.
    """
    if not reader.at("TRANSLATED"):
        if not reader.at("AS"):
            raise reader.unexpected("AS", "TRANSLATED FROM")
        return None
    reader.expect("TRANSLATED", "FROM")
    token = reader.token
    source = reader.dialect_name()
    if source == dialect:
        raise reader.unexpected("another dialect", token=token, hint=f"This text is itself the one in {dialect}.")
    allow: list[str] = []
    possible = ["ALLOW"]
    if reader.accept("ALLOW"):
        possible = [","]
        allow.append(reader.string("the code of a difference in quotes"))
        while reader.accept(","):
            allow.append(reader.string("the code of a difference in quotes"))
    if not (before_dialect and reader.at("DIALECT")):
        reader.end(*possible, *(["DIALECT"] if before_dialect else []))
    return TranslatedText(dialect, source, tuple(sorted(set(allow)))), token
