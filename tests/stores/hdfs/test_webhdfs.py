"""Files of HDFS by WebHDFS, on NameNodes and DataNodes: what is written is whole, and failures are told as such."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hive_views.errors import AlreadyExistsError, InvalidInputError, StorageFailure, StorageUnavailableError
from hive_views.storage import file_systems, webhdfs
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.storage.files import Files
from hive_views.storage.probe import refuses_overwriting
from hive_views.storage.webhdfs import WebHdfs
from tests.stores.writers_at_once import not_refused
from tests.support.processes.hdfs import Hdfs

pytestmark = pytest.mark.pinned


def failure(do: Callable[[], object]) -> tuple[StorageFailure, str]:
    with pytest.raises(StorageUnavailableError) as raised:
        do()
    return raised.value.failure, str(raised.value)


def names(files: Files, directory: str) -> list[str]:
    return [one.rpartition("/")[2] for one in files.list(directory)]


def test_of_two_writers_of_a_name_one_wins_and_the_other_is_refused(files: Files, directory: str) -> None:
    assert refuses_overwriting(files, directory)
    won = not_refused(lambda: files, f"{directory}/v")
    assert won == [files.read(f"{directory}/v")]
    assert names(files, directory) == ["v"]
    # Who repeats what was written is not refused.
    files.write(f"{directory}/v", won[0])


def test_nothing_has_a_name_before_it_is_whole(hdfs: Hdfs, files: Files, directory: str, tmp_path: Path) -> None:
    """A file is there for everyone as soon as its first byte: whoever is killed leaves it under another name."""
    with Breaking(hdfs, after=100_000) as breaking:
        cut = Files({**hdfs.options, "data_proxy": breaking.proxied})
        assert failure(lambda: cut.write(f"{directory}/v", b"x" * 4_000_000))[0] is StorageFailure.UNREACHABLE
    assert breaking.cut == 3
    assert [one for one in names(files, directory) if not one.startswith(".v.")] == []
    files.write(f"{directory}/v", b"y")
    assert files.read(f"{directory}/v") == b"y"


def test_a_reader_takes_no_part_of_a_file_for_all_of_it(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"x" * 4_000_000)
    with Breaking(hdfs, after=100_000, answers=True) as breaking:
        cut = Files({**hdfs.options, "data_proxy": breaking.proxied})
        kind, _ = failure(lambda: cut.read(f"{directory}/v"))
    assert (kind, breaking.cut > 0) == (StorageFailure.CUT_SHORT, True)


def test_an_archive_is_replaced_whole(files: Files, directory: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for content in (os.urandom(11_000_000), b"", b"short"):
        source.write_bytes(content)
        files.upload(source, f"{directory}/v.zip", overwrite=True)
        files.download(f"{directory}/v.zip", found := io.BytesIO())
        assert found.getvalue() == content
    with pytest.raises(AlreadyExistsError):
        files.upload(source, f"{directory}/v.zip")
    assert names(files, directory) == ["v.zip"]


@pytest.mark.parametrize("name", ["ds=2026-08-21 00%3A00", "a+b?c#d;e%", "äö", "%25"])
def test_every_name_is_that_which_hadoop_has(hdfs: Hdfs, files: Files, directory: str, name: str) -> None:
    files.write(f"{directory}/{name}/{name}", b"1")
    # Where a name ended too early, it would be this one.
    short = name[0]
    files.write(f"{directory}/{short}", b"2")
    path = hdfs.jvm.org.apache.hadoop.fs.Path(f"/{directory.rpartition('/')[2]}")
    assert sorted(one.getPath().getName() for one in hdfs.fs().listStatus(path)) == sorted([name, short])
    (found,) = files.list_tree(f"{directory}/{name}", lambda _: False)
    assert (found.location, found.size, files.read(found.location)) == (f"{directory}/{name}/{name}", 1, b"1")
    assert found.modified_at_ms == files.modified_at_ms(found.location)
    assert files.list_directories(directory) == [f"{directory}/{name}"]
    files.delete(found.location)
    files.delete(found.location)
    assert not files.exists(found.location)
    assert files.exists(f"{directory}/{name}")
    with pytest.raises(FileNotFoundError):
        files.read(found.location)


def test_a_refusal_names_the_path_and_the_user(
    hdfs: Hdfs, files: Files, directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(f"{directory}/v", b"1")
    monkeypatch.setenv("HADOOP_USER_NAME", "ada")
    # As in a new process.
    monkeypatch.setattr(file_systems, "_open", {})
    for ada in (Files({**hdfs.options, "user": "ada"}), Files(hdfs.options)):
        assert ada.read(f"{directory}/v") == b"1"
        kind, text = failure(lambda ada=ada: ada.write(f"{directory}/w", b"1"))  # type: ignore[misc]
        assert kind is StorageFailure.FORBIDDEN
        assert "user=ada, access=WRITE" in text
        assert f'inode="/{directory.rpartition("/")[2]}"' in text
        # A DataNode says where in its program it was.
        assert "org.apache" not in text
    assert names(files, directory) == ["v"]


def test_a_load_and_a_commit_ask_no_more_than_they_need(hdfs: Hdfs, directory: str) -> None:
    asked: list[str] = []
    files = Files({**hdfs.options, "data_proxy": lambda url: asked.append(url) or url})
    files.write(f"{directory}/v", b"1")
    assert len(asked) == 3
    assert files.read(f"{directory}/v") == b"1"
    assert len(asked) == 5


def test_safe_mode_is_told_as_such(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    with hdfs.safe_mode():
        assert files.read(f"{directory}/v") == b"1"
        for do in (lambda: files.write(f"{directory}/w", b"1"), lambda: files.delete(f"{directory}/v")):
            kind, text = failure(do)
            assert (kind, "the NameNode is in safe mode" in text) == (StorageFailure.THROTTLED, True)
    assert names(files, directory) == ["v"]


def test_the_active_namenode_is_found_and_a_standby_told(
    hdfs: Hdfs, files: Files, directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(f"{directory}/v", b"1")
    first = Files({**hdfs.options, "namenodes": {hdfs.name: hdfs.addresses[0]}})
    monkeypatch.setattr(webhdfs, "_WAITS_S", ())
    with hdfs.second_active():
        # A standby lets a writer go on to a DataNode.
        files.write(f"{directory}/w", b"2")
        assert files.read(f"{directory}/v") == b"1"
        kind, text = failure(lambda: first.read(f"{directory}/v"))
        assert (kind, f"{hdfs.addresses[0]} is a standby NameNode" in text) == (StorageFailure.THROTTLED, True)
        assert "storage_options.namenodes" in text
    assert files.read(f"{directory}/w") == first.read(f"{directory}/w") == b"2"
    hdfs.cluster.transitionToStandby(0)
    try:
        kind, text = failure(lambda: files.read(f"{directory}/v"))
        assert (kind, text.count("is a standby NameNode")) == (StorageFailure.THROTTLED, 2)
        # A change waits until one of them is active.
        monkeypatch.setattr(webhdfs, "_WAITS_S", (0.0,) * 500)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(files.write, f"{directory}/x", b"3")
            hdfs.cluster.transitionToActive(0)
            waiting.result()
    finally:
        hdfs.cluster.transitionToActive(0)
    assert files.read(f"{directory}/x") == b"3"


def test_a_namenode_that_is_gone_is_passed_over(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    others = Files({**hdfs.options, "namenodes": {hdfs.name: ["127.0.0.1:1", *hdfs.addresses]}})
    assert others.read(f"{directory}/v") == b"1"
    others.write(f"{directory}/w", b"1")
    none = Files({**hdfs.options, "namenodes": {hdfs.name: ["127.0.0.1:1", "127.0.0.1:2"]}})
    kind, text = failure(lambda: none.read(f"{directory}/v"))
    assert (kind, "127.0.0.1:2 cannot be reached" in text) == (StorageFailure.UNREACHABLE, True)


def test_nobody_waits_for_ever(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        alone = Files({**hdfs.options, "namenodes": {hdfs.name: address}, "timeout": [5, 0.1]})
        kind, text = failure(lambda: alone.read(f"{directory}/v"))
        assert (kind, f"{address} did not answer in time" in text) == (StorageFailure.UNREACHABLE, True)
        namenodes = {hdfs.name: [address, *hdfs.addresses]}
        Files({**hdfs.options, "namenodes": namenodes, "timeout": [5, 2]}).write(f"{directory}/w", b"1")
    assert names(files, directory) == ["v", "w"]


def test_where_a_datanode_is_gone_another_one_is_asked(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    asked: list[str] = []

    def one_is_gone(url: str) -> str:
        if "namenoderpcaddress" in url:
            asked.append(url)
            return url.replace(urlsplit(url).netloc, "127.0.0.1:1") if len(asked) % 2 else url
        return url

    others = Files({**hdfs.options, "data_proxy": one_is_gone})
    others.write(f"{directory}/w", b"22")
    assert (others.read(f"{directory}/w"), others.read(f"{directory}/v")) == (b"22", b"1")
    assert len(asked) == 6
    none = Files({**hdfs.options, "data_proxy": {"http://127.0.0.1:": "http://127.0.0.2:"}})
    assert failure(lambda: none.read(f"{directory}/v"))[0] is StorageFailure.UNREACHABLE


def test_what_is_no_webhdfs_says_nothing_of_a_file(hdfs: Hdfs, directory: str) -> None:
    """Hadoop's own port answers 404, as for a file that is not there."""
    port = f"localhost:{hdfs.cluster.getNameNodePort(0)}"
    kind, text = failure(lambda: Files({**hdfs.options, "namenodes": {hdfs.name: port}}).read(f"{directory}/v"))
    assert (kind, f"there is no WebHDFS at {port}" in text) == (StorageFailure.OTHER, True)


def test_addresses_come_from_hadoop_s_files(
    hdfs: Hdfs, files: Files, directory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(f"{directory}/v", b"1")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(hdfs.write_configuration(tmp_path)))
    configured = Files({"hdfs": "webhdfs"})
    with hdfs.second_active():
        assert configured.read(f"{directory}/v") == b"1"
    assert configured.read(f"hdfs:///{directory.rpartition('/')[2]}/v") == b"1"
    monkeypatch.delenv("HADOOP_CONF_DIR")
    # As in a new process.
    monkeypatch.setattr(file_systems, "_open", {})
    assert "names no NameNode" in failure(lambda: configured.read("hdfs:///v"))[1]


def test_a_gateway_without_options_of_renames_overwrites_nothing(
    hdfs: Hdfs, directory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To HttpFS the option is unknown; the NameNode answers as HttpFS does where it is not given."""
    ask = WebHdfs._ask

    def without(self: Any, method: str, url: str, parameters: Any = None, data: Any = None) -> Any:
        left = {name: value for name, value in (parameters or {}).items() if name != "renameoptions"}
        return ask(self, method, url, left, data)

    monkeypatch.setattr(WebHdfs, "_ask", without)
    files = Files(hdfs.options)
    assert refuses_overwriting(files, directory)
    (tmp_path / "new").write_bytes(b"new")
    files.upload(tmp_path / "new", f"{directory}/v.zip")
    with pytest.raises(AlreadyExistsError):
        files.upload(tmp_path / "new", f"{directory}/v.zip")
    (tmp_path / "new").write_bytes(b"newer")
    assert "cannot replace" in failure(lambda: files.upload(tmp_path / "new", f"{directory}/v.zip", overwrite=True))[1]
    assert (files.read(f"{directory}/v.zip"), names(files, directory)) == (b"new", ["v.zip"])


def test_a_mount_table_needs_a_gateway(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.write(f"{directory}/v", b"1")
    location = f"viewfs://{hdfs.name}/{directory.rpartition('/')[2]}/v"
    assert files.read(location) == b"1"
    del (options := hdfs.options)["namenodes"]
    assert "HttpFS" in failure(lambda: Files(options).read(location))[1]


def test_a_token_is_not_shown(hdfs: Hdfs, directory: str) -> None:
    """It is part of every address that is asked."""
    gone = Files({**hdfs.options, "namenodes": {hdfs.name: "127.0.0.1:1"}, "token": "c2VjcmV0"})
    kind, text = failure(lambda: gone.read(f"{directory}/v"))
    assert (kind, "127.0.0.1:1 cannot be reached" in text) == (StorageFailure.UNREACHABLE, True)
    assert "c2VjcmV0" not in text


def test_a_server_that_is_restricted_to_hdfs_follows_its_namenodes(hdfs: Hdfs, files: Files, directory: str) -> None:
    files.allowed = AllowedLocations([directory])
    files.write(f"{directory}/v", b"1")
    assert files.read(f"{directory}/v") == b"1"
    with pytest.raises(InvalidInputError):
        files.read(f"hdfs://{hdfs.name}/other")


def test_an_unknown_way_to_hdfs_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'libhdfs', which is the default, or 'webhdfs'"):
        Files({"hdfs": "http"})


class Breaking:
    """A proxy in front of DataNodes that cuts a connection after some bytes of a request, or of its answer."""

    def __init__(self, hdfs: Hdfs, *, after: int, answers: bool = False) -> None:
        self._after = after
        self._answers = answers
        self._targets: list[str] = []
        self.cut = 0

    def __enter__(self) -> Breaking:
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def proxied(self, url: str) -> str:
        if "namenoderpcaddress" not in url:
            return url
        self._targets.append(urlsplit(url).netloc)
        return url.replace(self._targets[-1], f"127.0.0.1:{self._server.getsockname()[1]}")

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            host, _, port = self._targets[-1].partition(":")
            with client, socket.create_connection((host, int(port))) as node:
                if self._answers:
                    node.sendall(client.recv(65_536))
                self._pass_on(*((node, client) if self._answers else (client, node)))
                self.cut += 1

    def _pass_on(self, source: Any, target: Any) -> None:
        left = self._after
        while left > 0 and (some := source.recv(min(left, 65_536))):
            target.sendall(some)
            left -= len(some)
