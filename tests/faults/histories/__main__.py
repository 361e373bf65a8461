"""``python -m tests.faults.histories``: clients of every metastore and store at once, and HISTORIES.md about them.

Needs containers, Java, Go and moto. Fails where a history is not linearizable, which HISTORIES.md says then.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import docker

from hive_views.metastore.embedded.java import find_java
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.faults.histories.cells import CALLS, CELLS, EMBEDDED, Cell, Place, Result, Run
from tests.faults.histories.history import Judge
from tests.faults.histories.published import PUBLISHED, Row, key_of, read, written
from tests.support.containers.images import base_image, provide
from tests.support.containers.images import metastore as metastore_image
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import Session, connect
from tests.support.java.connectors import ICEBERG, ICEBERG_VERSION, fetch_jars
from tests.support.processes.s3_server import S3Server, s3_server

_SEED = 24
_STARTING = threading.Lock()
# A metastore asks for the file system of a location that Iceberg Java writes, and does nothing with it.
_KNOWS_S3 = {"fs.s3.impl": "org.apache.hadoop.fs.http.HttpFileSystem"}
_AWS = (("org.apache.iceberg", "iceberg-aws-bundle", ICEBERG_VERSION),)


@contextmanager
def metastore(cell: Cell, servers: MetastoreServers, directory: Path) -> Iterator[tuple[HiveMetastore, str]]:
    """One of the cell's own, and its URI."""
    if cell.server == EMBEDDED:
        with LocalMetastore(directory / "metastore") as local, closing(HiveMetastore(str(local.uri))) as client:
            yield client, str(local.uri)
    else:
        with servers.own(cell.server, "postgres", settings=_KNOWS_S3 if cell.store == "S3" else None) as server:
            yield server.client, server.uri


def run(
    cell: Cell, servers: MetastoreServers, s3: S3Server, jars: Sequence[Path], hive_3: Path, judge: Judge, scratch: Path
) -> Result:
    directory = scratch / cell.name.replace(", ", "-").replace(" ", "-")
    directory.mkdir()
    with ExitStack() as stack:
        # A session starts what it shares, such as the database, for one at a time.
        with _STARTING:
            client, uri = stack.enter_context(metastore(cell, servers, directory))
        if cell.store == "S3":
            warehouse, environment, java = f"s3://{s3.new_bucket()}/views", *_s3(s3)
        else:
            warehouse, environment, java = f"file://{directory}/views", {}, {}
        place = Place(client, uri, warehouse, environment, java, jars, hive_3 if cell.server.startswith("4.") else None)
        return Run(cell, place, directory / "history", _SEED)(judge)


def client_of_hive_3(client: docker.DockerClient, directory: Path) -> Path:
    """A directory with the jars of Hive 3.1.3's metastore, whose client can ask Hive 4 as well.

    Spark's, which is of Hive 2.3, cannot, and Iceberg does not go with that of Hive 4.
    """
    container = client.containers.create(provide(client, metastore_image("3.1.3")))
    try:
        packed, _ = container.get_archive("/opt/metastore/lib")
        archive = directory / "lib.tar"
        with archive.open("wb") as file:
            file.writelines(packed)
    finally:
        container.remove()
    with tarfile.open(archive) as copied:
        copied.extractall(directory, filter="data")
    return directory / "lib"


def _s3(s3: S3Server) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """How our clients find the store, and how Iceberg's do."""
    environment = {
        "AWS_ACCESS_KEY_ID": s3.options["key"],
        "AWS_SECRET_ACCESS_KEY": s3.options["secret"],
        "AWS_ENDPOINT_URL": s3.url,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    java = {
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint": s3.url,
        "s3.path-style-access": "true",
    }
    return environment, java


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.histories", description=__doc__)
    names = [cell.name for cell in CELLS]
    parser.add_argument("--cell", action="append", choices=names, help="only this one; the others' results stay")
    parser.add_argument("--calls", type=int, default=CALLS, help="of each cell, at least")
    parser.add_argument("--keep", type=Path, help="a new directory that the histories stay in")
    parser.add_argument("--at-once", type=int, default=2, help="how many cells are run side by side")
    asked = parser.parse_args(arguments)
    started_s = time.monotonic()
    logging.getLogger("hive_views").setLevel(logging.CRITICAL)

    def say(what: str) -> None:
        print(f"{time.monotonic() - started_s:6.0f} s  {what}", file=sys.stderr, flush=True)

    cells = [replace(cell, calls=asked.calls) for cell in CELLS if not asked.cell or cell.name in asked.cell]
    rows = {row.key: row for row in read(PUBLISHED.read_text(encoding="utf-8"))} if PUBLISHED.exists() else {}
    # What is installed beside the tests is installed.
    os.environ["REQUIRE_PEERS"] = "1"
    with ExitStack() as stack:
        scratch = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scratch.mkdir(parents=True, exist_ok=True)
        judge = Judge(scratch)
        jars = [path for modules in (ICEBERG, _AWS) for path in fetch_jars(find_java(), scratch, modules)]
        s3 = stack.enter_context(s3_server(scratch))
        client = connect()
        base_image(client)
        hive_3 = client_of_hive_3(client, scratch)
        servers = MetastoreServers(stack.enter_context(closing(Session(client, scratch))))
        stack.callback(servers.close)

        def judged(cell: Cell) -> None:
            try:
                result = run(cell, servers, s3, jars, hive_3, judge, scratch)
            except BaseException as error:
                say(f"{cell.name}: {error!r}")
                raise
            row = Row.of(cell, result)
            say(f"{row}\n{result.judgement}\n" + "".join(f"    {n:5} {e}\n" for e, n in result.errors.most_common()))
            rows[row.key] = row
            # What is known stays, whatever becomes of the other cells.
            found = [rows[key] for key in map(key_of, CELLS) if key in rows]
            PUBLISHED.write_text(written(found, ICEBERG_VERSION), encoding="utf-8")

        with ThreadPoolExecutor(asked.at_once) as pool:
            list(pool.map(judged, cells))
    return int(any(row.violations for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
