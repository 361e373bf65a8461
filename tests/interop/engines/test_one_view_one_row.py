"""One view, one row: created once, and every engine reads the same numbers.

What lives here: the promise of this library, as one test. What must not: what single engines do besides; Iceberg's
Java, whose client does not know this metastore any more (test_iceberg_java_on_our_views.py).
"""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import pytest
from pyiceberg.view.metadata import ViewMetadata

from hive_views import View
from tests.containers.engines import Hive, Trino
from tests.interop.clicks import ROWS
from tests.interop.engines.conftest import SparkProcess

proves = partial(
    pytest.mark.matrix, operation="One view, one row", server="4.0.1 on PostgreSQL", result="the same numbers in all"
)


@proves(engine="Hive 4.0.1")
@proves(engine="Trino 476")
@proves(engine="Spark 4.1.4")
@proves(engine="PyIceberg 0.12.0")
def test_a_view_that_is_created_once_gives_the_same_numbers_in_every_engine(
    view: View, hive: Hive, trino: Trino, spark_4: SparkProcess
) -> None:
    select = f"SELECT user_id, clicks, ds FROM {view.identifier} ORDER BY ds, user_id"
    answers = {
        "Hive": hive.rows(select),
        "Trino": trino.rows(select),
        "Spark": spark_4.rows(select),
        "PyIceberg": sorted(trino.rows(text_that_pyiceberg_reads(view, "trino")), key=lambda row: (row[2], row[0])),
    }
    assert answers == dict.fromkeys(answers, ROWS)


def text_that_pyiceberg_reads(view: View, dialect: str) -> str:
    """The text of a dialect, from the file that the row points to, by PyIceberg's model of it; it runs no SQL."""
    content = gzip.decompress(Path(view.row.parameters["metadata_location"].removeprefix("file://")).read_bytes())
    found = ViewMetadata.model_validate_json(content)
    (version,) = [one for one in found.versions if one.version_id == found.current_version_id]
    return {one.root.dialect: one.root.sql for one in version.representations}[dialect]
