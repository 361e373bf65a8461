"""What doctor reports of addresses that no catalog can use, each met on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.metastore.thrift.auth import TLS, Plain
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.processes.starting import free_port

UNUSABLE = 7


@pytest.fixture(scope="module")
def plain_server(metastore_servers: MetastoreServers) -> MetastoreServer:
    return metastore_servers.shared("4.0.1", "postgres")


@pytest.fixture(scope="module")
def tls_server(
    metastore_servers: MetastoreServers, plain_server: MetastoreServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MetastoreServer]:
    """A server that takes encrypted connections only, with a certificate that it signed itself."""
    directory = tmp_path_factory.mktemp("tls")
    # The image's Java has what makes keys, and sees this directory at the same path.
    keys = ["-keystore", f"{directory}/keys.p12", "-storepass", "secret", "-alias", "hms"]
    host = urlsplit(plain_server.uri).hostname or ""
    names = f"san={'ip' if host[0].isdigit() else 'dns'}:{host}"
    for command in (
        ["-genkeypair", "-keyalg", "EC", "-dname", "CN=metastore", "-ext", names, "-ext", "bc=ca:true", *keys],
        ["-exportcert", "-rfc", "-file", f"{directory}/cert.pem", *keys],
    ):
        code, output = plain_server.container.exec(["keytool", *command])
        assert code == 0, output
    settings = {
        "metastore.use.SSL": "true",
        "metastore.keystore.path": f"{directory}/keys.p12",
        "metastore.keystore.password": "secret",
        "metastore.keystore.type": "PKCS12",
    }
    trusted = TLS(ca_file=f"{directory}/cert.pem")
    with metastore_servers.own(
        "4.0.1",
        "postgres",
        settings=settings,
        connect=lambda uri: HiveMetastore(uri, tls=trusted),
        database=plain_server.database,
    ) as server:
        yield server


@pytest.fixture(scope="module")
def guarded_server(plain_server: MetastoreServer, metastore_servers: MetastoreServers) -> Iterator[MetastoreServer]:
    """A server that wants to know who calls: the same negotiation that Kerberos is built on, with a password."""
    settings = {
        "metastore.authentication": "CONFIG",
        "metastore.execute.setugi": "false",
        "metastore.authentication.config.username": "ada",
        "metastore.authentication.config.password": "secret",
    }
    with metastore_servers.own(
        "4.0.1",
        "postgres",
        settings=settings,
        connect=lambda uri: HiveMetastore(uri, auth=Plain("ada", "secret")),
        database=plain_server.database,
    ) as server:
        yield server


def doctor(uri: str, directory: Path) -> tuple[int, str]:
    environment = {
        "HIVE_VIEWS_URI": uri,
        "HIVE_VIEWS_WAREHOUSE": str(directory),
        "HIVE_VIEWS_READ_TIMEOUT_S": "10",
        "HOME": str(directory),
    }
    result = CliRunner().invoke(cli, ["doctor"], env=environment)
    return result.exit_code, result.stdout + result.stderr


def test_on_each_server_it_ends_well_and_without_a_red_line(server: MetastoreServer, tmp_path: Path) -> None:
    code, shown = doctor(server.uri, tmp_path)
    assert "BAD" not in shown
    assert code == 0
    assert server.uri in shown


def test_a_port_that_nobody_listens_on_is_reported_with_the_address(
    plain_server: MetastoreServer, tmp_path: Path
) -> None:
    uri = f"thrift://{urlsplit(plain_server.uri).hostname}:{free_port()}"
    code, shown = doctor(uri, tmp_path)
    assert code == UNUSABLE
    assert uri in shown
    assert "Check the address" in shown


def test_a_port_that_wants_tls_is_reported(tls_server: MetastoreServer, tmp_path: Path) -> None:
    code, shown = doctor(tls_server.uri, tmp_path)
    assert code == UNUSABLE
    assert "TLS" in shown


def test_a_server_that_wants_to_know_who_calls_is_reported(guarded_server: MetastoreServer, tmp_path: Path) -> None:
    code, shown = doctor(guarded_server.uri, tmp_path)
    assert code == UNUSABLE
    # It says so before it closes the connection, which the network may lose.
    assert "auth = kerberos" in shown
    assert "auth = plain" in shown
