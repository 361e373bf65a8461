"""The image of ``hive-views serve`` keeps the promises of docker/README.md."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.config import REST_READ_ONLY_TOKEN, REST_TOKEN
from hive_views.views.catalog import ViewCatalog
from tests.containers.container_state import QUICK_HEALTH_CHECK, exit_code, logs, wait_for_health
from tests.support.containers.images import REST, provide
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import Session
from tests.support.processes.certificates import self_signed
from tests.support.processes.starting import free_port

TOKEN = "read-only-token-of-a-container"


@pytest.fixture(scope="module")
def image(container_session: Session) -> str:
    return provide(container_session.client, REST)


def test_without_tokens_it_does_not_start_and_it_is_not_root(container_session: Session, image: str) -> None:
    alone = container_session.run(image, "rest-alone", environment={"HIVE_VIEWS_URI": "memory:"})
    assert exit_code(alone, 60) == 2
    assert "Set tokens" in logs(alone)
    container_session.remove(alone)
    assert container_session.client.images.get(image).attrs["Config"]["User"] == "hive-views"


@pytest.mark.peer("openssl")
def test_a_client_loads_a_view_of_a_metastore_through_it_with_tls_a_file_of_tokens_and_several_processes(
    container_session: Session,
    image: str,
    metastore_servers: MetastoreServers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metastore = metastore_servers.shared("4.0.1", "postgres")
    catalog = ViewCatalog(metastore.client, warehouse=f"file:{tmp_path}/views")
    catalog.create_namespace("rest_image")
    catalog.create_view("rest_image.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    tokens = tmp_path / "tokens.toml"
    tokens.write_text('[tokens.etl]\ntoken = "read-write-token-of-a-container"\nrole = "read-write"\n')
    tokens.chmod(0o600)
    certificate, key = self_signed(tmp_path / "tls")
    port = free_port()
    server = container_session.run(
        image,
        "rest",
        command=[
            *("--workers", "2", "--tokens", "/run/secrets/tokens.toml"),
            *("--tls-cert-file", "/run/secrets/cert.pem", "--tls-key-file", "/run/secrets/key.pem"),
        ],
        environment={"HIVE_VIEWS_URI": metastore.uri_inside, REST_READ_ONLY_TOKEN: TOKEN},
        ports={8181: port},
        files={
            "/run/secrets/tokens.toml": tokens,
            "/run/secrets/cert.pem": certificate,
            "/run/secrets/key.pem": key,
        },
        # What the tests write belongs to who runs them.
        user=f"{os.getuid()}:0",
        healthcheck=QUICK_HEALTH_CHECK,
    )
    states = wait_for_health(server, "healthy")
    assert (states[0], states[-1]) == ("starting", "healthy"), logs(server)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    asked = CliRunner().invoke(
        cli,
        ["--output", "json", "doctor", "--rest", f"https://127.0.0.1:{port}", "--view", "rest_image.daily"],
        env={REST_TOKEN: TOKEN},
    )
    assert asked.exit_code == 0, asked.output + logs(server)
    found = {check["name"]: check["found"] for check in json.loads(asked.stdout)["checks"]}
    assert found["token"] == "accepted"
    assert found["role"].startswith("read-only")
    assert found["view"] == "rest_image.daily has SQL for hive"
    began = time.monotonic()
    server.get_wrapped_container().stop(timeout=60)
    assert time.monotonic() - began < 30
    assert exit_code(server, 1) == 0, logs(server)
    assert "GET /v1/namespaces/{namespace}/views/{view} rest_image.daily" in logs(server)
    assert TOKEN not in logs(server)
    container_session.remove(server)
