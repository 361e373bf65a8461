"""Random projects, edits, changes by others, kills and undos: the metastore is what the files say, or as it was."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import hypothesis.strategies as st
from hypothesis import event, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hive_views.errors import HiveViewsError
from hive_views.hive.row import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.project import Plan, apply, plan, plan_undo
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.stateful.project_model import IDS, TABLE, Style, Wanted, file_of, would_circle
from tests.support.failing.faulty_metastore import FaultyMetastore, Killed
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views import foreign_writers
from tests.support.views.projects import Content, clicks_table, content_of, rows_of, write_project

NAMES = ["a.v", "a.w", "a.x", "b.v", "b.w"]
ALL = {"overwrite": ["*.*"], "allow_breaking": ["*.*"]}
names, numbers = st.sampled_from(NAMES), st.integers(0, 2)
words = st.sampled_from([None, "one", "two"])
styles = st.builds(Style, *[st.booleans()] * 5)
pairs_of_properties = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from("12")), unique_by=lambda pair: pair[0]
).map(tuple)


class Mortal(MetadataStorage):
    """A writer that was killed writes no more."""

    def __init__(self, metastore: FaultyMetastore) -> None:
        super().__init__()
        self._metastore = metastore

    def write_bytes(self, location: str, content: bytes) -> None:
        if self._metastore.is_dead:
            raise Killed
        super().write_bytes(location, content)

    def delete(self, location: str) -> None:
        if self._metastore.is_dead:
            raise Killed
        super().delete(location)


class Projects(RuleBasedStateMachine):
    """A project of five views in two databases, on one metastore."""

    def __init__(self) -> None:
        super().__init__()
        self.server = MemoryMetastore(lock_timeout_s=0.0)
        self.metastore = FaultyMetastore(self.server)
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.directory = Path(tempfile.mkdtemp(prefix="project-"))
        self.files: dict[str, Wanted] = {}
        self.styles: dict[str, Style] = {}
        self.left: dict[str, Content] = {}
        """What the last apply or undo left of each view that it knew."""
        self.undoable: list[tuple[str, dict[str, Content], dict[str, Content]]] = []
        """Releases that nobody has touched, with what was before and after."""

    def teardown(self) -> None:
        forget_files_in_memory()
        shutil.rmtree(self.directory)

    def catalog(self) -> ViewCatalog:
        settings = CommitSettings(retry_timeout_s=0.05, settle_timeout_s=0.0, mend_lock_timeout_s=0.0)
        return ViewCatalog(
            cast("Metastore", self.metastore), Mortal(self.metastore), warehouse=self.warehouse, settings=settings
        )

    @initialize()
    def databases(self) -> None:
        for namespace in ("web", "a", "b"):
            self.server.create_namespace(namespace)
        clicks_table(self.server)
        # A chain, of which edits make what they like.
        for name, source in zip(NAMES, [TABLE, *NAMES], strict=False):
            self.files[name], self.styles[name] = Wanted(source), Style()
        self.write()
        self.apply(prune=False, killed_after=None, again=False)

    def write(self) -> None:
        texts = {name: file_of(name, one, self.styles[name]) for name, one in self.files.items()}
        write_project(self.directory, texts)

    def plan(self, **options: Any) -> Plan:
        return plan(self.catalog(), self.directory, **options)

    def content(self) -> dict[str, Content]:
        return content_of(self.catalog())

    # -- files ---------------------------------------------------------------------------------------------------------

    @rule(name=names, source=st.sampled_from([TABLE, *NAMES]))
    def read_another(self, name: str, source: str) -> None:
        if source == TABLE or (source in self.files and not would_circle(self.files, name, source)):
            self.edit(name, source=source)

    @rule(name=names, id_=st.sampled_from(IDS), longer=st.none() | numbers)
    def change_the_text(self, name: str, id_: str, longer: int | None) -> None:
        self.edit(name, id=id_, **({} if longer is None else {"longer": longer}))

    @rule(name=names, comment=words, column_comment=words, trino=st.none() | numbers, pairs=pairs_of_properties)
    def change_what_is_said_of_it(
        self, name: str, comment: str | None, column_comment: str | None, trino: int | None, pairs: Any
    ) -> None:
        self.edit(name, comment=comment, column_comment=column_comment, trino=trino, properties=pairs)

    @rule(name=names, is_partitioned=st.booleans(), style=styles)
    def change_the_partition_columns(self, name: str, is_partitioned: bool, style: Style) -> None:
        found = self.content().get(name)
        if found is None or not found.partitions:
            self.styles[name] = style
            self.edit(name, is_partitioned=is_partitioned)

    def edit(self, name: str, **changes: Any) -> None:
        """Change a file, or write one."""
        found = self.content().get(name)
        former = self.files.get(name, Wanted(is_partitioned=found is not None and bool(found.partitions)))
        self.files[name] = replace(former, **changes)
        self.styles.setdefault(name, Style())
        self.write()

    @rule(name=names, style=styles)
    def write_the_same_in_another_style(self, name: str, style: Style) -> None:
        if name in self.files:
            before = self.plan(**ALL)
            self.styles[name] = style
            self.write()
            after = self.plan(**ALL)
            assert _steps(after) == _steps(before), f"{file_of(name, self.files[name], style)}"
            assert after.errors == before.errors == () or self.plain()

    @rule(name=names)
    def remove_file(self, name: str) -> None:
        if name in self.files and all(one.source != name for one in self.files.values()):
            del self.files[name]
            self.write()

    # -- others --------------------------------------------------------------------------------------------------------

    @rule(name=names, number=numbers, by=st.sampled_from(["property", "text", "comment", "trino", "columns"]))
    def change_with_this_library(self, name: str, number: int, by: str) -> None:
        if name not in self.content():
            return
        catalog = self.catalog()
        text = f"SELECT id, page, ds FROM web.clicks WHERE id > {number}"
        wider = f"SELECT id, page, {number} AS extra, ds FROM web.clicks"
        dialects = catalog.load_view(name).dialects
        changes: dict[str, Callable[[], object]] = {
            "property": lambda: catalog.alter_view(name, set_properties={"r": f"theirs{number}"}),
            "comment": lambda: catalog.alter_view(name, comment=f"theirs{number}"),
            "text": lambda: catalog.alter_view(name, sql={"hive": text}),
            "trino": lambda: catalog.alter_view(name, sql={"trino": text}),
            "columns": lambda: catalog.replace_view(name, sql=dict.fromkeys(dialects, wider)),
        }
        with suppress(HiveViewsError):
            changes[by]()

    @rule(name=names, number=numbers, by=st.sampled_from(["spark text", "spark properties", "hive", "hive text"]))
    def change_the_row(self, name: str, number: int, by: str) -> None:
        identifier = TableIdentifier.of(name)
        row = rows_of(self.server).get(identifier)
        if row is None or POINTER not in row.parameters:
            return
        columns = (*row.columns, *row.partition_keys)
        text = f"SELECT id, page, ds FROM web.clicks WHERE id < {number}"
        changed = {
            "spark text": lambda: foreign_writers.spark_alter_view_as(row, text, columns),
            "spark properties": lambda: foreign_writers.spark_set_properties(row, r=f"spark{number}"),
            "hive": lambda: foreign_writers.hive_set_properties(row, r=f"hive{number}"),
            "hive text": lambda: foreign_writers.hive_create_or_replace(row, text),
        }[by]()
        self.server.swap_row(changed, expected=None)

    @rule(name=names, by=st.sampled_from(["drop", "drop the row", "rename", "spark replaces"]))
    def take_away(self, name: str, by: str) -> None:
        identifier = TableIdentifier.of(name)
        if name not in self.content():
            return
        catalog = self.catalog()
        acts: dict[str, Callable[[], object]] = {
            "drop": lambda: catalog.drop_view(name),
            "drop the row": lambda: self.server.drop_row(identifier),
            "rename": lambda: catalog.rename_view(name, f"web.{name.replace('.', '_')}"),
            "spark replaces": lambda: foreign_writers.replace_by_spark(self.server, identifier),
        }
        with suppress(HiveViewsError):
            acts[by]()
        self.undoable.clear()

    @rule(name=names, number=numbers)
    def create_by_others(self, name: str, number: int) -> None:
        with suppress(HiveViewsError):
            text = f"SELECT id, page, ds FROM web.clicks WHERE id = {number}"
            self.catalog().create_view(name, sql={"hive": text}, properties={"by": "others"})
            self.undoable.clear()

    @rule(name=names, day=numbers)
    def declare_a_partition(self, name: str, day: int) -> None:
        found = self.content().get(name)
        if (
            found is not None
            and found.partitioned_on
            and self.files.get(name, Wanted(is_partitioned=True)).is_partitioned
        ):
            with suppress(HiveViewsError):
                self.catalog().partitions(name).add([{"ds": f"2026-08-2{day}"}], if_not_exists=True)

    # -- apply and undo ------------------------------------------------------------------------------------------------

    @rule(prune=st.booleans(), killed_after=st.none() | st.integers(0, 15), again=st.booleans())
    def apply(self, prune: bool, killed_after: int | None, again: bool) -> None:
        if plain := self.plain():
            made = self.plan(**ALL)
            assert {error.file for error in made.errors} == {f"{name.replace('.', '/')}.sql" for name in plain}
            self.refused(made)
            for name in plain:
                self.server.drop_row(TableIdentifier.of(name))
        before = self.content()
        self.check_drift(before)
        made = self.plan(prune=prune, **ALL)
        assert not made.errors, made.errors
        assert not made.refusals, made.refusals
        # What others made of a row is a version of its own before the release, to which an undo goes back.
        had_drifted = any(self.catalog().load_view(name).has_drifted for name in before)
        if killed_after is not None:
            if self.is_killed(made, killed_after):
                event("killed")
                self.done(made.release, before)
                before = self.content()
                if not again:
                    made = self.plan(prune=prune, **ALL)
            else:
                again = False
                event("not killed")
                self.done(made.release, before)
                before = self.content()
                made = self.plan(prune=prune, **ALL)
                assert not made.steps, _steps(made)
        self.apply_whole(made)
        self.check_applied(before, prune=prune)
        self.done(made.release, before)
        if had_drifted:
            self.undoable.clear()

    def apply_whole(self, made: Plan) -> None:
        report = apply(self.catalog(), made)
        assert len(report.done) == len(made.steps), report

    def is_killed(self, made: Plan, after: int) -> bool:
        self.metastore.on_any(self.metastore.kill, after=after)
        try:
            apply(self.catalog(), made)
        except Killed:
            return True
        finally:
            self.metastore.clear()
            self.server.expire_locks()
        return False

    def refused(self, made: Plan) -> None:
        before = rows_of(self.server)
        try:
            report = apply(self.catalog(), made)
        except HiveViewsError:
            pass
        else:
            raise AssertionError(f"a plan that cannot be applied was: {report}")
        assert rows_of(self.server) == before

    def done(self, release: str, before: dict[str, Content]) -> None:
        after = self.content()
        self.left = after
        if self.undoable and self.undoable[-1][0] == release:
            # The same plan once more, after it was killed.
            _, before, _ = self.undoable.pop()
        if after != before:
            self.undoable.append((release, before, after))

    def plain(self) -> set[str]:
        """Names of files that a plain view has."""
        rows = rows_of(self.server)
        return {str(name) for name, row in rows.items() if str(name) in self.files and POINTER not in row.parameters}

    def check_drift(self, now: dict[str, Content]) -> None:
        """What others have changed is said, and nothing else, and is not overwritten unasked."""
        made = self.plan(allow_breaking=["*.*"])
        catalog = self.catalog()
        for step in made.steps:
            name = str(step.view)
            if name in self.left and name in now and now[name].properties.get("by") != "others":
                row_differs = catalog.load_view(name).has_drifted
                has_changed = row_differs or _defined(now[name]) != _defined(self.left[name])
                if step.drift is None and has_changed and "r" not in str(now[name].properties):
                    raise AssertionError(f"{name} was changed by others, and nothing is said of it")
                if step.drift is not None and not has_changed:
                    raise AssertionError(f"{name} was changed by nobody, and {step.drift} is said")
        if any(step.drift for step in made.steps):
            event("drift")
            assert made.refusals
            self.refused(made)

    def check_applied(self, before: dict[str, Content], *, prune: bool) -> None:
        now = self.content()
        for name, wanted in self.files.items():
            found = now[name]
            assert found.texts == wanted.texts, name
            kept = {**dict(wanted.properties), **({"comment": wanted.comment} if wanted.comment else {})}
            assert found.properties == kept, name
            assert found.partitioned_on == (("ds",) if wanted.is_partitioned else ()), name
            assert not self.catalog().load_view(name).has_drifted
        assert {name: _defined(one) for name, one in now.items() if name in self.files} == self.from_nothing()
        others = {name: one for name, one in before.items() if name not in self.files}
        if not prune:
            assert {name: now.get(name) for name in others} == others
        after = self.plan(prune=prune)
        assert (_steps(after), after.errors, after.refusals) == ([], (), ())

    def from_nothing(self) -> dict[str, Any]:
        """What the same files make of an empty metastore."""
        catalog = ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}")
        for namespace in ("web", "a", "b"):
            catalog.create_namespace(namespace)
        clicks_table(catalog.metastore)
        apply(catalog, plan(catalog, self.directory))
        return {name: _defined(one) for name, one in content_of(catalog).items()}

    @precondition(lambda self: self.undoable)
    @rule(back=st.booleans())
    def undo(self, back: bool) -> None:
        release, before, after = self.undoable.pop()
        now = self.content()
        is_touched = {name: _defined(one) for name, one in now.items()} != {
            name: _defined(one) for name, one in after.items()
        } or any(self.catalog().load_view(name).has_drifted for name in now)
        made = plan_undo(self.catalog(), self.directory, release, allow_breaking=["*.*"])
        if is_touched:
            event("undo of what was touched")
            self.undoable.clear()
            if made.refusals or made.errors:
                self.refused(made)
            return
        event("undo")
        assert not made.refusals, made.refusals
        self.apply_whole(made)
        self.same(self.content(), before, now)
        self.left = self.content()
        if back:
            again = plan_undo(self.catalog(), self.directory, made.release, allow_breaking=["*.*"])
            assert not again.refusals, again.refusals
            self.apply_whole(again)
            self.same(self.content(), now, now)
            self.left = self.content()
            self.undoable.append((release, before, after))

    def same(self, found: dict[str, Content], expected: dict[str, Content], now: dict[str, Content]) -> None:
        """Partitions that were declared since are kept."""
        partitions = {name: one.partitions for name, one in now.items()}
        wanted = {name: replace(one, partitions=partitions.get(name, one.partitions)) for name, one in expected.items()}
        assert found == wanted


def _steps(made: Plan) -> list[str]:
    """What is done; how the names of columns are written may decide about what is stale."""
    return [
        f"{step.action.value} {step.view} {[str(one) for one in step.differences if 'stale' not in one.heading]}"
        for step in made.steps
    ]


def _defined(content: Content) -> Any:
    return replace(content, partitions=())


def test_after_an_apply_a_metastore_is_what_the_files_say_and_after_an_undo_as_it_was() -> None:
    short = settings(max_examples=5, stateful_step_count=15) if settings().max_examples < 100 else settings()
    run_state_machine_as_test(Projects, settings=short)  # type: ignore[no-untyped-call]
