"""Who may use an embedded metastore: its owner and root, and no other user of the machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from hmsclient import HMSClient
from hmsclient.genthrift.hive_metastore.ttypes import Database
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from hive_views.cli.commands.metastore_command import metastore as metastore_command
from hive_views.cli.shell.invocation import Invocation
from hive_views.metastore.embedded import home
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from tests.support.processes.another_user import NAMELESS, NOBODY, run_as, run_installed_as

pytestmark = [pytest.mark.usefixtures("java"), pytest.mark.peer("root")]

START = """
import sys
from hive_views.metastore.embedded.local_metastore import LocalMetastore
print(LocalMetastore(sys.argv[1]).start(persistent=True))
"""

ASK = """
import socket
family, host = (socket.AF_INET6, "::ffff:127.0.0.1") if sys.argv[2] == "IPv6" else (socket.AF_INET, "127.0.0.1")
become()
with socket.socket(family) as client:
    client.settimeout(60)
    client.connect((host, int(sys.argv[1])))
    client.sendall(bytes.fromhex(sys.argv[3]))
    try:
        print(len(client.recv(1000)))
    except ConnectionResetError:
        print(0)
"""

ASK_AND_RUN = """
import socket
become()
for request in sys.argv[2:]:
    with socket.socket() as client:
        client.connect(("127.0.0.1", int(sys.argv[1])))
        client.sendall(bytes.fromhex(request))
"""


@pytest.fixture(scope="module")
def of_nobody(java: Path) -> Iterator[LocalMetastore]:
    """A server that the user ``nobody`` has started."""
    # Not below pytest's directory, which root alone may enter.
    with TemporaryDirectory() as home:
        os.chown(home, NOBODY, NOBODY)
        started = run_installed_as(NOBODY, START, home)
        assert started.returncode == 0, started.stderr
        server = LocalMetastore(home)
        server.start()
        yield server
        server.stop()


def port_of(server: LocalMetastore) -> int:
    port = urlsplit(server.uri or "").port
    assert port
    return port


def request(method: str, *arguments: object) -> str:
    """The bytes of a call."""
    buffer = TMemoryBuffer()
    getattr(HMSClient(TBinaryProtocol(buffer)), f"send_{method}")(*arguments)
    return str(buffer.getvalue().hex())


@pytest.mark.parametrize("protocol", ["IPv4", "IPv6"])
def test_owner_and_root_are_answered_and_nobody_else(of_nobody: LocalMetastore, protocol: str) -> None:
    """Java connects by sockets of IPv6, which the kernel lists elsewhere."""
    asked = {uid: run_as(uid, ASK, port_of(of_nobody), protocol, request("getName")) for uid in (NOBODY, 0, NAMELESS)}
    assert {uid: ended.stderr for uid, ended in asked.items()} == {NOBODY: "", 0: "", NAMELESS: ""}
    answers = {uid: int(ended.stdout) for uid, ended in asked.items()}
    assert answers[NOBODY] == answers[0] > 0
    assert answers[NAMELESS] == 0
    assert f"Refused user {NAMELESS} at /127.0.0.1" in of_nobody.status().log_path.read_text()


def test_a_request_of_somebody_who_is_gone_before_it_is_read_is_not_carried_out(of_nobody: LocalMetastore) -> None:
    """What is left of a closed connection belongs to user 0 in the kernel's table."""
    log = of_nobody.status().log_path
    before = log.read_text().count("Refused")
    names = [f"made_by_a_stranger_{number}" for number in range(50)]
    requests = [request("create_database", Database(name=name)) for name in names]
    ended = run_as(NAMELESS, ASK_AND_RUN, port_of(of_nobody), *requests)
    assert ended.returncode == 0, ended.stderr
    deadline = time.monotonic() + 60
    while log.read_text().count("Refused") < before + len(names):
        assert time.monotonic() < deadline, log.read_text()[-2000:]
        time.sleep(0.05)
    with HMSClient(host="127.0.0.1", port=port_of(of_nobody)) as root:
        assert root.get_all_databases() == ["default"]


def test_a_server_of_another_user_is_reported_at_once(of_nobody: LocalMetastore) -> None:
    began = time.monotonic()
    ended = run_installed_as(NAMELESS, START, of_nobody.path)
    assert f"was started by another user (uid {NOBODY}), and answers that user and root only" in ended.stderr
    assert time.monotonic() - began < 60


def test_a_user_without_a_name_learns_what_the_server_needs(tmp_path: Path) -> None:
    ended = run_installed_as(NAMELESS, START, tmp_path / "home")
    assert f"cannot run as user {NAMELESS}" in ended.stderr
    assert "/etc/passwd" in ended.stderr


def test_a_machine_that_does_not_report_whose_a_connection_is_is_reported(
    of_nobody: LocalMetastore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert not of_nobody.status().for_everybody
    monkeypatch.setattr(home, "_CONNECTIONS", tmp_path / "no such table")
    assert of_nobody.status().for_everybody
    shown = CliRunner().invoke(metastore_command, ["status", str(of_nobody.path)], obj=Invocation())
    assert "Every user of this machine who finds its port has the access of its owner." in shown.stdout
    with LocalMetastore(tmp_path / "home"):
        assert "can act as you there" in caplog.text
