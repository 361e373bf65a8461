"""Contracts: the columns that a view must go on to have, as its property ``contract`` says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hive_views.ddl.grammar.parse import parse_changes
from hive_views.ddl.grammar.table_changes import ReplaceColumns
from hive_views.errors import HiveViewsError, InvalidSchemaError, SQLSyntaxError
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type
from hive_views.messages.did_you_mean import nearest
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.view_definition import ViewDefinition

CONTRACT = "contract"
"""The property of a view with the columns that must be there, as ``'user_id bigint, clicks decimal(10,2)'``."""

_KEY = re.compile(rf"""['"]{CONTRACT}['"]""")


def contract_errors(
    definition: ViewDefinition, resulting: Sequence[tuple[str, str]], text: str = ""
) -> tuple[FileError, ...]:
    """How a view would break its contract: columns that it would not have, or not with these types.

    The order of columns does not matter, and a view may have further ones.

    Args:
        definition: of the view.
        resulting: names and Hive types of the columns that it would have.
        text: of its file, as its author sees it, in which the contract is found.
    """
    contract = definition.properties.get(CONTRACT)
    if contract is None:
        return ()
    return tuple(_error(definition, text, problem) for problem in _problems(definition, contract, resulting))


def _problems(definition: ViewDefinition, contract: str, resulting: Sequence[tuple[str, str]]) -> Iterator[str]:
    try:
        promised = _columns(contract)
    except HiveViewsError as error:
        problem = error.problem if isinstance(error, SQLSyntaxError) else error.message
        yield (
            f"The contract of {definition.view} cannot be read: {problem} Write names and Hive types, as in "
            f"'{CONTRACT}' = 'user_id bigint, clicks decimal(10,2)'."
        )
        return
    found = {name.lower(): type_ for name, type_ in resulting}
    for one in promised:
        name = one.name.lower()
        if name not in found:
            near = nearest(name, found)
            meant = f" (it would have {near})" if near else ""
            yield f"The contract of {definition.view} promises a column {name}, which it would not have{meant}. {_WAY}"
        elif not _is_same(one.type, found[name]):
            yield (
                f"The contract of {definition.view} promises {name} as {parse_hive_type(one.type)}, and it would be "
                f"{found[name]}. {_WAY}"
            )


_WAY = "Keep the column, or change the contract."


def _columns(contract: str) -> Sequence[Column]:
    """
    Raises:
        HiveViewsError: it is no list of columns.
    """
    script = parse_changes(f"ALTER TABLE a REPLACE COLUMNS ({contract}\n)", "hive")
    statement = script[0].statement
    if len(script) != 1 or not isinstance(statement, ReplaceColumns):
        raise InvalidSchemaError("it is no list of columns.")
    for one in statement.columns:
        parse_hive_type(one.type)
    return statement.columns


def _is_same(promised: str, found: str) -> bool:
    try:
        return parse_hive_type(promised) == parse_hive_type(found)
    except InvalidSchemaError:  # a type that Hive does not have
        return False


def _error(definition: ViewDefinition, text: str, message: str) -> FileError:
    start = sum(len(line) + 1 for line in text.split("\n")[: definition.line - 1])
    found = _KEY.search(text, start)
    if found is None:
        return FileError(definition.file, definition.line, 1, message)
    return FileError.at(definition.file, text, found.start(), message)
