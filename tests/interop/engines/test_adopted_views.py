"""Views of Hive 4, Trino and Spark on one metastore are adopted together, and all engines read them as before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt, hand_back
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import EngineError, Hive, Trino
from tests.support.plain_rows.compared import assert_adopted, assert_same

OF_HIVE = {
    "hive_simple": "CREATE VIEW {v} AS SELECT user_id, page FROM {web}.clicks",
    "hive_unaliased": "CREATE VIEW {v} AS SELECT user_id + 1, count(*) FROM {web}.clicks GROUP BY user_id",
    "hive_partitioned": "CREATE VIEW {v} (who COMMENT 'the user', ds) COMMENT 'by day' PARTITIONED ON (ds) "
    "TBLPROPERTIES ('team'='web') AS SELECT user_id, ds FROM {web}.clicks",
}
OF_SPARK = {
    "spark_simple": "CREATE VIEW {v} COMMENT 'by Spark' AS SELECT user_id AS who, page FROM {web}.clicks",
    "spark_cast": "CREATE VIEW {v} AS SELECT try_cast(page AS int) AS n, user_id FROM {web}.clicks",
}
OF_TRINO = {
    "trino_simple": "CREATE VIEW {v} COMMENT 'by Trino' AS SELECT user_id, page FROM {web}.clicks",
    "trino_functions": "CREATE VIEW {v} AS SELECT user_id, approx_distinct(page) AS pages FROM {web}.clicks GROUP BY 1",
}
NAMES = [*OF_HIVE, *OF_SPARK, *OF_TRINO]


def answer(ask: Callable[[str], Any], name: str) -> Any:
    """The rows of a view, or that the engine refuses it."""
    try:
        return sorted(ask(f"SELECT * FROM {name}"), key=repr)
    except EngineError:
        return "refused"


def test_all_engines_read_adopted_views_as_before(
    hive: Hive,
    trino: Trino,
    spark_4: SparkProcess,
    hms: HiveMetastore,
    catalog: ViewCatalog,
    namespace: str,
    web: str,
) -> None:
    for engine, statements in ((hive, OF_HIVE), (spark_4, OF_SPARK), (trino, OF_TRINO)):
        for name, statement in statements.items():
            engine.rows(statement.format(v=f"{namespace}.{name}", web=web))  # type: ignore[attr-defined]
    partitioned = f"{namespace}.hive_partitioned"
    hive.rows(f"ALTER VIEW {partitioned} ADD PARTITION (ds='2026-08-21') PARTITION (ds='2026-08-22')")
    partitions = hive.rows(f"SHOW PARTITIONS {partitioned}")
    assert len(partitions) == 2

    def answers() -> dict[tuple[str, str], Any]:
        engines = {"hive": hive.rows, "spark": spark_4.rows, "trino": trino.rows}
        return {(by, name): answer(ask, f"{namespace}.{name}") for by, ask in engines.items() for name in NAMES}

    def row(name: str) -> Row:
        return hms.load_row(TableIdentifier(namespace, name))

    rows, before = {name: row(name) for name in NAMES}, answers()
    for by, names in (("hive", OF_HIVE), ("spark", OF_SPARK), ("trino", OF_TRINO)):
        assert all(before[by, name] != "refused" for name in names)
    assert all(before[by, name] == "refused" for by in ("hive", "spark") for name in OF_TRINO)

    outcomes = adopt(catalog, f"{namespace}.*")
    assert {one.view: (one.state, one.details["dialect"]) for one in outcomes} == {
        f"{namespace}.{name}": (State.DONE, name.partition("_")[0]) for name in NAMES
    }
    assert answers() == before
    for name in NAMES:
        assert_adopted(rows[name], row(name))
        assert catalog.load_view(f"{namespace}.{name}").differences == ()
    assert hive.rows(f"SHOW PARTITIONS {partitioned}") == partitions
    assert catalog.partitions(partitioned).names() == ["ds=2026-08-21", "ds=2026-08-22"]

    assert not hand_back(catalog, f"{namespace}.*").failed
    for name in NAMES:
        assert_same(rows[name], row(name))
    assert answers() == before


def test_a_view_of_trino_that_gets_a_text_for_hive_is_read_by_all(
    hive: Hive, trino: Trino, spark_4: SparkProcess, catalog: ViewCatalog, namespace: str, web: str
) -> None:
    name, text = f"{namespace}.trino_simple", f"SELECT user_id, page FROM {web}.clicks"
    trino.rows(f"CREATE VIEW {name} COMMENT 'by Trino' AS {text}")
    expected = answer(trino.rows, name)
    adopt(catalog, name)
    with pytest.raises(EngineError):
        hive.rows(f"SELECT * FROM {name}")
    catalog.alter_view(name, sql={"hive": text})
    assert [answer(ask, name) for ask in (hive.rows, spark_4.rows, trino.rows)] == [expected] * 3
    assert catalog.load_view(name).comment == "by Trino"
