"""Tests with a small file whether a storage can do what commits need."""

from __future__ import annotations

import contextlib
import uuid

from hive_views.errors import AlreadyExistsError, StorageUnavailableError
from hive_views.storage.client_errors import unavailable
from hive_views.storage.files import Files


def refuses_overwriting(files: Files, directory: str) -> bool:
    """Write a new file, read it back, try to write another one with its name, and delete it.

    Returns:
        Whether the second one was refused, as commits need it to be.

    Raises:
        StorageUnavailableError: one of the four failed, as its message says, or other bytes came back.
    """
    trial = f"{directory.rstrip('/')}/.hive-views-{uuid.uuid4()}"
    try:
        refused = _is_second_refused(files, trial)
    except BaseException:
        # It may have been written although the answer was lost; the first failure is the one to report.
        with contextlib.suppress(StorageUnavailableError):
            files.delete(trial)
        raise
    files.delete(trial)
    return refused


def _is_second_refused(files: Files, trial: str) -> bool:
    files.write(trial, b"1")
    try:
        found = files.read(trial)
    except FileNotFoundError as e:
        raise unavailable("read", trial, e, files.options) from e
    if found != b"1":
        raise StorageUnavailableError(
            f"Cannot read {trial}: b'1' was written, and {found!r} was read back.", location=trial
        )
    try:
        files.write(trial, b"2")
    except AlreadyExistsError:
        return True
    return False
