"""Each text of a project, analyzed by an engine; none is executed, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hive_views.engines.column_differences import differences
from hive_views.engines.connecting import connecting
from hive_views.engines.engine_protocol import Engine, EngineColumn, QueryRefusedError
from hive_views.errors import SQLSyntaxError, UnavailableError, UnsupportedFeatureError
from hive_views.estate.each.order import ordered
from hive_views.messages.counted import counted
from hive_views.messages.excerpt import offset_of
from hive_views.persisted import FOR_ENGINE
from hive_views.project.directory.project_files import FileError, Project, read_project
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.found_views import find_views
from hive_views.project.json_values import Texts
from hive_views.project.planning.made_step import translated_in
from hive_views.project.planning.make_plan import plan_project
from hive_views.project.planning.ordering import reads_of
from hive_views.project.validating.not_yet_applied import NotYetApplied, reading
from hive_views.project.validating.validation import ValidatedText, Validation, Verdict
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited, place_before
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.dependencies import tables_in
from hive_views.views.version_diff import columns_of

Columns = Sequence[tuple[str, str]]
"""Names and Hive types."""


def validate(
    catalog: ViewCatalog,
    directory: str | Path,
    engine: Any,
    *,
    variables: Mapping[str, str] | None = None,
    timeout_s: float = 60.0,
) -> Validation:
    """What an engine says of the texts of a project, in the dialects that it reads. Nothing is executed or written.

    Views that the metastore does not have yet, or has otherwise, are put as subqueries into the texts that read them,
    so that a whole project can be validated before it is applied.

    Args:
        catalog: where the views are.
        directory: of the project.
        engine: a SparkSession on the metastore of the catalog; ``"spark"`` for a local one;
            ``"trino://user@host:8080/catalog"``, where the catalog is the metastore; ``"hive://user@host:10000"``.
            ``?tls=true&ca_cert=FILE`` encrypts the connection. A password may be in the environment variable
            ``HIVE_VIEWS_ENGINE_PASSWORD``.
        variables: values of variables, in place of those in project.toml.
        timeout_s: how long the engine may take for each text, in seconds.

    Raises:
        InvalidInputError: there is no such project, or the address is none.
        UnsupportedFeatureError: the client of the engine is missing.
        UnavailableError: the engine or the metastore does not answer.
    """
    # A wrong address is told before everything is read.
    connection = connecting(engine, catalog, timeout_s)
    project, errors = read_project(directory, variables, None)
    with connection as found:
        return validate_project(catalog, project, errors, found)


def validate_project(catalog: ViewCatalog, project: Project, errors: Iterable[FileError], engine: Engine) -> Validation:
    """As ``validate``, for files that were read and an engine in use."""
    errors = tuple(errors)
    plan = plan_project(catalog, project, errors, prune=False)
    wanted = {one.view: one for one in project.definitions.values()}
    reads = {name: reads_of(one) for name, one in wanted.items()}
    order, circular = ordered({name: [one for one in reads[name] if one in wanted] for name in wanted})
    resulting: dict[TableIdentifier, Columns] = {one.view: one.resulting for one in plan.steps}
    translated: dict[TableIdentifier, Texts] = {one.view: one.translated for one in plan.steps}
    for name, view in find_views(catalog, plan.unchanged).views.items():
        resulting[name] = [(one.name, one.type) for one in columns_of(view.metadata, view.current_version)]
        translated[name] = translated_in(view, wanted[name])
    changed = reading(wanted.keys() - {*plan.unchanged}, order, reads)
    refused = {one.file: one.message for one in plan.errors}
    validating = _Validating(project, engine, NotYetApplied(engine, changed), resulting, translated, refused)
    texts = [one for name in order for one in validating.texts(wanted[name], is_circular=name in circular)]
    return Validation(engine.name, tuple(texts), errors)


class _Validating:
    def __init__(
        self,
        project: Project,
        engine: Engine,
        not_yet_applied: NotYetApplied,
        resulting: Mapping[TableIdentifier, Columns],
        translated: Mapping[TableIdentifier, Texts],
        refused: Mapping[str, str],
    ) -> None:
        self._project, self._engine, self._refused_by_plan = project, engine, refused
        self._not_yet_applied, self._resulting, self._translated = not_yet_applied, resulting, translated

    def texts(self, wanted: ViewDefinition, *, is_circular: bool) -> Iterator[ValidatedText]:
        """What comes of each text of a view that the engine reads; of a view without one, why there is none."""
        translated = self._translated.get(wanted.view, {})
        texts = {**wanted.texts, **translated}
        dialects = [one for one in self._engine.dialects if one in texts]
        lacking = [one for one in self._engine.dialects if one in wanted.translations and one not in texts]
        for dialect in lacking:
            self._not_yet_applied.refuse(wanted.view, dialect, "which was not translated")
            yield _not_validated(wanted, dialect, f"It was not translated from {wanted.translations[dialect].source}.")
        if not dialects and not lacking:
            reason = f"It has no text in the dialect {' or '.join(self._engine.dialects)}"
            own = next((one for one in ROW_DIALECTS if one in wanted.texts), None)
            if own and self._engine.reads_translated:
                reason += f", and {self._engine.name} would translate the {own} text itself"
            yield _not_validated(wanted, own or next(iter(wanted.texts)), f"{reason}.")
        for dialect in dialects:
            if is_circular:
                self._not_yet_applied.refuse(wanted.view, dialect, "which would read itself")
                yield _not_validated(wanted, dialect, "It would read itself.")
            elif self._is_for_hive(wanted, dialect):
                self._not_yet_applied.refuse(wanted.view, dialect, "which is for Hive only")
                yield _not_validated(wanted, dialect, f"The property {FOR_ENGINE} says that only Hive reads it.")
            else:
                yield self._text(wanted, texts[dialect])

    def _is_for_hive(self, wanted: ViewDefinition, dialect: str) -> bool:
        return dialect == "hive" != self._engine.name.lower() and wanted.properties.get(FOR_ENGINE) == "hive"

    def _text(self, wanted: ViewDefinition, text: QueryText) -> ValidatedText:
        view, dialect = wanted.view, text.dialect
        try:
            edits = self._not_yet_applied.edits(wanted, text, tables_in(text, dialect, wanted.namespace))
        except (SQLSyntaxError, UnsupportedFeatureError) as error:
            # What is not certainly one query is not sent to an engine.
            self._not_yet_applied.refuse(view, dialect, "which was not validated")
            return _not_validated(wanted, dialect, error.message)
        query = QueryText(edited(text, edits), dialect)
        try:
            columns = self._engine.columns(query)
        except QueryRefusedError as error:
            self._not_yet_applied.refuse(view, dialect, "which is invalid")
            return self._refused(wanted, text, query, edits, error)
        except UnavailableError as error:
            self._not_yet_applied.refuse(view, dialect, "which was not validated")
            return _not_validated(wanted, dialect, error.message)
        names = self._names(wanted, columns)
        if len(names) != len(columns):
            self._not_yet_applied.refuse(view, dialect, "which is invalid")
            message = (
                f"{self._engine.name} returns {counted(len(columns), 'column')} "
                f"({', '.join(one.name for one in columns)}), and the view has {len(names)} ({', '.join(names)})."
            )
            return ValidatedText(view, dialect, Verdict.INVALID, wanted.file, message, wanted.line, 1)
        self._not_yet_applied.add(wanted, query, columns, names)
        planned, has_names = self._resulting.get(view, ()), wanted.columns is not None
        found = differences(self._engine.name, columns, planned, has_names=has_names, where="in the plan")
        if wanted.file in self._refused_by_plan:
            found = (f"{self._engine.name} accepts it, but the plan does not: {self._refused_by_plan[wanted.file]}",)
        return ValidatedText(view, dialect, Verdict.VALID, wanted.file, differences=found)

    def _names(self, wanted: ViewDefinition, columns: Sequence[EngineColumn]) -> list[str]:
        """The names that the view gives its columns: by its file, else by its plan, else those of its query."""
        if wanted.columns is not None:
            return [one.name for one in wanted.columns]
        return [name for name, _ in self._resulting.get(wanted.view, ())] or [one.name for one in columns]

    def _refused(
        self, wanted: ViewDefinition, text: QueryText, query: str, edits: Sequence[Edit], error: QueryRefusedError
    ) -> ValidatedText:
        """With the place in the file, of what stands there or of the name of the view in place of which it stands."""
        place = None
        if error.line is not None and text.dialect in wanted.starts:  # a translated text is not in the file
            offset = place_before(edits, offset_of(query, error.line, error.column or 1))
            start = wanted.starts[text.dialect]
            place = self._project.sources[wanted.file].error(start + min(offset, len(text)), str(error))
        where = (place.line, place.column, place.excerpt) if place else (None, None, None)
        return ValidatedText(wanted.view, text.dialect, Verdict.INVALID, wanted.file, str(error), *where)


def _not_validated(wanted: ViewDefinition, dialect: str, reason: str) -> ValidatedText:
    return ValidatedText(wanted.view, dialect, Verdict.NOT_VALIDATED, wanted.file, reason)
