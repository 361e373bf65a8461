"""The image of the metastore keeps the promises of docker/README.md."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest
from testcontainers.core.container import DockerContainer

from hive_views.metastore.thrift.hms import HiveMetastore
from tests.containers.container_state import QUICK_HEALTH_CHECK, exit_code, logs, wait_for_health
from tests.support.containers.images import metastore, provide
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.containers.session import Session
from tests.support.processes.starting import free_port

_VERSION = "4.0.1"
_SETTINGS = {"metastore.batch.retrieve.max": "77", "my.own": "a=<b>&c"}


@pytest.fixture(scope="module")
def image(container_session: Session) -> str:
    return provide(container_session.client, metastore(_VERSION))


@pytest.fixture(scope="module")
def uri() -> str:
    return f"thrift://127.0.0.1:{free_port()}"


@pytest.fixture(scope="module")
def on_derby(container_session: Session, image: str, uri: str) -> Iterator[DockerContainer]:
    """The image as it comes: its own user, its own health check, Derby."""
    ports = {9083: int(uri.rsplit(":", 1)[1])}
    container = container_session.run(image, "on-derby", ports=ports, healthcheck=QUICK_HEALTH_CHECK)
    yield container
    container_session.remove(container)


def test_it_runs_on_derby_without_any_setting_is_healthy_once_it_answers_and_is_not_root(
    on_derby: DockerContainer, uri: str
) -> None:
    states = wait_for_health(on_derby, "healthy")
    assert states[0] == "starting"
    assert states[-1] == "healthy", logs(on_derby)
    client = HiveMetastore(uri)
    client.create_namespace("made_here")
    assert client.list_namespaces() == ["default", "made_here"]
    client.close()
    code, user = on_derby.exec(["id", "-u"])
    assert (code, user.decode().strip()) == (0, "1000")


def test_it_is_unhealthy_while_its_port_accepts_and_nobody_answers(on_derby: DockerContainer) -> None:
    assert wait_for_health(on_derby, "healthy")[-1] == "healthy"
    process = on_derby.get_wrapped_container()
    process.kill(signal="SIGSTOP")
    try:
        assert on_derby.exec(["/opt/metastore/answers"]).exit_code != 0
    finally:
        process.kill(signal="SIGCONT")
    assert on_derby.exec(["/opt/metastore/answers"]).exit_code == 0


def test_it_stops_while_it_waits_for_its_database(container_session: Session, image: str) -> None:
    # Many settings, so that the signal may also come while they are written; more than once, since it may come after.
    environment = {
        "DATABASE": "postgres",
        "DATABASE_HOST": "127.0.0.1",
        "DATABASE_TIMEOUT_S": "600",
        "SETTINGS": "\n".join(f"some.setting.{number}=1" for number in range(2_000)),
    }
    for _ in range(4):
        waiting = container_session.run(image, "waiting", environment=environment)
        # The first process of a container gets no signal before it has said what to do about it: its script has begun.
        waiting.exec(["true"])
        waiting.get_wrapped_container().stop(timeout=30)
        assert exit_code(waiting, 1) == 143
        container_session.remove(waiting)


def test_it_waits_for_its_database_no_longer_than_configured_and_says_where_it_looked(
    container_session: Session, image: str
) -> None:
    environment = {"DATABASE": "mariadb", "DATABASE_HOST": "127.0.0.1", "DATABASE_TIMEOUT_S": "1"}
    alone = container_session.run(image, "alone", environment=environment)
    assert exit_code(alone, 30) == 1
    assert "no answer from mariadb at 127.0.0.1:3306" in logs(alone)
    container_session.remove(alone)


def test_a_database_with_the_schema_of_another_version_is_left_alone(metastore_servers: MetastoreServers) -> None:
    older = metastore_servers.shared("3.1.3", "postgres")
    refused = metastore_servers.own(_VERSION, "postgres", database=older.database)
    with pytest.raises(RuntimeError, match=r"the database has the schema of Hive 3\.1\.0"), refused:
        pytest.fail("it started")
    assert "default" in older.client.list_namespaces()


@pytest.fixture(scope="module")
def on_postgres(metastore_servers: MetastoreServers) -> Iterator[MetastoreServer]:
    with metastore_servers.own(_VERSION, "postgres", settings=_SETTINGS, environment={"LOG_LEVEL": "INFO"}) as server:
        yield server


def test_settings_of_hive_are_taken_whatever_is_in_them(on_postgres: MetastoreServer) -> None:
    """By the other versions and on Derby, in the tests of Kerberos."""
    code, file = on_postgres.container.exec(["cat", "/tmp/metastore/hive-site.xml"])
    assert code == 0
    found = {one.findtext("name"): one.findtext("value") for one in ET.fromstring(file)}
    assert _SETTINGS.items() <= found.items()


def test_rows_and_address_survive_a_restart(on_postgres: MetastoreServer) -> None:
    on_postgres.client.create_namespace("kept")
    on_postgres.container.get_wrapped_container().restart()
    on_postgres.wait_until_ready()
    assert "kept" in on_postgres.client.list_namespaces()
    assert on_postgres.logs().count("making the schema") == 1


def test_it_stops_in_order_on_a_signal(on_postgres: MetastoreServer) -> None:
    """The last one on this server."""
    before = on_postgres.logs().count("Shutting down hive metastore")
    on_postgres.container.get_wrapped_container().stop(timeout=60)
    assert exit_code(on_postgres.container, 1) == 143  # ended by SIGTERM itself, and not by force after the time-out
    assert on_postgres.logs().count("Shutting down hive metastore") == before + 1
