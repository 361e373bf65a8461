"""Iceberg's own tests of catalogs, in a Java of their own.

``IcebergKit.java`` is compiled at run time by the Janino among PySpark's jars, so that a Java without a compiler is
enough. The tests are of the last release that has them; the client is the one that the other tests have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.java import find_jars
from tests.support.java.connectors import ICEBERG
from tests.support.java.other_java import other_java

KIT_VERSION = "1.11.0"
JARS = (
    *ICEBERG,
    ("org.apache.iceberg", "iceberg-core", KIT_VERSION, "tests"),
    ("org.apache.iceberg", "iceberg-api", KIT_VERSION, "tests"),
    *(("org.junit.jupiter", f"junit-jupiter-{part}", "5.14.4") for part in ("api", "engine", "params")),
    *(("org.junit.platform", f"junit-platform-{part}", "1.14.4") for part in ("commons", "engine", "launcher")),
    ("org.opentest4j", "opentest4j", "1.3.0"),
    ("org.assertj", "assertj-core", "3.27.6"),
    ("net.bytebuddy", "byte-buddy", "1.17.7"),
)
_SOURCE = Path(__file__).with_name("IcebergKit.java")


@dataclass(frozen=True)
class Report:
    """How tests ended.

    Attributes:
        passed: names of those that did.
        aborted: names of those that do not apply.
        failed: by name, why.
    """

    passed: frozenset[str]
    aborted: frozenset[str]
    failed: dict[str, str]

    def __str__(self) -> str:
        aborted = "".join(f"aborted: {name}\n" for name in sorted(self.aborted))
        failed = "".join(f"failed: {name}: {why}\n" for name, why in self.failed.items())
        return f"{len(self.passed)} passed\n{aborted}{failed}"


@dataclass(frozen=True)
class Server:
    """What is tested.

    Attributes:
        address: of the server over REST.
        metastore: the URI of its metastore, for the tables that tests need.
        warehouse: where these are put.
    """

    address: str
    metastore: str
    warehouse: Path


class Kit:
    """Iceberg's tests, ready to be run on any number of servers, one after the other."""

    def __init__(self, jvm: Any) -> None:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_SOURCE.read_text())
        self._kit = compiler.getClassLoader().loadClass("IcebergKit").newInstance()

    def test_views(self, server: Server) -> Report:
        """All tests of a catalog of views."""
        return _report(self._kit.testViews(server.address, server.metastore, f"file:{server.warehouse}"))

    def test_namespaces(self, server: Server, names: Sequence[str]) -> Report:
        """The tests of a catalog of tables that have these names."""
        outcomes = self._kit.testNamespaces(server.address, server.metastore, f"file:{server.warehouse}", list(names))
        return _report(outcomes)


def _report(outcomes: Any) -> Report:
    ended: dict[str, dict[str, str]] = {"SUCCESSFUL": {}, "ABORTED": {}, "FAILED": {}}
    for name, said in dict(outcomes).items():
        state, _, why = said.partition("\n")
        ended[state][name.removesuffix("()")] = why
    return Report(frozenset(ended["SUCCESSFUL"]), frozenset(ended["ABORTED"]), ended["FAILED"])


@contextmanager
def iceberg_kit(java: Path, jars: Sequence[Path], scratch: Path, client: Sequence[Path] = ()) -> Iterator[Kit]:
    """Java with Iceberg's tests; it ends with the block.

    Args:
        java: the program.
        jars: those of the tests.
        scratch: a directory for the log of Java, ``java.log``.
        client: a client for the metastore, where it does not know that of Hive 2.3.10.
    """
    options = ["-Xmx384m", f"-Djava.io.tmpdir={scratch}"]
    path = [*client, find_jars() / "*", *jars]
    with (
        (scratch / "java.log").open("w") as log,
        other_java(java, options, path, spark_jars=False, redirect_stdout=log, redirect_stderr=log) as jvm,
    ):
        yield Kit(jvm)
