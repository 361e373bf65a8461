"""A view of Trino's gets a text for Hive once it is adopted, and all engines read it.

That they read what was adopted of each other as before: test_views_of_three_engines.py.
"""

from __future__ import annotations

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import EngineError, Hive, Trino


def test_a_view_of_trino_that_gets_a_text_for_hive_is_read_by_all(
    hive: Hive, trino: Trino, spark_4: SparkProcess, catalog: ViewCatalog, namespace: str, web: str
) -> None:
    name, text = f"{namespace}.trino_simple", f"SELECT user_id, page FROM {web}.clicks"
    trino.rows(f"CREATE VIEW {name} COMMENT 'by Trino' AS {text}")
    query = f"SELECT * FROM {name}"
    expected = sorted(trino.rows(query))
    assert expected
    adopt(catalog, name)
    with pytest.raises(EngineError):
        hive.rows(query)
    catalog.alter_view(name, sql={"hive": text})
    assert [sorted(engine.rows(query)) for engine in (hive, spark_4, trino)] == [expected] * 3
    assert catalog.load_view(name).comment == "by Trino"
