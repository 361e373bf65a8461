"""The verb ``report``: one self-contained HTML page about many views."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from hive_views.base_tables.port import BaseTable
from hive_views.errors import InvalidInputError
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.estate.html_report.contents import Contents, read_contents
from hive_views.estate.html_report.document import document_of
from hive_views.estate.html_report.rendering import render
from hive_views.estate.html_report.view_urls import urls_of
from hive_views.messages.legible import legible_json
from hive_views.messages.remedy import Remedy
from hive_views.storage.atomic_writes import copy_durably, file_exists
from hive_views.views.catalog import ViewCatalog

PAGES, JSON = (".html", ".htm"), ".json"


@dataclass(frozen=True)
class HtmlReport:
    """A page about views.

    Attributes:
        html: the page; a browser loads nothing for it, and runs nothing in it.
        counts: the numbers of ``views``, ``plain_views``, ``broken_views`` (with a finding that is an error),
            ``affected_views`` (that read one, directly or through others, and have no error of their own),
            ``findings``, ``publications``, and ``late`` and ``waiting`` (partitions) on it.
    """

    html: str = field(repr=False)
    counts: Mapping[str, int]
    _contents: Contents = field(repr=False)

    def document(self) -> dict[str, Any]:
        """The content of the page as JSON holds it, with a ``version`` of its form: 1.

        A later version of this library may add keys; it only changes or removes any under another version.
        """
        return document_of(self._contents)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the page, or its content as JSON, to a file, completely or not at all.

        Args:
            path: the file, which ends in ``.html`` or ``.htm`` for the page, in ``.json`` for its content; its
                directory must exist.
            overwrite: replace an existing file.

        Returns:
            The absolute path of the file.

        Raises:
            AlreadyExistsError: the file exists, and ``overwrite`` is not set.
            InvalidInputError: it cannot be written.
        """
        target = check_destination(path, overwrite=overwrite)
        text = self.html
        if target.suffix.lower() == JSON:
            text = legible_json(json.dumps(self.document(), indent=1, ensure_ascii=False)) + "\n"
        try:
            with NamedTemporaryFile("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                copy_durably(Path(file.name), target, overwrite=overwrite)
        except FileExistsError as error:
            raise file_exists(str(target)) from error
        except OSError as error:
            raise _unwritable(target, f"{error.strerror}.") from error
        return target


def report(
    catalog: ViewCatalog,
    *patterns: str,
    base_tables: Mapping[str, BaseTable] | None = None,
    view_url: str | None = None,
    in_words: Callable[[Remedy], str] = str,
) -> HtmlReport:
    """One HTML page about views: summaries, findings, histories with diffs, the dependency graph, and publications.

    Every view is read and checked, and for publications every base table is listed; only ``write`` writes anything.
    The page of thousands of views stays below 10 MB: what is long is cut then, and says so.

    Args:
        catalog: where the views are.
        patterns: which views, as ``"sales.daily"`` or ``"sales.*"``; by default all.
        base_tables: readers for tables, by the names that the rules of publications use, as in ``publish``.
        view_url: where each view is served, as ``"https://catalog.example.org/{namespace}/{view}"``: the page links to
            it.
        in_words: how the repair of a finding is worded; by default for Python.

    Raises:
        NoSuchViewError, NoSuchNamespaceError: a pattern matches nothing.
        InvalidInputError: a pattern does not have two parts, or ``view_url`` is no address with these names.
        UnavailableError: the metastore cannot be asked which views there are.
    """
    url_of = urls_of(view_url)
    contents = read_contents(catalog, patterns or (ALL_VIEWS,), base_tables, in_words, url_of)
    return HtmlReport(render(contents), contents.counts, contents)


def check_destination(path: str | Path, *, overwrite: bool = False, suffixes: Sequence[str] = (*PAGES, JSON)) -> Path:
    """The absolute path of a file that can be written.

    Raises:
        AlreadyExistsError: there is such a file, and ``overwrite`` is not set.
        InvalidInputError: it is a directory, its name does not end in one of the suffixes, or its directory is missing
            or cannot be written.
    """
    target = Path(path).expanduser().resolve()
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _unwritable(target, f"{error.strerror}.") from error
    if mode is not None and stat.S_ISDIR(mode):
        raise _unwritable(target, "it is a directory. Name a file in it.")
    if target.suffix.lower() not in suffixes:
        # A view's name, where the page was forgotten, has a dot too.
        raise _unwritable(
            target, f"its name does not end in {' or '.join(suffixes)}. Name the page first, then the views."
        )
    if mode is not None and not stat.S_ISREG(mode):
        raise _unwritable(target, "it is not a regular file.")
    if mode is not None and not overwrite:
        raise file_exists(str(target))
    if not target.parent.is_dir():
        raise _unwritable(target, f"there is no directory {target.parent}.")
    if not os.access(target.parent, os.W_OK):
        raise _unwritable(target, "its directory cannot be written.")
    return target


def _unwritable(target: Path, reason: str) -> InvalidInputError:
    return InvalidInputError(f"Cannot write the report to {target}: {reason}")
