"""What `impact` says of changes in a random estate is what Spark then reads; Hive too by hand (tests/README.md)."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.estate import impact
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.estates.changes import change_at_random
from tests.interop.estates.generating import MAKERS, generate
from tests.interop.estates.living import LivingEstate, reads_by_spark
from tests.interop.estates.proof import Readings, figures, judge, what_happens

pytestmark = pytest.mark.pinned

VIEWS = 24
CHANGES = 8
ALLOWED = 0.02
"""So many of the views that are named may be readable: Hive alone may fail to read them."""


@pytest.mark.parametrize("seed", [42])
def test_no_view_that_spark_fails_to_read_is_missed_and_few_are_named_that_it_reads(
    spark: Any, hms: HiveMetastore, namespace: str, tmp_path: Path, seed: int
) -> None:
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    estate = generate(seed, namespace, VIEWS, makers=[maker for maker in MAKERS if maker != "Hive"])
    living = LivingEstate(catalog, estate, {"Spark": spark.sql})
    random, before = Random(f"changes {seed}"), Readings()
    verdicts = []
    for _ in range(CHANGES):
        change = change_at_random(random, estate)
        said = impact(catalog, change.statement)
        verdicts.append(judge(what_happens(living, {"Spark": reads_by_spark(spark)}, change, before), said))
    print(f"seed {seed}\n{figures(verdicts)}")
    assert [(verdict.truth.change.statement, verdict.missed) for verdict in verdicts if verdict.missed] == []
    named = sum(len(verdict.named) for verdict in verdicts)
    assert named > VIEWS / 2
    assert sum(len(verdict.false) for verdict in verdicts) <= ALLOWED * named, [one.false for one in verdicts]
