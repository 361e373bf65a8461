"""What a statement about views says: one frozen value per statement.

Names, columns and texts are as written, with quotes and escapes resolved; names are folded to lower case when they are
resolved. A query knows its dialect. Constants are plain Python values, as hive_views.hive.partition_values takes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText

Constant: TypeAlias = str | int | float | bool | Decimal | date | datetime | None
"""A constant of Hive: 10, 10L are int, 1.5, 10BD Decimal, 1e3, 1.5D float, DATE '…' date, TIMESTAMP '…' datetime."""

Operator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Name:
    """The name of a view or table as written, with its database if that was written."""

    namespace: str | None
    name: str

    def __str__(self) -> str:
        return self.name if self.namespace is None else f"{self.namespace}.{self.name}"

    def resolve(self, current_namespace: str) -> TableIdentifier:
        """The view or table that the name refers to in this current database.

        Raises:
            InvalidIdentifierError: the metastore cannot hold such a name.
        """
        return TableIdentifier(current_namespace if self.namespace is None else self.namespace, self.name)


@dataclass(frozen=True)
class OutputColumn:
    """A column in the column list of CREATE VIEW; ``type`` is in Hive's spelling, None where none is given."""

    name: str
    comment: str | None = None
    type: str | None = None


@dataclass(frozen=True)
class PartitionValues:
    """``PARTITION (ds='…', hr=1)``: values by column, each column once, in the order written."""

    pairs: tuple[tuple[str, Constant], ...]

    def as_dict(self) -> dict[str, Constant]:
        return dict(self.pairs)


@dataclass(frozen=True)
class Comparison:
    """``ds > '2026-08-01'`` in DROP PARTITION; ``==`` is ``=``, ``<>`` is ``!=``."""

    column: str
    operator: Operator
    value: Constant


@dataclass(frozen=True)
class TranslatedText:
    """``DIALECT trino TRANSLATED FROM hive ALLOW 'x'``: a text that is translated from another one of its view.

    ``allow`` are codes of differences that are accepted, sorted.
    """

    dialect: str
    source: str
    allow: tuple[str, ...] = ()


@dataclass(frozen=True)
class CreateView:
    """``columns`` is None without a column list; ``partitioned_on`` is empty without the clause.

    ``others`` are the texts behind ``DIALECT name AS``, not in Hive, each in a dialect of its own, and ``translated``
    are those that are translated from one of them, or from ``query``.
    """

    name: Name
    query: QueryText
    replace: bool = False
    if_not_exists: bool = False
    columns: tuple[OutputColumn, ...] | None = None
    comment: str | None = None
    partitioned_on: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    others: tuple[QueryText, ...] = ()
    translated: tuple[TranslatedText, ...] = ()

    @property
    def texts(self) -> dict[str, QueryText]:
        """All texts that are given by dialect, in the order written."""
        return {query.dialect: query for query in (self.query, *self.others)}

    @property
    def query_of_row(self) -> QueryText:
        """The text that plain readers get, which decides the columns; where there is none, the first."""
        return next((self.texts[dialect] for dialect in ROW_DIALECTS if dialect in self.texts), self.query)


@dataclass(frozen=True)
class AlterViewAs:
    name: Name
    query: QueryText


@dataclass(frozen=True)
class SetProperties:
    name: Name
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class UnsetProperties:
    name: Name
    keys: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True)
class RenameView:
    name: Name
    to: Name


@dataclass(frozen=True)
class AddPartitions:
    name: Name
    partitions: tuple[PartitionValues, ...]
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropPartitions:
    """A partition is dropped if it satisfies all comparisons of one of the ``matching``."""

    name: Name
    matching: tuple[tuple[Comparison, ...], ...]
    if_exists: bool = False


@dataclass(frozen=True)
class DropView:
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class ShowViews:
    """``pattern`` is Hive's: ``*`` for any characters, ``|`` between alternatives."""

    namespace: str | None = None
    pattern: str | None = None


@dataclass(frozen=True)
class ShowPartitions:
    name: Name
    matching: PartitionValues | None = None


@dataclass(frozen=True)
class ShowProperties:
    name: Name
    key: str | None = None


@dataclass(frozen=True)
class ShowColumns:
    name: Name


@dataclass(frozen=True)
class ShowCreateView:
    name: Name


@dataclass(frozen=True)
class DescribeView:
    """``column`` has more than one part for a field inside a column."""

    name: Name
    detail: Literal["extended", "formatted"] | None = None
    partition: PartitionValues | None = None
    column: tuple[str, ...] = ()


@dataclass(frozen=True)
class UseNamespace:
    namespace: str


@dataclass(frozen=True)
class RollBackView:
    """Not in Hive."""

    name: Name
    to_version: int


@dataclass(frozen=True)
class AddDialect:
    """Not in Hive: a text in a dialect that the view does not have yet."""

    name: Name
    query: QueryText


@dataclass(frozen=True)
class ReplaceDialect:
    """Not in Hive: another text in a dialect that the view has."""

    name: Name
    query: QueryText


@dataclass(frozen=True)
class AddTranslation:
    """Not in Hive: a text in a dialect that the view does not have yet, translated from another one of its texts."""

    name: Name
    text: TranslatedText


@dataclass(frozen=True)
class ReplaceTranslation:
    """Not in Hive: a translated text in place of the one that the view has in this dialect."""

    name: Name
    text: TranslatedText


@dataclass(frozen=True)
class DropDialect:
    """Not in Hive: the view without its text in a dialect."""

    name: Name
    dialect: str


@dataclass(frozen=True)
class KeepDialect:
    """Not in Hive: a stale text is still true."""

    name: Name
    dialect: str


@dataclass(frozen=True)
class PublishView:
    """Not in Hive; ``candidates`` is empty where the base tables determine which partitions to look at, and ``rule``
    None where it is the recorded one.
    """

    name: Name
    rule: Rule | None
    candidates: tuple[PartitionValues, ...] = ()
    since: PartitionValues | None = None
    until: PartitionValues | None = None


ViewStatement: TypeAlias = (
    CreateView
    | AlterViewAs
    | SetProperties
    | UnsetProperties
    | RenameView
    | AddPartitions
    | DropPartitions
    | DropView
    | ShowViews
    | ShowPartitions
    | ShowProperties
    | ShowColumns
    | ShowCreateView
    | DescribeView
    | UseNamespace
    | RollBackView
    | AddDialect
    | ReplaceDialect
    | AddTranslation
    | ReplaceTranslation
    | DropDialect
    | KeepDialect
    | PublishView
)
