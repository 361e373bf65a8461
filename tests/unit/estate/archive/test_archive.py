"""A damaged archive is reported before anything is written: nothing comes back but what was put in."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_views.errors import CorruptArchiveError, HiveViewsError, NotFoundError, UnsupportedFeatureError
from hive_views.estate.archive.backup import backup
from hive_views.estate.archive.restore import restore
from hive_views.estate.each.outcomes import State
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on

QUERY = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An archive of two views, one with partitions."""
    catalog = catalog_on(MemoryMetastore())
    for name in ("daily", "weekly"):
        catalog.create_view(f"sales.{name}", sql={"hive": QUERY}, schema=COLUMNS, partitioned_on=["ds"])
    catalog.partitions("sales.daily").add([{"ds": f"2026-08-{day}"} for day in range(10, 30)])
    path = tmp_path_factory.mktemp("whole") / "v.zip"
    backup(catalog, str(path))
    return path.read_bytes()


@pytest.fixture
def archive(whole: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "v.zip"
    path.write_bytes(whole)
    return path


def members_of(archive: Path) -> Members:
    with zipfile.ZipFile(archive) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(archive: Path, members: Members, compression: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(archive, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)


def with_manifest(archive: Path, change: Callable[[Any], object]) -> None:
    """The archive with another manifest, whose own checksum is right: by somebody who wants it to be believed."""
    members = members_of(archive)
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    members["manifest.json"] = json.dumps(manifest).encode()
    members["manifest.json.sha256"] = hashlib.sha256(members["manifest.json"]).hexdigest().encode()
    zipped(archive, members)


def refused(archive: Path, kind: type[HiveViewsError] = CorruptArchiveError) -> HiveViewsError:
    """The error of a restore, which has written nothing."""
    calls: list[str] = []
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore, f"{archive.parent}/views")
    metastore._on_call = calls.append
    with pytest.raises(kind) as caught:
        restore(catalog, str(archive))
    assert type(caught.value) is kind
    assert calls == []
    assert not (archive.parent / "views").exists()
    assert archive.name in str(caught.value)
    return caught.value


def test_an_archive_that_was_cut_off_is_refused(archive: Path, whole: bytes) -> None:
    for length in (*range(0, len(whole), 97), len(whole) - 1):
        archive.write_bytes(whole[:length])
        refused(archive)


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive", b"\0" * 10_000, b'{"format-version": 1}'])
def test_what_is_no_archive_is_refused(archive: Path, content: bytes) -> None:
    archive.write_bytes(content)
    assert "is not an archive" in str(refused(archive))


def test_a_zip_file_of_something_else_is_refused(archive: Path) -> None:
    zipped(archive, {"readme.txt": b"hello"})
    assert "is not an archive of views" in str(refused(archive))


def test_a_missing_archive_is_not_found(tmp_path: Path) -> None:
    refused(tmp_path / "v.zip", NotFoundError)


def test_each_member_that_is_missing_changed_or_doubled_is_named(archive: Path, whole: bytes) -> None:
    members = members_of(archive)
    assert len(members) == 7
    for name, content in members.items():
        zipped(archive, {each: text for each, text in members.items() if each != name})
        assert name in str(refused(archive))
        zipped(archive, {**members, name: b"?" + content[1:]})
        assert name.removesuffix(".sha256") in str(refused(archive))
        archive.write_bytes(whole)
        with zipfile.ZipFile(archive, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
            file.writestr(name, content)
        if not name.startswith("manifest"):
            assert name in str(refused(archive))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "views/sales/daily/other", "C:\\x"])
def test_a_member_that_the_manifest_does_not_name_is_refused(archive: Path, name: str) -> None:
    zipped(archive, {**members_of(archive), name: b"x"})
    assert "does not name it" in str(refused(archive))


@pytest.mark.parametrize(
    "name", ["../row.json", "/row.json", "views/sales/weekly/row.json", "views/sales/daily/../row.json"]
)
def test_a_manifest_that_names_members_elsewhere_is_refused(archive: Path, name: str) -> None:
    with_manifest(archive, lambda manifest: manifest["views"][0]["row"].update(name=name))
    assert "not the name of a member" in str(refused(archive))


def test_a_manifest_that_announces_too_much_is_refused(archive: Path) -> None:
    for part in ("row", "metadata", "partitions"):
        with_manifest(archive, lambda manifest, part=part: manifest["views"][0][part].update(bytes=2**40))
        assert "more than" in str(refused(archive))


def test_a_member_that_unpacks_to_more_than_announced_is_not_unpacked(archive: Path) -> None:
    members = members_of(archive)
    zipped(archive, {**members, "views/sales/daily/row.json": b"\0" * 10_000_000})
    assert "10,000,000 bytes" in str(refused(archive))


def test_a_manifest_of_a_later_release_is_refused(archive: Path) -> None:
    def later(manifest: Any) -> None:
        manifest.update({"format-version": 2, "news": []})

    with_manifest(archive, later)
    assert "format version 2" in str(refused(archive, UnsupportedFeatureError))


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.pop("format-version"),
        lambda manifest: manifest.update({"format-version": "x"}),
        lambda manifest: manifest.update(views=None),
        lambda manifest: manifest.update(news=1),
        lambda manifest: manifest["views"].append(manifest["views"][0]),
        lambda manifest: manifest["views"][0].update({"held-by": "0" * 64}),
        lambda manifest: manifest["views"][0].update(view="sales"),
        lambda manifest: manifest["views"][0]["row"].update(sha256="0"),
        lambda manifest: manifest["views"][0]["row"].update(bytes=-1),
    ],
)
def test_what_is_no_manifest_is_refused(archive: Path, change: Callable[[Any], object]) -> None:
    with_manifest(archive, change)
    refused(archive)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"{", b"\xff\xfe", b"null"])
def test_a_manifest_that_is_no_json_is_refused(archive: Path, content: bytes) -> None:
    sha = hashlib.sha256(content).hexdigest().encode()
    zipped(archive, {**members_of(archive), "manifest.json": content, "manifest.json.sha256": sha})
    refused(archive)


def test_a_row_that_is_no_row_fails_its_view_alone(archive: Path) -> None:
    """With checksums that are right: somebody made it up."""
    row = b'{"name": "sales.other", "table-type": "VIRTUAL_VIEW"}'

    def change(manifest: Any) -> None:
        found = {"bytes": len(row), "sha256": hashlib.sha256(row).hexdigest()}
        manifest["views"][0]["row"].update(found)

    with_manifest(archive, change)
    zipped(archive, {**members_of(archive), "views/sales/daily/row.json": row})
    outcomes = restore(catalog_on(MemoryMetastore()), str(archive))
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE]


def test_what_is_whole_of_a_damaged_archive_comes_back_if_that_is_asked_for(archive: Path) -> None:
    members = members_of(archive)
    zipped(archive, {**members, "views/sales/daily/row.json": b"damaged"})
    catalog = catalog_on(MemoryMetastore())
    error = refused(archive)
    assert "Nothing was written. Use another copy of it, or restore the undamaged views" in str(error)
    outcomes = restore(catalog, str(archive), skip_damaged=True)
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE]
    assert isinstance(outcomes[0].error, CorruptArchiveError)
    assert "Nothing was written" not in str(outcomes[0].reason)
    assert [str(one) for one in catalog.list_views("sales")] == ["sales.weekly"]


def test_the_archive_that_is_damaged_is_the_one_that_is_named(tmp_path: Path) -> None:
    """Of several that are one backup together."""
    catalog = catalog_on(MemoryMetastore())
    catalog.create_view("sales.daily", sql={"hive": QUERY}, schema=COLUMNS)
    backup(catalog, f"{tmp_path}/1.zip")
    backup(catalog, f"{tmp_path}/2.zip", base=f"{tmp_path}/1.zip")
    zipped(tmp_path / "1.zip", {**members_of(tmp_path / "1.zip"), "views/sales/daily/row.json": b"damaged"})
    with pytest.raises(CorruptArchiveError, match=r"1\.zip is damaged"):
        restore(catalog, f"{tmp_path}/2.zip")


def said(catalog: ViewCatalog) -> list[object]:
    views = [catalog.load_view(name) for name in catalog.list_views("sales")]
    return [
        (view.identifier, view.uuid, view.columns, view.versions, catalog.partitions(view.identifier).names())
        for view in views
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whichever_byte_is_changed_nothing_else_is_restored(data: st.DataObject, whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "v.zip"
    path.write_bytes(whole)
    wanted = catalog_on(MemoryMetastore())
    restore(wanted, str(path))
    changed = bytearray(whole)
    place = data.draw(st.integers(0, len(whole) - 1))
    changed[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(changed)
    catalog = catalog_on(MemoryMetastore())
    try:
        outcomes = restore(catalog, str(path))
    except (CorruptArchiveError, UnsupportedFeatureError):
        assert catalog.list_views("sales") == []
    else:
        assert {one.state for one in outcomes} == {State.DONE}
        assert said(catalog) == said(wanted)
