"""Every metastore that people run, in containers, one after the other for each test."""

from __future__ import annotations

import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from tests.servers.kerberized import PROTECTIONS, Realm, connect, site
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.processes.kdc import REALM, kdc

SERVERS = [
    ("2.3.10", "postgres"),
    ("3.1.3", "postgres"),
    ("4.2.1", "postgres"),
    ("4.0.1", "mariadb"),
]


@pytest.fixture(scope="module", params=SERVERS, ids="-".join)
def server(request: pytest.FixtureRequest, metastore_servers: MetastoreServers) -> MetastoreServer:
    """A server that the whole session shares; tests leave it as it is."""
    return metastore_servers.shared(*request.param)


@pytest.fixture
def namespace(server: MetastoreServer) -> str:
    """A new namespace of the server."""
    return new_namespace(server)


@pytest.fixture
def catalog(server: MetastoreServer, tmp_path: Path) -> ViewCatalog:
    return catalog_on(server, tmp_path)


def new_namespace(server: MetastoreServer) -> str:
    name = f"test_{uuid.uuid4().hex[:12]}"
    server.client.create_namespace(name)
    return name


def catalog_on(server: MetastoreServer, directory: Path, lock: LockMode = "auto") -> ViewCatalog:
    """A catalog over the server's own client, whose files are below a directory of this machine."""
    settings = CommitSettings(lock=lock, mend_lock_timeout_s=0.5)
    return ViewCatalog(server.client, warehouse=str(directory / "views"), settings=settings)


def checks_swaps(server: MetastoreServer) -> bool:
    """What is known of the versions (HIVE-26882), and never given to the library."""
    return server.version != "3.1.3"


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    pytest.importorskip("gssapi", reason="gssapi is not installed: pip install 'hive_views[kerberos]'")
    directory = tmp_path_factory.mktemp("realm")
    with kdc(directory) as centre:
        principals = {"hive/localhost": (), "hive/other": (), "brief": ("-maxlife", "3s")}
        keytabs = {principal: centre.add(principal, *options) for principal, options in principals.items()}
        centre.run("kadmin.local", "addprinc", "-pw", "s3cret", "ada")
        keytabs["ada"] = centre.export("ada")
        expired = directory / "expired"
        cache = {"KRB5CCNAME": f"FILE:{expired}"}
        centre.run("kinit", "-l", "1s", "-k", "-t", str(keytabs["ada"]), "ada", environment=cache)
        centre.wait_until_expired(cache)
        yield Realm(centre, keytabs, expired)


@pytest.fixture(scope="module", params=list(PROTECTIONS))
def secured(
    request: pytest.FixtureRequest,
    realm: Realm,
    metastore_servers: MetastoreServers,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[MetastoreServer]:
    """A metastore of the principal hive/localhost."""
    version, keytab = request.param, realm.keytabs["hive/localhost"]
    hadoop = {"hadoop.security.authentication": "kerberos", "hadoop.rpc.protection": PROTECTIONS[version]}
    hadoop |= {"hadoop.proxyuser.ada.hosts": "*", "hadoop.proxyuser.ada.users": "bob"}
    hadoop |= {"hadoop.proxyuser.brief.hosts": "192.0.2.1", "hadoop.proxyuser.brief.users": "bob"}
    jar = tmp_path_factory.mktemp("secured") / "core-site.jar"
    with zipfile.ZipFile(jar, "w") as packed:
        packed.writestr("core-site.xml", site(hadoop))
    settings = {
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.keytab.file": str(keytab),
        "hive.metastore.kerberos.principal": f"hive/localhost@{REALM}",
    }
    java = {"JDK_JAVA_OPTIONS": f"-XX:TieredStopAtLevel=1 -Djava.security.krb5.conf={realm.centre.config}"}
    # Who asks for what is logged as information.
    java["LOG_LEVEL"] = "INFO"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRB5_CONFIG", str(realm.centre.config))
        patch.setenv("KRB5CCNAME", f"FILE:{jar.with_name('cache')}")
        patch.setenv("KRB5_CLIENT_KTNAME", str(realm.keytabs["ada"]))
        with metastore_servers.own(
            version, "derby", settings=settings, environment=java, jar=jar, connect=connect
        ) as server:
            yield server
