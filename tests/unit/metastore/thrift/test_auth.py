"""Who we are to a metastore: what is announced, negotiated and encrypted."""

from __future__ import annotations

import socket
import ssl
import struct
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from hive_views.errors import (
    Answer,
    AuthenticationError,
    HiveViewsError,
    InvalidInputError,
    MetastoreUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.metastore import thrift
from hive_views.metastore.thrift import auth as auth_module
from hive_views.metastore.thrift import connection
from hive_views.metastore.thrift._bindings.hms.ttypes import Database
from hive_views.metastore.thrift.auth import TLS, Auth, Kerberos, NoAuth, Plain, os_user
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.failing.scripted_metastore import ScriptedMetastore
from tests.support.failing.wire import PATIENCE_S, LoopbackServer
from tests.support.processes.certificates import self_signed
from tests.unit.metastore.sasl_metastore import SaslMetastore


class _Encrypted(ScriptedMetastore):
    def __init__(self, certificate: tuple[Path, Path], *, asks: bool = False, **answers: object) -> None:
        super().__init__(**answers)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate)
        if asks:
            self._context.verify_mode = ssl.CERT_REQUIRED
            self._context.load_verify_locations(certificate[0])
        self.ended = threading.Event()

    def serve(self, connection: socket.socket) -> None:
        try:
            with self._context.wrap_socket(connection, server_side=True) as self.encrypted:
                wire = TSocket()
                wire.setHandle(self.encrypted)
                self.play(TBufferedTransport(wire))
        finally:
            self.ended.set()


def _names(uri: str, **settings: object) -> list[str]:
    with closing(HiveMetastore(uri, read_timeout_s=5, **settings)) as metastore:  # type: ignore[arg-type]
        return metastore.list_namespaces()


def _error(uri: str, auth: Auth) -> HiveViewsError:
    with pytest.raises(HiveViewsError) as caught:
        _names(uri, auth=auth)
    return caught.value


def test_without_authentication_each_connection_begins_with_the_user_and_groups() -> None:
    with ScriptedMetastore(get_databases=["a"]) as server:
        _names(server.uri, auth=NoAuth("ada", ("staff", "lake")))
        _names(server.uri)
    assert server.calls[0] == ("set_ugi", ("ada", ["staff", "lake"]))
    assert server.calls[2] == ("set_ugi", (os_user(), []))


def test_a_user_without_a_name_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_name() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr(auth_module.getpass, "getuser", no_name)
    assert os_user().isdigit()


def test_a_password_is_in_no_text() -> None:
    auth = Plain("ada", "s3cret")
    assert "s3cret" not in repr(auth)
    metastore = HiveMetastore("thrift://a", auth=auth)
    assert "s3cret" not in repr(metastore)


def test_a_missing_package_is_reported_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", None)
    monkeypatch.delitem(sys.modules, f"{thrift.__name__}.gss", raising=False)
    monkeypatch.delattr(thrift, "gss", raising=False)
    with ScriptedMetastore() as server:
        error = _error(server.uri, Kerberos())
    assert isinstance(error, UnsupportedFeatureError)
    for part in ("pip install 'hive_views[kerberos]'", "libkrb5-dev", "gssapi"):
        assert part in str(error)


@pytest.mark.parametrize("service", ["hive/metastore.example.org", "hive@EXAMPLE.ORG", "hive/_HOST@EXAMPLE.ORG"])
def test_a_whole_principal_is_no_service(service: str) -> None:
    with pytest.raises(InvalidInputError, match="hostname_override"):
        Kerberos(service)


class TestSasl:
    def test_a_password_opens_a_metastore_that_wants_one(self) -> None:
        with SaslMetastore(get_databases=["a", "b"]) as server:
            assert _names(server.uri, auth=Plain("ada", "üs3cret")) == ["a", "b"]
        assert server.methods == ["get_databases"], "the server knows who we are without set_ugi"

    def test_a_write_does_not_fail_over_an_introduced_connection_that_died_in_the_pool(self) -> None:
        server = SaslMetastore(get_databases=["a"], create_database=None)
        with server, closing(HiveMetastore(server.uri, auth=Plain("ada", "üs3cret"))) as metastore:
            for lose in (server.disconnect, server.reset):
                metastore.list_namespaces()
                lose()
                metastore.create_namespace("b")
        assert server.methods == ["get_databases", "create_database"] * 2

    def test_a_server_that_cannot_report_its_name_is_there_all_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "_FRESH_S", 0.0)
        server = SaslMetastore(get_databases=["a"], create_database=None)
        with server, closing(HiveMetastore(server.uri, auth=Plain("ada", "üs3cret"))) as metastore:
            metastore.list_namespaces()
            metastore.create_namespace("b")
        assert server.introductions == 1

    def test_an_answer_of_any_size_is_read(self) -> None:
        """A metastore sends each answer in one frame, and Thrift's own limit for those is 16 MB."""
        text = "x" * (20 << 20)
        server = SaslMetastore(get_database=Database(name="a", locationUri=text))
        with server, closing(HiveMetastore(server.uri, auth=Plain("ada", "üs3cret"))) as metastore:
            assert metastore.load_namespace("a").location == text

    def test_a_wrong_password_is_reported_without_it(self) -> None:
        with SaslMetastore() as server:
            error = _error(server.uri, Plain("ada", "wr0ng"))
        assert isinstance(error, AuthenticationError)
        assert "'ada'" in str(error)
        assert "wr0ng" not in str(error)

    def test_a_server_that_never_ends_the_negotiation_is_left(self) -> None:
        class Endless(LoopbackServer):
            def serve(self, connection: socket.socket) -> None:
                while connection.recv(1 << 16):
                    connection.sendall(b"\2\0\0\0\0")

        with Endless() as server:
            error = _error(server.uri, Plain("ada", "s3cret"))
        assert isinstance(error, AuthenticationError)
        assert "asks for more" in str(error)

    def test_a_metastore_that_does_not_negotiate_is_not_said_to_refuse(self) -> None:
        class Other(LoopbackServer):
            def serve(self, connection: socket.socket) -> None:
                connection.recv(1 << 16)

        with Other() as server:
            error = _error(server.uri, Plain("ada", "s3cret"))
        assert isinstance(error, MetastoreUnavailableError)
        assert "leave out auth" in str(error)


@pytest.mark.peer("openssl")
class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        return self_signed(tmp_path)

    @pytest.fixture
    def server(self, certificate: tuple[Path, Path]) -> ScriptedMetastore:
        return _Encrypted(certificate, get_databases=["a"])

    def test_an_encrypted_metastore_is_used_with_its_authority(
        self, server: ScriptedMetastore, certificate: tuple[Path, Path]
    ) -> None:
        with server, closing(HiveMetastore(server.uri, tls=TLS(ca_file=str(certificate[0])))) as metastore:
            assert metastore.list_namespaces() == ["a"]
            assert metastore.list_namespaces() == ["a"]
        assert server.methods.count("set_ugi") == 1, "the connection is used again"

    def test_a_certificate_of_an_unknown_authority_is_refused(self, server: ScriptedMetastore, tmp_path: Path) -> None:
        another = self_signed(tmp_path / "another")[0]
        with server:
            for tls in (TLS(), TLS(str(another))):
                self._is_refused(
                    server,
                    tls,
                    advice="(ca_file of TLS, setting tls_ca_file)",
                )

    @pytest.mark.parametrize("names", ["DNS:metastore.example.org", "IP:192.0.2.1"])
    def test_a_certificate_of_another_host_is_not_a_matter_of_authorities(self, tmp_path: Path, names: str) -> None:
        made = self_signed(tmp_path, names=names)
        with _Encrypted(made) as server:
            refusal = self._is_refused(server, TLS(str(made[0])), advice="a name that the certificate is made for")
        assert "not valid for '127.0.0.1'" in refusal

    def test_a_certificate_for_an_address_is_not_one_for_a_name(self, tmp_path: Path) -> None:
        made = self_signed(tmp_path)
        with _Encrypted(made) as server:
            uri = f"thrift://localhost:{server.port}"
            self._is_refused(server, TLS(str(made[0])), uri=uri, advice="a name that the certificate is made for")

    def test_a_certificate_that_has_expired_is_to_be_renewed(self, tmp_path: Path) -> None:
        made = self_signed(tmp_path, days=-1)
        with _Encrypted(made) as server:
            refusal = self._is_refused(server, TLS(str(made[0])), advice="has to be renewed")
        assert "expired" in refusal

    def _is_refused(self, server: ScriptedMetastore, tls: TLS, *, advice: str, uri: str | None = None) -> str:
        with pytest.raises(AuthenticationError) as refusal:
            _names(uri or server.uri, tls=tls)
        assert advice in str(refusal.value)
        assert ("ca_file" in str(refusal.value)) == ("ca_file" in advice)
        assert server.calls == []
        return str(refusal.value)

    @pytest.mark.parametrize("broken", ["ca_file", "cert_file", "key_file"])
    @pytest.mark.parametrize("how", ["missing", "garbage", "directory"])
    def test_a_file_that_cannot_be_used_is_named(
        self, server: ScriptedMetastore, certificate: tuple[Path, Path], tmp_path: Path, broken: str, how: str
    ) -> None:
        path = tmp_path / "broken.pem"
        if how == "garbage":
            path.write_text("-----BEGIN")
        elif how == "directory":
            path.mkdir()
        cert, key = map(str, certificate)
        files = {"ca_file": cert, "cert_file": cert, "key_file": key, broken: str(path)}
        with server, pytest.raises(InvalidInputError) as refusal:
            _names(server.uri, tls=TLS(**files))
        assert f"{broken}={str(path)!r}" in str(refusal.value)
        assert refusal.value.answer is Answer.NOT_SENT

    @pytest.mark.parametrize("abruptly", [False, True], ids=["closed", "reset"])
    def test_a_write_does_not_fail_over_an_encrypted_connection_that_died_in_the_pool(
        self, certificate: tuple[Path, Path], abruptly: bool
    ) -> None:
        server = _Encrypted(certificate, get_databases=["a"], create_database=None)
        with server, closing(HiveMetastore(server.uri, tls=TLS(str(certificate[0])))) as metastore:
            metastore.list_namespaces()
            if abruptly:
                server.encrypted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            server.encrypted.shutdown(socket.SHUT_RD if abruptly else socket.SHUT_RDWR)
            assert server.ended.wait(PATIENCE_S)
            metastore.create_namespace("b")
        assert server.methods == ["set_ugi", "get_databases", "set_ugi", "create_database"]

    def test_an_encrypted_connection_is_used_again_after_a_pause(
        self, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection, "_FRESH_S", 0.0)
        server = _Encrypted(certificate, get_databases=["a"], create_database=None)
        with server, closing(HiveMetastore(server.uri, tls=TLS(str(certificate[0])))) as metastore:
            metastore.list_namespaces()
            metastore.create_namespace("b")
        assert server.methods == ["set_ugi", "get_databases", "create_database"]

    def test_our_own_certificate_is_shown_where_it_is_asked_for(self, certificate: tuple[Path, Path]) -> None:
        cert, key = map(str, certificate)
        with _Encrypted(certificate, asks=True, get_databases=["a"]) as server:
            assert _names(server.uri, tls=TLS(cert, cert, key)) == ["a"]
            with pytest.raises(MetastoreUnavailableError, match="cert_file"):
                _names(server.uri, tls=TLS(cert))

    def test_a_metastore_that_wants_tls_is_distinguished_from_one_that_does_not_answer(
        self, server: ScriptedMetastore
    ) -> None:
        with server, pytest.raises(MetastoreUnavailableError, match="TLS"):
            _names(server.uri)

    def test_a_metastore_without_tls_is_not_used_with_it(self, certificate: tuple[Path, Path]) -> None:
        tls = TLS(ca_file=str(certificate[0]))
        with (
            ScriptedMetastore(get_databases=["a"]) as plain,
            pytest.raises(MetastoreUnavailableError, match="does not use TLS"),
        ):
            _names(plain.uri, tls=tls, connect_timeout_s=0.5)
        assert plain.calls == []

    @pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request", None], ids=["closes", "HTTP", "silence"])
    def test_a_port_without_tls_is_distinguished_from_one_that_is_not_trusted(
        self, certificate: tuple[Path, Path], answer: bytes | None
    ) -> None:
        class Other(LoopbackServer):
            def serve(self, connection: socket.socket) -> None:
                connection.recv(1 << 16)
                connection.sendall(answer or b"")
                while answer is None and connection.recv(1 << 16):
                    pass

        with Other() as server, pytest.raises(MetastoreUnavailableError, match="does not use TLS"):
            _names(server.uri, tls=TLS(ca_file=str(certificate[0])), connect_timeout_s=0.3)
