"""Servers in Java that a metastore asks: a directory of users, and ZooKeeper."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import fetch_jars
from tests.support.processes.starting import address_of, ended

USERS = "ou=people,dc=example,dc=org"
_LDAP = (("com.unboundid", "unboundid-ldapsdk", "7.0.3"),)
_ENTRIES = f"""\
dn: dc=example,dc=org
objectClass: domain
dc: example

dn: {USERS}
objectClass: organizationalUnit
ou: people

dn: uid=ada,{USERS}
objectClass: inetOrgPerson
uid: ada
cn: Ada
sn: Lovelace
userPassword: s3cret

dn: uid=eve,{USERS}
objectClass: inetOrgPerson
uid: eve
cn: Eve
sn: Moon
userPassword:: w7xzM2NyZXQ=
"""
_LOG = """\
rootLogger.level = info
rootLogger.appenderRef.stdout.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
"""


@contextmanager
def ldap_server(java: Path, directory: Path) -> Iterator[int]:
    """The port of an LDAP server with two users below ``USERS``: ada with the password ``s3cret``, eve ``üs3cret``."""
    (jar,) = fetch_jars(java, directory, _LDAP)
    entries = directory / "entries.ldif"
    entries.write_text(_ENTRIES, encoding="utf-8")
    tool = "com.unboundid.ldap.listener.InMemoryDirectoryServerTool"
    options = ["--baseDN", "dc=example,dc=org", "--ldifFile", str(entries), "--port", "0"]
    with _running([str(java), "-XX:TieredStopAtLevel=1", "-cp", str(jar), tool, *options], directory, "ldap") as log:
        yield log


@contextmanager
def zookeeper(java: Path, directory: Path) -> Iterator[int]:
    """The port of a ZooKeeper, which is among PySpark's jars."""
    (directory / "log4j2.properties").write_text(_LOG)
    options = ["-Dzookeeper.admin.enableServer=false", f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}"]
    server = ["org.apache.zookeeper.server.ZooKeeperServerMain", "0", str(directory / "data")]
    command = [str(java), "-XX:TieredStopAtLevel=1", *options, "-cp", f"{find_jars()}/*", *server]
    with _running(command, directory, "zookeeper") as port:
        yield port


@contextmanager
def _running(command: list[str], directory: Path, name: str) -> Iterator[int]:
    log = directory / f"{name}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    with ended(process):
        listens = re.compile(r"(?:bound to port \S*:|connections on port )(\d+)")
        yield int(address_of(process, log, listens, lambda _: True))
