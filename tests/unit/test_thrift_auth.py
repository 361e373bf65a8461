"""Who we are to a metastore: what is announced, negotiated and encrypted."""

from __future__ import annotations

import shutil
import socket
import ssl
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TFramedTransport

from hive_views.errors import AuthenticationError, HiveViewsError, MetastoreUnavailableError, UnsupportedFeatureError
from hive_views.metastore import auth as auth_module
from hive_views.metastore.auth import TLS, Auth, Kerberos, NoAuth, Plain, os_user
from hive_views.metastore.hms import HiveMetastore
from tests.faults.scripted import ScriptedMetastore

_START, _OK, _BAD, _COMPLETE = 1, 2, 3, 5


class _SaslMetastore(ScriptedMetastore):
    """A metastore behind SASL PLAIN, as Hive's with LDAP is."""

    def serve(self, connection: socket.socket) -> None:
        wire = TSocket()
        wire.setHandle(connection)
        assert self._receive(wire) == (_START, b"PLAIN")
        _, credentials = self._receive(wire)
        if credentials != b"\0ada\0\xc3\xbcs3cret":
            wire.write(struct.pack("!bi", _BAD, 5) + b"wrong")
            return
        wire.write(struct.pack("!bi", _COMPLETE, 0))
        self.play(TFramedTransport(wire))

    def _receive(self, wire: TSocket) -> tuple[int, bytes]:
        status, length = struct.unpack("!bi", wire.readAll(5))
        return status, wire.readAll(length)


class _Encrypted(ScriptedMetastore):
    def __init__(self, certificate: tuple[Path, Path], *, asks: bool = False, **answers: object) -> None:
        super().__init__(**answers)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate)
        if asks:
            self._context.verify_mode = ssl.CERT_REQUIRED
            self._context.load_verify_locations(certificate[0])

    def serve(self, connection: socket.socket) -> None:
        with self._context.wrap_socket(connection, server_side=True) as self.encrypted:
            wire = TSocket()
            wire.setHandle(self.encrypted)
            self.play(TBufferedTransport(wire))


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


@pytest.mark.parametrize(
    ("auth", "package"), [(Kerberos(), "kerberos"), (Plain("ada", "s3cret"), "puresasl")], ids=["Kerberos", "Plain"]
)
def test_a_missing_package_is_told_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, auth: Auth, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with ScriptedMetastore() as server:
        error = _error(server.uri, auth)
    assert isinstance(error, UnsupportedFeatureError)
    assert "pip install 'hive_views[kerberos]'" in str(error)


@pytest.mark.peer("pure-sasl")
class TestSasl:
    @pytest.fixture(autouse=True)
    def _pure_sasl(self) -> None:
        pytest.importorskip("puresasl", reason="pure-sasl is not installed: pip install 'hive_views[kerberos]'")

    def test_a_password_opens_a_metastore_that_wants_one(self) -> None:
        with _SaslMetastore(get_databases=["a", "b"]) as server:
            assert _names(server.uri, auth=Plain("ada", "üs3cret")) == ["a", "b"]
        assert server.methods == ["get_databases"], "the server knows who we are without set_ugi"

    def test_a_wrong_password_is_told_without_it(self) -> None:
        with _SaslMetastore() as server:
            error = _error(server.uri, Plain("ada", "wr0ng"))
        assert isinstance(error, AuthenticationError)
        assert "'ada'" in str(error)
        assert "wr0ng" not in str(error)

    def test_a_failure_of_kerberos_says_what_to_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No key distribution centre is at hand, so the binding to Kerberos is one that fails as it does without."""

        class KrbError(Exception):
            pass

        class GSSError(KrbError):
            pass

        def no_ticket(**_: object) -> None:
            raise GSSError(("Unspecified GSS failure", 851968), ("No Kerberos credentials available", 39756033))

        kerberos = ModuleType("kerberos")
        kerberos.KrbError, kerberos.authGSSClientInit = KrbError, no_ticket  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "kerberos", kerberos)
        for name in ("puresasl.mechanisms", "puresasl.client"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        with ScriptedMetastore() as server:
            error = _error(server.uri, Kerberos(service="hms", hostname_override="metastore.example.org"))
        assert isinstance(error, AuthenticationError)
        for part in ("No Kerberos credentials available", "klist", "hms/metastore.example.org"):
            assert part in str(error)


@pytest.mark.peer("openssl")
class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        openssl = shutil.which("openssl")
        if openssl is None:
            pytest.skip("no openssl found to make a certificate with")
        cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
        subprocess.run(
            [
                *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
                *("-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
                *("-keyout", str(key), "-out", str(cert)),
            ],
            check=True,
            capture_output=True,
        )
        return cert, key

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

    def test_a_certificate_of_an_unknown_authority_is_refused(self, server: ScriptedMetastore) -> None:
        with server, pytest.raises(AuthenticationError, match="ca_file"):
            _names(server.uri, tls=TLS())
        assert server.calls == []

    def test_a_write_does_not_fail_over_an_encrypted_connection_that_died_in_the_pool(
        self, certificate: tuple[Path, Path]
    ) -> None:
        server = _Encrypted(certificate, get_databases=["a"], create_database=None)
        with server, closing(HiveMetastore(server.uri, tls=TLS(str(certificate[0])))) as metastore:
            metastore.list_namespaces()
            server.encrypted.shutdown(socket.SHUT_RDWR)
            metastore.create_namespace("b")
        assert server.methods == ["set_ugi", "get_databases", "set_ugi", "create_database"]

    def test_our_own_certificate_is_shown_where_it_is_asked_for(self, certificate: tuple[Path, Path]) -> None:
        cert, key = map(str, certificate)
        with _Encrypted(certificate, asks=True, get_databases=["a"]) as server:
            assert _names(server.uri, tls=TLS(cert, cert, key)) == ["a"]
            with pytest.raises(MetastoreUnavailableError):
                _names(server.uri, tls=TLS(cert))

    def test_a_metastore_that_wants_tls_is_told_from_one_that_does_not_answer(self, server: ScriptedMetastore) -> None:
        with server, pytest.raises(MetastoreUnavailableError, match="TLS"):
            _names(server.uri)

    def test_a_metastore_without_tls_is_not_used_with_it(self, certificate: tuple[Path, Path]) -> None:
        with ScriptedMetastore(get_databases=["a"]) as plain, pytest.raises(MetastoreUnavailableError):
            _names(plain.uri, tls=TLS(ca_file=str(certificate[0])), connect_timeout_s=0.5)
        assert plain.calls == []
