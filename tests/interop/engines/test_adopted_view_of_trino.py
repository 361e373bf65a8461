"""A view of Trino's gets a text for Hive once it is adopted, and all engines read it.

That they read what was adopted of each other as before: test_views_of_three_engines.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import EngineError, Hive, Trino


def answer(ask: Callable[[str], Any], name: str) -> Any:
    """The rows of a view, or that the engine refuses it."""
    try:
        return sorted(ask(f"SELECT * FROM {name}"), key=repr)
    except EngineError:
        return "refused"


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
