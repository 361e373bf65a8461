"""Every error this library raises, grouped by what the caller does next.

HiveViewsError
├── InvalidInputError (ValueError)     correct the call: it breaks a rule, and nothing was written
│   ├── InvalidIdentifierError
│   ├── InvalidSchemaError
│   │   ├── PartitionColumnsError      the columns do not fit the partition columns, or those the partitions
│   │   └── UncertainColumnsError      give the columns: only an engine could tell which the query has
│   ├── InvalidPartitionError
│   ├── DialectDroppedError
│   ├── TranslationRefusedError        write the SQL in a way that can be translated, or by hand (``findings``)
│   ├── RefusedPlanError               correct the files (``errors``), or allow what is refused (``refusals``)
│   ├── SQLSyntaxError                 line, column, what was expected
│   └── RuleSyntaxError                line, column
├── NotFoundError (LookupError)        name something that exists, or create it
│   ├── NoSuchNamespaceError
│   ├── NoSuchTableError
│   ├── NoSuchPartitionError
│   ├── NoSuchVersionError
│   └── NoSuchViewError
│       ├── NoSuchIcebergViewError     adopt the plain view of this name, or leave the table alone
│       └── ReplacedViewError          the name now refers to a different view: load it again and decide
├── AlreadyExistsError                 use another name, or replace what has it
│   ├── ViewAlreadyExistsError
│   ├── TableAlreadyExistsError
│   ├── ReleasedViewError              bring the view back with its history, or start a new one
│   └── PartitionAlreadyExistsError
├── NamespaceNotEmptyError             drop what is in it first
├── NotAdoptableError                  leave it: it is not a plain view
│   └── BrokenViewError                fix or drop it in the engine that created it
├── CommitFailedError                  retry: certainly not applied, because the view was changed concurrently
│   ├── LockTimeoutError               another client holds the lock (``holder``)
│   ├── OutdatedPlanError              plan again: a view was changed since
│   └── ViewDriftedError               decide what to do about a row that was changed outside of this library
├── CommitStateUnknownError            check the view first: do not retry, do not delete
├── CorruptMetadataError               restore the file: it is missing, unreadable, or another view's
├── CorruptArchiveError                use another copy of the archive
├── UnsupportedFeatureError            do it elsewhere: this metastore, table format or table cannot
└── UnavailableError                   wait, or fix the service: nothing is wrong with the call
    ├── MetastoreUnavailableError
    │   └── PermissionDeniedError      ask who administers the metastore: this user may not do it
    ├── StorageUnavailableError
    └── AuthenticationError
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import partial
from typing import Any

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.notebooks import error_block, short_traceback
from hive_views.messages.remedy import Remedy
from hive_views.messages.script_position import ScriptPosition


class Answer(Enum):
    """What came back for a request to write, as far as that proves anything.

    An exception from a metastore does not prove that nothing happened: it calls event listeners after its transaction,
    and what they throw becomes the answer.
    """

    NOT_SENT = "not sent"
    """The request was certainly not sent completely: nothing has happened, and nothing will."""
    REFUSED = "refused by the swap"
    """The server said, in the one message for it, that the current value is not the one that the swap expected."""
    FAILED = "answered with another error"
    """It is over: it has happened or never will. Only the content of the metastore tells which."""
    NONE = "no answer"
    """No answer came, or none that can be trusted: it has happened, or may still happen."""


@dataclass(eq=False, repr=False, kw_only=True)
class HiveViewsError(Exception):
    """Root of all errors of this library.

    Programs use its fields; ``dataclasses.replace(error, message=...)`` gives the same error with another message.

    Attributes:
        message: one or two sentences that name the thing, the rule and what to do; passwords in URIs are hidden.
        remedy: what to do, where Python and the command have different words for it; ``str`` of an error adds those of
            Python to the message, ``shell_message`` those of the command.
        answer: what an error that ended a write proves about it; by default, nothing.
        identifier: the view or table of the metastore that it is about.
        table: the base table that it is about, by name or location.
        location: the file or directory that it is about.
        server: the address of the metastore that did not answer.
        server_text: the error message of the metastore.
        added: the names of the partitions that the call had added before it failed.
        dropped: the names of the partitions that the call had dropped before it failed.
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
        """The message and the remedy, in the words of the shell."""
        return hide_credentials(f"{self.message} {self.remedy.in_shell}") if self.remedy else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Spark moves errors between processes; BaseException's own __reduce__ knows no keyword arguments.
        return partial(type(self), **{one.name: getattr(self, one.name) for one in fields(self)}), ()

    # What IPython shows instead of every frame of the library, and of an error that is a value.
    _render_traceback_ = short_traceback
    _repr_html_ = error_block


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidInputError(HiveViewsError, ValueError):
    """The call breaks a rule; nothing was written.

    Attributes:
        key: the property, setting or parameter that it is about.
        columns: the names of the columns that it is about.
        dialect: the dialect of the text that it is about.
    """

    key: str | None = None
    columns: Sequence[str] = ()
    dialect: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidIdentifierError(InvalidInputError):
    """The metastore cannot store a view, table, namespace or column of this name (field ``name``)."""

    name: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidSchemaError(InvalidInputError):
    """Columns, types (``type``) or partition columns do not fit the view, or have no equivalent in Hive or Iceberg."""

    type: str | None = None


class PartitionColumnsError(InvalidSchemaError):
    """The columns do not end in the partition columns, or the partitions would be left without theirs."""


@dataclass(eq=False, repr=False, kw_only=True)
class UncertainColumnsError(InvalidSchemaError):
    """The columns of a query cannot be derived without an engine; ``columns`` are those that are not certain."""


@dataclass(eq=False, repr=False, kw_only=True)
class InvalidPartitionError(InvalidInputError):
    """Partition values do not fit the partition columns of the view (field ``partitions``: their names)."""

    partitions: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class RefusedPlanError(InvalidInputError):
    """A plan has ``errors`` in files, or ``refusals`` of what would harm somebody (each a ``Remedy``)."""

    errors: Sequence[Any] = ()
    refusals: Sequence[Any] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class TranslationRefusedError(InvalidInputError):
    """No text in the ``dialect`` is known to answer as that of ``source`` (dialect, text); ``findings`` say why."""

    findings: Sequence[Any] = ()
    source: tuple[str, str] = ("", "")


@dataclass(eq=False, repr=False, kw_only=True)
class DialectDroppedError(InvalidInputError):
    """A new version would lose dialects that the current version has (Iceberg: replace.drop-dialect.allowed)."""

    dialects: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class SQLSyntaxError(InvalidInputError):
    """A SQL text cannot be used.

    Attributes:
        line: of the text, from 1; None where it is unknown.
        column: of that line, from 1.
        offset: in the text, from 0.
        problem: what is wrong, without the place.
        found: what the text has at this place.
        expected: what it should have.
        condition: Spark's name for the error, if it is known.
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
    """A text is not a rule; the fields are as those of SQLSyntaxError."""

    line: int = 1
    column: int = 1
    offset: int = 0
    problem: str = ""


class NotFoundError(HiveViewsError, LookupError):
    """Something that the call names does not exist."""


class NoSuchNamespaceError(NotFoundError):
    """There is no database of this name."""


@dataclass(eq=False, repr=False, kw_only=True)
class NoSuchTableError(NotFoundError):
    """There is no table or view of this name; ``line`` to ``dialect`` say where a query names it, if one does."""

    line: int | None = None
    column: int | None = None
    offset: int | None = None
    dialect: str | None = None


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
    """There is no view of this name; ``metadata_location`` is its last file, if that still exists."""

    metadata_location: str | None = None


class NoSuchIcebergViewError(NoSuchViewError):
    """The name belongs to a table or to a view without an Iceberg metadata file."""


class ReplacedViewError(NoSuchViewError):
    """The name now refers to a different view than the one that a change was meant for."""


class NotAdoptableError(HiveViewsError):
    """The row is not a plain view: a table, a materialized view, or a view that already has a metadata file."""


class BrokenViewError(NotAdoptableError):
    """The text, columns and parameters of a plain view contradict each other, or are not what an engine writes."""


class AlreadyExistsError(HiveViewsError):
    """What the call would create already exists."""


class ViewAlreadyExistsError(AlreadyExistsError):
    """A view already has this name."""


class TableAlreadyExistsError(AlreadyExistsError):
    """A table already has this name (tables and views share one namespace)."""


class ReleasedViewError(AlreadyExistsError):
    """The plain view to adopt was handed back by this library: its history still exists."""


@dataclass(eq=False, repr=False, kw_only=True)
class PartitionAlreadyExistsError(AlreadyExistsError):
    """Partitions are already declared (field ``partitions``: their names)."""

    partitions: Sequence[str] = ()


class NamespaceNotEmptyError(HiveViewsError):
    """The namespace that was to be dropped has tables, views or functions."""


@dataclass(eq=False, repr=False, kw_only=True)
class CommitFailedError(HiveViewsError):
    """The change was certainly not applied, because the view was changed concurrently. It is safe to retry.

    Attributes:
        expected_location: the metadata file that the row was expected to point to, if the server names it.
        found_location: the one that it points to.
    """

    expected_location: str | None = None
    found_location: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class LockTimeoutError(CommitFailedError):
    """Another client (field ``holder``) held the lock of the view for too long."""

    holder: str = "somebody"


@dataclass(eq=False, repr=False, kw_only=True)
class ViewDriftedError(CommitFailedError):
    """The row was changed without its metadata file; ``changes`` are the differences (``RowDifference``)."""

    changes: Sequence[Any] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class OutdatedPlanError(CommitFailedError):
    """Views (field ``views``) are not as they were when changes of them were planned; nothing was written."""

    views: Sequence[str] = ()


@dataclass(eq=False, repr=False, kw_only=True)
class CommitStateUnknownError(HiveViewsError):
    """It is unknown whether the change was applied, and it may still be.

    Do not retry, and do not delete the file in ``metadata_location``, before you have checked the view.

    Attributes:
        metadata_location: the file that the row points to if the change was applied.
        lock_left: whether the lock is left to expire, so that nobody commits before a late change is over.
        uncertain: the names of the partitions whose state is unknown.
        renamed_to: the name that the view may have now, after a drop that purges.
    """

    metadata_location: str | None = None
    lock_left: bool = False
    uncertain: Sequence[str] = ()
    renamed_to: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class CorruptMetadataError(HiveViewsError):
    """A metadata file is missing, unreadable, another view's, or breaks the view spec; ``path`` is where in it."""

    path: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class CorruptArchiveError(HiveViewsError):
    """An archive of views is truncated, was changed (field ``members``: in which ones), or is not one."""

    members: Sequence[str] = ()


class UnsupportedFeatureError(HiveViewsError):
    """This metastore, storage or table cannot do what was asked."""


class UnavailableError(HiveViewsError):
    """A service is not available; nothing is wrong with the call."""


class MetastoreUnavailableError(UnavailableError):
    """The metastore did not answer, or not as a metastore does."""

    @property
    def sent(self) -> bool:
        """False if the request was certainly not sent completely, so that nothing can have happened."""
        return self.answer is not Answer.NOT_SENT


class PermissionDeniedError(MetastoreUnavailableError):
    """The metastore does not permit this to the user: the operation, or acting for a proxy user."""


class StorageFailure(Enum):
    """How a storage failed, as far as its client tells; ``THROTTLED`` includes being out of service."""

    NO_CONTAINER = "no such bucket"
    CREDENTIALS = "credentials"
    FORBIDDEN = "forbidden"
    THROTTLED = "throttled"
    UNREACHABLE = "unreachable"
    CUT_SHORT = "cut short"
    OTHER = "other"


@dataclass(eq=False, repr=False, kw_only=True)
class StorageUnavailableError(UnavailableError):
    """The storage failed, ``failure`` says how; ``left`` are the files that a purge has not deleted."""

    failure: StorageFailure = StorageFailure.OTHER
    left: Sequence[str] = ()


class AuthenticationError(UnavailableError):
    """The metastore rejected the credentials, or requires another kind of authentication."""
