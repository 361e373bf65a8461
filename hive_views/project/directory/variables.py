"""Variables in the files of a project: ``${name}`` stands for its value, and ``$${`` for ``${``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from hive_views.messages.did_you_mean import nearest
from hive_views.project.directory.file_error import FileError

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_REPLACED = re.compile(rf"\$\$\{{|\$\{{({VARIABLE.pattern})\}}")
_ESCAPED = re.compile(rf"(?<=\$)\$\{{|\$\{{(?={VARIABLE.pattern}\}})")


@dataclass(frozen=True)
class SourceText:
    """A file of a project, before and after its variables were replaced.

    Attributes:
        file: its path in the project, with ``/``.
        written: the text as its author sees it.
        parsed: the same with the values of variables.
        starts: where parts of ``parsed`` begin, in it and in ``written``, and whether they are equal in both.
    """

    file: str
    written: str
    parsed: str
    starts: tuple[tuple[int, int, bool], ...]

    def error(self, offset: int, message: str) -> FileError:
        """The error at an offset of ``parsed``, with the place that its author sees."""
        return FileError.at(self.file, self.written, self.written_offset(offset), message)

    def written_offset(self, offset: int) -> int:
        """The offset in ``written`` of one in ``parsed``; of a value, that of its variable."""
        at, written_at, is_equal = self.starts[bisect_right(self.starts, (offset, len(self.written), True)) - 1]
        return written_at + (offset - at if is_equal else 0)


def with_values(file: str, written: str, values: Mapping[str, str]) -> tuple[SourceText, list[FileError]]:
    """A text with the values of its variables, and an error for each that has none."""
    parts: list[str] = []
    starts: list[tuple[int, int, bool]] = [(0, 0, True)]
    errors: list[FileError] = []
    length = end = 0
    for found in _REPLACED.finditer(written):
        name = found[1]
        if name is not None and name not in values:
            errors.append(FileError.at(file, written, found.start(), _undeclared(name, values)))
        value = "${" if name is None else values.get(name, found[0])
        before = written[end : found.start()]
        parts += (before, value)
        starts.append((length + len(before), found.start(), False))
        length, end = length + len(before) + len(value), found.end()
        starts.append((length, end, True))
    return SourceText(file, written, "".join([*parts, written[end:]]), tuple(starts)), errors


def escaped(text: str) -> str:
    """The text in which nothing is taken for a variable: ``with_values`` gives back what it was."""
    return _ESCAPED.sub("$${", text)


def _undeclared(name: str, values: Mapping[str, str]) -> str:
    near = nearest(name, values)
    meant = f" Did you mean ${{{near}}}?" if near else ""
    return (
        f"There is no variable {name}.{meant} Declare it in project.toml below [variables], "
        f"or write $${{{name}}} where no variable is meant."
    )
