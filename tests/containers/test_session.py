"""Sessions leave nothing in the container engine, also when they are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import docker
import pytest

from tests.support.containers.images import POSTGRES, provide
from tests.support.containers.session import LABEL, Session, remove_leftovers

_STARTS_ONE_AND_WAITS = """
import sys
from pathlib import Path
from tests.support.containers.session import Session, connect
session = Session(connect(), Path(sys.argv[1]))
session.run(sys.argv[2], "left-behind")
print(session.lock_path, flush=True)
sys.stdin.read()
"""


def started_by(client: docker.DockerClient, lock_path: str) -> tuple[int, int]:
    """How many containers and networks a session has."""
    of_it = {"label": f"{LABEL}={lock_path}"}
    return len(client.containers.list(all=True, filters=of_it)), len(client.networks.list(filters=of_it))


def test_what_a_killed_session_left_is_removed_by_the_next_and_what_a_living_one_has_is_not(
    container_session: Session, tmp_path: Path
) -> None:
    client, image = container_session.client, provide(container_session.client, POSTGRES)
    command = [sys.executable, "-c", _STARTS_ONE_AND_WAITS, str(tmp_path), image]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        lock_path = other.stdout.readline().strip()
        remove_leftovers(client, Path(lock_path).parent)
        assert started_by(client, lock_path) == (1, 1)
        other.send_signal(signal.SIGKILL)
    remove_leftovers(client, Path(lock_path).parent)
    assert started_by(client, lock_path) == (0, 0)
    assert started_by(client, str(container_session.lock_path))[1] == 1


def test_a_closed_session_has_nothing_left(container_session: Session, tmp_path: Path) -> None:
    client, image = container_session.client, provide(container_session.client, POSTGRES)
    session = Session(docker.from_env(), tmp_path)
    session.run(image, "short-lived")
    assert started_by(client, str(session.lock_path)) == (1, 1)
    session.close()
    assert started_by(client, str(session.lock_path)) == (0, 0)
    assert not session.lock_path.exists()


def test_a_container_that_does_not_start_is_removed_with_its_session(
    container_session: Session, tmp_path: Path
) -> None:
    image = provide(container_session.client, POSTGRES)
    session = Session(docker.from_env(), tmp_path)
    try:
        with pytest.raises(docker.errors.APIError):
            session.run(image, "wrong", command=["/no/such/program"])
    finally:
        session.close()
    assert started_by(container_session.client, str(session.lock_path)) == (0, 0)
