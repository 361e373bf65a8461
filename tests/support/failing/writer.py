"""A writer as a process of its own, for tests that kill it or run many."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

import hive_views.views.partitions.batches
from hive_views.estate.adopting import adopt
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.project.applying.apply_plan import apply
from hive_views.project.plans.plan_document import read_plan
from hive_views.publishing.publish import publish
from hive_views.publishing.republish import apply_republish_plan, plan_republish
from hive_views.readiness.rules import column, requires
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings

NOTIFIES = "WRITER_NOTIFIES"
"""The variable that says to whom ``publishes`` sends events."""

_ROOT = Path(__file__).parents[3]


class HalvingFileSystem(LocalFileSystem):  # type: ignore[misc]
    """Local files under ``halving://``; in a process so configured, a write stops half way and never goes on."""

    protocol = "halving"
    stops = False

    @classmethod
    def _strip_protocol(cls, path: Any) -> str:
        return str(super()._strip_protocol(str(path).removeprefix("halving://")))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        with Path(path).open("xb" if mode == "create" else "wb") as file:
            file.write(value[: len(value) // 2] if self.stops else value)
        if self.stops:
            print("half", flush=True)
            threading.Event().wait()


fsspec.register_implementation("halving", HalvingFileSystem, clobber=True)


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start a writer: ``increments``, ``once``, ``half``, ``widens``, ``adopts``,
    ``adopts-half``, ``applies``, ``publishes``, ``publishes-often`` or ``redeclares``, and what ``main`` wants."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.failing.writer", *arguments],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def main(arguments: Sequence[str]) -> None:
    what, uri, view, lock, name, count = arguments
    metastore = HiveMetastore(uri, lock_timeout_s=120.0)
    settings = CommitSettings(lock=lock, retry_timeout_s=120.0)  # type: ignore[arg-type]
    with ViewCatalog(metastore, settings=settings) as catalog:
        if what.startswith("adopts"):
            HalvingFileSystem.stops = what == "adopts-half"
            adopt(ViewCatalog(metastore, warehouse=name, settings=settings), view)
            return
        if what == "half":
            catalog.load_view(view)
            HalvingFileSystem.stops = True
        if what == "widens":
            found = catalog.load_view(view)
            columns = [(name, "int"), *((column.name, column.type, column.comment) for column in found.columns)]
            text = f"SELECT 1 AS {', '.join(column[0] for column in columns)} FROM web.clicks"
            catalog.replace_view(view, sql={"hive": text, "trino": text}, schema=columns)
            return
        if what == "applies":
            apply(ViewCatalog(metastore, warehouse=name, settings=settings), read_plan(view))
            return
        if what == "publishes":
            hive_views.views.partitions.batches.BATCH = 2
            rule, notify = requires(name, ds=column("ds")), os.environ.get(NOTIFIES)
            publish(catalog, view, rule, retract=True, app_id="nightly", run_version=int(count), notify=notify)
            return
        if what == "redeclares":
            hive_views.views.partitions.batches.BATCH = 1
            apply_republish_plan(catalog, plan_republish(catalog, view, redeclare=True))
            return
        if what == "publishes-often":
            hive_views.views.partitions.batches.BATCH = 2
            for _ in range(int(count)):
                publish(catalog, view, requires(name, ds=column("ds")), retract=True)
                print("published", flush=True)
            return
        for step in range(1, int(count) + 1):
            catalog.alter_view(view, set_properties={name: str(step)})
            print(step, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
