"""Every error this library raises, grouped by what the caller does next.

What lives here: the exception classes, and what an error proves about a write. What must not: any import from the
rest of the package but messages, any rule that decides when an error is raised.

    HiveViewsError
    ├── InvalidInputError (ValueError)     the call breaks a rule; nothing was read or written
    │   ├── InvalidIdentifierError
    │   ├── InvalidSchemaError
    │   ├── InvalidPartitionError
    │   ├── DialectDroppedError
    │   └── SQLSyntaxError                 line, column, what was expected
    ├── NotFoundError (LookupError)
    │   ├── NoSuchNamespaceError
    │   ├── NoSuchTableError
    │   ├── NoSuchPartitionError
    │   ├── NoSuchVersionError
    │   └── NoSuchViewError
    │       └── NoSuchIcebergViewError     a table or a plain Hive view has this name
    ├── AlreadyExistsError
    │   ├── ViewAlreadyExistsError
    │   ├── TableAlreadyExistsError
    │   └── PartitionAlreadyExistsError
    ├── CommitFailedError                  certainly not applied; the base moved
    │   └── ViewDriftedError               the row was changed behind the metadata
    ├── CommitStateUnknownError            may or may not be applied: do not retry, do not delete
    ├── CorruptMetadataError               a metadata file is missing, unreadable, or another view's
    ├── UnsupportedFeatureError            this metastore, table format or table cannot do it
    └── UnavailableError
        ├── MetastoreUnavailableError
        ├── StorageUnavailableError
        └── AuthenticationError
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.notebooks import short_traceback
from hive_views.messages.remedies import Remedy


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


class HiveViewsError(Exception):
    """Root of all errors of this library.

    Args:
        message: one or two sentences that name the thing, the rule and the way out; passwords in URIs are hidden.
        remedy: the way out, where Python and the command have different words for it; ``str`` of an error ends with it
            in Python's, and ``message`` is what it says without it.
        answer: of an error that ended a write, what it proves about it; the most careful where nobody says.
        **fields: facts a program can use (``identifier``, ``found_location``, ...); they become attributes.
    """

    def __init__(
        self, message: str, *, remedy: Remedy | None = None, answer: Answer = Answer.NONE, **fields: Any
    ) -> None:
        self.message = hide_credentials(message)
        self.remedy = remedy
        super().__init__(self.message if remedy is None else hide_credentials(f"{message} {remedy}"))
        self.answer = answer
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        # Only reached for names that are no real attribute; pickling asks for dunder names before __init__ ran.
        if not name.startswith("_") and name != "fields" and name in self.fields:
            return self.fields[name]
        raise AttributeError(f"{type(self).__name__!r} error has no field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Spark moves errors between processes; BaseException's own __reduce__ knows no keyword arguments.
        return _rebuild, (type(self), self.message, self.remedy, self.answer, self.fields)

    def _render_traceback_(self) -> list[str]:
        """What IPython and notebooks show instead of every frame of the library."""
        return short_traceback(self)


def _rebuild(
    kind: type[HiveViewsError], problem: str, remedy: Remedy | None, answer: Answer, fields: dict[str, Any]
) -> HiveViewsError:
    return kind(problem, remedy=remedy, answer=answer, **fields)


class InvalidInputError(HiveViewsError, ValueError):
    """The call breaks a rule. Nothing was written."""


class InvalidIdentifierError(InvalidInputError):
    """A name of a view, table, namespace or column is not one the metastore can hold."""


class InvalidSchemaError(InvalidInputError):
    """Columns, types or partition columns do not fit the view, or have no counterpart in Hive or Iceberg."""


class InvalidPartitionError(InvalidInputError):
    """Partition values do not fit the partition columns of the view."""


class DialectDroppedError(InvalidInputError):
    """A new version would lose a dialect that the current version has (Iceberg: replace.drop-dialect.allowed)."""


class SQLSyntaxError(InvalidInputError):
    """A SQL text cannot be used; fields ``line`` and ``column`` (from 1) say where, when known."""


class NotFoundError(HiveViewsError, LookupError):
    """What the call names does not exist."""


class NoSuchNamespaceError(NotFoundError):
    """There is no database of this name."""


class NoSuchTableError(NotFoundError):
    """There is no table or view of this name."""


class NoSuchPartitionError(NotFoundError):
    """The view has no such partition."""


class NoSuchVersionError(NotFoundError):
    """The view has no such version, or it has expired."""


class NoSuchViewError(NotFoundError):
    """There is no view of this name."""


class NoSuchIcebergViewError(NoSuchViewError):
    """The name belongs to a table or to a view without an Iceberg metadata file."""


class AlreadyExistsError(HiveViewsError):
    """What the call would create exists already."""


class ViewAlreadyExistsError(AlreadyExistsError):
    """A view has this name already."""


class TableAlreadyExistsError(AlreadyExistsError):
    """A table has this name already (tables and views share one name space)."""


class PartitionAlreadyExistsError(AlreadyExistsError):
    """The partition is declared already."""


class CommitFailedError(HiveViewsError):
    """Certainly not applied, because the view moved meanwhile. Safe to run again."""


class ViewDriftedError(CommitFailedError):
    """The metastore row was changed behind the metadata file (field ``changes`` lists how)."""


class CommitStateUnknownError(HiveViewsError):
    """The change may or may not have been applied, or may still be.

    Do not run it again blindly and do not delete the file in ``metadata_location``: look at the view first.
    """


class CorruptMetadataError(HiveViewsError):
    """A metadata file is missing, unreadable, breaks the view spec (field ``path``), or belongs to another view."""


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


class StorageUnavailableError(UnavailableError):
    """The storage of the metadata files refused or failed."""


class AuthenticationError(UnavailableError):
    """The metastore refused who we say we are, or wants another kind of authentication."""
