"""The exit codes of the command: all of them, and which error has which."""

from __future__ import annotations

from enum import IntEnum

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NotFoundError,
    TranslationRefusedError,
    UnavailableError,
)


class ExitCode(IntEnum):
    """How a command ended; in JSON an error has the name in lower case as its ``code``."""

    DONE = 0
    ERROR = 1
    INVALID_INPUT = 2
    NOT_FOUND = 3
    CONFLICT = 4
    UNKNOWN_OUTCOME = 5
    CHECK_FAILED = 6
    UNAVAILABLE = 7
    INTERRUPTED = 130


MEANINGS: dict[ExitCode, str] = {
    ExitCode.DONE: "success",
    ExitCode.ERROR: "any other error, including unexpected ones",
    ExitCode.INVALID_INPUT: "invalid input: usage, a value, a setting, SQL",
    ExitCode.NOT_FOUND: "not found: something that was named does not exist",
    ExitCode.CONFLICT: "conflict: it already exists, or was changed concurrently",
    ExitCode.UNKNOWN_OUTCOME: "unknown outcome: a change may or may not have been applied",
    ExitCode.CHECK_FAILED: "a check failed, or SQL cannot be translated",
    ExitCode.UNAVAILABLE: "unavailable: no connection, or no access",
    ExitCode.INTERRUPTED: "interrupted by ^C",
}

_OF_ERRORS: tuple[tuple[type[HiveViewsError], ExitCode], ...] = (
    (TranslationRefusedError, ExitCode.CHECK_FAILED),
    (InvalidInputError, ExitCode.INVALID_INPUT),
    (NotFoundError, ExitCode.NOT_FOUND),
    (CommitFailedError, ExitCode.CONFLICT),
    (AlreadyExistsError, ExitCode.CONFLICT),
    (NamespaceNotEmptyError, ExitCode.CONFLICT),
    (CommitStateUnknownError, ExitCode.UNKNOWN_OUTCOME),
    (UnavailableError, ExitCode.UNAVAILABLE),
)


def exit_code_of(error: HiveViewsError) -> ExitCode:
    """The exit code for an error of the library."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), ExitCode.ERROR)
