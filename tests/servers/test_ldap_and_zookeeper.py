"""A Hive 4.0.1 that asks an LDAP server about passwords, and registers itself in ZooKeeper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from hive_views import Plain, ViewCatalog
from hive_views.config import resolve
from hive_views.errors import AuthenticationError, MetastoreUnavailableError
from hive_views.metastore.open import open_metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.zookeeper import registered_metastores
from tests.servers.java_servers import USERS, ldap_server, zookeeper
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.containers.session import THIS_MACHINE
from tests.support.failing.wire import WireProxy

ADA = Plain("ada", "s3cret")


@pytest.fixture(scope="module")
def zookeeper_port(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with zookeeper(java, tmp_path_factory.mktemp("zookeeper")) as port:
        yield port


@pytest.fixture(scope="module")
def server(
    zookeeper_port: int, java: Path, metastore_servers: MetastoreServers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MetastoreServer]:
    with ExitStack() as stack:
        ldap_port = stack.enter_context(ldap_server(java, tmp_path_factory.mktemp("ldap")))
        settings = {
            "metastore.authentication": "LDAP",
            "metastore.execute.setugi": "false",
            "metastore.authentication.ldap.url": f"ldap://{THIS_MACHINE}:{ldap_port}",
            "metastore.authentication.ldap.userDNPattern": f"uid=%s,{USERS}",
            "metastore.service.discovery.mode": "zookeeper",
            "metastore.thrift.uris": f"{THIS_MACHINE}:{zookeeper_port}",
        }
        yield stack.enter_context(
            metastore_servers.own(
                "4.0.1",
                "mariadb",
                settings=settings,
                database=metastore_servers.shared("4.0.1", "mariadb").database,
                connect=lambda uri: HiveMetastore(uri, auth=ADA),
            )
        )


def test_the_password_of_an_ldap_server_opens_the_metastore(
    server: MetastoreServer, namespace: str, tmp_path: Path
) -> None:
    catalog = ViewCatalog.connect(server.uri, auth=ADA, warehouse=str(tmp_path))
    with closing(catalog):
        name = f"{namespace}.daily"
        catalog.create_view(name, sql={"hive": "SELECT 1 AS id, '' AS ds"}, partitioned_on=["ds"])
        catalog.partitions(name).add([{"ds": "2026-08-21"}])
        assert catalog.replace_view(name, sql={"hive": "SELECT 2 AS id, '' AS ds"}).current_version.version_id == 2


@pytest.mark.parametrize(
    ("auth", "kind", "words"),
    [
        (Plain("ada", "wr0ng"), AuthenticationError, "Check the password of 'ada'"),
        # Right, but the metastore takes each byte for a character.
        (Plain("eve", "üs3cret"), AuthenticationError, "in ASCII only"),
        # It only closes the connection.
        (None, MetastoreUnavailableError, r"a password \(auth=Plain"),
    ],
)
def test_who_is_not_let_in_is_told_why(
    server: MetastoreServer, auth: Plain | None, kind: type[Exception], words: str
) -> None:
    with closing(HiveMetastore(server.uri, auth=auth)) as metastore, pytest.raises(kind, match=words) as refusal:
        metastore.list_namespaces()
    assert "wr0ng" not in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


def test_the_files_of_the_cluster_are_enough_to_find_and_open_what_has_registered_itself(
    server: MetastoreServer, zookeeper_port: int, tmp_path: Path
) -> None:
    (tmp_path / "hive-site.xml").write_text(
        f"""<configuration>
        <property><name>hive.metastore.uris</name><value>127.0.0.1:{zookeeper_port}</value></property>
        <property><name>hive.metastore.service.discovery.mode</name><value>zookeeper</value></property>
        <property><name>hive.metastore.client.auth.mode</name><value>PLAIN</value></property>
        <property><name>hive.metastore.client.plain.username</name><value>ada</value></property>
        </configuration>"""
    )
    variables = {"HIVE_CONF_DIR": str(tmp_path), "HIVE_VIEWS_PASSWORD": "s3cret", "XDG_CONFIG_HOME": "/no/such"}
    settings = resolve(environment=variables).settings
    assert settings.uri == f"zookeeper://127.0.0.1:{zookeeper_port}/hive_metastore"
    (registered,) = registered_metastores(settings.uri, 10.0)
    # The name of its container, which this machine does not know.
    assert re.fullmatch(r"[0-9a-f]+:9083", registered)
    from kazoo.client import KazooClient

    client = KazooClient(f"127.0.0.1:{zookeeper_port}")
    client.start()
    with closing(client):
        client.set(
            f"/hive_metastore/{client.get_children('/hive_metastore')[0]}", server.uri.rpartition("/")[2].encode()
        )
        with closing(settings.connect()) as catalog:
            assert "default" in catalog.metastore.list_namespaces()
        client.stop()


def test_what_has_moved_is_looked_up_again(zookeeper_port: int, metastore_servers: MetastoreServers) -> None:
    from kazoo.client import KazooClient

    shared = metastore_servers.shared("4.0.1", "mariadb")
    uri = f"zookeeper://127.0.0.1:{zookeeper_port}/moved/here"
    with pytest.raises(MetastoreUnavailableError, match="No metastore is registered at"):
        open_metastore(uri)
    client = KazooClient(f"127.0.0.1:{zookeeper_port}")
    client.start()
    with closing(client), WireProxy.before_uri(shared.uri) as first, WireProxy.before_uri(shared.uri) as second:
        client.create("/moved/here/one", f"127.0.0.1:{first.port}".encode(), makepath=True)
        with closing(open_metastore(uri)) as metastore:
            metastore.list_namespaces()
            first.refuse()
            first.disconnect()
            client.set("/moved/here/one", f"127.0.0.1:{second.port}".encode())
            assert "default" in metastore.list_namespaces()
        client.stop()
    assert first.methods == ["set_ugi", "get_databases"]
    assert second.methods == ["set_ugi", "get_databases"]


def test_a_zookeeper_that_is_not_there_is_named() -> None:
    uri = "zookeeper://127.0.0.1:1/hive_metastore"
    with pytest.raises(MetastoreUnavailableError, match=re.escape(f"Cannot look up metastores at {uri}")):
        open_metastore(uri, connect_timeout_s=0.5)
