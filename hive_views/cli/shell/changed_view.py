"""A change to one view, and what is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import click

from hive_views.cli.shell.findings_of_translation import translations_document
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.output import diff_of, emit, pointer_document
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.version import translations
from hive_views.views.version_diff import NOTHING, Definition, Difference, compare, documents
from hive_views.views.view import View

on_drift_option = click.option(
    "--on-drift",
    type=click.Choice(["fail", "adopt", "overwrite"]),
    default="fail",
    show_default=True,
    help="If the row was changed without its metadata file: fail, adopt the change as a version, or overwrite it.",
)


Verb = Literal["create", "replace", "alter", "roll back", "repair"]
DONE: Mapping[Verb, str] = {
    "create": "Created",
    "replace": "Replaced",
    "alter": "Altered",
    "roll back": "Rolled back",
    "repair": "Repaired",
}


def change_one(
    invocation: Invocation, verb: Verb, name: str, change: Callable[[ViewCatalog, View], View], *, dry_run: bool
) -> None:
    """Change a view, which ``change`` gets as it is before, and print what differs."""
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        before = catalog.load_view(name)
        after = change(catalog, before)
    show_change(invocation, verb, before, after, dry_run=dry_run)


def show_change(invocation: Invocation, verb: Verb, before: View | None, after: View, *, dry_run: bool) -> None:
    """Print what a change did, or in a dry run would do."""
    changed = before is None or before.metadata_location != after.metadata_location
    repaired = [str(difference) for difference in before.differences] if before and changed else []
    document = pointer_document(after) | {"changed": changed, "dry_run": dry_run}
    document |= details_of(before, after, dry_run=dry_run) | {"repaired": repaired}
    diffs = [diff_of(one.for_people()) for one in _compared(before, after)] if dry_run else []
    sentence = _sentence(verb, before, after, changed=changed, dry_run=dry_run)
    notes = [*_translated(before, after), *_made_stale(before, after)]
    emit(invocation, document, sentence, *(f"  row {one}" for one in repaired), *notes, *diffs)


def details_of(before: View | None, after: View, *, dry_run: bool) -> dict[str, Any]:
    """The details of a change in JSON, besides the name of the view."""
    details: dict[str, Any] = {
        "version_id": after.metadata.current_version_id,
        "metadata_location": after.metadata_location,
        "stale_dialects": list(after.stale_dialects),
        "translations": translations_document(after.translations),
    }
    if dry_run:
        # The metadata file of a dry run will never exist.
        details["metadata_location"] = before.metadata_location if before else None
        details["diff"] = documents(_compared(before, after))
    return details


def _translated(before: View | None, after: View) -> Iterator[str]:
    """What was translated by the change, and what is not any more."""
    was = translations(before.current_version) if before else {}
    for dialect, record in after.translations.items():
        if dialect not in was or replace(record, proofs=()) != replace(was[dialect], proofs=()):
            yield f"  {dialect}: {record.described()}"
    for dialect in was:
        if dialect in after.dialects and dialect not in {*after.translations, *after.stale_dialects}:
            yield f"  {dialect}: no longer translated from {was[dialect].source}"


def _made_stale(before: View | None, after: View) -> Iterator[str]:
    name, records = str(after.identifier), translations(after.current_version)
    for one in after.stale_dialects:
        if before is None or one not in before.stale_dialects:
            remedy = remedies.renew(name, one).in_shell
            if record := records.get(one):
                again = remedies.translate_again(name, one, record.source, record.allow)
                remedy = f"{again.in_shell} {remedy}"
            yield f"  The {one} SQL did not change with it: it is stale. {remedy}"


def _compared(before: View | None, after: View) -> Sequence[Difference]:
    return compare(_definition(before, "now") if before else NOTHING, _definition(after, "then"))


def _definition(view: View, label: str) -> Definition:
    return Definition.of(view.metadata, view.current_version, properties_of=view.metadata, label=label)


def _sentence(verb: Verb, before: View | None, after: View, *, changed: bool, dry_run: bool) -> str:
    if not changed:
        return f"Nothing to {verb}: {after.identifier} stays at version {after.metadata.current_version_id}."
    versions = f"version {after.metadata.current_version_id}"
    if before and before.metadata.current_version_id != after.metadata.current_version_id:
        versions = f"version {before.metadata.current_version_id} -> {after.metadata.current_version_id}"
    if dry_run:
        return f"Would {verb} {after.identifier}: {versions}."
    return f"{DONE[verb]} {after.identifier}: {versions}, {after.metadata_location}"
