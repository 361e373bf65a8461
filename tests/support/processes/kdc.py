"""A real key distribution centre of the tests: MIT's krb5kdc as a process of its own, with principals and keytabs."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.containers.session import THIS_MACHINE
from tests.support.processes.starting import address_of, ended, free_port

REALM = "HIVE.TEST"
_PACKAGES = {"krb5kdc": "krb5-kdc", "kadmin.local": "krb5-admin-server", "kinit": "krb5-user"}
_LISTENS = re.compile(r"(commencing) operation")
# One file for this machine and for containers: whoever is not on this machine finds nobody at the first address.
_CLIENTS = """\
[libdefaults]
    default_realm = {realm}
    dns_lookup_kdc = false
    dns_canonicalize_hostname = false
    rdns = false
    udp_preference_limit = 1
[realms]
    {realm} = {{
        kdc = 127.0.0.1:{port}
        kdc = {this_machine}:{port}
    }}
"""
_SERVER = """\
[realms]
    {realm} = {{
        database_name = {directory}/principal
        key_stash_file = {directory}/stash
        acl_file = {directory}/acl
        kdc_listen = ""
        kdc_tcp_listen = 0.0.0.0:{port}
    }}
[logging]
    kdc = FILE:{directory}/kdc.log
"""


class Kdc:
    """A running key distribution centre.

    Attributes:
        config: the krb5.conf of its clients.
        environment: the variables by which this process and its children use it, without any ticket yet.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.config = directory / "krb5.conf"
        self.environment = {**os.environ, "PATH": _path(), "KRB5_CONFIG": str(self.config)}
        self.environment["KRB5_KDC_PROFILE"] = str(directory / "kdc.conf")

    def add(self, principal: str, *options: str) -> Path:
        """Add a principal with a random key; the keytab with it. ``options`` are those of ``addprinc``."""
        self.run("kadmin.local", "addprinc", "-randkey", *options, principal)
        return self.export(principal)

    def export(self, principal: str) -> Path:
        """The keytab of a principal, whose password stays as it is."""
        keytab = self._directory / f"{principal.replace('/', '-')}.keytab"
        self.run("kadmin.local", "ktadd", "-norandkey", "-k", str(keytab), principal)
        return keytab

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a command of Kerberos against it, and return what it prints.

        Raises:
            RuntimeError: it failed.
        """
        result = subprocess.run(
            command, env={**self.environment, **(environment or {})}, capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {result.stderr}")
        return result.stdout

    def be_used(self, patch: pytest.MonkeyPatch, cache: Path) -> None:
        """Make it the one of this process, which has a ticket cache without a ticket, and no keytab."""
        patch.setenv("KRB5_CONFIG", str(self.config))
        patch.setenv("KRB5CCNAME", f"FILE:{cache}")
        patch.delenv("KRB5_CLIENT_KTNAME", raising=False)

    def wait_until_expired(self, environment: Mapping[str, str]) -> None:
        """Return when a ticket cache has no ticket that is valid."""
        while subprocess.run(["klist", "-s"], env={**self.environment, **environment}, check=False).returncode == 0:
            time.sleep(0.1)


@contextmanager
def kdc(directory: Path) -> Iterator[Kdc]:
    """One until the block ends; all of it is in the directory. The test skips where MIT Kerberos is not installed."""
    for command, package in _PACKAGES.items():
        if shutil.which(command, path=_path()) is None:
            pytest.skip(f"{command} is not installed: apt-get install {package}")
    port = free_port()
    facts = {"realm": REALM, "directory": directory, "port": port, "this_machine": THIS_MACHINE}
    (directory / "krb5.conf").write_text(_CLIENTS.format(**facts))
    (directory / "kdc.conf").write_text(_SERVER.format(**facts))
    (directory / "acl").touch()
    log = directory / "kdc.log"
    log.touch()
    centre = Kdc(directory)
    centre.run("kdb5_util", "create", "-s", "-P", "of no use elsewhere")
    with (directory / "started.log").open("w") as file:
        process = subprocess.Popen(["krb5kdc", "-n"], env=centre.environment, stdout=file, stderr=file)
    with ended(process):
        address_of(process, log, _LISTENS, lambda _: _accepts(port))
        yield centre


def _accepts(port: int) -> bool:
    with closing(socket.socket()) as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _path() -> str:
    """Where Debian has servers, which users do not always look."""
    return os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
