"""HDFS of the tests: NameNodes and DataNodes of Hadoop's own, in one Java, without a distribution."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars
from tests.support.java.other_java import other_java

_DATANODES = 2
_JARS = (
    "hadoop-client-api",
    "hadoop-client-runtime",
    "slf4j-api",
    "jcl-over-slf4j",
    "log4j-api",
    "log4j-core",
    "log4j-slf4j2-impl",
)
# Java has none of its own since 11, and WebHDFS does not start without.
_JAXB = ("javax.xml.bind", "jaxb-api", "2.3.1")


class Hdfs:
    """A running cluster: two NameNodes, the first of them active, and two DataNodes.

    Attributes:
        name: of its nameservice, the host of locations.
        addresses: where the NameNodes answer over HTTP.
        jvm: the Java that it is in.
    """

    name = "lake"

    def __init__(self, jvm: Any, cluster: Any) -> None:
        self.jvm = jvm
        self.cluster = cluster
        self.addresses = [urlsplit(str(cluster.getHttpUri(number))).netloc for number in range(2)]

    @property
    def options(self) -> dict[str, Any]:
        """How a client reaches it as the superuser: ``storage_options`` of a catalog."""
        return {"hdfs": "webhdfs", "namenodes": {self.name: self.addresses}}

    def new_directory(self) -> str:
        """The location of a directory that is not there yet."""
        return f"hdfs://{self.name}/{uuid.uuid4().hex[:12]}"

    def rpc_address(self, number: int = 0) -> str:
        """Where a NameNode answers by Hadoop's own protocol."""
        return f"localhost:{self.cluster.getNameNodePort(number)}"

    def fs(self, number: int = 0) -> Any:
        """Hadoop's own client of a NameNode."""
        return self.cluster.getFileSystem(number)

    def path(self, location: str) -> Any:
        """A location as Hadoop's own client has it."""
        return self.jvm.org.apache.hadoop.fs.Path(urlsplit(location).path)

    def copy(self, local: Path, location: str) -> None:
        """Copy a local directory into the cluster, by Hadoop's own client."""
        self.fs().copyFromLocalFile(self.jvm.org.apache.hadoop.fs.Path(str(local)), self.path(location))

    def write_configuration(self, directory: Path) -> Path:
        """Write the files that a client of a cluster finds in ``HADOOP_CONF_DIR``; returns their directory."""
        ids = {f"nn{number + 1}": number for number in range(2)}
        _write(directory / "core-site.xml", {"fs.defaultFS": f"hdfs://{self.name}"})
        _write(
            directory / "hdfs-site.xml",
            {
                "dfs.nameservices": self.name,
                f"dfs.ha.namenodes.{self.name}": ", ".join(ids),
                **{f"dfs.namenode.http-address.{self.name}.{one}": self.addresses[ids[one]] for one in ids},
                **{f"dfs.namenode.rpc-address.{self.name}.{one}": self.rpc_address(ids[one]) for one in ids},
            },
        )
        return directory

    @contextmanager
    def second_active(self) -> Iterator[None]:
        """While the second NameNode is the active one."""
        self.cluster.transitionToStandby(0)
        self.cluster.transitionToActive(1)
        try:
            yield
        finally:
            self.cluster.transitionToStandby(1)
            self.cluster.transitionToActive(0)

    @contextmanager
    def safe_mode(self) -> Iterator[None]:
        """While the active NameNode is in safe mode."""
        actions = getattr(self.jvm.org.apache.hadoop.hdfs.protocol, "HdfsConstants$SafeModeAction")
        self.fs().setSafeMode(actions.SAFEMODE_ENTER)
        try:
            yield
        finally:
            self.fs().setSafeMode(actions.SAFEMODE_LEAVE)


@contextmanager
def hdfs_cluster(java: Path, directory: Path) -> Iterator[Hdfs]:
    """A cluster until the block ends, with its files and its log in the directory; it takes ten seconds to start.

    The test skips where its jar cannot be had.
    """
    # The NameNode's server of HTTP and Spark's do not go together.
    own = [jar for name in _JARS for jar in find_jars().glob(f"{name}-*.jar")]
    try:
        jars = [
            *fetch_jars(java, directory, [("org.apache.hadoop", "hadoop-client-minicluster", _version()), _JAXB]),
            *own,
        ]
    except subprocess.SubprocessError as e:
        pytest.skip(f"Hadoop's NameNode cannot be fetched: {e}")
    with (
        (directory / "hdfs.log").open("w") as log,
        other_java(
            java, ["-Xmx512m"], jars, spark_jars=False, redirect_stdout=log, redirect_stderr=log, cwd=directory
        ) as jvm,
    ):
        hdfs = jvm.org.apache.hadoop.hdfs
        # What is on the disk matters to nobody after the tests.
        hdfs.server.namenode.EditLogFileOutputStream.setShouldSkipFsyncForTesting(True)
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        cluster = (
            getattr(hdfs, "MiniDFSCluster$Builder")(configuration, jvm.java.io.File(str(directory)))
            .nnTopology(hdfs.MiniDFSNNTopology.simpleHATopology())
            .numDataNodes(_DATANODES)
            .build()
        )
        cluster.transitionToActive(0)
        cluster.waitActive()
        yield Hdfs(jvm, cluster)
        cluster.shutdown()


def _write(file: Path, properties: Mapping[str, str]) -> None:
    found = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items()
    )
    file.write_text(f"<configuration>{found}</configuration>")


def _version() -> str:
    """That of Hadoop's client among PySpark's jars, which the NameNode shares its classes with."""
    [client] = find_jars().glob("hadoop-client-api-*.jar")
    return client.stem.rpartition("-")[2]
