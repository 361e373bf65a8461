"""Engines over TLS: only a server with a trusted certificate gets anything, and so the password."""

from __future__ import annotations

import gc
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from hive_views.engines.address import read_address
from hive_views.engines.hive_engine import hive_at
from hive_views.engines.trino_engine import trino_at
from hive_views.errors import UnavailableError
from tests.support.processes.certificates import self_signed

TIMEOUT_S = 20.0


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT_S)
        yield server


def _received(server: socket.socket, certificate: Path, key: Path) -> bytes:
    """What the first client sends after its handshake; nothing if it does not trust the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    connection, _ = server.accept()
    connection.settimeout(TIMEOUT_S)
    with connection:
        try:
            with context.wrap_socket(connection, server_side=True) as encrypted:
                sent = encrypted.recv(1000)
                encrypted.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return sent
        except OSError:
            return b""


# The client of Hive leaves a socket to be collected whose server does not speak SASL: it is, before the next test.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize(("kind", "path", "first"), [("hive", "", b"PLAIN"), ("trino", "/hive", b"POST /v1/statement")])
def test_only_a_server_with_a_trusted_certificate_is_talked_to(
    listening: socket.socket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    path: str,
    first: bytes,
    *,
    is_trusted: bool,
) -> None:
    for name in ("its", "other"):
        (tmp_path / name).mkdir()
    (its, key), (other, _) = self_signed(tmp_path / "its"), self_signed(tmp_path / "other")
    # The client of Trino is made of one that prefers this to what it is told.
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(other if is_trusted else its))
    trusted = its if is_trusted else other
    port = listening.getsockname()[1]
    address = read_address(f"{kind}://ann:Secret9@127.0.0.1:{port}{path}?tls=true&ca_cert={trusted}")
    with ThreadPoolExecutor(1) as pool:
        received: Future[bytes] = pool.submit(_received, listening, its, key)
        with pytest.raises(UnavailableError) as failed, (hive_at if kind == "hive" else trino_at)(address, TIMEOUT_S):
            pass
        assert (first in received.result()) is is_trusted
    message = str(failed.value)
    del failed
    gc.collect()
    assert "Secret9" not in message
