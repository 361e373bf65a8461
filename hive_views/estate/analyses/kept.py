"""Analyses of views, kept in one file in the user's cache, so that only views that have changed are analyzed again.

A cache, never the truth: an entry serves only for exactly the row and the columns that it was made of, and for this
version of the analysis. Losing the file, or garbage in it, costs an analysis of all views. It is replaced as a whole;
of two processes the later one wins.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from pydantic import TypeAdapter

from hive_views.analysis.analysis_version import ANALYSIS_VERSION
from hive_views.hive.row import Column, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import ANALYSES_SUFFIX, FILE_FORMAT
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.text_analysis.view_analysis import ViewAnalysis

log = logger_of(__name__)

_LARGEST_FILE = 256 * 2**20
_LARGEST_TEXT = 16 * _LARGEST_FILE
_Columns = Sequence[Column] | None


@dataclass(frozen=True)
class KeptAnalysis:
    """The analysis of a view, and what it was made of.

    Attributes:
        view: its name.
        row: a hash of its row, which says its texts: the metadata file that it names never changes.
        columns: a hash of the columns of what it reads.
        tables: the tables and views that it reads.
        unread: why a text of it cannot be read, or may read more; None where all are read.
        content: the analysis as JSON.
    """

    view: TableIdentifier
    row: str
    columns: str
    tables: tuple[TableIdentifier, ...]
    unread: str | None
    content: bytes

    @classmethod
    def of(cls, analysis: ViewAnalysis, tables: tuple[TableIdentifier, ...], row: str, columns: str) -> KeptAnalysis:
        """The analysis as it is kept."""
        unread = next((one.error for one in analysis.texts if one.error), None)
        return cls(analysis.view, row, columns, tables, unread, _json().dump_json(analysis, exclude_defaults=True))

    def analysis(self) -> ViewAnalysis:
        """
        Raises:
            ValueError: the content is not that of an analysis.
        """
        found: ViewAnalysis = _json().validate_json(self.content)
        if found.view != self.view:
            raise ValueError(f"that of {found.view}")
        return found


def row_digest(row: Row) -> str:
    """A hash of all of a row that decides about its texts."""
    parts = (
        *(str(row.identifier), row.table_type, row.expanded_text, row.original_text, row.columns, row.partition_keys),
        *(row.owner, row.location, sorted(row.parameters.items())),
    )
    return _hash(repr(parts))


def columns_digest(tables: Iterable[tuple[TableIdentifier, str]]) -> str:
    """A hash of the columns of several tables, each with that of its own columns."""
    return _hash("\0".join(f"{name} {digest}" for name, digest in tables))


def digest_of(columns: _Columns) -> str:
    """A hash of the columns of one table; of None, where they are unknown, another one than of any columns."""
    return _hash(repr(columns if columns is None else tuple(columns)))


def file_for(metastore: object) -> Path | None:
    """The file for the views of a metastore; None for a user without a home.

    It is in the directory ``HIVE_VIEWS_CACHE_DIR``, else in ``hive-views`` in ``XDG_CACHE_HOME`` (``~/.cache``).
    """
    given, home = os.environ.get("HIVE_VIEWS_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    directory = Path(given) if given else Path(home or "~/.cache", "hive-views")
    with suppress(RuntimeError):
        return directory.expanduser() / f"{_hash(repr(metastore))[:16]}{ANALYSES_SUFFIX}"
    return None


def read_kept(file: Path | None) -> dict[TableIdentifier, KeptAnalysis]:
    """The analyses in a file, by view; none of a file that is missing, damaged, or of another version."""
    try:
        if file is None or file.stat().st_size > _LARGEST_FILE:
            return {}
        decompressor = zlib.decompressobj()
        text = decompressor.decompress(file.read_bytes(), _LARGEST_TEXT)
        if not decompressor.eof:
            raise ValueError("cut off, or too large")
        first, *lines = text.splitlines()
        if json.loads(first) != _header():
            return {}
        found = map(_entry, lines[::2], lines[1::2])
        return {one.view: one for one in found}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, zlib.error) as error:
        log.debug("the kept analyses in %s cannot be used: %s", file, error)
        return {}


def write_kept(file: Path | None, entries: Mapping[TableIdentifier, KeptAnalysis]) -> None:
    """Replace a file; a failure is no failure of the run, whose answer does not depend on it."""
    if file is None:
        return
    lines = [json.dumps(_header()).encode()]
    for one in entries.values():
        tables = [[name.namespace, name.name] for name in one.tables]
        head = [one.view.namespace, one.view.name, one.row, one.columns, tables, one.unread]
        lines += [json.dumps(head).encode(), one.content]
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, part = mkstemp(dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as written:
                written.write(zlib.compress(b"\n".join(lines), level=1))
            Path(part).replace(file)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as error:
        log.debug("the analyses were not kept in %s: %s", file, error)


def _entry(head: bytes, content: bytes) -> KeptAnalysis:
    namespace, name, row, columns, tables, unread = json.loads(head)
    read = tuple(TableIdentifier(*one) for one in tables)
    return KeptAnalysis(TableIdentifier(namespace, name), row, columns, read, unread, content)


@cache
def _header() -> dict[str, Any]:
    """What has to be the same for an analysis to be the same."""
    releases = {name: version(name) for name in ("hive_views", "sqlglot")}
    return {"format-version": FILE_FORMAT, "analysis-version": ANALYSIS_VERSION, **releases}


@cache
def _json() -> TypeAdapter[ViewAnalysis]:
    return TypeAdapter(ViewAnalysis)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
