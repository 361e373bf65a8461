"""An embedded metastore: a real Hive 2.3.10 server on Derby, in a directory of the user's."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from hmsclient import HMSClient
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from hive_views.errors import Answer, MetastoreUnavailableError
from hive_views.fork_safe_lock import ForkSafeLock
from hive_views.messages.logs import logger_of
from hive_views.metastore.embedded.home import Home, Record, is_locked, knows_owners_of_connections, lock_directory
from hive_views.metastore.embedded.java import check_user_has_name, find_jars, find_java

_LOG = logger_of(__name__)
_POLL_S = 0.05
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class LocalStatus:
    """What is known of the embedded metastore of a directory; ``pid`` is the server's Java.

    ``for_everybody`` where every user of this machine can use it and acts as its owner, as this system does not
    report whose a connection is.
    """

    running: bool
    uri: str | None
    pid: int | None
    persistent: bool
    for_everybody: bool
    log_path: Path


class LocalMetastore:
    """The embedded metastore of a directory, shared by all processes that use the directory.

    The server is a process of its own. It listens on the loopback interface, on a port that was free, and ends soon
    after the last process that uses it has closed it or died, unless it was started with ``persistent=True``. Locks
    that clients left behind expire after 150 seconds without a heartbeat.

    Whatever it does, it does as the user who started it, without asking for a password. So it answers that user and
    root only, on Linux, where the kernel reports whose a connection is. **On other systems every user of the machine
    who finds its port acts as its owner**, down to deleting directories: do not start it there beside users you do not
    trust. A warning says so.

    Args:
        path: the directory; created when missing. It holds the database (``derby``), the ``warehouse`` and the log.
        settings: Hive settings of the server over its own; those of the process that really starts it count.

    As a context manager it is started on entry and closed on exit.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        settings: Mapping[str, str] | None = None,
        start_timeout_s: float = 120.0,
        end_timeout_s: float = 30.0,
    ) -> None:
        self._home = Home(Path(path).expanduser().resolve())
        self._settings = dict(settings or {})
        self._start_timeout_s = start_timeout_s
        self._end_timeout_s = end_timeout_s
        self._mutex = ForkSafeLock()
        self._use: int | None = None
        self._record: Record | None = None

    @property
    def path(self) -> Path:
        return self._home.path

    @property
    def exists(self) -> bool:
        """Whether there is a metastore in the directory, running or not; ``start`` creates one if there is none."""
        return self._home.derby.is_dir()

    @property
    def uri(self) -> str | None:
        """Where the server answers, once ``start`` has returned."""
        return self._record.uri if self._record else None

    @property
    def pid(self) -> int | None:
        """The process id of the server's Java, once ``start`` has returned."""
        return self._record.pid if self._record else None

    def start(self, *, persistent: bool = False) -> str:
        """Use the server of this directory, starting it when none runs; returns its ``thrift://`` URI.

        ``persistent`` makes the server stay until ``stop``, also one that was already running. Calling it again is
        harmless, and finds the new server when the old one was killed.

        Raises:
            InvalidInputError: the path is a file.
            UnsupportedFeatureError: no suitable Java or PySpark, a user without a name, or a file system without locks.
            MetastoreUnavailableError: the server did not start (the message ends with the end of its log,
                ``log_path``), or it is another user's.
        """
        with self._mutex:
            self._home.prepare()
            deadline = time.monotonic() + self._start_timeout_s
            if self._use is None:
                self._use = self._use_server(deadline)
            try:
                self._record = self._running_server(deadline)
            except BaseException:
                self._leave()
                raise
            if persistent:
                self._home.keep.touch()
            return self._record.uri

    def close(self) -> None:
        """Stop using the server. If no one else uses it, it has ended when this returns."""
        with self._mutex:
            if self._use is None:
                return
            self._leave()
            if not self._wait_until(lambda: self._has_ended() or self._is_used() or self._home.keep.exists()):
                _LOG.warning(
                    "The metastore in %s is still running %g s after its last user left.",
                    self.path,
                    self._end_timeout_s,
                )

    def stop(self) -> None:
        """End the server of this directory for everybody, also one started with ``persistent=True``.

        Raises:
            MetastoreUnavailableError: it did not end.
        """
        with self._mutex:
            self._leave()
            if not self._home.derby.is_dir():
                return
            if is_locked(self._home.derby, fcntl.LOCK_SH):
                self._home.stop.touch()
            if not self._wait_until(self._has_ended):
                pid = self.status().pid
                raise MetastoreUnavailableError(
                    f"The metastore in {self.path} did not stop within {self._end_timeout_s:g} s. Stop its Java "
                    f"yourself (process {pid}).",
                    location=str(self.path),
                )

    def status(self) -> LocalStatus:
        """Whether a server runs for this directory, started by whomever, and where. Starts nothing."""
        record = self._live_record()
        return LocalStatus(
            running=record is not None,
            uri=record.uri if record else None,
            pid=record.pid if record else None,
            persistent=record is not None and self._home.keep.exists(),
            for_everybody=record is not None and not knows_owners_of_connections(),
            log_path=self._home.log,
        )

    def __enter__(self) -> LocalMetastore:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _use_server(self, deadline: float) -> int:
        # Refused while a server without users is about to end: wait until it has, so that it cannot vanish under us.
        use = _poll(lambda: lock_directory(self._home.warehouse, fcntl.LOCK_SH), deadline)
        if use is None:
            raise self._failure("The previous server does not stop")
        return use

    def _running_server(self, deadline: float) -> Record:
        launched = False
        while time.monotonic() < deadline:
            with self._locks_of_server() as locks:
                if locks is not None:
                    if launched:
                        raise self._failure("The server ended while it started")
                    self._launch(*locks)
                    launched = True
            record = self._live_record()
            if record and _answers(record):
                return record
            if record:
                self._refuse_if_it_is_of_another_user()
            time.sleep(_POLL_S)
        if not launched and not is_locked(self._home.derby, fcntl.LOCK_SH):
            raise self._failure(f"Another program holds a lock of {self.path}")
        raise self._failure(f"The server did not respond within {self._start_timeout_s:g} s")

    @contextmanager
    def _locks_of_server(self) -> Iterator[tuple[int, int] | None]:
        """Both locks that a server process needs; None while a server holds one, or for an instant a client's probe.

        They are taken here, where a refusal costs one more round, and handed to the server process: it has no
        attempt of its own that a client's probe (``_live_record``) could make fail.
        """
        with ExitStack() as stack:
            taken: list[int] = []
            for directory in (self._home.derby, self._home.path):
                lock = lock_directory(directory, fcntl.LOCK_EX)
                if lock is None:
                    if taken:
                        _LOG.debug("Waiting for the lock of %s.", directory)
                    yield None
                    return
                stack.callback(os.close, lock)
                taken.append(lock)
            yield taken[0], taken[1]

    def _live_record(self) -> Record | None:
        home = self._home
        return home.read_record() if home.path.is_dir() and is_locked(home.path, fcntl.LOCK_SH) else None

    def _refuse_if_it_is_of_another_user(self) -> None:
        try:
            owner = self._home.record.stat().st_uid
        except FileNotFoundError:
            return
        if knows_owners_of_connections() and os.geteuid() not in (owner, 0):
            raise MetastoreUnavailableError(
                f"The metastore in {self.path} was started by another user (uid {owner}), and answers that user and "
                f"root only. Use a directory of your own, or a metastore that many share.",
                answer=Answer.NOT_SENT,
                location=str(self.path),
            )

    def _launch(self, derby_lock: int, home_lock: int) -> None:
        """Start the server process, which takes over both locks."""
        # First of all: while the locks are held, others take the record of a former server for this one.
        self._home.clear()
        java, jars = find_java(), find_jars()
        check_user_has_name()
        if not knows_owners_of_connections():
            _LOG.warning(
                "Every user of this machine who finds the port of the metastore in %s can act as you there: this "
                "system does not report who owns a connection.",
                self.path,
            )
        arguments = [self.path, java, jars, derby_lock, self._start_timeout_s, json.dumps(self._settings)]
        # The server finds this package and PySpark where this process does.
        import_path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
        with self._home.log.open("wb") as log:
            subprocess.run(  # noqa: S603 - this interpreter, this package
                [sys.executable, "-m", "hive_views.metastore.embedded.server_process", *map(str, arguments)],
                check=True,
                cwd=self.path,
                env={**os.environ, "PYTHONPATH": import_path},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=[derby_lock, home_lock],
            )

    def _leave(self) -> None:
        if self._use is not None:
            os.close(self._use)
        self._use = self._record = None

    def _is_used(self) -> bool:
        # An exclusive lock is refused both by users and by a server that is about to end; a shared one only by it.
        warehouse = self._home.warehouse
        return is_locked(warehouse, fcntl.LOCK_EX) and not is_locked(warehouse, fcntl.LOCK_SH)

    def _has_ended(self) -> bool:
        lock = lock_directory(self._home.derby, fcntl.LOCK_EX)
        if lock is None:
            return False
        self._home.clear()
        os.close(lock)
        return True

    def _wait_until(self, condition: Callable[[], bool]) -> bool:
        return _poll(lambda: condition() or None, time.monotonic() + self._end_timeout_s) is not None

    def _failure(self, what: str) -> MetastoreUnavailableError:
        return MetastoreUnavailableError(
            f"Cannot start the metastore in {self.path}. {what}. The end of {self._home.log}:\n{self._home.log_tail()}",
            answer=Answer.NOT_SENT,
            location=str(self.path),
        )


def _poll(find: Callable[[], _Found | None], deadline: float) -> _Found | None:
    while (found := find()) is None and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return found


def _answers(record: Record) -> bool:
    """Whether the server of this record answers a call: another program may have its port now."""
    socket = TSocket("127.0.0.1", record.port)
    socket.setTimeout(5_000)
    protocol = TBinaryProtocol(TBufferedTransport(socket), string_length_limit=1_000)
    try:
        with HMSClient(protocol) as client:
            return bool(client.getName() == record.token)
    except (TException, OSError):
        return False
