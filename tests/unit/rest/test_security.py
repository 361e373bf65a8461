"""Who is let in, how much is taken, and what is noted."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.config import REST_READ_ONLY_TOKEN, REST_TOKEN
from hive_views.errors import InvalidInputError
from hive_views.rest.access import Access, load_access
from hive_views.rest.request_limits import Limits
from hive_views.rest.served import ServedCatalogs
from hive_views.rest.server import Listening, check_exposure
from hive_views.rest.uvicorn_additions import HeaderTimeoutProtocol
from tests.support.processes.certificates import self_signed
from tests.support.processes.rest_client import PREFIX, VIEW, VIEWS, RestClient, creation, replacement, rest_client
from tests.support.processes.served_app import served
from tests.support.views.quick_catalog import NAME

WRITER, READER = "w" * 24, "r" * 24


def tokens(path: Path, text: str) -> Path:
    file = path / "tokens.toml"
    file.write_text(text)
    file.chmod(0o600)
    return file


@pytest.fixture
def access(tmp_path: Path) -> Access:
    text = f'[tokens.etl]\ntoken = "{WRITER}"\nrole = "read-write"\nowner = "ann"\n'
    text += f'[tokens.bi]\ntoken = "{READER}"\nrole = "read-only"\n'
    return load_access(tokens(tmp_path, text), {})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# -- tokens ----------------------------------------------------------------------------------------------------------


def test_without_a_token_nothing_is_told(access: Access) -> None:
    client = rest_client(access=access)
    for headers in ({}, bearer("x" * 24), {"Authorization": WRITER}, {"Authorization": f"Basic {WRITER}"}):
        for url in ("/v1/config", VIEWS, "/metrics", f"{PREFIX}/namespaces"):
            answer = client.get(url, headers=headers)
            assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer"), url
            assert answer.json()["error"]["type"] == "NotAuthorizedException"
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_token_for_reading_changes_nothing(access: Access) -> None:
    client = rest_client(access=access)
    client.post(VIEWS, json=creation(), headers=bearer(WRITER))
    assert client.get(VIEW, headers=bearer(READER)).status_code == 200
    for method, url in (("POST", VIEWS), ("POST", VIEW), ("DELETE", VIEW), ("DELETE", f"{PREFIX}/namespaces/sales")):
        assert client.error(method, url, json={}, headers=bearer(READER))[:2] == (403, "ForbiddenException")


def test_what_a_token_creates_is_of_its_owner(access: Access) -> None:
    client = rest_client(access=access)
    client.post(VIEWS, json=creation(), headers=bearer(WRITER))
    assert client.catalog.load_view(NAME).owner == "ann"
    client.post(f"{PREFIX}/namespaces", json={"namespace": ["web"]}, headers=bearer(WRITER))
    assert client.catalog.metastore.load_namespace("web").owner == "ann"


def test_a_token_with_an_owner_makes_no_view_of_somebody_else(access: Access) -> None:
    """Trino's Hive connector reads a view with the rights of its owner."""
    client, headers = rest_client(access=access), bearer(WRITER)
    root = {"properties": {"hive.metastore.table.owner": "root"}}
    status, _, message = client.error("POST", VIEWS, json={**creation(), **root}, headers=headers)
    assert (status, "'root'" in message, "acts for ann only" in message) == (400, True, True)
    own = {"properties": {"hive.metastore.table.owner": "ann"}}
    assert client.post(VIEWS, json={**creation(), **own}, headers=headers).status_code == 200
    # A file that says so was made by whoever could write it.
    theirs = client.catalog.create_view("sales.theirs", sql={"hive": "SELECT 1 AS id"}, schema=[("id", "int")])
    by_root = client.catalog.alter_view(theirs.identifier, set_properties=root["properties"])
    body = {"name": "again", "metadata-location": by_root.metadata_location}
    assert client.post(f"{PREFIX}/namespaces/sales/register-view", json=body, headers=headers).status_code == 200
    again = client.catalog.load_view("sales.again")
    assert (again.owner, again.metadata.properties.get("hive.metastore.table.owner")) == ("ann", None)
    namespace = {"namespace": ["web"], "properties": {"hive.metastore.database.owner": "root"}}
    status, _, message = client.error("POST", f"{PREFIX}/namespaces", json=namespace, headers=headers)
    assert (status, "acts for ann only" in message) == (400, True)
    # Nor does a change give a view away.
    updates = [{"action": "set-properties", "updates": root["properties"]}]
    assert client.error("POST", f"{VIEWS}/again", json={"updates": updates}, headers=headers)[0] == 400
    assert client.catalog.load_view("sales.again").owner == "ann"


def test_tokens_may_be_in_the_environment() -> None:
    access = load_access(None, {REST_TOKEN: WRITER, REST_READ_ONLY_TOKEN: READER})
    client = rest_client(access=access)
    assert client.post(VIEWS, json=creation(), headers=bearer(WRITER)).status_code == 200
    assert client.delete(VIEW, headers=bearer(READER)).status_code == 403


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tokens.a]\ntoken = "short"\nrole = "read-only"\n', "at least 16 characters"),
        (f'[tokens.a]\ntoken = "{WRITER}é"\nrole = "read-only"\n', "ASCII"),
        (f'[tokens.a]\ntoken = "{WRITER} "\nrole = "read-only"\n', "end with a space"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "admin"\n', "read-only or read-write"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nuser = "x"\n', "'user'"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nproxy_user = "ada"\n', "owner and proxy-user"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nproxy-user = ""\n', "proxy-user of tokens.a"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nproxy-user = "ada "\n', "the name of a user"),
        (f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nproxy-user = ["ada"]\n', "the name of a user"),
        (f'[tokens.a]\ntoken = "{WRITER}"\n', "read-only or read-write"),
        (f'token = "{WRITER}"\n', "[tokens.NAME]"),
        ("[tokens\n", "tokens.toml"),
        (
            (
                f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\n'
                f'[tokens.b]\ntoken = "{WRITER}"\nrole = "read-write"\n'
            ),
            "is also that of 'a'",
        ),
    ],
)
def test_a_file_of_tokens_that_cannot_be_meant_is_refused_without_a_token_in_the_error(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        load_access(tokens(tmp_path, text), {})
    assert said in str(refused.value)
    assert WRITER not in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("--uri", "memory:"), "memory:"),
        (("--uri", "thrift://nowhere:9083"), "Cannot act for 'ada' with Plain"),
    ],
)
def test_a_server_whose_metastore_knows_no_proxy_users_does_not_start(
    tmp_path: Path, settings: tuple[str, ...], said: str
) -> None:
    file = tokens(tmp_path, f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\nproxy-user = "ada"\n')
    plain = {"HIVE_VIEWS_AUTH": "plain", "HIVE_VIEWS_USER": "svc", "HIVE_VIEWS_PASSWORD": "secret"}
    asked = [*settings, "serve", "--port", "0", "--tokens", str(file)]
    refused = CliRunner().invoke(cli, asked, env={"XDG_CONFIG_HOME": str(tmp_path), **plain})
    assert refused.exit_code == 2
    assert said in refused.stderr


def test_a_file_of_tokens_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tokens(tmp_path, f'[tokens.a]\ntoken = "{WRITER}"\nrole = "read-only"\n')
    file.chmod(0o644)
    with pytest.raises(InvalidInputError, match="chmod 600"):
        load_access(file, {})
    with pytest.raises(InvalidInputError, match="Cannot read the file of tokens"):
        load_access(tmp_path / "none", {})


def test_other_machines_need_a_token_or_a_proxy_that_asks_for_one(access: Access) -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        check_exposure(Listening(host), Access({}), allows_open=False)
    for host in ("0.0.0.0", "::", "10.0.0.1", "views.example.com"):
        with pytest.raises(InvalidInputError, match="--tokens FILE"):
            check_exposure(Listening(host), Access({}), allows_open=False)
        check_exposure(Listening(host), Access({}), allows_open=True)
        check_exposure(Listening(host), access, allows_open=False)
    with pytest.raises(InvalidInputError, match="--tls-key-file"):
        check_exposure(Listening(tls_cert_file=Path("cert.pem")), access, allows_open=False)


def test_what_tls_cannot_be_made_of_is_said_before_anybody_is_served(access: Access, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    certificate, key = self_signed(tmp_path)
    _, other = self_signed(tmp_path / "other")
    locked, text = tmp_path / "locked.pem", tmp_path / "text.pem"
    subprocess.run(
        ["openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:hidden", "-out", locked],
        check=True,
        capture_output=True,
    )
    text.write_text("no certificate")
    check_exposure(Listening(tls_cert_file=certificate, tls_key_file=key), access, allows_open=False)
    for files, said in (
        ((certificate, other), "key values mismatch"),
        ((key, certificate), "Both must be PEM"),
        ((text, key), "Both must be PEM"),
        ((certificate, locked), "has a password.*openssl pkey -in"),
        ((tmp_path / "none.pem", key), "Cannot read .*none.pem, which TLS needs: No such file"),
        ((certificate, tmp_path), "Cannot read .*, which TLS needs: Is a directory"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            check_exposure(Listening(tls_cert_file=files[0], tls_key_file=files[1]), access, allows_open=False)


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: "], ids=["nothing", "half a head"])
@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["first", "second"])
def test_a_client_that_sends_no_whole_head_is_not_waited_for(sent: bytes, before: bytes) -> None:
    app = rest_client().app
    with served(app, http=HeaderTimeoutProtocol, timeout_keep_alive=1) as address, socket.socket() as client:
        client.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        client.sendall(before)
        answer = b""
        while before and not answer.endswith(b"}"):
            answer += client.recv(65536)
        client.sendall(sent)
        client.settimeout(0.2)
        rest, tries = b"-", 0
        with suppress(ConnectionError):
            while rest:
                tries += 1
                assert tries < 100
                try:
                    rest = client.recv(65536)
                except TimeoutError:
                    # The connection is never still.
                    client.sendall(b"x" if sent else b"")
        assert rest in (b"", b"-")


def test_no_tokens_are_given_out() -> None:
    answer = rest_client().post("/v1/oauth/tokens", data={"grant_type": "client_credentials"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "unsupported_grant_type"


# -- catalogs --------------------------------------------------------------------------------------------------------


def test_a_client_is_told_the_prefix_and_what_can_be_asked() -> None:
    document = rest_client().get("/v1/config").json()
    assert document["overrides"] == {"prefix": "hive"}
    assert "POST /v1/{prefix}/namespaces/{namespace}/register-view" in document["endpoints"]
    assert document["idempotency-key-lifetime"] == "PT24H"


def test_one_catalog_needs_no_prefix_and_an_unknown_one_is_404() -> None:
    client = rest_client()
    client.post("/v1/namespaces/sales/views", json=creation())
    assert client.get(VIEW).status_code == 200
    for url in ("/v1/config?warehouse=other", "/v1/other/namespaces"):
        status, type_, message = client.error("GET", url)
        assert (status, type_) == (404, "NoSuchWarehouseException")
        assert "hive" in message


def test_a_client_is_told_its_own_name_of_the_catalog_and_the_file_has_none() -> None:
    client = rest_client()
    url = "/v1/hive@tro/namespaces/sales/views"
    assert client.get("/v1/config?warehouse=hive@tro").json()["overrides"] == {"prefix": "hive@tro"}
    created = client.post(url, json=creation(**{"default-catalog": "tro"})).json()
    assert created["metadata"]["versions"][0]["default-catalog"] == "tro"
    assert client.catalog.load_view(NAME).current_version.default_catalog is None
    assert "default-catalog" not in client.get(VIEW).json()["metadata"]["versions"][0]
    body = replacement(created["metadata"]["view-uuid"], "SELECT 1 AS id, '' AS ds", **{"default-catalog": "tro"})
    assert client.post(f"{url}/daily", json=body).status_code == 200
    assert client.catalog.load_view(NAME).current_version.default_catalog is None


def test_the_name_of_a_kind_of_clients_may_be_a_setting() -> None:
    client = rest_client(client_names={"hive": "spark_catalog"})
    client.post(VIEWS, json=creation())
    assert client.get(VIEW).json()["metadata"]["versions"][0]["default-catalog"] == "spark_catalog"
    with pytest.raises(InvalidInputError, match="The catalog 'other' is not served"):
        rest_client(client_names={"other": "x"})


@pytest.mark.parametrize("name", ["namespaces", "a@b", "a/b", ""])
def test_a_name_that_no_prefix_can_be_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="Cannot serve a catalog as"):
        ServedCatalogs({name: rest_client().catalog})


# -- limits ----------------------------------------------------------------------------------------------------------


def test_too_large_too_deep_and_no_json_are_refused() -> None:
    client = rest_client(limits=Limits(max_bytes=2000, max_depth=10))
    assert client.error("POST", VIEWS, content=b'"' + b"x" * 3000 + b'"')[:2] == (413, "RequestTooLargeException")
    assert client.error("POST", VIEWS, content=b"[" * 11 + b"]" * 11)[0] == 400
    assert client.error("POST", VIEWS, content=b"{")[:2] == (400, "BadRequestException")
    assert client.error("POST", VIEWS, content=b"[" * 1900)[0] == 400
    assert client.error("POST", VIEWS, content=b"\xff\xfe")[0] == 400


def test_a_key_has_a_length() -> None:
    client = rest_client()
    for sent in ("", "x" * 257):
        assert client.error("DELETE", VIEW, headers={"Idempotency-Key": sent})[0] == 400


def test_what_is_not_served_says_so_as_the_specification_does() -> None:
    client = rest_client()
    assert client.error("GET", "/v2/config")[:2] == (404, "NotFoundException")
    assert client.error("PUT", VIEWS)[:2] == (405, "UnsupportedOperationException")


# -- what is noted ---------------------------------------------------------------------------------------------------


def test_a_request_is_one_line_without_secrets(access: Access, caplog: pytest.LogCaptureFixture) -> None:
    client = rest_client(access=access)
    with caplog.at_level(logging.INFO, "hive_views.rest"):
        client.post(VIEWS, json=creation(), headers=bearer(WRITER))
        client.get(f"{VIEWS}/no%1B[2Jne", headers=bearer(WRITER))
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("hive_views.rest")]
    assert len(lines) == 2
    assert "token=etl catalog=hive status=200 verdict=done ms=" in lines[0]
    assert "status=404 verdict=NoSuchViewException" in lines[1]
    assert WRITER not in json.dumps(lines)
    assert "\x1b" not in lines[1]


def test_prometheus_counts_by_route_and_not_by_view() -> None:
    client = rest_client()
    client.get(VIEW)
    client.get(f"{VIEWS}/other")
    text = client.get("/metrics").text
    labels = 'method="GET",route="/v1/namespaces/{namespace}/views/{view}",status="404",verdict="NoSuchViewException"'
    assert f"hive_views_rest_requests_total{{{labels}}} 2.0" in text
    assert "daily" not in text


def test_an_error_that_nobody_expected_is_500_and_says_nothing_of_itself(caplog: pytest.LogCaptureFixture) -> None:
    client: RestClient = rest_client()

    def fail(_: object) -> None:
        raise RuntimeError("secret")

    client.catalog.metastore.load_row = fail  # type: ignore[assignment,method-assign]
    with caplog.at_level(logging.CRITICAL):
        status, type_, message = client.error("GET", VIEW)
    assert (status, type_) == (500, "InternalServerError")
    assert "secret" not in message


def answers_to(address: str, head: bytes) -> bytes:
    """All that comes until the server closes the connection."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head)
        said = b""
        while more := connection.recv(65536):
            said += more
    return said


def test_a_body_that_says_to_be_too_large_is_not_waited_for() -> None:
    app = rest_client(limits=Limits(max_bytes=2000, body_timeout_s=60)).app
    head = f"POST {VIEWS} HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n".encode()
    with served(app, http=HeaderTimeoutProtocol) as address:
        said = answers_to(address, head)
    assert said.startswith(b"HTTP/1.1 413")


def test_a_request_that_says_twice_where_it_ends_is_the_last_of_its_connection() -> None:
    """Else a second one is hidden in it from a proxy that believes the other header."""
    app = rest_client().app
    hidden = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    head = f"POST {VIEWS} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(hidden) + 5}\r\n".encode()
    with served(app, http=HeaderTimeoutProtocol) as address:
        said = answers_to(address, head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden)
    assert said.startswith(b"HTTP/1.1 400")
    assert said.count(b"HTTP/1.1 ") == 1


def test_a_property_that_makes_the_metastore_refuse_a_view_is_named() -> None:
    client = rest_client()
    for key in ("transactional", "Transactional", "TRANSACTIONAL_properties"):
        status, _, message = client.error("POST", VIEWS, json=creation() | {"properties": {key: "true"}})
        assert (status, f"'{key}'" in message) == (400, True)


def test_a_path_without_a_storage_is_not_called_relative() -> None:
    client = rest_client()
    body = creation() | {"properties": {"write.metadata.path": "/lake/views"}}
    status, _, message = client.error("POST", VIEWS, json=body)
    assert (status, "relative" in message, "file:///lake/views" in message) == (400, False, True)
