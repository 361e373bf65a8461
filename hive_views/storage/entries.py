"""What fsspec's listings say of a file, whatever file system they are of.

What lives here: times, tags and kinds of entries, those of a directory, and all under a path. What must not: errors,
locations (files.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from fsspec.asyn import sync

from hive_views.storage.whole_files import protocols_of

# What file systems call the time of the last change in a listing; "created" is something else in most of them.
_MODIFIED = ("mtime", "LastModified", "last_modified")
# What object stores call the tag that a file has until it is written again.
_TAGS = ("ETag", "etag")


def modified_at_ms(entry: Mapping[str, Any]) -> int | None:
    """When it was written, in milliseconds since 1970; None where the listing does not say."""
    return next((found for key in _MODIFIED if (found := at_ms(entry.get(key))) is not None), None)


def tag_of(entry: Mapping[str, Any]) -> str | None:
    """What changes with the file's content; None where the storage has no such thing."""
    return next((str(entry[key]) for key in _TAGS if entry.get(key)), None)


def entries_of(fs: Any, path: str) -> Iterable[Mapping[str, Any]]:
    """The entries of a directory, by one listing; none, or FileNotFoundError, where there is no such directory."""
    if is_s3(fs):
        # Its ls lists the parent too where a directory has no entries, in case it is a file.
        return tuple(sync(fs.loop, fs._lsdir, path.rstrip("/")))  # noqa: SLF001
    return tuple(fs.ls(path, detail=True))


def names_of(fs: Any, path: str) -> Iterable[str]:
    """The names of these, without a look at each where that costs one."""
    entries = (one["name"] for one in entries_of(fs, path)) if is_s3(fs) else fs.ls(path, detail=False)
    return sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in entries)


def is_s3(fs: Any) -> bool:
    """Whether it is that of s3fs."""
    return "s3" in protocols_of(fs)


def tree_of(
    fs: Any, root: str, is_left_out: Callable[[str], bool], *, has_directories: bool
) -> Iterator[Mapping[str, Any]]:
    """The entries of all files under a path; without directories by one listing, else by one of each directory."""
    if not has_directories:
        found = fs.find(root, detail=True).values()
        # Some consoles make an empty file that ends in a slash for a directory.
        yield from (entry for entry in found if entry.get("type") == "file" and not str(entry["name"]).endswith("/"))
        return
    # Not fs.walk: to that a directory that cannot be read has no files.
    left = [root]
    while left:
        for entry in fs.ls(left.pop(), detail=True):
            name = str(entry["name"]).rstrip("/")
            # What is said of a link in a listing is not what is said of the file that it leads to.
            shown = fs.info(name) if entry.get("islink") else entry
            if not is_directory(shown):
                yield shown
            elif not is_left_out(name.rpartition("/")[2]):
                left.append(name)


def is_directory(entry: Mapping[str, Any]) -> bool:
    """Whether it is one, and no file."""
    return entry.get("type") == "directory"


def at_ms(modified: Any) -> int | None:
    """What a file system gives for a time, in milliseconds since 1970; None where it is no time."""
    if isinstance(modified, (int, float)):
        return int(modified * 1000)
    if not isinstance(modified, datetime):
        return None
    # Local files have naive times of UTC.
    return int((modified if modified.tzinfo else modified.replace(tzinfo=timezone.utc)).timestamp() * 1000)
