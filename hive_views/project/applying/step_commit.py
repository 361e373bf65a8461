"""One step of a plan as one commit, to the real catalog or to the copy in which a plan is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from hive_views.ddl.session import Session
from hive_views.ddl.view_columns import ViewColumns, columns_for
from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NoSuchTableError,
    OutdatedPlanError,
)
from hive_views.estate.analyses.kept import row_digest
from hive_views.estate.dropped.undropping import undrop
from hive_views.hive.row import POINTER, Row
from hive_views.persisted import PROJECT
from hive_views.project.applying.release_mark import Release, ReleaseMark, current_mark, is_as_left
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.plans.project_plan import Action, Step
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.declared import declaration, restoration, with_summary
from hive_views.views.changes.definition import define
from hive_views.views.changes.on_drift import Drift, refuse_drift
from hive_views.views.changes.query_columns import star_finder
from hive_views.views.changes.translated_texts import AskedTranslations, translations_asked
from hive_views.views.changes.verbs import Change, creation
from hive_views.views.commit.changing import commit
from hive_views.views.commit.creation import create
from hive_views.views.commit.dropping import drop
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.row.drift import differences
from hive_views.views.row.projection import partitioned_on, user_properties
from hive_views.views.row.version import original_sql
from hive_views.views.version_diff import columns_of
from hive_views.views.view import View, is_iceberg_view, is_lost


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
        self._tables = catalog.engine.tables

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

    def has_done(self, step: Step, metadata: ViewMetadata) -> bool:
        """Whether a view is as this release has made it; of a drop, whether it is marked, and may still be there."""
        mark = current_mark(metadata)
        if mark is None or mark.release.id != self._release.id or mark.action != step.action.value:
            return False
        return step.action is not Action.DROP or is_as_left(metadata, metadata.current_version, mark)

    def is_finished(self, step: Step, row: Row | None, view: View | None) -> bool:
        """Whether an earlier run of this release has done all of a step, given what has the name now."""
        if step.action is not Action.DROP:
            return view is not None and self.has_done(step, view.metadata)
        return row is None and self._has_dropped(step)

    def outdated(self, step: Step, row: Row | None, view: View | None) -> str | None:
        """What was done to a view after the plan was made, given what has the name now; None if it is as planned."""
        if step.action in (Action.CREATE, Action.UNDROP):
            is_ours = view is not None and (self.has_done(step, view.metadata) or _is_back(step, view.metadata))
            return None if row is None or is_ours or is_lost(row) else "created"
        if row is None:
            return None if self.is_finished(step, row, view) else "dropped or renamed"
        is_ours = view is not None and (
            self.has_done(step, view.metadata) or self._is_as_found(step, row, view.metadata)
        )
        return None if view is None or is_ours else "changed"

    def _create(self, step: Step, number: int) -> View:
        try:
            self._catalog.engine.reader.check_absent(step.view)
            return self._created(step, number)
        except AlreadyExistsError:
            # It may be this release that has created it, in a run that was ended.
            row = self._catalog.metastore.load_row(step.view)
            if not is_iceberg_view(row):
                raise
            view = self._catalog.engine.reader.view_of(row)
            if not self.has_done(step, view.metadata):
                raise
            return view

    def _created(self, step: Step, number: int) -> View:
        wanted, engine = step.definition, self._catalog.engine
        assert wanted is not None
        found, claims = self._columns_of(wanted), engine.claims(asked_by(wanted))
        definition = define(
            step.view,
            wanted.texts,
            found.columns,
            wanted.partitioned_on,
            namespace=wanted.namespace,
            properties=wanted.properties,
        )
        definition = definition.with_translations(step.view, None, claims)
        definition = definition.with_star_columns(star_finder(self._tables, found.of_query))
        now_ms, view_uuid = engine.settings.clock_ms(), engine.settings.new_uuid()
        metadata_at = creation(
            step.view, definition, wanted.properties, wanted.comment, now_ms=now_ms, view_uuid=view_uuid
        )
        metadata = metadata_at(engine.lookup.location_of_new(step.view))
        metadata = apply_updates(metadata, [SetProperties({PROJECT: self._release.project})], now_ms=now_ms)
        metadata = with_summary(None, metadata, self._mark(step, number, None, metadata).summary(), now_ms)
        self._check_result(step, metadata)
        return create(engine, step.view, metadata)

    def _change(self, step: Step, number: int) -> View:
        wanted, earlier = step.definition, step.earlier
        if wanted is not None:
            return self._commit(step, number, self._declaration(wanted))
        assert earlier is not None
        change = restoration(step.view, earlier.version, earlier.properties, earlier.partitioned_on)
        return self._commit(step, number, change)

    def _commit(self, step: Step, number: int, change: Change) -> View:
        def marked(base: ViewMetadata, now_ms: int) -> ViewMetadata:
            changed = change(base, now_ms)
            if base.properties.get(PROJECT, self._release.project) != self._release.project:
                changed = apply_updates(changed, [SetProperties({PROJECT: self._release.project})], now_ms=now_ms)
            return with_summary(base, changed, self._mark(step, number, base, changed).summary(), now_ms)

        def check(row: Row, base: ViewMetadata, metadata: ViewMetadata) -> None:
            self._check_found(step, row, base)
            self._check_result(step, metadata)

        def committed(on_drift: Drift) -> View:
            is_done = partial(self.has_done, step)
            return commit(self._catalog.engine, step.view, marked, on_drift, is_done=is_done, check=check)

        if not (step.drift and step.drift.is_of_row):
            return committed("fail")
        try:
            # An undo brings back what is in the history.
            return committed("adopt")
        except InvalidInputError:
            return committed("overwrite")

    def _drop(self, step: Step, number: int) -> None:
        """First its last file says that this release drops it, so that the release can be undone."""
        engine = self._catalog.engine
        try:
            self._catalog.metastore.load_row(step.view)
        except NoSuchTableError as error:
            if self._has_dropped(step):
                return
            raise _outdated(step, "dropped or renamed") from error
        view = self._commit(step, number, lambda base, _: base)
        if view.has_drifted:
            refuse_drift(view)
        drop(engine, step.view, lambda found: found.parameters.get(POINTER) == view.metadata_location)

    def _has_dropped(self, step: Step) -> bool:
        """Whether the last file of a view that is not there any more says that this release has dropped it."""
        found = find_by_name(self._catalog.engine, step.view)
        return found is not None and self.has_done(step, found.metadata)

    def _undrop(self, step: Step, number: int) -> View:
        """Brought back from the very file that the plan found, and then as it was before it was dropped."""
        found = find_by_name(self._catalog.engine, step.view)
        if found is None:
            keys = self._refuse_other(step)
            if keys:
                self._catalog.partitions(step.view).restore()
        elif self._checked and step.found is not None and found.metadata_location != step.found.location:
            raise _outdated(step, "brought back, and dropped again,")
        else:
            for outcome in undrop(self._catalog, str(step.view)):
                if outcome.error is not None:
                    raise outcome.error
        return self._change(step, number)

    def _refuse_other(self, step: Step) -> tuple[str, ...]:
        """The partition columns of the view that has the name.

        Raises:
            AlreadyExistsError: another view has the name than one that this undo, which was ended, has brought back.
        """
        reader = self._catalog.engine.reader
        row = reader.load_row(step.view)
        metadata = reader.view_of(row).metadata if is_iceberg_view(row) else None
        if metadata is None or not (self.has_done(step, metadata) or _is_back(step, metadata)):
            reader.check_absent(step.view)
        return tuple(key.name for key in row.partition_keys)

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
            claims=self._catalog.engine.claims(asked_by(wanted)),
        )

    def _mark(self, step: Step, number: int, base: ViewMetadata | None, changed: ViewMetadata) -> ReleaseMark:
        return ReleaseMark(
            self._release,
            number,
            step.action.value,
            str(step.view),
            changed.view_uuid,
            base.current_version_id if base else None,
            user_properties(base) if base else {},
            partitioned_on(base) if base else (),
            user_properties(changed),
            partitioned_on(changed),
        )

    def _check_found(self, step: Step, row: Row, base: ViewMetadata) -> None:
        if self._checked and step.action is not Action.UNDROP and not self._is_as_found(step, row, base):
            raise _outdated(step, "changed")

    def _is_as_found(self, step: Step, row: Row, metadata: ViewMetadata) -> bool:
        if step.found is None or row_digest(row) == step.found.row:
            return True
        # Publishing changes the file of a view, and a repair its row; neither changes what the view says.
        (planned,) = self._catalog.storage.read_each([step.found.location])
        is_same = isinstance(planned, ViewMetadata) and _is_same_definition(planned, metadata)
        return is_same and not any(one.kind == "drifted" for one in differences(row, metadata))

    def _check_result(self, step: Step, metadata: ViewMetadata) -> None:
        if not self._checked or step.action is Action.DROP:
            return
        found = tuple((column.name, column.type) for column in columns_of(metadata, metadata.current_version))
        if found != step.resulting:
            raise OutdatedPlanError(
                f"The columns of {step.view} would be {_shown(found)}, and the plan says {_shown(step.resulting)}: "
                f"what it reads was changed after the plan was made. Plan again.",
                identifier=str(step.view),
            )
        for dialect, text in step.translated.items():
            if original_sql(metadata.current_version, dialect) != text:
                raise OutdatedPlanError(
                    f"The {dialect} SQL of {step.view} would be another translation than the plan says: what it reads, "
                    f"or the rules, were changed after the plan was made. Plan again.",
                    identifier=str(step.view),
                )


def asked_by(wanted: ViewDefinition) -> AskedTranslations:
    """What a file wants to be translated, and nothing else.

    Raises:
        InvalidInputError: a code that it allows is none.
    """
    sources = {dialect: one.source for dialect, one in wanted.translations.items()}
    allow = {dialect: one.allow for dialect, one in wanted.translations.items()}
    return replace(translations_asked(sources, allow), is_all=True)


def _is_same_definition(one: ViewMetadata, other: ViewMetadata) -> bool:
    return (
        (one.view_uuid, one.current_version) == (other.view_uuid, other.current_version)
        and user_properties(one) == user_properties(other)
        and partitioned_on(one) == partitioned_on(other)
    )


def _is_back(step: Step, metadata: ViewMetadata) -> bool:
    """Whether a view is as its last file says, which the release that dropped it has marked."""
    mark, earlier = current_mark(metadata), step.earlier
    if mark is None or earlier is None or mark.action != Action.DROP.value or mark.before != earlier.version:
        return False
    return is_as_left(metadata, metadata.current_version, mark)


def _outdated(step: Step, what: str) -> OutdatedPlanError:
    name = str(step.view)
    return OutdatedPlanError(f"{name} was {what} after the plan was made: plan again.", identifier=name, views=[name])


def _shown(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in columns)
