"""What doctor --rest finds out of each kind of server, over sockets."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from hive_views.cli import cli
from hive_views.config import REST_READ_ONLY_TOKEN, REST_TOKEN
from hive_views.metastore.memory import MemoryMetastore
from hive_views.rest.access import load_access
from hive_views.rest.application import create_app
from hive_views.rest.served import ServedCatalogs
from hive_views.views.catalog import ViewCatalog
from tests.support.processes.certificates import self_signed
from tests.support.processes.served_app import served
from tests.support.views.quick_catalog import NAME, catalog_on

WRITER, READER = "w" * 24, "r" * 24

Doctor = Callable[..., Result]


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """The command, without any setting."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("HIVE_VIEWS_URI", raising=False)

    def call(url: str, *arguments: str, token: str | None = None, before: tuple[str, ...] = ()) -> Result:
        return CliRunner().invoke(cli, [*before, "doctor", "--rest", url, *arguments], env={REST_TOKEN: token})

    return call


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_namespace("empty")
    return catalog


@pytest.fixture
def url(catalog: ViewCatalog) -> Iterator[str]:
    with served(create_app(ServedCatalogs({"hive": catalog}))) as address:
        yield address


def create(catalog: ViewCatalog, *dialects: str) -> None:
    catalog.create_view(NAME, sql=dict.fromkeys(dialects, "SELECT 1 AS a"), schema=[("a", "int")])


def checks(result: Result) -> dict[str, dict[str, Any]]:
    """By name, of a call with ``--output json``."""
    assert result.exit_code in (0, 6), result.stderr
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


# -- our own server ----------------------------------------------------------------------------------------------------


def test_all_is_shown_on_one_screen_and_nothing_is_bad(doctor: Doctor, url: str, catalog: ViewCatalog) -> None:
    create(catalog, "hive", "spark", "trino")
    result = doctor(url)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert len(lines) <= 24
    assert all(line.startswith("ok  ") for line in lines), result.stdout
    for expected in (
        f"server: {url} answers",
        "catalog: with no warehouse, clients use /v1/hive/...",
        "view routes: list, load, exists, create, replace, rename, drop and register",
        "repeated requests: recognized by their Idempotency-Key for PT24H",
        "namespaces: 3: default, empty, sales",
        "tables: served, read-only",
        "view: sales.daily has SQL for spark, hive and trino",
    ):
        assert f"ok  {expected}" in lines


def test_nothing_is_changed(doctor: Doctor, url: str, catalog: ViewCatalog) -> None:
    create(catalog, "hive")
    before = catalog.load_view(NAME), catalog.list_namespaces()
    doctor(url)
    assert (catalog.load_view(NAME), catalog.list_namespaces()) == before


def test_for_each_engine_it_says_which_text_it_takes(doctor: Doctor, url: str, catalog: ViewCatalog) -> None:
    create(catalog, "hive")
    found = checks(doctor(url, "--output", "json"))
    assert found["Spark"]["ok"] is None
    assert found["Spark"]["found"] == "there is no SQL for spark, so Spark reads that for hive"
    assert found["Trino"]["ok"] is None
    assert "ICEBERG_UNSUPPORTED_VIEW_DIALECT" in found["Trino"]["found"]
    assert "hive-views alter sales.daily --sql trino=FILE" in found["Trino"]["advice"]
    assert doctor(url).exit_code == 0


def test_the_default_catalog_is_what_a_client_with_this_warehouse_is_told(
    doctor: Doctor, url: str, catalog: ViewCatalog
) -> None:
    create(catalog, "hive")
    plain = checks(doctor(url, "--output", "json"))
    assert plain["default-catalog"]["found"].startswith("none: ")
    renamed = checks(doctor(url, "--warehouse", "hive@tro", "--output", "json"))
    assert renamed["default-catalog"]["found"].startswith("tro: ")
    assert "'hive@tro'" in renamed["catalog"]["found"]


def test_a_view_can_be_named(doctor: Doctor, url: str, catalog: ViewCatalog) -> None:
    create(catalog, "hive")
    catalog.create_view("sales.weekly", sql={"spark": "SELECT 1 AS a"}, schema=[("a", "int")])
    assert "sales.weekly has SQL for spark" in doctor(url, "--view", "sales.weekly").stdout
    missing = doctor(url, "--view", "sales.monthly")
    assert (missing.exit_code, missing.stdout) == (3, "")
    assert "sales.monthly" in missing.stderr
    assert doctor(url, "--view", "monthly").exit_code == 2


def test_without_any_view_it_says_how_to_name_one(doctor: Doctor, url: str) -> None:
    result = doctor(url)
    assert result.exit_code == 0
    assert "?   views: none in 3 namespaces\n    Specify one with --view NAMESPACE.NAME.\n" in result.stdout


def test_a_warehouse_that_is_not_served_ends_with_2_and_names_those_that_are(doctor: Doctor, url: str) -> None:
    result = doctor(url, "--warehouse", "prod")
    assert (result.exit_code, result.stdout) == (2, "")
    for part in ("'prod'", "one of: hive", "--warehouse"):
        assert part in result.stderr


# -- tokens ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(catalog: ViewCatalog) -> Iterator[str]:
    access = load_access(None, {REST_TOKEN: WRITER, REST_READ_ONLY_TOKEN: READER})
    with served(create_app(ServedCatalogs({"hive": catalog}), access=access)) as address:
        yield address


@pytest.mark.parametrize(("token", "role"), [(WRITER, "read-write"), (READER, "read-only")])
def test_the_role_of_a_token_is_found_out(doctor: Doctor, guarded: str, token: str, role: str) -> None:
    found = checks(doctor(guarded, "--output", "json", token=token))
    assert (found["token"]["ok"], found["token"]["found"]) == (True, "accepted")
    assert found["role"]["ok"] is True
    assert found["role"]["found"].startswith(f"{role}: the token may ")
    # A metastore may refuse it too, to the user that the server acts for.
    assert ("is read-only.)" in found["role"]["found"]) == (token == READER)


@pytest.mark.parametrize(("token", "said"), [("x" * 24, "rejected the token"), (None, "requires a token: set")])
def test_no_access_ends_with_7(doctor: Doctor, guarded: str, token: str | None, said: str) -> None:
    result = doctor(guarded, token=token)
    assert (result.exit_code, result.stdout) == (7, "")
    assert said in result.stderr
    assert str(token) not in result.stderr


def test_a_server_that_asks_for_no_token_is_distinguished_from_one_that_accepts_it(doctor: Doctor, url: str) -> None:
    found = checks(doctor(url, "--output", "json", token=WRITER))["token"]
    assert (found["ok"], found["found"]) == (None, "accepted, but requests without a token are accepted too")
    assert checks(doctor(url, "--output", "json"))["role"]["found"].startswith(
        "read-write: everyone who can reach the server "
    )


def test_a_token_that_cannot_be_sent_is_not_repeated(doctor: Doctor, url: str) -> None:
    result = doctor(url, token="secret\nvalue")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "secret" not in result.stderr


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:8181", "http://HOST:PORT"),
        ("ftp://localhost", "http://HOST:PORT"),
        ("http://", "http://HOST:PORT"),
        ("http://localhost:8181/v1/", "omit /v1"),
        ("http://localhost:port", "port"),
        ("http://ada:s3cret@localhost:8181", "***@localhost"),
        ("http://local\x07host", "Cannot use the address"),
    ],
)
def test_an_address_that_is_none_ends_with_2(doctor: Doctor, address: str, said: str) -> None:
    result = doctor(address)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "s3cret" not in result.stderr
    assert "\x07" not in result.stderr


def test_options_of_a_metastore_are_refused_with_it_and_its_own_without(doctor: Doctor, url: str) -> None:
    assert doctor(url, before=("--uri", "memory:")).exit_code == 2
    assert doctor(url, before=("--catalog", "prod")).exit_code == 2
    assert CliRunner().invoke(cli, ["--uri", "memory:", "doctor", "--view", "a.b"]).exit_code == 2


def test_nobody_there_ends_with_7(doctor: Doctor) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = doctor(f"http://127.0.0.1:{port}")
    assert (result.exit_code, result.stdout) == (7, "")
    assert "that the server is running" in result.stderr


def test_a_server_of_another_protocol_ends_with_7(doctor: Doctor) -> None:
    def speak(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=speak, args=(listener,))
        thread.start()
        result = doctor(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert (result.exit_code, result.stdout) == (7, "")
    assert "does not speak HTTP" in result.stderr


# -- TLS ---------------------------------------------------------------------------------------------------------------


@pytest.mark.peer("openssl")
class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        return self_signed(tmp_path / "tls", days=100)

    @pytest.fixture
    def encrypted(self, catalog: ViewCatalog, certificate: tuple[Path, Path]) -> Iterator[str]:
        with served(create_app(ServedCatalogs({"hive": catalog})), certificate) as address:
            yield address

    def test_version_and_days_of_a_trusted_certificate_are_shown(
        self, doctor: Doctor, encrypted: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        found = checks(doctor(encrypted, "--output", "json"))["encryption"]
        assert (found["ok"], found["found"]) == (True, "TLSv1.3; the certificate expires in 99 days")

    def test_one_that_ends_soon_is_to_be_renewed(
        self, doctor: Doctor, catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        certificate = self_signed(tmp_path / "soon", days=3)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with served(create_app(ServedCatalogs({"hive": catalog})), certificate) as address:
            found = checks(doctor(address, "--output", "json"))["encryption"]
        assert (found["ok"], found["advice"]) == (None, "Renew the certificate.")

    def test_an_unknown_authority_ends_with_7_and_with_what_to_set(self, doctor: Doctor, encrypted: str) -> None:
        result = doctor(encrypted)
        assert (result.exit_code, result.stdout) == (7, "")
        assert "SSL_CERT_FILE" in result.stderr

    def test_the_wrong_scheme_is_told(self, doctor: Doctor, encrypted: str, url: str) -> None:
        assert "specify https://" in doctor(encrypted.replace("https", "http")).stderr
        assert "specify http://" in doctor(url.replace("http", "https")).stderr


def test_a_server_elsewhere_without_tls_is_pointed_out(
    doctor: Doctor, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = url.replace("127.0.0.1", "views.example.org")
    monkeypatch.setattr(socket, "getaddrinfo", _resolving_to_this_machine(socket.getaddrinfo))
    found = checks(doctor(elsewhere, "--output", "json", token=WRITER))["encryption"]
    assert found["ok"] is None
    assert found["found"] == "none: the token and all SQL can be read on the network"


def _resolving_to_this_machine(real: Callable[..., Any]) -> Callable[..., Any]:
    def resolve(_: str, *arguments: Any) -> Any:
        return real("127.0.0.1", *arguments)

    return resolve


# -- servers of others -------------------------------------------------------------------------------------------------


def server_of(config: Response | dict[str, Any], rest: Response | None = None, at: str = "") -> Starlette:
    """One that gives this configuration, and one answer to all else."""

    async def configuration(_: Request) -> Response:
        return JSONResponse(config) if isinstance(config, dict) else config

    async def other(_: Request) -> Response:
        return rest or error(404, "NoSuchNamespaceException", "no")

    methods = ["GET", "HEAD", "POST", "DELETE"]
    return Starlette(routes=[Route(f"{at}/v1/config", configuration), Route("/{path:path}", other, methods=methods)])


def error(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"error": {"message": message, "type": kind, "code": status}}, status_code=status)


BARE = {"defaults": {}, "overrides": {}}


def test_without_a_list_of_endpoints_clients_in_java_need_a_setting(doctor: Doctor) -> None:
    with served(server_of(BARE)) as url:
        found = checks(doctor(url, "--output", "json"))["view routes"]
    assert found["ok"] is None
    assert "view-endpoints-supported=true" in found["advice"]


@pytest.mark.parametrize(
    ("endpoints", "said"),
    [
        (["GET /v1/config"], "none: this server does not support views"),
        (
            ["GET /v1/{prefix}/namespaces/{namespace}/views", "GET /v1/{prefix}/namespaces/{namespace}/views/{view}"],
            "missing: exists, create, replace, rename, drop and register",
        ),
    ],
)
def test_routes_that_are_missing_are_named_and_end_with_6(doctor: Doctor, endpoints: list[str], said: str) -> None:
    with served(server_of({**BARE, "endpoints": endpoints})) as url:
        result = doctor(url, "--output", "json")
    assert result.exit_code == 6
    assert checks(result)["view routes"]["found"] == said
    assert checks(result)["role"]["ok"] is None


def test_prefix_and_path_of_the_address_are_kept(doctor: Doctor) -> None:
    asked: list[str] = []

    async def other(request: Request) -> Response:
        asked.append(f"{request.method} {request.scope['raw_path'].decode()}")
        return JSONResponse({"namespaces": [["a", "b c"]], "identifiers": []})

    app = server_of({"defaults": {"prefix": "x/y"}, "overrides": {"namespace-separator": "%2E"}}, at="/catalog")
    app.router.routes[-1] = Route("/{path:path}", other, methods=["GET", "DELETE"])
    with served(app) as url:
        assert doctor(f"{url}/catalog/").exit_code == 0
    assert "GET /catalog/v1/x%2Fy/namespaces" in asked
    assert "GET /catalog/v1/x%2Fy/namespaces/a%2Eb%20c/views" in asked


@pytest.mark.parametrize(
    ("config", "code", "said"),
    [
        (PlainTextResponse("<html>Welcome to nginx</html>", 404), 7, "is not an Iceberg REST catalog"),
        (PlainTextResponse("[]"), 7, "is not an Iceberg REST catalog"),
        (JSONResponse({"status": "ok"}), 7, "/api/catalog"),
        (RedirectResponse("https://elsewhere.example.org/"), 7, "redirects to https://elsewhere.example.org/"),
        (error(500, "NullPointerException", "boom\n at"), 7, "boom at"),
        (error(400, "BadRequestException", "Please specify a warehouse"), 2, "Specify one with --warehouse"),
        (error(403, "ForbiddenException", "no"), 7, "requires a token"),
    ],
)
def test_what_gives_no_configuration_is_told_with_its_own_words(
    doctor: Doctor, config: Response, code: int, said: str
) -> None:
    with served(server_of(config)) as url:
        result = doctor(url)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in result.stderr


@pytest.mark.parametrize("status", [404, 500])
def test_a_role_is_not_guessed(doctor: Doctor, status: int) -> None:
    with served(server_of(BARE, PlainTextResponse("\x1b[2Jno", status))) as url:
        result = doctor(url, "--output", "json")
    assert checks(result)["role"]["ok"] is None
    assert (result.exit_code, checks(result)["namespaces"]["ok"]) == (6, False)
    assert "\x1b" not in result.stdout


def test_clocks_that_differ_are_told(doctor: Doctor) -> None:
    config = JSONResponse(BARE, headers={"Date": "Mon, 23 Nov 2015 16:33:35 GMT"})
    with served(server_of(config)) as url:
        result = doctor(url, "--output", "json")
    assert (result.exit_code, checks(result)["clock"]["ok"]) == (6, False)
    assert "behind" in checks(result)["clock"]["found"]
