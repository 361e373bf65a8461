"""Writes the lists of functions: ``python -m tests.support.translation.ask_functions [--spark-3 PYTHON] [hive-2.3]``.

Without names all are written. ``--spark-3`` names a Python that has PySpark 3.5; the installed PySpark is the other.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.java import find_jars, find_java
from hive_views.translation import engine_functions
from hive_views.translation.engine_functions import KINDS
from tests.support.containers.engines import EngineError, Trino, copy_jars, start_hive, start_trino
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import Session, connect
from tests.support.java.connectors import fetch_jars
from tests.support.java.other_java import other_java
from tests.support.translation.listed_functions import (
    FORMS,
    HIVE_FORMS,
    Kinds,
    all_of,
    forms_taken,
    no_functions,
    spark_functions,
    trino_functions,
)

DIRECTORY = Path(engine_functions.__file__).parent
HIVE_FROM_MAVEN = {"hive-2.3": "2.3.10", "hive-3.1": "3.1.3"}
IN_CONTAINERS = ("hive-4.0", "trino-476")
OF_SPARK = "spark"
_SPARK_PROCESS = Path(__file__).with_name("spark_process.py")
_OPENED = ("lang", "lang.reflect", "net", "util")
_WIDTH = 118


def write(engine: str, version: str, asked: str, listed: Kinds, grammar: Kinds) -> None:
    """Write the file of an engine."""
    kinds = {kind: sorted(listed[kind] | grammar[kind]) for kind in KINDS}
    parts = [f'  "version": {json.dumps(version)}', f'  "asked": {json.dumps(asked)}']
    for kind, names in {**kinds, "grammar": sorted(all_of(grammar))}.items():
        lines = textwrap.wrap(", ".join(map(json.dumps, names)), _WIDTH - 4, break_on_hyphens=False)
        inside = "".join(f"\n    {line}" for line in lines)
        parts.append(f'  "{kind}": [{inside}\n  ]' if names else f'  "{kind}": []')
    (DIRECTORY / f"{engine}.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"{engine} ({version}):", {kind: len(names) for kind, names in kinds.items()}, file=sys.stderr)


class _HiveRegistry:
    """The functions of one Hive, by the classes in a Java."""

    def __init__(self, jvm: Any, version: str) -> None:
        from py4j.protocol import Py4JJavaError

        self._is_4 = version.startswith("4.")
        self._ql = jvm.org.apache.hadoop.hive.ql
        self._refusal: type[Exception] = Py4JJavaError
        self._parser = self._ql.parse.ParseDriver()
        self._conf = jvm.org.apache.hadoop.hive.conf.HiveConf()
        of_name = jvm.java.lang.Class.forName
        self._window = of_name("org.apache.hadoop.hive.ql.exec.WindowFunctionDescription")
        self._lead_or_lag = of_name("org.apache.hadoop.hive.ql.udf.generic.GenericUDFLeadLag")

    def listed(self) -> Kinds:
        """Names that a query can call, by kind."""
        found = no_functions()
        for name in self._ql.exec.FunctionRegistry.getFunctionNames():
            info = self._ql.exec.FunctionRegistry.getFunctionInfo(name)
            if info.isTableFunction() or self._is_call(name):
                found[self._kind(info)].add(str(name))
        return found

    def takes(self, query: str) -> bool:
        """Whether the parser can read a query that only its grammar can explain."""
        if not any(query == queries.get(name) for queries in FORMS.values() for name in HIVE_FORMS):
            return False
        return self._tree(query) is not None

    def _is_call(self, name: str) -> bool:
        return "TOK_FUNCTION" in (self._tree(f"SELECT {name}(a) FROM t") or "")

    def _tree(self, query: str) -> str | None:
        try:
            if self._is_4:
                return str(self._parser.parse(query, self._conf).getTree().dump())
            return str(self._parser.parse(query).dump())
        except self._refusal:
            return None

    def _kind(self, info: Any) -> str:
        if info.isTableFunction():
            return "tables"
        if info.isGenericUDTF():
            return "generators"
        of_class = info.getFunctionClass()
        if self._lead_or_lag.isAssignableFrom(of_class):
            return "windows"
        if not info.isGenericUDAF():
            return "scalars"
        said = of_class.getAnnotation(self._window)
        # Hive 4 describes aggregates that have WITHIN GROUP in the same way.
        is_window = said is not None and (said.rankingFunction() or not self._is_4 or not said.orderedAggregate())
        return "windows" if is_window else "aggregates"


def of_maven(engine: str) -> None:
    """A Hive whose classes come from Maven, with what it needs from PySpark's jars."""
    version, java = HIVE_FROM_MAVEN[engine], find_java()
    with _scratch() as (_, directory):
        own = fetch_jars(java, directory, [("org.apache.hive", "hive-exec", version)])
        others = [jar for jar in find_jars().glob("*.jar") if not jar.name.startswith("hive-")]
        _of_hive(engine, version, java, [*own, *sorted(others)], directory)


def _of_hive(engine: str, version: str, java: Path, jars: Sequence[Path], directory: Path) -> None:
    options = ["-Xmx512m", "-Duser.timezone=UTC", "-Dlog4j2.level=off"]
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    with other_java(java, [*options, *opened], jars, spark_jars=False, cwd=directory) as jvm:
        registry = _HiveRegistry(jvm, version)
        listed = registry.listed()
        grammar = forms_taken(all_of(listed), registry.takes)
    write(engine, version, f"FunctionRegistry and ParseDriver of Hive {version}", listed, grammar)


def of_containers(chosen: Sequence[str]) -> None:
    """Hive 4.0.1, by its own jars, and Trino 476."""
    with _scratch() as (stack, directory):
        session = stack.enter_context(closing(Session(connect(), directory)))
        servers = stack.enter_context(closing(MetastoreServers(session)))
        server = stack.enter_context(servers.own("4.0.1", "derby"))
        if "hive-4.0" in chosen:
            hive = stack.enter_context(closing(start_hive(session, server)))
            copy_jars(hive.container, directory)
            _of_hive("hive-4.0", "4.0.1", find_java(), [directory / "lib" / "*"], directory)
        if "trino-476" in chosen:
            _of_trino(stack.enter_context(closing(start_trino(session, server))))


def _of_trino(trino: Trino) -> None:
    def takes(query: str) -> bool:
        try:
            trino.rows(query)
        except EngineError:
            return False
        return True

    [(version,)] = trino.rows("SELECT version()")
    listed = trino_functions(trino.rows)
    asked = "SHOW FUNCTIONS; queries with functions of the grammar"
    write(f"trino-{version}", version, asked, listed, forms_taken(all_of(listed), takes))


def of_spark(python: str) -> None:
    """The PySpark of a Python."""
    queries = [query for queries in FORMS.values() for query in queries.values()]
    with _scratch() as (_, directory):
        done = subprocess.run(
            [python, str(_SPARK_PROCESS), str(directory)],
            input=json.dumps(queries),
            cwd=directory,
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
    # It logs each query that it refuses.
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    listed = spark_functions({kind: set(names) for kind, names in answer["kinds"].items()})
    grammar = forms_taken(all_of(listed), answer["taken"].__contains__)
    version = answer["version"]
    asked = "SHOW SYSTEM FUNCTIONS and the function registries; queries with functions of the grammar"
    write(f"spark-{version.rpartition('.')[0]}", version, asked, listed, grammar)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    names = (*HIVE_FROM_MAVEN, *IN_CONTAINERS, OF_SPARK)
    parser.add_argument("engines", nargs="*", metavar="engine", help=f"{', '.join(names)}; all if none is given")
    parser.add_argument("--spark-3", metavar="PYTHON", help="a Python that has PySpark 3.5")
    chosen = parser.parse_args()
    if unknown := set(chosen.engines) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    engines = chosen.engines or names
    for engine in HIVE_FROM_MAVEN:
        if engine in engines:
            of_maven(engine)
    if set(IN_CONTAINERS) & set(engines):
        of_containers(engines)
    if OF_SPARK in engines:
        for python in filter(None, (sys.executable, chosen.spark_3)):
            of_spark(python)


@contextmanager
def _scratch() -> Iterator[tuple[ExitStack, Path]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        # Who runs in a container is not always who runs this.
        Path(directory).chmod(0o755)
        yield stack, Path(directory)


if __name__ == "__main__":
    main()
