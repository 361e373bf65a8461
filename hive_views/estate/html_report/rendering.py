"""The page, made from its contents."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hive_views.estate.html_report.contents import Contents
from hive_views.estate.html_report.fitting import fitting
from hive_views.estate.html_report.publication_calendars import PITCH, SIGNS
from hive_views.messages.legible import legible


def render(contents: Contents) -> str:
    """The HTML page."""
    return _TEMPLATES.get_template("page.html").render(
        contents=contents,
        counts=contents.counts,
        signs=SIGNS,
        pitch=PITCH,
        fitting=lambda rest: fitting(contents.views.values(), len(rest.encode("utf-8", "backslashreplace"))),
    )


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
