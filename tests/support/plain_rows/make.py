"""Records plain views: ``python -m tests.support.plain_rows.make [--spark-3 PYTHON] [hive] [trino] [spark]``.

``--spark-3`` names a Python that has PySpark 3.5; the installed PySpark is the other one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.containers.engines import EngineError, start_hive, start_trino
from tests.support.containers.metastores import MetastoreServers
from tests.support.containers.session import Session, connect
from tests.support.plain_rows import DIRECTORY, LAKE, VIEWS, fields_of, identifier
from tests.support.plain_rows.definitions import HIVE, SPARK, SPARK_4, TRINO, Definition
from tests.support.plain_rows.lake import statements, write_files

_NO_DIRECTORY = "file:///nowhere"
_SPARK_SESSION = Path(__file__).with_name("spark_session.py")

Run = Callable[[Definition], None]
Answer = Callable[[Definition], dict[str, Any]]


def record(maker: str, metastore: HiveMetastore, definitions: Sequence[Definition], run: Run, answer: Answer) -> None:
    """Make the views, and write their rows to the file of the maker; what it refuses is told and left out."""
    views = []
    for definition in definitions:
        try:
            run(definition)
        except EngineError as error:
            print(f"{maker}: {definition.name}: {str(error)[:300]}", file=sys.stderr)
            continue
        name = identifier(definition.name)
        partitions = [list(one.values) for one in _partitions(metastore, name)]
        views.append(
            {
                "name": definition.name,
                "statements": list(definition.statements),
                **({"settings": dict(definition.settings)} if definition.settings else {}),
                "table": fields_of(metastore.load_row(name).native),
                **({"partitions": partitions} if partitions else {}),
                **answer(definition),
            }
        )
    document: dict[str, Any] = {"views": views}
    if maker.startswith("hive"):
        tables = [metastore.load_row(TableIdentifier(LAKE, name)).native for name in ("clicks", "users")]
        for table in tables:
            table.sd.location = f"{_NO_DIRECTORY}/{table.tableName}"
        document["tables"] = [fields_of(table) for table in tables]
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (DIRECTORY / f"{maker}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{maker}: {len(views)} views", file=sys.stderr)


def _partitions(metastore: HiveMetastore, name: TableIdentifier) -> Any:
    names = metastore.partition_names(name) if metastore.load_row(name).partition_keys else []
    return metastore.load_partitions(name, names) if names else ()


def _in_order(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    plain = [[one if one is None or isinstance(one, (bool, int, str)) else str(one) for one in row] for row in rows]
    return sorted(plain, key=repr)


def of_containers(stack: ExitStack, directory: Path, makers: Sequence[str]) -> None:
    """Hive and Trino, each on a metastore of its own."""
    session = stack.enter_context(closing(Session(connect(), directory)))
    servers = stack.enter_context(closing(MetastoreServers(session)))
    server = stack.enter_context(servers.own("4.0.1", "derby"))
    files = directory / "lake"
    write_files(files)
    hive = stack.enter_context(closing(start_hive(session, server)))
    for statement in (*statements(files), f"CREATE DATABASE {VIEWS}"):
        hive.rows(statement)

    def answer_of(ask: Callable[[str], Any]) -> Answer:
        def answer(definition: Definition) -> dict[str, Any]:
            try:
                return {"answer": _in_order(ask(f"SELECT * FROM {VIEWS}.{definition.name}"))}
            except EngineError as error:
                return {"error": str(error).split("\n", 1)[0][:200]}

        return answer

    def run_in(ask: Callable[[str], Any]) -> Run:
        def run(definition: Definition) -> None:
            for statement in definition.statements:
                ask(statement)

        return run

    if "hive" in makers:
        record("hive-4.0.1", server.client, HIVE, run_in(hive.rows), answer_of(hive.rows))
    if "trino" in makers:
        hive.rows(f"DROP DATABASE {VIEWS} CASCADE")
        hive.rows(f"CREATE DATABASE {VIEWS}")
        trino = stack.enter_context(closing(start_trino(session, server)))
        record("trino-476", server.client, TRINO, run_in(trino.rows), answer_of(trino.rows))


def of_spark(stack: ExitStack, directory: Path, python: str) -> None:
    """One Spark, on an embedded metastore of its own."""
    metastore = stack.enter_context(LocalMetastore(directory / "metastore"))
    assert metastore.uri
    files = directory / "lake"
    write_files(files)
    process = stack.enter_context(
        subprocess.Popen(
            [python, str(_SPARK_SESSION), metastore.uri, str(directory / "spark")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    )
    assert process.stdin
    stack.callback(process.stdin.close)
    version = json.loads(_lines(process)())["version"]

    def ask(asked: Sequence[str], settings: Any = None) -> Any:
        assert process.stdin
        process.stdin.write(json.dumps({"statements": list(asked), "settings": dict(settings or {})}) + "\n")
        process.stdin.flush()
        answered = json.loads(_lines(process)())
        if "error" in answered:
            raise EngineError(answered["error"])
        return answered["rows"]

    ask([*statements(files), f"CREATE DATABASE {VIEWS} LOCATION 'file:{directory / 'views'}'"])
    metastore_client = stack.enter_context(closing(HiveMetastore(metastore.uri)))

    def answer(definition: Definition) -> dict[str, Any]:
        try:
            return {"answer": _in_order(ask([f"SELECT * FROM {VIEWS}.{definition.name}"]))}
        except EngineError as error:
            return {"error": str(error)[:200]}

    definitions = SPARK_4 if version.startswith("4.") else SPARK
    run: Run = lambda definition: ask(definition.statements, definition.settings)  # noqa: E731
    record(f"spark-{version}", metastore_client, definitions, run, answer)


def _lines(process: subprocess.Popen[str]) -> Callable[[], str]:
    assert process.stdout
    return process.stdout.readline


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("makers", nargs="*", help="hive, trino, spark; all if none is given")
    parser.add_argument("--spark-3", help="a Python that has PySpark 3.5")
    chosen = parser.parse_args()
    makers = chosen.makers or ["hive", "trino", "spark"]
    if {"hive", "trino"} & set(makers):
        with _scratch() as (stack, directory):
            of_containers(stack, directory, makers)
    if "spark" in makers:
        for python in filter(None, (sys.executable, chosen.spark_3)):
            with _scratch() as (stack, directory):
                of_spark(stack, directory, python)


@contextmanager
def _scratch() -> Iterator[tuple[ExitStack, Path]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        # Who runs in a container is not always who runs this.
        Path(directory).chmod(0o755)
        yield stack, Path(directory)


if __name__ == "__main__":
    main()
