"""Repairing what a check found, as far as that loses nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hive_views.errors import InvalidInputError
from hive_views.estate.checks.codes import CODES, FIXABLE
from hive_views.estate.checks.findings import CheckReport, Finding
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore
from hive_views.hive.row import POINTER, Row
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.conversions import bring_back
from hive_views.views.recovery.recoverable import Recoverable, find_by_name
from hive_views.views.view import has_lost_pointer, is_iceberg_view

_LOST = "lost-pointer"
_OUTDATED = "outdated-translation"


def check_fixable(codes: Iterable[str]) -> None:
    """
    Raises:
        InvalidInputError: a code is unknown, or its repair may lose something.
    """
    for code in codes:
        if code not in CODES:
            raise InvalidInputError(f"There is no code {code!r}. {did_you_mean(code, CODES)}")
        if code not in FIXABLE:
            raise InvalidInputError(
                f"Cannot fix {code} automatically: its repair ({CODES[code].repair}) may lose something, or needs a "
                f"decision. Each finding names its command. Codes that can be fixed: {', '.join(FIXABLE)}."
            )


def fix(
    catalog: ViewCatalog,
    report: CheckReport,
    *codes: str,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Repair the views of a report that have findings with these codes, as far as that loses nothing.

    A row is rewritten from its metadata file; a lost pointer is restored if the row still agrees with the last file;
    SQL that is translated is so again, as a new version. A row that another program has changed as well is left,
    because that needs a decision.

    Args:
        catalog: where the views are.
        report: what ``check`` found.
        codes: as in ``report.counts``; only those whose findings are ``fixable``.
        dry_run: report what would be done, and do nothing.
        on_outcome: called with each outcome as soon as it is known.

    Raises:
        InvalidInputError: a code is unknown, or its repair may lose something. Nothing was done.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer. Nothing was done.
    """
    check_fixable(codes)
    wanted: dict[str, list[Finding]] = {}
    for finding in report.of(*codes):
        wanted.setdefault(finding.view, []).append(finding)
    drifted = {finding.view for finding in report.of("drifted")}
    rows, _ = load(catalog, [TableIdentifier.of(view) for view in wanted])

    def repair(view: str) -> Outcome:
        found = [finding.code for finding in wanted[view]]
        if view in drifted:
            reason = "The row was also changed by another program, which needs a decision (repair --on-drift)."
            return Outcome(view, State.LEFT, reason)
        if _LOST in found:
            return _give_pointer_back(catalog, view, dry_run=dry_run)
        # Loading the view would repair some of it, in a dry run too.
        row = rows.get(TableIdentifier.of(view))
        if row and not is_iceberg_view(row):
            return Outcome(view, State.LEFT, "It is a plain view, without a metadata file to write the row from.")
        outdated = [finding for finding in wanted[view] if finding.code == _OUTDATED]
        of_row = [code for code in found if code != _OUTDATED]
        if not dry_run:
            _translate_again(catalog, outdated)
            if of_row:
                catalog.repair_view(view)
        would = "would be" if dry_run else "was"
        said = [f"Its {one.details['dialect']} SQL {would} translated again." for one in outdated]
        said += [f"Its row {would} rewritten: {', '.join(of_row)}."] if of_row else []
        return Outcome(view, State.PLANNED if dry_run else State.DONE, " ".join(said))

    outcomes = each(list(wanted), str, repair, on_outcome, catalog)
    return Outcomes("fixed", outcomes, dry_run)


def _translate_again(catalog: ViewCatalog, outdated: Iterable[Finding]) -> None:
    for one in outdated:
        about = one.details
        catalog.alter_view(one.view, translate={about["dialect"]: about["translated_from"]}, allow=about["allow"])


def touched_by(report: CheckReport, fixed: Outcomes) -> Sequence[str]:
    """The views that a fix has repaired, and those that were broken through them."""
    repaired = {one.view for one in fixed.of(State.DONE)}
    through = {one.view for one in report.of("source-broken") if not repaired.isdisjoint(one.details["path"])}
    return sorted(repaired | through)


def left_after(report: CheckReport, touched: Collection[str], again: CheckReport) -> CheckReport:
    """A report as it is after a fix, which repairs more than the given codes where it writes a row.

    Args:
        report: what was found before.
        touched: the views of which that is not true any more.
        again: a check of these, after it.
    """
    findings = (*(one for one in report.findings if one.view not in touched), *again.findings)
    not_known = (*(one for one in report.not_known if one.view not in touched), *again.not_known)
    return CheckReport(report.views, tuple(sorted(findings, key=lambda one: one.view)), not_known)


def _give_pointer_back(catalog: ViewCatalog, view: str, *, dry_run: bool) -> Outcome:
    row = catalog.metastore.load_row(TableIdentifier.of(view))
    if not has_lost_pointer(row):
        return Outcome(view, State.UNCHANGED, "The pointer of the row was restored.")
    pointer = row.parameters.get(POINTER)
    found = find_by_name(catalog.engine, row.identifier) if pointer is None else _at(row, pointer, catalog)
    if found is None:
        reason = "There is no metadata file in the default directories of this name. The finding says what there is."
        return Outcome(view, State.LEFT, reason)
    if found.says_something_else:
        reason = f"The row differs from its last file, {found.metadata_location}, which needs a decision."
        return Outcome(view, State.LEFT, reason)
    if not dry_run:
        bring_back(catalog.engine, found)
    return Outcome(view, State.PLANNED if dry_run else State.DONE, f"It points to a copy of {found.metadata_location}.")


def _at(row: Row, pointer: str, catalog: ViewCatalog) -> Recoverable:
    """The view of a row that has lost its type only, and still says which file it is."""
    metadata = catalog.storage.read(pointer, cached=False)
    return Recoverable(row.identifier, pointer, metadata, has_journal=False, row=row)
