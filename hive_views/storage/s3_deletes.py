"""Deleting many files of one bucket of S3 by few requests, and learning which of them are left.

What lives here: the request, and its answer. What must not: locations, errors of ours (files.py).

s3fs has a verb for many, and drops what the server says of those that it has refused to delete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# As many as a DeleteObjects request takes.
_AT_ONCE = 1000


class RefusedError(Exception):
    """What S3 says of one of many files, in the form in which its client says it of one alone."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('Code')}: {error.get('Message')}")
        self.response = {"Error": error}


def delete_together(fs: Any, paths: Sequence[str]) -> Iterator[tuple[str, Exception]]:
    """Delete files of one bucket, missing ones too; gives those that are left, each with what was said of it."""
    for start in range(0, len(paths), _AT_ONCE):
        several = paths[start : start + _AT_ONCE]
        by_key = {path.partition("/")[2]: path for path in several}
        try:
            answer = _deleted(fs, several[0].partition("/")[0], by_key)
        except Exception as e:  # noqa: BLE001 - whatever the client raises is of all of these
            yield from ((path, e) for path in several)
            continue
        yield from ((by_key[one["Key"]], RefusedError(one)) for one in answer.get("Errors", ()))


def _deleted(fs: Any, bucket: str, keys: Mapping[str, str]) -> Mapping[str, Any]:
    wanted = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
    return dict(fs.call_s3("delete_objects", Bucket=bucket, Delete=wanted))
