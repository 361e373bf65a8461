"""The fsspec file systems that this library uses: instances of its own, which cache no listings.

fsspec shares file systems within a process, and those of object stores cache every listing for ever: once a directory
has been listed, a newer file in it does not seem to exist, and a deleted one does.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping
from typing import Any

import fsspec
from fsspec.asyn import AsyncFileSystem
from fsspec.utils import tokenize

from hive_views.errors import InvalidInputError
from hive_views.storage.object_stores import options_at

# Hadoop's names for file systems that fsspec knows under one name.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "wasb": "abfs", "wasbs": "abfs", "abfss": "abfs"}
_HADOOP = ("hdfs", "viewfs")
# Who reads them: pyarrow by Hadoop's native library, or the NameNodes over HTTP.
_LIBHDFS, _WEBHDFS = "libhdfs", "webhdfs"
_HOW_WITHOUT_LIBRARY = "WebHDFS: storage_options = {'hdfs': 'webhdfs'}"
# How a user may want fsspec to share, list or run; not for us to take over.
_NOT_TAKEN = frozenset(
    ("asynchronous", "listings_expiry_time", "loop", "max_paths", "skip_instance_cache", "use_listings_cache")
)
# Four tries of botocore for each of s3fs, whose own are nested for a read: five there are 25 time-outs, or 75. Under a
# lasting 503 a write ends after ten seconds or so, under lasting silence a read after four minutes.
_S3_RETRIES = {"mode": "standard", "max_attempts": 3}
_S3FS_TRIES = 2
_REQUESTER_PAYS = {"RequestPayer": "requester"}

_Key = tuple[int, int, str, str]
_open: dict[_Key, Any] = {}
# One for each, since some connect when they are opened; a key holds the process, so that a child of a fork waits for no
# thread of its parent.
_opening: dict[_Key, threading.Lock] = {}


class FileSystems:
    """The file systems of some options; thread-safe, and safe after a fork.

    Args:
        options: passed to fsspec for every location, but for those about its own caches and event loops.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = dict(options)
        _by_webhdfs(self._options.get("hdfs", _LIBHDFS))

    def open(self, location: str) -> tuple[Any, str]:
        """The file system of a location, and its path there.

        Raises:
            Whatever fsspec and the clients of storages raise.
        """
        here = options_at(location, self._options)
        given = {name: value for name, value in here.items() if name not in _NOT_TAKEN}
        by_webhdfs = _by_webhdfs(given.pop("hdfs", _LIBHDFS))
        location = _as_fsspec_knows(location)
        protocol = fsspec.core.split_protocol(location)[0] or "file"
        if "::" in location:
            fs, path = fsspec.core.url_to_fs(location, **given, skip_instance_cache=True)
            return _without_listings(fs), str(path)
        kind = _kind(protocol, by_webhdfs=by_webhdfs)
        options = {**given, **kind._get_kwargs_from_urls(location)}  # noqa: SLF001 - as url_to_fs does
        if protocol == "viewfs" and not by_webhdfs:
            # To pyarrow a host alone is one of hdfs.
            options["host"] = f"viewfs://{options.get('host', '')}"
        if protocol == "s3":
            configured = options.get("config_kwargs", {})
            # A copy, since botocore changes them: with other options, the next request would be of another client.
            options["config_kwargs"] = {**configured, "retries": dict(configured.get("retries", _S3_RETRIES))}
            if options.get("requester_pays"):
                # s3fs says it when it reads and lists, S3 wants to be told when a file is written or deleted too.
                options["s3_additional_kwargs"] = {**_REQUESTER_PAYS, **(options.get("s3_additional_kwargs") or {})}
        try:
            fs = _opened(kind, protocol, options)
        except (ImportError, OSError) as e:
            if protocol not in _HADOOP or by_webhdfs:
                raise
            # It lists every place where it has looked.
            said = str(e).partition("\n")[0].rstrip(".")
            raise OSError(f"{said}. Without Hadoop's native library, use {_HOW_WITHOUT_LIBRARY}") from e
        return fs, str(kind._strip_protocol(location))  # noqa: SLF001


def _kind(protocol: str, *, by_webhdfs: bool) -> Any:
    if protocol != "webhdfs" and not (protocol in _HADOOP and by_webhdfs):
        return fsspec.get_filesystem_class("hdfs" if protocol in _HADOOP else protocol)
    try:
        from hive_views.storage.webhdfs import WebHdfs  # noqa: PLC0415 - an extra
    except ImportError as e:
        raise ImportError(f'{e}. pip install "hive_views[webhdfs]"') from e
    return WebHdfs


def _by_webhdfs(option: Any) -> bool:
    if option not in (_LIBHDFS, _WEBHDFS):
        raise InvalidInputError(
            f"Cannot use storage_options.hdfs = {option!r}: it is {_LIBHDFS!r}, which is the default, or {_WEBHDFS!r}."
        )
    return bool(option == _WEBHDFS)


def _opened(kind: Any, protocol: str, options: Mapping[str, Any]) -> Any:
    if not kind.cachable:
        return _without_listings(kind(**options))
    # Connections do not outlive a fork, and those of FTP, SFTP and SMB serve one thread, as in fsspec's own cache.
    thread = 0 if kind.async_impl or getattr(kind, "serves_all_threads", False) else threading.get_ident()
    key = (os.getpid(), thread, protocol, tokenize(sorted(options.items(), key=str)))
    with _opening.setdefault(key, threading.Lock()):
        if key not in _open:
            _open[key] = _without_listings(kind(**options, skip_instance_cache=True))
        return _open[key]


def _without_listings(fs: Any) -> Any:
    """The file system, told that it and those below it keep no listings, and give up in time.

    Not every constructor takes the option: that of SFTP would pass it on to the server's client.
    """
    one = fs
    while one is not None:
        cache = getattr(one, "dircache", None)
        if cache is not None:
            cache.clear()
            cache.use_listings_cache = False
        if hasattr(one, "call_s3"):
            one.retries = _S3FS_TRIES
        one = getattr(one, "fs", None)
    return fs


def _leave_to_the_parent() -> None:
    """In a child of a fork: at its exit, close no file system of its parent.

    That waits for the parent's event loop, which has no thread here: adlfs without end, s3fs for seconds.
    """
    for closing in list(weakref.finalize._registry):  # type: ignore[attr-defined]  # noqa: SLF001 - no other list
        found = closing.peek()
        if found is not None and isinstance(found[0], AsyncFileSystem):
            closing.detach()


# Windows has no forks.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)


def _as_fsspec_knows(location: str) -> str:
    scheme, separator, rest = location.partition(":")
    # One letter is a drive.
    if not separator or not rest.startswith("/") or len(scheme) < 2:
        return location
    scheme = scheme.lower()
    # Hadoop writes a URI without a host with one slash.
    return f"{_SCHEMES.get(scheme, scheme)}:{rest if rest.startswith('//') else f'//{rest}'}"
