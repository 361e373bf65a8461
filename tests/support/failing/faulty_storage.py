"""A file system that fails when a test says so: ``faulty://`` for fsspec."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

from tests.support.failing.faulty_metastore import Killed

Fault = Callable[["FaultyFileSystem", str, bytes], object]


class FaultyFileSystem(MemoryFileSystem):  # type: ignore[misc]
    """Files in memory; the next calls of an operation go through the faults set for it.

    The operations are connect, write, read, delete, list and look.
    """

    protocol = "faulty"
    cachable = False
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    faults: ClassVar[dict[str, deque[Fault]]] = defaultdict(deque)
    is_dead: ClassVar[bool] = False
    """Whether whoever uses this was killed: nothing that is still called in its name reaches the storage."""
    on_call: ClassVar[Callable[[str], object] | None] = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._faulted("connect", "")
        super().__init__(*arguments, **options)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("faulty://", "memory://", 1)))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        if not self._faulted("write", path, value):
            super().pipe_file(path, value, mode=mode, **kwargs)

    def put_file(self, lpath: str, rpath: str, *arguments: Any, mode: str = "overwrite", **kwargs: Any) -> None:
        self.pipe_file(rpath, Path(lpath).read_bytes(), mode=mode)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        self._faulted("read", path)
        return bytes(super().cat_file(path, start=start, end=end, **kwargs))

    def rm_file(self, path: str) -> None:
        if not self._faulted("delete", path):
            super().rm_file(path)

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> Any:
        self._faulted("list", path)
        return super().ls(path, detail=detail, **kwargs)

    def info(self, path: str, **kwargs: Any) -> Any:
        self._faulted("look", path)
        return super().info(path, **kwargs)

    @classmethod
    def on(cls, operation: str, fault: Callable[[Callable[[], object]], object], *, after: int = 0) -> None:
        """A call of ``operation``, when ``after`` more have passed, goes through ``fault``, which may run it."""

        def passing(fs: FaultyFileSystem, path: str, value: bytes) -> object:
            return fs._really(operation, path, value)

        def faulted(fs: FaultyFileSystem, path: str, value: bytes) -> object:
            return fault(lambda: fs._really(operation, path, value))

        cls.faults[operation].extend([passing] * after + [faulted])

    @classmethod
    def clear(cls) -> None:
        """All faults are over, and who was dead is succeeded by somebody else."""
        cls.faults.clear()
        cls.is_dead = False

    @classmethod
    @contextmanager
    def reporting_calls(cls, on_call: Callable[[str], object]) -> Iterator[None]:
        """Report each operation."""
        cls.on_call = on_call
        try:
            yield
        finally:
            cls.on_call = None

    def _really(self, operation: str, path: str, value: bytes) -> object:
        if operation == "write":
            return MemoryFileSystem.pipe_file(self, path, value, mode="create")
        assert operation == "delete"
        return MemoryFileSystem.rm_file(self, path)

    def _faulted(self, operation: str, path: str, value: bytes = b"") -> bool:
        if self.is_dead:
            raise Killed
        if FaultyFileSystem.on_call is not None:
            FaultyFileSystem.on_call(operation)
        faults = self.faults[operation]
        if not faults:
            return False
        faults.popleft()(self, path, value)
        return True


fsspec.register_implementation("faulty", FaultyFileSystem, clobber=True)


@contextmanager
def failing(operation: str, fault: Fault, *, times: int = 1) -> Iterator[None]:
    """The next calls of ``operation`` fail; that they really came is checked at the end."""
    FaultyFileSystem.faults[operation].extend([fault] * times)
    try:
        yield
        assert not FaultyFileSystem.faults[operation], f"no {operation} came that could have failed"
    finally:
        FaultyFileSystem.faults.clear()


def broken(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """It fails before anything is done."""
    raise OSError(5, "Input/output error", path)


def silent(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """It fails with an exception of Python's own that says nothing."""
    raise OSError


def half_done(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """It stops half way: the first half of the file is there."""
    MemoryFileSystem.pipe_file(fs, path, value[: len(value) // 2])
    raise OSError(28, "No space left on device", path)


def done_but_not_reported(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """All of it is there, and the answer is lost."""
    MemoryFileSystem.pipe_file(fs, path, value)
    raise TimeoutError("the storage did not answer")


def repeated(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """The client sent the request twice, as those of object stores do, and the second one meets the first."""
    MemoryFileSystem.pipe_file(fs, path, value)
    raise FileExistsError(path)


class ForeignClientError(Exception):
    """What a client of some storage raises, which is no OSError."""


def foreign(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    raise ForeignClientError("AccessDenied")
