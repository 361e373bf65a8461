"""What is found while a text is translated: reasons, each with the construct and its place, collected."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum

from hive_views.errors import InvalidInputError
from hive_views.messages.did_you_mean import did_you_mean


class Kind(str, Enum):
    """How much a finding matters."""

    UNSUPPORTED = "unsupported"
    """No text of the other dialect is known to answer the same."""

    DIFFERENT = "different"
    """The text answers something else for some values; it is refused unless its reason is allowed."""

    EDGE = "edge"
    """The text answers something else for values that hardly occur in data, which the reason names."""

    STRICTER = "stricter"
    """The text fails for values of which the original makes NULL or another value."""

    @property
    def refuses(self) -> bool:
        """Whether there is no text because of it, unless it is allowed."""
        return self in (Kind.UNSUPPORTED, Kind.DIFFERENT)


_KINDS: dict[str, Kind] = {}


def check_allowed(codes: Collection[str]) -> frozenset[str]:
    """The codes of reasons that a caller accepts.

    Raises:
        InvalidInputError: one is no code of the kind ``DIFFERENT``.
    """
    if isinstance(codes, str):
        raise InvalidInputError(f"Give allow as a list of codes, [{codes!r}].")
    known = sorted(code for code, kind in _KINDS.items() if kind is Kind.DIFFERENT)
    for code in codes:
        if code in _KINDS and code not in known:
            raise InvalidInputError(
                f"Cannot allow {code!r}, which is of the kind {_KINDS[code].value}: only differences can be allowed."
            )
        if code not in known:
            raise InvalidInputError(f"No difference has the code {code!r}. {did_you_mean(code, known)}")
    return frozenset(codes)


@dataclass(frozen=True)
class Reason:
    """Why a construct cannot be translated, or what its translation does differently.

    Attributes:
        code: its name, for ``allow``: words in lower case with hyphens.
        kind: how much it matters.
        says: the difference, as a sentence without its full stop.
        engines: what each engine does, by its name; may be empty where ``says`` has it all.
    """

    code: str
    kind: Kind
    says: str
    engines: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _KINDS.setdefault(self.code, self.kind)

    def because(self, more: str) -> Reason:
        """The same reason with what is particular to one case."""
        return Reason(self.code, self.kind, f"{self.says}: {more}", self.engines)


ELEMENT_ORDER = Reason("element-order", Kind.EDGE, "no engine defines the order of the elements")
"""Of arrays that are collected from rows, to whatever engine."""


@dataclass(frozen=True)
class Finding:
    """A reason, and the construct of the text to which it applies.

    Attributes:
        reason: why.
        construct: the part of the text, shortened.
        line: where it starts, from 1; None where that is not known.
        column: likewise.
        allowed: whether the caller accepts it.
    """

    reason: Reason
    construct: str
    line: int | None = None
    column: int | None = None
    allowed: bool = False

    @property
    def refuses(self) -> bool:
        """Whether there is no text because of it."""
        return self.reason.kind.refuses and not self.allowed

    def described(self) -> str:
        """The construct, why, and what each engine does with it."""
        does = "".join(f" {engine}: {does}." for engine, does in self.reason.engines)
        return f"{self.construct}: {self.reason.says}.{does}"

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.described()} [{self.reason.code}]"


class RefusedError(Exception):
    """Ends the translation of one part of a text, of which a finding is recorded; other parts go on."""


@dataclass
class Findings:
    """Findings of one text, each once, in the order in which they are found.

    ``allowed`` are the codes of reasons that the caller accepts.
    """

    text: str
    allowed: Collection[str] = ()
    found: dict[Finding, None] = field(default_factory=dict)

    def report(self, reason: Reason, construct: str, start: int | None) -> None:
        """Record a finding about the part of the text that starts at an offset."""
        line = column = None
        if start is not None:
            line = self.text.count("\n", 0, start) + 1
            column = start - self.text.rfind("\n", 0, start)
        is_allowed = reason.kind is Kind.DIFFERENT and reason.code in self.allowed
        self.found[Finding(reason, construct, line, column, is_allowed)] = None

    def refused(self, reason: Reason, construct: str, start: int | None) -> RefusedError:
        """Record a finding; what is raised to end the translation of the part in which it is."""
        self.report(reason, construct, start)
        return RefusedError()

    @property
    def refuses(self) -> bool:
        """Whether there is no text because of any of them."""
        return any(one.refuses for one in self.found)
