"""One step of a plan as one commit, to the real catalog or to the copy in which a plan is made."""

from __future__ import annotations

from collections.abc import Callable

from hive_views.ddl.session import Session
from hive_views.ddl.view_columns import ViewColumns, columns_for
from hive_views.errors import (
    HiveViewsError,
    NoSuchViewError,
    OutdatedPlanError,
    ViewAlreadyExistsError,
)
from hive_views.estate.analyses.kept import row_digest
from hive_views.estate.dropped.undropping import undrop
from hive_views.hive.row import COMMENT, POINTER, Row
from hive_views.persisted import PROJECT
from hive_views.project.applying.release_mark import Release, ReleaseMark, mark_of
from hive_views.project.files.view_definition import ViewDefinition
from hive_views.project.planning.plan import Action, Earlier, Step
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.analyzed_query import Tables
from hive_views.views.changes.declared import declaration, restoration, with_summary
from hive_views.views.changes.definition import define
from hive_views.views.changes.on_drift import Drift
from hive_views.views.changes.query_columns import star_finder
from hive_views.views.changes.stale_dialects import Claims
from hive_views.views.changes.verbs import Change, creation
from hive_views.views.commit.changing import commit
from hive_views.views.commit.creation import create
from hive_views.views.commit.dropping import drop
from hive_views.views.row.projection import partitioned_on, user_properties
from hive_views.views.version_diff import columns_of
from hive_views.views.view import View


class StepCommits:
    """Commits the steps of one release.

    Args:
        catalog: where to.
        release: which one; its steps are marked with it, so that it can be undone.
        checked: whether a view must be as the plan found it, and get the columns that the plan says; False while the
            plan is made.
    """

    def __init__(self, catalog: ViewCatalog, release: Release, *, checked: bool = True) -> None:
        self._catalog, self._release, self._checked = catalog, release, checked
        self._tables = Tables(catalog.metastore, catalog.storage.files)

    def commit(self, step: Step, number: int) -> View | None:
        """Do what a step says, unless this release has done it already; the view after it, None if it is dropped.

        Raises:
            OutdatedPlanError: the view, or the columns that it would get, are not as they were when planned.
            HiveViewsError: as the verb of the catalog.
        """
        done: dict[Action, Callable[[Step, int], View | None]] = {
            Action.CREATE: self._create,
            Action.REPLACE: self._change,
            Action.ALTER: self._change,
            Action.RESTORE: self._change,
            Action.DROP: self._drop,
            Action.UNDROP: self._undrop,
        }
        return done[step.action](step, number)

    def _create(self, step: Step, number: int) -> View:
        wanted = step.definition
        assert wanted is not None
        found = self._columns_of(wanted)
        keys, given = wanted.partitioned_on, _given(wanted)
        definition = define(
            step.view, wanted.texts, found.columns, keys, namespace=wanted.namespace, properties=wanted.properties
        ).with_star_columns(star_finder(self._tables, found.of_query))
        settings = self._catalog.engine.settings
        now_ms = settings.clock_ms()
        metadata_at = creation(
            step.view, definition, wanted.properties, wanted.comment, now_ms=now_ms, view_uuid=settings.new_uuid()
        )
        metadata = metadata_at(self._catalog.engine.lookup.location_of_new(step.view))
        metadata = apply_updates(metadata, [SetProperties({PROJECT: self._release.project})], now_ms=now_ms)
        mark = self._mark(step, number, None, given, partitioned_on(metadata))
        metadata = with_summary(None, metadata, mark.summary(), now_ms)
        self._check_columns(step, metadata)
        try:
            self._catalog.engine.reader.check_absent(step.view)
            return create(self._catalog.engine, step.view, metadata)
        except ViewAlreadyExistsError:
            view = self._catalog.load_view(step.view)
            if self._is_done(view.metadata):
                return view
            raise

    def _change(self, step: Step, number: int) -> View:
        wanted, earlier = step.definition, step.earlier
        if wanted is not None:
            change, after, keys = self._declaration(wanted), _given(wanted), wanted.partitioned_on
        else:
            assert earlier is not None
            change, after, keys = _restoration(step, earlier), dict(earlier.properties), earlier.partitioned_on
        return self._commit(step, number, change, after, keys)

    def _commit(self, step: Step, number: int, change: Change, after: dict[str, str], keys: tuple[str, ...]) -> View:
        def marked(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            mark = self._mark(step, number, base, after, tuple(key.lower() for key in keys))
            changed = change(base, now_ms)
            if base.properties.get(PROJECT, self._release.project) != self._release.project:
                changed = apply_updates(changed, [SetProperties({PROJECT: self._release.project})], now_ms=now_ms)
            return with_summary(base, changed, mark.summary(), now_ms)

        def check(row: Row, _: ViewMetadata, metadata: ViewMetadata) -> None:
            self._check_found(step, row)
            self._check_columns(step, metadata)

        on_drift: Drift = "overwrite" if step.drift and step.drift.is_of_row else "fail"
        return commit(self._catalog.engine, step.view, marked, on_drift, is_done=self._is_done, check=check)

    def _drop(self, step: Step, number: int) -> None:
        """First its last file says that this release drops it, so that the release can be undone."""
        engine = self._catalog.engine
        try:
            row = self._catalog.metastore.load_row(step.view)
        except HiveViewsError as error:
            raise NoSuchViewError(f"There is no view {step.view}.", identifier=str(step.view)) from error
        view = engine.reader.view_of(row)
        before = user_properties(view.metadata)
        view = self._commit(step, number, lambda base, _: base, before, view.partitioned_on)
        drop(engine, step.view, lambda found: found.parameters.get(POINTER) == view.metadata_location)

    def _undrop(self, step: Step, number: int) -> View:
        for failed in undrop(self._catalog, str(step.view)).failed:
            if failed.error is not None:
                raise failed.error
        return self._change(step, number)

    def _columns_of(self, wanted: ViewDefinition) -> ViewColumns:
        dialect = next((one for one in ROW_DIALECTS if one in wanted.texts), next(iter(wanted.texts)))
        session = Session(wanted.namespace, dialect)
        return columns_for(self._tables, wanted.texts[dialect], session, wanted.columns)

    def _declaration(self, wanted: ViewDefinition) -> Change:
        found = self._columns_of(wanted)
        return declaration(
            wanted.view,
            wanted.texts,
            found.columns,
            wanted.partitioned_on,
            wanted.properties,
            wanted.comment,
            namespace=wanted.namespace,
            find=star_finder(self._tables, found.of_query),
            claims=Claims(find=self._tables.known),
        )

    def _mark(
        self, step: Step, number: int, base: ViewMetadata | None, after: dict[str, str], keys: tuple[str, ...]
    ) -> ReleaseMark:
        return ReleaseMark(
            self._release,
            number,
            step.action.value,
            base.current_version_id if base else None,
            user_properties(base) if base else {},
            partitioned_on(base) if base else (),
            after,
            keys,
        )

    def _is_done(self, metadata: ViewMetadata) -> bool:
        mark = mark_of(metadata.current_version)
        return mark is not None and mark.release.id == self._release.id and mark.action != Action.DROP.value

    def _check_found(self, step: Step, row: Row) -> None:
        if self._checked and step.found is not None and row_digest(row) != step.found.row:
            raise OutdatedPlanError(
                f"{step.view} was changed after the plan was made: plan again.", identifier=str(step.view)
            )

    def _check_columns(self, step: Step, metadata: ViewMetadata) -> None:
        if not self._checked or step.action is Action.DROP:
            return
        found = tuple((column.name, column.type) for column in columns_of(metadata, metadata.current_version))
        if found != step.resulting:
            raise OutdatedPlanError(
                f"The columns of {step.view} would be {_shown(found)}, and the plan says {_shown(step.resulting)}: "
                f"what it reads was changed after the plan was made. Plan again.",
                identifier=str(step.view),
            )


def _restoration(step: Step, earlier: Earlier) -> Change:
    return restoration(step.view, earlier.version, earlier.properties, earlier.partitioned_on)


def _given(wanted: ViewDefinition) -> dict[str, str]:
    return {**wanted.properties, **({COMMENT: wanted.comment} if wanted.comment is not None else {})}


def _shown(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns)
