"""Whether two locations are one place, which programs spell in several ways: `/lake`, `file:/lake`, `file:///lake`."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Schemes whose URIs begin with the host that is asked, and maybe with the user that it is asked as.
OF_HOSTS = ("adl", "hdfs", "o3fs", "ofs", "viewfs")
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?=/)(?://([^/]*))?(.*)", re.DOTALL)
_SAME = {"s3a": "s3", "s3n": "s3"}


def parts_of(location: str) -> tuple[str, str, str]:
    """Scheme, authority and path as fsspec has them; no scheme where it would have another, or none."""
    if location.startswith("/"):
        location = f"file://{location}"
    found = _URI.fullmatch(location)
    # What is not printable goes unseen: urlsplit leaves tabs and ends of lines out.
    if not found or "::" in location or not location.isprintable() or {".", ".."} & set(location.split("/")):
        return "", "", ""
    scheme = found[1].lower()
    return _SAME.get(scheme, scheme), found[2] or "", found[3].strip("/")


def one_spelling(location: str) -> str:
    """One spelling for each place; nothing for what may be another one than it looks, or is none."""
    scheme, authority, path = parts_of(location)
    if not scheme or (authority if scheme == "file" else not authority and path and scheme not in OF_HOSTS):
        return ""
    return f"{scheme}://{authority}/{path}".rstrip("/")


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


def parent_of(location: str) -> str:
    """The directory of a file or directory, as the location spells it."""
    return location.rpartition("/")[0]
