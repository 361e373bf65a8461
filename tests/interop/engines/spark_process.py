"""A plain local Spark in a process of its own with the client jars of Hive 4: ``python spark_process.py uri jars``."""

from __future__ import annotations

import json
import os
import sys
from tempfile import TemporaryDirectory

from tests.support.java.spark_on_hive_4 import with_hive_4


def main(metastore_uri: str, jars: str) -> None:
    from pyspark.errors import PySparkException

    from hive_views.spark.sessions.local_session import local_session

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with (
        TemporaryDirectory() as warehouse,
        local_session(metastore_uri, warehouse, app_name="tests", settings=with_hive_4(jars)) as spark,
    ):
        for line in sys.stdin:
            answer: dict[str, object]
            try:
                answer = {"rows": [tuple(row) for row in spark.sql(json.loads(line)).collect()]}
            except PySparkException as error:
                answer = {"error": str(error)}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
