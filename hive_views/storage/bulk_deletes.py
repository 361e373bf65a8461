"""Deletes many files of one bucket with few requests, and finds out which of them are left.

s3fs can delete many files, but drops what the server reports about those that it refused to delete. gcsfs treats
brackets and stars in names as patterns, and does not report which files are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from fsspec.asyn import sync

from hive_views.storage.atomic_writes import call
from hive_views.storage.fsspec_listings import is_gcs, is_s3

Left = Iterator[tuple[str, Exception]]
"""Paths of files that are left, each with what was said of it."""

# As many as a DeleteObjects request takes, and a batch of Google's.
_AT_ONCE_ON_S3, _AT_ONCE_ON_GCS = 1000, 100


class RefusedError(Exception):
    """What S3 says of one of many files, in the form in which its client says it of one alone."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('Code')}: {error.get('Message')}")
        self.response = {"Error": error}


def deletes_together(fs: Any) -> bool:
    """Whether its server takes many at once; servers that only behave as Google's do not."""
    return is_s3(fs) or (is_gcs(fs) and fs.on_google)


def delete_together(fs: Any, paths: Sequence[str]) -> Left:
    """Delete files of one bucket, missing ones too; gives those that are left, each with what was said of it."""
    delete, at_once = (_on_s3, _AT_ONCE_ON_S3) if is_s3(fs) else (_on_gcs, _AT_ONCE_ON_GCS)
    for start in range(0, len(paths), at_once):
        yield from delete(fs, paths[start : start + at_once])


def _on_s3(fs: Any, paths: Sequence[str]) -> Left:
    by_key = {path.partition("/")[2]: path for path in paths}
    wanted = {"Objects": [{"Key": key} for key in by_key], "Quiet": True}
    try:
        answer = dict(fs.call_s3("delete_objects", Bucket=paths[0].partition("/")[0], Delete=wanted))
    except Exception as e:  # noqa: BLE001 - whatever the client raises is of all of these
        yield from ((path, e) for path in paths)
        return
    yield from ((by_key[one["Key"]], RefusedError(one)) for one in answer.get("Errors", ()))


def _on_gcs(fs: Any, paths: Sequence[str]) -> Left:
    deleted: set[str] = set()
    with suppress(Exception):
        deleted.update(one for one in sync(fs.loop, fs._rm_files, list(paths)) if isinstance(one, str))  # noqa: SLF001
    # Of the others it does not say which they are; alone, each has an error of its own.
    left = [path for path in paths if path not in deleted]
    try:
        while left:
            with suppress(FileNotFoundError):
                call(fs, "rm_file", left[0])
            del left[0]
    except Exception as e:  # noqa: BLE001 - as above; those after it are not tried
        yield from ((path, e) for path in left)
