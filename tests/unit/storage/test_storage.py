"""Metadata files on storage: written once and durably, cached, never half seen, failures in our words."""

from __future__ import annotations

import io
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    InvalidInputError,
    StorageUnavailableError,
)
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.files import Files
from hive_views.storage.locations import absolute_location
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.probe import refuses_overwriting
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.faulty_storage import (
    Fault,
    FaultyFileSystem,
    ForeignClientError,
    broken,
    done_but_not_reported,
    failing,
    foreign,
    half_done,
    repeated,
    silent,
)
from tests.support.views.catalog_setup import create


@pytest.fixture(params=["file", "memory", "faulty"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A directory that does not exist yet, on each kind of storage."""
    place = f"{tmp_path}/a b/100%25" if request.param == "file" else f"{uuid.uuid4().hex}/a b/100%25"
    return f"{request.param}://{place}"


@pytest.fixture
def metadata(tmp_path: Path) -> ViewMetadata:
    return create(ViewCatalog(MemoryMetastore(), warehouse=f"memory://{tmp_path}"), "default.v").metadata


@pytest.fixture
def storage() -> MetadataStorage:
    return MetadataStorage()


# -- write and read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["0.metadata.json", "0.gz.metadata.json", "0.metadata.json.gz"])
def test_what_is_written_is_read_by_others(directory: str, metadata: ViewMetadata, name: str) -> None:
    MetadataStorage().write(f"{directory}/{name}", metadata)
    assert MetadataStorage().read(f"{directory}/{name}") == metadata


def test_a_file_is_never_overwritten(storage: MetadataStorage, directory: str) -> None:
    location = f"{directory}/0.metadata.json"
    storage.write_bytes(location, b"first")
    with pytest.raises(AlreadyExistsError, match=r"0\.metadata\.json"):
        storage.write_bytes(location, b"second")
    assert storage.read_bytes(location) == b"first"


def test_a_file_that_a_repeated_request_finds_written_is_written(storage: MetadataStorage) -> None:
    location = f"faulty://{uuid.uuid4().hex}/0.metadata.json"
    with failing("write", repeated):
        storage.write_bytes(location, b"first")
    assert storage.read_bytes(location) == b"first"


def test_a_location_that_is_not_ascii_is_refused_before_anything_is_written(
    storage: MetadataStorage, metadata: ViewMetadata, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match="ASCII"):
        storage.write(f"file://{tmp_path}/Ω/0.metadata.json", metadata)
    assert list(tmp_path.iterdir()) == []


def test_a_local_file_and_its_new_directories_are_on_the_disk_before_the_pointer_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    real = os.fsync

    def recording(descriptor: int) -> None:
        events.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", recording)
    metastore = MemoryMetastore(on_call=events.append)
    view = create(ViewCatalog(metastore, warehouse=f"{tmp_path}/views"), "default.v")
    file = view.metadata_location.removeprefix("file://")
    synced = events[: events.index("create_row")]
    assert synced[synced.index(file) :] == [
        file,
        f"{tmp_path}/views/default.db/v/metadata",
        f"{tmp_path}/views/default.db/v",
        f"{tmp_path}/views/default.db",
        f"{tmp_path}/views",
        f"{tmp_path}",
    ]


@pytest.mark.parametrize(
    "location",
    ["file:{}/0.metadata.json", "FILE:{}/0.metadata.json", "file://{}/0.metadata.json", "{}/0.metadata.json"],
)
def test_local_files_are_found_in_every_spelling(storage: MetadataStorage, tmp_path: Path, location: str) -> None:
    """Hadoop writes ``file:/path`` with one slash."""
    (tmp_path / "0.metadata.json").write_bytes(b"content")
    assert storage.read_bytes(location.format(tmp_path)) == b"content"


@pytest.mark.parametrize(
    ("scheme", "known"),
    [("s3a", "s3"), ("s3n", "s3"), ("abfss", "abfs"), ("wasbs", "abfs"), ("wasb", "abfs"), ("viewfs", "hdfs")],
)
def test_hadoop_s_names_of_file_systems_are_understood(
    monkeypatch: pytest.MonkeyPatch, scheme: str, known: str
) -> None:
    seen: list[str] = []

    def record(protocol: str) -> type[MemoryFileSystem]:
        seen.append(protocol)
        return MemoryFileSystem

    monkeypatch.setattr(fsspec, "get_filesystem_class", record)
    MetadataStorage({"key": "k"}).list_files(f"{scheme}://bucket/views")
    assert {*seen} == {known}


# -- cache -------------------------------------------------------------------------------------------------------------


def test_a_file_is_read_once(storage: MetadataStorage, metadata: ViewMetadata) -> None:
    location = f"faulty://{uuid.uuid4().hex}/0.metadata.json"
    MetadataStorage().write(location, metadata)
    first = storage.read(location)
    with pytest.raises(AssertionError, match="no read came"), failing("read", broken):
        assert storage.read(location) is first


def test_what_was_written_is_not_read_again(storage: MetadataStorage, metadata: ViewMetadata) -> None:
    location = f"faulty://{uuid.uuid4().hex}/0.metadata.json"
    storage.write(location, metadata)
    with pytest.raises(AssertionError, match="no read came"), failing("read", broken):
        storage.read(location)


def test_the_cache_forgets_what_was_used_longest_ago(metadata: ViewMetadata) -> None:
    storage = MetadataStorage(cached=2)
    first, second, third = (f"faulty://{uuid.uuid4().hex}/{number}.metadata.json" for number in range(3))
    storage.write(first, metadata)
    storage.write(second, metadata)
    storage.read(first)
    storage.write(third, metadata)
    with failing("read", broken), pytest.raises(StorageUnavailableError):
        storage.read(second)
    with pytest.raises(AssertionError, match="no read came"), failing("read", broken):
        storage.read(first)


def test_of_a_view_that_changes_only_the_last_file_is_kept(storage: MetadataStorage, metadata: ViewMetadata) -> None:
    """A server would keep hundreds of them."""
    directory = f"faulty://{uuid.uuid4().hex}"
    earlier, last = f"{directory}/0.metadata.json", f"{directory}/1.metadata.json"
    for location in (earlier, last):
        storage.write(location, metadata)
    with pytest.raises(AssertionError, match="no read came"), failing("read", broken):
        storage.read(last)
    with failing("read", broken), pytest.raises(StorageUnavailableError):
        storage.read(earlier)


def test_a_deleted_file_is_not_read_from_the_cache(
    storage: MetadataStorage, metadata: ViewMetadata, directory: str
) -> None:
    storage.write(f"{directory}/0.metadata.json", metadata)
    storage.delete(f"{directory}/0.metadata.json")
    with pytest.raises(CorruptMetadataError, match="does not exist"):
        storage.read(f"{directory}/0.metadata.json")


def test_options_are_passed_on_but_not_shown_and_the_cache_stays_behind(metadata: ViewMetadata) -> None:
    storage = MetadataStorage({"secret": "hush", "key": "k"}, cached=7)
    assert repr(storage) == "MetadataStorage(options=['key', 'secret'])"
    copied = pickle.loads(pickle.dumps(storage))
    assert copied.__getstate__() == {"_options": {"secret": "hush", "key": "k"}, "_cached": 7, "_allowed": None}


# -- delete and list ---------------------------------------------------------------------------------------------------


def test_the_checksum_file_of_hadoop_goes_with_its_file(storage: MetadataStorage, directory: str) -> None:
    storage.write_bytes(f"{directory}/0.metadata.json", b"")
    storage.write_bytes(f"{directory}/.0.metadata.json.crc", b"")
    storage.write_bytes(f"{directory}/1.metadata.json", b"")
    storage.delete(f"{directory}/0.metadata.json")
    assert storage.list_files(directory) == [f"{directory}/1.metadata.json"]


def test_deleting_what_is_not_there_does_nothing(storage: MetadataStorage, directory: str) -> None:
    storage.delete(f"{directory}/0.metadata.json")


def test_metadata_files_are_listed_by_name_and_others_left_out(storage: MetadataStorage, directory: str) -> None:
    names = ["1.metadata.json", "0.gz.metadata.json", "2.metadata.json.gz", "README", ".3.metadata.json", "x.json"]
    for name in names:
        storage.write_bytes(f"{directory}/{name}", b"")
    assert storage.list_metadata_files(f"{directory}/") == [
        f"{directory}/{name}" for name in ("0.gz.metadata.json", "1.metadata.json", "2.metadata.json.gz")
    ]


def test_a_directory_that_is_not_there_is_empty(storage: MetadataStorage, directory: str) -> None:
    assert storage.list_files(directory) == []
    assert storage.list_metadata_files(directory) == []


def test_a_directory_that_is_not_there_proves_nothing_of_its_files(storage: MetadataStorage, directory: str) -> None:
    assert not storage.is_listable(directory)
    storage.write_bytes(f"{directory}/x", b"")
    storage.delete(f"{directory}/x")
    assert storage.is_listable(directory)


def test_where_directories_are_no_more_than_names_their_bucket_must_be_there(
    storage: MetadataStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FaultyFileSystem, "protocol", "s3")
    bucket = f"faulty://{uuid.uuid4().hex}"
    assert not storage.is_listable(f"{bucket}/metadata")
    storage.write_bytes(f"{bucket}/other", b"")
    assert storage.is_listable(f"{bucket}/metadata")
    with failing("look", broken):
        assert not storage.is_listable(f"{bucket}/metadata")


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_corrupt_metadata(storage: MetadataStorage, directory: str) -> None:
    with pytest.raises(CorruptMetadataError, match="does not exist") as failure:
        storage.read(f"{directory}/0.metadata.json")
    assert failure.value.location == f"{directory}/0.metadata.json"


def away(fs: FaultyFileSystem, path: str, value: bytes) -> object:
    """The file of its credentials is not there, or the socket of its agent."""
    raise FileNotFoundError(2, "No such file or directory", "~/.ssh/config")


@pytest.mark.parametrize("fault", [broken, foreign, away, silent])
def test_a_storage_that_fails_when_it_is_connected_is_unavailable(
    storage: MetadataStorage, metadata: ViewMetadata, fault: Fault
) -> None:
    """What it says then is no answer about a file: none is missing, and no directory is empty."""
    location = f"faulty://{uuid.uuid4().hex}/0.metadata.json"
    storage.write(location, metadata)
    calls: list[Callable[[], object]] = [
        lambda: storage.write(location, metadata),
        lambda: storage.read(location, cached=False),
        lambda: storage.delete(location),
        lambda: storage.list_files("faulty://lake"),
        lambda: refuses_overwriting(storage.files, "faulty://lake"),
        lambda: storage.files.exists(location),
        lambda: storage.files.modified_at_ms(location),
        lambda: list(storage.files.read_all([location])),
    ]
    for call in calls:
        with (
            failing("connect", fault),
            pytest.raises(StorageUnavailableError, match="Cannot reach faulty://") as failure,
        ):
            call()
        assert failure.value.location.startswith("faulty://")
        assert not str(failure.value).endswith(": .")


def test_a_package_that_is_missing_is_named(storage: MetadataStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.implementations.sftp", None)
    with pytest.raises(StorageUnavailableError, match="sftp") as failure:
        storage.read("sftp://host/0.metadata.json")
    assert isinstance(failure.value.__cause__, ImportError)


@pytest.mark.parametrize("fault", [broken, foreign])
def test_a_storage_that_cannot_be_looked_at_is_not_an_empty_one(storage: MetadataStorage, fault: Fault) -> None:
    """To fsspec itself a file that nobody may look for does not exist."""
    with failing("look", fault), pytest.raises(StorageUnavailableError, match="Cannot look for"):
        storage.files.exists("faulty://lake/_SUCCESS")


def test_what_is_below_a_file_does_not_exist(storage: MetadataStorage, directory: str) -> None:
    storage.write_bytes(f"{directory}/file", b"")
    assert not storage.files.exists(f"{directory}/file/a")
    assert storage.files.exists(f"{directory}/file")
    assert storage.files.exists(directory)


@pytest.mark.parametrize("below", ["file/a", "file/b/a"])
def test_a_file_in_the_place_of_a_directory_is_reported(storage: MetadataStorage, directory: str, below: str) -> None:
    storage.write_bytes(f"{directory}/file", b"")
    with pytest.raises(StorageUnavailableError, match=f"{below}: "):
        storage.write_bytes(f"{directory}/{below}", b"content")


@pytest.mark.parametrize("fault", [broken, foreign])
def test_no_exception_of_a_storage_s_client_leaves_this_file(
    storage: MetadataStorage, fault: Fault, metadata: ViewMetadata
) -> None:
    location = f"faulty://{uuid.uuid4().hex}/0.metadata.json"
    FaultyFileSystem().pipe_file(location, b"")
    calls = {
        "write": lambda: storage.write(location, metadata),
        "read": lambda: storage.read(location),
        "delete": lambda: storage.delete(location),
        "list": lambda: storage.list_files(location.rsplit("/", 1)[0]),
    }
    for operation, call in calls.items():
        with failing(operation, fault), pytest.raises(StorageUnavailableError) as failure:
            call()
        assert failure.value.location in (location, location.rsplit("/", 1)[0])
        assert isinstance(failure.value.__cause__, OSError | ForeignClientError)


def test_a_full_disk_leaves_no_half_of_a_file(
    storage: MetadataStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageUnavailableError, match="No space left"):
        storage.write_bytes(f"{tmp_path}/0.metadata.json", b"content")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["nosuch://bucket/x.metadata.json", "://x.metadata.json"])
def test_a_storage_that_nobody_knows_is_named(storage: MetadataStorage, place: str) -> None:
    with pytest.raises((StorageUnavailableError, CorruptMetadataError), match=r"x\.metadata\.json"):
        storage.read(place)


def test_a_writable_directory_is_left_as_it_was(storage: MetadataStorage, directory: str) -> None:
    refuses_overwriting(storage.files, directory)
    assert storage.list_files(directory) == []


def test_a_directory_that_cannot_be_written_is_named(storage: MetadataStorage, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageUnavailableError, match="file/views"):
        refuses_overwriting(storage.files, f"{tmp_path}/file/views")
    with failing("write", broken), pytest.raises(StorageUnavailableError, match="Input/output"):
        refuses_overwriting(storage.files, "faulty://lake/views")


# -- locations ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_path_becomes_a_uri_without_a_slash_at_its_end(at_home: Path) -> None:
    assert absolute_location("/lake/views/") == "file:///lake/views"
    assert absolute_location("views") == f"file://{at_home}/views"
    assert absolute_location("~/views") == f"file://{at_home}/views"
    assert absolute_location("/lake/100%25 a") == "file:///lake/100%25 a"
    assert absolute_location("s3://lake/views//") == "s3://lake/views"
    assert absolute_location("file:/lake") == "file:/lake"


@pytest.mark.parametrize("location", ["", "s3://lake/Ω", "/lake/é"])
def test_a_location_must_be_ascii_text(location: str) -> None:
    with pytest.raises(InvalidInputError, match="ASCII"):
        absolute_location(location)


@pytest.mark.parametrize("location", ["file://lake/views", "FILE://~/views"])
def test_a_local_location_names_no_host(location: str) -> None:
    """fsspec would look for such a directory in the one that the program was started in."""
    with pytest.raises(InvalidInputError, match="three slashes"):
        absolute_location(location)


# -- a commit on a storage that fails ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [broken, half_done, done_but_not_reported, foreign])
def test_a_file_that_was_not_written_whole_is_no_commit_and_leaves_nothing(fault: Fault) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"faulty://{uuid.uuid4().hex}")
    with failing("write", fault), pytest.raises(StorageUnavailableError):
        create(catalog, "default.v")
    assert not catalog.view_exists("default.v")
    view = create(catalog, "default.v")
    with failing("write", fault), pytest.raises(StorageUnavailableError):
        catalog.alter_view("default.v", comment="x")
    assert catalog.load_view("default.v").metadata == view.metadata
    assert FaultyFileSystem().find(str(catalog.warehouse)) == [view.metadata_location.removeprefix("faulty:/")]


def test_a_file_that_cannot_be_deleted_hides_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"faulty://{uuid.uuid4().hex}")
    create(catalog, "default.v")
    with (
        failing("write", half_done),
        failing("delete", broken),
        pytest.raises(StorageUnavailableError, match="No space left"),
    ):
        catalog.alter_view("default.v", comment="x")
    assert "could not be deleted" in caplog.text


def test_a_journal_that_cannot_be_written_does_not_undo_the_partitions(caplog: pytest.LogCaptureFixture) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"faulty://{uuid.uuid4().hex}")
    create(catalog, "default.v", partitioned_on=["ds"])
    partitions = catalog.partitions("default.v")
    with failing("write", broken):
        assert partitions.add([{"ds": "a"}]) == ["ds=a"]
    assert "the journal of its partitions was not written" in caplog.text
    assert partitions.names() == ["ds=a"]


# -- files of any size -------------------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.write_bytes(b"content" * 300_000)
    return source


def downloaded(location: str) -> bytes:
    content = io.BytesIO()
    Files().download(location, content)
    return content.getvalue()


def test_a_local_file_is_copied_to_any_storage_and_back(directory: str, source: Path) -> None:
    if directory.startswith("file:"):
        Path(directory.removeprefix("file://")).mkdir(parents=True)
    Files().upload(source, f"{directory}/v.zip")
    assert downloaded(f"{directory}/v.zip") == source.read_bytes()
    assert [location.rpartition("/")[2] for location in Files().list(directory)] == ["v.zip"]


def test_a_copied_file_takes_the_place_of_another_only_if_that_is_asked_for(directory: str, source: Path) -> None:
    Files().write(f"{directory}/v.zip", b"first")
    with pytest.raises(AlreadyExistsError, match=r"v\.zip"):
        Files().upload(source, f"{directory}/v.zip")
    assert downloaded(f"{directory}/v.zip") == b"first"
    Files().upload(source, f"{directory}/v.zip", overwrite=True)
    assert downloaded(f"{directory}/v.zip") == source.read_bytes()


@pytest.mark.parametrize("fault", [broken, half_done, foreign])
def test_where_a_copy_fails_what_was_there_stays(source: Path, fault: Fault) -> None:
    directory = f"faulty://{uuid.uuid4().hex}"
    Files().write(f"{directory}/v.zip", b"first")
    with failing("write", fault), pytest.raises(StorageUnavailableError, match=r"v\.zip"):
        Files().upload(source, f"{directory}/v.zip", overwrite=True)
    assert downloaded(f"{directory}/v.zip") == b"first"
    assert [location.rpartition("/")[2] for location in Files().list(directory)] == ["v.zip"]


def test_where_a_copy_cannot_be_renamed_it_is_named(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The former one may be gone by then."""
    directory = f"faulty://{uuid.uuid4().hex}"

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(FaultyFileSystem, "mv", fail)
    with pytest.raises(StorageUnavailableError, match=r"\.part, and cannot be renamed"):
        Files().upload(source, f"{directory}/v.zip")
    (left,) = Files().list(directory)
    assert downloaded(left) == source.read_bytes()


def test_without_links_a_file_is_not_replaced_either(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", fail)
    Files().upload(source, f"{tmp_path}/v.zip")
    assert (tmp_path / "v.zip").read_bytes() == source.read_bytes()
    monkeypatch.setattr(Files, "exists", lambda *_: False)
    with pytest.raises(StorageUnavailableError):
        Files().upload(source, f"{tmp_path}/v.zip")


def test_a_local_directory_that_does_not_exist_is_not_made_for_a_copy(source: Path, tmp_path: Path) -> None:
    """Its name may be a slip of the pen."""
    with pytest.raises(InvalidInputError, match=r"there is no directory .*/absent"):
        Files().upload(source, f"{tmp_path}/absent/v.zip")
    with pytest.raises(InvalidInputError, match="it is a directory"):
        Files().upload(source, f"file://{tmp_path}", overwrite=True)
    assert [one.name for one in tmp_path.iterdir()] == ["source"]


def test_a_missing_file_cannot_be_copied(directory: str) -> None:
    with pytest.raises(FileNotFoundError):
        downloaded(f"{directory}/v.zip")
