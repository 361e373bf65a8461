"""A project as its files say it: read from a directory, or from a revision of git."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_views.project.files.project_settings import ProjectSettings
from hive_views.project.files.view_definition import ViewDefinition


@dataclass(frozen=True)
class FileError:
    """What is wrong in a file.

    Attributes:
        file: its path in the project, with ``/``.
        line: from 1; None if it is about the file as a whole.
        column: from 1; None where line is.
        message: what is wrong, and the way out.
        excerpt: the line with a caret below; None where line is.
    """

    file: str
    line: int | None
    column: int | None
    message: str
    excerpt: str | None = None


@dataclass(frozen=True)
class Project:
    """The files of a project, read.

    Attributes:
        settings: those of project.toml, with variables from the call.
        definitions: by name of the view, in the order of the paths.
        texts: by path, the text of each file as it was parsed.
    """

    settings: ProjectSettings
    definitions: Mapping[str, ViewDefinition]
    texts: Mapping[str, str]
