"""What this test session started in the container engine, and what a dead one left there.

Everything that is started carries a label with the path of a lock file. A session holds the lock of its file as long as
it lives, so whatever has a file that nobody locks belongs to a session that died, and is removed by the next one, or by
``python -m tests.support.containers.session``.
"""

from __future__ import annotations

import fcntl
import gc
import os
import tempfile
import uuid
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

import docker
from docker.errors import DockerException
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

LABEL = "hive-views.tests"
THIS_MACHINE = "host.docker.internal"
"""What containers call the machine that runs the tests."""
# Its image comes from a registry, which not everybody can reach; the lock files do its work.
testcontainers_config.ryuk_disabled = True


class NoEngineError(Exception):
    """No container engine answers, or it cannot get an image that others are built on."""


def connect() -> docker.DockerClient:
    """The engine of this machine.

    Raises:
        NoEngineError: none answers.
    """
    try:
        client = docker.from_env()
        client.ping()
    except DockerException as error:
        reason = str(error)
    else:
        return client
    # The socket that could not be connected is left open by the client library, and this would be complained of later.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    raise NoEngineError(f"no container engine answers: {reason}")


class Session:
    """The containers of one test session, in a network of their own where they find each other by name.

    Args:
        client: the engine.
        shared: a directory that all containers see at the same path, such as the one above all tests' own.
    """

    def __init__(self, client: docker.DockerClient, shared: Path) -> None:
        self.client = client
        self.shared = shared
        self.containers: list[DockerContainer] = []
        self.images_used: set[str] = set()
        locks = lock_directory() / "sessions"
        locks.mkdir(exist_ok=True)
        remove_leftovers(self.client, locks)
        self.lock_path = locks / uuid.uuid4().hex
        # Locked before others see it.
        unseen = lock_directory() / self.lock_path.name
        self._lock = unseen.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unseen.rename(self.lock_path)
        self.labels = {LABEL: str(self.lock_path)}
        self.network = self.client.networks.create(f"hive-views-tests-{self.lock_path.name[:12]}", labels=self.labels)

    def run(
        self,
        image: str,
        alias: str,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        ports: Mapping[int, int] | None = None,
        files: Mapping[str, Path] | None = None,
        **options: Any,
    ) -> DockerContainer:
        """Start a container.

        Args:
            image: its image, there already.
            alias: the name that other containers find it by.
            command: in place of the image's own.
            environment: its environment variables.
            ports: ports of the container -> ports of this machine.
            files: files of the container -> files of this machine that are seen there.
            options: anything that docker-py takes when a container is created.
        """
        network = {self.network.name: self.client.api.create_endpoint_config(aliases=[alias])}
        # What lives for minutes is not worth the second compiler, which takes half of all time here.
        container = DockerContainer(image).with_envs(
            **{"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1", **dict(environment or {})}
        )
        if command is not None:
            container.with_command(list(command))
        container.with_volume_mapping(self.shared, str(self.shared), "rw")
        for inside, outside in (ports or {}).items():
            container.with_bind_ports(inside, outside)
        for inside_path, path in (files or {}).items():
            container.with_volume_mapping(path, inside_path, "ro")
        # Asking every few seconds whether each container is well would cost more than the tests in them.
        defaults = {"healthcheck": {"test": ["NONE"]}, "labels": self.labels, "network": self.network.name}
        hosts = {THIS_MACHINE: "host-gateway"}
        container.with_kwargs(**{**defaults, "networking_config": network, "extra_hosts": hosts, **options})
        try:
            container.start()
        except BaseException:
            container.stop()
            raise
        self.containers.append(container)
        self.images_used.add(image)
        return container

    def remove(self, container: DockerContainer) -> None:
        """End a container and forget it, with its data."""
        self.containers.remove(container)
        container.stop()

    def logs_since(self, since_s: float) -> dict[str, str]:
        """What each container has logged since a time, where that is anything."""
        logs = {}
        for container in self.containers:
            wrapped = container.get_wrapped_container()
            text = wrapped.logs(since=since_s).decode(errors="replace")
            if text:
                logs[f"{container.image} ({wrapped.short_id})"] = text
        return logs

    def close(self) -> None:
        """Remove everything."""
        for container in list(self.containers):
            self.remove(container)
        self.network.remove()
        self.client.close()
        self.lock_path.unlink()
        self._lock.close()


def lock_directory() -> Path:
    """Where this user's test processes lock each other out."""
    directory = Path(tempfile.gettempdir(), f"hive-views-tests-{os.getuid()}")
    directory.mkdir(exist_ok=True)
    return directory


def remove_leftovers(client: docker.DockerClient, locks: Path) -> None:
    """Remove what sessions left that are dead."""
    for path in locks.iterdir():
        lock = _lock_of_the_dead(path)
        if lock is None:
            continue
        with lock:
            of_it = {"label": f"{LABEL}={path}"}
            for container in client.containers.list(all=True, filters=of_it):
                container.remove(force=True, v=True)
            for network in client.networks.list(filters=of_it):
                network.remove()
            path.unlink(missing_ok=True)


def _lock_of_the_dead(path: Path) -> IO[str] | None:
    """The lock of a session that is dead; None where it lives, or has just gone."""
    try:
        lock = path.open()
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def main() -> None:
    """Remove what dead sessions left, if an engine answers."""
    with suppress(NoEngineError), closing(connect()) as client:
        locks = lock_directory() / "sessions"
        locks.mkdir(exist_ok=True)
        remove_leftovers(client, locks)


if __name__ == "__main__":
    main()
