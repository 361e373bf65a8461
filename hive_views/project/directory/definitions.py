"""From the text of one file to the view that it declares, or to what is wrong in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hive_views.ddl.grammar.parse import ScriptStatement, parse_script
from hive_views.ddl.grammar.statements import CreateView, UseNamespace, ViewStatement
from hive_views.errors import HiveViewsError, InvalidInputError, SQLSyntaxError, TranslationRefusedError
from hive_views.hive.row import COMMENT
from hive_views.messages.excerpt import offset_of
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.variables import SourceText
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.query import QueryText
from hive_views.views.row.reserved_properties import check_properties, is_settable

_FORM = "CREATE OR REPLACE VIEW ... AS ..."
# What is found otherwise at the beginning may be a name.
_BEGINS_A_SENTENCE = re.compile(r"(there|found|it|the|this|a|an|only)\b")
_PLACE = re.compile(r"^Cannot [^:]*? at line \d+, column \d+: ")


class _WrongError(Exception):
    """What is wrong at an offset of the parsed text."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset, self.message = offset, message


def read_definition(source: SourceText) -> tuple[ViewDefinition | None, list[FileError]]:
    """The view that a file declares, or what is wrong in it."""
    folder, _, name = source.file.rpartition("/")
    if not folder or "/" in folder:
        message = "It is not in the folder of a namespace: move it to <namespace>/<view>.sql."
        return None, [FileError.of_whole(source.file, message)]
    try:
        return _definition(source, folder, name[: name.rindex(".")]), []
    except SQLSyntaxError as error:
        return None, [source.error(error.offset or 0, _sentence(error))]
    except _WrongError as wrong:
        return None, [source.error(wrong.offset, wrong.message)]


def error_in(
    source: SourceText, definition: ViewDefinition, error: HiveViewsError, dialect: str | None = None
) -> FileError:
    """An error that was found in one of the texts of a view, with its place in the file."""
    offset, of = getattr(error, "offset", None), dialect or getattr(error, "dialect", None)
    start = definition.starts.get(of or "")
    at = definition.offset if offset is None or start is None else start + offset
    return source.error(at, _sentence(error))


def errors_in(source: SourceText, definition: ViewDefinition, error: HiveViewsError) -> list[FileError]:
    """The same; of a translation that is refused, an error for each reason."""
    if not isinstance(error, TranslationRefusedError) or not error.findings:
        return [error_in(source, definition, error)]
    dialect, text = error.source
    start = definition.starts[dialect]
    said = f"Cannot translate the {dialect} SQL to {error.dialect}"
    found = []
    for one in error.findings:
        at = definition.offset if one.line is None else start + offset_of(text, one.line, one.column or 1)
        found.append(source.error(at, f"{said}: {one.described()} [{one.reason.code}]"))
    return found


def _definition(source: SourceText, folder: str, file_name: str) -> ViewDefinition:
    statements = parse_script(source.parsed)
    offsets = _offsets(source.parsed, statements)
    create, offset, namespace = _only_create(statements, offsets, folder)
    if create.if_not_exists:
        raise _WrongError(offset, f"Leave out IF NOT EXISTS: a file says what the view is to be ({_FORM}).")
    try:
        view = create.name.resolve(namespace)
        check_properties(dict(create.properties))
    except InvalidInputError as error:
        raise _WrongError(offset, error.message) from error
    if create.name.namespace is None and view.name != file_name.lower():
        raise _WrongError(
            offset,
            f"The file of the view {view.name} is {view.name}.sql: rename the file or the view, or write the name with "
            f"its database ({view}).",
        )
    if key := next((one for one in dict(create.properties) if not is_settable(one)), None):
        raise _WrongError(offset, f"Leave out the property {key!r}: whose rights a view has is no part of its file.")
    texts: dict[str, QueryText] = {**create.texts}
    properties = dict(create.properties)
    comment = properties.pop(COMMENT, None)
    return ViewDefinition(
        view,
        texts,
        create.columns,
        comment if create.comment is None else create.comment,
        create.partitioned_on,
        properties,
        namespace,
        source.file,
        source.written.count("\n", 0, source.written_offset(offset)) + 1,
        offset,
        _starts(source.parsed, offset + len(statements[-1].text), texts),
        {one.dialect: one for one in create.translated},
    )


def _only_create(
    statements: tuple[ScriptStatement[ViewStatement], ...], offsets: list[int], folder: str
) -> tuple[CreateView, int, str]:
    """The one statement that creates a view, its offset, and the namespace of names without one."""
    namespace: str | None = None
    found: tuple[CreateView, int] | None = None
    for each, offset in zip(statements, offsets, strict=True):
        match each.statement:
            case UseNamespace(name) if namespace is None and found is None:
                namespace = _namespace(name, offset)
            case CreateView() as create if found is None:
                found = create, offset
            case CreateView():
                raise _WrongError(offset, "A file defines one view: put this one into a file of its own.")
            case UseNamespace():
                raise _WrongError(offset, f"USE stands once, before {_FORM}.")
            case _:
                raise _WrongError(
                    offset,
                    f"A file says what its view is to be, in one statement: {_FORM}. Leave out what changes it or "
                    f"asks for something.",
                )
    if found is None:
        raise _WrongError(0, f"It has no statement: write {_FORM}, or delete the file.")
    if namespace is not None:
        return *found, namespace
    try:
        return *found, check_namespace(folder)
    except InvalidInputError as error:
        message = f"The folder {folder!r} is not named like a namespace: rename it, or write USE <namespace>; first."
        raise _WrongError(found[1], message) from error


def _namespace(name: str, offset: int) -> str:
    try:
        return check_namespace(name)
    except InvalidInputError as error:
        raise _WrongError(offset, error.message) from error


def _offsets(text: str, statements: tuple[ScriptStatement[ViewStatement], ...]) -> list[int]:
    offsets: list[int] = []
    lines = [0, *(found.end() for found in re.finditer("\n", text))]
    for each in statements:
        offsets.append(text.index(each.text, max(lines[each.line - 1], offsets[-1] + 1 if offsets else 0)))
    return offsets


def _starts(text: str, end: int, texts: Mapping[str, QueryText]) -> dict[str, int]:
    """Where each text begins: the last one ends with the statement, each before it ends before the next one."""
    starts: dict[str, int] = {}
    for dialect in reversed([*texts]):
        end = starts[dialect] = text.rindex(texts[dialect], 0, end)
    return starts


def _sentence(error: HiveViewsError) -> str:
    """What is wrong, without a place in another text, and the way out if it is that of an author of files too."""
    message = _PLACE.sub("", getattr(error, "problem", "") or error.message)
    if _BEGINS_A_SENTENCE.match(message):
        message = message[0].upper() + message[1:]
    if error.remedy and error.remedy.in_python == error.remedy.in_shell:
        return f"{message} {error.remedy}"
    return message
