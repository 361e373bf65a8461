"""A server beside a metastore that refuses it for a while, and the settings that it is started with."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from hive_views.cli import cli
from hive_views.config import REST_READ_ONLY_TOKEN, REST_TOKEN, Settings, resolve
from hive_views.rest.access import Access
from hive_views.rest.request_limits import Limits
from hive_views.rest.server import Serving
from tests.support.failing.scripted_metastore import ScriptedMetastore
from tests.support.processes.rest_client import creation
from tests.unit.metastore.sasl_metastore import SaslMetastore

NAMESPACES, VIEWS = "/v1/namespaces", "/v1/namespaces/sales/views"
PASSWORD = "üs3cret"


def client_of(**catalogs: Settings) -> TestClient:
    """A client of a server as each of its processes makes it."""
    serving = Serving(catalogs, client_names={}, on_drift="fail", access=Access({}), limits=Limits(), threads=4)
    return TestClient(pickle.loads(pickle.dumps(serving)).app())


def error_of(client: TestClient, method: str, url: str, **given: object) -> tuple[int, str]:
    answer = client.request(method, url, **given)  # type: ignore[arg-type]
    return answer.status_code, answer.json()["error"]["message"]


def test_a_server_that_the_metastore_refuses_serves_again_once_it_is_taken() -> None:
    """As when a ticket has expired, and is renewed: each new connection asks for it again."""
    with SaslMetastore(get_databases=["sales"]) as metastore:
        client = client_of(hive=Settings(uri=metastore.uri, auth="plain", user="ada", password=PASSWORD))
        with client:
            assert client.get(NAMESPACES).json()["namespaces"] == [["sales"]]
            metastore.takes_nobody = True
            # Of a connection that is open nobody asks again whose it is.
            assert client.get(NAMESPACES).status_code == 200
            metastore.disconnect()
            for _ in range(2):
                status, message = error_of(client, "GET", NAMESPACES)
                assert (status, "'ada'" in message, PASSWORD in message) == (503, True, False)
            status, message = error_of(client, "POST", VIEWS, json=creation())
            assert (status, message.endswith("This attempt changed nothing.")) == (424, True)
            assert client.get("/healthz").status_code == 200
            metastore.takes_nobody = False
            assert client.get(NAMESPACES).status_code == 200


def test_one_metastore_that_refuses_takes_no_other_catalog_away() -> None:
    with SaslMetastore(get_databases=["a"]) as away, ScriptedMetastore(get_databases=["b"]) as there:
        away.takes_nobody = True
        refused = Settings(uri=away.uri, auth="plain", user="ada", password=PASSWORD)
        with client_of(refused=refused, open=Settings(uri=there.uri)) as client:
            assert error_of(client, "GET", "/v1/refused/namespaces")[0] == 503
            assert client.get("/v1/open/namespaces").json()["namespaces"] == [["b"]]


@pytest.mark.peer("gssapi")
def test_kerberos_of_the_configuration_file_is_tried_again_at_each_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gssapi", reason="gssapi is not installed: pip install 'hive_views[kerberos]'")
    monkeypatch.delenv("KRB5_CLIENT_KTNAME", raising=False)
    with ScriptedMetastore() as metastore:
        config = tmp_path / "hive-views.toml"
        config.write_text(
            f'[catalogs.prod]\nuri = "{metastore.uri}"\nauth = "kerberos"\nkerberos-service = "hms"\n'
            f'kerberos-hostname = "metastore.example.org"\n'
        )
        with client_of(prod=resolve("prod", config=config, environment={}).settings) as client:
            for cache in ("first", "second"):
                monkeypatch.setenv("KRB5CCNAME", f"FILE:{tmp_path / cache}")
                status, message = error_of(client, "GET", NAMESPACES)
                assert status == 503
                for part in ("kinit", "hms/metastore.example.org", f"FILE:{tmp_path / cache}"):
                    assert part in message


# -- settings ----------------------------------------------------------------------------------------------------------


def test_tokens_in_the_environment_are_no_settings_of_a_catalog() -> None:
    tokens = {REST_TOKEN: "w" * 24, REST_READ_ONLY_TOKEN: "r" * 24}
    assert resolve(environment={"HIVE_VIEWS_URI": "memory:", **tokens}).settings.uri == "memory:"


@pytest.mark.parametrize(
    ("setting", "options", "variables", "said"),
    [
        ("uri", [], {"HIVE_VIEWS_URI": "memory:"}, "environment variable HIVE_VIEWS_URI"),
        ("warehouse", [], {"HIVE_VIEWS_WAREHOUSE": "memory://x"}, "environment variable HIVE_VIEWS_WAREHOUSE"),
        ("warehouse", ["--warehouse", "memory://x"], {}, "argument"),
    ],
)
def test_several_catalogs_do_not_get_one_metastore_or_warehouse_from_beside_the_file(
    tmp_path: Path, setting: str, options: list[str], variables: dict[str, str], said: str
) -> None:
    """A view would be dropped in another catalog than the one that its client named."""
    config = tmp_path / "hive-views.toml"
    config.write_text('[catalogs.prod]\nuri = "memory:"\n[catalogs.test]\nuri = "memory:"\n')
    arguments = ["--config", str(config), *options, "serve", "prod", "test", "--host", "none.invalid", "--no-tokens"]
    result = CliRunner().invoke(cli, arguments, env=variables)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert f"cannot share one {setting} (from the {said})" in " ".join(result.output.split())


def test_several_workers_do_not_each_have_a_metastore_in_memory() -> None:
    arguments = ["--uri", "memory:", "serve", "--workers", "2", "--host", "none.invalid", "--no-tokens"]
    result = CliRunner().invoke(cli, arguments)
    assert (result.exit_code, "--workers 1" in result.output) == (2, True)
