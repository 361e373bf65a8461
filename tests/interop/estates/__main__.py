"""The proof of ``impact`` by hand, on Spark and Hive: ``python -m tests.interop.estates --seed 1 --seed 2``."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hive_views import ViewCatalog
from hive_views.estate import impact
from hive_views.metastore.embedded.java import find_java
from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spark import local_session
from tests.interop.estates.changes import change_at_random
from tests.interop.estates.generating import generate
from tests.interop.estates.living import Engine, LivingEstate, Read, reads_by_hive, reads_by_spark
from tests.interop.estates.proof import Readings, Verdict, figures, judge, what_happens
from tests.support.java.hive_2 import hive_2


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.interop.estates", description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="of an estate and its changes; may be repeated")
    parser.add_argument("--views", type=int, default=300)
    parser.add_argument("--changes", type=int, default=40, help="of each estate")
    parser.add_argument("--without-hive", action="store_true")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="estates-")))
        server = stack.enter_context(LocalMetastore(directory / "metastore"))
        assert server.uri
        spark = stack.enter_context(local_session(server.uri, directory / "spark", app_name="estates"))
        reads: dict[str, Read] = {"Spark": reads_by_spark(spark)}
        engines: dict[str, Engine] = {"Spark": spark.sql}
        if not options.without_hive:
            (directory / "hive").mkdir()
            hive = stack.enter_context(hive_2(find_java(), directory / "hive", server.uri))
            reads["Hive"], engines["Hive"] = reads_by_hive(hive.columns), hive.rows
        metastore = HiveMetastore(server.uri)
        stack.callback(metastore.close)
        catalog = ViewCatalog(metastore, warehouse=str(directory / "views"))
        verdicts: list[Verdict] = []
        for seed in options.seed or [1]:
            namespace = f"estate_{seed}"
            metastore.create_namespace(namespace, location=f"file:{directory / namespace}")
            living = LivingEstate(catalog, generate(seed, namespace, options.views), engines)
            print(f"seed {seed}: {options.views} views, on {', '.join(reads)}", flush=True)
            random, before = Random(f"changes {seed}"), Readings()
            for _ in range(options.changes):
                change = change_at_random(random, living.estate)
                said = impact(catalog, change.statement)
                verdicts.append(judge(what_happens(living, reads, change, before), said))
                _tell(living, verdicts[-1])
    print(f"\n{figures(verdicts)}")
    return int(any(verdict.missed or verdict.types_missed for verdict in verdicts))


def _tell(living: LivingEstate, verdict: Verdict) -> None:
    texts = {view.name: f"({view.maker}) {view.text}" for view in living.estate.views}
    truth = verdict.truth
    print(f"{truth.change.statement}: {len(truth.broken)} of {truth.read} broken", flush=True)
    for what, views in (("MISSED", verdict.missed), ("FALSE", verdict.false)):
        for view, why in views.items():
            print(f"  {what} {view} {texts[view]}\n    {why}", flush=True)
    for what, columns in (("TYPE MISSED", verdict.types_missed), ("TYPE FALSE", verdict.types_false)):
        for (view, column), type_ in columns.items():
            print(f"  {what} {view}.{column} {type_} {texts[view]}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
