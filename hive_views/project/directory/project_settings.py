"""The settings of a project, from the file project.toml in its directory."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.variables import VARIABLE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SETTINGS = "project.toml"
MAX_NAME = 64
_KEYS = ("name", "variables")
_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True)
class ProjectSettings:
    """What project.toml says.

    Attributes:
        name: of the project: recorded with the views that it creates, and locked by an apply. ASCII letters, digits,
            ``_`` and ``-``.
        variables: the values of ``${name}`` in its files, by name.
    """

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)


def read_settings(
    directory: str, text: str | None, given: Mapping[str, str]
) -> tuple[ProjectSettings | None, list[FileError]]:
    """The settings in the text of project.toml, with values of the call; None if nothing of it can be read.

    Raises:
        InvalidInputError: there is no such file, or it does not declare a variable of the call.
    """
    if text is None:
        raise InvalidInputError(
            f'{directory} is not a project: there is no {SETTINGS} in it. Write one with the line name = "..." '
            f"(ASCII letters, digits, '_' and '-').",
            location=directory,
        )
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [_unreadable(text, str(error))]
    errors = [
        _at_key(text, key, f"There is no key {key!r}. {did_you_mean(key, _KEYS)}") for key in content.keys() - _KEYS
    ]
    name, variables = content.get("name"), content.get("variables", {})
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        problem = "There is no name" if name is None else f"{name!r} cannot be the name of a project"
        message = f"{problem}: write name = \"...\" with at most {MAX_NAME} ASCII letters, digits, '_' and '-'."
        errors.append(_at_key(text, "name", message))
    if not isinstance(variables, dict):
        errors.append(_at_key(text, "variables", "Declare variables in a table: [variables]."))
        variables = {}
    wrong = {key: _problem(key, value) for key, value in variables.items()}
    errors += (_at_key(text, key, why) for key, why in wrong.items() if why)
    declared = {key: str(value) for key, value in variables.items()}
    for key in given:
        if key not in declared:
            raise InvalidInputError(
                f"{SETTINGS} declares no variable {key!r}. {did_you_mean(key, declared)} Declare it below [variables], "
                f"with the value that it has by default.",
                key=key,
            )
    return ProjectSettings(name if isinstance(name, str) else "", {**declared, **given}), errors


def _problem(key: str, value: Any) -> str | None:
    if not VARIABLE.fullmatch(key):
        return (
            f"{key!r} cannot be the name of a variable: it begins with a letter or '_', with digits and '-' after it."
        )
    return None if isinstance(value, str) else f"The value of {key} is not a text: write it in quotes."


def _unreadable(text: str, problem: str) -> FileError:
    place = _PLACE.search(problem)
    message = f"It is not TOML: {problem[: place.start()] if place else problem}."
    if not place:
        return FileError.at(SETTINGS, text, len(text), message)
    before = "".join(text.splitlines(keepends=True)[: int(place[1]) - 1])
    return FileError.at(SETTINGS, text, min(len(before) + int(place[2]) - 1, len(text)), message)


def _at_key(text: str, key: str, message: str) -> FileError:
    found = re.search(rf"""^[ \t]*\[*[ \t]*["']?({re.escape(key)})["']?[ \t]*[]=]""", text, re.MULTILINE)
    return FileError.at(SETTINGS, text, found.start(1), message) if found else FileError.of_whole(SETTINGS, message)
