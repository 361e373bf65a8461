"""The engines, each behind the same question: the answer to a query, or that it is refused."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import impala.dbapi
import trino.dbapi
from impala.error import Error as ImpalaError
from trino.exceptions import Error as TrinoError
from trino.exceptions import TrinoUserError

from tests.support.java.hive_2 import Hive2, HiveRefused
from tests.support.translation.answers import Answer, NotRead, Refused, plain
from tests.support.translation.results_of_jobs import Columns, exactly
from tests.support.translation.rows import DATABASE, OTHER_ZONE, create_in_hive
from tests.support.translation.value_types import read_type

Ask = Callable[[str], Answer]

_START_TIMEOUT_S = 60.0
_WORKER = Path(__file__).with_name("spark_worker.py")
_OF_HIVE_SERVER = {
    "INT": "int",
    "NULL": "void",
    "INTERVAL_YEAR_MONTH": "interval_year_month",
    "INTERVAL_DAY_TIME": "interval_day_time",
    "TIMESTAMPLOCALTZ": "timestamp with local time zone",
}
_NOT_COMPILED = re.compile(r"FAILED: (Parse|Semantic|Calcite\w*)Exception")
_NO_ANSWER = re.compile("Failed after retrying|Invalid (Session|Operation)Handle")
_WITHOUT_DETAILS = {"ARRAY", "LIST", "MAP", "STRUCT", "UNIONTYPE", "UNION", "CHAR", "VARCHAR"}


def _answer(columns: Columns, rows: Any) -> Answer:
    try:
        types = [read_type(type_) for _, type_ in columns]
        return Answer(tuple(columns), tuple(tuple(map(plain, types, row)) for row in rows))
    except (ValueError, AssertionError, LookupError, TypeError) as error:
        raise NotRead(f"{error!r} in values of {columns}") from error


class SparkWorker:
    """A Spark in a process of its own; it writes the files of the tables below a directory.

    Args:
        directory: it.
        zone: the time zone of the process, and of both sessions.
    """

    def __init__(self, directory: Path, zone: str = "UTC") -> None:
        self._directory = directory
        self._zone = zone
        self._process = self._started()
        self._one_at_a_time = Lock()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(_WORKER), str(self._directory), self._zone],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def wait(self) -> None:
        """Return when the files are written."""
        assert self._read() == "ready"

    def asking(self, engine: str) -> Ask:
        """One of its sessions: ``spark``, ``spark-ansi`` or ``spark-zone``.

        They answer one at a time; a Spark that has died is started again.
        """

        def ask(sql: str) -> Answer:
            with self._one_at_a_time:
                try:
                    answer = self._asked(engine, sql)
                except (EOFError, BrokenPipeError):
                    with suppress(OSError):
                        self.close()
                    self._process = self._started()
                    self.wait()
                    answer = self._asked(engine, sql)
            if isinstance(answer, Refused):
                raise answer
            assert isinstance(answer, Answer)
            return answer

        return ask

    def _asked(self, engine: str, sql: str) -> object:
        assert self._process.stdin
        pickle.dump((engine, sql), self._process.stdin)
        self._process.stdin.flush()
        asked, answer = self._read()
        assert asked == (engine, sql), "an answer to another query"
        return answer

    def _read(self) -> Any:
        assert self._process.stdout
        return pickle.load(self._process.stdout)

    def close(self) -> None:
        """End it."""
        with self._process as process:
            assert process.stdin
            process.stdin.close()
            process.wait(timeout=60)


def asking_hive_2(hive: Hive2, directory: Path) -> Ask:
    """Hive 2.3, with the tables on the files in a directory."""
    for statement in create_in_hive(str(directory)):
        hive.rows(statement)

    def ask(sql: str) -> Answer:
        try:
            columns, rows = hive.answer(sql)
        except HiveRefused as refused:
            raise Refused(str(refused), refused.at_run) from refused
        return _answer(columns, rows)

    def read(sql: str, columns: Columns) -> Answer:
        return _answer(columns, hive.answer(sql)[1])

    return lambda sql: exactly(ask(sql), sql, read, hive.rows)


class HiveServer:
    """A session of a HiveServer2.

    Args:
        address: as ``Hive.address``.
        statements: what it begins with, such as those that make the tables.
        by_tasks: it answers all queries by tasks, as it does large ones, and not row by row where they are compiled.
    """

    def __init__(self, address: str, statements: Sequence[str] = (), *, by_tasks: bool = False) -> None:
        parts = urlsplit(address)
        self._connection = impala.dbapi.connect(parts.hostname, parts.port, auth_mechanism="NOSASL")
        self._cursor = self._connection.cursor(convert_types=False)
        self._view = f"{DATABASE}.answer_{uuid.uuid4().hex[:8]}"
        for statement in statements:
            self._cursor.execute(statement)
        self._by_tasks = by_tasks

    def ask(self, sql: str) -> Answer:
        """The answer to a query."""
        self._cursor.execute(f"SET hive.fetch.task.conversion={'none' if self._by_tasks else 'more'}")
        answer = self._ask(sql)
        if self._by_tasks:
            self._cursor.execute("SET hive.fetch.task.conversion=more")
        return exactly(answer, sql, self._read, self._run, always=self._by_tasks)

    def _read(self, sql: str, columns: Columns) -> Answer:
        self._cursor.execute(sql)
        return _answer(columns, self._cursor.fetchall())

    def _run(self, statement: str) -> None:
        try:
            self._cursor.execute(statement)
        except ImpalaError as error:
            raise Refused(str(error)) from error

    def _ask(self, sql: str) -> Answer:
        try:
            self._cursor.execute(sql)
            if self._cursor.description is None:
                return Answer((), ())
            columns = [(str(one[0]), self._type(one)) for one in self._cursor.description]
            lacks_details = any(one[1] in _WITHOUT_DETAILS for one in self._cursor.description)
            rows = self._cursor.fetchall()
        except KeyError as error:
            raise NotRead(f"a type that the client of HiveServer2 does not know: {error}") from error
        except ImpalaError as error:
            message = str(error)
            if _NO_ANSWER.search(message):
                raise
            raise Refused(message, not _NOT_COMPILED.search(message)) from error
        return _answer(self._in_detail(sql, columns) if lacks_details else columns, rows)

    @staticmethod
    def _type(column: Any) -> str:
        name = str(column[1])
        if name == "DECIMAL":
            return f"decimal({column[4]},{column[5]})"
        return _OF_HIVE_SERVER.get(name, name.lower())

    def _in_detail(self, sql: str, columns: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The columns with their types as a view of them has these, which a server does not say of a query."""
        names = ", ".join(f"c{at}" for at in range(len(columns)))
        try:
            self._cursor.execute(f"CREATE OR REPLACE VIEW {self._view} ({names}) AS {sql}")
        except ImpalaError as error:
            raise NotRead(f"types of parts, as the query makes no view: {error}") from error
        self._cursor.execute(f"DESCRIBE {self._view}")
        types = [str(row[1]) for row in self._cursor.fetchall()]
        self._cursor.execute(f"DROP VIEW {self._view}")
        return [(name, type_) for (name, _), type_ in zip(columns, types, strict=True)]

    def close(self) -> None:
        """End the session."""
        self._cursor.close()
        self._connection.close()


def all_engines(
    stack: ExitStack,
    files: Path,
    spark: SparkWorker,
    ask_hive_2: Ask,
    hive_address: str,
    trino_address: str,
    zone: str = "UTC",
) -> tuple[Mapping[str, Ask], Sequence[str]]:
    """Each engine by its name, and the names of those that are asked when none is named.

    Args:
        stack: ends the sessions that are opened here.
        files: the directory with the tables' files, already written.
        spark: the one that wrote them.
        ask_hive_2: of ``asking_hive_2``.
        hive_address: as ``Hive.address``.
        trino_address: as ``Trino.address``.
        zone: the time zone of Trino's session.
    """
    hive = stack.enter_context(closing(HiveServer(hive_address, create_in_hive(str(files)))))
    with_tasks = stack.enter_context(closing(HiveServer(hive_address, by_tasks=True)))
    trino_server = stack.enter_context(closing(TrinoServer(trino_address, zone)))
    engines = {
        "hive-2.3": ask_hive_2,
        "hive-4.0": hive.ask,
        "spark": spark.asking("spark"),
        "spark-ansi": spark.asking("spark-ansi"),
        "trino": trino_server.ask,
    }
    set_zone = f"SET hive.local.time.zone={OTHER_ZONE}"
    others = {
        "hive-4.0-tasks": with_tasks.ask,
        "hive-4.0-zone": stack.enter_context(closing(HiveServer(hive_address, [set_zone]))).ask,
        "spark-zone": spark.asking("spark-zone"),
        "trino-zone": stack.enter_context(closing(TrinoServer(trino_address, OTHER_ZONE))).ask,
    }
    return {**engines, **others}, tuple(engines)


class TrinoServer:
    """A session of a Trino in its catalog ``hive``; the tables are there once Hive has made them.

    Args:
        address: as ``Trino.address``.
        zone: the time zone of the session.
    """

    def __init__(self, address: str, zone: str = "UTC") -> None:
        parts = urlsplit(address)
        self._connection = trino.dbapi.connect(  # type: ignore[no-untyped-call]
            parts.hostname,
            parts.port,
            user=parts.username,
            catalog="hive",
            timezone=zone,
            legacy_primitive_types=True,
            max_attempts=1,
        )
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not self._has_nodes() and time.monotonic() < deadline:
            time.sleep(0.5)

    def ask(self, sql: str) -> Answer:
        """The answer to a query."""
        cursor = self._connection.cursor()
        columns: list[Any] = []
        try:
            cursor.execute(sql)
            columns = [(str(one[0]), str(one[1])) for one in cursor.description or ()]
            rows = cursor.fetchall()
        except TrinoError as error:
            if getattr(error, "error_type", None) not in ("USER_ERROR", "INTERNAL_ERROR", "INSUFFICIENT_RESOURCES"):
                raise
            message = getattr(error, "message", None) or str(error)
            name = getattr(error, "error_name", None)
            raise Refused(f"{name}: {message}" if name else str(message), _is_at_run(error)) from error
        return _answer(columns, rows)

    def _has_nodes(self) -> bool:
        """A server that answers already may not know yet that it has a node to read rows with."""
        try:
            self._connection.cursor().execute(f"SELECT count(*) FROM {DATABASE}.e").fetchall()
        except TrinoError as error:
            if getattr(error, "error_name", None) == "NO_NODES_AVAILABLE":
                return False
            raise
        return True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _is_at_run(error: TrinoError) -> bool:
    """A mistake in the text has a place there; what fails on a row has none."""
    return not (isinstance(error, TrinoUserError) and "line " in str(error.message))
