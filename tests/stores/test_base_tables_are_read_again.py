"""Base tables on each object store, of which this process has listed everything: what is written since is seen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.opening import open_base_table
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.files import Files
from tests.stores.kinds import EACH, NAMES, Store
from tests.stores.tables_of_each_format import delta, iceberg_at, paimon
from tests.support.tables.writable import WritableTableWithHistory

Appends = Callable[[str], None]
"""Commits a row of a day, by a client that shares nothing with those of readers."""


def copied(made: Callable[[Path], tuple[WritableTableWithHistory, Path]]) -> Callable[[Store, Path], Appends]:
    """A table whose files name no locations, so that it can be written on the local disk."""

    def table_at(store: Store, scratch: Path) -> Appends:
        table, directory = made(scratch)
        fs = store.fs_of_users(is_of_another_process=True)

        def append(day: str) -> None:
            table.append((day,))
            for path in directory.rglob("*"):
                if path.is_file():
                    fs.pipe_file(f"{store.lake}/t/{path.relative_to(directory)}", path.read_bytes())

        return append

    return table_at


def in_place(store: Store, _: Path) -> Appends:
    table = iceberg_at(f"{store.lake}/t", store.server.iceberg_properties)
    return lambda day: table.append((day,))


# The writer of Paimon tables does not go together with the newest clients of object stores.
FORMATS: dict[str, tuple[Callable[[Store, Path], Appends], list[pytest.MarkDecorator]]] = {
    "Delta": (copied(delta), []),
    "Iceberg": (in_place, []),
    "Paimon": (copied(paimon), [pytest.mark.pinned]),
}


def case(store: Any, format_: str) -> Any:
    [kind] = store.values
    table_at, marks = FORMATS[format_]
    holds = f"{format_} tables are read, with what others commit meanwhile"
    promise = pytest.mark.promise(what="base tables", holds=holds, stores=(NAMES[kind],))
    return pytest.param(kind, table_at, marks=[*store.marks, *marks, promise], id=f"{format_}-{kind}")


@pytest.mark.parametrize(("store", "table_at"), [case(*one) for one in product(EACH, FORMATS)], indirect=["store"])
def test_a_commit_by_another_process_is_seen_whatever_was_listed_before(
    store: Store, tmp_path: Path, table_at: Callable[[Store, Path], Appends]
) -> None:
    append, user_fs, location = table_at(store, tmp_path), store.fs_of_users(), f"{store.lake}/t"
    append("2026-08-21")
    listed = {path: user_fs.ls(path) for path in {one.rpartition("/")[0] for one in user_fs.find(location)}}
    # A user may want listings kept for other purposes.
    files = Files({**store.server.options, "use_listings_cache": True, "skip_instance_cache": False})
    reader = open_base_table(MemoryMetastore(), location, files=files)

    def days(reader: Any) -> set[tuple[str | None, ...]]:
        return set(reader.list_partitions().values)

    assert days(reader) == {("2026-08-21",)}
    append("2026-08-22")
    assert {path: user_fs.ls(path) for path in listed} == listed, "the user's own listings are old"
    both = {("2026-08-21",), ("2026-08-22",)}
    assert days(reader) == days(open_base_table(MemoryMetastore(), location, files=files)) == both
