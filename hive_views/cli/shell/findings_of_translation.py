"""What was found while SQL was translated: lines for people, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hive_views.errors import TranslationRefusedError
from hive_views.messages.excerpt import excerpt_at

if TYPE_CHECKING:
    from hive_views.translation import Finding, TranslationRecord


def finding_lines(findings: Iterable[Finding], file: str, text: str) -> Iterator[str]:
    """Each finding with its place in the file, and the line of the text with a caret below it."""
    for one in findings:
        place = f"{file}:{one.line}:{one.column}: " if one.line else f"{file}: "
        yield f"{place}{one.described()} [{one.reason.code}]"
        if one.line:
            yield excerpt_at(text, one.line, one.column or 1)


def finding_document(one: Finding) -> dict[str, Any]:
    """A finding as JSON holds it."""
    return {
        "code": one.reason.code,
        "kind": one.reason.kind.value,
        "construct": one.construct,
        "line": one.line,
        "column": one.column,
        "says": one.reason.says,
        "engines": dict(one.reason.engines),
        "allowed": one.allowed,
    }


def translations_document(translations: Mapping[str, TranslationRecord]) -> dict[str, Any]:
    """By dialect, from what a text of a view was translated, as JSON holds it."""
    return {
        dialect: {
            "source": record.source,
            "rules_version": record.rules_version,
            "allow": list(record.allow),
            "findings": list(record.findings),
            "proofs": [one.document() for one in record.proofs],
        }
        for dialect, record in translations.items()
    }


def refusal_sentence(error: TranslationRefusedError) -> str:
    """What was refused, without the reasons, which are shown below with their places."""
    return f"Cannot translate the SQL of {error.identifier} from {error.source[0]} to {error.dialect}."


def refusal_lines(error: TranslationRefusedError, texts: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """The reasons of a refusal with their places; ``texts`` are the files and SQL that were given, by dialect."""
    dialect, text = error.source
    file, given = texts.get(dialect, ("", ""))
    place = file if given == text else f"{error.identifier} ({dialect})"
    yield from finding_lines(error.findings, place, text)
