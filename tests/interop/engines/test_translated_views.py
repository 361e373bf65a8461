"""Views whose SQL for Trino is translated: read by Trino over REST, and by Hive and Spark from the row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from hive_views import ViewCatalog
from tests.interop.engines.conftest import Engines, SparkProcess
from tests.support.containers.engines import EngineError, Hive, Rows, Trino

proves = partial(pytest.mark.matrix, engine="Trino 476 over REST", server="4.0.1 on PostgreSQL")

SELECT = (
    "SELECT user_id, substr(ds, 0, 7) AS month, count(*) / 2 AS half FROM {web}.clicks "
    "GROUP BY user_id, substr(ds, 0, 7)"
)
FIRST = (
    "SELECT user_id, concat(substr(ds, -2), length(page)) AS month, 5 / 2 AS half FROM {web}.clicks "
    "WHERE page LIKE '%Ω%'"
)


@pytest.fixture
def views(engines: Engines, namespace: str) -> Iterator[ViewCatalog]:
    """A catalog that knows what Trino calls the tables of Hive."""
    with ViewCatalog.connect(engines.metastore.uri, trino_catalog="hive") as catalog:
        yield catalog


def rows(found: Rows) -> list[tuple[str, ...]]:
    """Rows with numbers as Python writes them, whatever an engine calls them."""
    return sorted(
        tuple(str(float(value)) if isinstance(value, (int, float)) else str(value) for value in row) for row in found
    )


@proves(
    operation="alter_view(translate=...), and a change of its source", result="Trino reads what Hive and Spark read"
)
def test_trino_reads_what_hive_reads_before_and_after_the_source_is_changed(
    views: ViewCatalog, namespace: str, web: str, hive: Hive, spark_4: SparkProcess, trino: Trino
) -> None:
    name = f"{namespace}.monthly"
    views.create_view(name, sql={"hive": SELECT.format(web=web)})
    views.alter_view(name, translate={"trino": "hive"})
    above = f"SELECT user_id, month FROM {name} WHERE half > 0"
    views.create_view(f"{namespace}.above", sql={"hive": above}, translate={"trino": "hive"})
    for text in (SELECT, FIRST):
        view = views.alter_view(name, sql={"hive": text.format(web=web)})
        assert (view.stale_dialects, list(view.translations)) == ((), ["trino"])
        for one in (name, f"{namespace}.above"):
            in_trino = rows(trino.rows(f"SELECT * FROM views.{one}"))
            assert in_trino
            assert in_trino == rows(hive.rows(f"SELECT * FROM {one}")) == rows(spark_4.rows(f"SELECT * FROM {one}"))


@proves(operation="CREATE OR REPLACE VIEW of one with translated SQL", result="refused; nothing is changed")
def test_trino_does_not_replace_one_text_of_several(
    views: ViewCatalog, namespace: str, web: str, hive: Hive, trino: Trino
) -> None:
    """It sends its own text alone, and would drop the one that it is translated from."""
    name = f"{namespace}.daily"
    view = views.create_view(name, sql={"hive": SELECT.format(web=web)}, translate={"trino": "hive"})
    text = f"SELECT user_id, page AS month, 1e0 AS half FROM hive.{web}.clicks"
    with pytest.raises(EngineError, match="dialect"):
        trino.rows(f"CREATE OR REPLACE VIEW views.{name} AS {text}")
    assert views.load_view(name).metadata_location == view.metadata_location
    assert rows(trino.rows(f"SELECT * FROM views.{name}")) == rows(hive.rows(f"SELECT * FROM {name}"))
