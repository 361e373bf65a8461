"""Under the name of an uploaded file is all of it or what was there before, however a storage renames."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hive_views.errors import AlreadyExistsError, StorageUnavailableError
from hive_views.storage.files import Files
from tests.support.failing.faulty_metastore import Killed
from tests.unit.storage.renaming_storage import KINDS, Killing, RenamingFileSystem, register


@pytest.fixture(params=sorted(KINDS))
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    register(monkeypatch)
    return f"{request.param}://host/backups/v.zip"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.write_bytes(b"new" * 1_000)
    return source


def before(monkeypatch: pytest.MonkeyPatch, do: Callable[[str], object]) -> None:
    monkeypatch.setattr(RenamingFileSystem, "before", staticmethod(do))


def contents(target: str) -> dict[str, bytes]:
    """What is in the directory of a file, by name."""
    found: dict[str, bytes] = {}
    for location in Files().list(target.rpartition("/")[0]):
        content = io.BytesIO()
        Files().download(location, content)
        found[location.rpartition("/")[2]] = content.getvalue()
    return found


def test_a_file_is_written_and_replaced_whole(target: str, source: Path) -> None:
    Files().upload(source, target)
    assert contents(target) == {"v.zip": source.read_bytes()}
    source.write_bytes(b"newer")
    with pytest.raises(AlreadyExistsError):
        Files().upload(source, target)
    Files().upload(source, target, overwrite=True)
    assert contents(target) == {"v.zip": b"newer"}


def test_a_file_of_a_view_is_never_written_over(target: str) -> None:
    Files().write(target, b"1")
    Files().write(target, b"1")
    with pytest.raises(AlreadyExistsError):
        Files().write(target, b"2")
    assert contents(target) == {"v.zip": b"1"}


@pytest.mark.parametrize("steps", [("put",), ("rename", "mv")])
def test_a_file_that_somebody_wrote_meanwhile_is_neither_removed_nor_replaced(
    target: str, source: Path, monkeypatch: pytest.MonkeyPatch, steps: tuple[str, ...]
) -> None:
    """While the file is copied, and at the very last moment where the storage has a rename that refuses."""
    if target.startswith("hdfs"):
        steps = ("put",)

    def somebody(step: str) -> None:
        if step in steps:
            before(monkeypatch, lambda _: None)
            Files().write(target, b"somebody's")

    before(monkeypatch, somebody)
    with pytest.raises(AlreadyExistsError):
        Files().upload(source, target)
    assert contents(target) == {"v.zip": b"somebody's"}


@pytest.mark.parametrize("was_there", [True, False])
def test_wherever_the_process_is_killed_a_whole_file_is_there(
    target: str, source: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool
) -> None:
    ends = 0
    for after in range(10):
        register(monkeypatch)
        if was_there:
            Files().write(target, b"old")
        before(monkeypatch, Killing(after))
        try:
            Files().upload(source, target, overwrite=True)
        except Killed:
            ends += 1
        before(monkeypatch, lambda _: None)
        found = contents(target) if Files().exists(target.rpartition("/")[0]) else {}
        if "v.zip" in found:
            assert found["v.zip"] in (b"old", source.read_bytes())
        elif was_there:
            assert not target.startswith("sftp")
            (former,) = (name for name in found if name.endswith(".old"))
            assert (former.startswith("v.zip."), found[former]) == (True, b"old")
        # What the next one does is not hindered by what was left.
        Files().upload(source, target, overwrite=True)
        assert contents(target)["v.zip"] == source.read_bytes()
    assert 2 <= ends < 10


@pytest.mark.parametrize("step", range(1, 4))
def test_where_a_step_fails_what_was_there_stays(
    target: str, source: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    Files().write(target, b"old")
    seen: list[str] = []

    def fail(named: str) -> None:
        seen.append(named)
        if len(seen) == step:
            raise OSError(5, "Input/output error")

    before(monkeypatch, fail)
    with suppress(StorageUnavailableError):
        Files().upload(source, target, overwrite=True)
    found = contents(target)
    assert found["v.zip"] == (b"old" if step <= 2 + (not target.startswith("sftp")) else source.read_bytes())
    assert all(content == source.read_bytes() for name, content in found.items() if name != "v.zip")


def test_a_file_that_did_not_arrive_whole_does_not_get_the_name(
    target: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that ends early is no error to every client."""
    Files().write(target, b"old")
    monkeypatch.setattr(RenamingFileSystem, "loses", 1)
    with pytest.raises(StorageUnavailableError, match=r"2,999 of 3,000 bytes"):
        Files().upload(source, target, overwrite=True)
    assert contents(target) == {"v.zip": b"old"}


def test_a_copy_that_cannot_be_renamed_is_named(target: str, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(step: str) -> None:
        if step != "put":
            raise OSError(5, "Input/output error")

    before(monkeypatch, fail)
    with pytest.raises(StorageUnavailableError, match=r"\.part, and cannot be renamed"):
        Files().upload(source, target)
    before(monkeypatch, lambda _: None)
    (left,) = contents(target).values()
    assert left == source.read_bytes()


def test_a_file_does_not_take_the_place_of_a_directory(target: str, source: Path) -> None:
    Files().write(f"{target}/file", b"old")
    with pytest.raises(StorageUnavailableError):
        Files().upload(source, target, overwrite=True)
    assert contents(f"{target}/file") == {"file": b"old"}
    assert [one.rpartition("/")[2] for one in Files().list(target.rpartition("/")[0])] == ["v.zip"]
