"""Text of others as a person may safely read it on a terminal.

A comment, a property or a name comes from whoever may write to the metastore or the storage. Raw control characters in
it would move the cursor, set the window's title, write the clipboard (OSC 52) or end a line that looks like ours; marks
of direction show a text in another order than it has (CVE-2021-42574).
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
    """The text with escapes in the place of what a terminal would obey; lines and tabs stay."""
    return _IN_TEXTS.sub(_escaped, text)


def legible_line(text: str) -> str:
    """The same for what is one line: what would begin another one is an escape too."""
    return _IN_LINES.sub(_escaped, text)


def legible_json(document: str) -> str:
    """A JSON document of the same meaning without such characters; JSON itself lets most of them stand."""
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


class LegibleFormatter(logging.Formatter):
    """Lines of a log as ``legible`` gives them, without passwords in locations."""

    def format(self, record: logging.LogRecord) -> str:
        return legible(hide_credentials(super().format(record)))


def sendable(text: str) -> str:
    """A text for another program, which is to have it as it is, as far as UTF-8 has it."""
    return _UNSENDABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
