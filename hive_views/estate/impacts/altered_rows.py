"""Statements that change tables and views, applied to rows in memory as engines would apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_views.analysis import analyze_query
from hive_views.analysis.query_analysis import OutputColumn, TableColumns
from hive_views.base_tables.declared_columns import columns_of, columns_of_rows
from hive_views.ddl.grammar.parse import ScriptStatement
from hive_views.ddl.grammar.statements import AlterViewAs, CreateView, DropView, RenameView, UseNamespace
from hive_views.ddl.grammar.table_changes import (
    AddColumns,
    Change,
    ChangeColumn,
    DropColumns,
    DropTable,
    NewColumn,
    RenameTable,
    ReplaceColumns,
    TableChange,
)
from hive_views.errors import (
    AlreadyExistsError,
    HiveViewsError,
    InvalidSchemaError,
    NoSuchIcebergViewError,
    NoSuchTableError,
    NoSuchViewError,
)
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.metastore.port import Rows
from hive_views.persisted import TEXT_DIALECT
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from hive_views.storage.files import Files
from hive_views.views.row.content import TRINO_VIEW

_OF_A_TEXT = ("view.", "spark.sql.", TRINO_VIEW, TEXT_DIALECT)
"""Parameters with these prefixes are about the text that a row had."""

UNKNOWN_TYPE = "unknown"
"""The type of a column whose type is not certain; no type of Hive has this name."""


class Changes:
    """The rows of tables and views as statements change them, one after the other.

    Attributes:
        before: by name of what a statement is about, the row that there is; None if there is none.
        after: by the same names, the row that there will be.
        namespace: the current database.
    """

    def __init__(self, rows: Rows, files: Files, namespace: str) -> None:
        self.before: dict[TableIdentifier, Row | None] = {}
        self.after: dict[TableIdentifier, Row | None] = {}
        self.namespace = namespace
        self._rows = rows
        self._files = files

    def apply(self, each: ScriptStatement[Change]) -> None:
        """Apply one statement.

        Raises:
            NoSuchTableError, NoSuchViewError: what it is about is not there, or is of the other kind.
            AlreadyExistsError: the new name is taken.
            InvalidSchemaError: a column is not there, is there already, or is a partition column.
            UncertainColumnsError: the columns of the table are not known.
        """
        statement = each.statement
        if isinstance(statement, UseNamespace):
            self.namespace = statement.namespace
            return
        name = statement.name.resolve(self.namespace)
        if isinstance(statement, CreateView):
            self._create(name, statement)
        elif isinstance(statement, AlterViewAs):
            self._put(_with_text(self._view(name), statement.query, self.namespace, self._columns(statement.query)))
        elif isinstance(statement, RenameTable | RenameView):
            row = self._view(name) if isinstance(statement, RenameView) else self._table(name)
            self._rename(row, statement.to.resolve(self.namespace))
        elif isinstance(statement, DropTable | DropView):
            self._drop(name, statement)
        else:
            row = self._table(name)
            self._put(_with_columns(row, changed_columns(statement, columns_of(row, self._files), row)))

    def _get(self, name: TableIdentifier) -> Row | None:
        if name not in self.after:
            try:
                row = self._rows.load_row(name)
            except NoSuchTableError:
                row = None
            self.before[name] = self.after[name] = row
        return self.after[name]

    def _put(self, row: Row) -> None:
        self.after[row.identifier] = row

    def _table(self, name: TableIdentifier) -> Row:
        row = self._get(name)
        if row is None:
            raise NoSuchTableError(f"There is no table {name}.", identifier=str(name))
        if row.is_view:
            raise NoSuchTableError(f"{name} is a view, not a table.", identifier=str(name))
        return row

    def _view(self, name: TableIdentifier) -> Row:
        row = self._get(name)
        if row is None:
            raise NoSuchViewError(f"There is no view {name}.", identifier=str(name))
        if not row.is_view:
            raise NoSuchIcebergViewError(f"{name} is a table, not a view.", identifier=str(name))
        return row

    def _create(self, name: TableIdentifier, statement: CreateView) -> None:
        row = self._get(name)
        if row is not None and statement.if_not_exists:
            return
        if row is not None and not statement.replace:
            raise AlreadyExistsError(f"{name} already exists: use CREATE OR REPLACE VIEW.", identifier=str(name))
        if row is not None:
            row = self._view(name)
        query, listed = statement.query_of_row, statement.columns or ()
        columns = self._columns(query)
        names, types = [one.name.lower() for one in listed], [one.type for one in listed]
        if columns is None and None not in types:
            columns = [Column(one.name.lower(), one.type or UNKNOWN_TYPE) for one in listed] or None
        if names and columns is not None and len(names) != len(columns):
            raise InvalidSchemaError(
                f"The query of {name} returns {len(columns)} columns, and its list has {len(names)}.", columns=names
            )
        if names and columns is not None:
            columns = [replace(one, type=type_ or one.type) for one, type_ in zip(columns, types, strict=True)]
        # Partition columns are the last ones.
        keys = tuple(Column(key.lower(), UNKNOWN_TYPE) for key in statement.partitioned_on)
        new = replace(row or Row(name, VIRTUAL_VIEW), partition_keys=keys)
        self._put(_with_text(new, query, self.namespace, columns, names))

    def _columns(self, query: QueryText) -> Sequence[Column] | None:
        """The columns of a new text; None where a star in it cannot be expanded."""
        read = [
            self._get(TableIdentifier(*name)) for name in referenced_tables(query, self.namespace) if len(name) == 2
        ]
        known = columns_of_rows((row for row in read if row), self._files)
        return new_columns(query, self.namespace, known.columns)

    def _rename(self, row: Row, to: TableIdentifier) -> None:
        if self._get(to) is not None:
            raise AlreadyExistsError(f"{to} already exists.", identifier=str(to))
        self.after[row.identifier] = None
        self._put(replace(row, identifier=to))

    def _drop(self, name: TableIdentifier, statement: DropTable | DropView) -> None:
        if statement.if_exists and self._get(name) is None:
            return
        row = self._view(name) if isinstance(statement, DropView) else self._table(name)
        self.after[row.identifier] = None


def new_columns(query: QueryText, namespace: str, known: TableColumns) -> list[Column] | None:
    """The columns that a query returns, those without a certain type as ``UNKNOWN_TYPE``."""
    analysis = analyze_query(query, namespace, known).refuse_unknown()
    if not all(one.is_one for one in analysis.columns):
        return None
    return [_column(one, place) for place, one in enumerate(analysis.columns)]


def _column(one: OutputColumn, place: int) -> Column:
    return Column((one.name or f"_c{place}").lower(), one.type or UNKNOWN_TYPE, one.comment)


def _with_text(
    row: Row, query: QueryText, namespace: str, own: Sequence[Column] | None, names: Sequence[str] = ()
) -> Row:
    """A view with another text.

    Args:
        row: the row of the view; its partition columns stay.
        query: its text.
        namespace: where names of one part are.
        own: the columns of the query, None if they are not known.
        names: of the columns of the view, where a list gives them others.
    """
    parameters = {key: value for key, value in row.parameters.items() if not key.startswith(_OF_A_TEXT)}
    parameters["view.default.database"] = namespace
    if query.dialect == "spark":
        parameters["spark.sql.create.version"] = "4"
    text, columns = str(query), list(own or ())
    if own is not None:
        columns = [replace(one, name=name) for one, name in zip(own, names or [one.name for one in own], strict=True)]
        text = expand(
            query,
            columns=[one.name for one in columns],
            namespace=namespace,
            view_name=row.identifier.name,
            star_columns=[one.name for one in own],
            readers=(),
        )
    keys = {key.name for key in row.partition_keys}
    return replace(
        row,
        columns=tuple(one for one in columns if one.name not in keys),
        partition_keys=tuple(one for one in columns if one.name in keys),
        original_text=str(query),
        expanded_text=text,
        parameters=parameters,
    )


def _with_columns(row: Row, columns: Sequence[Column]) -> Row:
    """A table with other columns; one whose format keeps its own becomes one whose columns are in the metastore."""
    keys = {key.name for key in row.partition_keys}
    found = tuple(one for one in columns if one.name not in keys)
    try:
        columns_of(row)
        return replace(row, columns=found)
    except HiveViewsError:
        return Row(row.identifier, row.table_type, row.owner, columns=found, partition_keys=row.partition_keys)


def changed_columns(statement: TableChange, columns: Sequence[Column], row: Row) -> list[Column]:
    """The columns of a table after a statement, partition columns last.

    Raises:
        InvalidSchemaError: a column is not there, is there already, or is a partition column.
    """
    keys = row.partition_keys
    data = [one for one in columns if one.name not in {key.name for key in keys}]
    if isinstance(statement, ReplaceColumns):
        data = [_folded(one) for one in statement.columns]
    elif isinstance(statement, AddColumns):
        for new in statement.columns:
            data = _added(data, new, row)
    elif isinstance(statement, DropColumns):
        for name in statement.columns:
            if statement.if_exists and name.lower() not in {one.name for one in columns}:
                continue
            data = [one for one in data if one is not _found(name, data, row)]
    elif isinstance(statement, ChangeColumn):
        data = _changed(data, statement, row)
    names = [one.name for one in (*data, *keys)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidSchemaError(f"{row.identifier} would have the column {twice[0]} twice.", columns=twice)
    if not data:
        raise InvalidSchemaError(f"{row.identifier} would have no columns.", columns=())
    return [*data, *keys]


def _changed(data: list[Column], statement: ChangeColumn, row: Row) -> list[Column]:
    old = _found(statement.column, data, row)
    comment = old.comment if statement.comment is None else statement.comment
    new = Column((statement.to or old.name).lower(), statement.type or old.type, comment)
    if statement.place is None:
        return [new if one is old else one for one in data]
    return _added([one for one in data if one is not old], NewColumn(new, statement.place), row)


def _added(data: list[Column], new: NewColumn, row: Row) -> list[Column]:
    at = len(data)
    if new.place is not None:
        at = 0 if new.place.after is None else data.index(_found(new.place.after, data, row)) + 1
    return [*data[:at], _folded(new.column), *data[at:]]


def _folded(column: Column) -> Column:
    return replace(column, name=column.name.lower())


def _found(name: str, data: Sequence[Column], row: Row) -> Column:
    for one in data:
        if one.name.lower() == name.lower():
            return one
    if name.lower() in {key.name for key in row.partition_keys}:
        raise InvalidSchemaError(
            f"{name} is a partition column of {row.identifier}, which neither Hive nor Spark changes or drops.",
            columns=[name],
        )
    known = did_you_mean(name.lower(), (one.name for one in data))
    raise InvalidSchemaError(f"{row.identifier} has no column {name}. {known}", columns=[name])
