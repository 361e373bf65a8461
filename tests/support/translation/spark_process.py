"""The functions of any Spark, asked in a process of its own: ``python spark_process.py directory < queries.json``.

Written to stdout as JSON: the version, names by kind, and which queries Spark can read.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_CLASSES = {
    "windows": (f"{_EXPRESSIONS}.WindowFunction",),
    "aggregates": (f"{_EXPRESSIONS}.aggregate.AggregateFunction",),
    "generators": (f"{_EXPRESSIONS}.Generator",),
}
_GROUPS = {"window_funcs": "windows", "agg_funcs": "aggregates", "generator_funcs": "generators"}


def main(directory: str) -> None:
    from pyspark.sql import SparkSession

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.local.dir", f"{directory}/local")
        .config("spark.sql.warehouse.dir", f"{directory}/warehouse")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    shown = [row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()]
    taken = [query for query in json.load(sys.stdin) if _takes(spark, query)]
    print(
        json.dumps({"version": spark.version, "kinds": _kinds(spark, shown), "taken": taken}), file=answers, flush=True
    )
    spark.stop()


def _takes(spark: Any, query: str) -> bool:
    try:
        spark.sql(query)
    except Exception:  # noqa: BLE001 - Spark's own classes are elsewhere in each version
        return False
    return True


def _kinds(spark: Any, shown: list[str]) -> dict[str, list[str]]:
    state = spark._jsparkSession.sessionState()
    found: dict[str, list[str]] = {kind: [] for kind in ("scalars", *_CLASSES, "tables")}
    found["tables"] = _names(state.tableFunctionRegistry())
    others = set(_names(state.functionRegistry()))
    for name in shown:
        if name in others:
            found[_kind(spark, state, name)].append(name)
        elif name not in found["tables"]:
            found["scalars"].append(name)  # an operator that only the list knows
    return found


def _names(registry: Any) -> list[str]:
    listed = registry.listFunction()
    return [str(listed.apply(index).funcName()) for index in range(listed.size())]


def _kind(spark: Any, state: Any, name: str) -> str:
    """Some functions of other groups are of a kind by their class; some are made by a builder, which is of none."""
    jvm = spark._jvm
    info = state.catalog().lookupFunctionInfo(jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name))
    if info.getGroup() in _GROUPS:
        return _GROUPS[info.getGroup()]
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    own = jvm.java.lang.Class.forName(info.getClassName(), False, loader)
    for kind, names in _CLASSES.items():
        if any(jvm.java.lang.Class.forName(one, False, loader).isAssignableFrom(own) for one in names):
            return kind
    return "scalars"


if __name__ == "__main__":
    main(*sys.argv[1:])
