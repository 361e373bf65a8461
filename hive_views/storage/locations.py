"""Locations of files and directories: how they are stored, and which are the same place (`/lake`, `file:/lake`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hive_views.errors import InvalidInputError

# Schemes whose URIs begin with the host that is asked, and maybe with the user that it is asked as.
OF_HOSTS = ("adl", "hdfs", "o3fs", "ofs", "viewfs")
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?=/)(?://([^/]*))?(.*)", re.DOTALL)
_SAME = {"s3a": "s3", "s3n": "s3"}
# The port of a NameNode where none is given.
_NAMENODE = ":8020"
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
# fsspec would look for it in the working directory.
_LOCAL_WITH_HOST = re.compile(r"file://[^/]", re.IGNORECASE)
# Of two letters at least, since one is a drive.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def split_location(location: str) -> tuple[str, str, str]:
    """Scheme, authority and path as fsspec has them; no scheme where it would have another, or none."""
    if location.startswith("/"):
        location = f"file://{location}"
    found = _PARTS.fullmatch(location)
    # What is not printable goes unseen: urlsplit leaves tabs and ends of lines out.
    if not found or "::" in location or not location.isprintable() or {".", ".."} & set(location.split("/")):
        return "", "", ""
    scheme = found[1].lower()
    authority = found[2] or ""
    if scheme == "hdfs" and authority != _NAMENODE:
        authority = authority.removesuffix(_NAMENODE)
    return _SAME.get(scheme, scheme), authority, found[3].strip("/")


def normalised_location(location: str) -> str:
    """One spelling for each place; nothing for what may be another one than it looks, or is none."""
    scheme, authority, path = split_location(location)
    if not scheme or (authority if scheme == "file" else not authority and path and scheme not in OF_HOSTS):
        return ""
    return f"{scheme}://{authority}/{path}".rstrip("/")


def distinct_locations(locations: Iterable[str]) -> list[str]:
    """The locations without those that are places of earlier ones in another spelling."""
    found: dict[str, str] = {}
    for location in locations:
        found.setdefault(normalised_location(location) or location, location)
    return list(found.values())


def is_within(location: str, directory: str) -> bool:
    """Whether a location is below another one, judging by their names."""
    below, above = (normalised_location(one) or one for one in (location, directory.rstrip("/")))
    return below.startswith(f"{above}/")


def parent_of(location: str) -> str:
    """The directory of a file or directory, as the location spells it."""
    return location.rpartition("/")[0]


def is_uri(location: str) -> bool:
    """Whether a location has a scheme; else it is a path."""
    return _URI.match(location) is not None


def absolute_location(location: str) -> str:
    """A directory as a URI without a trailing slash; a plain path becomes a ``file:`` URI.

    Raises:
        InvalidInputError: no directory is named, or a host before it, or not in printable ASCII.
    """
    is_text = isinstance(location, str) and location.isascii() and location.isprintable() and location.strip()
    if not is_text or (_SCHEME.match(location) and not is_uri(location)):
        raise InvalidInputError(
            f"Cannot use {location!r} as a location: it must be a path or URI of printable ASCII characters."
        )
    if not is_uri(location):
        # Not as_uri(): neither fsspec nor Hadoop decodes percent signs in a path.
        location = f"file://{Path(location).expanduser().absolute()}"
    if _LOCAL_WITH_HOST.match(location):
        raise InvalidInputError(
            f"Cannot use {location!r} as a location: file:// followed by a name refers to another host. A local one "
            f"has three slashes, file:///lake/views."
        )
    if location.rstrip("/").endswith(":"):
        raise InvalidInputError(f"Cannot use {location!r} as a location: it names no directory.")
    return location.rstrip("/")


def client_location(location: str) -> str:
    """``absolute_location`` for a client, who knows neither the working directory nor the home directory here.

    Raises:
        InvalidInputError: it is relative, or as ``absolute_location``.
    """
    if not location.startswith("/") and not is_uri(location):
        raise InvalidInputError(f"Cannot use {location!r} as a location: it must be a URI or an absolute path.")
    return absolute_location(location)


def absolute_file(location: str) -> str:
    """A metadata file as a URI; an absolute path becomes a ``file:`` URI.

    Raises:
        InvalidInputError: empty, relative, not printable ASCII, or with white space around it.
    """
    is_text = isinstance(location, str) and location.isascii() and location.isprintable()
    if is_text and location.startswith("/"):
        location = f"file://{location}"
    if not is_text or not is_uri(location) or location != location.strip():
        raise InvalidInputError(
            f"Cannot use {location!r} as the location of a metadata file: it must be an absolute path or URI of "
            f"printable ASCII characters, such as s3://bucket/views/v/metadata/00001-....metadata.json.",
            location=location,
        )
    return location
