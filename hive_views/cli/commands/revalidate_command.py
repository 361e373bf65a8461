"""The command ``revalidate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text
from typing_extensions import Unpack

from hive_views.cli.commands.publish_file import (
    bounds_options,
    file_options,
    metastore_only_option,
    notify_option,
    notifying,
    receivers_for,
    rule_option,
)
from hive_views.cli.commands.republish_report import (
    read_plan,
    republish_options,
    shortened,
    show_plan,
    show_reports,
)
from hive_views.cli.shell.calendar import Sign, calendar_of
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import (
    Selection,
    has_wildcards,
    managed_views,
    selection_options,
)
from hive_views.errors import HiveViewsError
from hive_views.publishing.batch.publication import Publication, chosen
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.publishing.notify import notify_changed
from hive_views.publishing.notifying.receivers import Notify
from hive_views.publishing.republish import RepublishOptions, apply_republish_plan, plan_republish
from hive_views.publishing.republish import republish as republish_partitions
from hive_views.publishing.request import RevalidateOptions
from hive_views.publishing.revalidation import RevalidationReport
from hive_views.publishing.revalidation import revalidate as revalidate_partitions
from hive_views.publishing.since_published import Revalidated, RevalidationState
from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.views.catalog import ViewCatalog

_SIGNS = (
    Sign("missing", "-", "red"),
    Sign("changed", "~", "yellow"),
    Sign("unknown", "?", "yellow"),
    Sign("rewritten", "=", "green"),
    Sign("current by the metastore", "+", "green"),
    Sign("current", "#", "green"),
)
_FAILING: tuple[RevalidationState, ...] = ("changed", "missing", "unknown")


@command("revalidate")
@selection_options
@rule_option("Use this rule instead of those that were recorded; repeatable.")
@bounds_options
@file_options(required=False)
@metastore_only_option("Do not list the directories of Hive partitions: files that Spark has added are not noticed.")
@notify_option("changed or, with --republish, redeclared")
@click.option("--fail-if-changed", is_flag=True, help="Exit with 6 if a partition is changed, missing or unknown.")
@republish_options
@click.pass_context
def revalidate(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    rules: Sequence[Rule],
    since: Mapping[str, str] | None,
    until: Mapping[str, str] | None,
    file: Path | None,
    only: Sequence[str],
    metastore_only: bool,
    notify: Sequence[str],
    fail_if_changed: bool,
    plan: bool,
    republish: bool,
    redeclare: bool,
    saved_plan: Path | None,
    no_downstream: bool,
) -> None:
    """Find published partitions whose base data has changed.

    Each partition is in one of these states:

    \b
    current    its base data has not changed
    current by the metastore
               the metastore shows no change; directories of Hive partitions
               were not listed now, or not recorded when it was published
    rewritten  files were rewritten (compaction), but the rows are the same
    changed    rows were added, removed or replaced: late data
    missing    base partitions that it needs are gone
    unknown    the history is gone, another program declared it, it was
               published by an earlier rule, a directory cannot be listed,
               or its rules fail for another reason

    The rules are those that were recorded with the view when it was published; specify them with --require if they were
    not recorded, or were edited since. Each directory of a Hive base partition is listed once, which costs one storage
    request each; --metastore-only skips this.

    \b
    hive-views revalidate sales.daily_clicks
    hive-views revalidate 'sales.*' --fail-if-changed
    hive-views revalidate --file publications.toml --only sales.daily_clicks
    hive-views revalidate sales.daily_clicks --plan
    hive-views revalidate sales.daily_clicks --republish --redeclare
    hive-views revalidate sales.daily_clicks --plan --output json > plan.json
    hive-views revalidate --apply plan.json

    With a pattern, --namespace or --all, views that were never published are left out. To drop partitions whose base
    partitions are missing, run publish with --retract. Nothing is written, except with --republish, which records the
    present state of the base data with the changed partitions whose rules still hold, and with those of other views
    that are published on them. With --redeclare they are retracted and declared again, so that sensors fire again.
    """  # noqa: D301 - click's mark for lines to keep
    if saved_plan is not None:
        if any((plan, republish, redeclare, no_downstream, fail_if_changed, metastore_only)) or any(
            (views.is_given, rules, since, until, file, only)
        ):
            raise click.UsageError(
                "--apply can only be combined with --notify, and not with views: the plan says everything else."
            )
        wanted_plan, receivers = read_plan(saved_plan), receivers_for(invocation, notify)
        with open_catalog(invocation) as catalog, waiting("Writing the partitions"):
            reports = apply_republish_plan(catalog, wanted_plan, notify=receivers)
        show_reports(ctx, invocation, reports)
        return
    does_republish = plan or republish
    if plan and republish:
        raise click.UsageError("Specify --plan or --republish, not both.")
    if (redeclare or no_downstream) and not does_republish:
        raise click.UsageError("--redeclare and --no-downstream require --plan or --republish.")
    if does_republish and (file is not None or fail_if_changed):
        raise click.UsageError("--plan and --republish cannot be combined with --file or --fail-if-changed.")
    if plan and notify:
        raise click.UsageError("--plan does nothing that anybody is notified of.")
    if file is not None:
        if views.is_given or rules or since or until:
            raise click.UsageError(
                "--file cannot be combined with views, --require, --since or --until: they are taken from the file."
            )
        publications = notifying(invocation, chosen(read_publications(file), only), notify)
        if metastore_only:
            publications = [replace(one, metastore_only=True) for one in publications]
        with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
            found = [
                (
                    one.view,
                    {"publication": one.name},
                    _report_or_error(catalog, one.view, *one.rules, **_asked_of(one)),
                )
                for one in publications
            ]
            for one, (_, _, report) in zip(publications, found, strict=True):
                _tell(catalog, report, one.notify)
        _show_reports(ctx, invocation, "publications", found, fail_if_changed=fail_if_changed)
        return
    if only:
        raise click.UsageError("--only requires --file.")
    receivers = receivers_for(invocation, notify)
    if not views.is_given:
        raise click.UsageError(
            "Specify the views: names or patterns such as 'sales.*', --namespace NS, --all, or --file."
        )
    options: RevalidateOptions = {"since": since, "until": until, "metastore_only": metastore_only}
    if views.name is None and rules:
        raise click.UsageError("--require needs exactly one view, without a pattern.")
    if does_republish:
        with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
            selected = [views.name] if views.name else _published_views(catalog, views)
            wanted: RepublishOptions = {**options, "redeclare": redeclare, "downstream": not no_downstream}
            if plan:
                show_plan(ctx, invocation, plan_republish(catalog, selected, *rules, **wanted))
            else:
                show_reports(
                    ctx, invocation, republish_partitions(catalog, selected, *rules, notify=receivers, **wanted)
                )
        return
    if views.name is None:
        with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
            found = [
                (str(one), {}, _report_or_error(catalog, one, **options)) for one in _published_views(catalog, views)
            ]
            for _, _, report in found:
                _tell(catalog, report, receivers)
        _show_reports(ctx, invocation, "views", found, fail_if_changed=fail_if_changed)
        return
    with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
        report = revalidate_partitions(catalog, views.name, *rules, **options)
        _tell(catalog, report, receivers)
    emit(invocation, _document_of(report), *_printed(report))
    if fail_if_changed and report.in_state(*_FAILING):
        ctx.exit(ExitCode.CHECK_FAILED)


_Found = tuple[str, Mapping[str, str], RevalidationReport | HiveViewsError]


def _show_reports(
    ctx: click.Context, invocation: Invocation, key: str, found: Sequence[_Found], *, fail_if_changed: bool
) -> None:
    """Print one report after the other, with the errors of those that failed."""
    parts: list[str | Table | Text] = []
    documents: list[dict[str, Any]] = []
    for view, named, report in found:
        if isinstance(report, RevalidationReport):
            documents.append({**named, **_document_of(report)})
            parts += _printed(report)
        else:
            documents.append({**named, "identifier": view, "error": report.shell_message})
            parts.append(f"{view}: {report.shell_message}")
    emit(invocation, {key: documents}, *(parts or ["None of these views was ever published."]))
    if any(isinstance(report, HiveViewsError) for _, _, report in found):
        ctx.exit(ExitCode.ERROR)
    reports = [report for _, _, report in found if isinstance(report, RevalidationReport)]
    if fail_if_changed and any(report.in_state(*_FAILING) for report in reports):
        ctx.exit(ExitCode.CHECK_FAILED)


def _asked_of(publication: Publication) -> RevalidateOptions:
    return {
        "candidates": publication.candidates,
        "since": publication.since,
        "until": publication.until,
        "metastore_only": publication.metastore_only,
    }


def _report_or_error(
    catalog: ViewCatalog, view: Identifier, *rules: Rule, **options: Unpack[RevalidateOptions]
) -> RevalidationReport | HiveViewsError:
    try:
        return revalidate_partitions(catalog, view, *rules, **options)
    except HiveViewsError as error:
        return error


def _published_views(catalog: ViewCatalog, views: Selection) -> list[TableIdentifier]:
    """The selected views, of which those that only match a pattern must have been published."""
    named = {TableIdentifier.of(one) for one in views.patterns if not has_wildcards(one)}
    matching = managed_views(catalog, views.patterns)
    return [one for one in matching if one in named or _may_be_published(catalog, one)]


def _tell(catalog: ViewCatalog, report: RevalidationReport | HiveViewsError, notify: Notify) -> None:
    if isinstance(report, RevalidationReport):
        notify_changed(catalog, report, notify)


def _may_be_published(catalog: ViewCatalog, view: TableIdentifier) -> bool:
    """Whether rules are recorded with a view; if that cannot be determined, its report says why."""
    try:
        return bool(recorded_rules(catalog.load_view(view).metadata.properties))
    except HiveViewsError:
        return True


def _document_of(report: RevalidationReport) -> dict[str, Any]:
    return {
        "identifier": report.view,
        "partitions": {
            partition: {
                "state": one.state,
                "reasons": list(one.reasons),
                "commits": {table: list(commits) for table, commits in one.commits.items()},
                "growth": {table: asdict(growth) for table, growth in one.growth.items()},
            }
            for partition, one in report.partitions.items()
        },
    }


def _printed(report: RevalidationReport) -> Iterator[str | Table | Text]:
    counts = Counter[str](one.state for one in report.partitions.values())
    counted = ", ".join(f"{counts[sign.state]} {sign.state}" for sign in reversed(_SIGNS) if counts[sign.state])
    yield f"{report.view}: {counted or 'no partitions'}."
    rows = [
        (shortened(names), state, "; ".join(reasons))
        for (state, reasons), names in _alike(report.partitions).items()
        if state != "current"
    ]
    if rows:
        yield table_of(("PARTITION", "STATE", "WHY"), rows)
    yield from calendar_of({name: one.state for name, one in report.partitions.items()}, _SIGNS)


def _alike(partitions: Mapping[str, Revalidated]) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Partitions grouped by state and reasons, in order of first appearance."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, one in partitions.items():
        alike.setdefault((one.state, one.reasons), []).append(name)
    return alike
