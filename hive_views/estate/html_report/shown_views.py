"""A view as the page shows it, from its metadata file, or from its row where there is none or it cannot be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timezone
from itertools import pairwise
from typing import Any

from hive_views.errors import HiveViewsError
from hive_views.estate.html_report.problems import ERROR, Problem
from hive_views.hive.row import COMMENT, DDL_TIME, POINTER, Row
from hive_views.messages.credentials import hide_credentials
from hive_views.readiness.reasons import shown_timestamp
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.views.row.row_text import text_of
from hive_views.views.row.version import original_sql, shown_dialects
from hive_views.views.version_diff import Definition, columns_of, compare
from hive_views.views.view import View

MANAGED, PLAIN, UNREADABLE = "managed", "plain", "unreadable"

MOST_CHANGES = 10
MOST_DIFF_LINES = 120
MOST_CHARACTERS = 20_000

_OF_ROWS = (COMMENT, DDL_TIME)


@dataclass(frozen=True)
class Some:
    """The first of many, and how many more there are."""

    shown: tuple[Any, ...]
    more: int = 0

    @classmethod
    def of(cls, items: Iterable[Any], most: int) -> Some:
        """The first ``most`` of these."""
        all_ = tuple(items)
        return cls(all_[:most], max(len(all_) - most, 0))

    def first(self, most: int) -> Some:
        """The first ``most`` of those shown."""
        return Some(self.shown[:most], self.more + max(len(self.shown) - most, 0))


NONE = Some(())


@dataclass(frozen=True)
class Text:
    """A query, cut where it is very long; ``heading`` says the dialects that have it."""

    heading: str
    sql: str
    left_out: int

    def first(self, most: int) -> Text:
        """Its first ``most`` characters."""
        return Text(self.heading, self.sql[:most], self.left_out + max(len(self.sql) - most, 0))


@dataclass(frozen=True)
class Change:
    """A version that became current, with what differs from the one before as headings and lines of diffs."""

    version_id: int
    since: str
    by: str
    dialects: tuple[str, ...]
    parts: tuple[tuple[str, Some], ...]


@dataclass(frozen=True)
class ShownView:
    """A view as the page shows it; where its metadata file cannot be read, as its row has it.

    Attributes:
        url: where it is served; None if that is not known.
        cause: the nearest broken view that it reads, directly or through others, if it has no error of its own.
    """

    name: str
    namespace: str
    kind: str
    comment: str
    owner: str
    since: str
    columns: Some
    partitioned_on: tuple[str, ...]
    texts: tuple[Text, ...]
    properties: Some
    location: str
    dialects: tuple[str, ...] = ()
    by: str = ""
    version_id: int | None = None
    history: Some = NONE
    problems: tuple[Problem, ...] = ()
    partitions: int | None = None
    reads: tuple[str, ...] = ()
    read_by: Some = NONE
    publications: tuple[str, ...] = ()
    url: str | None = None
    cause: str | None = None

    @property
    def short_name(self) -> str:
        """Without the namespace."""
        return self.name[len(self.namespace) + 1 :]

    @property
    def severity(self) -> str:
        """Of the worst of its problems; ``affected`` without one, if it reads a broken view; else ""."""
        severities = {one.severity for one in self.problems}
        return next((one for one in (ERROR, "warning") if one in severities), "affected" if self.cause else "")


def shown_view(row: Row, view: View | HiveViewsError | None) -> ShownView:
    """A view, or its row where it is plain (None) or cannot be read."""
    if isinstance(view, View):
        return _of_view(view)
    changed_s = row.ddl_time_s or row.create_time_s
    return ShownView(
        name=str(row.identifier),
        namespace=row.identifier.namespace,
        kind=PLAIN if view is None else UNREADABLE,
        comment=row.parameters.get(COMMENT, ""),
        owner=row.owner or "",
        since=_time(changed_s * 1000) if changed_s else "",
        columns=Some((*row.columns, *row.partition_keys)),
        partitioned_on=tuple(key.name for key in row.partition_keys),
        texts=(_text("SQL in the metastore", text_of(row).sql),),
        properties=_properties(row.parameters, _OF_ROWS),
        location=hide_credentials(row.parameters.get(POINTER, "")),
    )


def _of_view(view: View) -> ShownView:
    version = view.current_version
    return ShownView(
        name=str(view.identifier),
        namespace=view.identifier.namespace,
        kind=MANAGED,
        comment=view.comment or "",
        owner=view.owner or "",
        since=_time(view.history[-1].timestamp_ms if view.history else version.timestamp_ms),
        by=_engine(version),
        version_id=version.version_id,
        columns=Some(columns_of(view.metadata, version)),
        partitioned_on=view.partitioned_on,
        dialects=shown_dialects(version),
        texts=_texts(version),
        properties=_properties(view.properties, (COMMENT,)),
        location=hide_credentials(view.metadata_location),
        history=_history(view),
    )


def _properties(properties: Mapping[str, str], without: Iterable[str]) -> Some:
    return Some(tuple((key, hide_credentials(properties[key])) for key in sorted(properties) if key not in without))


def _texts(version: ViewVersion) -> tuple[Text, ...]:
    """The texts as typed, each once for all dialects that have it."""
    dialects: dict[str, list[str]] = defaultdict(list)
    for one, shown in zip(version.sql_representations, shown_dialects(version), strict=True):
        dialects[original_sql(version, one.dialect) or one.sql].append(shown)
    return tuple(_text(f"SQL: {', '.join(having)}", sql) for sql, having in dialects.items())


def _text(heading: str, sql: str) -> Text:
    return Text(heading, sql, 0).first(MOST_CHARACTERS)


def _history(view: View) -> Some:
    """The last changes, the newest first, each with what differs from the one before."""
    versions = {version.version_id: version for version in view.versions}
    entries = [None, *view.history]
    shown = list(pairwise(entries))[-MOST_CHANGES:][::-1]
    changes = []
    for before, entry in shown:
        assert entry
        version = versions.get(entry.version_id)
        former = versions.get(before.version_id) if before else None
        changes.append(
            Change(
                entry.version_id,
                _time(entry.timestamp_ms),
                _engine(version) if version else "(expired)",
                shown_dialects(version) if version else (),
                _differences(view.metadata, former, version) if former and version else (),
            )
        )
    return Some(tuple(changes), len(entries) - 1 - len(shown))


def _differences(metadata: ViewMetadata, before: ViewVersion, after: ViewVersion) -> tuple[tuple[str, Some], ...]:
    try:
        return tuple(_compared(metadata, before, after))
    except HiveViewsError as error:
        # A former version that cannot be read harms nobody but who asks for it.
        return ((f"Unknown: {error}", NONE),)


def _compared(metadata: ViewMetadata, before: ViewVersion, after: ViewVersion) -> Iterator[tuple[str, Some]]:
    # Properties have no versions of their own, and looking for them would read all former files of all views.
    definitions = [Definition.of(metadata, one, properties_of=None) for one in (before, after)]
    for one in compare(*definitions):
        dialects = [part.removeprefix("sql ") for part in one.parts if part.startswith("sql ")]
        heading = f"SQL: {', '.join(dialects)}" if dialects else one.heading.capitalize()
        yield heading, Some.of(one.lines, MOST_DIFF_LINES)


def _engine(version: ViewVersion) -> str:
    return " ".join(filter(None, (version.summary.get("engine-name", ""), version.summary.get("engine-version", ""))))


def _time(timestamp_ms: int) -> str:
    return shown_timestamp(timestamp_ms, timezone.utc)
