"""The images of the tests, built where they are missing.

An image's tag is the hash of all that it is built from and of its base, so a change makes a new image, and without one
there is nothing to do. ``python -m tests.support.containers.images`` builds all of them.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, ImageNotFound

from tests.support.containers.session import NoEngineError, connect, lock_directory

log = logging.getLogger(__name__)

_ROOT = Path(__file__).parents[3]
# Names the image that all are built on, as docker/base-image makes it where no registry is in reach.
_BASE_VARIABLE = "BASE_IMAGE"
_PUBLIC_BASE = "debian:trixie-slim"
_OWN_BASES = "hive-views/base"


@dataclass(frozen=True)
class Image:
    """An image that is built from this project.

    Attributes:
        name: without its tag.
        folder: where its Dockerfile is.
        arguments: of the build.
        sources: what else of the project is built into it; with any, paths in the Dockerfile are those of the project.
    """

    name: str
    folder: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


def metastore(version: str) -> Image:
    return Image(f"hive-views/metastore-{version}", "docker/metastore", {"VERSION": version})


POSTGRES = Image("hive-views/test-postgres", "tests/support/containers/postgres")
MARIADB = Image("hive-views/test-mariadb", "tests/support/containers/mariadb")
HIVE = Image("hive-views/hive", "docker/hive")
TRINO = Image("hive-views/trino", "docker/trino")
REST = Image("hive-views/rest", "docker/rest", sources=("hive_views", "pyproject.toml", "README.md", "LICENSE"))
METASTORE_VERSIONS = ("4.0.1", "3.1.3", "4.2.1", "2.3.10")
# The first ones are those of the tests with engines, which are the first with containers.
ALL = (POSTGRES, metastore(METASTORE_VERSIONS[0]), HIVE, TRINO, *map(metastore, METASTORE_VERSIONS[1:]), MARIADB, REST)


def provide(client: docker.DockerClient, image: Image) -> str:
    """The name of an image with its tag, built first where it is missing.

    Raises:
        NoEngineError: the engine has no base image and cannot get one.
    """
    base = base_image(client)
    tag = f"{image.name}:{content_hash(image, base)}"
    # Who comes while another process builds it, waits for that.
    with (lock_directory() / tag.replace("/", "-")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            client.images.get(tag)
        except ImageNotFound:
            _build(client, image, base, tag)
    return tag


def _build(client: docker.DockerClient, image: Image, base: str, tag: str) -> None:
    log.info("building %s", tag)
    arguments = {**image.arguments, "BASE": base}
    context = _ROOT if image.sources else _ROOT / image.folder
    file = str(_ROOT / image.folder / "Dockerfile")
    try:
        client.images.build(
            path=str(context), dockerfile=file, tag=tag, buildargs=arguments, network_mode="host", rm=True
        )
    except BuildError as error:
        printed = "".join(line.get("stream", "") for line in error.build_log)
        raise RuntimeError(f"cannot build {tag}: {error}\n{printed[-5_000:]}") from error


def base_image(client: docker.DockerClient) -> str:
    """The image that all others are built from: the one that is named, else one made here, else the public one."""
    named = os.environ.get(_BASE_VARIABLE)
    if named:
        return named
    made_here = client.images.list(_OWN_BASES)
    if made_here:
        newest = max(made_here, key=lambda image: str(image.attrs["Created"]))
        return str(newest.tags[0])
    try:
        client.images.get(_PUBLIC_BASE)
    except ImageNotFound:
        try:
            client.images.pull(_PUBLIC_BASE)
        except APIError as error:
            raise NoEngineError(f"cannot get {_PUBLIC_BASE}; docker/base-image makes another: {error}") from error
    return _PUBLIC_BASE


def content_hash(image: Image, base: str) -> str:
    """The hash of all that an image is made of."""
    found = hashlib.sha256(repr((base, sorted(image.arguments.items()))).encode())
    for path in _files(_ROOT / image.folder):
        name = str(path.relative_to(_ROOT / image.folder))
        found.update(repr((name, path.stat().st_mode & 0o111, path.read_bytes())).encode())
    for source in image.sources:
        for path in _files(_ROOT / source):
            found.update(repr((str(path.relative_to(_ROOT)), path.read_bytes())).encode())
    return found.hexdigest()[:12]


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and path.parent.name != "__pycache__")


if __name__ == "__main__":
    engine = connect()
    for each in ALL:
        print(provide(engine, each), file=sys.stderr)
