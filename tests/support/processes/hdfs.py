"""HDFS of the tests: NameNodes and DataNodes of Hadoop's own, in one Java, without a distribution."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars
from tests.support.java.other_java import other_java
from tests.support.processes.certificates import self_signed
from tests.support.processes.kdc import REALM, Kdc

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
_PASSWORD = "changeit"


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


class SecuredHdfs:
    """A running cluster that wants Kerberos, over HTTP and HTTPS: a NameNode and a DataNode on this machine.

    Attributes:
        address: where the NameNode answers over HTTP.
        https_address: the same over HTTPS.
        certificate: the authority of all of them.
    """

    def __init__(self, jvm: Any, cluster: Any, certificate: Path) -> None:
        self._jvm = jvm
        self._cluster = cluster
        self.certificate = certificate
        self.address = urlsplit(str(cluster.getHttpUri(0))).netloc
        self.https_address = f"localhost:{cluster.getNameNode().getHttpsAddress().getPort()}"

    @property
    def options(self) -> dict[str, Any]:
        """How whoever has a ticket reaches it: ``storage_options`` of a catalog."""
        return {"hdfs": "webhdfs", "namenodes": {"lake": self.address}, "kerberos": True}

    def new_directory(self, owner: str) -> str:
        """The location of a new directory, which others may read."""
        name, hadoop = uuid.uuid4().hex[:12], self._jvm.org.apache.hadoop
        self._cluster.getFileSystem().mkdirs(hadoop.fs.Path(f"/{name}"))
        self._cluster.getFileSystem().setOwner(hadoop.fs.Path(f"/{name}"), owner, None)
        return f"hdfs://lake/{name}"


def hadoop_jars(java: Path, scratch: Path) -> list[Path]:
    """What a cluster runs on; the test skips where it cannot be had."""
    # The NameNode's server of HTTP and Spark's do not go together.
    own = [jar for name in _JARS for jar in find_jars().glob(f"{name}-*.jar")]
    minicluster = ("org.apache.hadoop", "hadoop-client-minicluster", _version())
    try:
        return [*fetch_jars(java, scratch, [minicluster, _JAXB]), *own]
    except subprocess.SubprocessError as e:
        pytest.skip(f"Hadoop's NameNode cannot be fetched: {e}")


@contextmanager
def hdfs_cluster(java: Path, jars: Sequence[Path], directory: Path) -> Iterator[Hdfs]:
    """A cluster until the block ends, with its files and its log in the directory; it takes ten seconds to start."""
    with _hadoop(java, jars, directory) as jvm:
        topology = jvm.org.apache.hadoop.hdfs.MiniDFSNNTopology.simpleHATopology()
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        cluster = _builder(jvm, configuration, directory).nnTopology(topology).numDataNodes(_DATANODES).build()
        cluster.transitionToActive(0)
        cluster.waitActive()
        yield Hdfs(jvm, cluster)
        cluster.shutdown()


@contextmanager
def secured_hdfs_cluster(
    java: Path, jars: Sequence[Path], directory: Path, centre: Kdc, *, proxy: str, proxied: str
) -> Iterator[SecuredHdfs]:
    """As ``hdfs_cluster``, with Kerberos, where the user ``proxy`` may act for the user ``proxied``."""
    server, http = (f"{service}/localhost" for service in ("hdfs", "HTTP"))
    keytabs = {principal: centre.add(principal) for principal in (server, http)}
    certificate, key = self_signed(directory / "tls", names="DNS:localhost,IP:127.0.0.1")
    store = directory / "store.p12"
    export = ["openssl", "pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", store]
    subprocess.run([*export, "-passout", f"pass:{_PASSWORD}"], check=True)
    _write(
        directory / "ssl-server.xml",
        {
            "ssl.server.keystore.location": str(store),
            "ssl.server.keystore.type": "pkcs12",
            "ssl.server.keystore.password": _PASSWORD,
            "ssl.server.keystore.keypassword": _PASSWORD,
        },
    )
    of_web = {"principal": f"{http}@{REALM}", "keytab": str(keytabs[http])}
    properties = {
        "hadoop.security.authentication": "kerberos",
        **{f"dfs.{node}.kerberos.principal": f"{server}@{REALM}" for node in ("namenode", "datanode")},
        **{f"dfs.{node}.keytab.file": str(keytabs[server]) for node in ("namenode", "datanode")},
        "hadoop.http.filter.initializers": "org.apache.hadoop.security.AuthenticationFilterInitializer",
        "hadoop.http.authentication.type": "kerberos",
        **{f"hadoop.http.authentication.kerberos.{name}": value for name, value in of_web.items()},
        **{f"dfs.web.authentication.kerberos.{name}": value for name, value in of_web.items()},
        "dfs.block.access.token.enable": "true",
        "dfs.data.transfer.protection": "authentication",
        # A DataNode proves who it is by ports that need root, or by HTTPS alone.
        "ignore.secure.ports.for.testing": "true",
        "dfs.http.policy": "HTTP_AND_HTTPS",
        "dfs.namenode.https-address": "localhost:0",
        f"hadoop.proxyuser.{proxy}.users": proxied,
        f"hadoop.proxyuser.{proxy}.hosts": "*",
    }
    with _hadoop(java, [*jars, directory], directory, f"-Djava.security.krb5.conf={centre.config}") as jvm:
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        for name, value in properties.items():
            configuration.set(name, value)
        users = jvm.org.apache.hadoop.security.UserGroupInformation
        users.setConfiguration(configuration)
        users.loginUserFromKeytab(f"{server}@{REALM}", str(keytabs[server]))
        cluster = _builder(jvm, configuration, directory).numDataNodes(1).build()
        cluster.waitActive()
        yield SecuredHdfs(jvm, cluster, certificate)
        cluster.shutdown()


@contextmanager
def _hadoop(java: Path, jars: Sequence[Path], directory: Path, *options: str) -> Iterator[Any]:
    """A Java with Hadoop in it, whose log is in the directory."""
    with (
        (directory / "hdfs.log").open("w") as log,
        other_java(
            java,
            ["-Xmx512m", *options],
            jars,
            spark_jars=False,
            redirect_stdout=log,
            redirect_stderr=log,
            cwd=directory,
        ) as jvm,
    ):
        # What is on the disk matters to nobody after the tests.
        jvm.org.apache.hadoop.hdfs.server.namenode.EditLogFileOutputStream.setShouldSkipFsyncForTesting(True)
        yield jvm


def _builder(jvm: Any, configuration: Any, directory: Path) -> Any:
    builder = getattr(jvm.org.apache.hadoop.hdfs, "MiniDFSCluster$Builder")
    # It empties its directory first.
    return builder(configuration, jvm.java.io.File(str(directory / "cluster")))


def _write(file: Path, properties: Mapping[str, str]) -> None:
    found = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items()
    )
    file.write_text(f"<configuration>{found}</configuration>")


def _version() -> str:
    """That of Hadoop's client among PySpark's jars, which the NameNode shares its classes with."""
    [client] = find_jars().glob("hadoop-client-api-*.jar")
    return client.stem.rpartition("-")[2]
