"""That a second Java in the process keeps out of the way of the first."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.peer("java")


def test_errors_are_known_by_the_java_that_they_come_from(spark: Any, hive_jvm: Any) -> None:
    """PySpark asks its own Java about every error in the process, where another object has that name, or none."""
    from py4j.protocol import Py4JJavaError

    for _ in range(3):
        with pytest.raises(Py4JJavaError, match='NumberFormatException: For input string: "x"'):
            hive_jvm.java.lang.Integer.parseInt("x")
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND") as caught:
        spark.sql("SELECT * FROM no_such_table")
    assert type(caught.value).__name__ == "AnalysisException"
