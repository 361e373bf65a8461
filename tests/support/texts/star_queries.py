"""Queries with a star, whose columns a view names by position, and how the columns that it then has are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hive_views import TableIdentifier, ViewCatalog, execute
from hive_views.hive.row import Column, Row

VALUES = {"a": "1", "b": "one", "c": "7", "d": "1.5", "n": "three"}
"""By the name that a query gives it, what stands in a column as a string."""

_ORC = "org.apache.hadoop.hive.ql.io.orc.OrcSerde"
_A, _B = Column("a", "int"), Column("b", "string")

QUERIES = {
    "SELECT * FROM t": "a b",
    "SELECT t.* FROM t": "a b",
    "SELECT x.* FROM t x WHERE x.a > 0": "a b",
    "SELECT * FROM p": "a b",
    "SELECT * FROM (SELECT a, b FROM t) q": "a b",
    "SELECT * FROM (SELECT * FROM t) q": "a b",
    "SELECT q.* FROM (SELECT b, a FROM t) q": "b a",
    "WITH q AS (SELECT * FROM t) SELECT * FROM q": "a b",
    "WITH q AS (SELECT b, a FROM t) SELECT q.* FROM q": "b a",
    "SELECT * FROM t UNION ALL SELECT * FROM t": "a b",
    "SELECT * FROM p UNION ALL SELECT * FROM t": "a b",
    "SELECT * FROM (SELECT b, a FROM t UNION ALL SELECT b, a FROM p) q": "b a",
    "SELECT * FROM t ORDER BY a": "a b",
    "SELECT * FROM t LIMIT 10": "a b",
    "SELECT DISTINCT * FROM t": "a b",
    "SELECT t.*, 'three' AS n FROM t": "a b n",
    "SELECT 'three' AS n, t.* FROM t": "n a b",
    "SELECT * FROM t JOIN u ON t.a + 6 = u.c": "a b c d",
}
"""By query, the names of its own columns."""


def names_for(own: str) -> list[list[str]]:
    """Names for a view: those of the query in another order, and others."""
    names = own.split()
    return [[*names[1:], names[0]], [f"x{place}" for place in range(len(names))]]


CASES = [(query, names) for query, own in QUERIES.items() for names in names_for(own)]
"""The queries with the names that a view gives."""

READ = CASES[::2]
"""Those that engines read: the names of the query in another order, which is mistaken most easily."""


def create_tables(catalog: ViewCatalog, namespace: str) -> None:
    """The tables as rows of a metastore that no engine uses."""
    columns = {"t": (_A, _B), "u": (Column("c", "bigint"), Column("d", "double")), "p": (_A,)}
    for name, own in columns.items():
        row = Row(
            TableIdentifier(namespace, name),
            "MANAGED_TABLE",
            columns=own,
            partition_keys=(_B,) if name == "p" else (),
            serde_library=_ORC,
            location="file:/nowhere",
        )
        catalog.metastore.create_row(row)


def row_texts(
    catalog: ViewCatalog, namespace: str, dialect: str = "hive", cases: Sequence[tuple[str, list[str]]] = READ
) -> list[str]:
    """What plain readers read of a view of each case that CREATE VIEW made."""
    texts = []
    for place, (query, names) in enumerate(cases):
        statement = f"CREATE VIEW v{place} ({', '.join(names)}) AS {query}"
        execute(catalog, statement, namespace=namespace, dialect=dialect)
        texts.append(catalog.metastore.load_row(TableIdentifier(namespace, f"v{place}")).expanded_text or "")
    return texts


def make_tables(directory: Path) -> Iterator[str]:
    """The statements that make the tables in the current database of an engine, from files in this directory."""
    for name, columns, partition, line in (
        ("t", "a int, b string", "", f"{VALUES['a']},{VALUES['b']}"),
        ("u", "c bigint, d double", "", f"{VALUES['c']},{VALUES['d']}"),
        ("p", "a int", "b string", VALUES["a"]),
    ):
        file = directory / f"{name}.csv"
        file.write_text(line + "\n")
        keys = f" PARTITIONED BY ({partition})" if partition else ""
        yield f"CREATE TABLE {name} ({columns}){keys} ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE"
        into = f" PARTITION (b = '{VALUES['b']}')" if partition else ""
        yield f"LOAD DATA LOCAL INPATH '{file}' INTO TABLE {name}{into}"


def make_own_views() -> Iterator[str]:
    """The statements that make an engine's own view of each case."""
    for place, (query, names) in enumerate(READ):
        yield f"CREATE VIEW own{place} ({', '.join(names)}) AS {query}"


def readings(texts: Sequence[str]) -> list[str]:
    """Queries for the rows of all own views, and of these texts, one for each case; UNION ALL makes one of them.

    Each row says ``own`` or ``ours``, the number of its case, and its values in the order of the names.
    """
    sources = {"own": [f"own{place}" for place in range(len(READ))], "ours": [f"({text})" for text in texts]}
    return [
        f"SELECT '{whose}' AS who, {place} AS place, concat_ws('|', {_strings(names)}) AS v FROM {source} q"
        for whose, each in sources.items()
        for place, (source, (_, names)) in enumerate(zip(each, READ, strict=True))
    ]


def check_rows(rows: Iterable[Sequence[object]]) -> None:
    """The rows of our views are those of the engine's own, and each value stands under the name that its place has."""
    found = [(str(whose), int(str(place)), str(values)) for whose, place, values in rows]
    own, ours = (sorted((place, values) for who, place, values in found if who == one) for one in ("own", "ours"))
    assert ours == own
    wanted = {
        (place, "|".join(VALUES[name] for name in QUERIES[query].split())) for place, (query, _) in enumerate(READ)
    }
    assert set(ours) == wanted


def _strings(names: Sequence[str]) -> str:
    return ", ".join(f"CAST(q.{name} AS string)" for name in names)
