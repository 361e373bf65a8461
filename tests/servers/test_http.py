"""Metastores over HTTP: what is sent how often, who is let in, gateways and proxies in between."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import jwt
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import load_pem_x509_certificate

from hive_views import JWT, TLS, Plain, ViewCatalog
from hive_views.cli import cli
from hive_views.config import resolve
from hive_views.errors import (
    Answer,
    AuthenticationError,
    CommitStateUnknownError,
    HiveViewsError,
    MetastoreUnavailableError,
)
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.proxy_user import acting_for
from hive_views.views.commit.engine import CommitSettings
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.containers.session import THIS_MACHINE
from tests.support.failing.http_proxy import ConnectProxy, HttpProxy
from tests.support.failing.killing import SWAP
from tests.support.failing.scripted_http import Said, ScriptedHttp
from tests.support.processes.certificates import self_signed

_HTTP = {"metastore.server.thrift.transport.mode": "http"}
_PASSWORD = "keystore"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def over_http(uri: str, scheme: str = "thrift+http") -> str:
    return f"{scheme}://{urlsplit(uri).netloc}"


# -- plain HTTP, without authentication: Hive 4.0.1 --------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(metastore_servers: MetastoreServers) -> Iterator[MetastoreServer]:
    shared = metastore_servers.shared("4.0.1", "mariadb")
    with metastore_servers.own(
        "4.0.1",
        "mariadb",
        settings={
            **_HTTP,
            "metastore.server.thrift.http.path": "hms/thrift",
            "metastore.client.thrift.http.path": "hms/thrift",
        },
        database=shared.database,
        connect=lambda uri: HiveMetastore(f"{over_http(uri)}/hms/thrift"),
    ) as server:
        yield server


@pytest.fixture
def server(plain: MetastoreServer) -> MetastoreServer:
    """What the namespaces of these tests are on."""
    return plain


@pytest.fixture
def proxy(plain: MetastoreServer) -> Iterator[HttpProxy]:
    with HttpProxy(over_http(plain.uri)) as proxy:
        yield proxy


@pytest.fixture
def gateway(plain: MetastoreServer) -> Iterator[ScriptedHttp]:
    with closing(ScriptedHttp(over_http(plain.uri))) as gateway:
        yield gateway


def address(of: HttpProxy | ScriptedHttp) -> str:
    return f"thrift+{of.url if isinstance(of, ScriptedHttp) else of.address}/hms/thrift"


@dataclass
class Site:
    """A view, and its writer behind a proxy, which knows already that the server checks swaps."""

    name: str
    writer: ViewCatalog
    second: ViewCatalog

    def replace(self) -> None:
        self.writer.replace_view(self.name, sql={"hive": "SELECT 2 AS id, '' AS ds"})

    def version(self) -> int:
        return self.second.load_view(self.name).current_version.version_id


@pytest.fixture
def site(plain: MetastoreServer, proxy: HttpProxy, namespace: str, tmp_path: Path) -> Iterator[Site]:
    settings = CommitSettings(lock="never", settle_timeout_s=0.5)
    with closing(HiveMetastore(address(proxy), read_timeout_s=5.0)) as metastore:
        writer = ViewCatalog(metastore, warehouse=str(tmp_path), settings=settings)
        site = Site(f"{namespace}.daily", writer, ViewCatalog(plain.client, warehouse=str(tmp_path)))
        writer.create_view(site.name, sql={"hive": "SELECT 1 AS id, '' AS ds"}, partitioned_on=["ds"])
        writer.alter_view(site.name, comment="proved")
        yield site


def test_a_call_is_one_request_and_one_connection_serves_them_all(
    proxy: HttpProxy, namespace: str, tmp_path: Path
) -> None:
    called: list[str] = []
    with closing(HiveMetastore(address(proxy), on_call=called.append)) as metastore:
        catalog = ViewCatalog(metastore, warehouse=str(tmp_path))
        view = f"{namespace}.daily"
        catalog.create_view(view, sql={"hive": "SELECT 1 AS id, '' AS ds"}, partitioned_on=["ds"])
        # Enough that the server sends its answer in chunks.
        days = [
            {"ds": f"{year}-{month:02}-{day:02}"} for year in (2025, 2026) for month in range(1, 13) for day in (1, 9)
        ]
        catalog.partitions(view).add(days)
        assert len(catalog.partitions(view).names()) == len(days)
        assert len(dict(catalog.partitions(view).load())) == len(days)
        catalog.replace_view(view, sql={"hive": "SELECT 2 AS id, '' AS ds"})
        catalog.drop_view(view, purge=True)
    assert proxy.methods == ["getName", *called]
    assert proxy.connections == 1


@pytest.mark.parametrize("lost", ["answer", "half"])
def test_a_commit_whose_answer_is_lost_is_sent_once_and_found_to_have_landed(
    site: Site, proxy: HttpProxy, lost: str
) -> None:
    proxy.lose(lost, SWAP.__eq__)
    before = proxy.methods.count(SWAP)
    site.replace()
    assert proxy.is_lost()
    assert (site.version(), proxy.methods.count(SWAP) - before) == (2, 1)


def test_a_commit_whose_request_is_lost_is_unknown_and_not_sent_again(site: Site, proxy: HttpProxy) -> None:
    proxy.lose("request", SWAP.__eq__)
    before = proxy.methods.count(SWAP)
    with pytest.raises(CommitStateUnknownError):
        site.replace()
    assert (site.version(), proxy.methods.count(SWAP) - before) == (1, 1)


@pytest.mark.parametrize("lost", ["request", "answer", "half"])
def test_a_read_whose_answer_is_lost_is_repeated_once(proxy: HttpProxy, lost: str) -> None:
    with closing(HiveMetastore(address(proxy))) as metastore:
        proxy.lose(lost, "get_databases".__eq__)
        assert "default" in metastore.list_namespaces()
    assert proxy.methods.count("get_databases") == 2


def test_a_server_that_ends_each_connection_with_its_answer_is_asked_on_new_ones(
    proxy: HttpProxy, namespace: str
) -> None:
    proxy.keeps_alive = False
    with closing(HiveMetastore(address(proxy))) as metastore:
        metastore.create_namespace(f"{namespace}_more")
        assert f"{namespace}_more" in metastore.list_namespaces()
        metastore.drop_namespace(f"{namespace}_more")
    assert proxy.methods[:3] == ["getName", "create_database", "get_databases"]
    assert proxy.connections == len(proxy.methods)


def test_a_gateway_that_is_back_in_service_is_written_through(gateway: ScriptedHttp, namespace: str) -> None:
    behind = gateway.says
    with closing(HiveMetastore(address(gateway))) as metastore:
        metastore.list_namespaces()
        gateway.says = lambda method, path: Said(503, headers={"Connection": "close"})
        with pytest.raises(MetastoreUnavailableError, match="503"):
            metastore.list_namespaces()
        gateway.says = behind
        metastore.create_namespace(f"{namespace}_more")
        metastore.drop_namespace(f"{namespace}_more")


REFUSALS = {
    "401": (Said(401, b"who?", {"Content-Type": "text/plain"}), AuthenticationError, r"401 .*\(who\?\).*token-file"),
    "403": (Said(403, b"<html>no"), AuthenticationError, "403 Forbidden.*does not permit"),
    "404": (Said(404), MetastoreUnavailableError, r"404 .*Check the path .*/metastore"),
    "302": (Said(302, headers={"Location": "http://login.example"}), MetastoreUnavailableError, "status 302 Found"),
    "429": (Said(429), MetastoreUnavailableError, "429"),
    "503": (Said(503, b"<html>"), MetastoreUnavailableError, "503 Service Unavailable"),
    "a page": (Said(200, b"<html>Please log in"), MetastoreUnavailableError, "not a metastore: .*<htm"),
    "nothing": (Said(200), MetastoreUnavailableError, "shorter than its message"),
    "a cut answer": (Said(200, b"\x80\x01", missing_bytes=9), MetastoreUnavailableError, "closed the connection"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_a_gateway_answers_instead_is_told_as_such_with_its_address(gateway: ScriptedHttp, case: str) -> None:
    said, kind, words = REFUSALS[case]
    gateway.always(said)
    with (
        closing(HiveMetastore(address(gateway))) as metastore,
        pytest.raises(kind, match=re.escape(address(gateway))) as refusal,
    ):
        metastore.list_namespaces()
    assert re.search(words, refusal.value.shell_message)
    assert refusal.value.server == address(gateway)
    assert len(gateway.requests) == 1


@pytest.mark.parametrize(
    ("status", "answer"), [(401, Answer.NOT_SENT), (403, Answer.NOT_SENT), (404, Answer.NOT_SENT), (503, Answer.NONE)]
)
def test_a_write_that_is_refused_is_sent_once_and_only_what_proves_it_is_called_not_carried_out(
    gateway: ScriptedHttp, namespace: str, status: int, answer: Answer
) -> None:
    with closing(HiveMetastore(address(gateway))) as metastore:
        metastore.list_namespaces()
        gateway.always(Said(status))
        sent = len(gateway.requests)
        with pytest.raises(HiveViewsError) as refusal:
            metastore.create_namespace(f"{namespace}_never")
    assert refusal.value.answer is answer
    assert len(gateway.requests) - sent == 1


def test_a_server_that_is_silent_costs_one_time_out(gateway: ScriptedHttp) -> None:
    gateway.always(Said(is_silent=True))
    with (
        closing(HiveMetastore(address(gateway), read_timeout_s=0.3)) as metastore,
        pytest.raises(MetastoreUnavailableError, match=r"no data arrived within 0\.3 s"),
    ):
        metastore.list_namespaces()
    assert len(gateway.requests) == 1


def test_another_address_is_asked_where_the_first_is_out_of_service(
    gateway: ScriptedHttp, plain: MetastoreServer
) -> None:
    gateway.always(Said(503))
    with closing(HiveMetastore([address(gateway), f"{over_http(plain.uri)}/hms/thrift"])) as metastore:
        assert "default" in metastore.list_namespaces()


def test_headers_and_who_asks_are_sent_with_each_request(gateway: ScriptedHttp) -> None:
    for auth, name, value in (
        (NoAuth("ada"), "x-actor-username", "ada"),
        (acting_for(NoAuth("etl"), "ada"), "x-actor-username", "ada"),
        (Plain("ada", "üs3cret"), "Authorization", "Basic YWRhOsO8czNjcmV0"),
        (JWT("a.b.c"), "Authorization", "Bearer a.b.c"),
    ):
        gateway.headers.clear()
        gateway.always(Said(401))
        with (
            closing(HiveMetastore(address(gateway), auth=auth, http_headers={"X-Tenant": "lake"})) as metastore,
            pytest.raises(AuthenticationError),
        ):
            metastore.list_namespaces()
        (sent,) = gateway.headers
        assert (sent[name], sent["X-Tenant"], sent["Content-Type"]) == (value, "lake", "application/x-thrift")


def test_a_proxy_of_the_environment_is_used_unless_no_proxy_names_the_host(
    proxy: HttpProxy, plain: MetastoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", proxy.address)
    uri = f"{over_http(plain.uri)}/hms/thrift"
    with closing(HiveMetastore(uri)) as metastore:
        metastore.list_namespaces()
    assert proxy.requests[0][0] == f"POST {uri.removeprefix('thrift+')} HTTP/1.1"
    proxy.requests.clear()
    monkeypatch.setenv("no_proxy", urlsplit(uri).hostname or "")
    with closing(HiveMetastore(uri)) as metastore:
        metastore.list_namespaces()
    assert not proxy.requests


def test_the_other_protocol_is_recognised_on_both_sides(
    plain: MetastoreServer, metastore_servers: MetastoreServers
) -> None:
    binary = metastore_servers.shared("4.0.1", "mariadb").uri
    for uri, words in ((plain.uri, r"HTTP server; write thrift\+http://"), (over_http(binary), r"write thrift://")):
        with closing(HiveMetastore(uri)) as metastore, pytest.raises(MetastoreUnavailableError, match=words):
            metastore.list_namespaces()


# -- HTTPS and tokens: Hive 4.2.1 --------------------------------------------------------------------------------------


@dataclass
class Issuer:
    """Who signs tokens that the server takes."""

    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    @contextmanager
    def published(self) -> Iterator[str]:
        """Serve the key set, as an identity provider does, until the block ends; gives its address to containers."""
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        keys = json.dumps({"keys": [{**public, "kid": "test", "use": "sig", "alg": "RS256"}]})
        headers = {"Content-Type": "application/jwk-set+json"}
        with closing(ScriptedHttp(host="0.0.0.0")) as provider:
            provider.always(Said(body=keys.encode(), headers=headers))
            yield f"http://{THIS_MACHINE}:{urlsplit(provider.url).port}/jwks.json"
            assert provider.requests

    def token(self, valid_s: float = 3600.0) -> str:
        claims = {"sub": "ada", "exp": int(time.time() + valid_s)}
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "test"})


@dataclass
class Encrypted:
    server: MetastoreServer
    issuer: Issuer
    ca_file: str

    @property
    def uri(self) -> str:
        return over_http(self.server.uri, "thrift+https")

    def connect(self, auth: JWT | None) -> HiveMetastore:
        return HiveMetastore(self.uri, auth=auth, tls=TLS(self.ca_file))


@pytest.fixture(scope="module")
def encrypted(metastore_servers: MetastoreServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    directory = tmp_path_factory.mktemp("encrypted")
    shared = metastore_servers.shared("4.2.1", "postgres")
    host = urlsplit(shared.uri).hostname or ""
    cert, key = self_signed(directory / "tls", names=f"IP:{host}" if host[0].isdigit() else f"DNS:{host}")
    store = directory / "keystore.p12"
    store.write_bytes(
        serialize_key_and_certificates(
            b"metastore",
            serialization.load_pem_private_key(key.read_bytes(), None),  # type: ignore[arg-type]
            load_pem_x509_certificate(cert.read_bytes()),
            None,
            serialization.BestAvailableEncryption(_PASSWORD.encode()),
        )
    )
    issuer = Issuer()
    settings = {
        **_HTTP,
        "metastore.authentication": "JWT",
        "metastore.use.SSL": "true",
        "metastore.keystore.path": str(store),
        "metastore.keystore.password": _PASSWORD,
        "metastore.keystore.type": "PKCS12",
        "metastore.keymanagerfactory.algorithm": "PKIX",
    }
    connect: Callable[[str], HiveMetastore] = lambda uri: HiveMetastore(  # noqa: E731
        over_http(uri, "thrift+https"), auth=JWT(issuer.token()), tls=TLS(str(cert))
    )
    with (
        issuer.published() as settings["metastore.authentication.jwt.jwks.url"],
        metastore_servers.own(
            "4.2.1", "postgres", settings=settings, database=shared.database, connect=connect
        ) as server,
    ):
        yield Encrypted(server, issuer, str(cert))


def test_a_token_file_is_read_for_each_request_and_what_is_refused_meanwhile_is_not_carried_out(
    encrypted: Encrypted, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(encrypted.issuer.token())
    name = f"tokens_{time.time_ns()}"
    with closing(encrypted.connect(JWT(token_file=str(file)))) as metastore:
        catalog = ViewCatalog(metastore, warehouse=str(tmp_path))
        catalog.create_namespace(name)
        view = f"{name}.daily"
        catalog.create_view(view, sql={"hive": "SELECT 1 AS id"})
        expired = encrypted.issuer.token(-60.0)
        file.write_text(expired)
        for change in (
            lambda: catalog.create_namespace(f"{name}_more"),
            lambda: catalog.replace_view(view, sql={"hive": "SELECT 2 AS id"}),
        ):
            with pytest.raises(AuthenticationError, match="401 Unauthorized") as refusal:
                change()
            told = f"{refusal.value} {refusal.value.shell_message} {refusal.value!r}"
            assert str(file) in told
            assert "token-file" in told
            assert expired[-7:] not in told
            assert refusal.value.server == f"{encrypted.uri}/metastore"
        file.write_text(encrypted.issuer.token() + "\n")
        assert name in catalog.metastore.list_namespaces()
        assert f"{name}_more" not in catalog.metastore.list_namespaces()
        assert catalog.load_view(view).current_version.version_id == 1
        catalog.drop_view(view, purge=True)
        catalog.drop_namespace(name)


def test_without_a_token_or_with_that_of_another_issuer_nobody_is_let_in(encrypted: Encrypted) -> None:
    strange = Issuer().token()
    for auth in (None, JWT(strange), JWT("s3cret")):
        with closing(encrypted.connect(auth)) as metastore, pytest.raises(AuthenticationError, match="401") as refusal:
            metastore.list_namespaces()
        assert strange[-7:] not in str(refusal.value)
        assert "s3cret" not in str(refusal.value)


def test_the_files_of_a_cluster_are_enough_and_hives_own_variable_has_the_token(
    encrypted: Encrypted, plain: MetastoreServer, tmp_path: Path
) -> None:
    keys = {
        "metastore.client.thrift.transport.mode": "http",
        "metastore.client.auth.mode": "JWT",
        "metastore.use.SSL": "true",
        "metastore.truststore.path": encrypted.ca_file,
        "hive.metastore.uris": encrypted.server.uri,
    }
    open_to_all = {"hive.metastore.uris": plain.uri, **_HTTP, "metastore.client.thrift.http.path": "hms/thrift"}
    for properties in (keys, open_to_all):
        rows = "".join(f"<property><name>{name}</name><value>{v}</value></property>" for name, v in properties.items())
        (tmp_path / "metastore-site.xml").write_text(f"<configuration>{rows}</configuration>")
        variables = {"HIVE_CONF_DIR": str(tmp_path), "HMS_JWT": encrypted.issuer.token(), "XDG_CONFIG_HOME": "/no/such"}
        with closing(resolve(environment=variables).settings.connect()) as catalog:
            assert "default" in catalog.metastore.list_namespaces()
    shown = CliRunner().invoke(cli, ["doctor", "--output", "json"], env=variables)
    uri = json.loads(shown.stdout)["settings"]["uri"]
    file = tmp_path / "metastore-site.xml"
    taken = ("hive.metastore.uris", "metastore.server.thrift.transport.mode", "metastore.client.thrift.http.path")
    assert uri["source"] == ", ".join(f"{key} in {file}" for key in taken)
    assert uri["value"] == f"{over_http(plain.uri)}/hms/thrift"


def test_the_certificate_is_verified(encrypted: Encrypted) -> None:
    with (
        closing(HiveMetastore(encrypted.uri, auth=JWT(encrypted.issuer.token()))) as metastore,
        pytest.raises(AuthenticationError, match="Cannot trust the metastore"),
    ):
        metastore.list_namespaces()


def test_a_proxy_passes_the_encrypted_connection_on_and_never_sees_the_token(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth = JWT(encrypted.issuer.token())
    with ConnectProxy() as proxy:
        monkeypatch.setenv("https_proxy", proxy.address)
        with closing(encrypted.connect(auth)) as metastore:
            assert "default" in metastore.list_namespaces()
            assert "default" in metastore.list_namespaces()
        assert proxy.asked_for == [urlsplit(encrypted.uri).netloc]
        monkeypatch.setenv("https_proxy", proxy.address.replace("ada:%C3%BCs3cret", "ada:wr0ng"))
        with (
            closing(encrypted.connect(auth)) as metastore,
            pytest.raises(MetastoreUnavailableError, match=r"proxy 127\.0\.0\.1:.* 407") as refusal,
        ):
            metastore.list_namespaces()
        assert "wr0ng" not in str(refusal.value)
