"""CREATE VIEW and DROP VIEW."""

from __future__ import annotations

from hive_views.ddl.grammar.column_types import column_type
from hive_views.ddl.grammar.partition_clauses import equals
from hive_views.ddl.grammar.reader import Reader
from hive_views.ddl.grammar.statements import CreateView, DropView, OutputColumn, TranslatedText
from hive_views.ddl.grammar.translated_text import translated_text
from hive_views.sql.hive_grammar.lexer import Token
from hive_views.sql.query import QueryText

_CLAUSES = ("COMMENT", "PARTITIONED ON", "TBLPROPERTIES", "AS", "DIALECT")
_ORDER = "The order of clauses, each at most once, is: (columns) COMMENT, PARTITIONED ON, TBLPROPERTIES, AS."


def create_view(reader: Reader, *, replace: bool = False) -> CreateView:
    """What follows CREATE [OR REPLACE] VIEW."""
    if replace and reader.at("IF"):
        raise reader.unexpected("the name of a view", hint="OR REPLACE and IF NOT EXISTS cannot be combined.")
    if_not_exists = reader.is_given("NOT", "EXISTS")
    name = reader.qualified_name()
    columns = reader.list_of(lambda: _column(reader)) if reader.at("(") else None
    comment = reader.string("a comment") if reader.accept("COMMENT") else None
    partitioned_on: tuple[str, ...] = ()
    if reader.accept("PARTITIONED", "ON"):
        partitioned_on = reader.list_of(lambda: reader.name("a column"))
    properties = properties_list(reader) if reader.accept("TBLPROPERTIES") else ()
    if not reader.at("AS", "DIALECT"):
        done = max(place for place, clause in enumerate((True, comment, partitioned_on, properties)) if clause)
        possible = _CLAUSES[done:] if done or columns else ("(", *_CLAUSES)
        late = reader.at("(", "COMMENT", "PARTITIONED", "TBLPROPERTIES")
        raise reader.unexpected(*possible, hint=_ORDER if late else None)
    (query, *others), translated = _texts(reader)
    return CreateView(
        name,
        query,
        replace=replace,
        if_not_exists=if_not_exists,
        columns=columns,
        comment=comment,
        partitioned_on=partitioned_on,
        properties=properties,
        others=tuple(others),
        translated=tuple(translated),
    )


def _texts(reader: Reader) -> tuple[list[QueryText], list[TranslatedText]]:
    """The texts that are given, at least one, and those that are translated from them.

    ``AS`` and the text in the dialect of the whole come first, then the others, each behind ``DIALECT name``.
    """
    texts = [reader.query(before_dialect=True)] if reader.accept("AS") else []
    given: set[str] = {one.dialect for one in texts}
    translated: list[tuple[TranslatedText, Token]] = []
    while reader.accept("DIALECT"):
        token = reader.token
        dialect = reader.dialect_name()
        if dialect in given:
            raise reader.unexpected("another dialect", token=token, hint=f"A view has one text in {dialect}.")
        given.add(dialect)
        found = translated_text(reader, dialect, before_dialect=True)
        if found:
            translated.append(found)
        else:
            reader.expect("AS")
            texts.append(reader.query(dialect, before_dialect=True))
    dialects = [one.dialect for one in texts]
    for one, token in translated:
        if one.source not in dialects:
            hint = f"The statement gives no text in {one.source}, from which the one in {one.dialect} is translated."
            raise reader.unexpected("the dialect of a text", token=token, hint=hint)
    return texts, [one for one, _ in translated]


def drop_view(reader: Reader) -> DropView:
    """What follows DROP VIEW."""
    if_exists = reader.is_given("EXISTS")
    return DropView(reader.qualified_name(), if_exists)


def properties_list(reader: Reader) -> tuple[tuple[str, str], ...]:
    """``('key'='value', ...)``; of two values for a key the last one counts, as in Hive."""

    def pair() -> tuple[str, str]:
        key = reader.string("a key in quotes")
        equals(reader)
        return key, reader.string("a value in quotes")

    return tuple(dict(reader.list_of(pair)).items())


def _column(reader: Reader) -> OutputColumn:
    name = reader.name("a column")
    # Names of types are reserved words.
    type_ = column_type(reader) if reader.token.kind == "word" and not reader.at("COMMENT") else None
    if reader.accept("COMMENT"):
        return OutputColumn(name, reader.string("a comment"), type_)
    if not reader.at(",", ")"):
        raise reader.unexpected(*([] if type_ else ["a type"]), "COMMENT", ",", ")")
    return OutputColumn(name, type=type_)
