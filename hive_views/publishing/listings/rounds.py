"""Base tables that are read again and again: what is asked twice in a round is asked once, and between rounds it is
known what each publication was told, so that one whose tables say the same need not be judged again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.port import BaseTable, TableWithHistory
from hive_views.errors import HiveViewsError, MetastoreUnavailableError, NotFoundError, PermissionDeniedError
from hive_views.hive.row import POINTER, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.port import Metastore
from hive_views.persisted import PENDING_KEYS
from hive_views.readiness.rules import Rule
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

Question = tuple[Any, ...]
Seen = dict[Question, str]
"""What was answered, as a digest, by question."""

_ROW, _STAMP = "load_row", "stamp"
# What a metastore is asked for in one call.
_ROWS_AT_ONCE = 100


class Rounds:
    """The tables of many publications as rounds read them; as a ``MetastoreReader`` it answers their readers.

    Rows are loaded at the beginning of a round, many at once, to be compared; what is published is judged by rows that
    are read after the partitions, as readers ask for them.
    """

    def __init__(self, metastore: Metastore, files: Files) -> None:
        self._metastore = metastore
        self._files = files
        self._rows: dict[TableIdentifier, str] = {}
        self._tables: dict[str, tuple[BaseTable, Seen]] = {}
        self._answers: dict[Question, Any] = {}
        self._noted: Seen = {}
        self._shares = True

    @contextmanager
    def round(self, rows: Iterable[TableIdentifier]) -> Iterator[None]:
        """One round, in which these rows are compared."""
        self._rows = dict.fromkeys(rows, "")
        try:
            by_namespace: dict[str, list[str]] = {}
            for one in self._rows:
                by_namespace.setdefault(one.namespace, []).append(one.name)
            for namespace, names in by_namespace.items():
                for at in range(0, len(names), _ROWS_AT_ONCE):
                    with suppress(NotFoundError):
                        found = self._metastore.load_rows(namespace, names[at : at + _ROWS_AT_ONCE])
                        self._rows |= {row.identifier: _digest(row) for row in found}
            yield
        finally:
            # The names of a large table are not kept until the next round.
            self._answers.clear()

    def row(self, identifier: TableIdentifier) -> str:
        """A digest of what one of the rows of this round says that matters; "" where there is none."""
        return self._rows.get(identifier, "")

    @contextmanager
    def noted(self, *, shared: bool) -> Iterator[Seen]:
        """What is answered meanwhile; unless ``shared``, each question is asked anew."""
        self._noted, self._shares = {}, shared
        try:
            yield self._noted
        finally:
            # What is asked after this is no part of it.
            self._noted, self._shares = {}, True

    def open(self, rule: Rule) -> dict[str, BaseTable]:
        """The tables of a rule, by its names for them; raises as ``open_base_table``.

        What tells a table with history from later states is noted before anything else is read of it.
        """
        tables: dict[str, BaseTable] = {}
        for named in (table for required in rule.requirements() for table in required.tables()):
            table, rows = self._tables.get(named.name, (None, {}))
            if table is None or any(self._rows.get(row, digest) != digest for (_, row), digest in rows.items()):
                before = set(self._noted)
                table = open_base_table(self, named.name, named.format, files=self._files)
                rows = {one: digest for one, digest in self._noted.items() if one not in before}
                self._tables[named.name] = table, rows
                self._answers.pop((_STAMP, named.name), None)
            self._noted |= rows
            tables[named.name] = table
            if table.history is not None:
                self._noted[_STAMP, named.name] = self._stamp_of(named.name, table.history)
        return tables

    def close_tables(self) -> None:
        """Have each table opened again."""
        self._tables.clear()

    def forget(self, identifier: TableIdentifier) -> None:
        """Have what was asked of a table in this round asked again, as it has been changed since."""
        for question in [one for one in self._answers if one[1] == identifier]:
            del self._answers[question]

    def is_as(self, seen: Seen) -> bool:
        """Whether all answers are as they were. Raises MetastoreUnavailableError; what cannot be read otherwise is not.

        Of a Hive table its partition names are asked for, once for all publications that ask for the same ones; of
        the others, their stamp.
        """
        try:
            return all(self._answer_of(question) == answer for question, answer in seen.items())
        except PermissionDeniedError:
            return False
        except MetastoreUnavailableError:
            raise
        except HiveViewsError:
            return False

    def rows_of(self, seen: Collection[Question]) -> Iterator[TableIdentifier]:
        """The rows that were asked for."""
        return (question[1] for question in seen if question[0] == _ROW)

    def _answer_of(self, question: Question) -> str:
        if question[0] == _ROW:
            return self.row(question[1])
        if question[0] != _STAMP:
            return _digest(self._ask(question))
        opened = self._tables.get(question[1])
        if opened is None or opened[0].history is None:
            return ""
        return self._stamp_of(question[1], opened[0].history)

    def _stamp_of(self, name: str, table: TableWithHistory) -> str:
        question = (_STAMP, name)
        if not self._shares or question not in self._answers:
            self._answers[question] = table.stamp()
        return str(self._answers[question])

    def _ask(self, question: Question) -> Any:
        if not self._shares or question not in self._answers:
            name, *arguments = question
            self._answers[question] = getattr(self._metastore, name)(*map(_as_argument, arguments))
        answer = self._answers[question]
        if question not in self._noted:
            self._noted[question] = _digest(answer)
        return answer

    # What readers of tables ask a metastore for

    def load_row(self, identifier: TableIdentifier) -> Row:
        return self._ask((_ROW, identifier))  # type: ignore[no-any-return]

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        return self._ask(("partition_names", identifier, prefix and tuple(prefix.items())))  # type: ignore[no-any-return]

    def partition_names_within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        return self._ask(("partition_names_within", identifier, tuple(keys), texts))  # type: ignore[no-any-return]

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]:
        return self._metastore.load_partitions(identifier, names)

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool:
        return self._metastore.is_load_done(identifier, name)


def _as_argument(value: Any) -> Any:
    """A prefix of partition names is a mapping, which is no part of a question."""
    return dict(value) if isinstance(value, tuple) and value and isinstance(value[0], tuple) else value


def _digest(answer: Row | list[str]) -> str:
    """What distinguishes an answer from another. Of a row only what makes it another table, or another state of one:
    statistics and times change with each write.
    """
    if isinstance(answer, Row):
        marks = (answer.parameters.get(key) for key in (POINTER, PENDING_KEYS))
        texts = (answer.expanded_text, answer.original_text)
        table = (answer.create_time_s, answer.table_type, answer.location, answer.partition_keys)
        parts = [repr((*table, *marks, *texts))]
    else:
        parts = answer
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
