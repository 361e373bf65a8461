"""The contents of the page as JSON holds them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from hive_views.estate.html_report.contents import Contents
from hive_views.estate.html_report.problems import Block, Problem
from hive_views.estate.html_report.publications import Publication
from hive_views.estate.html_report.shown_views import ShownView

VERSION = 1
"""Of the form: keys may be added; if one is changed or removed, this is counted up."""


def document_of(contents: Contents) -> dict[str, Any]:
    """Everything that the page shows; what is cut there for its size is whole here."""
    return {
        "version": VERSION,
        "made_at": datetime.fromtimestamp(contents.made_at_ms / 1000, timezone.utc).isoformat(),
        "patterns": list(contents.patterns),
        "counts": contents.counts,
        "findings": [_block(one) for one in contents.blocks],
        "publications": [_publication(one) for one in contents.publications],
        "views": [_view(one) for one in contents.views.values()],
    }


def _block(one: Block) -> dict[str, Any]:
    return {**_problem(one), "views": list(one.views), "readers": one.readers}


def _problem(one: Problem | Block) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": one.severity,
        "problem": one.what,
        "engines": one.effect,
        "remedy": one.repair,
    }


def _publication(one: Publication) -> dict[str, Any]:
    return {**one.status.document(), "published_names": list(one.status.published_names), "state": one.state}


def _view(one: ShownView) -> dict[str, Any]:
    return {
        "identifier": one.name,
        "namespace": one.namespace,
        "kind": one.kind,
        "url": one.url,
        "comment": one.comment,
        "owner": one.owner,
        "since": one.since,
        "version_id": one.version_id,
        "written_by": one.by,
        "dialects": list(one.dialects),
        "columns": [
            {"name": c.name, "type": c.type, "comment": c.comment, "partition": c.name in one.partitioned_on}
            for c in one.columns.shown
        ],
        "partitions": one.partitions,
        "reads": list(one.reads),
        "read_by": list(one.read_by.shown),
        "read_by_left_out": one.read_by.more,
        "broken_through": one.cause,
        "findings": [_problem(found) for found in one.problems],
        "sql": [
            {"heading": text.heading, "text": text.sql, "characters_left_out": text.left_out} for text in one.texts
        ],
        "properties": dict(one.properties.shown),
        "metadata_location": one.location,
        "history": [
            {
                "version_id": change.version_id,
                "since": change.since,
                "written_by": change.by,
                "dialects": list(change.dialects),
                "differences": [
                    {"part": part, "lines": list(lines.shown), "lines_left_out": lines.more}
                    for part, lines in change.parts
                ],
            }
            for change in one.history.shown
        ],
        "history_left_out": one.history.more,
        "publications": list(one.publications),
    }
