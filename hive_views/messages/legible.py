"""Making text by others safe to show on a terminal.

Comments, properties and names come from anyone who may write to the metastore or the storage. Raw control characters in
them could move the cursor, set the window title, write the clipboard (OSC 52) or fake lines of output; bidirectional
marks show text in another order than it has (CVE-2021-42574).
"""

from __future__ import annotations

import logging
import re

from hive_views.messages.credentials import hide_credentials

# C0 and C1 with DEL; what separates lines only for some programs; what overrides the direction of text; and halves of
# surrogate pairs, which JSON can hold and no terminal can be sent.
_HARMFUL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
# Texts from Windows end their lines so.
_IN_TEXTS = re.compile(rf"(?!\r\n)[{_HARMFUL}]")
_IN_LINES = re.compile(rf"[{_HARMFUL}\t\n]")
_IN_JSON = re.compile(rf"[{_HARMFUL}]")
_UNSENDABLE = re.compile(r"[\ud800-\udfff]")


def legible(text: str) -> str:
    """The text with control characters escaped, except line breaks and tabs."""
    return _IN_TEXTS.sub(_escaped, text)


def legible_line(text: str) -> str:
    """The same for a single line: line breaks and tabs are escaped too."""
    return _IN_LINES.sub(_escaped, text)


def legible_json(document: str) -> str:
    """An equivalent JSON document with these characters escaped; JSON itself allows most of them."""
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


class LegibleFormatter(logging.Formatter):
    """Log lines with control characters escaped and passwords hidden."""

    def format(self, record: logging.LogRecord) -> str:
        return legible(hide_credentials(super().format(record)))


def sendable(text: str) -> str:
    """The text for another program: unchanged, except for what UTF-8 cannot encode."""
    return _UNSENDABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
