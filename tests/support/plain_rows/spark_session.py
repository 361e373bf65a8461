"""A plain Spark of any version in a process of its own: ``python spark_session.py metastore-uri directory``."""

from __future__ import annotations

import json
import os
import sys


def main(metastore_uri: str, directory: str) -> None:
    from pyspark.sql import SparkSession

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # A setting of Spark SQL's that is given here would be noted with each view.
    first = (
        SparkSession.builder.master("local[1]")
        .config("spark.hadoop.hive.metastore.uris", metastore_uri)
        .config("spark.sql.warehouse.dir", f"{directory}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.local.dir", f"{directory}/local")
        .config("spark.driver.extraJavaOptions", f"-Duser.timezone=UTC -Dderby.system.home={directory}")
        .enableHiveSupport()
        .getOrCreate()
    )
    first.sparkContext.setLogLevel("OFF")
    print(json.dumps({"version": first.version}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        session = first.newSession()
        for name, value in asked["settings"].items():
            session.conf.set(name, value)
        answer: dict[str, object] = {}
        try:
            for statement in asked["statements"]:
                rows = session.sql(statement).collect()
                answer = {"rows": [[_plain(value) for value in row] for row in rows]}
        except Exception as error:  # noqa: BLE001 - Spark's own classes are elsewhere in each version
            answer = {"error": str(error).strip().split("\n", 1)[0]}
        print(json.dumps(answer), file=answers, flush=True)
    first.stop()


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
