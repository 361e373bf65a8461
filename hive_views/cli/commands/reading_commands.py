"""The commands that read one view: show, sql, history, diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.arguments import version_options
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.findings_of_translation import translations_document
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import (
    ForPrograms,
    columns_document,
    diff_of,
    emit,
    fields_of,
    pointer_document,
    table_of,
    time_of,
)
from hive_views.errors import NotFoundError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import COMMENT, Column
from hive_views.messages.logs import logger_of
from hive_views.persisted import TEXT_DIALECT
from hive_views.project.applying.release_mark import mark_of
from hive_views.spec.metadata import ViewVersion
from hive_views.views.row.reader_warnings import stale_text
from hive_views.views.row.version import original_sql, shown_dialects, stale_dialects, translations
from hive_views.views.version_diff import columns_of, compare, definition_at, documents, version_before
from hive_views.views.version_lookup import lookup, milliseconds
from hive_views.views.view import View

log = logger_of(__name__)


@command("show")
@click.argument("name", shell_complete=complete_views)
@click.option("--check", is_flag=True, help="Exit with 6 if the row does not match the metadata file.")
@version_options("the current one")
@click.pass_context
def show(
    ctx: click.Context,
    invocation: Invocation,
    name: str,
    check: bool,
    version: int | None,
    tag: str | None,
    as_of: str | None,
) -> None:
    """Show a view: columns, version, partitions, state of its row.

    For an earlier version, columns, dialects and time are shown as they were. Comment, properties, partitions and row
    are not versioned, and are shown as they are now.

    A row needs repair if it matches the metadata file, but in a form that some readers misread: run `hive-views
    repair`. A row has drifted if another program changed it without the file: `repair --on-drift` decides what becomes
    of the change.
    """
    # Warnings of the load are part of the output.
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        view = catalog.load_view(name)
        shown = lookup(view.identifier, version=version, time=as_of, tag=tag)(view.metadata)
        names = catalog.metastore.partition_names(view.identifier) if view.partitioned_on else None
    document = _view_document(view, shown, names, as_of)
    emit(invocation, document, *_printed(document, shown))
    if check and view.differences:
        ctx.exit(ExitCode.CHECK_FAILED)


@command("sql")
@click.argument("name", shell_complete=complete_views)
@click.option("--dialect", help="Dialect to print [default: hive, else spark, else the first].")
@click.option(
    "--original", is_flag=True, help="Print the query as it was written, instead of the one that engines read."
)
@version_options("the current one")
def sql(
    invocation: Invocation,
    name: str,
    dialect: str | None,
    original: bool,
    version: int | None,
    tag: str | None,
    as_of: str | None,
) -> None:
    """Print the SQL of a view, and nothing else."""
    with open_catalog(invocation) as catalog:
        view = catalog.load_view(name)
    shown = lookup(view.identifier, version=version, time=as_of, tag=tag)(view.metadata)
    chosen = dialect or next((d for d in ("hive", "spark", *shown.dialects) if shown.sql_in(d)), "hive")
    text = _text(view, shown, chosen, original=original)
    if shown is not view.current_version and chosen.lower() in stale_dialects(shown):
        log.warning("version %d of view %s: %s", shown.version_id, view.identifier, stale_text(chosen))
    document = {
        "identifier": str(view.identifier),
        "version_id": shown.version_id,
        "dialect": chosen.lower(),
        "sql": text,
    }
    emit(invocation, document, ForPrograms(text))


@command("history")
@click.argument("name", shell_complete=complete_views)
def history(invocation: Invocation, name: str) -> None:
    """List the versions of a view, and when each was current.

    The last line is the current version. `hive-views roll-back` returns to a version, a time or a tag.
    """
    with open_catalog(invocation) as catalog:
        view = catalog.load_view(name)
    entries = [_history_entry(view, entry.timestamp_ms, entry.version_id) for entry in view.history]
    versions = {version.version_id: version for version in view.versions}
    rows = [
        (
            time_of(entry["timestamp_ms"]),
            str(entry["version_id"]),
            ", ".join(shown_dialects(versions[entry["version_id"]]) if entry["version_id"] in versions else ()),
            entry["engine"],
            ", ".join(entry["tags"]),
            entry["release"] or "",
        )
        for entry in entries
    ]
    is_released = any(entry["release"] for entry in entries)
    headings = ("CURRENT SINCE", "VERSION", "DIALECTS", "ENGINE", "TAGS", *(["RELEASE"] if is_released else []))
    listed = {entry.version_id for entry in view.history}
    # Versions before an expired one are no longer in the version log.
    earlier = {tag: version_id for tag, version_id in view.tags.items() if version_id not in listed}
    emit(
        invocation,
        {"identifier": str(view.identifier), "history": entries, "tags": dict(view.tags)},
        table_of(headings, rows if is_released else [row[:-1] for row in rows]),
        *(["", f"Older versions kept by a tag: {_tags(earlier)}"] if earlier else []),
    )


@command("diff")
@click.argument("name", shell_complete=complete_views)
@click.argument("from_version", metavar="[FROM]", type=int, required=False)
@click.argument("to_version", metavar="[TO]", type=int, required=False)
@version_options("the one that was current before")
def diff(
    invocation: Invocation,
    name: str,
    from_version: int | None,
    to_version: int | None,
    version: int | None,
    tag: str | None,
    as_of: str | None,
) -> None:
    """Compare two versions of a view.

    By default, the previous version is compared with the current one. Specify another version by ID, tag or time, or
    two versions by their IDs FROM and TO. The comparison covers the queries as written, the catalog and namespace in
    which their names resolve, the columns, and the properties as they were when each version was last current.
    """
    if from_version is not None and any(one is not None for one in (version, tag, as_of)):
        raise click.UsageError("Specify either FROM, or one of --version, --tag and --as-of.")
    with open_catalog(invocation) as catalog:
        view = catalog.load_view(name)
        if version is None and tag is None and as_of is None:
            first = version_before(view) if from_version is None else from_version
        else:
            first = lookup(view.identifier, version=version, time=as_of, tag=tag)(view.metadata).version_id
        before = definition_at(catalog.storage, view, first)
        after = definition_at(catalog.storage, view, to_version or view.metadata.current_version_id)
    differences = compare(before, after)
    document = {
        "identifier": str(view.identifier),
        "from": before.label,
        "to": after.label,
        "diff": documents(differences),
    }
    emit(invocation, document, *(diff_of(one.for_people()) for one in differences))


def _text(view: View, version: ViewVersion, dialect: str, *, original: bool) -> str:
    found = version.sql_in(dialect)
    if found is None:
        raise NotFoundError(
            f"Version {version.version_id} of {view.identifier} has no SQL in dialect {dialect!r}; it has "
            f"{', '.join(version.dialects)}.",
        )
    return (original_sql(version, dialect) if original else None) or found.sql


def _engine_of(version: ViewVersion) -> str:
    parts = version.summary.get("engine-name", ""), version.summary.get("engine-version", "")
    return " ".join(filter(None, parts))


def _history_entry(view: View, timestamp_ms: int, version_id: int) -> dict[str, Any]:
    version = next((version for version in view.versions if version.version_id == version_id), None)
    return {
        "timestamp_ms": timestamp_ms,
        "version_id": version_id,
        "dialects": list(version.dialects) if version else [],
        "stale_dialects": list(stale_dialects(version)) if version else [],
        "translations": translations_document(translations(version)) if version else {},
        "engine": _engine_of(version) if version else "(expired)",
        "release": _release_of(version) if version else None,
        "tags": [tag for tag, tagged in view.tags.items() if tagged == version_id],
    }


def _release_of(version: ViewVersion) -> str | None:
    mark = mark_of(version)
    return mark.release.id if mark else None


def _tags(tags: Mapping[str, int]) -> str:
    return ", ".join(f"{tag} (version {version_id})" for tag, version_id in tags.items())


def _view_document(view: View, version: ViewVersion, names: Sequence[str] | None, as_of: str | None) -> dict[str, Any]:
    columns = columns_of(view.metadata, version)
    # For versions before an expired one, only the version itself has the time.
    since_ms = [entry.timestamp_ms for entry in view.history if entry.version_id == version.version_id]
    if as_of is not None:
        # A version that was rolled back to was current in several periods.
        since_ms = [since for since in since_ms if since <= milliseconds(as_of)]
    return {
        **pointer_document(view),
        "version_id": version.version_id,
        "current_version_id": view.metadata.current_version_id,
        "tags": dict(view.tags),
        "comment": view.comment,
        "owner": view.owner,
        "current_since_ms": since_ms[-1] if since_ms else version.timestamp_ms,
        "engine": _engine_of(version),
        "release": _release_of(version),
        "columns": columns_document(columns, view.partitioned_on),
        "partitioned_on": list(view.partitioned_on),
        "partitions": None if names is None else {"count": len(names), "last": _last(names, columns)},
        "dialects": list(version.dialects),
        "stale_dialects": list(stale_dialects(version)),
        "translations": translations_document(translations(version)),
        "row_text_dialect": view.row.parameters.get(TEXT_DIALECT, "hive"),
        "properties": dict(view.properties),
        "location": view.location,
        "differences": [
            {"kind": d.kind, "what": d.what, "found": d.found, "expected": d.expected} for d in view.differences
        ],
    }


def _last(names: Sequence[str], columns: Iterable[Column]) -> str | None:
    """The greatest partition by the types of its columns, with NULL first: hour 10 comes after hour 9."""
    types = {column.name: column.type for column in columns}

    def order(name: str) -> list[tuple[bool, Any]]:
        values = [typed_value(value, types.get(key, "string")) for key, value in parse_partition_name(name).items()]
        return [(value is not None, value) for value in values]

    return max(names, key=order, default=None)


def _printed(document: Mapping[str, Any], version: ViewVersion) -> Iterator[str | Text | Table]:
    yield Text(document["identifier"], "bold")
    if document["comment"]:
        yield document["comment"]
    yield ""
    yield fields_of(_fields(document, version))
    for difference in document["differences"]:
        yield Text(f"Row {difference['kind']}: {difference['what']}", "red")
        yield fields_of((("  found", str(difference["found"])), ("  expected", str(difference["expected"]))))
    yield ""
    columns = [
        (c["name"], c["type"], "partition" if c["partition"] else "", c["comment"] or "") for c in document["columns"]
    ]
    yield table_of(("COLUMN", "TYPE", "", "COMMENT"), columns)
    properties = {key: value for key, value in document["properties"].items() if key != COMMENT}
    if properties:
        yield ""
        yield table_of(("PROPERTY", "VALUE"), sorted(properties.items()))


def _fields(document: Mapping[str, Any], version: ViewVersion) -> Iterator[tuple[str, str]]:
    since, engine = time_of(document["current_since_ms"]), document["engine"]
    is_current = document["version_id"] == document["current_version_id"]
    then = f"{document['version_id']}, current {'since' if is_current else 'from'} {since}"
    yield "Version", then + (f", by {engine}" if engine else "")
    if not is_current:
        yield "", f"The current version is {document['current_version_id']}."
    yield "Release", document["release"] or ""
    yield "Tags", _tags(document["tags"])
    yield "Owner", document["owner"] or ""
    yield "Dialects", ", ".join(document["dialects"])
    stale = document["stale_dialects"]
    for dialect, record in translations(version).items():
        yield "", f"{dialect} {'was' if dialect in stale else 'is'} {record.described()}"
        for proof in record.proofs:
            yield "", f"  {proof}"
    for dialect in stale:
        yield "", f"{dialect} is stale: its SQL did not change when that in others did, and may mean something else."
    if document["row_text_dialect"] != "hive":
        yield "", f"Plain readers get the {document['row_text_dialect']} SQL, which Hive may not understand."
    if document["partitions"]:
        count, last = document["partitions"]["count"], document["partitions"]["last"]
        yield "Partitions", f"{count}, last {last}" if last else "none"
    yield "Location", document["location"]
    yield "Metadata", document["metadata_location"]
    if not document["differences"]:
        yield "Row", "matches the metadata file"
