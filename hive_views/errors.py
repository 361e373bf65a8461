"""Every error this library raises, grouped by what the caller does next.

HiveViewsError
├── InvalidInputError (ValueError)     the call breaks a rule; nothing was read or written
│   ├── InvalidIdentifierError
│   ├── InvalidSchemaError
│   │   ├── PartitionColumnsError      the columns do not fit the partition columns, or those the partitions
│   │   └── UncertainColumnsError      only an engine, or the caller, can say which columns a query has
│   ├── InvalidPartitionError
│   ├── DialectDroppedError
│   ├── SQLSyntaxError                 line, column, what was expected
│   └── RuleSyntaxError                line, column
├── NotFoundError (LookupError)
│   ├── NoSuchNamespaceError
│   ├── NoSuchTableError
│   ├── NoSuchPartitionError
│   ├── NoSuchVersionError
│   └── NoSuchViewError
│       ├── NoSuchIcebergViewError     a table or a plain Hive view has this name
│       └── ReplacedViewError          another view has the name of the one that a change was meant for
├── NotAdoptableError                  no plain view: there is nothing to adopt
│   └── BrokenViewError                a plain view that contradicts itself: mend or drop it where it was made
├── AlreadyExistsError
│   ├── ViewAlreadyExistsError
│   ├── TableAlreadyExistsError
│   ├── ReleasedViewError              a plain view that was released from here, as it is
│   └── PartitionAlreadyExistsError
├── NamespaceNotEmptyError             a namespace with something in it cannot be dropped
├── CommitFailedError                  certainly not applied; the base moved
│   ├── LockTimeoutError               somebody else keeps the lock (``holder``)
│   └── ViewDriftedError               the row was changed behind the metadata
├── CommitStateUnknownError            may or may not be applied: do not retry, do not delete
├── CorruptMetadataError               a metadata file is missing, unreadable, or another view's
├── CorruptArchiveError                a backup is cut off, changed, or none: nothing of it was written
├── UnsupportedFeatureError            this metastore, table format or table cannot do it
└── UnavailableError
    ├── MetastoreUnavailableError
    ├── StorageUnavailableError
    └── AuthenticationError
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.notebooks import short_traceback
from hive_views.messages.remedy import Remedy


class Answer(Enum):
    """What came back of a request to write, as far as that proves anything.

    An exception that a metastore answers is no proof that nothing happened: it calls event listeners after its
    transaction, and what they throw becomes the answer.
    """

    NOT_SENT = "not sent"
    """The request certainly never left completely: nothing has happened, and nothing will."""
    REFUSED = "refused by the swap"
    """The server said, in the one message for it, that the value which the swap expected is another one."""
    FAILED = "answered with another error"
    """It is over: it has happened or never will. Which of the two, only the metastore's content says."""
    NONE = "no answer"
    """None came, or none that can be trusted: it has happened, or may still."""


@dataclass(frozen=True)
class ScriptPosition:
    """Where a script of statements ended with an error.

    Attributes:
        statement: its number, from 1.
        line: the line in which it begins, from 1.
        text: the statement.
        done: the results (``StatementResult``) of those before it.
    """

    statement: int
    line: int
    text: str
    done: Sequence[Any] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class HiveViewsError(Exception):
    """Root of all errors of this library.

    What a program can use of an error are its declared fields; ``dataclasses.replace(error, message=...)`` gives the
    same error with another message.

    Attributes:
        message: one or two sentences that name the thing, the rule and what to do; passwords in URIs are hidden.
        remedy: what to do, where Python and the command have different words for it; ``str`` of an error ends with it
            in Python's, and ``message`` is what it says without it.
        answer: of an error that ended a write, what it proves about it; the most careful where nobody says.
        identifier: the view or table of the metastore that it is about.
        table: the base table that it is about, by name or location.
        location: the file or directory that it is about.
        server: the address of the metastore that was asked, where no answer came.
        server_text: what the metastore answered, in its own words.
        added: the names of partitions that the call had added before.
        dropped: the names of partitions that the call had dropped before.
        script: the statement of a script that raised it.
    """

    message: str = field(kw_only=False)
    remedy: Remedy | None = None
    answer: Answer = Answer.NONE
    identifier: str | None = None
    table: str | None = None
    location: str | None = None
    server: str | None = None
    server_text: str | None = None
    added: Sequence[str] = ()
    dropped: Sequence[str] = ()
    script: ScriptPosition | None = None

    def __post_init__(self) -> None:
        self.message = hide_credentials(self.message)
        self.args = (self.message if self.remedy is None else hide_credentials(f"{self.message} {self.remedy}"),)

    @property
    def shell_message(self) -> str:
        """The message with the remedy in the words of the shell; ``str`` of an error has those of Python."""
        return hide_credentials(f"{self.message} {self.remedy.in_shell}") if self.remedy else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Spark moves errors between processes; BaseException's own __reduce__ knows no keyword arguments.
        return _rebuild, (type(self), {one.name: getattr(self, one.name) for one in fields(self)})

    def _render_traceback_(self) -> list[str]:
        """What IPython and notebooks show instead of every frame of the library."""
        return short_traceback(self)


def _rebuild(kind: type[HiveViewsError], values: dict[str, Any]) -> HiveViewsError:
    return kind(**values)


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidInputError(HiveViewsError, ValueError):
    """The call breaks a rule. Nothing was written.

    Attributes:
        key: the property, setting or parameter that it is about.
        columns: the names of the columns that it is about.
        dialect: of the text that it is about.
    """

    key: str | None = None
    columns: Sequence[str] = ()
    dialect: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidIdentifierError(InvalidInputError):
    """A name of a view, table, namespace or column is not one the metastore can hold (field ``name``)."""

    name: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidSchemaError(InvalidInputError):
    """Columns, types or partition columns do not fit the view, or have no counterpart in Hive or Iceberg.

    Attributes:
        type: the type that it is about.
    """

    type: str | None = None


class PartitionColumnsError(InvalidSchemaError):
    """The columns do not end in the partition columns, or the partitions would be left without theirs."""


@dataclass(eq=False, repr=False, kw_only=True)
class UncertainColumnsError(InvalidSchemaError):
    """The columns of a query cannot be derived without an engine; field ``columns`` has those that are not certain."""


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidPartitionError(InvalidInputError):
    """Partition values do not fit the partition columns of the view (field ``partitions``: their names)."""

    partitions: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class DialectDroppedError(InvalidInputError):
    """A new version would lose dialects that the current version has (Iceberg: replace.drop-dialect.allowed)."""

    dialects: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class SQLSyntaxError(InvalidInputError):
    """A SQL text cannot be used.

    Attributes:
        line: of the text, from 1; None where it is not known.
        column: of that line, from 1.
        offset: in the text, from 0.
        problem: what is wrong, without the place.
        found: what stands there.
        expected: what should.
        condition: Spark's name for it, as far as it is known.
    """

    line: int | None = None
    column: int | None = None
    offset: int | None = None
    problem: str = ""
    found: str | None = None
    expected: str | None = None
    condition: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class RuleSyntaxError(InvalidInputError):
    """A text is not a rule.

    Attributes:
        line: of the text, from 1.
        column: of that line, from 1.
        offset: in the text, from 0.
        problem: what is wrong, without the place.
    """

    line: int = 1
    column: int = 1
    offset: int = 0
    problem: str = ""


class NotFoundError(HiveViewsError, LookupError):
    """What the call names does not exist."""


class NoSuchNamespaceError(NotFoundError):
    """There is no database of this name."""


class NoSuchTableError(NotFoundError):
    """There is no table or view of this name."""


@dataclass(eq=False, repr=False, kw_only=True)
class NoSuchPartitionError(NotFoundError):
    """The view has no such partitions (field ``partitions``: their names)."""

    partitions: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class NoSuchVersionError(NotFoundError):
    """The view has no such version, or it has expired."""

    version_id: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class NoSuchViewError(NotFoundError):
    """There is no view of this name; ``metadata_location`` is its last file, where that is still there."""

    metadata_location: str | None = None


class NoSuchIcebergViewError(NoSuchViewError):
    """The name belongs to a table or to a view without an Iceberg metadata file."""


class ReplacedViewError(NoSuchViewError):
    """Another view has the name of the one that a change was meant for."""


class NotAdoptableError(HiveViewsError):
    """The row is no plain view: a table, a materialized view, or a view that has a metadata file already."""


class BrokenViewError(NotAdoptableError):
    """The row is a plain view whose text, columns and parameters do not agree, or are not what an engine writes."""


class AlreadyExistsError(HiveViewsError):
    """What the call would create exists already."""


class ViewAlreadyExistsError(AlreadyExistsError):
    """A view has this name already."""


class TableAlreadyExistsError(AlreadyExistsError):
    """A table has this name already (tables and views share one namespace)."""


class ReleasedViewError(AlreadyExistsError):
    """A plain view that is to be adopted was released from here: its history is still there."""


@dataclass(eq=False, repr=False, kw_only=True)
class PartitionAlreadyExistsError(AlreadyExistsError):
    """Partitions are declared already (field ``partitions``: their names)."""

    partitions: Sequence[str] = ()


class NamespaceNotEmptyError(HiveViewsError):
    """There are tables, views or functions in the namespace that was to be dropped."""


@dataclass(eq=False, repr=False, kw_only=True)
class CommitFailedError(HiveViewsError):
    """Certainly not applied, because the view moved meanwhile. Safe to run again.

    Attributes:
        expected_location: the metadata file that the row was expected to point to, where the server names it.
        found_location: the one that it points to.
    """

    expected_location: str | None = None
    found_location: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class LockTimeoutError(CommitFailedError):
    """Somebody else (field ``holder``) kept the lock of the view for too long."""

    holder: str = "somebody"


@dataclass(eq=False, repr=False, kw_only=True)
class ViewDriftedError(CommitFailedError):
    """The metastore row was changed behind the metadata file; ``changes`` are the differences (``RowDifference``)."""

    changes: Sequence[Any] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class CommitStateUnknownError(HiveViewsError):
    """The change may or may not have been applied, or may still be.

    Do not run it again blindly and do not delete the file in ``metadata_location``: look at the view first.

    Attributes:
        metadata_location: the file that the row points to if it was applied.
        lock_left: the lock is left to expire, so that nobody commits before a late change is over.
        uncertain: the names of the partitions that it is not known of.
        renamed_to: the name that the view may have now, of a drop that purges.
    """

    metadata_location: str | None = None
    lock_left: bool = False
    uncertain: Sequence[str] = ()
    renamed_to: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class CorruptMetadataError(HiveViewsError):
    """A metadata file is missing, unreadable, breaks the view spec, or belongs to another view.

    Attributes:
        path: the place inside of the file, ``schemas[0].fields[1].id``.
    """

    path: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class CorruptArchiveError(HiveViewsError):
    """An archive of views is cut off, was changed, or is none. Nothing of it was written; use another copy of it.

    Attributes:
        members: the names of its members that are not what its manifest says.
    """

    members: Sequence[str] = ()


class UnsupportedFeatureError(HiveViewsError):
    """This metastore, storage or table cannot do what was asked."""


class UnavailableError(HiveViewsError):
    """A service did not do its part; nothing is wrong with the call."""


class MetastoreUnavailableError(UnavailableError):
    """The metastore did not answer, or answered what no metastore answers."""

    @property
    def sent(self) -> bool:
        """False when it is certain that the request never left completely, so that nothing can have happened."""
        return self.answer is not Answer.NOT_SENT


class StorageFailure(Enum):
    """What a storage refused or failed, as far as its client tells; ``THROTTLED`` is out of service as well."""

    NO_CONTAINER = "no such bucket"
    CREDENTIALS = "credentials"
    FORBIDDEN = "forbidden"
    THROTTLED = "throttled"
    UNREACHABLE = "unreachable"
    CUT_SHORT = "cut short"
    OTHER = "other"


@dataclass(eq=False, repr=False, kw_only=True)
class StorageUnavailableError(UnavailableError):
    """The storage of files failed, ``failure`` says how; ``left`` are those that a purge has not deleted."""

    failure: StorageFailure = StorageFailure.OTHER
    left: Sequence[str] = ()


class AuthenticationError(UnavailableError):
    """The metastore refused who we say we are, or wants another kind of authentication."""
