"""Whether two locations are one place, which programs spell in several ways: `/lake`, `file:/lake`, `file:///lake`.

What lives here: one spelling of each. What must not: whether anything is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
_SAME = {"s3a": "s3", "s3n": "s3"}


def one_spelling(location: str) -> str:
    """One spelling for each place; nothing for what may be another one than it looks, or is none."""
    if location.startswith("/"):
        location = f"file://{location}"
    found = SCHEME.match(location)
    if not found or "::" in location or {".", ".."} & set(location.split("/")):
        return ""
    scheme = found[1].lower()
    rest = location[found.end() :].strip("/")
    return f"{_SAME.get(scheme, scheme)}:/{rest}".rstrip("/")


def each_once(locations: Iterable[str]) -> list[str]:
    """The locations without those that are places of earlier ones in another spelling."""
    found: dict[str, str] = {}
    for location in locations:
        found.setdefault(one_spelling(location) or location, location)
    return list(found.values())


def is_within(location: str, directory: str) -> bool:
    """Whether a place is below another one, as far as their names tell."""
    below, above = (one_spelling(one) or one for one in (location, directory.rstrip("/")))
    return below.startswith(f"{above}/")
