"""Verbs on 1,000 views, beside the raw calls and files of the same number.

What lives here: the views, and both sides of each verb. What must not: verbs on one view (__main__.py).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

from hive_views.estate.adopt import adopt
from hive_views.estate.copying import copy_views
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.structs import from_row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit import CommitSettings
from tests.benchmarks.figures import Figure, in_turns
from tests.benchmarks.raw import Raw
from tests.plain_rows.broken import sound_row

VIEWS = 1_000
_CONTENT = b"x" * 1500
"""As long as the metadata file of a view of one version."""


def measure_estate(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    settings = CommitSettings(lock="never")
    with ViewCatalog(HiveMetastore(uri), warehouse=str(directory / "views"), settings=settings) as catalog:
        raw = Raw(uri, directory / "raw")
        for turn in range(rounds + 1):
            for side in ("ours", "raw"):
                _make_plain_views(catalog, raw, f"estate_{side}_{turn}")

        def adopt_ours(turn: int) -> None:
            assert len(adopt(catalog, f"estate_ours_{turn}.*")) == VIEWS

        def adopt_raw(turn: int) -> None:
            for table in raw.rows(f"estate_raw_{turn}"):
                raw.adopt(table, _CONTENT)

        ours, theirs = in_turns(rounds, adopt_ours, adopt_raw)
        yield Figure(f"adopt {VIEWS:,} views", ours, theirs, 1.5)

        for turn in range(rounds + 1):
            for side in ("ours", "raw"):
                catalog.create_namespace(f"copied_{side}_{turn}")

        def copy_ours(turn: int) -> None:
            names = {"estate_ours_0": f"copied_ours_{turn}"}
            assert not copy_views(catalog, catalog, "estate_ours_0.*", names=names).failed

        def copy_raw(turn: int) -> None:
            for table in raw.rows("estate_ours_0"):
                content = Path(table.parameters["metadata_location"].removeprefix("file://")).read_bytes()
                copied = copy.deepcopy(table)
                copied.dbName = f"copied_raw_{turn}"
                copied.parameters["metadata_location"] = f"file://{raw.write(content)}"
                raw.ask("create_table", copied)
            for table in raw.rows(f"copied_raw_{turn}"):
                Path(table.parameters["metadata_location"].removeprefix("file://")).read_bytes()

        ours, theirs = in_turns(rounds, copy_ours, copy_raw)
        yield Figure(f"copy {VIEWS:,} views, and compare them", ours, theirs, None)


def _make_plain_views(catalog: ViewCatalog, raw: Raw, namespace: str) -> None:
    catalog.create_namespace(namespace)
    for number in range(VIEWS):
        raw.ask("create_table", from_row(sound_row(TableIdentifier(namespace, f"v{number:04d}"), number)))
