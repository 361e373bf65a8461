"""Views of a metastore written as the files of a project; what its author has written stays."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from hive_views.ddl.declared_view import texts_of
from hive_views.errors import (
    AlreadyExistsError,
    HiveViewsError,
    InvalidInputError,
    ViewDriftedError,
)
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore, in_sentences
from hive_views.estate.each.selection import select_or_all
from hive_views.hive.row import Row
from hive_views.messages.remedy import Remedy
from hive_views.project.directory.project_files import Project, project_of
from hive_views.project.directory.project_settings import MAX_NAME, SETTINGS, ProjectSettings, read_settings
from hive_views.project.directory.source_files import FoundFiles, files_of_directory
from hive_views.project.directory.variables import with_values
from hive_views.project.exporting.publications_text import PUBLICATIONS, NewPublications, new_publications
from hive_views.project.exporting.view_text import file_text, unwritten
from hive_views.project.found_views import FoundViews, views_of
from hive_views.project.planning.comparing import is_as_declared
from hive_views.project.planning.copied_catalog import copied_catalog
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.atomic_writes import copy_durably
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.row.dependencies import tables_in
from hive_views.views.view import View, is_plain

_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def export(
    catalog: ViewCatalog,
    directory: str | os.PathLike[str],
    *patterns: str,
    variables: Mapping[str, str] | None = None,
    force: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Write views as the files of a project: ``<namespace>/<view>.sql``, each a statement that declares its view.

    A file that says what its view is stays as it is, with the comments of its author, wherever in the project it lies.
    ``project.toml`` is written if it is missing, with the name of the directory, and ``publications.toml`` gets the
    publications whose rules are recorded with the views. Plain views are left: adopt them first.

    The rows of the views and of what they read are read a hundred in a call, and the metadata files of the views.

    Args:
        catalog: where the views are.
        directory: of the project; created if it is missing.
        patterns: names, or patterns such as ``sales.*``; by default all views.
        variables: values for those that ``project.toml`` declares, by which the files that are there are read.
        force: replace files that say something else.
        dry_run: only report; write nothing.
        on_outcome: called with each outcome as soon as it is known.

    Raises:
        InvalidInputError: a pattern is invalid, project.toml cannot be read, or it does not declare a variable; nothing
            was written.
        NoSuchNamespaceError, NoSuchViewError: a pattern matches nothing.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    top = Path(directory).expanduser()
    target = _target(top, variables or {})
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = select_or_all(catalog.metastore, patterns, unreadable.__setitem__)
    found = views_of(catalog, {row.identifier: row for row in rows})
    tables = _tables(catalog, found)
    publications = new_publications(top / PUBLICATIONS, list(found.views.values()))
    if not dry_run:
        _write_beside(target, publications)

    def do(row: Row) -> Outcome:
        name, view = str(row.identifier), found.views.get(row.identifier)
        if view is None:
            error = found.errors[row.identifier]
            if is_plain(row) or not row.is_view:
                return Outcome(name, State.LEFT, str(error), error)
            raise error
        file, text = _file_of(view, target, tables, force=force)
        notes = [*unwritten(view), *publications.notes[row.identifier]]
        details = {"file": file}
        if text is None:
            return Outcome(name, State.UNCHANGED, in_sentences(*notes), details=details)
        if not dry_run:
            _write(top / file, text, overwrite=force)
        return Outcome(name, State.PLANNED if dry_run else State.DONE, in_sentences(*notes), details=details)

    outcomes = each(rows, lambda row: str(row.identifier), do, on_outcome, catalog, unreadable=unreadable)
    return Outcomes("exported", outcomes, dry_run)


@dataclass(frozen=True)
class _Target:
    """The directory to write to, as it is.

    Attributes:
        top: the directory.
        is_new: whether it has no project.toml.
        project: its files.
        found: the same, with those that cannot be read.
    """

    top: Path
    is_new: bool
    project: Project
    found: FoundFiles


def _target(top: Path, variables: Mapping[str, str]) -> _Target:
    if top.exists() and not top.is_dir():
        raise InvalidInputError(f"{top} is a file: name a directory for the project.", location=str(top))
    found = files_of_directory(top) if top.exists() else FoundFiles()
    written = found.texts.get(SETTINGS)
    settings: ProjectSettings | None = ProjectSettings(_NO_NAME.sub("_", top.resolve().name)[:MAX_NAME] or "views")
    wrong = [one for one in found.errors if one.file == SETTINGS]
    if written is not None or variables:
        settings, wrong = read_settings(str(top), written, variables)
    if wrong or settings is None:
        raise InvalidInputError(f"{top / SETTINGS} cannot be used: {wrong[0]}", location=str(top / SETTINGS))
    return _Target(top, written is None, project_of(found, settings)[0], found)


def _tables(catalog: ViewCatalog, found: FoundViews) -> Tables:
    """Where the columns of what the views read are found, without a call for each."""
    known: dict[TableIdentifier, Row | None] = {name: row for name, row in found.rows.items() if row is not None}
    read: set[TableIdentifier] = set()
    for name, view in found.views.items():
        namespace = view.current_version.namespace_or(name.namespace)
        with suppress(HiveViewsError):  # that view alone fails, below
            read |= {one for text in texts_of(view)[:1] for one in tables_in(text, text.dialect, namespace)}
    others, _ = load(catalog, read - known.keys())
    return Tables(copied_catalog(catalog, {**known, **others}, ()).metastore, catalog.storage.files)


def _file_of(view: View, target: _Target, tables: Tables, *, force: bool) -> tuple[str, str | None]:
    """The path of the file of a view, and its text; None if the file says so already."""
    name = view.identifier
    if view.has_drifted:
        raise ViewDriftedError(
            f"The row of {name} was changed behind its metadata file, and a file could not say which of both is meant.",
            remedy=remedies.decide_on_drift(str(name)),
            identifier=str(name),
        )
    definition = target.project.definitions.get(str(name))
    if definition is not None and is_as_declared(definition, view):
        return definition.file, None
    file = f"{name.namespace}/{name.name}.sql" if definition is None else definition.file
    _check_replaceable(target, file, name, force=force)
    return file, file_text(view, file, tables)


def _check_replaceable(target: _Target, file: str, name: TableIdentifier, *, force: bool) -> None:
    path, source = target.top / file, target.project.sources.get(file)
    if path.parent.is_symlink() or path.is_symlink():
        raise InvalidInputError(f"{path} is, or is behind, a symbolic link: remove the link.", location=str(path))
    others = [str(one.view) for one in target.project.definitions.values() if one.file == file and one.view != name]
    if others:
        raise AlreadyExistsError(f"{path} defines {others[0]}: rename that file.", location=str(path))
    if source is not None and with_values(file, source.written, {})[1]:
        raise AlreadyExistsError(
            f"{path} says something else of {name}, and has variables: change it by hand.", location=str(path)
        )
    if path.exists() and not force:
        raise AlreadyExistsError(
            f"{path} says something else of {name} than the metastore.",
            remedy=Remedy(
                in_python="plan(catalog, directory) shows what; force=True replaces the file.",
                in_shell="`hive-views plan` shows what; --force replaces the file.",
            ),
            location=str(path),
        )


def _write_beside(target: _Target, publications: NewPublications) -> None:
    if target.is_new:
        _write(target.top / SETTINGS, f'name = "{target.project.settings.name}"\n', overwrite=False)
    if publications.text is not None:
        _write(target.top / PUBLICATIONS, publications.text, overwrite=True)


def _write(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file, completely or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb") as file:
            file.write(text.encode())
            file.flush()
            copy_durably(Path(file.name), path, overwrite=overwrite)
    except UnicodeEncodeError as error:
        raise InvalidInputError("It has characters that no file in UTF-8 holds.", location=str(path)) from error
    except FileExistsError as error:
        raise AlreadyExistsError(f"{path} was written by somebody else meanwhile: export again.") from error
    except OSError as error:
        raise InvalidInputError(f"Cannot write {path}: {error.strerror}.", location=str(path)) from error
