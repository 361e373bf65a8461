"""File systems that rename as SFTP and HDFS (by pyarrow) do: ``sftp://`` and ``hdfs://`` for fsspec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import _registry

from tests.support.failing.faulty_metastore import Killed


class RenamingFileSystem(MemoryFileSystem):  # type: ignore[misc]
    """Files in memory that a rename moves in one step; ``mv`` replaces what has the name, as that of SFTP does."""

    protocol: ClassVar[Any] = ("sftp", "ssh")
    cachable = False
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    loses: ClassVar[int] = 0
    """How many bytes of a file do not arrive, without an error."""
    before: ClassVar[Callable[[str], object]] = staticmethod(lambda _: None)
    """Called before each step that changes something, with its name."""

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace(f"{path.partition('://')[0]}://", "memory://", 1)))

    @property
    def ftp(self) -> RenamingFileSystem:
        return self

    def rename(self, old: str, new: str) -> None:
        """Of SFTP itself; it refuses a name that is taken, and does not say why."""
        self._step("rename")
        if new in self.store:
            raise OSError("Failure")
        self.store[new] = self.store.pop(old)

    def mv(self, old: str, new: str, **_: Any) -> None:
        self._step("mv")
        self.store[new] = self.store.pop(old)

    def put_file(self, lpath: str, rpath: str, *arguments: Any, **options: Any) -> None:
        self._step("put")
        super().put_file(lpath, rpath, *arguments, **options)
        if self.loses:
            super().pipe_file(rpath, self.cat_file(rpath)[: -self.loses])

    def rm_file(self, path: str) -> None:
        self._step("rm")
        super().rm_file(path)

    @classmethod
    def _step(cls, name: str) -> None:
        cls.before(name)


class HdfsFileSystem(RenamingFileSystem):
    """As pyarrow's: a file is deleted before another gets its name, and none is created only if it is new."""

    protocol = "hdfs"

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        if mode == "xb":
            raise ValueError(f"unsupported mode for Arrow filesystem: {mode!r}")
        return super()._open(path, mode, **options)

    def mv(self, old: str, new: str, **_: Any) -> None:
        self._step("mv")
        if old not in self.store:
            raise FileNotFoundError(old)
        if self.store.pop(new, None):
            self._step("mv")
        self.store[new] = self.store.pop(old)


KINDS = {"sftp": RenamingFileSystem, "hdfs": HdfsFileSystem}


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have fsspec open these for their protocols, with nothing in them."""
    for name, kind in KINDS.items():
        monkeypatch.setitem(_registry, name, kind)
    monkeypatch.setattr(RenamingFileSystem, "store", {})
    monkeypatch.setattr(RenamingFileSystem, "pseudo_dirs", [""])
    monkeypatch.setattr(RenamingFileSystem, "loses", 0)


class Killing:
    """From a step on, the process does nothing any more."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, _: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed
