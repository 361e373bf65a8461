"""One query asked of several engines, here or in a server that has them running."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Client
from pathlib import Path
from threading import Lock
from typing import Any

from tests.support.translation.answers import Answer, Refused
from tests.support.translation.rows import DATABASE

SOCKET = Path(tempfile.gettempdir(), "bench.sock")
_AT_ONCE = 40


@dataclass(frozen=True)
class Values:
    """What an expression is for each row of a table: its type as the engine writes it, and the values by ``id``."""

    type: str
    values: tuple[Any, ...]


class Bench:
    """Engines that are asked.

    Args:
        asking: answers a query for the engine that is named.
        engines: the names of those that are asked when none is named.
    """

    def __init__(self, asking: Callable[[str, str], Answer], engines: Sequence[str]) -> None:
        self._asking = asking
        self.engines = tuple(engines)

    @classmethod
    def of(cls, engines: Mapping[str, Callable[[str], Answer]], asked: Sequence[str]) -> Bench:
        """That of engines of this process, each of which answers one query at a time, and each query once.

        Args:
            engines: by their names.
            asked: which of them are asked when none is named.
        """
        kept: dict[tuple[str, str], Answer | Refused] = {}
        locks = {name: Lock() for name in engines}

        def asking(engine: str, sql: str) -> Answer:
            with locks[engine]:
                if (engine, sql) not in kept:
                    kept[engine, sql] = _answer_or_refusal(engines[engine], sql)
            answer = kept[engine, sql]
            if isinstance(answer, Refused):
                raise type(answer)(answer.message, answer.at_run)
            return answer

        return cls(asking, asked)

    @classmethod
    def connect(cls, socket: Path | str = SOCKET) -> Bench:
        """That of a running server.

        Raises:
            OSError: none is running there.
        """

        def asked(*request: str) -> Any:
            with Client(str(socket), "AF_UNIX") as connection:
                connection.send(request)
                answer = connection.recv()
            if isinstance(answer, Exception):
                raise answer
            return answer

        return cls(asked, asked())

    def ask(self, engine: str, sql: str) -> Answer:
        """The answer of an engine.

        Raises:
            Refused: it refuses the query, or fails when it runs it.
        """
        return self._asking(engine, sql)

    def ask_all(self, sql: str, engines: Sequence[str] | None = None) -> dict[str, Answer | Refused]:
        """The answer of each engine to one query, side by side."""
        return self.ask_each(dict.fromkeys(engines or self.engines, sql))

    def ask_each(self, queries: Mapping[str, str]) -> dict[str, Answer | Refused]:
        """The answers of engines to a query each, side by side."""
        with ThreadPoolExecutor(len(queries) or 1) as pool:
            return dict(zip(queries, pool.map(self._answer_or_refusal, queries, queries.values()), strict=True))

    def _answer_or_refusal(self, engine: str, sql: str) -> Answer | Refused:
        return _answer_or_refusal(lambda text: self.ask(engine, text), sql)

    def values(
        self, engine: str, expressions: Sequence[str], table: str = f"{DATABASE}.t", key: str = "id"
    ) -> list[Values | Refused]:
        """What each of many expressions is on every row of a table, in the order of its key.

        They are asked together, and apart where one of them is refused, or fails on a row.
        """
        found: list[Values | Refused] = []
        for start in range(0, len(expressions), _AT_ONCE):
            found += self._values(engine, list(expressions[start : start + _AT_ONCE]), table, key)
        return found

    def values_of_all(
        self, expressions: Sequence[str], table: str = f"{DATABASE}.t", engines: Sequence[str] | None = None
    ) -> dict[str, list[Values | Refused]]:
        """The same of several engines, side by side."""
        names = list(engines or self.engines)
        with ThreadPoolExecutor(len(names) or 1) as pool:
            return dict(zip(names, pool.map(lambda name: self.values(name, expressions, table), names), strict=True))

    def _values(self, engine: str, expressions: list[str], table: str, key: str) -> list[Values | Refused]:
        columns = ", ".join(f"{expression} AS c{at}" for at, expression in enumerate(expressions, 1))
        answer = self._answer_or_refusal(engine, f"SELECT {key} AS c0, {columns} FROM {table}")
        if isinstance(answer, Refused) and len(expressions) > 1:
            middle = len(expressions) // 2
            halves = (expressions[:middle], expressions[middle:])
            return [one for half in halves for one in self._values(engine, half, table, key)]
        if isinstance(answer, Refused):
            return [answer]
        rows = sorted(answer.rows, key=lambda row: (row[0] is None, row[0]))
        types = [type_ for _, type_ in answer.columns[1:]]
        return [Values(type_, tuple(row[at] for row in rows)) for at, type_ in enumerate(types, 1)]


def _answer_or_refusal(ask: Callable[[str], Answer], sql: str) -> Answer | Refused:
    try:
        return ask(sql)
    except Refused as refused:
        return refused
