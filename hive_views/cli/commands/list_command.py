"""The command ``list``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, emit_lines, table_of, time_of
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, selection_options
from hive_views.errors import HiveViewsError
from hive_views.estate.describe import Kind, SortKey, ViewSummary, describe_views, kind_of, sorted_by, view_rows
from hive_views.estate.dropped.listing import list_dropped
from hive_views.messages.logs import logger_of
from hive_views.spec.identifiers import TableIdentifier

log = logger_of(__name__)

_MARKS = {
    "plain": "  (plain)",
    "releasing": "  (hand-back unfinished)",
    "lost": "  (lost its metadata pointer)",
    "unreadable": "  (row cannot be read)",
}


@command("list")
@selection_options
@click.option("--dropped", is_flag=True, help="List dropped views instead, which `hive-views undrop` can bring back.")
@click.option("--managed", is_flag=True, help="Leave out plain views, and print only names.")
@click.option("--long", is_flag=True, help="Show columns, partitions, last change, engine, owner and dialects.")
@click.option(
    "--sort",
    type=click.Choice(["name", "changed", "columns", "partitions", "owner", "engine", "kind"]),
    default="name",
    show_default=True,
    help="Sort order: times and numbers descend, names ascend.",
)
@click.option("--reverse", is_flag=True, help="Reverse the sort order.")
@click.option("--json-lines", is_flag=True, help="Print one JSON document per line, and errors as JSON too.")
def list_views(
    invocation: Invocation,
    views: Selection,
    dropped: bool,
    managed: bool,
    long: bool,
    sort: SortKey,
    reverse: bool,
    json_lines: bool,
) -> None:
    """List views: all, or those that match a pattern.

    \b
    hive-views list --namespace sales
    hive-views list 'sales.d*' --long --sort changed
    hive-views list --managed | xargs -n 1 hive-views show --check

    Prints one view per line. Plain views, which have no metadata file, are marked (plain) after the name. Tables are
    left out.
    """  # noqa: D301 - click's mark for lines to keep
    if json_lines:
        invocation.output = "json"
    if dropped:
        if managed or long or reverse or sort != "name":
            raise click.UsageError("--dropped cannot be combined with --managed, --long, --sort or --reverse.")
        _list_dropped(invocation, views, json_lines=json_lines)
        return
    with open_catalog(invocation) as catalog, waiting("Reading views"):
        if long or sort != "name":
            summaries = sorted_by(describe_views(catalog, *views.patterns), sort, reverse=reverse)
            shown = [one for one in summaries if not managed or one.kind == "managed"]
            # The form of the JSON does not depend on the sort order.
            documents = [one.document() if long else _short(str(one.identifier), one.kind) for one in shown]
        else:
            unreadable: dict[TableIdentifier, HiveViewsError] = {}
            rows = view_rows(catalog, *views.patterns, on_unreadable=unreadable.__setitem__)
            kinds: dict[TableIdentifier, Kind] = {row.identifier: kind_of(row) for row in rows}
            kinds |= dict.fromkeys(unreadable, "unreadable")
            for error in unreadable.values() if managed else ():
                log.warning("left out of the list: %s", error)
            found = [(str(name), kinds[name]) for name in sorted(kinds, reverse=reverse)]
            shown = []
            documents = [_short(name, kind) for name, kind in found if not managed or kind == "managed"]
    if json_lines:
        emit_lines(documents)
    elif long:
        emit(invocation, {"views": documents}, *_printed(shown))
    else:
        emit(invocation, {"views": documents}, *(_line(document) for document in documents))


def _list_dropped(invocation: Invocation, views: Selection, *, json_lines: bool) -> None:
    with open_catalog(invocation) as catalog, waiting("Searching for metadata files"):
        found = list_dropped(catalog, *views.patterns)
    documents = [one.document() for one in found]
    if json_lines:
        emit_lines(documents)
        return
    rows = [
        (one["identifier"], str(one["version_id"]), time_of(one["changed_ms"]), _noted(one), _known(one), _now(one))
        for one in documents
    ]
    headings = ("VIEW", "VERSION", "LAST CHANGE", "PARTITIONS", "LAST FILE", "NOW")
    emit(invocation, {"dropped": documents}, *([table_of(headings, rows)] if rows else []))


def _noted(document: dict[str, Any]) -> str:
    return "noted" if document["has_partitions"] else ""


def _now(one: dict[str, Any]) -> str:
    return str(one["now"]) if one["namespace_exists"] else f"{one['now']}, with its namespace"


def _known(one: dict[str, Any]) -> str:
    """How the last file was found; JSON, and the outcome of ``undrop``, say what is uncertain."""
    return f"by {one['known_by']}" + ("" if one["certain"] else ", not certain")


def _short(name: str, kind: Kind) -> dict[str, Any]:
    return {"identifier": name, "kind": kind}


def _line(document: dict[str, Any]) -> str:
    return f"{document['identifier']}{_MARKS.get(document['kind'], '')}"


def _printed(views: Sequence[ViewSummary]) -> list[Any]:
    headings = ("VIEW", "KIND", "COLUMNS", "PARTITIONS", "LAST CHANGE", "ENGINE", "OWNER", "DIALECTS")
    rows = [
        (
            str(one.identifier),
            one.kind,
            str(one.columns),
            "" if one.partitions is None else str(one.partitions),
            "" if one.changed_ms is None else time_of(one.changed_ms),
            one.engine,
            one.owner or "",
            ", ".join(one.dialects),
        )
        for one in views
    ]
    unreadable = [f"{one.identifier}: {one.error}" for one in views if one.error]
    return [table_of(headings, rows), *([""] if unreadable else []), *unreadable]
