"""Views on metastores that want Kerberos, with a real KDC: tickets, keytabs, protections, and what failures say."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from click.testing import CliRunner

from hive_views import Kerberos
from hive_views.cli import cli
from hive_views.errors import AuthenticationError, HiveViewsError, NoSuchNamespaceError
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.servers.kdc import REALM, Kdc, kdc
from tests.support.containers.metastores import MetastoreServer, MetastoreServers, free_port
from tests.support.failing.wire import PATIENCE_S, LoopbackServer
from tests.support.processes.rest_server import rest_server
from tests.support.readmes import ROOT, examples, printed_lines

README = "hive_views/metastore/README.md"
# hadoop.rpc.protection of each server, of which the strongest is to be used.
PROTECTIONS = {"2.3.10": "integrity", "3.1.3": "authentication", "4.0.1": "authentication,integrity,privacy"}
NEWEST = pytest.mark.parametrize("secured", ["4.0.1"], indirect=True)
pytestmark = pytest.mark.peer("kerberos")


@dataclass(frozen=True)
class Realm:
    """A realm with the users ada, who has a password too, and brief, whose tickets expire in three seconds.

    Attributes:
        centre: its KDC.
        keytabs: by principal.
        expired: a cache with a ticket that has expired.
    """

    centre: Kdc
    keytabs: Mapping[str, Path]
    expired: Path


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    pytest.importorskip("gssapi", reason="gssapi is not installed: pip install 'hive_views[kerberos]'")
    directory = tmp_path_factory.mktemp("realm")
    with kdc(directory) as centre:
        principals = {"hive/localhost": (), "hive/other": (), "brief": ("-maxlife", "3s")}
        keytabs = {principal: centre.add(principal, *options) for principal, options in principals.items()}
        centre.run("kadmin.local", "addprinc", "-pw", "s3cret", "ada")
        keytabs["ada"] = centre.export("ada")
        expired = directory / "expired"
        cache = {"KRB5CCNAME": f"FILE:{expired}"}
        centre.run("kinit", "-l", "1s", "-k", "-t", str(keytabs["ada"]), "ada", environment=cache)
        centre.wait_until_expired(cache)
        yield Realm(centre, keytabs, expired)


@pytest.fixture(scope="module", params=list(PROTECTIONS))
def secured(
    request: pytest.FixtureRequest,
    realm: Realm,
    metastore_servers: MetastoreServers,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[MetastoreServer]:
    """A metastore of the principal hive/localhost."""
    version, keytab = request.param, realm.keytabs["hive/localhost"]
    hadoop = {"hadoop.security.authentication": "kerberos", "hadoop.rpc.protection": PROTECTIONS[version]}
    hadoop |= {"hadoop.proxyuser.ada.hosts": "*", "hadoop.proxyuser.ada.users": "bob"}
    jar = tmp_path_factory.mktemp("secured") / "core-site.jar"
    with zipfile.ZipFile(jar, "w") as packed:
        packed.writestr("core-site.xml", site(hadoop))
    settings = {
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.keytab.file": str(keytab),
        "hive.metastore.kerberos.principal": f"hive/localhost@{REALM}",
    }
    java = {"JDK_JAVA_OPTIONS": f"-XX:TieredStopAtLevel=1 -Djava.security.krb5.conf={realm.centre.config}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRB5_CONFIG", str(realm.centre.config))
        patch.setenv("KRB5CCNAME", f"FILE:{jar.with_name('cache')}")
        patch.setenv("KRB5_CLIENT_KTNAME", str(realm.keytabs["ada"]))
        with metastore_servers.own(
            version, "derby", settings=settings, environment=java, jar=jar, connect=connect
        ) as server:
            yield server


@pytest.fixture(autouse=True)
def cache(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ticket cache of this process, in which is no ticket."""
    path = tmp_path / "cache"
    monkeypatch.setenv("KRB5_CONFIG", str(realm.centre.config))
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{path}")
    monkeypatch.delenv("KRB5_CLIENT_KTNAME", raising=False)
    return path


def log_in(realm: Realm) -> None:
    realm.centre.run("kinit", "-k", "-t", str(realm.keytabs["ada"]), "ada", environment=os.environ)


def site(properties: Mapping[str, str]) -> str:
    listed = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items())
    return f"<configuration>{''.join(listed)}</configuration>"


def address(server: MetastoreServer) -> str:
    """Its address by the name that its principal has."""
    return f"localhost:{urlsplit(server.uri).port}"


def connect(uri: str, auth: Kerberos | None = None) -> HiveMetastore:
    return HiveMetastore(uri, auth=auth or Kerberos(hostname_override="localhost"))


class Tap(LoopbackServer):
    """Relays what client and metastore say to each other, and keeps it.

    Attributes:
        asked: what the client said.
        said: what both said.
        damages: whether the next answer is damaged.
    """

    def __init__(self, server: MetastoreServer) -> None:
        super().__init__()
        target = urlsplit(server.uri)
        self._target = (target.hostname, target.port)
        self.asked = bytearray()
        self.said = bytearray()
        self.damages = False

    def serve(self, connection: socket.socket) -> None:
        with socket.create_connection(self._target, PATIENCE_S) as metastore:
            answering = threading.Thread(target=self._relay, args=(metastore, connection), daemon=True)
            answering.start()
            self._relay(connection, metastore)
            answering.join(PATIENCE_S)

    def _relay(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self.said += data
                is_answer = source.getpeername()[1] == self._target[1]
                self.asked += b"" if is_answer else data
                if self.damages and is_answer:
                    data = data[:-1] + bytes([data[-1] ^ 1])
                    self.damages = False
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


# -- what works ------------------------------------------------------------------------------------------------------


def test_the_quick_start_works_by_the_documents_alone(
    secured: MetastoreServer, realm: Realm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_in(realm)
    (connecting,) = examples(README, "python", "Kerberos")
    (example,) = examples("README.md", "python", "Quick start")
    memory = next(line for line in example.text.splitlines() if "memory:" in line)
    text = example.text.replace(memory, here(connecting.text, secured, tmp_path))
    names: dict[str, Any] = {}
    exec(compile(text, str(example), "exec"), names)
    names["catalog"].close()
    assert capsys.readouterr().out.splitlines() == printed_lines(example.text)


def test_the_strongest_protection_that_a_server_offers_is_used(secured: MetastoreServer, realm: Realm) -> None:
    log_in(realm)
    name = f"told_{secured.version.replace('.', '_')}"
    with Tap(secured) as tap, closing(connect(tap.uri)) as metastore:
        metastore.create_namespace(name)
        assert (name.encode() in tap.said) == (secured.version != "4.0.1"), "encrypted where that is offered"
        if secured.version != "3.1.3":
            tap.damages = True
            with pytest.raises(HiveViewsError, match="changed on the way"):
                metastore.create_namespace(f"{name}_2")


@pytest.mark.parametrize("secured", ["2.3.10", "4.0.1"], indirect=True)
def test_a_long_request_is_sent_in_frames_that_the_server_accepts(secured: MetastoreServer, realm: Realm) -> None:
    log_in(realm)
    unknown = "x" * 200_000
    with Tap(secured) as tap, closing(connect(tap.uri)) as metastore:
        with pytest.raises(NoSuchNamespaceError):
            metastore._ask(Call("get_database", "it"), unknown)
        assert "default" in metastore.list_namespaces()
    # A response repeats the name, in one frame.
    assert len(tap.said) > 2 * len(unknown)
    frames = lengths(tap.asked)
    assert len(frames) > 3
    assert max(frames) <= 1 << 16, "what GSSAPI of Java offers to take"


def lengths(asked: bytes) -> list[int]:
    """The lengths of the frames behind the four messages of a negotiation."""
    at, found = 0, []
    while at < len(asked):
        start = at + (5 if len(found) < 4 else 4)
        found.append(int.from_bytes(asked[start - 4 : start], "big"))
        at = start + found[-1]
    return found[4:]


@NEWEST
def test_the_commands_of_the_document_work(secured: MetastoreServer, realm: Realm, tmp_path: Path, cache: Path) -> None:
    script = next(one.text for one in examples(README, "shell", "Kerberos") if "kinit" in one.text)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "hive-views").write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'from hive_views.cli import main; main()' \"$@\"\n"
    )
    (binaries / "hive-views").chmod(0o755)
    environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    ran = subprocess.run(
        ["bash", "-e", "-c", here(script, secured, tmp_path)],
        env={**environment, "PYTHONPATH": str(ROOT)},
        input="s3cret\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "reports.one" in ran.stdout.splitlines()


def here(text: str, server: MetastoreServer, directory: Path) -> str:
    """An example, with the names of the test's own places."""
    names = {"metastore.example.org:9083": address(server), "EXAMPLE.ORG": REALM, "s3://lake/views": str(directory)}
    for name, own in names.items():
        text = text.replace(name, own)
    return text


@NEWEST
def test_host_in_the_principal_of_a_site_file_is_that_of_the_address(
    secured: MetastoreServer, realm: Realm, tmp_path: Path
) -> None:
    log_in(realm)
    properties = {
        "hive.metastore.uris": f"thrift://{address(secured)}",
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.principal": f"hive/_HOST@{REALM}",
    }
    (tmp_path / "hive-site.xml").write_text(site(properties))
    environment = {"HIVE_CONF_DIR": str(tmp_path), "HOME": str(tmp_path)}
    result = CliRunner().invoke(cli, ["namespaces", "list"], env=environment)
    assert (result.exit_code, "default" in result.stdout) == (0, True), result.output


@NEWEST
def test_a_new_connection_finds_a_ticket_that_was_renewed_meanwhile(
    secured: MetastoreServer, realm: Realm, cache: Path
) -> None:
    log_in(realm)
    with Tap(secured) as tap, closing(connect(tap.uri)) as metastore:
        assert "default" in metastore.list_namespaces()
        shutil.copy(realm.expired, cache)
        tap.disconnect()
        with pytest.raises(AuthenticationError, match="Ticket expired"):
            metastore.list_namespaces()
        log_in(realm)
        assert "default" in metastore.list_namespaces()


@NEWEST
def test_serve_uses_a_keytab_for_the_first_ticket_and_again_when_it_has_expired(
    secured: MetastoreServer, realm: Realm, tmp_path: Path
) -> None:
    settings = {"HIVE_VIEWS_AUTH": "kerberos", "HIVE_VIEWS_KERBEROS_HOSTNAME": "localhost"}
    keytab = {"KRB5_CLIENT_KTNAME": str(realm.keytabs["brief"])}
    with Tap(secured) as tap, rest_server(tap.uri, tmp_path, "--no-tokens", **settings, **keytab) as server:

        def namespaces() -> list[list[str]]:
            return httpx2.get(f"{server.address}/v1/namespaces", timeout=PATIENCE_S).json()["namespaces"]

        assert ["default"] in namespaces()
        realm.centre.wait_until_expired(os.environ)
        assert ["default"] in namespaces(), "an open connection outlives its ticket"
        tap.disconnect()
        assert ["default"] in namespaces()


# -- what fails ------------------------------------------------------------------------------------------------------


def refusal(uri: str, auth: Kerberos | None = None) -> str:
    with closing(connect(uri, auth)) as metastore, pytest.raises(AuthenticationError) as caught:
        metastore.list_namespaces()
    return str(caught.value)


def says(message: str, *parts: object) -> None:
    for part in parts:
        assert str(part) in message


@NEWEST
def test_without_a_ticket(secured: MetastoreServer, cache: Path) -> None:
    says(
        refusal(secured.uri),
        "hive/localhost",
        "No Kerberos credentials",
        f"FILE:{cache}",
        "KRB5_CLIENT_KTNAME",
        "`kinit`",
    )


@NEWEST
def test_with_a_delegation_token(secured: MetastoreServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", "/tmp/container_tokens")
    says(refusal(secured.uri), "delegation tokens", "not supported", "KRB5_CLIENT_KTNAME")


@NEWEST
def test_with_a_ticket_that_has_expired(secured: MetastoreServer, realm: Realm, cache: Path) -> None:
    shutil.copy(realm.expired, cache)
    says(refusal(secured.uri), "hive/localhost", "Ticket expired", f"FILE:{cache}", "`kinit`")


@NEWEST
def test_with_a_principal_that_the_realm_does_not_know(secured: MetastoreServer, realm: Realm, cache: Path) -> None:
    log_in(realm)
    unknown = Kerberos("hms", "localhost")
    says(refusal(secured.uri, unknown), f"hms/localhost@{REALM} not found", f"ada@{REALM}", cache, "kerberos_service")


@NEWEST
def test_with_a_principal_that_is_not_the_metastores(secured: MetastoreServer, realm: Realm) -> None:
    log_in(realm)
    says(refusal(secured.uri, Kerberos("hive", "other")), "hive/other", "rejected Kerberos", "log", "keytab")


@NEWEST
def test_without_a_kdc(secured: MetastoreServer, realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in(realm)
    config = tmp_path / "krb5.conf"
    config.write_text(realm.centre.config.read_text().replace("kdc = ", f"kdc = 127.0.0.1:{free_port()}\n # "))
    monkeypatch.setenv("KRB5_CONFIG", str(config))
    says(refusal(secured.uri), "Cannot contact any KDC", REALM, f"ada@{REALM}", "krb5.conf")


def test_at_a_server_that_accepts_everybody_without_proving_who_it_is(realm: Realm) -> None:
    class Impostor(LoopbackServer):
        def serve(self, connection: socket.socket) -> None:
            connection.recv(1 << 16)
            connection.sendall(b"\5\0\0\0\0")
            connection.recv(1 << 16)

    log_in(realm)
    with Impostor() as server:
        says(refusal(server.uri), "before it had proved who it is")


@NEWEST
@pytest.mark.parametrize("keytab", ["missing", "garbage", "outdated"])
def test_with_a_keytab_of_no_use(
    secured: MetastoreServer, realm: Realm, tmp_path: Path, keytab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.keytab"
    if keytab == "garbage":
        path.write_text("no keys")
    elif keytab == "outdated":
        shutil.copy(realm.centre.add("changed"), path)
        realm.centre.run("kadmin.local", "cpw", "-randkey", "changed")
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", str(path))
    expected = {"missing": "cannot be read", "outdated": "Ask the administrator"}.get(keytab, "`kinit`")
    says(refusal(secured.uri), f"Keytab: {path}", expected)


@NEWEST
def test_with_a_clock_that_differs(secured: MetastoreServer, realm: Realm) -> None:
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed: apt-get install faketime")
    log_in(realm)
    ask = (
        "from hive_views.metastore.thrift import auth, hms\n"
        f"hms.HiveMetastore('thrift://{address(secured)}', auth=auth.Kerberos()).list_namespaces()"
    )
    command = ["faketime", "-f", "+20m", sys.executable, "-c", ask]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    says(result.stderr.splitlines()[-1], "AuthenticationError", "Clock skew", "Synchronize the clock")
