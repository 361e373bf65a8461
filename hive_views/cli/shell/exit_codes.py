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
    ExitCode.DONE: "done",
    ExitCode.ERROR: "another error, also one that was not expected",
    ExitCode.INVALID_INPUT: "wrong input: usage, a value, a setting, a text",
    ExitCode.NOT_FOUND: "what was named does not exist",
    ExitCode.CONFLICT: "conflict: it exists already, or was changed meanwhile",
    ExitCode.UNKNOWN_OUTCOME: "it is not known whether a change was applied",
    ExitCode.CHECK_FAILED: "a check found something",
    ExitCode.UNAVAILABLE: "no connection or no access",
    ExitCode.INTERRUPTED: "interrupted by ^C",
}

_OF_ERRORS: tuple[tuple[type[HiveViewsError], ExitCode], ...] = (
    (InvalidInputError, ExitCode.INVALID_INPUT),
    (NotFoundError, ExitCode.NOT_FOUND),
    (CommitFailedError, ExitCode.CONFLICT),
    (AlreadyExistsError, ExitCode.CONFLICT),
    (NamespaceNotEmptyError, ExitCode.CONFLICT),
    (NamespaceNotEmptyError, ExitCode.CONFLICT),
    (CommitStateUnknownError, ExitCode.UNKNOWN_OUTCOME),
    (UnavailableError, ExitCode.UNAVAILABLE),
)


def exit_code_of(error: HiveViewsError) -> ExitCode:
    """The exit code for an error of the library."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), ExitCode.ERROR)
