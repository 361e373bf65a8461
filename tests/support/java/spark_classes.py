"""An archive of the classes that Spark loads, with which a Spark starts and runs its first queries in half the time.

``python -m tests.support.java.spark_classes FILE`` writes it, and ``-XX:SharedArchiveFile=FILE`` in the variable
``SPARK_SUBMIT_OPTS``, which Spark's scripts read, makes Java take it. Where the file is not there yet, or is of another
Java or other jars, Java starts without it, and says so on the standard output unless it has ``-Xlog:disable``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.spark.sessions import local_session

_TIMEOUT_S = 300
_STATEMENTS = (
    "CREATE DATABASE d",
    "CREATE TABLE d.t (a INT, s STRING, d DECIMAL(10, 2), t TIMESTAMP) PARTITIONED BY (ds STRING) STORED AS PARQUET",
    "INSERT INTO d.t PARTITION (ds = '1') VALUES (1, 'x', 1.5, current_timestamp()), (2, 'y', 2.5, NULL)",
    "CREATE TABLE d.u (a INT, m MAP<STRING, ARRAY<INT>>, r STRUCT<f: DATE>) ROW FORMAT DELIMITED STORED AS TEXTFILE",
    "INSERT INTO d.u VALUES (1, map('x', array(1)), named_struct('f', DATE '2026-01-01'))",
    "CREATE VIEW d.v AS SELECT ds, count(*) AS n FROM d.t JOIN d.u ON t.a = u.a WHERE s LIKE 'x%' GROUP BY ds",
    "SELECT *, rank() OVER (ORDER BY n) FROM d.v WHERE ds IN (SELECT ds FROM d.t) UNION ALL SELECT '2', 1, 1",
    "SELECT m, r.f, x FROM d.u LATERAL VIEW explode(array(1, 2)) e AS x ORDER BY x DESC LIMIT 3",
    "DESCRIBE TABLE EXTENDED d.v",
    "SHOW CREATE TABLE d.v",
    "SHOW PARTITIONS d.t",
    "ALTER VIEW d.v SET TBLPROPERTIES ('a' = 'b')",
    "DROP DATABASE d CASCADE",
)


def archive(file: Path) -> None:
    """Run what tests often run in a Spark, whose Java writes the archive when it ends."""
    # Who finds the file may read it.
    unfinished = file.with_suffix(".unfinished")
    with TemporaryDirectory() as directory, LocalMetastore(Path(directory) / "metastore") as server:
        assert server.uri
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPARK_SUBMIT_OPTS", f"-XX:ArchiveClassesAtExit={unfinished} -Xlog:disable")
            # Writing takes longer than ending.
            patch.setattr(local_session, "_EXIT_TIMEOUT_S", _TIMEOUT_S)
            with local_session.local_session(server.uri, directory, app_name="archive") as spark:
                for statement in _STATEMENTS:
                    spark.sql(statement).collect()
    unfinished.rename(file)


if __name__ == "__main__":
    archive(Path(sys.argv[1]))
