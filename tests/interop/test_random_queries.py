"""What the analysis says of random queries, beside Spark's analyser: types, lineage, uses.

``RANDOM_QUERIES_SEED`` sets another seed, which is printed; ``python -m tests.interop.beside_engines`` takes a new one
each time, and asks for more.
"""

from __future__ import annotations

import os
import uuid
from typing import Any

import pytest

from tests.interop.beside_engines import Comparison, create_tables
from tests.interop.random_queries import RandomQueries

pytestmark = pytest.mark.pinned

QUERIES, SEED = 400, 20_261_127


def test_what_is_certain_of_random_queries_is_what_spark_says(spark: Any) -> None:
    seed = int(os.environ.get("RANDOM_QUERIES_SEED") or SEED)
    print(f"RANDOM_QUERIES_SEED={seed}")
    database = f"random_{uuid.uuid4().hex[:12]}"
    compared = Comparison(create_tables(spark, database), database, plans_each=5)
    queries = RandomQueries(seed)
    for _ in range(QUERIES):
        compared.add(queries.query())
    assert not compared.wrong, f"RANDOM_QUERIES_SEED={seed}\n" + "\n".join(compared.wrong[:20])
    # What Spark refuses proves nothing.
    assert compared.refused < QUERIES / 50
    assert compared.certain > compared.outputs * CERTAIN


CERTAIN = 0.85
"""Such a part of the types is certain, at least."""
