"""Atomic reads and writes of whole files: a name has either the complete new file or what it had before."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Iterable, Mapping
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Any

from fsspec.asyn import AsyncFileSystem, sync
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random_exponential

from hive_views.errors import AlreadyExistsError
from hive_views.messages.remedy import Remedy
from hive_views.storage.client_errors import is_conflict

LONGEST_CALL_S = 600.0
"""For how long a whole file is read or written at most, with all repeats; those of clients end earlier."""
_COPIED_AT_ONCE = 1 << 20
# fsspec renames over what has the name, in one step (posix-rename@openssh.com).
_RENAMES_OVER = frozenset(("sftp", "ssh"))
# Object stores, whose directories are only prefixes of names.
_WITHOUT_DIRECTORIES = frozenset(("s3", "gs", "gcs", "abfs", "az"))


def has_directories(fs: Any) -> bool:
    """Whether the storage has real directories, and not only prefixes of names."""
    return _WITHOUT_DIRECTORIES.isdisjoint(protocols_of(fs))


def make_directory(fs: Any, directory: str) -> None:
    """Create a directory, and those above it that are missing."""
    # On an object store this would create the bucket, also after a typing error.
    if has_directories(fs) and not getattr(fs, "makes_parents", False):
        fs.makedirs(directory, exist_ok=True)


def call(fs: Any, method: str, *arguments: Any, timeout_s: float | None = None, **options: Any) -> Any:
    """What a method of a file system returns.

    fsspec returns None for a request that was cancelled, as those are that wait for a connection when a process ends: a
    file would count as written that nobody has sent.

    Clients bound each silence, and no call as a whole: ``timeout_s`` ends those whose answers come byte by byte, where
    the client runs on an event loop.

    Raises:
        RuntimeError: it was cancelled.
        Whatever the storage raises.
    """
    if not isinstance(fs, AsyncFileSystem):
        return getattr(fs, method)(*arguments, **options)

    async def answered() -> tuple[Any]:
        return (await getattr(fs, f"_{method}")(*arguments, **options),)

    answer = sync(fs.loop, answered, timeout=timeout_s)
    if answer is None:
        raise RuntimeError("the client was closed before it had an answer, as at the end of a process")
    return answer[0]


def read_whole(fs: Any, path: str) -> bytes:
    """The content of a file, in one request."""
    reader = getattr(fs, "_cat_file", None)
    # Without it s3fs (from 2026 on) asks for the size first.
    one_request = {"max_concurrency": 1} if reader and "max_concurrency" in signature(reader).parameters else {}
    return bytes(call(fs, "cat_file", path, timeout_s=LONGEST_CALL_S, **one_request))


@retry(
    retry=retry_if_exception(is_conflict),
    stop=stop_after_attempt(5),
    wait=wait_random_exponential(0.1, 2),
    reraise=True,
)
def write_again(fs: Any, method: str, *arguments: Any, **options: Any) -> None:
    """Call a method that writes a file; of two writers of one name at once S3 refuses both, with the advice to repeat.

    Raises:
        Whatever the storage raises.
    """
    call(fs, method, *arguments, **options)


def create_whole(fs: Any, path: str, content: bytes) -> None:
    """Write a new file on a storage that is not the local disk.

    Raises:
        FileExistsError: there is one.
        Whatever the storage raises.
    """
    if "hdfs" in protocols_of(fs):
        # pyarrow cannot create a file unless there is one.
        put_and_rename(fs, content, path, overwrite=False)
        return
    write_again(fs, "pipe_file", path, content, timeout_s=LONGEST_CALL_S, mode="create")


def copy_durably(source: Path, path: Path, *, overwrite: bool) -> None:
    """Copy a local file to another local place; when this returns it is on the disk.

    Raises:
        FileExistsError: there is one, and ``overwrite`` is not set.
        OSError: it cannot be written; what was there before is unchanged.
    """
    part = Path(_beside(str(path), ".{}.part"))
    try:
        with source.open("rb") as content, part.open("xb") as file:
            shutil.copyfileobj(content, file, _COPIED_AT_ONCE)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            part.replace(path)
        else:
            _rename_to_new(part, path)
    finally:
        part.unlink(missing_ok=True)
    _sync_directories(path.parent, ())


def _rename_to_new(part: Path, path: Path) -> None:
    try:
        path.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:
        # Not every file system has links, and renaming replaces an existing file.
        if path.exists():
            raise FileExistsError(str(path)) from None
        part.rename(path)


def put_and_rename(fs: Any, source: Path | bytes, path: str, *, overwrite: bool) -> None:
    """Copy bytes or a local file to a storage under another name first, and rename it when all of it is there.

    Raises:
        FileExistsError: there is one, and ``overwrite`` is not set.
        Whatever the storage raises: what was there before is there, or beside it as ``NAME.<process>.old``.
    """
    part = _beside(path, ".{}.part")
    try:
        if isinstance(source, Path):
            call(fs, "put_file", str(source), part)
        else:
            call(fs, "pipe_file", part, source)
        sent = source.stat().st_size if isinstance(source, Path) else len(source)
        arrived = (_info(fs, part) or {}).get("size")
        if arrived is not None and arrived != sent:
            raise OSError(f"{arrived:,} of {sent:,} bytes arrived")
        there = _type_of(fs, path)
        if there == "directory":
            raise IsADirectoryError(path)
        if there and not overwrite:
            # Somebody wrote it since this began.
            raise FileExistsError(path)
    except BaseException:
        _remove(fs, part)
        raise
    try:
        if not overwrite:
            _rename_to_unused(fs, part, path)
        elif there is None or _RENAMES_OVER.intersection(protocols_of(fs)):
            fs.mv(part, path)
        else:
            _rename_past(fs, part, path)
    except FileExistsError:
        _remove(fs, part)
        raise
    except Exception as e:
        raise OSError(f"it was written as {part}, and cannot be renamed: {e}") from e


def _rename_to_unused(fs: Any, part: str, path: str) -> None:
    # That of SFTP refuses a name that is taken, and fsspec's replaces it. Elsewhere nothing but a look is to be had.
    is_sftp = _RENAMES_OVER.intersection(protocols_of(fs)) and hasattr(fs, "ftp")
    try:
        (fs.ftp.rename if is_sftp else fs.mv)(part, path)
    except Exception:
        if _type_of(fs, part) and _type_of(fs, path):
            raise FileExistsError(path) from None
        raise


def _rename_past(fs: Any, part: str, path: str) -> None:
    """Put a file in the place of another, which is kept until the new one has its name."""
    # What a process that was killed has left under such a name may be the only one.
    names = (_beside(path, f"{{}}-{number}.old") for number in count(1))
    former = next(name for name in names if _type_of(fs, name) is None)
    # Somebody else may be doing the same.
    with contextlib.suppress(FileNotFoundError):
        fs.mv(path, former)
    try:
        fs.mv(part, path)
    except BaseException:
        with contextlib.suppress(Exception):
            fs.mv(former, path)
        raise
    _remove(fs, former)


def _type_of(fs: Any, path: str) -> str | None:
    """What kind of entry has a name now; None for none."""
    found = _info(fs, path)
    return None if found is None else str(found["type"])


def _info(fs: Any, path: str) -> Mapping[str, Any] | None:
    try:
        return dict(call(fs, "info", path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _remove(fs: Any, path: str) -> None:
    with contextlib.suppress(Exception):
        call(fs, "rm_file", path)


def _beside(path: str, name: str) -> str:
    """Another path in the same directory, used by this thread only."""
    directory, _, of_file = path.rpartition("/")
    return f"{directory}/{name.format(f'{of_file}.{os.getpid()}-{threading.get_ident()}')}"


def protocols_of(fs: Any) -> tuple[str, ...]:
    """The names of a file system of fsspec."""
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def write_durably(path: Path, content: bytes) -> None:
    """Write a new local file; when this returns it is on the disk.

    Raises:
        FileExistsError: there is one.
        OSError: it cannot be written; nothing of it is left.
    """
    missing = _make_directories(path.parent)
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
    _sync_directories(path.parent, missing)


def _make_directories(directory: Path) -> list[Path]:
    """Create a directory; returns those that were missing, the innermost first."""
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing


def _sync_directories(directory: Path, made: Iterable[Path]) -> None:
    """A new name is durable only when its directory is, and a new directory only when its parent is."""
    for each in (directory, *(one.parent for one in made)):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_exists(location: str) -> AlreadyExistsError:
    """The error for an existing file that must not be replaced."""
    remedy = Remedy(in_python="overwrite=True replaces it.", in_shell="With --overwrite it is replaced.")
    return AlreadyExistsError(f"The file {location} already exists.", remedy=remedy, location=location)
