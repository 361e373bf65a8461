"""A project as its files say it: read from a directory, or from a revision of git."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_views.errors import HiveViewsError
from hive_views.project.directory.definitions import error_in, errors_in, read_definition
from hive_views.project.directory.file_error import FileError
from hive_views.project.directory.git_revision import files_of_revision
from hive_views.project.directory.project_settings import SETTINGS, ProjectSettings, read_settings
from hive_views.project.directory.source_files import FoundFiles, files_of_directory
from hive_views.project.directory.variables import SourceText, with_values
from hive_views.project.directory.view_definition import ViewDefinition

__all__ = ["FileError", "Project", "read_project"]


@dataclass(frozen=True)
class Project:
    """The files of a project, read.

    Attributes:
        settings: those of project.toml, with variables from the call.
        definitions: by name of the view, in the order of the paths.
        texts: by path, the text of each file as it was parsed.
        sources: by path, the same with the text as its author sees it.
    """

    settings: ProjectSettings
    definitions: Mapping[str, ViewDefinition]
    texts: Mapping[str, str]
    sources: Mapping[str, SourceText] = field(default_factory=dict)

    def error_in(self, definition: ViewDefinition, error: HiveViewsError, dialect: str | None = None) -> FileError:
        """An error that was found in a text of a view, with its place in the file; without one, at its statement.

        Args:
            definition: of the view.
            error: one whose ``offset`` is that in the text, such as ``SQLSyntaxError`` and ``NoSuchTableError``.
            dialect: of the text; by default the one that the error names.
        """
        return error_in(self.sources[definition.file], definition, error, dialect)

    def errors_in(self, definition: ViewDefinition, error: HiveViewsError) -> list[FileError]:
        """The same, one for each reason why a text cannot be translated."""
        return errors_in(self.sources[definition.file], definition, error)


def read_project(
    directory: str | os.PathLike[str],
    variables: Mapping[str, str] | None = None,
    git_revision: str | None = None,
) -> tuple[Project, tuple[FileError, ...]]:
    """The files of a project, and everything that is wrong in them; what is wrong in one leaves the others.

    Args:
        directory: of the project, with ``project.toml``.
        variables: values for those that ``project.toml`` declares.
        git_revision: read the files of this commit, branch or tag, without checking it out; the directory need not
            exist any more.

    Raises:
        InvalidInputError: the directory is no project, a variable is not declared, there is no such revision, or git is
            missing.
    """
    found = files_of_directory(directory) if git_revision is None else files_of_revision(directory, git_revision)
    settings, errors = read_settings(str(directory), found.texts.get(SETTINGS), variables or {})
    if settings is None:
        return Project(ProjectSettings(""), {}, {}), (*errors, *found.errors)
    project, wrong = project_of(found, settings)
    return project, tuple(sorted([*errors, *wrong], key=_place))


def project_of(found: FoundFiles, settings: ProjectSettings) -> tuple[Project, list[FileError]]:
    """The project that these files are, and what is wrong in them."""
    errors = list(found.errors)
    definitions: dict[str, ViewDefinition] = {}
    sources: dict[str, SourceText] = {}
    for path, written in sorted(found.texts.items()):
        if path == SETTINGS:
            continue
        source, unknown = with_values(path, written, settings.variables)
        sources[path] = source
        errors += unknown
        definition, wrong = (None, []) if unknown else read_definition(source)
        errors += wrong
        if definition is None:
            continue
        name = str(definition.view)
        if name in definitions:
            before = definitions[name]
            message = f"{before.file} defines {name} as well: keep one of the two files."
            errors.append(source.error(definition.offset, message))
            continue
        definitions[name] = definition
    texts = {path: source.parsed for path, source in sources.items()}
    return Project(settings, definitions, texts, sources), errors


def _place(error: FileError) -> tuple[bool, str, int, int]:
    return error.file != SETTINGS, *error.position
