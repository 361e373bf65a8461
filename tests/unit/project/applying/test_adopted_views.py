"""Views as Hive, Spark and Trino made them, adopted: a file that changes a comment changes nothing else of the row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views.ddl.grammar.statements import OutputColumn
from hive_views.errors import NoSuchTableError, NotAdoptableError, SQLSyntaxError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project.applying.release_mark import Release, current_mark
from hive_views.project.applying.step_commit import StepCommits
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.plans.project_plan import Action, Earlier, Step
from hive_views.sql.query import QueryText
from hive_views.views.row.content import RowContent
from hive_views.views.version_diff import session_of
from hive_views.views.view import View
from tests.support import plain_rows
from tests.support.views.quick_catalog import catalog_on


def _as_declared(view: View) -> ViewDefinition:
    """What a file that was written from the view says."""
    return ViewDefinition(
        view.identifier,
        {dialect: QueryText(view.original_sql(dialect), dialect) for dialect in view.dialects},
        tuple(OutputColumn(one.name, one.comment, one.type) for one in view.columns),
        view.comment,
        view.partitioned_on,
        {key: value for key, value in view.properties.items() if key != "comment"},
        view.current_version.namespace_or(view.identifier.namespace),
        "file.sql",
    )


@pytest.mark.parametrize("maker", ["hive-4.0.1", "spark-3.5.8", "spark-4.1.4", "trino-476"])
def test_a_comment_changes_nothing_else_of_an_adopted_view_and_is_undone_exactly(maker: str) -> None:
    views = plain_rows.plain_views(maker)
    metastore = MemoryMetastore()
    plain_rows.fill(metastore, views)
    catalog = catalog_on(metastore)
    done = 0
    for plain in views:
        name = plain_rows.identifier(plain.name)
        try:
            view = catalog.adopt_view(name)
            before = RowContent.of(view.row)
            step = Step(Action.ALTER, name, definition=replace(_as_declared(view), comment="said by a file"))
            changed = StepCommits(catalog, Release("1-a", "shop", 1, "me"), checked=False).commit(step, 1)
        except (NoSuchTableError, NotAdoptableError, SQLSyntaxError):
            # Hive keeps no database of the session, Iceberg has not all types, and Spark 4 its own grammar.
            continue
        assert changed is not None
        assert changed.differences == ()
        assert changed.comment == "said by a file"
        assert changed.current_version.representations == view.current_version.representations
        assert session_of(changed.current_version) == session_of(view.current_version)
        assert changed.stale_dialects == view.stale_dialects
        mark = current_mark(changed.metadata)
        assert mark is not None
        assert mark.before is not None
        earlier = Earlier(mark.before, mark.properties_before, mark.partitioned_on_before)
        undo = Step(Action.RESTORE, name, earlier=earlier)
        restored = StepCommits(catalog, Release("2-b", "shop", 2, "me"), checked=False).commit(undo, 1)
        assert restored is not None
        assert RowContent.of(restored.row) == before
        assert restored.properties == view.properties
        assert restored.differences == ()
        done += 1
    assert done > 5
