"""A process that answers queries with a plain local Spark: one JSON object on stdin, one on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    asked = json.load(sys.stdin)
    spark = (
        SparkSession.builder.master("local[1]")
        # Spark's script starts Java with it; the second compiler would take longer than it saves.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData")
        .config("spark.ui.enabled", False)
        .config("spark.sql.warehouse.dir", asked["warehouse"])
        # Compiling code for every query would take longer than running it on three rows.
        .config("spark.sql.codegen.wholeStage", False)
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", False)
        .config("spark.sql.shuffle.partitions", 1)
        # Spark reads a view's text so when its row does not say otherwise.
        .config("spark.sql.ansi.enabled", False)
        .config("spark.sql.crossJoin.enabled", True)
        .getOrCreate()
    )
    for name, query in asked["tables"].items():
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {name.split('.')[0]}")
        spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")

    def answer(namespace: str, query: str) -> dict[str, Any]:
        spark.catalog.setCurrentDatabase(namespace)
        try:
            found = spark.sql(query)
            return {"columns": found.columns, "rows": sorted(repr(tuple(row)) for row in found.collect())}
        except PySparkException as error:
            return {"error": str(error)}

    json.dump([answer(*pair) for pair in asked["queries"]], sys.stdout)


if __name__ == "__main__":
    main()
