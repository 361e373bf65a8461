"""The state of a Delta table at one version: its live files, from checkpoints and the commits after them."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from hive_views.base_tables.delta.keys import PartitionColumns
from hive_views.base_tables.delta.log import TableHead
from hive_views.base_tables.delta.object_store import object_store_options, object_store_uri
from hive_views.base_tables.port import PartitionValues, StatisticsByColumn
from hive_views.errors import CorruptMetadataError, StorageUnavailableError, UnsupportedFeatureError
from hive_views.storage.files import Files

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://)?")


@dataclass(frozen=True)
class LiveFile:
    """A data file of a state.

    Attributes:
        records: all that are in it.
        deleted: those that its deletion vector marks; None where that is unknown.
    """

    values: PartitionValues
    size: int
    records: int | None
    deleted: int | None


class DeltaState:
    """A table as it was at one version; loading reads all of its files' names, once.

    Raises:
        CorruptMetadataError: the log is broken, or does not reach back to this version any more.
        UnsupportedFeatureError: ``deltalake`` is not installed, or does not know what the table needs.
    """

    def __init__(self, table: str, location: str, files: Files, version: int) -> None:
        self._name = table
        self._location = location
        self._library = _library(table)
        with self._translated():
            self._table = self._library.DeltaTable(
                object_store_uri(location),
                version=version,
                storage_options=object_store_options(location, files.options) or None,
            )
            metadata, protocol = self._table.metadata(), self._table.protocol()
            self.schema: str = self._table.schema().to_json()
        self.head = TableHead(
            metadata.id,
            PartitionColumns.of(table, self.schema, metadata.partition_columns),
            protocol.min_reader_version,
            tuple(protocol.reader_features or ()),
        )

    def partitions(self) -> tuple[list[PartitionValues], StatisticsByColumn]:
        """The partitions that have files, and beside them what their files add up to."""
        files = self._files()
        # A table of no partition columns is its one partition, with files or without.
        numbers: dict[PartitionValues, int] = {} if self.head.columns.keys else {(): 0}
        raw = list(self._raw_values(files))
        distinct = list(dict.fromkeys(raw))
        # Several of the log's values can be one of Hive's: a char is padded, and a NaN is no key of its own.
        number_of = {
            one: numbers.setdefault(values, len(numbers))
            for one, values in zip(distinct, self._spelled(distinct), strict=True)
        }
        of_files = [number_of[one] for one in raw]
        # A column at a time: with a hundred thousand files that takes half as long as a file at a time.
        number, size, records, newest = ([0] * len(numbers) for _ in range(4))
        for one in of_files:
            number[one] += 1
        for one, bytes_ in zip(of_files, _python(files, "size_bytes"), strict=True):
            size[one] += bytes_
        for one, written_at_ms in zip(of_files, _python(files, "modification_time"), strict=True):
            if written_at_ms > newest[one]:  # noqa: PLR1730 - a call for each file is what the time goes into
                newest[one] = written_at_ms
        unknown = set()
        for one, count in zip(of_files, self._live_records(files), strict=True):
            if count is None:
                unknown.add(one)
            else:
                records[one] += count
        rows = [None if one in unknown else count for one, count in enumerate(records)]
        written = [at_ms or None for at_ms in newest]
        return list(numbers), StatisticsByColumn(number, rows, size, written)

    def live_files(self) -> dict[str, LiveFile]:
        """The data files by path."""
        files = self._files()
        values = self._spelled(list(self._raw_values(files)))
        paths, sizes, records = (_python(files, name) for name in ("path", "size_bytes", "num_records"))
        deleted = self._deleted(paths)
        return {path: LiveFile(*one) for path, *one in zip(paths, values, sizes, records, deleted, strict=True)}

    def _files(self) -> Any:
        with self._translated():
            return self._table.get_add_actions(flatten=True)

    def _raw_values(self, files: Any) -> Iterable[tuple[Any, ...]]:
        """The values of each file's partition, as Arrow has them."""
        names = self._table.metadata().partition_columns
        if not names or not files.num_rows:
            return [()] * files.num_rows
        return zip(*(_python(files, f"partition.{name}") for name in names), strict=True)

    def _live_records(self, files: Any) -> list[int | None]:
        """The rows of each file without those that deletion vectors mark; None where that is unknown."""
        records = _python(files, "num_records")
        deleted = self._deleted(_python(files, "path"))
        return [
            None if count is None or gone is None else count - gone
            for count, gone in zip(records, deleted, strict=True)
        ]

    def _deleted(self, paths: Sequence[str]) -> Sequence[int | None]:
        """For each path of the log, the rows that its deletion vector marks; None for all where that is unknown."""
        if "deletionVectors" not in self.head.reader_features:
            return [0] * len(paths)
        marked: dict[bytes, int] = {}
        with self._translated():
            try:
                for batch in self._table.deletion_vectors():
                    pairs = zip(batch.column("filepath"), batch.column("selection_vector"), strict=True)
                    for uri, is_live in pairs:
                        marked[self._file(uri.as_py())] = is_live.as_py().count(False)
            except self._library.exceptions.DeltaError as e:
                if "Missing numRecords" not in str(e):
                    raise
                return [None] * len(paths)
        if not marked:
            return [0] * len(paths)
        files = [self._file(path) for path in paths]
        number = Counter(files)
        # A vector without its file means that some file has fewer rows than it seems, and nobody knows which.
        if any(number[file] != 1 for file in marked):
            return [None] * len(paths)
        return [marked.get(file, 0) for file in files]

    def _file(self, path: str) -> bytes:
        """The file that a path of the log means, or a URI of the library: these escape more than Spark's log does.

        A path is relative to the table, or a URI (Delta protocol, "Add File and Remove File"), as after SHALLOW CLONE.
        Schemes are left out: one storage has several (``s3``, ``s3a``), and local files ``file:/`` and ``file:///``.
        """
        is_whole = path.startswith("/") or _SCHEME.match(path)
        return unquote_to_bytes(_SCHEME.sub("", path if is_whole else f"{self._table.table_uri.rstrip('/')}/{path}", 1))

    def _spelled(self, raw: Sequence[tuple[Any, ...]]) -> list[PartitionValues]:
        """Hive's texts of Arrow's values; each value of a column is spelled once."""
        if not raw or not raw[0]:
            return list(raw)
        spelled = []
        for speller, column in zip(self.head.columns.spellers(), zip(*raw, strict=True), strict=True):
            texts = {value: speller(value) for value in set(column)}
            spelled.append([texts[value] for value in column])
        return list(zip(*spelled, strict=True))

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._library.exceptions.DeltaError as e:
            # The rest is a backtrace of Rust.
            problem = str(e).partition("\n")[0]
            if "Unknown scheme" in problem or "Unsupported" in problem or "catalog-managed" in problem:
                raise UnsupportedFeatureError(
                    f"Cannot read the Delta table {self._name} at {self._location}: {problem}", table=self._name
                ) from e
            raise CorruptMetadataError(
                f"Cannot read the Delta table {self._name}: its log in {self._location} is broken, or a part of it is "
                f"missing. {problem}",
                table=self._name,
                location=f"{self._location}/_delta_log",
            ) from e
        except OSError as e:
            if "Unable to recognise URL" in str(e):
                raise UnsupportedFeatureError(
                    f"Cannot read the Delta table {self._name}: deltalake does not support the storage of "
                    f"{self._location}.",
                    table=self._name,
                ) from e
            problem = " ".join(str(e).split())
            raise StorageUnavailableError(
                f"Cannot read the Delta table {self._name} at {self._location}: {problem}", location=self._location
            ) from e
        except BaseException as e:
            # It is no Exception, so that it would end whatever thread or program it meets.
            if type(e).__name__ == "PanicException" and "orked process" in str(e):
                raise UnsupportedFeatureError(
                    f"Cannot read the Delta table {self._name}: this process was forked from one that had already used "
                    f"deltalake, which does not work after a fork. Start processes by spawn or forkserver.",
                    table=self._name,
                ) from e
            raise


def _python(files: Any, column: str) -> list[Any]:
    values: list[Any] = files.column(column).to_pylist()
    return values


def _library(table: str) -> Any:
    try:
        import deltalake  # noqa: PLC0415 - optional
        import deltalake.exceptions  # noqa: PLC0415
    except ImportError as e:
        raise UnsupportedFeatureError(
            f'Cannot read the Delta table {table}: deltalake is missing. pip install "hive_views[delta]"', table=table
        ) from e
    return deltalake
