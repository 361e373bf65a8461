"""What comes of a translation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hive_views.sql.dialects import Dialect
from hive_views.translation.translation_findings import Finding

RULES_VERSION = 1
"""The version of the rules: raised whenever a text that they made before becomes another one, or is refused."""


class Status(str, Enum):
    """Whether there is a text."""

    UNCHANGED = "unchanged"
    """The text itself answers the same in the other dialect."""

    TRANSLATED = "translated"
    REFUSED = "refused"


@dataclass(frozen=True)
class Translation:
    """A text in another dialect, or why there is none.

    Attributes:
        source: the dialect of the text that was given.
        target: the other dialect.
        text: the text in it; None where it is refused.
        status: whether there is a text, and whether it is another one.
        findings: what was found, in the order of the text: why it is refused, and what it does differently.
        functions: the functions that the text calls, in lower case, sorted; () where it is refused.
        rules_version: of the rules that made it.
        original: the text that was given.
        namespace: the namespace of one-part names in both texts.
        columns: names and Hive types of the outputs, None where they are not known; () where their number is not.
    """

    source: Dialect
    target: Dialect
    text: str | None
    status: Status
    findings: tuple[Finding, ...] = ()
    functions: tuple[str, ...] = ()
    rules_version: int = RULES_VERSION
    original: str = ""
    namespace: str = "default"
    columns: tuple[tuple[str, str | None], ...] = ()

    @property
    def refusals(self) -> tuple[Finding, ...]:
        """The findings because of which there is no text."""
        return tuple(one for one in self.findings if one.refuses)
