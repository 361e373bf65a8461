"""Files of Iceberg tables: which metadata file is the newest, and files that are missing, damaged, or of the future."""

from __future__ import annotations

import gzip
import json
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import fastavro
import pytest

from hive_views.base_tables.iceberg import table_metadata
from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.iceberg.table_metadata import find_metadata_file
from hive_views.errors import CorruptMetadataError, NotFoundError, UnsupportedFeatureError
from hive_views.storage.files import Files
from tests.support.tables.iceberg_writer import IcebergTable, Make, maker_in
from tests.support.tables.writable import DS, HR, A, B

# Whole but for some bits in the middle.
BROKEN_GZIP = gzip.compress(b"{}" * 99, mtime=0)[:10] + b"\xff" * 40
NO_METADATA = [b"{", b"[]", b"{}", b'{"format-version": 2}', b"\x1f\x8bxx", BROKEN_GZIP, b"\xff"]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return maker_in(tmp_path)


def metadata_of(table: IcebergTable) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Files().read(table.table.metadata_location))
    return content


def opened(tmp_path: Path, content: Mapping[str, Any] | bytes) -> IcebergBaseTable:
    """A reader of a metadata file with this content."""
    path = tmp_path / f"{uuid.uuid4().hex}.metadata.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return IcebergBaseTable("web.clicks", lambda: str(path), Files())


class TestWhereATableIs:
    @pytest.mark.parametrize(
        ("names", "hint", "newest"),
        [
            (["00000-a", "00002-b", "00001-c"], None, "00002-b"),
            (["00009-a", "00010-b"], None, "00010-b"),
            (["v1", "v2", "v3"], "2", "v3"),
            (["v1", "v2.gz"], None, "v2.gz"),
            (["00001-a", "00002-b"], "00001-a", "00001-a"),
            (["00001-a", "00002-b"], "00001-a.metadata.json", "00001-a"),
        ],
    )
    def test_a_directory_holds_the_newest_metadata_file(
        self, tmp_path: Path, names: list[str], hint: str | None, newest: str
    ) -> None:
        directory = tmp_path / "metadata"
        directory.mkdir()
        for name in [*names, "snap-77-x"]:
            (directory / f"{name}.{'metadata.json' if name in names else 'avro'}").touch()
        if hint:
            (directory / "version-hint.text").write_text(hint)
        assert find_metadata_file(Files(), f"{tmp_path}/") == f"{directory}/{newest}.metadata.json"

    def test_a_metadata_file_is_its_own_answer(self) -> None:
        location = "s3://lake/clicks/metadata/00003-abc.gz.metadata.json"
        assert find_metadata_file(Files(), location) == location

    def test_two_files_of_one_number_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "metadata").mkdir()
        for name in ("00001-a", "00001-b"):
            (tmp_path / "metadata" / f"{name}.metadata.json").touch()
        with pytest.raises(UnsupportedFeatureError, match=r"is the newest: .*00001-a.*, .*00001-b"):
            find_metadata_file(Files(), str(tmp_path))

    def test_a_directory_without_a_table_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError, match="no Iceberg table in"):
            find_metadata_file(Files(), str(tmp_path))

    def test_a_table_opened_by_its_directory_shows_each_new_state(self, make: Make) -> None:
        table = make([DS, HR])
        reader = IcebergBaseTable(table.location, lambda: find_metadata_file(Files(), table.location), Files())
        assert list(reader.list_partitions().values) == []
        table.append(A)
        assert list(reader.list_partitions().values) == [A]

    def test_compressed_metadata_is_read(self, make: Make, tmp_path: Path) -> None:
        table = make([DS, HR])
        table.append(A)
        content = gzip.compress(json.dumps(metadata_of(table)).encode())
        assert list(opened(tmp_path, content).list_partitions().values) == [A]


class TestWhatCannotBeRead:
    def test_a_missing_metadata_file(self) -> None:
        with pytest.raises(CorruptMetadataError, match="there is no such file"):
            IcebergBaseTable("web.clicks", lambda: "/nowhere/v1.metadata.json", Files()).list_partitions()

    @pytest.mark.parametrize("content", NO_METADATA)
    def test_a_metadata_file_that_is_none(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(CorruptMetadataError, match=r"the metadata of web\.clicks"):
            opened(tmp_path, content).list_partitions()

    def test_compressed_metadata_that_unpacks_to_more_than_any_table_has(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(table_metadata, "_MOST_BYTES", 2**20)
        with pytest.raises(CorruptMetadataError, match=r"the metadata of web\.clicks.*unpack to more than 1,048,576"):
            opened(tmp_path, gzip.compress(b" " * 2**21)).list_partitions()

    @pytest.mark.parametrize("levels", [400, 5_000, 200_000])
    def test_metadata_that_is_nested_too_deep(self, make: Make, tmp_path: Path, levels: int) -> None:
        fields = json.dumps(metadata_of(make([DS, HR])) | {"snapshot-log": "HERE"}).encode()
        content = fields.replace(b'"HERE"', b"[" * levels + b"]" * levels)
        with pytest.raises(CorruptMetadataError, match=r"the metadata of web\.clicks"):
            opened(tmp_path, content).list_partitions()

    @pytest.mark.parametrize(
        ("fields", "problem"),
        [
            ({"format-version": 4}, "format version is 4"),
            ({"format-version": 3, "encryption-keys": [{"key-id": "k"}]}, "encrypted"),
            ({"format-version": 1, "snapshots": [{"snapshot-id": 1, "manifests": []}]}, "without a manifest list"),
        ],
    )
    def test_features_that_nobody_here_reads(self, tmp_path: Path, fields: dict[str, Any], problem: str) -> None:
        with pytest.raises(UnsupportedFeatureError, match=problem):
            opened(tmp_path, fields).list_partitions()

    def test_a_transform_of_several_columns_makes_no_partition_column(self, make: Make, tmp_path: Path) -> None:
        """It is unknown to this reader, whatever else its name means with one column; others are read as ever."""
        table = make([DS, HR])
        table.append(A, B)
        content = metadata_of(table) | {"format-version": 3, "next-row-id": 0}
        ds, hr = content["partition-specs"][0]["fields"]
        sources = {"source-ids": [ds["source-id"], hr.pop("source-id")], "transform": "bucket[4]"}
        hr |= sources
        content["sort-orders"].append(
            {"order-id": 1, "fields": [{**sources, "direction": "asc", "null-order": "nulls-first"}]}
        )
        listing = opened(tmp_path, content).list_partitions()
        assert [key.name for key in listing.keys] == ["ds"]
        assert set(listing.values) == {A[:1], B[:1]}

    def test_metadata_whose_newest_snapshot_is_not_in_it(self, make: Make, tmp_path: Path) -> None:
        table = make([DS, HR])
        table.append(A)
        content = metadata_of(table)
        content["snapshots"] = []
        with pytest.raises(CorruptMetadataError, match=r"says that snapshot \d+ is its newest, but"):
            opened(tmp_path, content).list_partitions()

    def test_encrypted_manifests(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        [path] = Path(table.location.removeprefix("file://"), "metadata").glob("snap-*.avro")
        with path.open("rb") as file:
            reader = fastavro.reader(file)
            schema, records = reader.writer_schema, [record | {"key_metadata": b"k"} for record in reader]
        with path.open("wb") as file:
            fastavro.writer(file, schema, records)
        with pytest.raises(UnsupportedFeatureError, match="its manifests are encrypted"):
            table.list()

    @pytest.mark.parametrize("which", ["snap-*.avro", "*-m0.avro"])
    @pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-40], lambda content: b"x" * 99])
    def test_a_damaged_manifest(self, make: Make, which: str, damage: Callable[[bytes], bytes]) -> None:
        table = make([DS, HR])
        table.append(A)
        [path] = Path(table.location.removeprefix("file://"), "metadata").glob(which)
        path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(CorruptMetadataError, match=path.name):
            table.list()

    def test_a_manifest_that_is_cut_between_two_blocks_of_avro(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        [path] = Path(table.location.removeprefix("file://"), "metadata").glob("*-m0.avro")
        content = path.read_bytes()
        path.write_bytes(content[: content.index(content[-16:]) + 16])
        with path.open("rb") as file:
            assert list(fastavro.reader(file)) == [], "it looks whole"
        with pytest.raises(CorruptMetadataError, match=rf"{path.name}.*it has \d+ of {len(content)} bytes"):
            table.list()

    def test_a_missing_manifest(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        [path] = Path(table.location.removeprefix("file://"), "metadata").glob("*-m0.avro")
        path.unlink()
        with pytest.raises(CorruptMetadataError, match=r"a manifest of its newest snapshot is missing"):
            table.list()

    @pytest.mark.parametrize("package", ["fastavro", "pyiceberg.table.metadata"])
    def test_without_the_packages_the_extra_is_named(
        self, make: Make, monkeypatch: pytest.MonkeyPatch, package: str
    ) -> None:
        table = make([DS, HR])
        table.append(A)
        location = table.table.metadata_location
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(UnsupportedFeatureError, match=r'pip install "hive_views\[iceberg\]"'):
            IcebergBaseTable(table.name, lambda: location, Files()).list_partitions()
