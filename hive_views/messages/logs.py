"""Loggers whose lines show nobody a password.

What lives here: the one way to a logger of this library. What must not: who listens, and how lines look.
"""

from __future__ import annotations

import logging

from hive_views.messages.credentials import hide_credentials


def logger_of(name: str) -> logging.Logger:
    """The logger of this name, which takes passwords out of whatever is logged, tracebacks too.

    A filter of a parent sees none of its children's lines, so that every logger has its own.
    """
    found = logging.getLogger(name)
    found.addFilter(_without_passwords)
    return found


def _without_passwords(record: logging.LogRecord) -> bool:
    said = record.getMessage()
    shown = hide_credentials(said)
    if shown != said:
        record.msg, record.args = shown, ()
    if record.exc_info and not record.exc_text:
        # What a formatter finds here it does not format again.
        record.exc_text = hide_credentials(logging.Formatter().formatException(record.exc_info))
    return True
