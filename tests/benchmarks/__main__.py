"""What the library costs beside the raw Thrift calls and files that any such library must make.

One command, ``python -m tests.benchmarks``; it prints a table of medians with their spread and the ratio to reach, and
exits with 1 if one is missed. ``--estate`` measures verbs on 1,000 views, ``--check`` a check of 10,000 in memory,
``--uses`` who of them uses a column, ``--project`` plans of files of 300 and 5,000 views and an apply, ``--status`` the
status of 1,000 publications, ``--analyze`` the analysis of queries, ``--publishing`` what planning over base tables
costs beside the raw reader of each format, and publications in a Spark job, ``--rest`` requests beside Iceberg's
reference server of its REST protocol, which is the raw side there, and ``--readers`` what 200 of them leave in our
server. ``--requests`` counts what each verb asks of an S3 server, on one view and on 100, ``--engines`` measures loads
from one by our client and by another.
``--uri`` measures on another metastore than a fresh embedded one.

Both sides of a row do the same round trips in the same run, in turns, so that a machine that slows down slows both. The
raw side is Thrift's generated client and plain files with fsync: no checks, no retries, no rows made from metadata.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hive_views.ddl.grammar.parse import parse_statement
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.benchmarks.analysis import measure_analysis
from tests.benchmarks.base_tables import measure_base_tables
from tests.benchmarks.check_views import measure_check, measure_uses
from tests.benchmarks.engines import measure_engines
from tests.benchmarks.estate import measure_estate
from tests.benchmarks.figures import Figure, in_turns
from tests.benchmarks.project import measure_project
from tests.benchmarks.publications import measure_publications
from tests.benchmarks.raw import Raw
from tests.benchmarks.readers import measure_readers
from tests.benchmarks.rest import measure_rest
from tests.benchmarks.spark_job import measure_spark_job
from tests.support.processes.s3_server import s3_server
from tests.support.tables.requests import measure_requests

NAME = "bench.daily_clicks"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "string")]
PARTITIONS = 10_000


def select(number: int) -> str:
    return f"SELECT user_id, count(*) AS clicks, ds FROM web.clicks WHERE user_id > {number} GROUP BY user_id, ds"


def measure(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    yield from _commits(uri, directory, rounds)
    yield from _partitions(uri, directory, max(2, rounds // 10))
    yield Figure(
        "import hive_views, whole process", _processes(rounds, [sys.executable, "-c", "import hive_views"]), [], 0.150
    )
    command = str(Path(sys.executable).with_name("hive-views"))
    yield Figure("hive-views --help, whole process", _processes(rounds, [command, "--help"]), [], 0.300)
    yield from _statements(rounds)


def _catalog(uri: str, directory: Path, lock: str = "auto") -> ViewCatalog:
    settings = CommitSettings(lock=lock)  # type: ignore[arg-type]
    return ViewCatalog(HiveMetastore(uri), warehouse=str(directory), settings=settings)


def _commits(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    raw = Raw(uri, directory)
    with _catalog(uri, directory) as catalog:
        with contextlib.suppress(LookupError):
            catalog.drop_view(NAME)
        catalog.create_namespace("bench", if_not_exists=True)
        catalog.create_view(NAME, sql={"hive": select(0)}, schema=COLUMNS, partitioned_on=["ds"])

        def load_cold(_: int) -> None:
            ViewCatalog(catalog.metastore, MetadataStorage()).load_view(NAME)

        ours, theirs = in_turns(rounds * 3, load_cold, lambda _: raw.load("daily_clicks"))
        yield Figure("load a view, its file not known yet", ours, theirs, 1.3)
        ours, theirs = in_turns(rounds * 3, lambda _: catalog.load_view(NAME), lambda _: raw.load("daily_clicks"))
        yield Figure("load a view again", ours, theirs, 1.3)
    for lock in ("never", "auto"):
        with _catalog(uri, directory, lock) as catalog:
            content = raw.load("daily_clicks")

            def replace(turn: int, catalog: ViewCatalog = catalog, lock: str = lock) -> None:
                catalog.replace_view(NAME, sql={"hive": select(turn + (1000 if lock == "auto" else 0))})

            # The raw side commits to a view of its own: ours would take its commits for somebody's.
            catalog.create_view(f"bench.raw_{lock}", sql={"hive": select(0)}, schema=COLUMNS, partitioned_on=["ds"])
            ours, theirs = in_turns(
                rounds,
                replace,
                lambda _, lock=lock, content=content: raw.replace(f"raw_{lock}", content, lock=lock == "auto"),
            )
            yield Figure(f"replace a view, lock={lock!r}", ours, theirs, 1.3)


def _partitions(uri: str, directory: Path, rounds: int) -> Iterator[Figure]:
    raw = Raw(uri, directory)
    days = [f"day-{number:05d}" for number in range(PARTITIONS)]
    with _catalog(uri, directory) as catalog:
        for turn in range(rounds + 1):
            for side in ("ours", "raw"):
                name = f"bench.{side}_{turn}"
                catalog.create_view(name, sql={"hive": select(0)}, schema=COLUMNS, partitioned_on=["ds"])
        ours, theirs = in_turns(
            rounds,
            lambda turn: catalog.partitions(f"bench.ours_{turn}").add([{"ds": day} for day in days]),
            lambda turn: raw.add(f"raw_{turn}", days),
        )
        yield Figure(f"add {PARTITIONS:,} partitions", ours, theirs, 1.2)
        ours, theirs = in_turns(
            rounds * 10,
            lambda _: catalog.partitions("bench.ours_0").names(),
            lambda _: (raw.table("ours_0"), raw.ask("get_partition_names", "bench", "ours_0", -1)),
        )
        yield Figure(f"name {PARTITIONS:,} partitions", ours, theirs, 1.3)


def _statements(rounds: int) -> Iterator[Figure]:
    columns = [f"kind_{number}" for number in range(40)]
    named = ",\n".join(f"  {column} COMMENT 'of kind {column}'" for column in columns)
    items = ",\n".join(f"  coalesce(c.{column}, 0) AS {column}" for column in columns)
    view = (
        f"CREATE OR REPLACE VIEW sales.wide (\n  user_id,\n{named},\n  ds\n)\nCOMMENT 'clicks by kind'\n"
        f"PARTITIONED ON (ds)\nTBLPROPERTIES (\n  'team'='web'\n)\nAS\nSELECT\n  u.user_id,\n{items},\n  c.ds\n"
        "FROM web.clicks c\nJOIN web.users u\n  ON u.user_id = c.user_id\nWHERE\n  u.country = 'se'\n  AND c.ds > '1'\n"
    )
    assert view.count("\n") + 1 == 100
    specs = " ".join(f"PARTITION (ds='day-{number:05d}', hr={number % 24})" for number in range(PARTITIONS))
    for what, sql, to_reach in (
        ("read a CREATE VIEW of 100 lines", view, 0.005),
        (f"read {PARTITIONS:,} specs of ADD PARTITION", f"ALTER VIEW sales.wide ADD {specs}", 1.0),
    ):
        seconds, _ = in_turns(rounds, lambda _, sql=sql: parse_statement(sql), lambda _: None)
        yield Figure(what, seconds, [], to_reach)


def _processes(rounds: int, command: list[str]) -> list[float]:
    seconds = []
    for _ in range(rounds + 1):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - started)
    return seconds[1:]


def _requests() -> int:
    table = Table("what", "asked for", "needed", "")
    with tempfile.TemporaryDirectory() as scratch, s3_server(Path(scratch)) as server:
        asked = list(measure_requests(server, 100, Path(scratch)))
    for one in asked:
        table.add_row(*one.cells())
    Console(width=150 if not sys.stdout.isatty() else None).print(table)
    return 0 if all(one.is_held for one in asked) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--uri", help="a metastore to measure on; a fresh embedded one if not given")
    parser.add_argument("--rounds", type=int, default=20, help="counted turns of each commit (default 20)")
    parser.add_argument("--statements", action="store_true", help="only the reading of statements, without a metastore")
    parser.add_argument("--estate", action="store_true", help="only verbs on 1,000 views")
    parser.add_argument("--publishing", action="store_true", help="only plans over base tables, and a Spark job")
    parser.add_argument("--status", action="store_true", help="only the status of 1,000 publications, in memory")
    parser.add_argument("--analyze", action="store_true", help="only the analysis of queries of TPC-DS and TPC-H")
    parser.add_argument("--check", action="store_true", help="only a check of 10,000 views, without a metastore")
    parser.add_argument("--uses", action="store_true", help="only the uses of a column in 10,000 views, likewise")
    parser.add_argument("--project", action="store_true", help="only plans and an apply of 300 views, plans of 5,000")
    parser.add_argument("--rest", action="store_true", help="only requests over REST, beside Iceberg's own server")
    parser.add_argument("--readers", action="store_true", help="only 200 clients at once who load views for minutes")
    parser.add_argument("--requests", action="store_true", help="only requests to an object store, beside those needed")
    parser.add_argument("--engines", action="store_true", help="only loads from an object store, beside obstore")
    chosen = parser.parse_args()
    if chosen.requests:
        return _requests()
    table = Table("what", "ours: median (min - p95 - max)", "raw: median (min - p95 - max)", "reached", "to reach", "")
    figures = []
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        if chosen.statements:
            measured = _statements(chosen.rounds)
        elif chosen.engines:
            measured = measure_engines(Path(scratch), max(2, chosen.rounds // 4))
        elif chosen.analyze:
            measured = measure_analysis(max(3, chosen.rounds // 4))
        elif chosen.check:
            measured = measure_check(Path(scratch))
        elif chosen.uses:
            measured = measure_uses(Path(scratch))
        elif chosen.status:
            measured = measure_publications()
        else:
            uri = chosen.uri or stack.enter_context(LocalMetastore(Path(scratch) / "metastore")).uri
            if chosen.estate:
                measured = measure_estate(uri, Path(scratch), max(2, chosen.rounds // 7))
            elif chosen.project:
                measured = measure_project(uri, Path(scratch))
            elif chosen.rest:
                measured = measure_rest(uri, Path(scratch), chosen.rounds)
            elif chosen.readers:
                measured = measure_readers(uri, Path(scratch))
            elif chosen.publishing:
                rounds = max(2, chosen.rounds // 5)
                measured = chain(measure_base_tables(uri, Path(scratch), rounds), measure_spark_job(uri, Path(scratch)))
            else:
                measured = measure(uri, Path(scratch), chosen.rounds)
        for figure in measured:
            figures.append(figure)
            print(f"measured: {figure.what}", file=sys.stderr)
            table.add_row(*figure.cells())
    Console(width=150 if not sys.stdout.isatty() else None).print(table)
    return 0 if all(figure.is_reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
