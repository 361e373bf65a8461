"""Reads the entries of fsspec's listings, whatever file system they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from fsspec.asyn import sync

from hive_views.storage.atomic_writes import protocols_of

# What file systems call the time of the last change in a listing; "created" is something else in most of them.
_MODIFIED = ("mtime", "LastModified", "last_modified")
# What object stores call the tag that a file has until it is written again.
_TAGS = ("ETag", "etag")
# Fewer than a page of any store holds: whoever is given fewer has all of them.
ON_A_PAGE = 500


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


def is_gcs(fs: Any) -> bool:
    """Whether it is that of gcsfs."""
    return "gs" in protocols_of(fs)


def is_without_bucket(fs: Any, path: str) -> bool:
    """Whether a file that is not there has no bucket either, where the client does not tell one from the other (GCS,
    and Azure where it looks for one); False where that is not to be learned.
    """
    bucket = path.partition("/")[0]
    try:
        if is_gcs(fs):
            # Not its info: to that a bucket that may not be shown is missing.
            fs.call("GET", "b/{}/o", bucket, maxResults=1)
        elif "abfs" in protocols_of(fs):
            fs.info(bucket)
    except FileNotFoundError:
        return True
    except Exception:  # noqa: BLE001 - whatever it is, it says nothing of the bucket
        return False
    return False


def tree_of(
    fs: Any, root: str, is_left_out: Callable[[str], bool], *, has_directories: bool
) -> Iterator[Mapping[str, Any]]:
    """The entries of all files under a path; without directories by one listing, else by one of each directory."""
    if not has_directories:
        yield from files_among(fs.find(root, detail=True).values())
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


def page_of(fs: Any, root: str) -> Sequence[Mapping[str, Any]] | None:
    """The entries of all files under a path, where one request tells them; None where there are more of them than that,
    or the client has no such request.
    """
    if is_s3(fs):
        # Of versions it takes those for files that are not the last, and leaves them out when it has counted.
        if fs.version_aware:
            return None
        found = sync(fs.loop, fs._lsdir, root, max_items=ON_A_PAGE, delimiter="")  # noqa: SLF001
    elif is_gcs(fs):
        found, _ = sync(fs.loop, fs._do_list_objects, root, max_results=ON_A_PAGE, delimiter="")  # noqa: SLF001
    else:
        return None
    return tuple(files_among(found)) if len(found) < ON_A_PAGE else None


def inside_of(root: str, entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Entries of files under a path, each with its path from there; "" for the path itself."""
    for entry in entries:
        yield str(entry["name"]).lstrip("/").removeprefix(root.lstrip("/")).strip("/"), entry


def files_among(entries: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those that are of files."""
    # Some consoles make an empty file that ends in a slash for a directory.
    return (entry for entry in entries if entry.get("type") == "file" and not str(entry["name"]).endswith("/"))


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
