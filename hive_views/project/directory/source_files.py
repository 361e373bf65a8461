"""The files of a project as texts: which ones belong to it, and how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hive_views.errors import InvalidInputError
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.project_settings import SETTINGS

SUFFIX = ".sql"
LINK = "It is a symbolic link, which other machines and revisions of git do not follow: put the files themselves here."


@dataclass
class FoundFiles:
    """The files of a project.

    Attributes:
        texts: by path in the project, with ``/``.
        errors: of those that cannot be read.
    """

    texts: dict[str, str] = field(default_factory=dict)
    errors: list[FileError] = field(default_factory=list)

    def add(self, path: str, content: bytes) -> None:
        """A file with its content."""
        try:
            self.texts[path] = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode("utf-8")
            shown = error.object.decode("utf-8", "replace")
            message = f"The byte 0x{error.object[error.start]:02x} is not UTF-8: save the file as UTF-8."
            self.errors.append(FileError.at(path, shown, len(before), message))

    def refuse(self, path: str, message: str) -> None:
        """What is no file that can be read."""
        self.errors.append(FileError.of_whole(path, message))


def belongs(path: str) -> bool:
    """Whether a path is that of a file of a project: project.toml, or SQL that is not hidden."""
    return path == SETTINGS or (path.lower().endswith(SUFFIX) and not is_hidden(path.split("/")))


def is_hidden(names: Iterable[str]) -> bool:
    """Whether one of the names of a path begins with a dot."""
    return any(name.startswith(".") for name in names)


def files_of_directory(directory: str | os.PathLike[str]) -> FoundFiles:
    """The files of the project in a directory.

    Raises:
        InvalidInputError: there is no such directory.
    """
    top = Path(directory).expanduser()
    if not top.is_dir():
        raise InvalidInputError(f"There is no directory {top}.", location=str(top))
    found = FoundFiles()

    def unreadable(error: OSError) -> None:
        found.refuse(Path(error.filename or top).relative_to(top).as_posix(), f"It cannot be read: {error.strerror}.")

    for folder, folders, names in os.walk(top, onerror=unreadable):
        inside = Path(folder).relative_to(top)
        folders[:] = sorted(name for name in folders if not is_hidden([name]))
        for name in [*folders, *names]:
            path, file = (inside / name).as_posix(), Path(folder, name)
            if name in folders:
                if file.is_symlink():
                    found.refuse(path, LINK)
            elif belongs(path):
                if file.is_symlink():
                    found.refuse(path, LINK)
                    continue
                try:
                    found.add(path, file.read_bytes())
                except OSError as error:
                    unreadable(error)
    return found
