"""The lists of functions are those of Hive 2.3.10 and of the installed Spark."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.translation.engine_functions import functions_of
from tests.support.java import connectors
from tests.support.java.hive_2 import Hive2
from tests.support.translation.listed_functions import (
    HIVE_CONVERSIONS,
    HIVE_INTERNAL,
    HIVE_OPERATORS,
    SPARK_OPERATORS,
    all_scalars,
)


def test_hive_2_has_these_functions(hive_2: Hive2) -> None:
    listed = functions_of("hive-2.3")
    shown = {name for [name] in hive_2.rows("SHOW FUNCTIONS")}
    assert shown - listed.all == HIVE_OPERATORS | HIVE_INTERNAL
    assert listed.all - shown == listed.grammar | set(HIVE_CONVERSIONS)


def test_hive_2_reads_functions_of_its_grammar_and_those_that_are_called_like_types(hive_2: Hive2) -> None:
    hive_2.columns(all_scalars(functions_of("hive-2.3").grammar))
    hive_2.columns(f"SELECT {', '.join(f'{name}({argument})' for name, argument in HIVE_CONVERSIONS.items())}")


@pytest.mark.pinned
# PySpark leaves the socket open through which it collected rows.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_spark_has_these_functions(spark: Any) -> None:
    listed = functions_of("spark-4.1")
    minor = listed.version.rpartition(".")[0]
    # It is the one that the tests are for, so that they do not skip where it is pinned.
    assert minor == connectors.SPARK
    if spark.version.rpartition(".")[0] != minor:
        pytest.skip(f"the list is that of Spark {listed.version}, and {spark.version} is installed")

    shown = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    assert shown - listed.all == SPARK_OPERATORS
    assert listed.all - shown == listed.grammar
    spark.sql(all_scalars(listed.grammar))
