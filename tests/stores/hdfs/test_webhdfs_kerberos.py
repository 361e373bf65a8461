"""WebHDFS of a cluster that wants Kerberos, with a real KDC: tickets, keytabs, tokens, proxy users, and HTTPS."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.storage import file_systems
from hive_views.storage.file_systems import FileSystems
from hive_views.storage.files import Files
from tests.support.processes.hdfs import SecuredHdfs, secured_hdfs_cluster
from tests.support.processes.kdc import REALM, Kdc, kdc

pytestmark = [pytest.mark.pinned, pytest.mark.peer("kerberos")]


@dataclass(frozen=True)
class Realm:
    """A realm with the user ada, who may act for bob in HDFS.

    Attributes:
        keytab: hers.
        ticket: a cache with a ticket of hers.
        expired: one with a ticket that has expired.
    """

    centre: Kdc
    keytab: Path
    ticket: Path
    expired: Path
    hdfs: SecuredHdfs


@pytest.fixture(scope="module")
def realm(java: Path, jars_of_hadoop: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    pytest.importorskip("requests_gssapi", reason="pip install 'hive_views[webhdfs,kerberos]'")
    directory = tmp_path_factory.mktemp("realm")
    with kdc(directory) as centre:
        keytab = centre.add("ada")
        centre.add("HTTP/other")
        caches = {"ticket": "10h", "expired": "1s"}
        for name, life in caches.items():
            cache = {"KRB5CCNAME": f"FILE:{directory / name}"}
            centre.run("kinit", "-l", life, "-k", "-t", str(keytab), "ada", environment=cache)
        place = tmp_path_factory.mktemp("secured")
        with secured_hdfs_cluster(java, jars_of_hadoop, place, centre, proxy="ada", proxied="bob") as hdfs:
            centre.wait_until_expired(cache)
            yield Realm(centre, keytab, directory / "ticket", directory / "expired", hdfs)


@pytest.fixture(autouse=True)
def cache(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The ticket cache of this process, in which is no ticket."""
    path = tmp_path / "cache"
    realm.centre.be_used(monkeypatch, path)
    # As in a new process.
    monkeypatch.setattr(file_systems, "_open", {})
    yield path
    for fs in file_systems._open.values():
        fs.session.close()


@pytest.fixture
def hdfs(realm: Realm) -> SecuredHdfs:
    return realm.hdfs


@pytest.fixture
def directory(hdfs: SecuredHdfs) -> str:
    """A directory of ada's."""
    return hdfs.new_directory("ada")


@pytest.fixture
def ticket(realm: Realm, cache: Path) -> None:
    """The user of this process is ada."""
    shutil.copy(realm.ticket, cache)


def failure(do: Callable[[], object], *parts: object) -> StorageFailure:
    with pytest.raises(StorageUnavailableError) as raised:
        do()
    for part in parts:
        assert str(part) in str(raised.value)
    return raised.value.failure


# -- what works --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["ticket", "keytab"])
def test_a_view_is_created_loaded_and_replaced(
    realm: Realm, directory: str, cache: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "ticket":
        shutil.copy(realm.ticket, cache)
    else:
        monkeypatch.setenv("KRB5_CLIENT_KTNAME", str(realm.keytab))
    with ViewCatalog.connect("memory:", warehouse=directory, storage_options=realm.hdfs.options) as catalog:
        catalog.create_namespace("reports")
        for verb, number in ((catalog.create_view, 1), (catalog.replace_view, 2)):
            verb("reports.one", sql={"hive": f"SELECT {number} AS n"})
        view = catalog.load_view("reports.one")
        assert (view.original_sql("hive"), len(view.history)) == ("SELECT 2 AS n", 2)
        assert view.location.startswith(directory)


@pytest.mark.usefixtures("ticket")
def test_a_running_process_renews_its_ticket_with_the_keytab(
    realm: Realm, hdfs: SecuredHdfs, directory: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files(hdfs.options)
    files.write(f"{directory}/v", b"1")
    shutil.copy(realm.expired, cache)
    assert files.read(f"{directory}/v") == b"1", "by the cookie that the NameNode gave"
    no_cookie()
    read = lambda: files.read(f"{directory}/v")  # noqa: E731
    assert failure(read, "Ticket expired", f"FILE:{cache}", "`kinit`") is StorageFailure.CREDENTIALS
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", str(realm.keytab))
    assert read() == b"1"
    no_cookie()
    files.write(f"{directory}/w", b"2")


@pytest.mark.usefixtures("ticket")
def test_threads_prove_who_they_are_at_once(hdfs: SecuredHdfs, directory: str, tmp_path: Path) -> None:
    """An authentication of requests is for one request, and one that is shared fails where another one has a body."""
    files = Files(hdfs.options)
    files.write(f"{directory}/v", b"1")
    (tmp_path / "v").write_bytes(b"x" * 100_000)

    def ask(number: int) -> None:
        no_cookie()
        if number % 2:
            files.upload(tmp_path / "v", f"{directory}/{number}")
        else:
            assert files.read(f"{directory}/v") == b"1"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(24)))


def no_cookie() -> None:
    """As when it has expired: the NameNode asks for a ticket again."""
    for fs in file_systems._open.values():
        fs.session.cookies.clear()


@pytest.mark.usefixtures("ticket")
def test_a_delegation_token_is_enough(hdfs: SecuredHdfs, directory: str, cache: Path) -> None:
    fs, _ = FileSystems(hdfs.options).open(directory)
    token = fs.get_delegation_token("ada")
    cache.unlink()
    del (options := hdfs.options)["kerberos"]
    files = Files({**options, "token": token})
    files.write(f"{directory}/v", b"1")
    assert files.read(f"{directory}/v") == b"1"
    fs._call("CANCELDELEGATIONTOKEN", method="put", token=token)
    with pytest.raises(StorageUnavailableError) as raised:
        files.read(f"{directory}/v")
    assert raised.value.failure is StorageFailure.CREDENTIALS
    assert "rejected the token" in str(raised.value)
    assert token not in str(raised.value)


@pytest.mark.usefixtures("ticket")
def test_a_proxy_user_has_the_rights_of_whom_it_acts_for(hdfs: SecuredHdfs, directory: str) -> None:
    Files(hdfs.options).write(f"{directory}/v", b"1")
    bob = Files({**hdfs.options, "proxy_to": "bob"})
    assert bob.read(f"{directory}/v") == b"1"
    assert failure(lambda: bob.write(f"{directory}/w", b"1"), "user=bob, access=WRITE") is StorageFailure.FORBIDDEN
    own = hdfs.new_directory("bob")
    bob.write(f"{own}/v", b"2")
    assert bob.read(f"{own}/v") == b"2"
    eve = Files({**hdfs.options, "proxy_to": "eve"})
    said = "User: ada is not allowed to impersonate eve"
    assert failure(lambda: eve.read(f"{directory}/v"), said) is StorageFailure.FORBIDDEN


@pytest.mark.usefixtures("ticket")
def test_https(hdfs: SecuredHdfs, directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # requests prefers it to what its session has.
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/dev/null")
    options = {**hdfs.options, "namenodes": {"lake": hdfs.https_address}, "use_https": True}
    asked: list[str] = []
    verified = {"session_verify": str(hdfs.certificate), "data_proxy": lambda url: asked.append(url) or url}
    files = Files({**options, **verified})
    files.write(f"{directory}/v", b"1")
    assert files.read(f"{directory}/v") == b"1"
    assert {url.partition(":")[0] for url in asked} == {"https"}, "DataNodes too"
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    unverified = Files(options)
    parts = (f"the certificate of {hdfs.https_address} is not trusted", "self-signed certificate)", "session_verify")
    assert failure(lambda: unverified.write(f"{directory}/w", b"1"), *parts) is StorageFailure.UNREACHABLE


# -- what fails --------------------------------------------------------------------------------------------------------


def test_without_a_ticket(hdfs: SecuredHdfs, directory: str, cache: Path) -> None:
    files = Files(hdfs.options)
    parts = ("localhost asks for Kerberos", "No Kerberos credentials", f"FILE:{cache}", "KRB5_CLIENT_KTNAME", "`kinit`")
    for do in (lambda: files.read(f"{directory}/v"), lambda: files.write(f"{directory}/v", b"1")):
        assert failure(do, *parts) is StorageFailure.CREDENTIALS


@pytest.mark.usefixtures("ticket")
def test_with_a_ticket_for_another_principal(hdfs: SecuredHdfs, directory: str) -> None:
    """As where the NameNode's keytab has another key than the KDC."""
    other = Files({**hdfs.options, "kerb_kwargs": {"target_name": "HTTP@other"}})
    parts = (f"{hdfs.address} rejected the Kerberos ticket (HTTP 403", "log", "keytab")
    assert failure(lambda: other.read(f"{directory}/v"), *parts) is StorageFailure.CREDENTIALS
    unknown = Files({**hdfs.options, "kerb_kwargs": {"target_name": "HTTP@nobody"}})
    parts = (f"HTTP/nobody@{REALM} not found", f"a ticket of ada@{REALM}", "target_name")
    assert failure(lambda: unknown.read(f"{directory}/v"), *parts) is StorageFailure.CREDENTIALS


@pytest.mark.usefixtures("ticket")
def test_without_the_option(hdfs: SecuredHdfs, directory: str) -> None:
    del (options := hdfs.options)["kerberos"]
    said = "asks for Kerberos (HTTP 401 Authentication required). Set storage_options.kerberos"
    assert failure(lambda: Files(options).read(f"{directory}/v"), said) is StorageFailure.CREDENTIALS
    named = Files({**hdfs.options, "user": "bob"})
    failure(lambda: named.read(f"{directory}/v"), "leave out user ('bob'), or kerberos")


def test_without_the_packages(hdfs: SecuredHdfs, directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "requests_gssapi", None)
    monkeypatch.delitem(sys.modules, "hive_views.storage.spnego", raising=False)
    failure(lambda: Files(hdfs.options).read(f"{directory}/v"), 'pip install "hive_views[webhdfs,kerberos]"')
