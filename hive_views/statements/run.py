"""Executing: which function does what a statement says.

What lives here: the table of all statements, and one statement from its text to its result. What must not: what any of
them does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hive_views.errors import NoSuchNamespaceError
from hive_views.sql.statements import values
from hive_views.sql.statements.parse import parse_statement
from hive_views.statements import answers, changes, definitions
from hive_views.statements.refusals import NO_SUCH_DATABASE, hive_error
from hive_views.statements.result import StatementResult
from hive_views.statements.session import Session
from hive_views.verbs import ViewVerbs


def _use(catalog: ViewVerbs, statement: values.UseNamespace, session: Session) -> StatementResult:  # noqa: ARG001
    namespace = catalog.metastore.load_namespace(statement.namespace).name
    return StatementResult(f"The current database is {namespace}.", namespace)


_EXECUTED_BY: dict[type, Callable[[ViewVerbs, Any, Session], StatementResult]] = {
    values.CreateView: definitions.create_view,
    values.AlterViewAs: definitions.alter_view_as,
    values.AddDialect: definitions.add_dialect,
    values.ReplaceDialect: definitions.replace_dialect,
    values.RollBackView: definitions.roll_back_view,
    values.SetProperties: changes.set_properties,
    values.UnsetProperties: changes.unset_properties,
    values.RenameView: changes.rename_view,
    values.DropView: changes.drop_view,
    values.AddPartitions: changes.add_partitions,
    values.DropPartitions: changes.drop_partitions,
    values.PublishView: changes.publish_view,
    values.ShowViews: answers.show_views,
    values.ShowPartitions: answers.show_partitions,
    values.ShowProperties: answers.show_properties,
    values.ShowColumns: answers.show_columns,
    values.ShowCreateView: answers.show_create_view,
    values.DescribeView: answers.describe_view,
    values.UseNamespace: _use,
}


def execute(catalog: ViewVerbs, text: str, session: Session) -> StatementResult:
    """Execute the one statement in the text.

    Raises:
        SQLSyntaxError: it is none that is known here, or more than one.
        HiveViewsError: whatever the verbs raise that it stands for.
    """
    return execute_statement(catalog, parse_statement(text, session.dialect), session)


def execute_statement(catalog: ViewVerbs, statement: values.ViewStatement, session: Session) -> StatementResult:
    """Execute a statement that was read.

    Raises:
        HiveViewsError: whatever the verbs raise that it stands for.
    """
    with hive_error(NO_SUCH_DATABASE, NoSuchNamespaceError):
        return _EXECUTED_BY[type(statement)](catalog, statement, session)
