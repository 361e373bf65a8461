"""Verbs on 1,000 views, some of them broken, beside the raw calls and files of the same number."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from pathlib import Path

from hive_views.estate.adopting import adopt
from hive_views.estate.checks.checking import check
from hive_views.estate.each.outcomes import State
from hive_views.estate.transfer.copying import copy_views
from hive_views.hive.row import Column, Row
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.structs import from_row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.benchmarks.figures import Figure, in_turns
from tests.benchmarks.raw import Raw
from tests.support.failing.adopting_many import adopt_all_though_killed
from tests.support.plain_rows.broken import BROKEN, sound_row

VIEWS, EACH_BROKEN = 1_000, 6
BROKEN_VIEWS = EACH_BROKEN * len(BROKEN)
_CONTENT = b"x" * 1500
"""As long as the metadata file of a view of one version."""


def measure_estate(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    settings = CommitSettings(lock="never")
    with ViewCatalog(HiveMetastore(uri), warehouse=str(directory / "views"), settings=settings) as catalog:
        yield Figure("adopt 3,000 views, by two runs", [_adopt_by_two_runs(uri, directory)], [], None)
        raw = Raw(uri, directory / "raw")
        _make_base_table(catalog, directory)
        for turn in range(rounds + 1):
            for side in ("ours", "raw"):
                _make_plain_views(catalog, raw, f"estate_{side}_{turn}")

        def adopt_ours(turn: int) -> None:
            outcomes = adopt(catalog, f"estate_ours_{turn}.*")
            assert len(outcomes.of(State.DONE)) == VIEWS - BROKEN_VIEWS
            assert len(outcomes.of(State.FAILED)) == BROKEN_VIEWS

        def adopt_raw(turn: int) -> None:
            # As many as ours has.
            added = _pointing(raw, "estate_ours_0")[0].parameters
            for table in raw.rows(f"estate_raw_{turn}"):
                if table.tableName.startswith("v"):
                    raw.adopt(table, _CONTENT, {key: added[key] for key in added.keys() - table.parameters.keys()})

        ours, theirs = in_turns(rounds, adopt_ours, adopt_raw)
        yield Figure(f"adopt {VIEWS:,} views, {BROKEN_VIEWS} of them broken", ours, theirs, 1.5)

        def check_ours(turn: int) -> None:
            # Nothing is remembered of files that were read before.
            newcomer = ViewCatalog(catalog.metastore, MetadataStorage(), warehouse=catalog.warehouse)
            assert len(check(newcomer, f"estate_ours_{turn}.*").views) == VIEWS

        def check_raw(turn: int) -> None:
            for table in _pointing(raw, f"estate_ours_{turn}"):
                _content(table)
            raw.ask("get_table_objects_by_name_req", ttypes.GetTablesRequest(dbName="web", tblNames=["clicks"]))

        ours, theirs = in_turns(rounds, check_ours, check_raw)
        yield Figure(f"check {VIEWS:,} views", ours, theirs, None)

        for turn in range(rounds + 1):
            for side in ("ours", "raw"):
                catalog.create_namespace(f"copied_{side}_{turn}")

        def copy_ours(turn: int) -> None:
            names = {"estate_ours_0": f"copied_ours_{turn}"}
            copied = copy_views(catalog, catalog, "estate_ours_0.*", names=names)
            assert len(copied.of(State.DONE)) == VIEWS - BROKEN_VIEWS

        def copy_raw(turn: int) -> None:
            for table in _pointing(raw, "estate_ours_0"):
                copied = copy.deepcopy(table)
                copied.dbName = f"copied_raw_{turn}"
                copied.parameters["metadata_location"] = f"file://{raw.write(_content(table))}"
                raw.ask("create_table", copied)
            for table in raw.rows(f"copied_raw_{turn}"):
                _content(table)

        ours, theirs = in_turns(rounds, copy_ours, copy_raw)
        yield Figure(f"copy {VIEWS - BROKEN_VIEWS:,} views, and compare them", ours, theirs, None)


def _adopt_by_two_runs(uri: str, directory: Path) -> float:
    """The seconds of the whole, with making the views, the run that is killed, and a third one that changes nothing."""
    calls: list[str] = []
    with ViewCatalog(HiveMetastore(uri, on_call=calls.append), warehouse=str(directory / "killed")) as catalog:
        catalog.create_namespace("killed", location=f"file:{directory}/killed")
        started = time.perf_counter()
        adopt_all_though_killed(catalog, calls, uri, "killed", views=3_000, each_broken=20)
        return time.perf_counter() - started


def _make_base_table(catalog: ViewCatalog, directory: Path) -> None:
    catalog.create_namespace("web", location=f"file:{directory}/web")
    columns = (Column("user_id", "bigint"), Column("page", "string"))
    location = f"file:{directory}/web/clicks"
    catalog.metastore.create_row(
        Row(TableIdentifier("web", "clicks"), "MANAGED_TABLE", "ada", location, columns, (Column("ds", "string"),))
    )


def _make_plain_views(catalog: ViewCatalog, raw: Raw, namespace: str) -> None:
    """Sound ones, whose names begin with v, and broken ones."""
    catalog.create_namespace(namespace)
    for number in range(VIEWS - BROKEN_VIEWS):
        raw.ask("create_table", from_row(sound_row(TableIdentifier(namespace, f"v{number:04d}"), number)))
    for kind, broken in BROKEN.items():
        for number in range(EACH_BROKEN):
            raw.ask("create_table", from_row(broken(TableIdentifier(namespace, f"broken_{kind}_{number}"))))


def _pointing(raw: Raw, namespace: str) -> list[ttypes.Table]:
    return [table for table in raw.rows(namespace) if "metadata_location" in table.parameters]


def _content(table: ttypes.Table) -> bytes:
    return Path(table.parameters["metadata_location"].removeprefix("file://")).read_bytes()
