"""Executing: which function does what a statement says.

What lives here: the table of all statements, and one statement from its text to its result. What must not: what any of
them does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hive_views.ddl import answers, view_changes, view_definitions
from hive_views.ddl.grammar import statements
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.refusals import NO_SUCH_DATABASE, hive_error
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import Session
from hive_views.errors import NoSuchNamespaceError
from hive_views.views.verbs import ViewVerbs


def _use(catalog: ViewVerbs, statement: statements.UseNamespace, session: Session) -> StatementResult:  # noqa: ARG001
    namespace = catalog.metastore.load_namespace(statement.namespace).name
    return StatementResult(f"The current database is {namespace}.", namespace)


_EXECUTED_BY: dict[type, Callable[[ViewVerbs, Any, Session], StatementResult]] = {
    statements.CreateView: view_definitions.create_view,
    statements.AlterViewAs: view_definitions.alter_view_as,
    statements.AddDialect: view_definitions.add_dialect,
    statements.ReplaceDialect: view_definitions.replace_dialect,
    statements.RollBackView: view_definitions.roll_back_view,
    statements.SetProperties: view_changes.set_properties,
    statements.UnsetProperties: view_changes.unset_properties,
    statements.RenameView: view_changes.rename_view,
    statements.DropView: view_changes.drop_view,
    statements.AddPartitions: view_changes.add_partitions,
    statements.DropPartitions: view_changes.drop_partitions,
    statements.PublishView: view_changes.publish_view,
    statements.ShowViews: answers.show_views,
    statements.ShowPartitions: answers.show_partitions,
    statements.ShowProperties: answers.show_properties,
    statements.ShowColumns: answers.show_columns,
    statements.ShowCreateView: answers.show_create_view,
    statements.DescribeView: answers.describe_view,
    statements.UseNamespace: _use,
}


def execute(catalog: ViewVerbs, text: str, session: Session) -> StatementResult:
    """Execute the one statement in the text.

    Raises:
        SQLSyntaxError: it is none that is known here, or more than one.
        HiveViewsError: whatever the verbs raise that it stands for.
    """
    return execute_statement(catalog, parse_statement(text, session.dialect), session)


def execute_statement(catalog: ViewVerbs, statement: statements.ViewStatement, session: Session) -> StatementResult:
    """Execute a statement that was read.

    Raises:
        HiveViewsError: whatever the verbs raise that it stands for.
    """
    with hive_error(NO_SUCH_DATABASE, NoSuchNamespaceError):
        return _EXECUTED_BY[type(statement)](catalog, statement, session)
