"""Readers beside releases of a project: a view is never missing, and what is read is of one release.

Hive's metastore answers ``get_table`` by several queries, each of what is committed by then: beside any ALTER it may
give the columns of before with the text of after. Plain readers can get that, and do, if they ask in that moment; by
the file that the row names a view is always whole.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.project import apply, plan
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.projects import write_project

# PySpark leaves sockets of what it collects to the garbage collector.
pytestmark = [pytest.mark.pinned, pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]

RELEASES, VIEWS = 4, 2
REST_S = 0.01
"""Readers that never rest leave the releases no processor: ten times the reads would be of the same moments."""
Reader = Callable[[str], str | None]
"""Reads a view: the release that it is of, or None if what the metastore gave is of two."""


def _files(namespace: str, release: int) -> dict[str, str]:
    """Views whose columns and rows say of which release they are."""
    files = {f"{namespace}.v0": f"SELECT 1 AS id, '{release}' AS release, 'x' AS of_{release}"}
    for number in range(1, VIEWS):
        source = f"{namespace}.v{number - 1}"
        files[f"{namespace}.v{number}"] = f"SELECT id, '{release}' AS release, 'x' AS of_{release} FROM {source}"
    return files


def _by_row(metastore: HiveMetastore, namespace: str) -> Reader:
    """What plain readers ask for, as the metastore answers it."""

    def read(name: str) -> str | None:
        row = metastore.load_row(TableIdentifier(namespace, name))
        names = [column.name for column in row.columns]
        texts = (str(row.original_text), str(row.expanded_text).replace("`", ""))
        said = {names[-1] if names else "", *(text.split(" AS ")[-1].split()[0] for text in texts)}
        return said.pop().removeprefix("of_") if len(said) == 1 else None

    return read


def _by_spark(spark: Any, namespace: str) -> Reader:
    from pyspark.errors import AnalysisException

    def read(name: str) -> str | None:
        try:
            frame = spark.table(f"{namespace}.{name}")
            [row] = frame.collect()
        except AnalysisException as error:
            if error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND":
                raise
            return None
        assert frame.columns == ["id", "release", f"of_{row['release']}"]
        return str(row["release"])

    return read


def _by_this_library(catalog: ViewCatalog, namespace: str) -> Reader:
    def read(name: str) -> str | None:
        view = catalog.load_view(f"{namespace}.{name}")
        [*_, last] = [field.name for field in view.metadata.current_schema.fields]
        assert f"AS {last}" in view.original_sql("hive")
        return last.removeprefix("of_")

    return read


def test_no_reader_misses_a_view_or_takes_one_of_two_releases_for_whole(
    spark: Any, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    warehouse = str(tmp_path / "views")
    catalog = ViewCatalog(hms, warehouse=warehouse)

    def release(number: int) -> None:
        made = plan(catalog, write_project(tmp_path / "project", _files(namespace, number)), allow_breaking=["*.*"])
        assert len(apply(catalog, made).done) == VIEWS

    release(0)
    readers = {
        "rows": _by_row(hms, namespace),
        "spark": _by_spark(spark.newSession(), namespace),
        "this library": _by_this_library(ViewCatalog(hms, warehouse=warehouse), namespace),
    }
    seen: dict[str, Counter[str | None]] = {who: Counter() for who in readers}
    has_ended = threading.Event()

    def read_on(who: str) -> None:
        while not has_ended.wait(REST_S):
            seen[who].update([readers[who](f"v{number}") for number in range(VIEWS)])

    def make_releases() -> None:
        try:
            for number in range(1, RELEASES):
                release(number)
        finally:
            has_ended.set()

    with ThreadPoolExecutor(len(readers)) as pool:
        running = [pool.submit(make_releases)]
        running += [pool.submit(read_on, who) for who in readers if who != "spark"]
        # Connections to Spark of threads that have ended stay open.
        read_on("spark")
        for one in running:
            one.result()
    last = str(RELEASES - 1)
    assert [readers[who]("v0") for who in ("spark", "this library")] == [last, last]
    assert None not in seen["this library"]
    assert all(sum(releases.values()) - releases[None] for releases in seen.values()), seen
