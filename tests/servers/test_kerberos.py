"""Views on metastores that want Kerberos, with a real KDC: tickets, keytabs, protections, and what failures say."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from hive_views import Kerberos
from hive_views.cli import cli
from hive_views.errors import AuthenticationError, HiveViewsError, NoSuchNamespaceError, PermissionDeniedError
from hive_views.metastore.thrift import proxy_user
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hadoop_tokens import decode
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.servers.kerberized import (
    Realm,
    Tap,
    address,
    connect,
    is_encrypted,
    is_signed,
    lengths,
    log_in,
    request_token,
    site,
    write_token,
)
from tests.support.containers.metastores import MetastoreServer, free_port
from tests.support.failing.wire import PATIENCE_S, LoopbackServer
from tests.support.processes.kdc import REALM
from tests.support.processes.rest_client import creation
from tests.support.processes.rest_server import rest_server
from tests.support.readmes import ROOT, examples, printed_lines

README = "hive_views/metastore/README.md"
NEWEST = pytest.mark.parametrize("secured", ["4.0.1"], indirect=True)
pytestmark = pytest.mark.peer("kerberos")


@pytest.fixture(autouse=True)
def cache(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ticket cache of this process, in which is no ticket."""
    path = tmp_path / "cache"
    realm.centre.be_used(monkeypatch, path)
    monkeypatch.delenv("HADOOP_TOKEN_FILE_LOCATION", raising=False)
    return path


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
        assert (name.encode() in tap.said) != is_encrypted(secured)
        if is_signed(secured):
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
    frames = lengths(tap.asked, 4)
    assert len(frames) > 3
    assert max(frames) <= 1 << 16, "what GSSAPI of Java offers to take"


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


# -- delegation tokens and proxy users -------------------------------------------------------------------------------


def test_a_job_logs_in_by_its_delegation_token_alone(
    secured: MetastoreServer, realm: Realm, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(realm)
    token, path = request_token(secured), tmp_path / "container_tokens"
    cache.unlink()
    write_token(path, token)
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", str(path))
    name = f"by_token_{secured.version.replace('.', '_')}"
    with Tap(secured) as tap, closing(connect(tap.uri)) as metastore:
        metastore.create_namespace(name)
        assert (name.encode() in tap.said) != is_encrypted(secured)
        assert b"GSSAPI" not in tap.asked
        if is_signed(secured):
            with pytest.raises(NoSuchNamespaceError):
                metastore._ask(Call("get_database", "it"), "x" * 200_000)
            assert max(lengths(tap.asked, 3)) <= 1 << 16, "what DIGEST-MD5 of Java offers to take"
            assert name in metastore.list_namespaces()
            tap.damages = True
            with pytest.raises(HiveViewsError, match="changed on the way"):
                metastore.create_namespace(f"{name}_2")
        metastore._pool.call(Call("cancel_delegation_token", "ada"), token)
        tap.disconnect()
        said = refusal(tap.uri)
    says(said, "delegation token", path, "of ada", "valid until", "cancelled", "HADOOP_TOKEN_FILE_LOCATION")
    assert token[-60:-40] not in said


@NEWEST
def test_a_token_is_chosen_by_its_service_and_without_one_a_ticket_is_used(
    secured: MetastoreServer, realm: Realm, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(realm)
    path = tmp_path / "container_tokens"
    write_token(path, request_token(secured), "lake")
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", str(path))
    request_token(secured)  # which none but a ticket can
    cache.unlink()
    says(refusal(secured.uri), "`kinit`", f"{path} has no token", "HIVE_DELEGATION_TOKEN with the service 'lake'")
    properties = {
        "hive.metastore.uris": f"thrift://{address(secured)}",
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.token.signature": "lake",
    }
    (tmp_path / "hive-site.xml").write_text(site(properties))
    environment = {"HIVE_CONF_DIR": str(tmp_path), "HOME": str(tmp_path)}
    result = CliRunner().invoke(cli, ["namespaces", "list"], env=environment)
    assert (result.exit_code, "default" in result.stdout) == (0, True), result.output
    result = CliRunner().invoke(cli, ["namespaces", "list"], env={**environment, "HADOOP_PROXY_USER": "bob"})
    says(result.output, "`kinit`", "not enough to act for a proxy user")


def test_a_proxy_user_is_who_the_metastore_sees(
    secured: MetastoreServer, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(realm)
    tokens: list[str] = []
    monkeypatch.setattr(proxy_user, "decode", lambda text: tokens.append(text) or decode(text))
    name = f"of_bob_{secured.version.replace('.', '_')}"
    with Tap(secured) as tap, closing(for_user("bob", tap.uri)) as metastore:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: metastore.list_namespaces(), range(8)))
        metastore.create_namespace(name)
        assert metastore.load_namespace(name).owner == "bob"
        audited = [line for line in secured.logs().splitlines() if "ugi=" in line and name in line]
        assert audited
        assert all("ugi=bob" in line for line in audited)
        tap.disconnect()
        metastore.list_namespaces()
        assert len(tokens) == 1, "all connections share one"
        metastore._pool.call(Call("cancel_delegation_token", "bob"), tokens[0])
        tap.disconnect()
        metastore.create_namespace(f"{name}_2")
        assert len(tokens) == 2, "one of no use is replaced"
    says(refusal_of(for_user("eve", secured.uri)), "'eve'", "hadoop.proxyuser.ada.hosts", "hadoop.proxyuser.ada.groups")
    monkeypatch.setenv("KRB5CCNAME", "MEMORY:brief")
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", str(realm.keytabs["brief"]))
    says(refusal_of(for_user("bob", secured.uri)), "'bob'", "hadoop.proxyuser.brief.hosts (the hosts")


@NEWEST
def test_serve_acts_for_the_user_of_a_token(secured: MetastoreServer, realm: Realm, tmp_path: Path) -> None:
    proxy_users = {"ada": "", "bob": 'proxy-user = "bob"', "eve": 'proxy-user = "eve"'}
    texts = (
        f'[tokens.{name}]\ntoken = "{name * 8}"\nrole = "read-write"\n{user}' for name, user in proxy_users.items()
    )
    tokens = tmp_path / "tokens.toml"
    tokens.write_text("\n".join(texts))
    tokens.chmod(0o600)
    settings = {"HIVE_VIEWS_AUTH": "kerberos", "HIVE_VIEWS_KERBEROS_HOSTNAME": "localhost"}
    settings |= {"KRB5_CLIENT_KTNAME": str(realm.keytabs["ada"]), "HIVE_VIEWS_WAREHOUSE": f"file://{tmp_path}"}
    with rest_server(secured.uri, tmp_path, "--tokens", str(tokens), **settings) as server:

        def ask(who: str, method: str, path: str = "", **given: Any) -> tuple[int, Any]:
            headers = {"Authorization": f"Bearer {who * 8}"}
            url = f"{server.address}/v1/namespaces{path}"
            answer = httpx2.request(method, url, headers=headers, timeout=PATIENCE_S, **given)
            return answer.status_code, answer.json()

        for who in ("ada", "bob"):
            status, created = ask(who, "POST", json={"namespace": [f"served_{who}"]})
            assert (status, ask(who, "POST", f"/served_{who}/views", json=creation())[0]) == (200, 200), created
            audited = [line for line in secured.logs().splitlines() if "ugi=" in line and f"served_{who}" in line]
            assert audited
            assert all(f"ugi={who}" in line for line in audited)
        assert created["properties"]["hive.metastore.database.owner"] == "bob"
        # ada may act for bob, and for nobody else.
        for method, body in (("GET", None), ("POST", {"namespace": ["served_eve"]})):
            status, refused = ask("eve", method, json=body)
            assert (status, refused["error"]["type"]) == (403, "ForbiddenException"), refused
        assert ["served_eve"] not in ask("ada", "GET")[1]["namespaces"]
        says(server.log.read_text(), "cannot act for eve: ", "hadoop.proxyuser.ada.hosts", "proxy-user=eve")


def for_user(name: str, uri: str) -> HiveMetastore:
    return HiveMetastore(uri, auth=Kerberos(hostname_override="localhost"), proxy_user=name)


# -- what fails ------------------------------------------------------------------------------------------------------


def refusal(uri: str, auth: Kerberos | None = None) -> str:
    return refusal_of(connect(uri, auth))


def refusal_of(metastore: HiveMetastore) -> str:
    with closing(metastore), pytest.raises((AuthenticationError, PermissionDeniedError)) as caught:
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
