"""Loggers that hide passwords."""

from __future__ import annotations

import logging
from types import TracebackType

from hive_views.messages.credentials import hide_credentials


def logger_of(name: str) -> logging.Logger:
    """The logger of this name, which hides passwords in everything that is logged, tracebacks too.

    The filter of a parent does not apply to its children, so every logger has its own.
    """
    found = logging.getLogger(name)
    found.addFilter(_without_passwords)
    return found


def _without_passwords(record: logging.LogRecord) -> bool:
    said = record.getMessage()
    shown = hide_credentials(said)
    if shown != said:
        record.msg, record.args = shown, ()
    if record.exc_info and record.exc_info[1] and not record.exc_text:
        said = logging.Formatter().formatException(record.exc_info)
        shown = hide_credentials(said)
        if shown != said:
            # Formatters use this text instead of the exception; those that write JSON read the exception itself.
            record.exc_text = shown
            record.exc_info = _without_its_password(record.exc_info[1])
    return True


def _without_its_password(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """A stand-in for an error in a log: its class name, message and traceback, and nothing else."""
    kind = type(type(error).__name__, (Exception,), {"__module__": type(error).__module__})
    return kind, kind(hide_credentials(str(error))), error.__traceback__
