"""The verb ``report``: one self-contained HTML page about many views."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hive_views.base_tables.port import BaseTable
from hive_views.errors import InvalidInputError
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.estate.html_report.contents import read_contents
from hive_views.estate.html_report.graph_layout import HEIGHT, WIDTH
from hive_views.estate.html_report.publication_calendars import SIGNS
from hive_views.messages.legible import legible
from hive_views.messages.remedy import Remedy
from hive_views.storage.atomic_writes import copy_durably, file_exists
from hive_views.views.catalog import ViewCatalog


@dataclass(frozen=True)
class HtmlReport:
    """A page about views.

    Attributes:
        html: the page; a browser loads nothing for it, and runs nothing in it.
        counts: the numbers of ``views``, ``plain_views``, ``broken_views`` (with a finding that is an error),
            ``findings``, ``publications``, and ``waiting`` (partitions) on it.
    """

    html: str = field(repr=False)
    counts: Mapping[str, int]

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the page to a file, completely or not at all.

        Args:
            path: the file, which ends in ``.html`` or ``.htm``; its directory must exist.
            overwrite: replace an existing file.

        Returns:
            The absolute path of the file.

        Raises:
            AlreadyExistsError: the file exists, and ``overwrite`` is not set.
            InvalidInputError: it cannot be written.
        """
        target = check_destination(path, overwrite=overwrite)
        try:
            with NamedTemporaryFile("w", encoding="utf-8") as page:
                page.write(self.html)
                page.flush()
                copy_durably(Path(page.name), target, overwrite=overwrite)
        except FileExistsError as error:
            raise file_exists(str(target)) from error
        except OSError as error:
            raise _unwritable(target, f"{error.strerror}.") from error
        return target


def report(
    catalog: ViewCatalog,
    *patterns: str,
    base_tables: Mapping[str, BaseTable] | None = None,
    in_words: Callable[[Remedy], str] = str,
) -> HtmlReport:
    """One HTML page about views: summaries, findings, histories with diffs, the dependency graph, and publications.

    Every view is read and checked, and for publications every base table is listed; only ``write`` writes anything.

    Args:
        catalog: where the views are.
        patterns: which views, as ``"sales.daily"`` or ``"sales.*"``; by default all.
        base_tables: readers for tables, by the names that the rules of publications use, as in ``publish``.
        in_words: how the repair of a finding is worded; by default for Python.

    Raises:
        NoSuchViewError, NoSuchNamespaceError: a pattern matches nothing.
        InvalidInputError: a pattern does not have two parts.
        UnavailableError: the metastore cannot be asked which views there are.
    """
    contents = read_contents(catalog, patterns or (ALL_VIEWS,), base_tables, in_words)
    page = _TEMPLATES.get_template("page.html").render(
        contents=contents, signs=SIGNS, box_width=WIDTH, box_height=HEIGHT
    )
    return HtmlReport(page, contents.counts)


def check_destination(path: str | Path, *, overwrite: bool = False) -> Path:
    """The absolute path of a file that can be written.

    Raises:
        AlreadyExistsError: there is such a file, and ``overwrite`` is not set.
        InvalidInputError: it is a directory, has not the name of a page, or its directory is missing or cannot be
            written.
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
    if target.suffix.lower() not in _SUFFIXES:
        # A view's name, where the page was forgotten, has a dot too.
        raise _unwritable(target, "its name does not end in .html or .htm. Name the page first, then the views.")
    if mode is not None and not stat.S_ISREG(mode):
        raise _unwritable(target, "it is not a regular file.")
    if mode is not None and not overwrite:
        raise file_exists(str(target))
    if not target.parent.is_dir():
        raise _unwritable(target, f"there is no directory {target.parent}.")
    if not os.access(target.parent, os.W_OK):
        raise _unwritable(target, "its directory cannot be written.")
    return target


_SUFFIXES = (".html", ".htm")


def _unwritable(target: Path, reason: str) -> InvalidInputError:
    return InvalidInputError(f"Cannot write the report to {target}: {reason}")


def _legible(value: Any) -> Any:
    return legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# Whatever a template puts out goes through _legible and is escaped; parts of the page itself are Markup already.
_TEMPLATES = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    finalize=_legible,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
