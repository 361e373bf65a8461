"""A baseline: findings that are known, so that a check reports what is new since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from hive_views.errors import InvalidInputError
from hive_views.estate.checks.findings import CheckReport, Finding
from hive_views.estate.each.selection import matches_any
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.atomic_writes import copy_durably

_VERSION = 1
_OF_PARTITIONS = ("partitions-of-other-keys", "partition-values", "partitions-without-ground")
_OF_COLUMNS = (
    "text-unreadable",
    "source-gone",
    "column-gone",
    "columns-disagree",
    "column-type-changed",
    "star-outdated",
    "source-broken",
)
# What an unanswered question may hide; any other question may hide any finding.
_HIDDEN_WITHOUT = {"columns": _OF_COLUMNS, "types": _OF_COLUMNS, "partitions": _OF_PARTITIONS}


@dataclass(frozen=True)
class KnownFinding:
    """A finding as a baseline has it.

    Attributes:
        view: ``namespace.name``.
        code: as in ``hive_views.estate.checks.codes.CODES``.
        fingerprint: that of ``Finding``.
    """

    view: str
    code: str
    fingerprint: str

    def document(self) -> dict[str, str]:
        """The finding as JSON holds it."""
        return {"identifier": self.view, "code": self.code, "fingerprint": self.fingerprint}


@dataclass(frozen=True)
class Compared:
    """What a check found, compared with a baseline.

    Attributes:
        new: the report with the findings that the baseline does not have.
        known: the findings that it has.
        gone: those of the baseline that were not found any more, though they were looked for.
        unchecked: those of the baseline that were not looked for, or could not be.
    """

    new: CheckReport
    known: tuple[Finding, ...]
    gone: tuple[KnownFinding, ...]
    unchecked: tuple[KnownFinding, ...]

    def baseline(self) -> Baseline:
        """The baseline for the next check: what was found now, and what was not looked for."""
        found = (_known(one) for one in (*self.known, *self.new.findings))
        return Baseline(tuple(sorted({*found, *self.unchecked}, key=lambda one: (one.view, one.code, one.fingerprint))))


@dataclass(frozen=True)
class Baseline:
    """Findings that are known.

    Attributes:
        findings: by view.
    """

    findings: tuple[KnownFinding, ...] = ()

    @classmethod
    def of(cls, report: CheckReport) -> Baseline:
        """The baseline in which everything that a check found is known."""
        return cls(tuple(map(_known, report.findings)))

    def compare(self, report: CheckReport, patterns: Sequence[str] = (), *, partitions: bool = True) -> Compared:
        """Divide what was found into new and known.

        Args:
            report: what ``check`` found.
            patterns: those that it was called with; the findings of other views are not gone.
            partitions: whether it checked partitions.

        Raises:
            InvalidInputError: a pattern does not have two parts.
        """
        ours = {one.fingerprint for one in self.findings}
        found = {one.fingerprint for one in report.findings}
        unanswered: dict[str, set[str]] = {}
        for one in report.not_known:
            unanswered.setdefault(one.view, set()).add(one.about)

        def was_checked(one: KnownFinding) -> bool:
            return (
                (partitions or one.code not in _OF_PARTITIONS)
                and (not patterns or matches_any(patterns, TableIdentifier.of(one.view)))
                and not any(
                    one.code in _HIDDEN_WITHOUT.get(about, (one.code,)) for about in unanswered.get(one.view, ())
                )
            )

        missing = [one for one in self.findings if one.fingerprint not in found]
        return Compared(
            replace(report, findings=tuple(one for one in report.findings if one.fingerprint not in ours)),
            tuple(one for one in report.findings if one.fingerprint in ours),
            tuple(one for one in missing if was_checked(one)),
            tuple(one for one in missing if not was_checked(one)),
        )

    def write(self, path: str | Path) -> None:
        """Write the baseline to a file, completely or not at all; one that is there is replaced.

        Raises:
            InvalidInputError: as of ``check_destination``, or the file cannot be written.
        """
        check_destination(path)
        document = {"version": _VERSION, "findings": [one.document() for one in self.findings]}
        try:
            with NamedTemporaryFile("w", encoding="utf-8") as file:
                json.dump(document, file, indent=1)
                file.write("\n")
                file.flush()
                copy_durably(Path(file.name), Path(path), overwrite=True)
        except OSError as error:
            raise InvalidInputError(f"Cannot write the baseline {path}: {error.strerror}.") from error


def check_destination(path: str | Path) -> None:
    """
    Raises:
        InvalidInputError: the directory of the file does not exist, or the file is something else than a baseline.
    """
    if Path(path).exists():
        read_baseline(path)
    elif not Path(path).absolute().parent.is_dir():
        raise InvalidInputError(f"Cannot write the baseline {path}: its directory does not exist.")


def read_baseline(path: str | Path) -> Baseline:
    """The baseline in a file that ``Baseline.write`` or the command has written.

    Raises:
        InvalidInputError: the file cannot be read, or is not a baseline.
    """
    try:
        document = json.loads(Path(path).read_bytes())
        if document["version"] != _VERSION:
            raise ValueError(f"its version is {document['version']!r}, not {_VERSION}")
        return Baseline(
            tuple(
                KnownFinding(str(TableIdentifier.of(one["identifier"])), str(one["code"]), str(one["fingerprint"]))
                for one in document["findings"]
            )
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        remedy = Remedy(
            in_python="Baseline.write writes a baseline.",
            in_shell="`hive-views check --write-baseline FILE` writes a baseline.",
        )
        raise InvalidInputError(f"{path} is not a baseline of findings ({error}).", remedy=remedy) from error


def _known(finding: Finding) -> KnownFinding:
    return KnownFinding(finding.view, finding.code, finding.fingerprint)
